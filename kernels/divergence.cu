/* SPDX-License-Identifier: MIT
 *
 * Warp divergence: two branches inside each warp, or whole warps taking one of them.
 */
#include "dialect.h"

/* Even and odd threads part, so every warp runs both branches. It tests nothing against n: n must
 * be a multiple of B. */
__global__ void mathKernel1(float *c)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f, b = 0.0f;

    if (i % 2 == 0)
        a = 100.0f;
    else
        b = 200.0f;
    c[i] = a + b;
}

/* Even and odd warps part: no warp runs both. The document forgets the parameter. */
__global__ void mathKernel2(float *c)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f, b = 0.0f;

    if (i / warpSize % 2 == 0)
        a = 100.0f;
    else
        b = 200.0f;
    c[i] = a + b;
}

__global__ void mathKernel1Total(float *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = i % 2 == 0 ? 100.0f : 200.0f;
}

__global__ void mathKernel2Total(float *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = i / warpSize % 2 == 0 ? 100.0f : 200.0f;
}

/* The same two splits with `count` stores in each branch (the document: 10,000), for a profiler to
 * see half of the lanes at work, or all. `volatile`, or a compiler would keep one store. Right for
 * every n >= 1. */
__global__ void mathKernel1Loop(volatile int *c, unsigned int nElem, unsigned int count)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nElem) {
        if (i % 2 == 0) {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 0;
        } else {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 1;
        }
    }
}

__global__ void mathKernel2Loop(volatile int *c, unsigned int nElem, unsigned int count)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nElem) {
        if (i / warpSize % 2 == 0) {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 0;
        } else {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 1;
        }
    }
}

EXPORT_KERNEL(mathKernel1);
EXPORT_KERNEL(mathKernel1Total);
EXPORT_KERNEL(mathKernel2);
EXPORT_KERNEL(mathKernel2Total);
EXPORT_KERNEL(mathKernel1Loop);
EXPORT_KERNEL(mathKernel2Loop);
