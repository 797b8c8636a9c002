/* SPDX-License-Identifier: MIT
 *
 * Threads that do not reach a barrier together, warps whose lanes diverge, and code that must not
 * depend on that. test_convergence.c has the expected results.
 */
#include "seeded_kernel.h"

/* ---- A thread continues without a barrier ---- */

KERNEL(writesWithoutTheBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x < 16)
        __syncthreads(); /* line 14 */
    data[threadIdx.x] = 1;
}

KERNEL(writesBehindTheBarrierOfAll)
{
    (void)out;
    if (flag[0] == 0)
        __syncthreads();
    __syncthreads();
    data[threadIdx.x] = 1;
}

KERNEL(aWarpWritesWithoutTheBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x >= 32)
        __syncthreads(); /* line 31 */
    data[threadIdx.x] = 1;
}

/* A loop whose trip count differs per thread, then one with a count per block. */
KERNEL(meetsInALoopByThread)
{
    USES_NO_FLAG;
    for (unsigned int round = 0; round < threadIdx.x % 4; round++) {
        data[threadIdx.x] += 1;
        __syncthreads(); /* line 41 */
    }
    out[threadIdx.x] = data[threadIdx.x];
}

KERNEL(meetsInALoopByBlock)
{
    USES_NO_FLAG;
    for (unsigned int round = 0; round < blockDim.x % 4; round++) {
        data[threadIdx.x] += 1;
        __syncthreads();
    }
    out[threadIdx.x] = data[threadIdx.x];
}

/* All threads reach the barrier, but in different rounds of the loop. */
KERNEL(meetsInAnotherRound)
{
    USES_NO_FLAG;
    for (unsigned int round = 0; round < 64; round++) {
        if (threadIdx.x / 32 == round % 2)
            __syncthreads(); /* line 62 */
        out[threadIdx.x] += data[round];
    }
}

KERNEL(meetsInItsRound)
{
    USES_NO_FLAG;
    for (unsigned int round = 0; round < 64; round++) {
        if (blockIdx.x == round % 2)
            __syncthreads();
        out[threadIdx.x] += data[round];
    }
}

static __device__ __noinline__ void halfMeetsInACall(int *data)
{
    if (threadIdx.x % 2 == 0)
        return;
    data[threadIdx.x] = 1;
    __syncthreads(); /* line 82 */
}

KERNEL(goesOnBehindTheCall)
{
    USES_NO_FLAG;
    halfMeetsInACall(data);
    out[threadIdx.x] = 1;
}

static __device__ __noinline__ void allMeetInACall(int *data)
{
    if (data[threadIdx.x] == 0)
        data[threadIdx.x] = 1;
    __syncthreads();
}

KERNEL(goesOnBehindTheCallOfAll)
{
    USES_NO_FLAG;
    if (blockIdx.x < 2)
        allMeetInACall(data + 64 * blockIdx.x);
    out[64 * blockIdx.x + threadIdx.x] = 1;
}

/* ---- A thread has returned: a fault with --strict-barriers ---- */

KERNEL(returnsBeforeTheBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x >= 40)
        return;
    data[threadIdx.x] = 1;
    __syncthreads(); /* line 115 */
    data[threadIdx.x] += data[threadIdx.x ^ 1];
}

/* Threads that do not read the last array element have nothing to do after the barrier. */
KERNEL(returnsBehindTheLastBarrier)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    out[0] = data[1];
}

/* ---- Two barriers ---- */

KERNEL(warpsAtTwoBarriers)
{
    USES_NO_FLAG;
    if (threadIdx.x < 32) {
        data[threadIdx.x] = 1;
        __syncthreads(); /* line 137 */
        out[threadIdx.x] = data[threadIdx.x + 32];
    } else {
        data[threadIdx.x] = 2;
        __syncthreads(); /* line 141 */
        out[threadIdx.x] = data[threadIdx.x - 32];
    }
}

KERNEL(lanesAtTwoBarriers)
{
    USES_NO_FLAG;
    if (threadIdx.x % 2 == 0) {
        data[threadIdx.x] = 1;
        __syncthreads(); /* line 151 */
        out[threadIdx.x] = data[threadIdx.x + 1];
    } else {
        data[threadIdx.x] = 2;
        __syncthreads(); /* line 155 */
        out[threadIdx.x] = data[threadIdx.x - 1];
    }
}

/* A barrier that the compiler unrolls counts as one barrier. */
KERNEL(warpsAtOneUnrolledBarrier)
{
    USES_NO_FLAG;
#pragma unroll
    for (int round = 0; round < 4; round++) {
        data[threadIdx.x] += round;
        __syncthreads();
        out[threadIdx.x] += data[threadIdx.x ^ 33];
        __syncthreads();
    }
}

/* PTX barriers for a number of threads that is a multiple of the warp size. */
KERNEL(halvesOfWarpsAtANumberedBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x % 2 == 0)
        asm volatile("bar.sync 1, 32;" ::: "memory"); /* line 178 */
    data[threadIdx.x] = 1;
}

