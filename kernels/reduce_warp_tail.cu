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

/* ---- Tails of the printed forms: all 32 lanes take part in each step ---- */

/* Through a volatile pointer, with nothing between the steps. It relies on the lanes of a warp
 * keeping step; with independent threads lane 0 may read element 16 before or after lane 16 has
 * added to it. */
struct volatileTail {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid)
    {
        volatile Type *v = segment;
        v[tid] = v[tid] + v[tid + 32];
        v[tid] = v[tid] + v[tid + 16];
        v[tid] = v[tid] + v[tid + 8];
        v[tid] = v[tid] + v[tid + 4];
        v[tid] = v[tid] + v[tid + 2];
        v[tid] = v[tid] + v[tid + 1];
    }
};

/* The same without volatile: in lockstep too a compiler may keep the sums in registers, and nvcc
 * keeps all but the last. */
struct plainTail {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid)
    {
        segment[tid] = segment[tid] + segment[tid + 32];
        segment[tid] = segment[tid] + segment[tid + 16];
        segment[tid] = segment[tid] + segment[tid + 8];
        segment[tid] = segment[tid] + segment[tid + 4];
        segment[tid] = segment[tid] + segment[tid + 2];
        segment[tid] = segment[tid] + segment[tid + 1];
    }
};

/* Each step reads, and writes when all lanes have read; the next reads when all have written. */
struct syncwarpTail {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid)
    {
        for (unsigned int stride = 32; stride > 0; stride >>= 1) {
            Type sum = segment[tid] + segment[tid + stride];
            __syncwarp();
            segment[tid] = sum;
            __syncwarp();
        }
    }
};

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
template <typename Tail>
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
    if (tid < 32)
        Tail::add(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* No loop at all: each step tests the block size. */
template <typename Type, typename Tail>
__global__ void reduceCompleteUnrollWarps8(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    steps(segment, tid, blockDim.x);
    if (tid < 32)
        Tail::add(segment, tid);
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
template <unsigned int B, typename Tail>
__global__ void reduceCompleteUnroll(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    fold8(in, n);
    __syncthreads();
    steps(segment, tid, B);
    if (tid < 32)
        Tail::add(segment, tid);
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
struct barrierTailTotal {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid, unsigned int present)
    {
        addPairs(segment, tid, 32, present);
        addPairs(segment, tid, 16, present);
        addPairs(segment, tid, 8, present);
        addPairs(segment, tid, 4, present);
        addPairs(segment, tid, 2, present);
        addPairs(segment, tid, 1, present);
    }
};

/* The tail by one warp, whose lanes all come to each __syncwarp(). */
struct syncwarpTailTotal {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid, unsigned int present)
    {
        if (tid >= 32)
            return;
        for (unsigned int stride = 32; stride > 0; stride >>= 1) {
            bool adds = tid < stride && tid + stride < present;
            Type sum = adds ? segment[tid] + segment[tid + stride] : Type(0);
            __syncwarp();
            if (adds)
                segment[tid] = sum;
            __syncwarp();
        }
    }
};

template <typename Tail>
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
    Tail::add(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

template <typename Type, typename Tail>
__global__ void reduceCompleteUnrollWarps8Total(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = fold8Total(segment, tid, n);

    addPairs(segment, tid, 512, present);
    addPairs(segment, tid, 256, present);
    addPairs(segment, tid, 128, present);
    addPairs(segment, tid, 64, present);
    Tail::add(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : Type(0);
}

/* COVER is the power of two from 64 on that covers the block. */
template <unsigned int COVER, typename Tail>
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
    Tail::add(segment, tid, present);
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

EXPORT_KERNEL_AS(reduceUnrollWarps8, reduceUnrollWarps8<volatileTail>);
EXPORT_KERNEL_AS(reduceUnrollWarps8Plain, reduceUnrollWarps8<plainTail>);
EXPORT_KERNEL_AS(reduceUnrollWarps8Syncwarp, reduceUnrollWarps8<syncwarpTail>);
EXPORT_KERNEL_AS(reduceUnrollWarps8Total, reduceUnrollWarps8Total<barrierTailTotal>);
EXPORT_KERNEL_AS(reduceUnrollWarps8SyncwarpTotal, reduceUnrollWarps8Total<syncwarpTailTotal>);

#define EXPORT_WARPS8(name, type)                                                                  \
    EXPORT_KERNEL_AS(name, reduceCompleteUnrollWarps8<type, volatileTail>);                        \
    EXPORT_KERNEL_AS(name##Plain, reduceCompleteUnrollWarps8<type, plainTail>);                    \
    EXPORT_KERNEL_AS(name##Syncwarp, reduceCompleteUnrollWarps8<type, syncwarpTail>);              \
    EXPORT_KERNEL_AS(name##Total, reduceCompleteUnrollWarps8Total<type, barrierTailTotal>);        \
    EXPORT_KERNEL_AS(name##SyncwarpTotal, reduceCompleteUnrollWarps8Total<type, syncwarpTailTotal>)

EXPORT_WARPS8(reduceCompleteUnrollWarps8, int);
EXPORT_WARPS8(reduceCompleteUnrollWarps8Float, float);
EXPORT_KERNEL(reduceCompleteUnrollWarps8Sync);

#define EXPORT_COMPLETE(block)                                                                     \
    EXPORT_KERNEL_AS(reduceCompleteUnroll##block, reduceCompleteUnroll<block, volatileTail>);      \
    EXPORT_KERNEL_AS(reduceCompleteUnrollPlain##block, reduceCompleteUnroll<block, plainTail>);    \
    EXPORT_KERNEL_AS(reduceCompleteUnrollSyncwarp##block,                                          \
                     reduceCompleteUnroll<block, syncwarpTail>);                                   \
    EXPORT_KERNEL_AS(reduceCompleteUnrollTotal##block,                                             \
                     reduceCompleteUnrollTotal<block, barrierTailTotal>);                          \
    EXPORT_KERNEL_AS(reduceCompleteUnrollSyncwarpTotal##block,                                     \
                     reduceCompleteUnrollTotal<block, syncwarpTailTotal>)

EXPORT_COMPLETE(64);
EXPORT_COMPLETE(128);
EXPORT_COMPLETE(256);
EXPORT_COMPLETE(512);
EXPORT_COMPLETE(1024);
