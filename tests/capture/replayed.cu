/* SPDX-License-Identifier: MIT
 *
 * Kernels of the captures that test_replay.c writes. test_replay.c names lines of this file.
 */
#include <simtcheck/dialect.h>

#ifndef SHIFT
#define SHIFT 0.0f
#endif

struct ends {
    const float *from;
    float *to;
};

__device__ float offset = 1.0f;

extern "C" __global__ void scale(float *x, float factor, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        x[i] = factor * x[i] + SHIFT;
}

extern "C" __global__ void race(int *out)
{
    if (threadIdx.x == 0)
        out[0] = (int)blockIdx.x;
}

extern "C" __global__ void past_end(const int *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x + 1];
}

extern "C" __global__ void unwritten(int *out)
{
    __shared__ int values[32];
    if (threadIdx.x > 0)
        values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

/* The last element of `sums` counts the threads. */
extern "C" __global__ void add_all(float *sums, const float *x)
{
    atomicAdd(&sums[0], x[blockIdx.x * blockDim.x + threadIdx.x]);
    atomicAdd((int *)&sums[1], 1);
}

extern "C" __global__ void copy_ends(struct ends ends, int n)
{
    if ((int)threadIdx.x < n)
        ends.to[threadIdx.x] = ends.from[threadIdx.x];
}

extern "C" __global__ void sum_rows(const float *const *rows, float *out)
{
    out[threadIdx.x] = rows[0][threadIdx.x] + rows[1][threadIdx.x];
}

/* `from` may be the address of `offset`. */
extern "C" __global__ void add_offset(float *x, const float *from)
{
    x[threadIdx.x] += offset + *from;
}

extern "C" __global__ void idle(int *)
{
}

extern "C" __global__ void exponents(float *x)
{
    asm("ex2.approx.f32 %0, %0;" : "+f"(x[threadIdx.x]));
}

/* replayed_shift.cu defines both. */
extern __device__ int calls;
extern __device__ float shifted(float x);

extern "C" __global__ void add_shift(float *x)
{
    x[threadIdx.x] = shifted(x[threadIdx.x]);
    atomicAdd(&calls, 1);
}

/* The times of all threads, and then their numbers. */
extern "C" __global__ void times(long long *out)
{
    long long start = clock64();
    int n = (int)blockDim.x, t = (int)threadIdx.x;
    __syncthreads();
    out[t] = clock64() - start;
    out[n + t] = t;
}

/* The order of the threads is that of their values. */
extern "C" __global__ void tickets(int *out, int *count)
{
    out[atomicAdd(count, 1)] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void busy(int *out, int rounds)
{
    for (int k = 0; k < rounds; k++)
        atomicAdd(out, 1);
}

extern "C" __global__ void shift_one(float *x)
{
    *x = shifted(*x);
}
