/* SPDX-License-Identifier: MIT
 *
 * Kernels whose accesses are, or are not, ordered by atomics, fences and volatile. test_races.c
 * lists those that race.
 */
#include "seeded_kernel.h"

/* ---- Atomics and fences ---- */

KERNEL(atomicsOfTheDevice)
{
    USES_NO_FLAG;
    (void)data;
    atomicAdd(&out[0], 1);
    atomicMax(&out[1], 5);
    atomicCAS(&out[2], 0, 1);
    atomicExch(&out[3], 1);
}

KERNEL(atomicsOfTheSystem)
{
    USES_NO_FLAG;
    (void)data;
    atomicAdd_system(&out[0], 1);
    atomicAdd(&out[0], 1);
}

KERNEL(atomicsOfABlock)
{
    USES_NO_FLAG;
    (void)data;
    atomicAdd_block(&out[blockIdx.x], 1);
}

KERNEL(atomicsOfABlockAcrossBlocks)
{
    USES_NO_FLAG;
    (void)data;
    atomicAdd_block(&out[0], 1);
}

KERNEL(atomicsOfDifferentScopes)
{
    USES_NO_FLAG;
    (void)data;
    if (blockIdx.x == 0)
        atomicAdd_block(&out[0], 1);
    else
        atomicAdd(&out[0], 1);
}

KERNEL(atomicsInSharedMemory)
{
    USES_NO_FLAG;
    (void)data;
    __shared__ int s[1];
    if (threadIdx.x == 0)
        s[0] = 0;
    __syncthreads();
    atomicAdd_block(&s[0], 1);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[0];
}

KERNEL(atomicAndPlainRead)
{
    USES_NO_FLAG;
    (void)data;
    if (blockIdx.x == 0)
        atomicAdd(&out[0], 1);
    else
        out[1 + threadIdx.x] = out[0];
}

KERNEL(atomicsOfDifferentSizes)
{
    USES_NO_FLAG;
    (void)data;
    if (blockIdx.x == 0)
        atomicAdd(reinterpret_cast<unsigned long long *>(out), 1ULL);
    else
        atomicAdd(&out[0], 1);
}

/* An atomic access of another size precedes one of the same size. */
KERNEL(atomicsOfBothSizes)
{
    USES_NO_FLAG;
    (void)data;
    if (blockIdx.x == 0)
        atomicAdd(reinterpret_cast<unsigned long long *>(out), 1ULL);
    atomicAdd(&out[0], 1);
}

KERNEL(manyReadThenOneAtomic)
{
    USES_NO_FLAG;
    if (blockIdx.x == 0)
        out[threadIdx.x] = data[0];
    else if (threadIdx.x == 0)
        atomicAdd(&data[0], 1);
}

/* A block reads a word before it adds to it atomically; another one may add in between. */
KERNEL(readThenAtomic)
{
    USES_NO_FLAG;
    if (blockIdx.x == 0)
        out[0] = data[0];
    atomicAdd(&data[0], 1);
}

KERNEL(atomicThenBarrierThenRead)
{
    USES_NO_FLAG;
    atomicAdd(&data[0], 1);
    __syncthreads();
    out[threadIdx.x] = data[0];
}

/* An atomic access alone does not release anything. */
KERNEL(atomicsForBarrier)
{
    data[threadIdx.x] = 1;
    atomicAdd(&flag[0], 1);
    if (atomicAdd(&flag[0], 0) > 0)
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

/* Block 0 writes and raises a flag. Block 1 reads if it sees the flag. */
#define HAND_OVER(name, raise, see)                                                                \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        if (threadIdx.x == 0 && blockIdx.x == 0) {                                                 \
            data[0] = 1;                                                                           \
            raise;                                                                                 \
        }                                                                                          \
        if (threadIdx.x == 0 && blockIdx.x == 1) {                                                 \
            see;                                                                                   \
        }                                                                                          \
    }

HAND_OVER(
    flagWithFences, __threadfence(); atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        out[0] = data[0];
    })
HAND_OVER(
    flagOfTheSystem, __threadfence_system();
    atomicExch_system(flag, 1), if (atomicAdd_system(flag, 0) == 1) {
        __threadfence_system();
        out[0] = data[0];
    })
HAND_OVER(
    flagWithoutWritersFence, atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        out[0] = data[0];
    })
HAND_OVER(flagWithoutReadersFence, __threadfence();
          atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) out[0] = data[0])
HAND_OVER(
    flagWithFencesOfABlock, __threadfence_block();
    atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) {
        __threadfence_block();
        out[0] = data[0];
    })
HAND_OVER(
    flagWithAFenceOfABlock, __threadfence(); atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) {
        __threadfence_block();
        out[0] = data[0];
    })
