// SPDX-License-Identifier: MIT
//
// What kernels of matrix.cu compute, without matrix instructions.
#include <cuda_fp16.h>

static __device__ void multiply(const __half *a, const __half *b, float *c, int n)
{
    for (int e = threadIdx.x; e < 128; e += 32) {
        int i = blockIdx.y * 16 + e / 8, j = blockIdx.x * 8 + e % 8;
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += __half2float(a[i * n + k]) * __half2float(b[k * n + j]);
        c[i * n + j] = sum;
    }
}

__global__ void right(const __half *a, const __half *b, float *c, int n)
{
    multiply(a, b, c, n);
}

__global__ void wrongRow(const __half *a, const __half *b, float *c, int n)
{
    multiply(a, b, c, n);
}

__global__ void notTransposed(const __half *a, const __half *b, float *c, int n)
{
    multiply(a, b, c, n);
}

__global__ void leavesUnwritten(float *out)
{
    out[threadIdx.x] = threadIdx.x / 4 == 3 ? 0 : 8;
}

__global__ void storesTransposed(unsigned *out)
{
    out[threadIdx.x] = 0;
}

// What kernels of group.cu compute.
static __device__ void multiplyGroup(const __half *a, const __half *b, float *c, int n)
{
    int columns = blockDim.x / 8;
    for (int e = threadIdx.x; e < 64 * columns; e += blockDim.x) {
        int i = blockIdx.y * 64 + e / columns, j = blockIdx.x * columns + e % columns;
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += __half2float(a[i * n + k]) * __half2float(b[k * n + j]);
        c[i * n + j] = sum;
    }
}

__global__ void groupRight(const __half *a, const __half *b, float *c, int n)
{
    multiplyGroup(a, b, c, n);
}

__global__ void wrongSwizzle(const __half *a, const __half *b, float *c, int n)
{
    multiplyGroup(a, b, c, n);
}

__global__ void wrongStride(const __half *a, const __half *b, float *c, int n)
{
    multiplyGroup(a, b, c, n);
}
