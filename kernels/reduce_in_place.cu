/* SPDX-License-Identifier: MIT
 *
 * Sums in place in global memory, one element for each thread. Block b owns the segment in[b*B ..
 * b*B + B). Thread 0 stores the segment's sum in out[b], and the host adds those.
 */
#include <simtcheck/dialect.h>

/* Neighbouring pairs: stride 1, 2, 4 ... The threads at multiples of 2*stride work, so every warp
 * diverges. Right if B is a power of two and n a multiple of B. Otherwise some thread reads past
 * its block's segment.
 * Print, reduceNeighbored: as printed it does not compile, because `idx` is not declared. Here it
 * is `i`. */
__global__ void reduceNeighbored(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    if (i >= n)
        return;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The same tree for every n and B. A partner counts only inside the block and inside the data, and
 * all threads reach every barrier. */
__global__ void reduceNeighboredCorrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < blockDim.x && i + stride < n)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = i < n ? segment[0] : 0;
}

/* Neighbouring pairs with the work packed into the first threads, so that whole warps are idle
 * instead of single lanes. Same domain as reduceNeighbored.
 * Print, reduceNeighboredLess: as printed. */
__global__ void reduceNeighboredLess(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    if (i >= n)
        return;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int index = 2 * stride * tid;
        if (index < blockDim.x)
            segment[index] += segment[index + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

__global__ void reduceNeighboredLessCorrected(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    int *segment = in + first;

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int partner = 2 * stride * tid + stride;
        if (partner < blockDim.x && first + partner < n)
            segment[partner - stride] += segment[partner];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = first < n ? segment[0] : 0;
}

/* Interleaved pairs: the stride starts at B/2 and halves, so neighbouring threads access
 * neighbouring elements. Halving an odd stride above 1 loses an element, so B must be a power of
 * two, and n a multiple of B.
 * Print, reduceInterleaved: as printed.
 * Reconstruction, reduceInterleavedFloat: an exercise asks for it. It is the kernel of ints, with
 * floats. */
template <typename Type>
__global__ void reduceInterleaved(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x;

    if (i >= n)
        return;
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The strides are those of the power of two that covers the block. */
template <typename Type>
__global__ void reduceInterleavedCorrected(Type *in, Type *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    Type *segment = in + blockIdx.x * blockDim.x;
    unsigned int cover = 1;

    while (cover < blockDim.x)
        cover *= 2;
    for (unsigned int stride = cover / 2; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < blockDim.x && i + stride < n)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = i < n ? segment[0] : Type(0);
}

/* The K80 profiles print the three trees without the guard: every thread works for any n. The
 * domain is the same, because a tail block reads past the data. In the first, a condition that is
 * always true encloses the barriers too. It is uniform, so no barrier diverges.
 * Print, reduceNeighbored1, reduceNeighbored2, reduceInterleaved1: as printed. */
__global__ void reduceNeighbored1(int *in, int *out, int nElem)
{
    int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    if (tid < blockDim.x) /* always true */
        for (int stride = 1; stride < blockDim.x; stride *= 2) {
            if (tid % (2 * stride) == 0)
                segment[tid] += segment[tid + stride];
            __syncthreads();
        }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

__global__ void reduceNeighbored2(int *in, int *out, int nElem)
{
    int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int index = 2 * stride * tid;
        if (index < blockDim.x)
            segment[index] += segment[index + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

__global__ void reduceInterleaved1(int *in, int *out, int nElem)
{
    int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

EXPORT_KERNEL(reduceNeighbored);
EXPORT_KERNEL(reduceNeighboredCorrected);
EXPORT_KERNEL(reduceNeighboredLess);
EXPORT_KERNEL(reduceNeighboredLessCorrected);
EXPORT_KERNEL_AS(reduceInterleaved, reduceInterleaved<int>);
EXPORT_KERNEL_AS(reduceInterleavedCorrected, reduceInterleavedCorrected<int>);
EXPORT_KERNEL_AS(reduceInterleavedFloat, reduceInterleaved<float>);
EXPORT_KERNEL_AS(reduceInterleavedFloatCorrected, reduceInterleavedCorrected<float>);
EXPORT_KERNEL(reduceNeighbored1);
EXPORT_KERNEL(reduceNeighbored2);
EXPORT_KERNEL(reduceInterleaved1);
