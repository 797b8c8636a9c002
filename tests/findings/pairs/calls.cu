// SPDX-License-Identifier: MIT
// A helper reads past its array, called from two places. It stays a call, because clang gives no call lines of inlined
// code.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__device__ __noinline__ int next(const int *a, int i)
{
    return a[i + 1];
}

__global__ void calls(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = 0;
    if (i == 40)
        out[i] = next(in, FIRST_MENDED ? i - 1 : n - 1);
    if (i == 3)
        for (int k = 0; k < 2; k++)
            out[i] += next(in, SECOND_MENDED ? i - 1 : n + 5);
}
