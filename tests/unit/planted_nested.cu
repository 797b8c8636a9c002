/* SPDX-License-Identifier: MIT
 *
 * Nested reduces with a known defect each: what becomes of a launch.
 */
#include "dialect.h"

/* The sum of a segment by one thread, and nothing for a child to do. */
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
__global__ void plantedSkipsLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0 && (blockIdx.x + 1 < gridDim.x || gridDim.x == 1))
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum_of_segment(in, size, n));
}

/* The sum is right; the launch of a child that would do nothing fails, and nobody looks. */
__global__ void plantedFailedLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum_of_segment(in, size, n);
        LAUNCH(writeSum, 1, 0)(out, 0);
    }
}

/* The sum is right, and a child grid of no use is launched. */
__global__ void plantedUselessLaunch(int *in, int *out, unsigned int size, unsigned int n)
{
    if (threadIdx.x == 0) {
        int sum = sum_of_segment(in, size, n);
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum);
        LAUNCH(writeSum, 1, 1)(out + blockIdx.x, sum);
    }
}

EXPORT_KERNEL(plantedSkipsLaunch);
EXPORT_KERNEL(plantedFailedLaunch);
EXPORT_KERNEL(plantedUselessLaunch);
