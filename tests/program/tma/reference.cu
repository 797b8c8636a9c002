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

// OldMap has the alignment of CUDA 12.
struct alignas(64) OldMap {
    unsigned long long opaque[16];
};

template <typename Map>
struct Maps {
    int i;
    Map first;
    const float *a;
    int j;
    Map second;
    const float *b;
};

// The arrays have 20 columns, the box 16.
__device__ float element(const float *x, int i, int j, int k)
{
    return x[(j + k / 16) * 20 + i + k % 16];
}

template <typename Map>
__global__ void boxOf(Maps<Map> maps, float *y)
{
    for (int k = 0; k < 64; k++)
        y[64 * blockIdx.x + k] = element(blockIdx.x == 0 ? maps.a : maps.b, maps.i, maps.j, k);
}

template <typename Map>
__global__ void boxesOf(const Maps<Map> *maps, float *y)
{
    for (int k = 0; k < 64; k++)
        y[64 * blockIdx.x + k] = element(maps[blockIdx.x].b, maps->i, maps->j, k);
}
