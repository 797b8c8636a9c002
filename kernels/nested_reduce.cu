/* SPDX-License-Identifier: MIT
 *
 * Recursive sums of int32 in place. A block adds the upper half of its segment to the lower, and a
 * child grid continues with the lower half.
 */
#include <simtcheck/dialect.h>

#ifdef HAVE_DEVICE_WAIT
/* A barrier, then thread 0 launches the child and waits for it on the device, which CUDA 13 and
 * sm_90 do not support. Right if B is a power of two from 2 on and n a multiple of B. An odd size
 * loses its last element. A size of 1 launches a block of no threads.
 * Print, gpuRecursiveReduce: as printed. */
__global__ void gpuRecursiveReduce(int *in, int *out, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    if (size == 2 && tid == 0) {
        out[blockIdx.x] = segment[0] + segment[1];
        return;
    }
    int half = size / 2;
    if (half > 1 && tid < half)
        segment[tid] += segment[tid + half];
    __syncthreads();
    if (tid == 0) {
        LAUNCH(gpuRecursiveReduce, 1, half)(segment, out + blockIdx.x, half);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}

/* For every n and B. Thread 0 waits for its child on the device, and the block waits for thread 0.
 * When a block ends, its result is complete. `present` elements of the segment are inside the data.
 * The lower half is the larger one. */
__global__ void gpuRecursiveReduceCorrected(int *in, int *out, unsigned int size, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * size;
    int *segment = in + first;
    unsigned int present = first < n ? n - first : 0;
    unsigned int half = (size + 1) / 2;

    if (present > size)
        present = size;
    if (present <= 2) {
        if (tid == 0)
            out[blockIdx.x] = present == 0   ? 0
                              : present == 1 ? segment[0]
                                             : segment[0] + segment[1];
        return;
    }
    if (tid < half && tid + half < present)
        segment[tid] += segment[tid + half];
    __syncthreads();
    if (tid == 0) {
        LAUNCH(gpuRecursiveReduceCorrected, 1, half)(segment, out + blockIdx.x, half, present);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}

EXPORT_KERNEL(gpuRecursiveReduce);
EXPORT_KERNEL(gpuRecursiveReduceCorrected);
#endif

/* According to the textbooks, the barriers and the wait are unnecessary. For the wait this is true:
 * a grid completes only after its children. The barrier is necessary: the child sees the writes of
 * thread 0, and may start before other threads have added. Only lanes of thread 0's warp, in
 * lockstep, have added, so B must be at most 64.
 * Print, gpuRecursiveReduceNosync: as printed. */
__global__ void gpuRecursiveReduceNosync(int *in, int *out, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    /* defect: no_barrier_before_launch */
    if (size == 2 && tid == 0) {
        out[blockIdx.x] = segment[0] + segment[1];
        return;
    }
    int half = size / 2;
    if (half > 1 && tid < half) {
        segment[tid] += segment[tid + half];
        /* end of defect */
        if (tid == 0)
            LAUNCH(gpuRecursiveReduceNosync, 1, half)(segment, out + blockIdx.x, half);
    }
}

/* The same for every n and B. The barrier before the launch lets the child see the additions of all
 * threads of the block, because the launching thread passes it. Nothing waits on the device: only
 * the host reads the result, and for the host a grid completes only with its children. */
__global__ void gpuRecursiveReduceNosyncCorrected(int *in, int *out, unsigned int size, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * size;
    int *segment = in + first;
    unsigned int present = first < n ? n - first : 0;
    unsigned int half = (size + 1) / 2;

    if (present > size)
        present = size;
    if (present <= 2) {
        if (tid == 0)
            out[blockIdx.x] = present == 0   ? 0
                              : present == 1 ? segment[0]
                                             : segment[0] + segment[1];
        return;
    }
    if (tid < half && tid + half < present)
        segment[tid] += segment[tid + half];
    __syncthreads();
    if (tid == 0)
        LAUNCH(gpuRecursiveReduceNosyncCorrected, 1, half)(segment, out + blockIdx.x, half, present);
}

/* One child grid for all blocks, launched by block 0 alone, with half as many threads: B/2 at
 * first. The other threads and blocks need not have added by then. Right only with one block, of
 * one lockstep warp, or if B is 2 and there is no child.
 * Print, gpuRecursiveReduce2: as printed. */
__global__ void gpuRecursiveReduce2(int *in, int *out, int stride, int dim)
{
    unsigned int tid = threadIdx.x;
    int *segment = in + blockIdx.x * dim;

    /* defect: child_before_blocks */
    if (stride == 1 && tid == 0) {
        out[blockIdx.x] = segment[0] + segment[1];
        return;
    }
    segment[tid] += segment[tid + stride];
    /* end of defect */
    if (tid == 0 && blockIdx.x == 0)
        LAUNCH(gpuRecursiveReduce2, gridDim.x, stride / 2)(in, out, stride / 2, dim);
}

EXPORT_KERNEL(gpuRecursiveReduceNosync);
EXPORT_KERNEL(gpuRecursiveReduceNosyncCorrected);
EXPORT_KERNEL(gpuRecursiveReduce2);

#ifdef HAVE_TAIL_LAUNCH
/* For every n and B, with half as many threads as elements. The child is a tail launch, which
 * starts after the whole parent grid has ended. Only then may it read data that other blocks
 * wrote. */
__global__ void gpuRecursiveReduce2Corrected(int *in, int *out, unsigned int size, unsigned int dim,
                                         unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * dim;
    int *segment = in + first;
    unsigned int present = first < n ? n - first : 0;
    unsigned int half = (size + 1) / 2;

    if (present > size)
        present = size;
    if (size <= 2) { /* one thread */
        out[blockIdx.x] = present == 0 ? 0 : present == 1 ? segment[0] : segment[0] + segment[1];
        return;
    }
    if (tid + half < present)
        segment[tid] += segment[tid + half];
    if (tid == 0 && blockIdx.x == 0)
        LAUNCH(gpuRecursiveReduce2Corrected, gridDim.x, (half + 1) / 2, 0, cudaStreamTailLaunch)
    (in, out, half, dim, n);
}

EXPORT_KERNEL(gpuRecursiveReduce2Corrected);
#endif
