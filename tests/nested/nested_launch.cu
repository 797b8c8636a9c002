/* SPDX-License-Identifier: MIT
 *
 * Kernels that launch kernels, and others, for the tests of order, visibility and limits. All are
 * called as (in, out, a, b) with buffers that hold zeros.
 */
#include <simtcheck/dialect.h>

/* Long enough for a child to start and end; on the simulator the schedule sees to that. */
__device__ static void delay()
{
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
    for (int k = 0; k < 20; k++)
        __nanosleep(1000000);
#endif
}

/* kind: 0 null stream, 1 tail launch, 2 fire and forget. */
__device__ static cudaStream_t stream_of(unsigned int kind)
{
#ifdef HAVE_TAIL_LAUNCH
    if (kind == 1)
        return cudaStreamTailLaunch;
    if (kind == 2)
        return cudaStreamFireAndForget;
#endif
    (void)kind;
    return 0;
}

/* ---- Limits ---- */

/* Goes down to depth b; out[0] becomes the number of grids, out[1] the deepest. */
__global__ void descend(unsigned int *depth_of, unsigned int *out, unsigned int kind,
                        unsigned int left)
{
    unsigned int depth = atomicAdd(depth_of, 1u);

    out[0] = depth + 1;
    if (left > 0)
        LAUNCH(descend, 1, 1, 0, stream_of(kind))(depth_of, out, kind, left - 1);
}

__global__ void count(unsigned int *out)
{
    atomicAdd(out, 1u);
}

/* Every thread launches b grids, which count in out[0]. */
__global__ void launchMany(unsigned int *in, unsigned int *out, unsigned int kind,
                           unsigned int launches)
{
    (void)in;
    for (unsigned int k = 0; k < launches; k++)
        LAUNCH(count, 1, 1, 0, stream_of(kind))(out);
}

/* A launch that cannot be, as the thread is told: out[0] becomes the error. */
__global__ void launchNothing(unsigned int *in, unsigned int *out, unsigned int threads,
                              unsigned int unused)
{
    (void)in;
    (void)unused;
    LAUNCH(count, 1, threads)(out);
    out[0] = static_cast<unsigned int>(cudaGetLastError());
}

/* ---- What a child sees ---- */

__global__ void copy(const unsigned int *in, unsigned int *out, unsigned int elements)
{
    for (unsigned int k = 0; k < elements; k++)
        out[k] = 1 + in[k];
}

/* Of its launching thread: everything. */
__global__ void showThread(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    in[0] = 1;
    LAUNCH(copy, 1, 1)(in, out, 1);
}

/* Of other threads of the block: nothing, unless a barrier is between. */
__global__ void showBlock(unsigned int *in, unsigned int *out, unsigned int barrier,
                          unsigned int unused)
{
    unsigned int tid = threadIdx.x;

    (void)unused;
    if (tid > 0)
        delay();
    in[tid] = 1;
    if (barrier)
        __syncthreads();
    if (tid == 0)
        LAUNCH(copy, 1, 1)(in, out, blockDim.x);
}

/* Of other blocks: nothing, unless it is a tail launch. */
__global__ void showGrid(unsigned int *in, unsigned int *out, unsigned int kind,
                         unsigned int unused)
{
    (void)unused;
    if (blockIdx.x > 0)
        delay();
    in[blockIdx.x] = 1;
    if (blockIdx.x == 0)
        LAUNCH(copy, 1, 1, 0, stream_of(kind))(in, out, gridDim.x);
}

/* ---- When a grid is complete ---- */

__global__ void writeLate(unsigned int *out, unsigned int place)
{
    delay();
    out[place] = 1;
}

/* A child writes out[0] late: the host must find it written. */
__global__ void endEarly(unsigned int *in, unsigned int *out, unsigned int kind,
                         unsigned int unused)
{
    (void)in;
    (void)unused;
    LAUNCH(writeLate, 1, 1, 0, stream_of(kind))(out, 0);
}

__global__ void launchLate(unsigned int *in)
{
    LAUNCH(writeLate, 1, 1)(in, 0);
}

/* The second child, in order after the first, sees what the first one's child wrote late: nobody
 * waited for that, and yet the first was not complete before. */
__global__ void followLate(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    LAUNCH(launchLate, 1, 1)(in);
    LAUNCH(copy, 1, 1)(in, out, 1);
}

/* Notes who comes: out[0] counts, and out[1 + k] is the k-th. */
__global__ void sign(unsigned int *out, unsigned int name)
{
    out[1 + atomicAdd(out, 1u)] = name;
}

