// SPDX-License-Identifier: MIT
//
// What kernels of copies.cu and tma.cu compute, without asynchronous copies.
#include <cuda.h>

__global__ void doubled(const float *x, float *y)
{
    int k = blockIdx.x * 256 + threadIdx.x;
    y[k] = 2 * x[k];
}

__global__ void reduced(int *sums, unsigned *mask)
{
    atomicAdd(&sums[threadIdx.x], threadIdx.x);
    atomicXor(&mask[threadIdx.x], 1u << threadIdx.x % 32);
}