KERNEL(aWarpAtANumberedBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    data[threadIdx.x] = 1;
}

/* Lanes may reach an unaligned barrier one after the other. */
KERNEL(halvesOfWarpsAtAnUnalignedBarrier)
{
    USES_DATA_ALONE;
    if (threadIdx.x % 2 == 0)
        asm volatile("barrier.sync 1, 32;" ::: "memory");
    data[threadIdx.x] = 1;
}

/* ---- CUDA does not guarantee which lanes run together ---- */

KERNEL(storesTheActiveMask)
{
    USES_NO_FLAG;
    (void)data;
    out[threadIdx.x] = (int)__activemask(); /* line 205 */
}

KERNEL(branchesOnTheActiveMask)
{
    USES_NO_FLAG;
    (void)data;
    if (__popc(__activemask()) > 1) /* line 212 */
        out[threadIdx.x] = 1;
}

KERNEL(shufflesUnderTheActiveMask)
{
    USES_NO_FLAG;
    int value = data[threadIdx.x] + (int)threadIdx.x;
    unsigned int mask = __activemask(); /* line 220 */
    out[threadIdx.x] = __shfl_sync(mask, value, __ffs((int)mask) - 1);
}

/* One atomic addition for the lanes that run together. The sum is always the same. */
KERNEL(addsForTheActiveLanes)
{
    USES_NO_FLAG;
    (void)data;
    unsigned int mask = __activemask(), lane = threadIdx.x % 32;
    if ((int)lane == __ffs((int)mask) - 1)
        atomicAdd(out, __popc(mask));
}

/* ---- Widths of shuffles ---- */

KERNEL(shufflesAmongTwelve)
{
    USES_NO_FLAG;
    int width = data[0] + 12;
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1, width); /* line 240 */
}

KERNEL(shufflesUpAmongTwelve)
{
    USES_NO_FLAG;
    int width = data[0] + 12;
    out[threadIdx.x] = __shfl_up_sync(0xffffffff, (int)threadIdx.x, 1, width); /* line 247 */
}

KERNEL(shufflesAmongSixteen)
{
    USES_NO_FLAG;
    for (int width = 1 + data[0]; width <= 32; width *= 2)
        out[threadIdx.x] += __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1, width) +
                            __shfl_up_sync(0xffffffff, (int)threadIdx.x, 1, width);
}

/* ---- Code around the barrier ---- */

KERNEL(goesOnInsideAnotherBranch)
{
    USES_DATA_ALONE;
    if (blockDim.x > 1) {
        if (threadIdx.x < 16)
            __syncthreads(); /* line 265 */
        data[threadIdx.x] = 1;
    }
}

/* A path that ends the program does not continue. */
KERNEL(goesOnBesideAnAssertion)
{
    USES_NO_FLAG;
    if (threadIdx.x < 16) {
        if (data[threadIdx.x] != 0)
            __trap();
        __syncthreads(); /* line 277 */
    }
    out[threadIdx.x] = 1;
}

/* Lanes of one warp reach one barrier in different rounds. */
KERNEL(lanesMeetInAnotherRound)
{
    USES_NO_FLAG;
    for (unsigned int round = 0; round < 64; round++) {
        if (threadIdx.x % 2 == round % 2)
            __syncthreads(); /* line 288 */
        out[threadIdx.x] += data[round];
    }
}

/* ---- Masks ---- */

/* Odd lanes name all lanes, and even lanes only the even ones. Then all exit. */
KERNEL(lanesPassTwoMasks)
{
    USES_NO_FLAG;
    unsigned int mask = threadIdx.x % 2 == 0 ? 0x55555555 : 0xffffffff;
    out[threadIdx.x] = data[threadIdx.x];
    __syncwarp(mask); /* line 301 */
}

KERNEL(lanesShuffleWithTwoMasks)
{
    USES_NO_FLAG;
    unsigned int mask = threadIdx.x % 2 == 0 ? 0x55555555 : 0xffffffff;
    out[threadIdx.x] = __shfl_sync(mask, data[threadIdx.x], 0); /* line 308 */
}

KERNEL(halvesPassTheirMasks)
{
    USES_NO_FLAG;
    unsigned int mask = threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000;
    out[threadIdx.x] = data[threadIdx.x];
    __syncwarp(mask);
}

/* Even lanes exit after the first round. The mask of the second round has them, too. */
KERNEL(lanesExitBetweenTwoMasks)
{
    USES_NO_FLAG;
    for (int round = 0; round < 2; round++) {
        unsigned int mask = round == 1 ? 0xffffffff : threadIdx.x % 2 == 0 ? 0x55555555 : 0xaaaaaaaa;
        out[threadIdx.x] += data[threadIdx.x];
        __syncwarp(mask);
        if (threadIdx.x % 2 == 0)
            return;
    }
}

KERNEL(storesTheLowestBitOfTheClock)
{
    USES_NO_FLAG;
    (void)data;
    long long time;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(time));
    out[threadIdx.x] = (int)(time & 1);
}
