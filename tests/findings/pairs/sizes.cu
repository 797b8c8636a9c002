// SPDX-License-Identifier: MIT
// A barrier is missing for small sizes, and another one for large sizes.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void sizes(const int *in, int *out, int n)
{
    __shared__ int s[64], u[64];
    int t = threadIdx.x;

    if (n < 10) {
        s[t] = in[t];
        if (FIRST_MENDED)
            __syncthreads();
        out[t] = s[63 - t];
    } else {
        u[t] = in[t] + 1;
        if (SECOND_MENDED)
            __syncthreads();
        out[t] = u[t ^ 1];
    }
}
