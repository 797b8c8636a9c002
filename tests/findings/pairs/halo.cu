// SPDX-License-Identifier: MIT
// Nobody writes the left halo element, and a barrier is missing before the neighbours are read.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void halo(const int *in, int *out)
{
    __shared__ int s[65];
    int t = threadIdx.x;

    s[t + 1] = in[t];
    if (FIRST_MENDED && t == 0)
        s[0] = 0;
    if (SECOND_MENDED)
        __syncthreads();
    out[t] = s[t];
}
