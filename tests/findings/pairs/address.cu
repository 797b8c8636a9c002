// SPDX-License-Identifier: MIT
// A barrier is missing before an index is read, and the index is one too large. Without the barrier, every case ends at
// the unwritten index, before the second access of the race.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void address(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = t;
    if (SECOND_MENDED)
        __syncthreads();
    out[s[63 - t] + (FIRST_MENDED ? 0 : 1)] = in[t];
}
