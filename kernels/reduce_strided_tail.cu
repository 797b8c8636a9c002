/* SPDX-License-Identifier: MIT
 *
 * Neighbouring pairs packed into the first threads, down to 64 sums, B/64 apart. One warp adds
 * these in unrolled steps, in which none of its lanes is idle. Domain of the original variants: n a
 * multiple of B, and B a power of two from 64 on.
 */
#include <simtcheck/dialect.h>

/* The tail through a volatile pointer, without synchronization between the steps, as in
 * reduce_warp_tail.cu.
 * Reconstruction, reduceNeighbored3: the K80 profiles describe and measure it. This kernel has
 * their transactions (7200 loads, 3600 stores), but about 60 instructions per warp, where they
 * have 545.75. So it is probably not the author's kernel. */
__global__ void reduceNeighbored3(int *in, int *out, int nElem)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;
    unsigned int distance = blockDim.x / 64;

    for (unsigned int stride = 1; stride < distance; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index < blockDim.x)
            segment[index] += segment[index + stride];
        __syncthreads();
    }
    if (tid < 32) {
        volatile int *v = segment;
        /* defect: volatile_tail */
        v[tid * distance] += v[(tid + 32) * distance];
        v[tid * distance] += v[(tid + 16) * distance];
        v[tid * distance] += v[(tid + 8) * distance];
        v[tid * distance] += v[(tid + 4) * distance];
        v[tid * distance] += v[(tid + 2) * distance];
        v[tid * distance] += v[(tid + 1) * distance];
        /* end of defect */
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* ---- With other tails ---- */

/* Without volatile. The compiler must assume that B/64 may be 0, so nvcc keeps the stores that it
 * removes in reduce_warp_tail.cu. */
struct plainTail {
    static __device__ void add(int *segment, unsigned int tid, unsigned int distance)
    {
        int *mine = segment + tid * distance;
        /* defect: plain_tail */
        *mine = *mine + mine[32 * distance];
        *mine = *mine + mine[16 * distance];
        *mine = *mine + mine[8 * distance];
        *mine = *mine + mine[4 * distance];
        *mine = *mine + mine[2 * distance];
        *mine = *mine + mine[distance];
        /* end of defect */
    }
};

/* In each step all lanes read, synchronize, write and synchronize again before the next step. */
struct syncwarpTail {
    static __device__ void add(int *segment, unsigned int tid, unsigned int distance)
    {
        for (unsigned int stride = 32; stride > 0; stride >>= 1) {
            int sum = segment[tid * distance] + segment[(tid + stride) * distance];
            __syncwarp();
            segment[tid * distance] = sum;
            __syncwarp();
        }
    }
};

template <typename Tail>
__global__ void reduceNeighbored3By(int *in, int *out, int nElem)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;
    unsigned int distance = blockDim.x / 64;

    for (unsigned int stride = 1; stride < distance; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index < blockDim.x)
            segment[index] += segment[index + stride];
        __syncthreads();
    }
    if (tid < 32)
        Tail::add(segment, tid, distance);
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* ---- For every n and B ---- */

/* Adds packed pairs of a block of `present` elements until 64 sums are left. The block counts as
 * the least power of two from 64 on that covers it. Returns the distance of the sums. */
__device__ unsigned int addNeighbours(int *segment, unsigned int tid, unsigned int present)
{
    unsigned int distance = 1;

    for (; 64 * distance < blockDim.x; distance *= 2) {
        unsigned int partner = 2 * distance * tid + distance;
        if (partner < present)
            segment[partner - distance] += segment[partner];
        __syncthreads();
    }
    return distance;
}

/* Returns the number of elements of the block that exist. */
__device__ unsigned int presentIn(unsigned int n)
{
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int rest = first < n ? n - first : 0;

    return rest < blockDim.x ? rest : blockDim.x;
}

/* A barrier after each step, and half as many lanes in the next. */
__global__ void reduceNeighbored3Corrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x, present = presentIn(n);
    int *segment = in + blockIdx.x * blockDim.x;
    unsigned int distance = addNeighbours(segment, tid, present);

    for (unsigned int stride = 32; stride > 0; stride >>= 1) {
        if (tid < stride && (tid + stride) * distance < present)
            segment[tid * distance] += segment[(tid + stride) * distance];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

/* By one warp, whose lanes all reach each __syncwarp(). */
__global__ void reduceNeighbored3SyncwarpCorrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x, present = presentIn(n);
    int *segment = in + blockIdx.x * blockDim.x;
    unsigned int distance = addNeighbours(segment, tid, present);

    if (tid < 32)
        for (unsigned int stride = 32; stride > 0; stride >>= 1) {
            bool adds = tid < stride && (tid + stride) * distance < present;
            int sum = adds ? segment[tid * distance] + segment[(tid + stride) * distance] : 0;
            __syncwarp();
            if (adds)
                segment[tid * distance] = sum;
            __syncwarp();
        }
    if (tid == 0)
        out[blockIdx.x] = present > 0 ? segment[0] : 0;
}

EXPORT_KERNEL(reduceNeighbored3);
EXPORT_KERNEL_AS(reduceNeighbored3Plain, reduceNeighbored3By<plainTail>);
EXPORT_KERNEL_AS(reduceNeighbored3Syncwarp, reduceNeighbored3By<syncwarpTail>);
EXPORT_KERNEL(reduceNeighbored3Corrected);
EXPORT_KERNEL(reduceNeighbored3SyncwarpCorrected);
