/* SPDX-License-Identifier: MIT
 *
 * Kernels whose threads wait in loops. test_races.c lists those that race.
 */
#include "seeded_kernel.h"

/* ---- Inside a block ---- */

/* The first warp waits for the second. */
KERNEL(waitsForAnotherWarp)
{
    if (threadIdx.x == 32) {
        data[0] = 5;
        __threadfence_block();
        atomicExch_block(flag, 1);
    } else if (threadIdx.x == 0) {
        while (atomicAdd_block(flag, 0) == 0)
            ;
        __threadfence_block();
        out[0] = data[0];
    }
}

KERNEL(waitsByVolatile)
{
    volatile int *seen = flag;

    if (threadIdx.x == 32) {
        data[0] = 5;
        __threadfence();
        *seen = 1;
    } else if (threadIdx.x == 0) {
        while (*seen == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

KERNEL(waitsWithoutFences)
{
    if (threadIdx.x == 32) {
        data[0] = 5;
        atomicExch_block(flag, 1);
    } else if (threadIdx.x == 0) {
        while (atomicAdd_block(flag, 0) == 0)
            ;
        out[0] = data[0];
    }
}

static __device__ void acquire(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

static __device__ void release(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

/* One thread of each warp in each block. */
KERNEL(lockOfWarps)
{
    (void)out;
    if (threadIdx.x % 32 == 0) {
        acquire(flag);
        data[0] += 1;
        release(flag);
    }
}

/* Every thread locks, and none waits for its warp while it has the lock. */
KERNEL(lockOfThreads)
{
    bool done = false;
    (void)data;
    while (!done) {
        if (atomicCAS(flag, 0, 1) == 0) {
            __threadfence();
            out[0] += 1;
            __threadfence();
            atomicExch(flag, 0);
            done = true;
        }
    }
}

KERNEL(lockWithoutFences)
{
    (void)out;
    if (threadIdx.x % 32 == 0) {
        while (atomicExch(flag, 1) != 0)
            ;
        data[0] += 1;
        atomicExch(flag, 0);
    }
}

KERNEL(lockGivenBackEarly)
{
    (void)out;
    if (threadIdx.x % 32 == 0) {
        acquire(flag);
        release(flag);
        data[0] += 1;
    }
}

/* flag[0] hands out tickets, and flag[1] is the ticket whose turn it is. */
KERNEL(ticketsOfWarps)
{
    (void)out;
    if (threadIdx.x % 32 == 0) {
        int ticket = atomicAdd(&flag[0], 1);
        while (atomicAdd(&flag[1], 0) != ticket)
            ;
        __threadfence();
        data[0] += 1;
        __threadfence();
        atomicAdd(&flag[1], 1);
    }
}

/* ---- Between blocks ---- */

KERNEL(waitsForTheNextBlock)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        out[0] = data[0];
    } else {
        data[0] = 5;
        __threadfence();
        atomicExch(flag, 1);
    }
}

/* The lanes of a warp poll together until each has what it waits for. */
KERNEL(waitsTogether)
{
    if (blockIdx.x == 0) {
        while (__any_sync(0xffffffff, atomicAdd(flag + threadIdx.x, 0) == 0))
            ;
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x];
    } else {
        data[threadIdx.x] = 5;
        __threadfence();
        atomicExch(flag + threadIdx.x, 1);
    }
}

/* All blocks meet, as in a cooperative launch. */
KERNEL(barrierOfTheGrid)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = data[i + 1];

    (void)out;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(flag, 1);
        while (atomicAdd(flag, 0) < static_cast<int>(gridDim.x))
            ;
        __threadfence();
    }
    __syncthreads();
    data[i] = next;
}

KERNEL(noBarrierOfTheGrid)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = data[i + 1];

    (void)flag;
    (void)out;
    __syncthreads();
    data[i] = next;
}

/* Each block adds to the previous block's sum: decoupled look-back. data[b] is the sum up to block
 * b, and flag[b] says that it is valid. */
KERNEL(lookBack)
{
    (void)out;
    if (threadIdx.x != 0)
        return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (atomicAdd(&flag[blockIdx.x - 1], 0) == 0)
            ;
        __threadfence();
        before = data[blockIdx.x - 1];
    }
    data[blockIdx.x] = before + 1;
    __threadfence();
    atomicExch(&flag[blockIdx.x], 1);
}

