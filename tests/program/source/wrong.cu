/* SPDX-License-Identifier: MIT
 *
 * Kernels of which each is wrong in one way, as test_source_route.c says; where reports have to
 * name a line, it says which one it is.
 */
#include "cuda_runtime.h"
#include <cstdio>

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter;
__device__ int before[4] = {1}, behind[4], (*of_a_function)(int);

__global__ void past_the_end(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        y[i] = x[i]; /* line 18 */
}

__device__ int exchanged(int value)
{
    __shared__ int box[64];

    box[threadIdx.x] = value;
    return box[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32]; /* line 26 */
}

__global__ void race_in_a_function(int *out)
{
    out[threadIdx.x] = exchanged(threadIdx.x);
}

template <typename T>
__global__ void race_in_a_template(T *out)
{
    extern __shared__ T all[];

    all[0] = threadIdx.x; /* line 39 */
    __syncthreads();
    out[threadIdx.x] = all[0];
}

__global__ void race_for_a_variable(int *out)
{
    counter = counter + 1; /* line 46 */
    out[threadIdx.x] = 1;
}

__global__ void race_between_blocks(int *out)
{
    if (blockIdx.x == 0)
        counter = 1;                          /* line 53 */
    out[blockIdx.x] = atomicAdd(&counter, 0); /* line 54 */
}

__global__ void past_a_constant(float *out)
{
    out[threadIdx.x] = table[threadIdx.x + 1]; /* line 59 */
}

__global__ void writes_a_constant(float *out)
{
    const_cast<float *>(table)[threadIdx.x] = 1; /* line 64 */
    out[threadIdx.x] = 1;
}

__global__ void past_a_variable(int *out)
{
    before[threadIdx.x + 8] = 1; /* line 70 */
    out[threadIdx.x] = behind[0];
}

__global__ void unwritten_shared(int *out)
{
    __shared__ int s[64];

    if (threadIdx.x > 0)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2]; /* line 81 */
}

__global__ void past_dynamic(int *out)
{
    extern __shared__ int s[];

    s[threadIdx.x] = 1; /* line 88 */
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void divergent(int *out)
{
    if (threadIdx.x % 2 == 0)
        __syncthreads(); /* line 95 */
    out[threadIdx.x] = 1;
}

__global__ void asserts(int *out)
{
    assert(threadIdx.x < 7); /* line 101 */
    out[threadIdx.x] = 1;
}

__global__ void traps(int *out)
{
    if (threadIdx.x == 5)
        __trap(); /* line 108 */
    out[threadIdx.x] = 1;
}

__global__ void prints(int *out)
{
    printf("%d\n", 1); /* line 114 */
    out[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(2 * 32, 1) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void order_dependent(int *out)
{
    out[atomicAdd(&counter, 1) % blockDim.x] = threadIdx.x;
}

__global__ void unwritten_output(int *out, int n)
{
    if (threadIdx.x + 1 < n)
        out[threadIdx.x] = 1;
}

__global__ void past_an_atomic(int *out)
{
    atomicMax(&out[threadIdx.x + 1], 3); /* line 136 */
}

/* Lanes 20 to 31 are not there. */
__global__ void sum_of_some_lanes(const int *in, int *out)
{
    int sum = in[threadIdx.x];

    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, lanes);
    if (threadIdx.x == 0)
        out[0] = sum;
}

__global__ void vote_of_some_lanes(const int *in, int *out)
{
    int value = in[threadIdx.x];

    if (value > 4)
        value = __popc(__ballot_sync(0xffffffff, value & 1)); /* line 155 */
    out[threadIdx.x] = value;
}

__global__ void two_reductions(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __reduce_add_sync(0xffffffff, threadIdx.x); /* line 162 */
    else
        out[threadIdx.x] = __reduce_max_sync(0xffffffff, threadIdx.x);
}

__global__ void between_words(const unsigned char *in, int *out, int at)
{
    out[0] = *(const int *)(in + at); /* line 169 */
}

__global__ void into_a_wide_word(float *out, int at)
{
    *(volatile double *)(out + at) = 1.0; /* line 174 */
}

__global__ void counts_or_asks(int *out)
{
    if (threadIdx.x < 32)
        out[threadIdx.x] = __syncthreads_count(1); /* line 180 */
    else
        out[threadIdx.x] = __syncthreads_or(1);
}

__global__ void counts_some(int *out)
{
    int count = 0;

    if (threadIdx.x < 40)
        count = __syncthreads_count(1); /* line 190 */
    out[threadIdx.x] = count;
}

__global__ void counts_who_is_left(int *out, int n)
{
    if (threadIdx.x >= n)
        return;
    out[threadIdx.x] = __syncthreads_count(1);
}

void launches_them(int *out)
{
    divergent<<<1, 32>>>(out);
}

void no_kernel(int *out)
{
    out[0] = 1;
}