/* Tail launches 1 and 2 in order, after the parent (3) and its child 4, and 5 when it is waited
 * for. */
__global__ void signInOrder(unsigned int *in, unsigned int *out, unsigned int tails,
                            unsigned int unused)
{
    (void)in;
    (void)unused;
    if (tails) {
        LAUNCH(sign, 1, 1, 0, stream_of(1))(out, 1);
        LAUNCH(sign, 1, 1, 0, stream_of(1))(out, 2);
    }
    LAUNCH(sign, 1, 1)(out, 4);
    LAUNCH(sign, 1, 1)(out, 5);
    out[1 + atomicAdd(out, 1u)] = 3;
}

/* ---- What threads and blocks see of each other ---- */

/* Every thread writes, and behind a barrier reads what its neighbour wrote, global and shared. */
__global__ void seeBlock(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    __shared__ unsigned int words[64];
    unsigned int tid = threadIdx.x, neighbour = (tid + 1) % blockDim.x;

    (void)a;
    (void)b;
    if (tid > 0)
        delay();
    in[tid] = 1;
    words[tid] = 1;
    __syncthreads();
    out[tid] = in[neighbour] + words[neighbour];
}

/* The same of the next block: no barrier reaches it. */
__global__ void seeNextBlock(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    if (blockIdx.x > 0)
        delay();
    in[blockIdx.x] = 1;
    __syncthreads();
    out[blockIdx.x] = 1 + in[(blockIdx.x + 1) % gridDim.x];
}

__global__ void writeBlocks(unsigned int *in)
{
    delay();
    in[blockIdx.x] = 1;
}

/* Two grids in a row: the second finds what all blocks of the first have written. */
__global__ void seeGridBefore(unsigned int *in, unsigned int *out, unsigned int blocks,
                              unsigned int unused)
{
    (void)unused;
    LAUNCH(writeBlocks, blocks, 1)(in);
    LAUNCH(copy, 1, 1)(in, out, blocks);
}

/* Blocks sign as they come, one of them late. */
__global__ void signBlocks(unsigned int *in, unsigned int *out, unsigned int late,
                           unsigned int unused)
{
    (void)in;
    (void)unused;
    if (blockIdx.x == late)
        delay();
    out[1 + atomicAdd(out, 1u)] = blockIdx.x;
}

/* Some threads pass by a barrier, and live on. */
__global__ void skipBarrier(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    if (threadIdx.x < 2)
        __syncthreads();
    in[threadIdx.x] = 1;
    out[threadIdx.x] = in[threadIdx.x];
}

/* ---- Parents beside their children ---- */

/* Looks so many times whether its child has come: out[0] is 2 if it has, 1 if not. */
__global__ void lookAtChild(unsigned int *in, unsigned int *out, unsigned int looks,
                            unsigned int unused)
{
    unsigned int seen = 0;

    (void)unused;
    LAUNCH(count, 1, 1)(in);
    for (unsigned int k = 0; k < looks && seen == 0; k++) {
        delay();
        seen = atomicAdd(in, 0u);
    }
    out[0] = 1 + seen;
}

/* Each block launches two grids, which sign; one block late. */
__global__ void launchTwo(unsigned int *in, unsigned int *out, unsigned int late,
                          unsigned int unused)
{
    (void)in;
    (void)unused;
    if (blockIdx.x == late)
        delay();
    LAUNCH(sign, 1, 1)(out, 2 * blockIdx.x);
    LAUNCH(sign, 1, 1)(out, 2 * blockIdx.x + 1);
}

/* Parent and child have local arrays of their own. */
__global__ void keepLocal(unsigned int *in, unsigned int *out, unsigned int depth,
                          unsigned int unused)
{
    volatile unsigned int mine[4];

    for (unsigned int k = 0; k < 4; k++)
        mine[k] = 10 * depth + k;
    if (depth < 3)
        LAUNCH(keepLocal, 1, 1)(in, out, depth + 1, unused);
    delay();
    for (unsigned int k = 0; k < 4; k++)
        out[4 * depth + k] = mine[k];
}

#ifdef __CUDACC__
__constant__ unsigned int constantWord = 4711;

__global__ void readConstant(unsigned int *in, unsigned int *out, unsigned int depth,
                             unsigned int unused)
{
    out[depth] = constantWord;
    if (depth == 0)
        LAUNCH(readConstant, 1, 1)(in, out, 1, unused);
}

/* ---- What only a GPU has ---- */

