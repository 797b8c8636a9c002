/* SPDX-License-Identifier: MIT
 *
 * Sums of int32 in place, several elements for each thread. Block b owns the segment of U*B
 * elements at in + b*B*U. Each thread first adds its U elements, which are B apart.
 */
#include <simtcheck/dialect.h>

/* The next four kernels load U elements per thread, store their sum, meet at a barrier and add
 * interleaved pairs. A thread adds only if its last element is inside the data. In a tail block the
 * others keep their first element and lose the rest. The launch has ceil(n/B) / U blocks by integer
 * division. So n must be a multiple of U*B, and B a power of two. With U = 2 nothing is lost, and
 * ceil(n/B) need only be even.
 * Print, reduceUnrolling2, reduceUnrolling16: as printed.
 * Reconstruction, reduceUnrolling8: the book names and measures it. It is reduceUnrolling16 with half
 * of the elements. */
__global__ void reduceUnrolling2(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 2;

    if (i + blockDim.x < n)
        in[i] += in[i + blockDim.x];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* Ours: the textbook material goes from 2 to 8 without this step. */
__global__ void reduceUnrolling4(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 4;

    if (i + 3 * blockDim.x < n) {
        int a1 = in[i];
        int a2 = in[i + blockDim.x];
        int a3 = in[i + 2 * blockDim.x];
        int a4 = in[i + 3 * blockDim.x];
        in[i] = a1 + a2 + a3 + a4;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

__global__ void reduceUnrolling8(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int a1 = in[i];
        int a2 = in[i + blockDim.x];
        int a3 = in[i + 2 * blockDim.x];
        int a4 = in[i + 3 * blockDim.x];
        int a5 = in[i + 4 * blockDim.x];
        int a6 = in[i + 5 * blockDim.x];
        int a7 = in[i + 6 * blockDim.x];
        int a8 = in[i + 7 * blockDim.x];
        in[i] = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

__global__ void reduceUnrolling16(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 16 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 16;

    if (i + 15 * blockDim.x < n) {
        int a1 = in[i];
        int a2 = in[i + blockDim.x];
        int a3 = in[i + 2 * blockDim.x];
        int a4 = in[i + 3 * blockDim.x];
        int a5 = in[i + 4 * blockDim.x];
        int a6 = in[i + 5 * blockDim.x];
        int a7 = in[i + 6 * blockDim.x];
        int a8 = in[i + 7 * blockDim.x];
        int a9 = in[i + 8 * blockDim.x];
        int a10 = in[i + 9 * blockDim.x];
        int a11 = in[i + 10 * blockDim.x];
        int a12 = in[i + 11 * blockDim.x];
        int a13 = in[i + 12 * blockDim.x];
        int a14 = in[i + 13 * blockDim.x];
        int a15 = in[i + 14 * blockDim.x];
        int a16 = in[i + 15 * blockDim.x];
        in[i] = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* A thread's own sum as a loop over a pointer, in a local variable.
 * Print, reduceUnrolling8Loop: as printed. */
__global__ void reduceUnrolling8Loop(int *in, int *out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * 8;

    if (i + 7 * blockDim.x < n) {
        int *element = in + i;
        int sum = 0;
        for (int k = 0; k < 8; k++, element += blockDim.x)
            sum += *element;
        in[i] = sum;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* The K80 profiles: every thread adds for any n, and no barrier follows. The first step of the tree
 * reads the sum of another thread. It is right only if both are lanes of one lockstep warp, so B
 * must be at most 32. With independent threads it is a race at every B above 1.
 * Print, reduceInterleaved2: a loop of a template adds a thread's elements here, in a register.
 * Reconstruction, reduceInterleaved4, reduceInterleaved8: the text measures them. They are
 * reduceInterleaved2 with more elements. */
template <unsigned int U>
__global__ void reduceInterleavedFolded(int *in, int *out, int nElem)
{
    int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x * U;
    int sum = 0;

    for (unsigned int k = 0; k < U; k++)
        sum += segment[tid + k * blockDim.x];
    /* defect: no_barrier_after_fold, one side */
    segment[tid] = sum;
    /* end of defect */
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        /* defect: no_barrier_after_fold, other side */
        if (tid < stride)
            segment[tid] += segment[tid + stride];
        /* end of defect */
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = segment[0];
}

/* All of the above for every n and B. Each element is tested against n. A barrier follows a
 * thread's own sum. The strides are those of the power of two that covers the block. */
template <unsigned int U>
__global__ void reduceUnrollingCorrected(int *in, int *out, unsigned int n)
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

EXPORT_KERNEL(reduceUnrolling2);
EXPORT_KERNEL(reduceUnrolling4);
EXPORT_KERNEL(reduceUnrolling8);
EXPORT_KERNEL(reduceUnrolling16);
EXPORT_KERNEL(reduceUnrolling8Loop);
EXPORT_KERNEL_AS(reduceInterleaved2, reduceInterleavedFolded<2>);
EXPORT_KERNEL_AS(reduceInterleaved4, reduceInterleavedFolded<4>);
EXPORT_KERNEL_AS(reduceInterleaved8, reduceInterleavedFolded<8>);
EXPORT_KERNEL_AS(reduceUnrolling2Corrected, reduceUnrollingCorrected<2>);
EXPORT_KERNEL_AS(reduceUnrolling4Corrected, reduceUnrollingCorrected<4>);
EXPORT_KERNEL_AS(reduceUnrolling8Corrected, reduceUnrollingCorrected<8>);
EXPORT_KERNEL_AS(reduceUnrolling16Corrected, reduceUnrollingCorrected<16>);
