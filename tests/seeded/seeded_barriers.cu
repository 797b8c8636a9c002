/* SPDX-License-Identifier: MIT
 *
 * Barriers in divergent code. test_barriers.c lists those that are faults. The table of verdicts
 * has the others, too.
 */
#include "seeded_kernel.h"

/* ---- Faults: a thread continues past a barrier at which others wait ---- */

KERNEL(barrierInTheGuard)
{
    USES_DATA_ALONE;
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2)
        if (threadIdx.x < stride) {
            data[threadIdx.x] += data[threadIdx.x + stride];
            __syncthreads();
        }
}

KERNEL(barrierInTheWholeGuard)
{
    USES_NO_FLAG;
    if (threadIdx.x < blockDim.x / 2) {
        data[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x ^ 1];
    }
}

KERNEL(passesByThenReturns)
{
    USES_NO_FLAG;
    if (threadIdx.x < blockDim.x / 2) {
        data[threadIdx.x] = 1;
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    out[0] = data[1];
}

/* Both sides reach the first barrier. */
KERNEL(passesByTheSecond)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x < 7)
        __syncthreads();
    if (threadIdx.x > 1)
        return;
    out[threadIdx.x] = data[threadIdx.x];
}

static __device__ void halfMeets(int *data)
{
    if (threadIdx.x >= blockDim.x / 2)
        return; /* from the function, not from the kernel */
    data[threadIdx.x] = 1;
    __syncthreads();
}

KERNEL(aFunctionPassesBy)
{
    USES_DATA_ALONE;
    halfMeets(data);
}

template <int lanes>
__global__ void someMeet(int *data, int *flag, int *out)
{
    USES_DATA_ALONE;
    if (threadIdx.x < lanes) {
        data[threadIdx.x] = 1;
        __syncthreads();
    }
}
EXPORT_KERNEL_AS(anInstancePassesBy, someMeet<5>);

/* Threads at the second barrier wait forever if the others do not exit. */
KERNEL(waitsAtAWarpBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    __syncwarp();
    data[threadIdx.x] = 1;
}

/* ---- No fault: the thread has returned ---- */

KERNEL(returnsEarly)
{
    USES_NO_FLAG;
    if (threadIdx.x >= blockDim.x / 2)
        return;
    data[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}

KERNEL(returnsAllButOne)
{
    USES_NO_FLAG;
    if (threadIdx.x > 0)
        return;
    data[0] = 1;
    __syncthreads();
    out[0] = data[0];
}

KERNEL(returnsFromTheLoop)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x >= stride)
            return;
        data[threadIdx.x] += data[threadIdx.x + stride];
        __syncthreads();
    }
    out[0] = data[0];
}

/* The `return` follows the barrier, on a path that starts at the barrier. */
KERNEL(returnsBehindTheBarrier)
{
    USES_NO_FLAG;
    for (unsigned int round = 0;; round++) {
        data[threadIdx.x] += 1;
        __syncthreads();
        if (threadIdx.x % 4 == round)
            return;
        out[threadIdx.x] += data[threadIdx.x];
    }
}

static __device__ int summed(int *data)
{
    __syncthreads();
    return data[0];
}

/* The barrier precedes the `return` in the source, in a function that is called after it. */
KERNEL(returnsAndOthersCall)
{
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        data[0] = 7;
    if (threadIdx.x > 20)
        return;
    out[threadIdx.x] = summed(data);
}

/* The `return` follows the barrier in the source, on another path. */
KERNEL(returnsInTheElse)
{
    USES_NO_FLAG;
    if (threadIdx.x < 9) {
        data[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x / 2];
    } else {
        return;
    }
}

/* The last barrier before the `return` is in another function, which precedes it. */
KERNEL(returnsBehindAFunctionsBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        out[threadIdx.x] += summed(data);
        if ((int)threadIdx.x % 3 == round)
            return;
    }
}

template <typename Type>
__global__ void lastReturns(Type *data, Type *flag, Type *out)
{
    USES_NO_FLAG;
    if (threadIdx.x + 1 == blockDim.x)
        return;
    data[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x / 2];
}
EXPORT_KERNEL_AS(anInstanceReturns, lastReturns<int>);

/* Functions return their values and those of expressions as usual. */
static __device__ int clamped(int value)
{
    if (value < 3)
        return value;
    else
        return 3;
}

KERNEL(functionsReturnTheirValues)
{
    auto twice = [](int value) { return 2 * value; };
    USES_NO_FLAG;
    data[threadIdx.x] = clamped((int)threadIdx.x) + twice(1);
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
}

/* A fault: no thread comes to the first barrier, then one acts, and only the other warp comes to the
 * second one. */
KERNEL(actsThenPassesBy)
{
    if (flag[0] != 0)
        __syncthreads();
    if (threadIdx.x == 32)
        data[1] = 1;
    if (threadIdx.x < 32)
        __syncthreads();
    out[threadIdx.x] = 1;
}
