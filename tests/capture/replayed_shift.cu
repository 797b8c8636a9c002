/* SPDX-License-Identifier: MIT
 *
 * The kernels of replayed.cu with another result, and what replayed.cu calls.
 */
#define SHIFT 0.5f
#include "replayed.cu"

static __device__ const float shift[2] = {0, SHIFT};

__device__ int calls;

__device__ float shifted(float x)
{
    return x + shift[1];
}
