/* SPDX-License-Identifier: MIT
 *
 * Sums in place with fold 8, whose last 64 elements one warp adds up with its steps written out.
 * Domain of the printed forms: n a multiple of 8*B, and B a power of two from 64 on, for the tail
 * adds element 32 whether the block has it or not.
 */
#include "dialect.h"

/* The fold of the printed forms: a thread folds if its last element is inside the data. */
template <typename Type>
__device__ void fold8(Type *in, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;

    if (i + 7 * blockDim.x < n) {
        Type a0 = in[i];
        Type a1 = in[i + blockDim.x];
        Type a2 = in[i + 2 * blockDim.x];
        Type a3 = in[i + 3 * blockDim.x];
        Type a4 = in[i + 4 * blockDim.x];
        Type a5 = in[i + 5 * blockDim.x];
        Type a6 = in[i + 6 * blockDim.x];
        Type a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
}

/* The tail through a volatile pointer, with nothing between its steps. It relies on the lanes of a
 * warp keeping step; with independent threads lane 0 may read element 16 before or after lane 16
 * has added to it. */
template <typename Type>
__device__ void volatileTail(Type *segment, unsigned int tid)
{
    if (tid < 32) {
        volatile Type *v = segment;
        v[tid] = v[tid] + v[tid + 32];
        v[tid] = v[tid] + v[tid + 16];
        v[tid] = v[tid] + v[tid + 8];
        v[tid] = v[tid] + v[tid + 4];
        v[tid] = v[tid] + v[tid + 2];
        v[tid] = v[tid] + v[tid + 1];
    }
}

/* The steps above the tail, written out; a barrier follows each, whatever B is. */
template <typename Type>
__device__ void steps(Type *segment, unsigned int tid, unsigned int block)
{
    if (block >= 1024 && tid < 512)
        segment[tid] += segment[tid + 512];
    __syncthreads();
    if (block >= 512 && tid < 256)
        segment[tid] += segment[tid + 256];
    __syncthreads();
    if (block >= 256 && tid < 128)
        segment[tid] += segment[tid + 128];
    __syncthreads();
    if (block >= 128 && tid < 64)
        segment[tid] += segment[tid + 64];
    __syncthreads();
}

/* Interleaved pairs down to 64 elements, then the tail. */
__global__ void reduceUnrollWarps8(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    volatileTail(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* No loop at all: each step tests the block size. */
template <typename Type>
__global__ void reduceCompleteUnrollWarps8(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    steps(segment, tid, blockDim.x);
    volatileTail(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* Barriers instead of volatile, the answer to an exercise. It is not safe either: all 32 lanes take
 * part in every step, so while lane 0 reads element 16, lane 16 adds to it. */
__global__ void reduceCompleteUnrollWarps8Sync(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    steps(segment, tid, blockDim.x);
    for (unsigned int stride = 32; stride > 0; stride >>= 1) {
        if (tid < 32)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The block size as a template parameter: the tests go at compile time. The host picks the instance
 * by a switch over 1024 to 64, and launches nothing for any other block. */
template <unsigned int B>
__global__ void reduceCompleteUnroll(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    steps(segment, tid, B);
    volatileTail(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* ---- The same for every n and B ---- */

/* Folds what is there and returns how many elements the block then has. */
template <typename Type>
__device__ unsigned int fold8Total(Type *segment, unsigned int tid, unsigned int n)
{
    unsigned int first = blockIdx.x * blockDim.x * 8;
    unsigned int present = first < n ? n - first : 0;

    if (tid < present) {
        Type sum = segment[tid];
        for (unsigned int k = 1; k < 8 && tid + k * blockDim.x < present; k++)
            sum += segment[tid + k * blockDim.x];
        segment[tid] = sum;
    }
    __syncthreads();
    return present < blockDim.x ? present : blockDim.x;
}

/* One step: no thread reads what another writes before the barrier. */
template <typename Type>
__device__ void addPairs(Type *segment, unsigned int tid, unsigned int stride, unsigned int present)
{
    if (tid < stride && tid + stride < present)
        segment[tid] += segment[tid + stride];
    __syncthreads();
}

/* The tail with a barrier after each step, and half of the lanes in the next. */
template <typename Type>
__device__ void barrierTail(Type *segment, unsigned int tid, unsigned int present)
{
    addPairs(segment, tid, 32, present);
    addPairs(segment, tid, 16, present);
    addPairs(segment, tid, 8, present);
    addPairs(segment, tid, 4, present);
    addPairs(segment, tid, 2, present);
    addPairs(segment, tid, 1, present);
}

__global__ void reduceUnrollWarps8Total(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = fold8Total(segment, tid, n);
    unsigned int cover = 64;

    while (cover < blockDim.x)
        cover *= 2;
    for (unsigned int stride = cover / 2; stride > 32; stride >>= 1)
        addPairs(segment, tid, stride, present);
    barrierTail(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

template <typename Type>
__global__ void reduceCompleteUnrollWarps8Total(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = fold8Total(segment, tid, n);

    addPairs(segment, tid, 512, present);
    addPairs(segment, tid, 256, present);
    addPairs(segment, tid, 128, present);
    addPairs(segment, tid, 64, present);
    barrierTail(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : Type(0);
}

/* COVER is the power of two from 64 on that covers the block. */
template <unsigned int COVER>
__global__ void reduceCompleteUnrollTotal(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = fold8Total(segment, tid, n);

    if (COVER >= 1024)
        addPairs(segment, tid, 512, present);
    if (COVER >= 512)
        addPairs(segment, tid, 256, present);
    if (COVER >= 256)
        addPairs(segment, tid, 128, present);
    if (COVER >= 128)
        addPairs(segment, tid, 64, present);
    barrierTail(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

EXPORT_KERNEL(reduceUnrollWarps8);
EXPORT_KERNEL(reduceUnrollWarps8Total);
EXPORT_KERNEL_AS(reduceCompleteUnrollWarps8, reduceCompleteUnrollWarps8<int>);
EXPORT_KERNEL_AS(reduceCompleteUnrollWarps8Total, reduceCompleteUnrollWarps8Total<int>);
EXPORT_KERNEL_AS(reduceCompleteUnrollWarps8Float, reduceCompleteUnrollWarps8<float>);
EXPORT_KERNEL_AS(reduceCompleteUnrollWarps8FloatTotal, reduceCompleteUnrollWarps8Total<float>);
EXPORT_KERNEL(reduceCompleteUnrollWarps8Sync);
EXPORT_KERNEL_AS(reduceCompleteUnroll64, reduceCompleteUnroll<64>);
EXPORT_KERNEL_AS(reduceCompleteUnroll128, reduceCompleteUnroll<128>);
EXPORT_KERNEL_AS(reduceCompleteUnroll256, reduceCompleteUnroll<256>);
EXPORT_KERNEL_AS(reduceCompleteUnroll512, reduceCompleteUnroll<512>);
EXPORT_KERNEL_AS(reduceCompleteUnroll1024, reduceCompleteUnroll<1024>);
EXPORT_KERNEL_AS(reduceCompleteUnrollTotal64, reduceCompleteUnrollTotal<64>);
EXPORT_KERNEL_AS(reduceCompleteUnrollTotal128, reduceCompleteUnrollTotal<128>);
EXPORT_KERNEL_AS(reduceCompleteUnrollTotal256, reduceCompleteUnrollTotal<256>);
EXPORT_KERNEL_AS(reduceCompleteUnrollTotal512, reduceCompleteUnrollTotal<512>);
EXPORT_KERNEL_AS(reduceCompleteUnrollTotal1024, reduceCompleteUnrollTotal<1024>);
