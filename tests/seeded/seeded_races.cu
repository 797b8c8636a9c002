/* SPDX-License-Identifier: MIT
 *
 * Minimal kernels with and without races between lanes, warps and blocks. test_races.c lists those
 * that race.
 */
#include "seeded_kernel.h"

static const unsigned int FULL = 0xffffffff;

/* ---- Inside a warp ---- */

KERNEL(allWriteOneWord)
{
    USES_NO_FLAG;
    data[1 + threadIdx.x] = 1;
    out[0] = (int)threadIdx.x;
}

KERNEL(allWriteOneVolatileWord)
{
    USES_NO_FLAG;
    (void)data;
    volatile int *v = out;
    v[0] = (int)threadIdx.x;
}

KERNEL(volatileExchange)
{
    USES_NO_FLAG;
    volatile int *v = data;
    v[threadIdx.x] = 1;
    out[threadIdx.x] = v[threadIdx.x ^ 1];
}

KERNEL(plainExchange)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}

/* The read is volatile, the write is not. */
KERNEL(halfVolatileExchange)
{
    USES_NO_FLAG;
    volatile int *v = data;
    data[threadIdx.x] = 1;
    out[threadIdx.x] = v[threadIdx.x ^ 1];
}

KERNEL(warpBarrierExchange)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}

/* Nothing separates the next round's write from this round's read. */
KERNEL(oneWarpBarrierInLoop)
{
    USES_NO_FLAG;
    for (int round = 0; round < 2; round++) {
        data[threadIdx.x] = round;
        __syncwarp();
        out[threadIdx.x] += data[threadIdx.x ^ 1];
    }
}

KERNEL(twoWarpBarriersInLoop)
{
    USES_NO_FLAG;
    for (int round = 0; round < 2; round++) {
        data[threadIdx.x] = round;
        __syncwarp();
        out[threadIdx.x] += data[threadIdx.x ^ 1];
        __syncwarp();
    }
}

/* Each half of the warp has its own barrier, and accesses its own words, or not. */
KERNEL(halfWarpsApart)
{
    USES_NO_FLAG;
    unsigned int mask = LANE() < 16 ? 0x0000ffff : 0xffff0000;
    data[threadIdx.x] = 1;
    __syncwarp(mask);
    out[threadIdx.x] = data[threadIdx.x ^ 8];
}

KERNEL(halfWarpsMix)
{
    USES_NO_FLAG;
    unsigned int mask = LANE() < 16 ? 0x0000ffff : 0xffff0000;
    data[threadIdx.x] = 1;
    __syncwarp(mask);
    out[threadIdx.x] = data[threadIdx.x ^ 16];
}

/* Lanes 0 to 16 meet, then lanes 16 to 31. Lane 16 passes on what the first lanes have written. */
KERNEL(warpBarriersInTurn)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    if (LANE() <= 16)
        __syncwarp(0x0001ffff);
    if (LANE() >= 16)
        __syncwarp(0xffff0000);
    if (LANE() > 16)
        out[threadIdx.x] = data[threadIdx.x - 16];
}

/* Neither shuffles nor votes nor matches order memory. */
KERNEL(shuffleForBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    int other = __shfl_xor_sync(FULL, (int)threadIdx.x, 1);
    out[threadIdx.x] = data[other];
}

KERNEL(voteForBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    if (__all_sync(FULL, true) && __any_sync(FULL, true) && __ballot_sync(FULL, true) == FULL)
        out[threadIdx.x] = data[threadIdx.x ^ 1];
}

KERNEL(matchForBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    if (__match_any_sync(FULL, 7) == FULL)
        out[threadIdx.x] = data[threadIdx.x ^ 1];
}

/* After a lane's own fence, its later accesses are no longer part of a warp's step. */
KERNEL(volatileExchangeAfterFence)
{
    USES_NO_FLAG;
    volatile int *v = data;
    if (LANE() == 0)
        __threadfence();
    v[threadIdx.x] = 1;
    out[threadIdx.x] = v[threadIdx.x ^ 1];
}

/* A plain read, a volatile read of the same word, and a write in a later step. */
KERNEL(plainThenVolatileRead)
{
    USES_NO_FLAG;
    volatile int *v = data;
    if (LANE() == 0)
        out[0] = data[0] + v[0];
    __ballot_sync(FULL, true);
    if (LANE() == 1)
        v[0] = 1;
}

/* Five lanes read a word. A sixth one is ordered after them, and reads one byte of it only.
 */
KERNEL(byteReadByOneWhoKnows)
{
    char *bytes = reinterpret_cast<char *>(data);
    if (LANE() < 5) {
        out[threadIdx.x] = data[0];
        __threadfence_block();
        atomicAdd_block(flag, 1);
    }
    __ballot_sync(FULL, true);
    if (LANE() == 5 && atomicAdd_block(flag, 0) == 5) {
        __threadfence_block();
        out[5] = bytes[0];
    }
    __ballot_sync(FULL, true);
    if (LANE() == 2)
        bytes[1] = 1;
}

/* ---- A word that one thread zeroes and others add to ---- */

