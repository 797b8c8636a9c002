/* SPDX-License-Identifier: MIT
 *
 * Sums of int32 in place, several elements a thread: block b owns the segment of U*B elements at
 * in + b*B*U, and each thread first adds up its U elements, which lie B apart.
 */
#include "dialect.h"

/* Sum of U, barrier, then interleaved pairs. A thread adds only if its last element is inside the
 * data; in a tail block the others keep their first element and lose the rest, and the launch has
 * ceil(n/B) / U blocks by integer division: n must be a multiple of U*B, and B a power of two. With
 * U = 2 there is nothing in between to lose, and ceil(n/B) need only be even. */
template <unsigned int U>
__global__ void reduceUnrolling(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * U + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * U;

    if (i + (U - 1) * blockDim.x < n) {
        int sum = 0;
        for (unsigned int k = 0; k < U; k++) /* unrolled: U is a constant */
            sum += in[i + k * blockDim.x];
        in[i] = sum;
    }
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* A thread's own sum as a loop over a pointer, in a local variable. */
__global__ void reduceUnrolling8Loop(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        const int *element = in + i;
        int sum = 0;
        for (int k = 0; k < 8; k++, element += blockDim.x)
            sum += *element;
        in[i] = sum;
    }
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* Document 003: every thread adds up, whatever n is, and no barrier follows. The first step of the
 * tree reads what another thread adds up: right only while both are lanes of one lockstep warp, so
 * B must be at most 32. With independent threads it is a race at every B above 1. */
template <unsigned int U>
__global__ void reduceInterleavedFolded(int *in, int *out)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * U;
    int sum = 0;

    for (unsigned int k = 0; k < U; k++)
        sum += segment[tid + k * blockDim.x];
    segment[tid] = sum;
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* All of the above for every n and B: each element is tested against n, a barrier follows a
 * thread's own sum, and the strides are those of the power of two that covers the block. */
template <unsigned int U>
__global__ void reduceUnrollingTotal(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x * U;
    int *segment = in + first;
    unsigned int present = first < n ? n - first : 0; /* elements from here to the end */
    unsigned int cover = 1;

    if (tid < present) {
        int sum = 0;
        for (unsigned int k = 0; k < U && tid + k * blockDim.x < present; k++)
            sum += segment[tid + k * blockDim.x];
        segment[tid] = sum;
    }
    __syncthreads();
    while (cover < blockDim.x)
        cover *= 2;
    for (unsigned int stride = cover / 2; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < blockDim.x && tid + stride < present)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

EXPORT_KERNEL_AS(reduceUnrolling2, reduceUnrolling<2>);
EXPORT_KERNEL_AS(reduceUnrolling4, reduceUnrolling<4>);
EXPORT_KERNEL_AS(reduceUnrolling8, reduceUnrolling<8>);
EXPORT_KERNEL_AS(reduceUnrolling16, reduceUnrolling<16>);
EXPORT_KERNEL(reduceUnrolling8Loop);
EXPORT_KERNEL_AS(reduceInterleaved2, reduceInterleavedFolded<2>);
EXPORT_KERNEL_AS(reduceInterleaved4, reduceInterleavedFolded<4>);
EXPORT_KERNEL_AS(reduceInterleaved8, reduceInterleavedFolded<8>);
EXPORT_KERNEL_AS(reduceUnrolling2Total, reduceUnrollingTotal<2>);
EXPORT_KERNEL_AS(reduceUnrolling4Total, reduceUnrollingTotal<4>);
EXPORT_KERNEL_AS(reduceUnrolling8Total, reduceUnrollingTotal<8>);
EXPORT_KERNEL_AS(reduceUnrolling16Total, reduceUnrollingTotal<16>);
