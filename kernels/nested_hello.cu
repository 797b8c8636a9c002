/* SPDX-License-Identifier: MIT
 *
 * Nested launches that say hello. Each thread prints a line. A thread that has launched a grid
 * prints the depth of that grid. Compared with the printed kernels, each line is also entered in a
 * log, whose first word counts the entries. Lines are printed only on request. That needs two more
 * parameters.
 */
#include <simtcheck/dialect.h>

/* Adds an entry: depth from bit 26 on, the thread below. All ones there record a launch. */
__device__ void enter(unsigned int depth, unsigned int who, unsigned int *log)
{
    log[1 + atomicAdd(log, 1u)] = depth << 26 | who;
}

/* The block from bit 10 on, the thread below. */
__device__ void hello(unsigned int depth, unsigned int *log, unsigned int print)
{
    enter(depth, blockIdx.x << 10 | threadIdx.x, log);
    if (print)
        printf("Recursion=%d: Hello World from thread %d block %d\n", depth, threadIdx.x,
               blockIdx.x);
}

/* By the thread's index in its grid only. */
__device__ void helloOfGrid(unsigned int depth, unsigned int *log, unsigned int print)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    enter(depth, i, log);
    if (print)
        printf("Recursion=%d: Hello World from thread %d\n", depth, i);
}

/* The second record: the thread has launched a grid of that depth. */
__device__ void launched(unsigned int depth, unsigned int *log, unsigned int print)
{
    enter(depth, 0x3ffffff, log);
    if (print)
        printf("-------> nested execution depth: %d\n", depth);
}

/* Every thread says hello. Thread 0 of every block launches a block of half the size, down to 1.
 * Right for sizes up to 2049: half of 2050 exceeds the maximum block.
 * Print, nestedHelloWorld: two parameters more, for the log. The lines have the format of the
 * book. That of the mapping notes differs. */
__global__ void nestedHelloWorld(int size, int depth, unsigned int *log, unsigned int print)
{
    hello(depth, log, print);
    if (size == 1)
        return;
    int half = size / 2;
    if (threadIdx.x == 0 && half > 0) {
        LAUNCH(nestedHelloWorld, 1, half)(half, depth + 1, log, print);
        launched(depth + 1, log, print);
    }
}

/* The same, no deeper than maxDepth: the book, exercise 9.
 * Print, nestedHelloWorldLimited: two parameters more, for the log. */
__global__ void nestedHelloWorldLimited(int size, int depth, int maxDepth, unsigned int *log,
                                        unsigned int print)
{
    hello(depth, log, print);
    if (size == 1 || depth >= maxDepth)
        return;
    int half = size / 2;
    if (threadIdx.x == 0 && half > 0) {
        LAUNCH(nestedHelloWorldLimited, 1, half)(half, depth + 1, maxDepth, log, print);
        launched(depth + 1, log, print);
    }
}

/* Both for every size and every number of blocks, also none. maxDepth has no bound for the first. A
 * block is limited to 1024 threads. */
__global__ void nestedHelloWorldCorrected(unsigned int size, unsigned int depth, unsigned int maxDepth,
                                      unsigned int blocks, unsigned int *log, unsigned int print)
{
    if (blockIdx.x >= blocks)
        return;
    hello(depth, log, print);
    if (size <= 1 || depth >= maxDepth || threadIdx.x != 0)
        return;
    unsigned int half = size / 2;
    unsigned int threads = min(half, 1024u);
    LAUNCH(nestedHelloWorldCorrected, 1, threads)(half, depth + 1, maxDepth, 1, log, print);
    launched(depth + 1, log, print);
}

#ifdef HAVE_DEVICE_WAIT
/* As a recursion on a CPU: the thread waits for its launch, and then reports it. From the nested
 * notes. CUDA 13 does not have this wait, nor does code for sm_90.
 * Print, nestedHelloWorldWait: two parameters more, for the log. */
