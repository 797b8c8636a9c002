/* SPDX-License-Identifier: MIT
 *
 * How a nested launch is written, by null stream and as a tail launch.
 */
#include "dialect.h"

__global__ void nestedChild(int *out, unsigned int depth)
{
    out[depth] = static_cast<int>(blockDim.x);
}

__global__ void nestedParent(int *in, int *out, unsigned int n)
{
    (void)in;
    if (threadIdx.x == 0 && n > 1)
        LAUNCH(nestedChild, 1, n / 2)(out, 0);
}

#if !defined(__CUDACC__) || CUDART_VERSION >= 12000
__global__ void nestedTail(int *in, int *out, unsigned int n)
{
    (void)in;
    if (threadIdx.x == 0 && n > 1)
        LAUNCH(nestedChild, 1, n / 2, 0, cudaStreamTailLaunch)(out, 0);
}

EXPORT_KERNEL(nestedTail);
#endif

EXPORT_KERNEL(nestedParent);
