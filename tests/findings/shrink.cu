// SPDX-License-Identifier: MIT
// Ten bugs, each with a smallest size that shows it. BUG 10 is the right kernel.
#ifndef BUG
#define BUG 10
#endif

__device__ bool is_wrong(int i, int n, int value)
{
    return BUG == 0   ? i == 0 && n >= 7
           : BUG == 1 ? n % 5 == 3
           : BUG == 2 ? i == 36
           : BUG == 3 ? n == 100
           : BUG == 4 ? n > 64 && i == n - 1
           : BUG == 5 ? n > 8 && n % 2 == 1 && i == n / 2
           : BUG == 6 ? blockIdx.x == 1
           : BUG == 7 ? i == 63 && n >= 70
           : BUG == 8 ? n >= 16 && (n & (n - 1)) == 0
           : BUG == 9 ? value != 0
                      : false;
}

__global__ void shrink(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = 2 * in[i] + is_wrong(i, n, in[i]);
}
