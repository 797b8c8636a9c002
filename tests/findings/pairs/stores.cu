// SPDX-License-Identifier: MIT
// Two stores to one array, both with wrong values.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void stores(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i % 2 == 0)
        out[i] = in[i] + (FIRST_MENDED ? 0 : 1);
    __syncthreads(); // so that no compiler merges the stores
    if (i < n && i % 2 == 1)
        out[i] = in[i] - (SECOND_MENDED ? 0 : 1);
}
