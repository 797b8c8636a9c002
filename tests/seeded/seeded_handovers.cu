/* SPDX-License-Identifier: MIT
 *
 * Data that flags, locks and counters hand over, correctly or with one part missing. test_races.c
 * lists those that race.
 */
#include "seeded_kernel.h"

/* ---- From one block to another, by a volatile flag ---- */

/* Block 0 releases, block 1 waits. */
#define VOLATILE_HANDOVER(name, before, after)                                                     \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        volatile int *seen = flag;                                                                 \
        if (blockIdx.x == 0) {                                                                     \
            data[0] = 5;                                                                           \
            before;                                                                                \
            *seen = 1;                                                                             \
        } else {                                                                                   \
            while (*seen == 0)                                                                     \
                ;                                                                                  \
            after;                                                                                 \
            out[0] = data[0];                                                                      \
        }                                                                                          \
    }

VOLATILE_HANDOVER(handsOverBetweenFences, __threadfence(), __threadfence())
VOLATILE_HANDOVER(handsOverBetweenSystemFences, __threadfence_system(), __threadfence_system())
VOLATILE_HANDOVER(handsOverBeforeNoFence, (void)0, __threadfence())
VOLATILE_HANDOVER(handsOverBehindNoFence, __threadfence(), (void)0)
VOLATILE_HANDOVER(handsOverBetweenFencesOfBlocks, __threadfence_block(), __threadfence_block())
VOLATILE_HANDOVER(handsOverBesideAFenceOfTheBlock, __threadfence(), __threadfence_block())

/* Volatile data does not race without a fence, but its order may still matter. */
KERNEL(handsOverVolatileData)
{
    volatile int *seen = flag, *given = data;
    if (blockIdx.x == 0) {
        *given = 5;
        *seen = 1;
    } else {
        while (*seen == 0)
            ;
        out[0] = *given;
    }
}

/* The flag's store is wider than the reader's load, so they do not synchronize. */
KERNEL(looksAtHalfTheFlag)
{
    volatile long long *raised = reinterpret_cast<volatile long long *>(flag);
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        *raised = 1;
    } else {
        while (*seen == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

/* ---- By atomics ---- */

#define ATOMIC_HANDOVER(name, raise, look, fence)                                                  \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        if (blockIdx.x == 0) {                                                                     \
            data[0] = 5;                                                                           \
            fence();                                                                               \
            raise(flag, 1);                                                                        \
        } else {                                                                                   \
            while (look(flag, 0) == 0)                                                             \
                ;                                                                                  \
            fence();                                                                               \
            out[0] = data[0];                                                                      \
        }                                                                                          \
    }

ATOMIC_HANDOVER(handsOverByExchange, atomicExch, atomicOr, __threadfence)
ATOMIC_HANDOVER(handsOverBySystemAtomics, atomicMax_system, atomicAdd_system, __threadfence_system)
ATOMIC_HANDOVER(handsOverByAtomicsOfBlocks, atomicExch_block, atomicAdd_block, __threadfence)
ATOMIC_HANDOVER(handsOverByOneOfABlock, atomicExch, atomicAdd_block, __threadfence)
ATOMIC_HANDOVER(handsOverWithinFencesOfBlocks, atomicExch, atomicAdd, __threadfence_block)

/* A plain write raises the flag. */
KERNEL(raisesPlainly)
{
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        flag[0] = 1;
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

/* ---- By locks ---- */

#define LOCKED(name, take, give, open, close)                                                      \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        (void)out;                                                                                 \
        if (threadIdx.x % 32 != 0)                                                                 \
            return;                                                                                \
        while (take(flag, 0, 1) != 0)                                                              \
            ;                                                                                      \
        open;                                                                                      \
        data[0] += 1;                                                                              \
        close;                                                                                     \
        give(flag, 0);                                                                             \
    }

