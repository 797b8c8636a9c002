/* SPDX-License-Identifier: MIT
 *
 * Kernels with one mistake each. test_messages.c compares the reports, so lines matter.
 */
#include <stdio.h>
#include <string.h>

__global__ void writesFloats(float *out)
{
    out[0] = 1.5f * threadIdx.x + 0.25f; /* line 10 */
}

__global__ void writesBytes(unsigned char *out)
{
    out[0] = 7; /* line 15 */
}

__global__ void addsFloats(const float *x, float *sum, int n)
{
    int i = threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i]); /* line 22 */
}

__global__ void fillsBytes(unsigned char *out)
{
    out[0] = (unsigned char)(200 + threadIdx.x); /* line 27 */
}

__device__ double look(int i)
{
    static const double table[3] = {1, 2, 3};
    return table[i]; /* line 33 */
}

__global__ void readsTable(double *out)
{
    out[threadIdx.x] = look((int)threadIdx.x);
}

namespace tools
{
static __device__ int total;

template <int A, int B>
__global__ void setsTotal(int *out)
{
    total = (int)threadIdx.x + A; /* line 48 */
    __syncthreads();
    out[threadIdx.x] = B + total;
}
} // namespace tools

__device__ __noinline__ float choose(int kind, float value)
{
    float chosen;
    switch (kind) {
    case 1:
        chosen = value * 2;
        break;
    case 200:
        chosen = sinf(value);
        break;
    case 70000:
        chosen = expf(value);
        break;
    }
    return chosen; /* line 68 */
}

__global__ void choosesNothing(const int *kind, float *out)
{
    out[threadIdx.x] = choose(kind[threadIdx.x], 1.5f * kind[0]); /* line 73 */
}

__global__ void readsNothing(const int *scratch, int *out)
{
    out[threadIdx.x] = scratch[threadIdx.x]; /* line 78 */
}

__global__ void copiesTooMuch(char *out, const char *in, int n)
{
    memcpy(out, in, n + 1); /* line 83 */
}

typedef int (*function)(int);
__device__ int increase(int i)
{
    return i + 1;
}
__device__ function functions[2] = {increase};

__global__ void callsNothing(int *out)
{
    out[threadIdx.x] = functions[threadIdx.x](1); /* line 95 */
}

__global__ void lacksTheBarrier(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;                     /* line 101 */
    out[threadIdx.x] = s[threadIdx.x ^ 31]; /* line 102 */
}

__global__ void skipsTheBarrier(int *out)
{
    if (threadIdx.x < 16)
        __syncthreads();  /* line 108 */
    out[threadIdx.x] = 1; /* line 109 */
}

__global__ void warpsAtTwoBarriers(int *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 3;
        __syncthreads(); /* line 116 */
    } else {
        out[threadIdx.x] = 4;
        __syncthreads(); /* line 119 */
    }
}

__global__ void fillsList(int *list, int *count)
{
    list[atomicAdd(count, 1)] = (int)threadIdx.x; /* line 125 */
}

__global__ void prints(int *out)
{
    out[threadIdx.x] = 1;
    printf("thread %d\n", (int)threadIdx.x); /* line 131 */
}

__global__ void shiftsLeft(int *x, int n)
{
    int i = (int)threadIdx.x;
    if (i + 1 < n && n > 4)
        x[i] = x[i + 1]; /* line 138 */
}

__global__ void writesPastTheEnd(float *x)
{
    x[threadIdx.x] = 1; /* line 143 */
}

#ifdef UNSUPPORTED
__global__ void fencesTensors(float *out)
{
    asm volatile("tcgen05.fence::before_thread_sync;"); /* line 149 */
    out[0] = 1;
}
#endif

#ifdef UNDEFINED
__device__ int elsewhere(int i);

__global__ void callsElsewhere(int *out)
{
    out[threadIdx.x] = elsewhere(1); /* line 159 */
}
#endif

#ifdef WRONG
#include "wrong.cuh"
#endif

__global__ void racesInATile(int *out)
{
    __shared__ int tile[4][33];
    tile[2][threadIdx.x % 16] = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[2][threadIdx.x % 16];
}

/* Flags between two blocks. The reader lacks an acquire, both lack a fence, the writer lacks a
 * release, and the release reaches its own block only. */
__global__ void forgetsTheAcquire(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42; /* line 180 */
        __threadfence();
        atomicExch(flag, 1); /* line 182 */
    } else {
        while (atomicAdd(flag, 0) == 0) /* line 184 */
            ;
        out[0] = data[0]; /* line 186 */
    }
}

__global__ void forgetsBothFences(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag[0] = 1; /* line 194 */
    } else {
        while (flag[0] == 0) /* line 196 */
            ;
        out[0] = data[0];
    }
}

__global__ void forgetsTheRelease(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag[0] = 1; /* line 206 */
    } else {
        while (flag[0] == 0) /* line 208 */
            ;
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void releasesToItsBlock(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        flag[0] = 1; /* line 220 */
    } else {
        while (flag[0] == 0) /* line 222 */
            ;
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void fencesForItsBlock(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        flag[0] = 1; /* line 234 */
    } else {
        while (flag[0] == 0) /* line 236 */
            ;
        __threadfence_block();
        out[0] = data[0];
    }
}

/* Between two warps of a block: thread 0 reads the flag for all others of its warp. */
__global__ void flagsAmongWarps(int *data, int *out)
{
    __shared__ volatile int flag;

    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        data[0] = 42;
        flag = 1; /* line 253 */
    } else if (threadIdx.x == 0) {
        while (flag == 0) /* line 255 */
            ;
        out[0] = data[0];
    }
}

/* A counter that orders nothing, but was not meant to. */
__global__ void countsBeside(int *data, int *count)
{
    data[0] = (int)blockIdx.x; /* line 264 */
    atomicAdd(count, 1);
    data[1] = (int)blockIdx.x;
}

/* The last block adds what all have written. */
__global__ void addsLast(int *table, int *count, int *out)
{
    __shared__ bool is_last;

    table[blockIdx.x * 32 + threadIdx.x] = 1; /* line 274 */
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(count, 1) == 1; /* line 278 */
    __syncthreads();
    if (is_last)
        out[threadIdx.x] = table[threadIdx.x] + table[32 + threadIdx.x];
}

/* A barrier of more blocks than fit. */
__global__ void waitsForAll(int *count)
{
    if (threadIdx.x > 0)
        return;
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < (int)gridDim.x) /* line 290 */
        ;
}

/* The copy is wrong, and not the wait at which it is made. */
__global__ void copiesPastTheEnd(const int *x, int *out)
{
    __shared__ int s[32];
    unsigned int to = (unsigned int)__cvta_generic_to_shared(s + threadIdx.x);
    x += threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x)); /* line 300 */
    asm volatile("cp.async.wait_all;");
    out[threadIdx.x] = s[threadIdx.x];
}

/* The step limit is exceeded in the loop, and not at the line before it. */
__global__ void loopsForLong(int *x, int n)
{
    if (n > 3)
        x[1] = 2; /* line 309 */
    int sum = 0;
    for (int i = 0; i < 100000000; i++)
        sum = (sum * 3 + i) ^ x[sum & 1]; /* line 312 */
    x[0] = sum;
}
