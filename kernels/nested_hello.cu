/* SPDX-License-Identifier: MIT
 *
 * Nested launches that say hello. The documents' kernels print a line for each thread; here they
 * also enter (depth, block, thread) in a log, whose first word counts the entries, and print when
 * they are asked to: hence two more parameters.
 */
#include "dialect.h"

/* An entry: depth from bit 26 on, block from bit 10 on, thread below. */
__device__ void hello(unsigned int depth, unsigned int *log, unsigned int print)
{
    unsigned int place = 1 + atomicAdd(log, 1u);

    log[place] = depth << 26 | blockIdx.x << 10 | threadIdx.x;
    if (print)
        printf("depth %u: hello from thread %u of block %u\n", depth, threadIdx.x, blockIdx.x);
}

/* Every thread says hello, and thread 0 of every block launches a block of half the size, down to
 * 1. Right for sizes from 1 to 2049: half of 0 is 0, and half of 2050 is more than a block has. */
__global__ void nestedHelloWorld(unsigned int size, unsigned int depth, unsigned int *log,
                                 unsigned int print)
{
    hello(depth, log, print);
    if (size == 1)
        return;
    unsigned int half = size / 2;
    if (threadIdx.x == 0)
        LAUNCH(nestedHelloWorld, 1, half)(half, depth + 1, log, print);
}

/* The same, no deeper than maxDepth: document 000, exercise 9. */
__global__ void nestedHelloWorldLimited(unsigned int size, unsigned int depth,
                                        unsigned int maxDepth, unsigned int *log,
                                        unsigned int print)
{
    hello(depth, log, print);
    if (size == 1 || depth >= maxDepth)
        return;
    unsigned int half = size / 2;
    if (threadIdx.x == 0)
        LAUNCH(nestedHelloWorldLimited, 1, half)(half, depth + 1, maxDepth, log, print);
}

/* Both for every size and every number of blocks, none of them too; maxDepth has no bound for the
 * first. A block is cut at 1024 threads. */
__global__ void nestedHelloWorldTotal(unsigned int size, unsigned int depth, unsigned int maxDepth,
                                      unsigned int blocks, unsigned int *log, unsigned int print)
{
    if (blockIdx.x >= blocks)
        return;
    hello(depth, log, print);
    if (size <= 1 || depth >= maxDepth)
        return;
    unsigned int half = size / 2;
    unsigned int threads = half < 1024 ? half : 1024;
    if (threadIdx.x == 0)
        LAUNCH(nestedHelloWorldTotal, 1, threads)(half, depth + 1, maxDepth, 1, log, print);
}

/* Half as many blocks of the same size each time, launched by the grid's first thread alone; from
 * G*B threads to minSize, which is G. B is halved away, so it should be a power of two; where it is
 * not, the size may pass minSize by and come to 0. */
__global__ void nestedHelloWorldNew(unsigned int size, unsigned int minSize, unsigned int depth,
                                    unsigned int *log, unsigned int print)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    hello(depth, log, print);
    if (size == minSize)
        return;
    unsigned int half = size / 2;
    if (i == 0)
        LAUNCH(nestedHelloWorldNew, (half + blockDim.x - 1) / blockDim.x, blockDim.x)
    (half, minSize, depth + 1, log, print);
}

/* It stops below minSize too. */
__global__ void nestedHelloWorldNewTotal(unsigned int size, unsigned int minSize,
                                         unsigned int depth, unsigned int *log, unsigned int print)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (size == 0)
        return;
    hello(depth, log, print);
    unsigned int half = size / 2;
    if (i == 0 && half >= minSize)
        LAUNCH(nestedHelloWorldNewTotal, (half + blockDim.x - 1) / blockDim.x, blockDim.x)
    (half, minSize, depth + 1, log, print);
}

/* Thread 0 of every block launches two blocks of three threads, then says hello: document 003. It
 * says so after the launch, so a child may be heard before its parent. */
__global__ void nestedHelloWorldTree(unsigned int depth, unsigned int maxDepth, unsigned int *log,
                                     unsigned int print)
{
    if (depth == maxDepth)
        return;
    if (threadIdx.x == 0) {
        LAUNCH(nestedHelloWorldTree, 2, 3)(depth + 1, maxDepth, log, print);
        hello(depth, log, print);
    }
}

/* Of no blocks too; and a parent is heard before its children. */
__global__ void nestedHelloWorldTreeTotal(unsigned int depth, unsigned int maxDepth,
                                          unsigned int blocks, unsigned int *log,
                                          unsigned int print)
{
    if (depth >= maxDepth || blockIdx.x >= blocks || threadIdx.x != 0)
        return;
    hello(depth, log, print);
    LAUNCH(nestedHelloWorldTreeTotal, 2, 3)(depth + 1, maxDepth, 2, log, print);
}

EXPORT_KERNEL(nestedHelloWorld);
EXPORT_KERNEL(nestedHelloWorldLimited);
EXPORT_KERNEL(nestedHelloWorldTotal);
EXPORT_KERNEL(nestedHelloWorldNew);
EXPORT_KERNEL(nestedHelloWorldNewTotal);
EXPORT_KERNEL(nestedHelloWorldTree);
EXPORT_KERNEL(nestedHelloWorldTreeTotal);