KERNEL(zeroesAndAllAdd)
{
    USES_DATA_ALONE;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] = 0;
    atomicAdd(data, 1);
}

/* The barrier orders the zero before the atomics of its own block only. */
KERNEL(zeroesBarrierAllAdd)
{
    USES_DATA_ALONE;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] = 0;
    __syncthreads();
    atomicAdd(data, 1);
}

KERNEL(zeroesWarpBarrierAllAdd)
{
    USES_DATA_ALONE;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] = 0;
    __syncwarp();
    atomicAdd(data, 1);
}

KERNEL(sharedZeroAllAdd)
{
    __shared__ int sum;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        sum = 1; /* an atomic that comes before the zero reads a written word */
    __syncthreads();
    if (threadIdx.x == 0)
        sum = 0;
    atomicAdd(&sum, data[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = sum;
}

KERNEL(sharedZeroAllMax)
{
    __shared__ int most;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        most = 1; /* an atomic that comes before the zero reads a written word */
    __syncthreads();
    if (threadIdx.x == 0)
        most = 0;
    atomicMax(&most, data[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = most;
}

KERNEL(sharedZeroBarrierAllAdd)
{
    __shared__ int sum;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, data[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = sum;
}

KERNEL(votesAndMatches)
{
    USES_NO_FLAG;
    (void)data;
    int lane = (int)LANE(), seen = 0;
    if (__any_sync(FULL, lane == 5))
        seen |= 1;
    if (__any_sync(FULL, lane == 40))
        seen |= 2;
    if (__all_sync(FULL, lane < 32))
        seen |= 4;
    if (__all_sync(FULL, lane < 31))
        seen |= 8;
    if (__ballot_sync(FULL, lane < 2) == 3)
        seen |= 16;
    if (__match_any_sync(FULL, lane / 2) == 3u << (lane / 2 * 2))
        seen |= 32;
    out[threadIdx.x] = seen;
}

/* A segment of half a warp reads from the previous one, not from the next one. */
KERNEL(shuffleAcrossSegments)
{
    USES_NO_FLAG;
    (void)data;
    out[threadIdx.x] = __shfl_xor_sync(FULL, (int)threadIdx.x, 16, 16);
}

/* A sum by shuffles alone accesses no word twice. */
KERNEL(shufflesAlone)
{
    USES_NO_FLAG;
    int sum = data[threadIdx.x] + (int)threadIdx.x;
    for (unsigned int delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(FULL, sum, delta);
    if (threadIdx.x == 0)
        out[0] = sum;
}

/* ---- Across the warps of a block ---- */

KERNEL(noBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

KERNEL(blockBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

KERNEL(warpBarrierAcrossWarps)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

KERNEL(fenceForBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __threadfence_block();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

/* Two warps write the same words of shared memory. */
KERNEL(sharedNoBarrier)
{
    USES_NO_FLAG;
    __shared__ int s[32];
    s[LANE()] = data[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - LANE()];
}

KERNEL(sharedBarrier)
{
    USES_NO_FLAG;
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

KERNEL(allReadSharedWords)
{
    USES_NO_FLAG;
    __shared__ int s[64];
    int sum = 0;
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; k++)
        sum += s[k];
    if (blockIdx.x == 0)
        out[threadIdx.x] = sum;
}

/* A word is read and then overwritten, without a barrier before the write. */
KERNEL(sharedOverwritten)
{
    USES_NO_FLAG;
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    int other = s[63 - threadIdx.x];
    s[threadIdx.x] = other;
    out[threadIdx.x] = other;
}

KERNEL(oneBarrierInLoop)
{
    USES_NO_FLAG;
    for (int round = 0; round < 2; round++) {
        data[threadIdx.x] = round;
        __syncthreads();
        out[threadIdx.x] += data[blockDim.x - 1 - threadIdx.x];
    }
}

KERNEL(twoBarriersInLoop)
{
    USES_NO_FLAG;
    for (int round = 0; round < 2; round++) {
        data[threadIdx.x] = round;
        __syncthreads();
        out[threadIdx.x] += data[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}

KERNEL(allRead)
{
    USES_NO_FLAG;
    out[threadIdx.x] = data[0];
}

KERNEL(allReadThenOneWrites)
{
    USES_NO_FLAG;
    out[threadIdx.x] = data[0];
    if (threadIdx.x == blockDim.x - 1)
        data[0] = 1;
}

KERNEL(allReadBarrierOneWrites)
{
    USES_NO_FLAG;
    out[threadIdx.x] = data[0];
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1)
        data[0] = 1;
}

/* All reads but the writer's own are by lanes of other warps, which met at a warp barrier. */
KERNEL(allReadWarpBarrierOneWrites)
{
    USES_NO_FLAG;
    out[threadIdx.x] = data[0];
    __syncwarp();
    if (threadIdx.x == blockDim.x - 1)
        data[0] = 1;
}

KERNEL(bytesApart)
{
    USES_NO_FLAG;
    char *bytes = reinterpret_cast<char *>(data);
    bytes[threadIdx.x] = 1;
    out[threadIdx.x] = 1;
}

KERNEL(byteOfAWord)
{
    USES_NO_FLAG;
    char *bytes = reinterpret_cast<char *>(data);
    if (threadIdx.x == 0)
        data[0] = 1;
    if (threadIdx.x == 32)
        out[0] = bytes[3];
}

KERNEL(halvesApart)
{
    USES_NO_FLAG;
    short *halves = reinterpret_cast<short *>(data);
    halves[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x / 2];
}

KERNEL(upperHalfOfALongWord)
{
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        *reinterpret_cast<long long *>(data) = 1;
    if (threadIdx.x == 32)
        out[0] = data[1];
}

/* Half of the block exits. The barrier orders the others. */
KERNEL(exitedBeforeBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x + 32];
}

/* The barrier of the warp orders the read of a lane that exits before the lanes that go on. */
KERNEL(exitsAfterWarpBarrier)
{
    USES_NO_FLAG;
    if (threadIdx.x < 32) {
        int value = threadIdx.x == 1 ? data[0] : 0;
        __syncwarp();
        out[threadIdx.x] = value;
        if (threadIdx.x == 1)
            return;
    }
    __syncthreads();
    if (threadIdx.x == 32)
        data[0] = 1;
}

KERNEL(exitedAndNotReadOf)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    out[threadIdx.x] = data[31 - threadIdx.x];
}

/* ---- Across blocks ---- */

KERNEL(blocksWriteOneWord)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x == 0)
        out[0] = (int)blockIdx.x;
}

KERNEL(blocksWriteTheirWords)
{
    USES_NO_FLAG;
    (void)data;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* Each block has its own shared memory. */
KERNEL(blocksWriteSharedMemory)
{
    USES_NO_FLAG;
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

KERNEL(barrierAcrossBlocks)
{
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        data[blockIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = data[gridDim.x - 1 - blockIdx.x];
}

/* Threads of the writer's warp read what it wrote; with 33 so does one of another warp. Compilers
 * load in all threads and select with selp. */
#define READS_FOR_SOME(name, threads)                                                              \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        USES_NO_FLAG;                                                                              \
        __shared__ int first;                                                                      \
        int value = 5;                                                                             \
        if (threadIdx.x == 0)                                                                      \
            first = data[0];                                                                       \
        __syncwarp();                                                                              \
        if (threadIdx.x < threads)                                                                 \
            value = first + 1;                                                                     \
        out[threadIdx.x] = value;                                                                  \
    }

READS_FOR_SOME(readIsDropped, 32)
READS_FOR_SOME(readIsTaken, 33)

/* A read before an acquire is no part of what the acquire orders, even if the value is dropped
 * unless the flag is set. */
KERNEL(readsBeforeAcquire)
{
    int value, seen;
    if (threadIdx.x == 0) {
        data[0] = 7;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else if (threadIdx.x == 32) {
        value = data[0];
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        out[0] = seen == 1 ? value : 5;
    }
}

/* Warps read words by the patterns of tiles, and one thread writes the last word that the other warp
 * has read. */
#define READS_TILE(name, index, last)                                                              \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        USES_NO_FLAG;                                                                              \
        __shared__ int s[64];                                                                      \
        s[threadIdx.x] = data[threadIdx.x];                                                        \
        __syncthreads();                                                                           \
        out[threadIdx.x] = s[index];                                                               \
        if (threadIdx.x == 63)                                                                     \
            s[last] = 1;                                                                           \
        __syncthreads();                                                                           \
        out[threadIdx.x] += s[threadIdx.x];                                                        \
    }

READS_TILE(readsRowsOfTile, threadIdx.x & 15, 15)
READS_TILE(readsColumnsOfTile, threadIdx.x / 16, 1)
READS_TILE(readsOwnColumnOfTile, threadIdx.x / 16, 4)

/* Thread 0 has the sum in a register, and stores it. A compiler merges the register with a load of
 * the sum, hoisted in all other threads, whose value selp drops. */
#define MERGES_LOAD(name, sides)                                                                   \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        USES_NO_FLAG;                                                                              \
        __shared__ int sum;                                                                        \
        int value;                                                                                 \
        asm volatile("{ .reg .pred p; .reg .b32 r;\n"                                              \
                     "setp.eq.u32 p, %1, 0;\n"                                                     \
                     "mov.u32 r, 7;\n"                                                             \
                     "@p bra STORES;\n"                                                            \
                     "ld.u32 r, [%2];\n"                                                    \
                     "bra MEET;\n"                                                                 \
                     "STORES: st.u32 [%2], r;\n"                                            \
                     "MEET: selp.b32 %0, " sides ", p; }"                                          \
                     : "=r"(value)                                                                 \
                     : "r"(threadIdx.x), "l"(&sum)                                                 \
                     : "memory");                                                                  \
        out[threadIdx.x] = value + data[threadIdx.x];                                              \
    }

MERGES_LOAD(mergedReadIsDropped, "r, 1")
MERGES_LOAD(mergedReadIsTaken, "1, r")
