// SPDX-License-Identifier: MIT
//
// Kernels for test_simtcheck.py.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define TILE 4

__global__ void scale(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}

__global__ void race(int *y)
{
    __shared__ int t[64];
    t[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = t[63 - threadIdx.x];
}

__global__ void types(const int8_t *a, uint8_t *a1, const uint16_t *b, int16_t *b1, const uint32_t *c, int32_t *c1,
                      const int64_t *d, uint64_t *d1, const double *e, double *e1, const half *f, half *f1, bool *g1,
                      int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    a1[i] = a[i] + 1;
    b1[i] = b[i] + 1;
    c1[i] = c[i] + 1;
    d1[i] = d[i] + 1;
    e1[i] = -e[i];
    f1[i] = __float2half(__half2float(f[i]) > 0 ? 1.0f : 0.0f);
    g1[i] = a[i] > 0;
}

__global__ void directions(const int *x, int *y, int *z, int *t, int *o, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    t[i] = x[i] * 2;
    o[i] = t[i];
    y[i] += x[i];
    z[i] += 1;
}

__global__ void turn(const int *x, int *y, int nx, int ny)
{
    for (int i = threadIdx.x; i < nx * ny; i += blockDim.x)
        y[i % nx * ny + i / nx] = x[i];
}

__global__ void vectors(const float4 *x, float2 *y, const int *tile, int *first, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = make_float2(x[i].x, x[i].w);
    if (i < TILE)
        first[i] = tile[i];
}

__global__ void rows(const float *const *rows, float *last, int m, int n)
{
    if (threadIdx.x < m)
        last[threadIdx.x] = rows[threadIdx.x][n - 1];
}

__global__ void odd(const int *x, int *list, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 2 != 0)
        list[atomicAdd(count, 1)] = i;
}

__global__ void brain(const __nv_bfloat16 *x, float *y)
{
    y[0] = __bfloat162float(x[0]);
}
