/* SPDX-License-Identifier: MIT
 *
 * Kernels for test_coverage.c, which finds their lines by the words in their comments.
 */

__noinline__ __device__ void add(int *at, int value)
{
    atomicAdd(at, value); /* never called */
}

/* Every line and both ways of each branch. */
__global__ void everything(int n, const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int other = __shfl_xor_sync(~0u, i, 1);

    if (i < n)
        atomicAdd(&y[i], max(x[i], other));
}

/* A branch goes one way only, and a line, a call and a function are never reached. */
__global__ void part(int n, const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&y[i], x[i]);
    __syncthreads();
    if (n > 1000000)      /* never true */
        add(&y[0], x[0]); /* never reached */
}

/* Every line is reached, and a branch goes one way only. */
__global__ void one_way(int n, const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&y[i], x[i]);
    __syncthreads();
    if (n < 1000000) /* always true */
        atomicAdd(&y[0], 1);
}
