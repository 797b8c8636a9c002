/* SPDX-License-Identifier: MIT
 *
 * The textbook's reduction in C, for the host, as one GPU thread would run it. It is checked like
 * a kernel and is not used as an oracle.
 */
#include <simtcheck/dialect.h>

/* Adds the upper half to the lower and continues with the lower. An odd size loses its last
 * element, so n must be a power of two. With n = 0 the recursion never ends.
 * Print, recursiveReduce: a host function that returns the sum. Here a GPU thread runs it, and a
 * kernel stores the sum. */
__device__ void halve(float *data, int size)
{
    if (size == 1)
        return;
    int stride = size / 2;
    for (int k = 0; k < stride; k++)
        data[k] += data[k + stride];
    halve(data, stride);
}

__global__ void recursiveReduce(float *data, float *out, int n)
{
    halve(data, n);
    out[0] = data[0];
}

/* For every n: the lower half is the larger one, and its last element may have no partner. */
__device__ void halveCorrected(float *data, unsigned int size)
{
    if (size <= 1)
        return;
    unsigned int stride = (size + 1) / 2;
    for (unsigned int k = 0; k + stride < size; k++)
        data[k] += data[k + stride];
    halveCorrected(data, stride);
}

__global__ void recursiveReduceCorrected(float *data, float *out, unsigned int n)
{
    halveCorrected(data, n);
    out[0] = n > 0 ? data[0] : 0.0f;
}

EXPORT_KERNEL(recursiveReduce);
EXPORT_KERNEL(recursiveReduceCorrected);