__device__ static unsigned int processor()
{
    unsigned int number;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* Every block records the SM that it is on, at its start and after a sleep, and how many blocks are
 * on that SM then. `in` counts them. */
__global__ void stayOnProcessor(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    unsigned int before = processor();

    (void)a;
    (void)b;
    if (threadIdx.x > 0)
        return;
    atomicAdd(&in[before], 1u);
    delay();
    out[3 * blockIdx.x] = processor();
    out[3 * blockIdx.x + 1] = before;
    out[3 * blockIdx.x + 2] = atomicAdd(&in[before], 0u);
    atomicSub(&in[before], 1u);
}

/* Thread 0 waits in a loop for what another lane of its warp writes in the other branch. */
__global__ void waitForLane(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    volatile unsigned int *flag = in;

    (void)a;
    (void)b;
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    else
        *flag = 1;
    out[threadIdx.x] = 1;
}

/* All of 128 values are alive at once: with 1024 threads, more registers than an SM has. */
__global__ void keepMany(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    volatile unsigned int *from = in, *to = out;
    unsigned int kept[128];

    (void)a;
    (void)b;
#pragma unroll
    for (unsigned int k = 0; k < 128; k++)
        kept[k] = from[k];
#pragma unroll
    for (unsigned int k = 0; k < 128; k++)
        to[k] = kept[127 - k];
}

__global__ void printLate(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)in;
    (void)out;
    (void)a;
    (void)b;
    delay();
    printf("printed late\n");
}

EXPORT_KERNEL(readConstant);
EXPORT_KERNEL(stayOnProcessor);
EXPORT_KERNEL(waitForLane);
EXPORT_KERNEL(keepMany);
EXPORT_KERNEL(printLate);
#endif

/* ---- What a child cannot be given ---- */

__global__ void givePointer(unsigned int *in, unsigned int *out, unsigned int shared,
                            unsigned int unused)
{
    __shared__ unsigned int of_block;
    unsigned int of_thread[2] = {in[0], in[1]};

    (void)unused;
    of_block = 41;
    LAUNCH(copy, 1, 1)(shared ? &of_block : of_thread, out, 1);
}

/* Parent and child have shared arrays of their own, whichever runs first. */
__global__ void keepShared(unsigned int *in, unsigned int *out, unsigned int depth,
                           unsigned int unused)
{
    __shared__ unsigned int mine[32];

    mine[threadIdx.x] = 100 * depth + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && depth < 3)
        LAUNCH(keepShared, 1, 32)(in, out, depth + 1, unused);
    in[32 * depth + threadIdx.x] = 1;
    __syncthreads();
    out[32 * depth + threadIdx.x] = mine[31 - threadIdx.x];
}

#ifdef HAVE_DEVICE_WAIT
/* What a child wrote, to its parent after the wait; b deep. */
__global__ void waitForChild(unsigned int *in, unsigned int *out, unsigned int depth,
                             unsigned int deepest)
{
    if (depth < deepest) {
        LAUNCH(waitForChild, 1, 1)(in, out, depth + 1, deepest);
        cudaDeviceSynchronize();
    }
    out[depth] = depth == deepest ? 1 : out[depth + 1] + 1;
}

/* All threads wait, at a barrier next to it. */
__global__ void waitInBlock(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    LAUNCH(sign, 1, 1)(in, threadIdx.x);
    if (threadIdx.x % 2 == 0)
        cudaDeviceSynchronize();
    __syncthreads();
    cudaDeviceSynchronize();
    out[threadIdx.x] = in[0];
}

EXPORT_KERNEL(waitForChild);
EXPORT_KERNEL(waitInBlock);
#endif

EXPORT_KERNEL(descend);
EXPORT_KERNEL(launchMany);
EXPORT_KERNEL(launchNothing);
EXPORT_KERNEL(showThread);
EXPORT_KERNEL(showBlock);
EXPORT_KERNEL(showGrid);
EXPORT_KERNEL(endEarly);
EXPORT_KERNEL(followLate);
EXPORT_KERNEL(signInOrder);
EXPORT_KERNEL(givePointer);
EXPORT_KERNEL(keepShared);
EXPORT_KERNEL(seeBlock);
EXPORT_KERNEL(seeNextBlock);
EXPORT_KERNEL(seeGridBefore);
EXPORT_KERNEL(signBlocks);
EXPORT_KERNEL(skipBarrier);
EXPORT_KERNEL(lookAtChild);
EXPORT_KERNEL(launchTwo);
EXPORT_KERNEL(keepLocal);
