/* SPDX-License-Identifier: MIT
 *
 * Kernels with cp.async. test_races.c lists those that race. Some others depend on when a copy
 * happens.
 */
#include "seeded_kernel.h"

static __device__ __forceinline__ void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}

static __device__ __forceinline__ void waitForAll()
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}

KERNEL(copiesAndReadsOthers)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    waitForAll();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL(copiesWithoutBarrier)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    waitForAll();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL(copiesWithBarrierBeforeWait)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    __syncthreads();
    waitForAll();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL(copiesTwoStages)
{
    USES_NO_FLAG;
    __shared__ int tile[2][64];
    int sum = 0;
    copy(&tile[0][threadIdx.x], &data[threadIdx.x]);
    for (int k = 1; k <= 4; k++) {
        waitForAll();
        __syncthreads();
        copy(&tile[k & 1][threadIdx.x], &data[threadIdx.x]);
        sum += tile[~k & 1][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

KERNEL(copiesOverAStageInUse)
{
    USES_NO_FLAG;
    __shared__ int tile[2][64];
    int sum = 0;
    copy(&tile[0][threadIdx.x], &data[threadIdx.x]);
    for (int k = 1; k <= 4; k++) {
        waitForAll();
        __syncthreads();
        copy(&tile[0][threadIdx.x], &data[threadIdx.x]);
        sum += tile[0][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

/* A thread reads before its own wait: it gets 1 or 0. */
KERNEL(readsItsCopyTooEarly)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    tile[threadIdx.x] = 1;
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    out[threadIdx.x] = tile[threadIdx.x];
    waitForAll();
}

/* A thread changes the source of its own copy, which is 0 or 1. */
KERNEL(changesTheSourceOfItsCopy)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    data[threadIdx.x] = 1;
    waitForAll();
    out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL(changesTheSourceOfACopy)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    __syncthreads();
    data[63 - threadIdx.x] = 1;
    waitForAll();
    out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL(changesTheSourceAfterTheCopy)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    waitForAll();
    __syncthreads();
    data[63 - threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];
}

/* The copies are complete when their threads exit. */
KERNEL(copiesWithoutWait)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    copy(&tile[threadIdx.x], &data[threadIdx.x]);
    out[threadIdx.x] = data[63 - threadIdx.x];
}

/* The source is local memory of the thread. No GPU permits it, but the simulator must not crash. */
KERNEL(copiesFromLocalMemory)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    int own[4] = {1, 2, 3, 4};
    copy(&tile[threadIdx.x], &own[data[threadIdx.x] & 3]);
    waitForAll();
    out[threadIdx.x] = tile[threadIdx.x];
}
