// SPDX-License-Identifier: MIT
// Both barriers of a tile loop are missing: write-read and read-write on the same two lines.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void tile(const int *in, int *out, int rounds)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        s[t] = in[k * 64 + t];
        if (FIRST_MENDED)
            __syncthreads();
        sum += s[(t + 33) % 64];
        if (SECOND_MENDED)
            __syncthreads();
    }
    out[t] = sum;
}
