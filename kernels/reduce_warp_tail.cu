/* SPDX-License-Identifier: MIT
 *
 * Sums in place, 8 elements for each thread. One warp adds the last 64 elements in unrolled steps.
 * Domain of the original variants: n a multiple of 8*B, and B a power of two from 64 on, because
 * the tail adds element 32 even if the block does not have it.
 */
#include <simtcheck/dialect.h>

/* ---- As printed ---- */

/* The last 64 elements through a volatile pointer, without synchronization between the steps. The
 * code relies on a lockstep warp. With independent threads, lane 0 may read element 16 before or
 * after lane 16 adds to it.
 * Print, reduceUnrollWarps8: as printed. */
__global__ void reduceUnrollWarps8(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int a0 = in[i];
        int a1 = in[i + blockDim.x];
        int a2 = in[i + 2 * blockDim.x];
        int a3 = in[i + 3 * blockDim.x];
        int a4 = in[i + 4 * blockDim.x];
        int a5 = in[i + 5 * blockDim.x];
        int a6 = in[i + 6 * blockDim.x];
        int a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid < 32) {
        volatile int *v = segment;
        /* defect: volatile_tail */
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
        /* end of defect */
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* No loop: each step tests the block size, and a barrier follows each step for any B.
 * Print, reduceCompleteUnrollWarps8: as printed. */
__global__ void reduceCompleteUnrollWarps8(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int a0 = in[i];
        int a1 = in[i + blockDim.x];
        int a2 = in[i + 2 * blockDim.x];
        int a3 = in[i + 3 * blockDim.x];
        int a4 = in[i + 4 * blockDim.x];
        int a5 = in[i + 5 * blockDim.x];
        int a6 = in[i + 6 * blockDim.x];
        int a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
    __syncthreads();
    if (blockDim.x >= 1024 && tid < 512)
        segment[tid] += segment[tid + 512];
    __syncthreads();
    if (blockDim.x >= 512 && tid < 256)
        segment[tid] += segment[tid + 256];
    __syncthreads();
    if (blockDim.x >= 256 && tid < 128)
        segment[tid] += segment[tid + 128];
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64)
        segment[tid] += segment[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile int *v = segment;
        /* defect: volatile_tail */
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
        /* end of defect */
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The same for floats.
 * Reconstruction, reduceCompleteUnrollWarps8Float: an exercise asks for it. It is the kernel of ints,
 * with floats. */
__global__ void reduceCompleteUnrollWarps8Float(float *in, float *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    float *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        float a0 = in[i];
        float a1 = in[i + blockDim.x];
        float a2 = in[i + 2 * blockDim.x];
        float a3 = in[i + 3 * blockDim.x];
        float a4 = in[i + 4 * blockDim.x];
        float a5 = in[i + 5 * blockDim.x];
        float a6 = in[i + 6 * blockDim.x];
        float a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
    __syncthreads();
    if (blockDim.x >= 1024 && tid < 512)
        segment[tid] += segment[tid + 512];
    __syncthreads();
    if (blockDim.x >= 512 && tid < 256)
        segment[tid] += segment[tid + 256];
    __syncthreads();
    if (blockDim.x >= 256 && tid < 128)
        segment[tid] += segment[tid + 128];
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64)
        segment[tid] += segment[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile float *v = segment;
        /* defect: volatile_tail */
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
        /* end of defect */
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* Barriers instead of volatile, the answer to an exercise. It is also unsafe: all 32 lanes take
 * part in every step, so lane 16 adds to element 16 while lane 0 reads it.
 * Print, reduceCompleteUnrollWarps8Sync: as printed. */
__global__ void reduceCompleteUnrollWarps8Sync(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int a0 = in[i];
        int a1 = in[i + blockDim.x];
        int a2 = in[i + 2 * blockDim.x];
        int a3 = in[i + 3 * blockDim.x];
        int a4 = in[i + 4 * blockDim.x];
        int a5 = in[i + 5 * blockDim.x];
        int a6 = in[i + 6 * blockDim.x];
        int a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
    __syncthreads();
    if (blockDim.x >= 1024 && tid < 512)
        segment[tid] += segment[tid + 512];
    __syncthreads();
    if (blockDim.x >= 512 && tid < 256)
        segment[tid] += segment[tid + 256];
    __syncthreads();
    if (blockDim.x >= 256 && tid < 128)
        segment[tid] += segment[tid + 128];
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64)
        segment[tid] += segment[tid + 64];
    __syncthreads();
    /* defect: barrier_tail */
    if (tid < 32)
        segment[tid] += segment[tid + 32];
    __syncthreads();
    if (tid < 32)
        segment[tid] += segment[tid + 16];
    __syncthreads();
    if (tid < 32)
        segment[tid] += segment[tid + 8];
    __syncthreads();
    if (tid < 32)
        segment[tid] += segment[tid + 4];
    __syncthreads();
    if (tid < 32)
        segment[tid] += segment[tid + 2];
    __syncthreads();
    if (tid < 32)
        segment[tid] += segment[tid + 1];
    /* end of defect */
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The block size as a template parameter, so the compiler evaluates the tests. The host selects the
 * instance by a switch over 1024 to 64, and launches nothing for any other block.
 * Print, reduceCompleteUnroll: as printed. */
template <unsigned int B>
__global__ void reduceCompleteUnroll(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int a0 = in[i];
        int a1 = in[i + blockDim.x];
        int a2 = in[i + 2 * blockDim.x];
        int a3 = in[i + 3 * blockDim.x];
        int a4 = in[i + 4 * blockDim.x];
        int a5 = in[i + 5 * blockDim.x];
        int a6 = in[i + 6 * blockDim.x];
        int a7 = in[i + 7 * blockDim.x];
        in[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
    }
    __syncthreads();
    if (B >= 1024 && tid < 512)
        segment[tid] += segment[tid + 512];
    __syncthreads();
    if (B >= 512 && tid < 256)
        segment[tid] += segment[tid + 256];
    __syncthreads();
    if (B >= 256 && tid < 128)
        segment[tid] += segment[tid + 128];
    __syncthreads();
    if (B >= 128 && tid < 64)
        segment[tid] += segment[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile int *v = segment;
        /* defect: volatile_tail */
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
        /* end of defect */
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* ---- The same with other tails ---- */

/* A thread adds its 8 elements if the last of them is inside the data. */
template <typename Type>
__device__ void addEight(Type *in, unsigned int n)
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

/* The unrolled steps before the tail. A barrier follows each step for any B. */
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

/* Without volatile. In lockstep, too, a compiler may keep the sums in registers, and nvcc keeps all
 * but the last one. */
struct plainTail {
    template <typename Type>
    static __device__ void add(Type *segment, unsigned int tid)
    {
        /* defect: plain_tail */
        segment[tid] = segment[tid] + segment[tid + 32];
        segment[tid] = segment[tid] + segment[tid + 16];
        segment[tid] = segment[tid] + segment[tid + 8];
        segment[tid] = segment[tid] + segment[tid + 4];
        segment[tid] = segment[tid] + segment[tid + 2];
        segment[tid] = segment[tid] + segment[tid + 1];
        /* end of defect */
    }
};

/* In each step all lanes read, synchronize, write and synchronize again before the next step. */
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

template <typename Tail>
__global__ void reduceUnrollWarps8By(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    addEight(in, n);
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

template <typename Type, typename Tail>
__global__ void reduceCompleteUnrollWarps8By(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;

    addEight(in, n);
    __syncthreads();
    steps(segment, tid, blockDim.x);
    if (tid < 32)
        Tail::add(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

template <unsigned int B, typename Tail>
__global__ void reduceCompleteUnrollBy(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    addEight(in, n);
    __syncthreads();
    steps(segment, tid, B);
    if (tid < 32)
        Tail::add(segment, tid);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* ---- The same for every n and B ---- */

/* Adds those of a thread's 8 elements that exist. Returns how many elements the block then has. */
template <typename Type>
__device__ unsigned int addEightCorrected(Type *segment, unsigned int tid, unsigned int n)
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

/* One step: no thread reads an element that another writes before the barrier. */
template <typename Type>
__device__ void addPairs(Type *segment, unsigned int tid, unsigned int stride, unsigned int present)
{
    if (tid < stride && tid + stride < present)
        segment[tid] += segment[tid + stride];
    __syncthreads();
}

/* The tail with a barrier after each step, and half as many lanes in the next. */
struct barrierTailCorrected {
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

/* The tail by one warp, whose lanes all reach each __syncwarp(). */
struct syncwarpTailCorrected {
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
__global__ void reduceUnrollWarps8Corrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = addEightCorrected(segment, tid, n);
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
__global__ void reduceCompleteUnrollWarps8Corrected(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = addEightCorrected(segment, tid, n);

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
__global__ void reduceCompleteUnrollCorrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;
    unsigned int present = addEightCorrected(segment, tid, n);

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

EXPORT_KERNEL(reduceUnrollWarps8);
EXPORT_KERNEL_AS(reduceUnrollWarps8Plain, reduceUnrollWarps8By<plainTail>);
EXPORT_KERNEL_AS(reduceUnrollWarps8Syncwarp, reduceUnrollWarps8By<syncwarpTail>);
EXPORT_KERNEL_AS(reduceUnrollWarps8Corrected, reduceUnrollWarps8Corrected<barrierTailCorrected>);
EXPORT_KERNEL_AS(reduceUnrollWarps8SyncwarpCorrected, reduceUnrollWarps8Corrected<syncwarpTailCorrected>);

#define EXPORT_WARPS8(name, type)                                                                  \
    EXPORT_KERNEL(name);                                                                           \
    EXPORT_KERNEL_AS(name##Plain, reduceCompleteUnrollWarps8By<type, plainTail>);                  \
    EXPORT_KERNEL_AS(name##Syncwarp, reduceCompleteUnrollWarps8By<type, syncwarpTail>);            \
    EXPORT_KERNEL_AS(name##Corrected, reduceCompleteUnrollWarps8Corrected<type, barrierTailCorrected>);        \
    EXPORT_KERNEL_AS(name##SyncwarpCorrected, reduceCompleteUnrollWarps8Corrected<type, syncwarpTailCorrected>)

EXPORT_WARPS8(reduceCompleteUnrollWarps8, int);
EXPORT_WARPS8(reduceCompleteUnrollWarps8Float, float);
EXPORT_KERNEL(reduceCompleteUnrollWarps8Sync);

#define EXPORT_COMPLETE(block)                                                                     \
    EXPORT_KERNEL_AS(reduceCompleteUnroll##block, reduceCompleteUnroll<block>);                    \
    EXPORT_KERNEL_AS(reduceCompleteUnrollPlain##block, reduceCompleteUnrollBy<block, plainTail>);  \
    EXPORT_KERNEL_AS(reduceCompleteUnrollSyncwarp##block,                                          \
                     reduceCompleteUnrollBy<block, syncwarpTail>);                                 \
    EXPORT_KERNEL_AS(reduceCompleteUnrollCorrected##block,                                             \
                     reduceCompleteUnrollCorrected<block, barrierTailCorrected>);                          \
    EXPORT_KERNEL_AS(reduceCompleteUnrollSyncwarpCorrected##block,                                     \
                     reduceCompleteUnrollCorrected<block, syncwarpTailCorrected>)

EXPORT_COMPLETE(64);
EXPORT_COMPLETE(128);
EXPORT_COMPLETE(256);
EXPORT_COMPLETE(512);
EXPORT_COMPLETE(1024);
