/* SPDX-License-Identifier: MIT
 *
 * Barriers in divergent code. test_barriers.c says which of them are faults; those that are none
 * are in the table of verdicts too.
 */
#include "seeded_kernel.h"

/* ---- Faults: a thread lives on, past a barrier at which others wait ---- */

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

/* Both sides come to the first barrier. */
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
        return; /* from here, not from the kernel */
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

/* The second barrier's threads wait for ever where the others do not exit. */
KERNEL(waitsAtAWarpBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    __syncwarp();
    data[threadIdx.x] = 1;
}

/* ---- None: the thread has returned ---- */

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

/* The `return` stands behind the barrier, and the way to it leads from that barrier. */
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

/* The barrier stands above the `return`, in a function that is called below it. */
KERNEL(returnsAndOthersCall)
{
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        data[0] = 7;
    if (threadIdx.x > 20)
        return;
    out[threadIdx.x] = summed(data);
}

/* The `return` stands behind the barrier, on another way. */
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

/* The last barrier before the `return` is another function's, and stands above. */
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

/* A value, and an expression's, come back from functions as ever. */
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
