/* SPDX-License-Identifier: MIT
 *
 * Nested reductions with one seeded defect each, in their launches.
 */
#include <simtcheck/dialect.h>

/* Adds up a segment in one thread, with no work for a child. */
__device__ static int sum_of_segment(const int *in, unsigned int size, unsigned int n)
{
    unsigned int first = blockIdx.x * size;
    int sum = 0;
    for (unsigned int i = first; i < first + size && i < n; i++)
        sum += in[i];
    return sum;
}

__global__ void writeSum(int *out, int sum)
{
    *out = sum;
}

/* A child writes the sum, but the last block launches none. */
__global__ void seededSkipsLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0 && (blockIdx.x + 1 < gridDim.x || gridDim.x == 1))
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum_of_segment(in, size, n));
}

/* The sum is right. The launch of an idle child fails, and the kernel ignores that. */
__global__ void seededFailedLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_segment(in, size, n);
        LAUNCH(writeSum, 1, 0)(out, 0);
    }
}

/* The sum is right, but the kernel launches a useless child grid. */
__global__ void seededUselessLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0) {
        int sum = sum_of_segment(in, size, n);
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum);
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum);
    }
}

/* The sum is right, but each child launches two more. */
__global__ void runAway(unsigned int depth)
{
    if (depth == 30)
        return;
    LAUNCH(runAway, 1, 1)(depth + 1);
    LAUNCH(runAway, 1, 1)(depth + 1);
}

__global__ void seededRunaway(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_segment(in, size, n);
        LAUNCH(runAway, 1, 1)(0u);
    }
}

__global__ void idle(unsigned int threads)
{
    (void)threads;
}

/* The sum is right, but each launch swaps the counts of blocks and threads. */
__global__ void seededSwapsCounts(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x != 0)
        return;
    unsigned int present = blockIdx.x * size < n ? n - blockIdx.x * size : 0;
    present = present < size ? present : size;
    out[blockIdx.x] = sum_of_segment(in, size, n);
    for (unsigned int half = size; present > 2 && half > 2;) {
        half = (half + 1) / 2;
        LAUNCH(idle, half, 1)(half);
    }
}

/* Like nestedHelloWorldTreeCorrected, but prints another thread than it records. */
__global__ void seededMisprints(unsigned int depth, unsigned int maxDepth, unsigned int blocks,
                                 unsigned int *log, unsigned int print)
{
    if (depth >= maxDepth || blockIdx.x >= blocks || threadIdx.x != 0)
        return;
    log[1 + atomicAdd(log, 1u)] = depth << 26 | blockIdx.x << 10;
    if (print)
        printf("Recursion=%d: Hello World from thread %d block %d\n", depth, depth / 2, blockIdx.x);
    LAUNCH(seededMisprints, 2, 3)(depth + 1, maxDepth, 2, log, print);
}

/* Like nestedHelloWorldCorrected, with a constant 2 in place of maxDepth. */
__global__ void seededDepthTwo(unsigned int size, unsigned int depth, unsigned int maxDepth,
                                unsigned int blocks, unsigned int *log, unsigned int print)
{
    if (blockIdx.x >= blocks)
        return;
    log[1 + atomicAdd(log, 1u)] = depth << 26 | blockIdx.x << 10 | threadIdx.x;
    if (size <= 1 || depth >= 2 || threadIdx.x != 0)
        return;
    unsigned int half = size / 2;
    unsigned int threads = half < 1024 ? half : 1024;
    LAUNCH(seededDepthTwo, 1, threads)(half, depth + 1, maxDepth, 1, log, print);
    log[1 + atomicAdd(log, 1u)] = (depth + 1) << 26 | 0x3ffffff;
}

/* As a recursion on a CPU: thread 0 adds the upper half of a segment to what its child returns for
 * the lower half. Without the wait, it reads the child's sum too early. */
template <bool WAITS>
__global__ void addChildsSum(int *in, int *out, unsigned int size, unsigned int n)
{
    unsigned int first = blockIdx.x * size, half = (size + 1) / 2;
    unsigned int present = first < n ? min(n - first, size) : 0;
    int *segment = in + first, upper = 0;

    if (threadIdx.x != 0)
        return;
    /* defect: adds_too_early */
    if (present <= 2) {
        out[blockIdx.x] = sum_of_segment(in, size, n);
        return;
    }
    for (unsigned int i = half; i < present; i++)
        upper += segment[i];
    LAUNCH(addChildsSum<WAITS>, 1, half)(segment, segment, half, min(present, half));
#ifdef HAVE_DEVICE_WAIT
    if (WAITS)
        cudaDeviceSynchronize();
#endif
    out[blockIdx.x] = segment[0] + upper;
    /* end of defect */
}

EXPORT_KERNEL_AS(seededAddsTooEarly, addChildsSum<false>);
#ifdef HAVE_DEVICE_WAIT
EXPORT_KERNEL_AS(addsChildsSum, addChildsSum<true>);
#endif
EXPORT_KERNEL(seededSkipsLaunch);
EXPORT_KERNEL(seededFailedLaunch);
EXPORT_KERNEL(seededUselessLaunch);
EXPORT_KERNEL(seededRunaway);
EXPORT_KERNEL(seededSwapsCounts);
EXPORT_KERNEL(seededMisprints);
EXPORT_KERNEL(seededDepthTwo);
