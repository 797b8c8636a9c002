/* SPDX-License-Identifier: MIT
 *
 * Kernels that launch kernels, and others, for tests of order, visibility and limits. Each is
 * called as (in, out, a, b) with buffers of zeros.
 */
#include <simtcheck/dialect.h>

/* Gives a child time to start and end. On the simulator the schedule does that. */
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

/* Launches down to depth b. out[0] is the number of grids, out[1] the deepest one. */
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

/* Makes an invalid launch, and stores its error in out[0]. */
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

/* The child sees everything of its launching thread. */
__global__ void showThread(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    in[0] = 1;
    LAUNCH(copy, 1, 1)(in, out, 1);
}

/* The child sees nothing of the block's other threads without a barrier. */
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

/* The child sees nothing of other blocks, unless it is a tail launch. */
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

/* ---- Completion of grids ---- */

__global__ void writeLate(unsigned int *out, unsigned int place)
{
    delay();
    out[place] = 1;
}

/* A child writes out[0] late. The host must see the write. */
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

/* The second child, in order after the first, sees what the first one's child wrote late. Nothing
 * waits, but the first child is complete only after its own child. */
__global__ void followLate(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    LAUNCH(launchLate, 1, 1)(in);
    LAUNCH(copy, 1, 1)(in, out, 1);
}

/* Records an arrival: out[0] counts, and out[1 + k] is the k-th name. */
__global__ void sign(unsigned int *out, unsigned int name)
{
    out[1 + atomicAdd(out, 1u)] = name;
}

/* Signs as tail launches 1 and 2, as the parent (3), and as its children 4 and 5.
 */
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

/* Every thread writes. After a barrier it reads its neighbour's global and shared words. */
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

/* Does the same with the next block, which no barrier covers. */
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

/* Launches two grids in a row. The second sees the writes of all blocks of the first. */
__global__ void seeGridBefore(unsigned int *in, unsigned int *out, unsigned int blocks,
                              unsigned int unused)
{
    (void)unused;
    LAUNCH(writeBlocks, blocks, 1)(in);
    LAUNCH(copy, 1, 1)(in, out, blocks);
}

/* Blocks sign in order of arrival, one of them late. */
__global__ void signBlocks(unsigned int *in, unsigned int *out, unsigned int late,
                           unsigned int unused)
{
    (void)in;
    (void)unused;
    if (blockIdx.x == late)
        delay();
    out[1 + atomicAdd(out, 1u)] = blockIdx.x;
}

/* Some threads skip a barrier, and continue. */
__global__ void skipBarrier(unsigned int *in, unsigned int *out, unsigned int a, unsigned int b)
{
    (void)a;
    (void)b;
    if (threadIdx.x < 2)
        __syncthreads();
    in[threadIdx.x] = 1;
    out[threadIdx.x] = in[threadIdx.x];
}

/* ---- Parents that run beside their children ---- */

/* Looks `looks` times whether its child has run. out[0] is 2 if it has, and 1 if not. */
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

/* Each block launches two grids, which sign. One block is late. */
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

/* Parent and child have separate local arrays. */
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

/* ---- GPU only ---- */

__device__ static unsigned int processor()
{
    unsigned int number;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* Every block records its SM at its start and after a sleep, and how many blocks are on that SM
 * then. `in` counts them. */
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

/* Thread 0 waits in a loop for a write by another lane of its warp in the other branch. */
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

/* All of 128 values are live at once. 1024 such threads need more registers than an SM has. */
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

/* ---- Invalid arguments of a child ---- */

__global__ void givePointer(unsigned int *in, unsigned int *out, unsigned int shared,
                            unsigned int unused)
{
    __shared__ unsigned int of_block;
    unsigned int of_thread[2] = {in[0], in[1]};

    (void)unused;
    of_block = 41;
    LAUNCH(copy, 1, 1)(shared ? &of_block : of_thread, out, 1);
}

/* Parent and child have separate shared arrays, whichever runs first. */
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
/* A parent reads what its child wrote, after a wait; b levels deep. */
__global__ void waitForChild(unsigned int *in, unsigned int *out, unsigned int depth,
                             unsigned int deepest)
{
    if (depth < deepest) {
        LAUNCH(waitForChild, 1, 1)(in, out, depth + 1, deepest);
        cudaDeviceSynchronize();
    }
    out[depth] = depth == deepest ? 1 : out[depth + 1] + 1;
}

/* All threads wait, next to a barrier. */
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