LOCKED(lockOfTheDevice, atomicCAS, atomicExch, __threadfence(), __threadfence())
LOCKED(lockOfABlock, atomicCAS_block, atomicExch_block, __threadfence(), __threadfence())
LOCKED(lockTakenWithoutFence, atomicCAS, atomicExch, (void)0, __threadfence())
LOCKED(lockGivenWithoutFence, atomicCAS, atomicExch, __threadfence(), (void)0)
LOCKED(lockBetweenFencesOfBlocks, atomicCAS, atomicExch, __threadfence_block(),
       __threadfence_block())

/* Two locks for one word. */
KERNEL(eachItsOwnLock)
{
    int *lock = flag + blockIdx.x;
    (void)out;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    data[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
}

/* Checks without the lock whether it is needed. */
KERNEL(looksBeforeItLocks)
{
    (void)out;
    if (data[0] != 0)
        return;
    while (atomicCAS(flag, 0, 1) != 0)
        ;
    __threadfence();
    data[0] = 1;
    __threadfence();
    atomicExch(flag, 0);
}

/* ---- By counters ---- */

/* The last one to arrive adds up. */
#define LAST_ADDS(name, fence, count)                                                              \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __shared__ bool last;                                                                      \
        data[blockIdx.x * blockDim.x + threadIdx.x] = 1;                                           \
        fence();                                                                                   \
        __syncthreads();                                                                           \
        if (threadIdx.x == 0)                                                                      \
            last = count(flag, 1) == static_cast<int>(gridDim.x) - 1;                              \
        __syncthreads();                                                                           \
        fence();                                                                                   \
        if (last && threadIdx.x == 0)                                                              \
            for (unsigned int i = 0; i < gridDim.x * blockDim.x; i++)                              \
                out[0] += data[i];                                                                 \
    }

LAST_ADDS(lastOfAllAdds, __threadfence, atomicAdd)
LAST_ADDS(lastOfAllAddsInTheSystem, __threadfence_system, atomicAdd_system)
LAST_ADDS(lastAddsWithFencesOfBlocks, __threadfence_block, atomicAdd)
LAST_ADDS(lastAddsByCountsOfBlocks, __threadfence, atomicAdd_block)

/* Every thread fences before the barrier, and one thread counts for all. */
KERNEL(lastAddsAndNobodyFencesAfter)
{
    __shared__ bool last;
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(flag, 1) == static_cast<int>(gridDim.x) - 1;
    __syncthreads();
    if (last)
        out[threadIdx.x] = data[threadIdx.x] + data[blockDim.x + threadIdx.x];
}

/* For two warps. The first lane counts, after every lane has fenced; or only after it alone has
 * fenced, before the others wrote. */
#define LAST_WARP_ADDS(name, before_writing, after_writing)                                        \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;                             \
        __shared__ int before[2];                                                                  \
        before_writing;                                                                            \
        data[threadIdx.x] = 1;                                                                     \
        after_writing;                                                                             \
        __syncwarp();                                                                              \
        if (lane == 0)                                                                             \
            before[warp] = atomicAdd_block(flag, 1);                                               \
        __syncwarp();                                                                              \
        __threadfence_block();                                                                     \
        if (before[warp] == 1)                                                                     \
            out[lane] = data[lane] + data[32 + lane];                                              \
    }
LAST_WARP_ADDS(lastWarpAdds, (void)0, __threadfence_block())
LAST_WARP_ADDS(lastWarpAddsUnfenced, if (lane == 0) __threadfence_block(), (void)0)

/* Each thread releases and acquires at one word. */
KERNEL(allHandOn)
{
    (void)data;
    (void)out;
    __threadfence();
    atomicAdd(flag, 1);
    __threadfence();
}

/* A grid barrier after which only the first thread of each block is ordered. */
KERNEL(barrierOfTheGridForOne)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = data[i + 1];

    (void)out;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(flag, 1);
        while (atomicAdd(flag, 0) < static_cast<int>(gridDim.x))
            ;
        __threadfence();
    }
    data[i] = next;
}

/* ---- Through a second writer of the flag ---- */

/* Block 0 writes data and raises two flags. Block 1 sees the second and writes to the first, for
 * which block 2 waits. */