HAND_OVER(
    flagWithWritersFenceOfABlock, __threadfence_block();
    atomicExch(flag, 1), if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        out[0] = data[0];
    })
HAND_OVER(
    flagRaisedBeforeWrite, __threadfence(); atomicExch(flag, 1);
    data[1] = 1, if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        out[0] = data[1];
    })
HAND_OVER(
    volatileFlag, __threadfence(); *(volatile int *)flag = 1, if (*(volatile int *)flag == 1) {
        __threadfence();
        out[0] = data[0];
    })

HAND_OVER(
    volatileFlagWithoutWritersFence, *(volatile int *)flag = 1, if (*(volatile int *)flag == 1) {
        __threadfence();
        out[0] = data[0];
    })
HAND_OVER(volatileFlagWithoutReadersFence, __threadfence();
          *(volatile int *)flag = 1, if (*(volatile int *)flag == 1) out[0] = data[0])
HAND_OVER(
    volatileFlagAndAtomic, __threadfence();
    *(volatile int *)flag = 1, if (atomicAdd(flag, 0) == 1) {
        __threadfence();
        out[0] = data[0];
    })

/* The same between two warps of a block. */
KERNEL(flagInABlock)
{
    if (threadIdx.x == 0) {
        data[0] = 1;
        __threadfence_block();
        atomicExch_block(flag, 1);
    }
    if (threadIdx.x == 32 && atomicAdd_block(flag, 0) == 1) {
        __threadfence_block();
        out[0] = data[0];
    }
}

KERNEL(flagInABlockWithoutFence)
{
    if (threadIdx.x == 0) {
        data[0] = 1;
        atomicExch_block(flag, 1);
    }
    if (threadIdx.x == 32 && atomicAdd_block(flag, 0) == 1) {
        __threadfence_block();
        out[0] = data[0];
    }
}

/* Two flags, raised one after the other. A thread that sees both may read what precedes the second.
 */
KERNEL(flagsOfTwoTimes)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = 1;
        __threadfence();
        atomicExch(&flag[0], 1);
        data[1] = 1;
        __threadfence();
        atomicExch(&flag[1], 1);
    }
    if (threadIdx.x == 0 && blockIdx.x == 1 && atomicAdd(&flag[1], 0) == 1 &&
        atomicAdd(&flag[0], 0) == 1) {
        __threadfence();
        out[0] = data[0] + data[1];
    }
}

/* A thread that only saw the flag passes it on. */
KERNEL(flagByWayOfAThird)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = 1;
        __threadfence();
        atomicExch(&flag[0], 1);
    }
    if (threadIdx.x == 0 && blockIdx.x == 1 && atomicAdd(&flag[0], 0) == 1) {
        __threadfence();
        atomicExch(&flag[1], 1);
    }
    if (threadIdx.x == 0 && blockIdx.x == 2 && atomicAdd(&flag[1], 0) == 1) {
        __threadfence();
        out[0] = data[0];
    }
}

/* The last block to arrive adds up what all have written. */
KERNEL(lastBlockAdds)
{
    __shared__ int last[1];
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last[0] = atomicAdd(flag, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last[0])
        out[threadIdx.x] = data[threadIdx.x] + data[blockDim.x + threadIdx.x];
}

KERNEL(lastBlockAddsWithoutFence)
{
    __shared__ int last[1];
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        last[0] = atomicAdd(flag, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last[0])
        out[threadIdx.x] = data[threadIdx.x] + data[blockDim.x + threadIdx.x];
}

/* ---- Volatile accesses are strong ---- */

/* An atomic of block scope has only its block's threads in its scope. */
KERNEL(volatileAndAtomicOfABlock)
{
    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x + blockIdx.x == 0)
        atomicAdd_block(out, 1);
    else
        *(volatile int *)out = 2;
}

KERNEL(volatileAndPlain)
{
    (void)data;
    USES_NO_FLAG;
    if (blockIdx.x == 0)
        out[0] = 1;
    else
        *(volatile int *)out = 2;
}

KERNEL(volatileOfTwoSizes)
{
    (void)data;
    USES_NO_FLAG;
    if (blockIdx.x == 0)
        *(volatile int *)out = 1;
    else
        *(volatile char *)out = 2;
}

KERNEL(volatileInSharedMemory)
{
    __shared__ volatile int raised;
    __shared__ int handed;

    USES_NO_FLAG;
    if (threadIdx.x == 0)
        raised = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        handed = data[0] + 1;
        __threadfence_block();
        raised = 1;
    }
    if (threadIdx.x == 32 && raised == 1) {
        __threadfence_block();
        out[0] = handed;
    }
}