__global__ void nestedHelloWorldWait(int size, int depth, unsigned int *log, unsigned int print)
{
    hello(depth, log, print);
    if (size == 1)
        return;
    int half = size / 2;
    if (threadIdx.x == 0 && half > 0) {
        LAUNCH(nestedHelloWorldWait, 1, half)(half, depth + 1, log, print);
        cudaDeviceSynchronize();
        launched(depth + 1, log, print);
    }
}

__global__ void nestedHelloWorldWaitCorrected(unsigned int size, unsigned int depth,
                                          unsigned int blocks, unsigned int *log,
                                          unsigned int print)
{
    if (blockIdx.x >= blocks)
        return;
    hello(depth, log, print);
    if (size <= 1 || threadIdx.x != 0)
        return;
    unsigned int half = size / 2;
    unsigned int threads = min(half, 1024u);
    LAUNCH(nestedHelloWorldWaitCorrected, 1, threads)(half, depth + 1, 1, log, print);
    cudaDeviceSynchronize();
    launched(depth + 1, log, print);
}

EXPORT_KERNEL(nestedHelloWorldWait);
EXPORT_KERNEL(nestedHelloWorldWaitCorrected);
#endif

/* Half as many threads in each launch, in blocks of one size. The grid's first thread launches.
 * Sizes go from G*B threads to minSize, which is G. If B is not a power of two, halving may skip
 * minSize and reach 1.
 * Print, nestedHelloWorldNew: two parameters more, for the log. */
__global__ void nestedHelloWorldNew(int size, int minSize, int depth, unsigned int *log,
                                    unsigned int print)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    helloOfGrid(depth, log, print);
    if (size == minSize)
        return;
    int half = size / 2;
    if (i == 0 && half > 0) {
        LAUNCH(nestedHelloWorldNew, (half + blockDim.x - 1) / blockDim.x, blockDim.x)
        (half, minSize, depth + 1, log, print);
        launched(depth + 1, log, print);
    }
}

/* Also right for no blocks. */
__global__ void nestedHelloWorldNewCorrected(unsigned int size, unsigned int minSize,
                                         unsigned int depth, unsigned int *log, unsigned int print)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (size == 0)
        return;
    helloOfGrid(depth, log, print);
    unsigned int half = size / 2;
    if (i == 0 && size != minSize && half > 0) {
        LAUNCH(nestedHelloWorldNewCorrected, (half + blockDim.x - 1) / blockDim.x, blockDim.x)
        (half, minSize, depth + 1, log, print);
        launched(depth + 1, log, print);
    }
}

/* Thread 0 of every block launches two blocks of three threads, then says hello (K80 profiles). Its
 * hello follows the launch, so a child's may precede it.
 * Print, nestedHelloWorldTree: two parameters more, for the log. The lines have the format of the
 * book. That of the K80 profiles differs. */
__global__ void nestedHelloWorldTree(int depth, int maxDepth, unsigned int *log, unsigned int print)
{
    if (depth == maxDepth)
        return;
    if (threadIdx.x == 0) {
        LAUNCH(nestedHelloWorldTree, 2, 3)(depth + 1, maxDepth, log, print);
        hello(depth, log, print);
    }
}

/* Also right for no blocks. A parent's hello precedes its children's. */
__global__ void nestedHelloWorldTreeCorrected(unsigned int depth, unsigned int maxDepth,
                                          unsigned int blocks, unsigned int *log,
                                          unsigned int print)
{
    if (depth >= maxDepth || blockIdx.x >= blocks || threadIdx.x != 0)
        return;
    hello(depth, log, print);
    LAUNCH(nestedHelloWorldTreeCorrected, 2, 3)(depth + 1, maxDepth, 2, log, print);
}

EXPORT_KERNEL(nestedHelloWorld);
EXPORT_KERNEL(nestedHelloWorldLimited);
EXPORT_KERNEL(nestedHelloWorldCorrected);
EXPORT_KERNEL(nestedHelloWorldNew);
EXPORT_KERNEL(nestedHelloWorldNewCorrected);
EXPORT_KERNEL(nestedHelloWorldTree);
EXPORT_KERNEL(nestedHelloWorldTreeCorrected);