#define RELAY(name, pass)                                                                          \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        volatile int *seen = flag;                                                                 \
        if (blockIdx.x == 0) {                                                                     \
            data[0] = 5;                                                                           \
            __threadfence();                                                                       \
            seen[0] = 1;                                                                           \
            seen[1] = 1;                                                                           \
        } else if (blockIdx.x == 1) {                                                              \
            while (seen[1] == 0)                                                                   \
                ;                                                                                  \
            pass;                                                                                  \
        } else {                                                                                   \
            while (seen[0] != 2)                                                                   \
                ;                                                                                  \
            __threadfence();                                                                       \
            out[0] = data[0];                                                                      \
        }                                                                                          \
    }

RELAY(overwritesWhatWasHandedOn, seen[0] = 2)
RELAY(overwritesBehindAFence, __threadfence(); seen[0] = 2)
RELAY(exchangesWhatWasHandedOn, atomicExch(flag, 2))
RELAY(swapsWhatWasHandedOn, atomicCAS(flag, 1, 2))

KERNEL(overwritesItsOwnFlag)
{
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        *seen = 1;
        *seen = 2;
    } else {
        while (*seen != 2)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

/* ---- A plain write resets the counter or the flag for its next use ---- */

#define RESET(name, order)                                                                         \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        (void)data;                                                                                \
        (void)out;                                                                                 \
        __threadfence();                                                                           \
        int before = atomicAdd(flag, 1);                                                           \
        __threadfence();                                                                           \
        if (before == (order))                                                                     \
            flag[0] = 0;                                                                           \
    }

RESET(lastResetsTheCount, static_cast<int>(gridDim.x) - 1)
RESET(firstResetsTheCount, 0)

/* The reset is by a thread that waits at a barrier for the one that has counted. */
KERNEL(anotherResetsTheCount)
{
    __shared__ bool last;
    (void)data;
    (void)out;
    if (threadIdx.x == 0)
        last = atomicAdd(flag, 1) == static_cast<int>(gridDim.x) - 1;
    __syncthreads();
    if (last && threadIdx.x == 1)
        flag[0] = 0;
}

/* Block 0 raises both flags. The block that sees `flag[looked]` lowers the first. */
#define LOWERS(name, looked)                                                                       \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        (void)data;                                                                                \
        (void)out;                                                                                 \
        if (blockIdx.x == 0) {                                                                     \
            atomicExch(&flag[0], 1);                                                               \
            atomicExch(&flag[1], 1);                                                               \
        } else {                                                                                   \
            while (atomicAdd(&flag[looked], 0) == 0)                                               \
                ;                                                                                  \
            flag[0] = 0;                                                                           \
        }                                                                                          \
    }

LOWERS(lowersTheFlagItHasSeen, 0)
LOWERS(lowersTheOtherFlag, 1)

/* The same, but block 1 writes to the first flag in between. */
#define LOWERS_AFTER(name, write)                                                                  \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        volatile int *seen = flag;                                                                 \
        (void)data;                                                                                \
        (void)out;                                                                                 \
        if (blockIdx.x == 0) {                                                                     \
            seen[0] = 1;                                                                           \
            seen[1] = 1;                                                                           \
        } else if (blockIdx.x == 1) {                                                              \
            while (seen[1] == 0)                                                                   \
                ;                                                                                  \
            write;                                                                                 \
        } else {                                                                                   \
            while (seen[0] != 2)                                                                   \
                ;                                                                                  \
            flag[0] = 0;                                                                           \
        }                                                                                          \
    }

LOWERS_AFTER(lowersWhatWasExchanged, atomicExch(flag, 2))
LOWERS_AFTER(lowersWhatWasOverwritten, seen[0] = 2)

/* The block has seen both writes, each while it was the last one. */
KERNEL(lowersWhatItHasSeenTwice)
{
    volatile int *seen = flag;
    (void)data;
    (void)out;
    if (blockIdx.x == 2) {
        while (seen[0] != 1)
            ;
        seen[1] = 1;
        while (seen[0] != 2)
            ;
        flag[0] = 0;
    } else if (blockIdx.x == 1) {
        while (seen[1] == 0)
            ;
        seen[0] = 2;
    } else {
        seen[0] = 1;
    }
}