/* ---- Endless waits ---- */

KERNEL(waitsForNobody)
{
    (void)data;
    (void)out;
    while (atomicAdd(flag, 0) == 0)
        ;
}

KERNEL(waitsTogetherForNobody)
{
    (void)data;
    (void)out;
    while (__any_sync(0xffffffff, atomicAdd(flag, 0) == 0))
        ;
}

KERNEL(waitsForEachOther)
{
    (void)data;
    (void)out;
    volatile int *seen = flag;
    while (seen[threadIdx.x ^ 1] == 0)
        ;
    seen[threadIdx.x] = 1;
}

/* A lane waits for another lane of its warp, which never ends in lockstep. */
KERNEL(waitsForALane)
{
    if (threadIdx.x == 1) {
        data[0] = 5;
        __threadfence_block();
        atomicExch_block(flag, 1);
    }
    if (threadIdx.x == 0) {
        while (atomicAdd_block(flag, 0) == 0)
            ;
        __threadfence_block();
        out[0] = data[0];
    }
}

/* Reads volatile words for a long time without waiting for any. */
KERNEL(sumsVolatileWords)
{
    USES_NO_FLAG;
    const volatile int *words = data;
    int sum = 0;
    for (int k = 0; k < 20000; k++)
        sum += words[k % 64];
    out[threadIdx.x] = sum;
}

/* ---- Waits that do not look like waits ---- */

/* The block votes in its loop, which one thread could leave alone. */
KERNEL(pollsWithBarrier)
{
    bool go = false;
    data[blockIdx.x * blockDim.x + threadIdx.x] += 5;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(flag, 1);
    while (!__syncthreads_or(go))
        if (threadIdx.x == 0)
            go = *(volatile int *)flag == static_cast<int>(gridDim.x);
    __threadfence();
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x];
}

/* Thread 0 tells its block through shared memory. */
KERNEL(pollsForItsBlock)
{
    __shared__ int go;
    (void)data;
    if (threadIdx.x == 0)
        atomicAdd(flag, 1);
    for (bool ends = false; !ends;) {
        if (threadIdx.x == 0)
            go = *(volatile int *)flag == static_cast<int>(gridDim.x);
        __syncthreads();
        ends = go != 0;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 5;
}

/* A block waits for the next one, and counts how long: in global, shared or local memory. */
template <int where>
static __device__ void count_polls(int *data, int *flag, int *out)
{
    __shared__ int shared;
    volatile int local[2] = {0, 0};
    if (blockIdx.x + 1 == gridDim.x) {
        atomicExch(flag, 1);
    } else {
        shared = 0;
        while (atomicAdd(flag, 0) == 0) {
            if (where == 0)
                data[blockIdx.x] += 1;
            else if (where == 1)
                *(volatile int *)&shared = shared + 1;
            else
                local[threadIdx.x & 1] = local[threadIdx.x & 1] + 1;
        }
    }
    out[blockIdx.x] = 5;
}

KERNEL(countsPollsInGlobal)
{
    count_polls<0>(data, flag, out);
}

KERNEL(countsPollsInShared)
{
    count_polls<1>(data, flag, out);
}

KERNEL(countsPollsInLocal)
{
    count_polls<2>(data, flag, out);
}

/* A race: the flag is read plainly, again and again. */
KERNEL(pollsPlainly)
{
    int seen = 0;
    (void)data;
    if (blockIdx.x + 1 == gridDim.x)
        flag[0] = 1;
    else
        while (seen == 0)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    out[blockIdx.x] = 5;
}

/* Each of two threads retreats while the other one claims. Both retreat for ever if they step in
 * turn. */
KERNEL(retreatsInTurn)
{
    (void)data;
    if (threadIdx.x != 0)
        return;
    for (;;) {
        atomicExch(&flag[blockIdx.x], 1);
        if (atomicAdd(&flag[1 - blockIdx.x], 0) == 0)
            break;
        atomicExch(&flag[blockIdx.x], 0);
    }
    atomicAdd(&out[0], 5);
    atomicExch(&flag[blockIdx.x], 0);
}

/* Reads one word for a long time without waiting. */
KERNEL(readsOneWordLong)
{
    (void)data;
    for (int k = 0; k < 3000; k++) {
        atomicAdd(flag, 0);
        __syncwarp();
    }
    out[threadIdx.x] = 5;
}
