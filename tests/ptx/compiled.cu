/* SPDX-License-Identifier: MIT
 *
 * Kernels that only nvcc compiles: cooperative groups, asynchronous copies and barriers, atomics of
 * libcu++, numbered barriers, warp reductions, recursion. test_compiled.c has their results, and
 * lists those with races. Called as (data, flag, out), arrays of 256 zeros.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "seeded_kernel.h"

#include <cassert>

namespace cg = cooperative_groups;

KERNEL(groupOfTheBlock)
{
    USES_NO_FLAG;
    cg::thread_block block = cg::this_thread_block();
    data[block.thread_rank()] = (int)block.thread_rank();
    block.sync();
    out[threadIdx.x] = data[block.size() - 1 - threadIdx.x];
}

KERNEL(tileReduces)
{
    USES_DATA_ALONE;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    out[threadIdx.x] = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    data[threadIdx.x] = (int)tile.ballot(threadIdx.x % 2);
}

KERNEL(tileShuffles)
{
    USES_DATA_ALONE;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[threadIdx.x] =
        tile.shfl_down((int)threadIdx.x, 1) + 100 * tile.shfl_xor((int)threadIdx.x, 3);
}

KERNEL(copiesAndWaits)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    data[threadIdx.x] = (int)threadIdx.x + 1;
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

/* Without the wait the copy may happen at any time. */
KERNEL(copiesAndDoesNotWait)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    data[threadIdx.x] = (int)threadIdx.x + 1;
    __syncthreads();
    tile[threadIdx.x] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

/* The copy may happen before the others have read the old value. */
KERNEL(copiesOverWhatIsRead)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    tile[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __pipeline_memcpy_async(&tile[threadIdx.x], &data[128 + threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    data[threadIdx.x] = tile[63 - threadIdx.x];
}

/* The phase is incomplete, because a third arrival is missing. A thread that continues anyway has
 * acquired nothing. For blocks of two threads. */
KERNEL(barrierLookedAt)
{
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0)
        __mbarrier_init(&barrier, 3);
    __syncthreads();
    if (threadIdx.x == 0)
        data[0] = 7;
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    flag[threadIdx.x] = __mbarrier_test_wait(&barrier, token);
    out[threadIdx.x] = threadIdx.x == 1 ? data[0] : 0;
}

KERNEL(barrierOfLibcuxx)
{
    USES_NO_FLAG;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    data[threadIdx.x] = (int)threadIdx.x;
    barrier.arrive_and_wait();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

KERNEL(barrierNotWaitedFor)
{
    USES_NO_FLAG;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    data[threadIdx.x] = (int)threadIdx.x;
    (void)barrier.arrive();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}

KERNEL(handsOnByRelease)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[0]);
    if (blockIdx.x == 0) {
        data[0] = 7;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        out[0] = data[0];
    }
}

KERNEL(handsOnRelaxed)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[0]);
    if (blockIdx.x == 0) {
        data[0] = 7;
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        out[0] = data[0];
    }
}

/* The scope does not include the other block. */
KERNEL(handsOnInTheBlock)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag[0]);
    if (blockIdx.x == 0) {
        data[0] = 7;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        out[0] = data[0];
    }
}

/* Two warps meet at barrier 1, two at barrier 2. */
KERNEL(barriersWithNumbers)
{
    USES_NO_FLAG;
    int pair = (int)threadIdx.x / 64;
    data[threadIdx.x] = (int)threadIdx.x;
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    out[threadIdx.x] = data[pair * 64 + 63 - threadIdx.x % 64];
}

/* One thread fences, and another one that met it at barrier 1 stores. The reader does the reverse.
 * Without `fences` no thread fences. */
__device__ void handOnBehindANumber(int *data, volatile int *ready, int *out, bool fences)
{
    while (blockIdx.x > 0 && threadIdx.x == 32 && *ready == 0)
        ;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 7;
        if (fences)
            __threadfence();
    }
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    if (blockIdx.x == 0 && threadIdx.x == 32)
        *ready = 1;
    if (blockIdx.x > 0 && threadIdx.x == 0) {
        if (fences)
            __threadfence();
        out[0] = data[0];
    }
}

KERNEL(handsOnBehindANumber)
{
    handOnBehindANumber(data, flag, out, true);
}

KERNEL(handsOnBehindANumberUnfenced)
{
    handOnBehindANumber(data, flag, out, false);
}

/* The checker distinguishes the two pairs. */
KERNEL(barriersOfOtherPairs)
{
    USES_NO_FLAG;
    int pair = (int)threadIdx.x / 64;
    data[threadIdx.x] = (int)threadIdx.x;
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    out[threadIdx.x] = data[127 - threadIdx.x];
}

KERNEL(arrivesAndGoesOn)
{
    USES_NO_FLAG;
    if (threadIdx.x < 32) {
        data[threadIdx.x] = (int)threadIdx.x;
        asm volatile("barrier.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("barrier.sync 3, 64;" ::: "memory");
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}

KERNEL(blockVotes)
{
    USES_DATA_ALONE;
    data[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0);
    out[threadIdx.x] = __syncthreads_and(threadIdx.x < 64) + 2 * __syncthreads_or(threadIdx.x == 5);
}

KERNEL(warpReduces)
{
    USES_DATA_ALONE;
    data[threadIdx.x] = (int)__reduce_add_sync(0xffffffff, threadIdx.x);
    out[threadIdx.x] = __reduce_min_sync(0xffffffff, (int)threadIdx.x - 16) +
                       1000 * (int)__reduce_or_sync(0xffffffff, threadIdx.x);
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL(recursion)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = fibonacci((int)threadIdx.x % 12);
    data[threadIdx.x] = 1;
}

__device__ __noinline__ int doubled(int a)
{
    return 2 * a;
}

__device__ __noinline__ int negated(int a)
{
    return -a;
}

KERNEL(indirectCalls)
{
    USES_DATA_ALONE;
    int (*function)(int) = threadIdx.x % 2 ? doubled : negated;
    out[threadIdx.x] = function((int)threadIdx.x);
    data[threadIdx.x] = 1;
}

__device__ int counted = 5;
__constant__ int table[4] = {10, 20, 30, 40};

KERNEL(variablesOfTheModule)
{
    USES_DATA_ALONE;
    data[threadIdx.x] = table[threadIdx.x % 4];
    out[threadIdx.x] = atomicAdd(&counted, 1) >= 5;
}

KERNEL(switches)
{
    USES_DATA_ALONE;
    int value = 0;
    switch (threadIdx.x % 9) {
    case 0:
        value = 11;
        break;
    case 1:
        value = 3 * data[0] + 5;
        break;
    case 2:
        value = data[1] + 77;
        break;
    case 3:
        value = data[2] * 2 + 19;
        break;
    case 4:
        value = 23;
        break;
    case 5:
        value = data[3] + 4;
        break;
    case 6:
        value = data[4] - 6;
        break;
    case 7:
        value = 8;
        break;
    default:
        value = -1;
    }
    out[threadIdx.x] = value;
}

KERNEL(localArrays)
{
    USES_DATA_ALONE;
    int local[16];
    for (int k = 0; k < 16; k++)
        local[(k * 7 + (int)threadIdx.x) % 16] = k;
    out[threadIdx.x] = local[threadIdx.x % 16];
    data[threadIdx.x] = 1;
}

KERNEL(halfSums)
{
    USES_DATA_ALONE;
    __half2 sum = __floats2half2_rn(0.5f, 0.25f);
    for (int k = 0; k < 4; k++)
        sum = __hfma2(sum, __float2half2_rn(1.5f), __floats2half2_rn(1.0f, 0.125f));
    out[threadIdx.x] = (int)(__low2float(sum) * 16) + (int)(__high2float(sum) * 16) * 1000;
    data[threadIdx.x] = 1;
}

KERNEL(trapsInThread5)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x == 5)
        __trap();
}

KERNEL(assertsInThread6)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = data[threadIdx.x];
    assert(threadIdx.x != 6);
}

/* Words of 32 bits at an odd address. */
KERNEL(misaligned)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = *(int *)((char *)data + 1);
}

__global__ __launch_bounds__(32) void bounded(int *data, int *flag, int *out)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = data[threadIdx.x] + 1;
}
EXPORT_KERNEL(bounded);

__global__ void child(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x + 1;
}

KERNEL(launchesAChild)
{
    USES_DATA_ALONE;
    data[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        LAUNCH(child, 1, 32)(out);
}

KERNEL(printsUnasked)
{
    USES_DATA_ALONE;
    out[threadIdx.x] = data[threadIdx.x];
    printf("thread %u of %s, %5.2f %%\n", threadIdx.x, "a block", 1.5);
}

/* ---- Local arrays and their surroundings ---- */

__device__ __noinline__ void addsUp(int *sums, const int *of, int count)
{
    int squares[8];

    for (int k = 0; k < count; k++)
        squares[k & 7] = of[k] * of[k];
    for (int k = 0; k < count; k++)
        sums[k] += squares[k & 7];
    if (count > 1)
        addsUp(sums, of, count - 1);
}

struct numbers {
    int value[6];
};

__device__ __noinline__ numbers turned(numbers n, int by)
{
    numbers result;

    for (int k = 0; k < 6; k++)
        result.value[k] = n.value[(k + by) % 6];
    return result;
}

/* Arrays of unfinished calls, accessed by generic addresses, and structs by value. */
KERNEL(arraysHandedDown)
{
    USES_NO_FLAG;
    int of[8], sums[8];
    numbers n;

    for (int k = 0; k < 8; k++) {
        of[k] = data[k] + k;
        sums[k] = data[k];
    }
    addsUp(sums, of, data[0] + 8);
    for (int k = 0; k < 6; k++)
        n.value[k] = sums[k + data[k]];
    n = turned(n, threadIdx.x % 6);
    out[threadIdx.x] = n.value[data[threadIdx.x]];
}

KERNEL(writesPastALocalArray)
{
    USES_NO_FLAG;
    int a[16];

    for (int k = 0; k < 16; k++)
        a[k] = k;
    a[data[threadIdx.x] + 16] = 7;
    out[threadIdx.x] = a[data[threadIdx.x] & 15];
}

KERNEL(writesOverItsOwnCall)
{
    USES_NO_FLAG;
    int a[16];

    for (int k = 0; k < 16; k++)
        a[k] = k;
    a[data[threadIdx.x] + 29] = 7;
    out[threadIdx.x] = a[data[threadIdx.x] & 15];
}

KERNEL(readsBeforeALocalArray)
{
    USES_NO_FLAG;
    int a[16];

    for (int k = 0; k < 16; k++)
        a[k] = k;
    out[threadIdx.x] = a[data[threadIdx.x] - 1];
}

/* As far away as the buffers are. */
KERNEL(readsABufferAsALocalArray)
{
    USES_NO_FLAG;
    int a[16];
    volatile long long away = data + threadIdx.x - a;

    for (int k = 0; k < 16; k++)
        a[k] = k;
    out[threadIdx.x] = a[away];
}

__device__ __noinline__ void writesAt(int *a, int k)
{
    a[k] = 7;
}

KERNEL(writesPastAnArrayOfItsCaller)
{
    USES_NO_FLAG;
    int a[16];

    for (int k = 0; k < 16; k++)
        a[k] = k;
    writesAt(a, data[threadIdx.x] + 16);
    out[threadIdx.x] = a[data[threadIdx.x]];
}

__device__ __noinline__ int *keeps(int k)
{
    int a[8];
    int *volatile kept = a;

    a[k & 7] = k;
    return kept;
}

KERNEL(readsAnArrayOfACallThatEnded)
{
    USES_NO_FLAG;
    out[threadIdx.x] = *keeps(data[threadIdx.x]);
}

__device__ __noinline__ int valueAt(numbers n, int k)
{
    return n.value[k];
}

KERNEL(readsPastAStructByValue)
{
    USES_NO_FLAG;
    numbers n;

    for (int k = 0; k < 6; k++)
        n.value[k] = data[k];
    out[threadIdx.x] = valueAt(n, data[threadIdx.x] + 6);
}

/* ---- Constant reads ---- */

KERNEL(constantsThatAreWritten)
{
    USES_NO_FLAG;
    int a = __ldg(&data[threadIdx.x]);
    data[threadIdx.x] = a + 1;
    out[threadIdx.x] = a;
}

KERNEL(constantsThatWereWritten)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = __ldg(&data[blockDim.x - 1 - threadIdx.x]);
}

/* The plain reads follow all constant ones, and do not make these valid. */
KERNEL(constantsReadAgainAndWritten)
{
    USES_NO_FLAG;
    int a = __ldg(&data[0]);
    __syncthreads();
    a += *(volatile int *)data + data[threadIdx.x / 64];
    __syncthreads();
    if (threadIdx.x == 0)
        data[0] = a;
    out[threadIdx.x] = a;
}

KERNEL(constantsThatAreAddedTo)
{
    USES_NO_FLAG;
    out[threadIdx.x] = __ldg(&data[0]);
    __syncthreads();
    atomicAdd(&data[0], 1);
}

/* Not the written words, but others, and other bytes of the same words. */
KERNEL(constantsOfTheirOwn)
{
    USES_NO_FLAG;
    const char *bytes = (const char *)data;
    int4 four = __ldg((const int4 *)data);
    int a = __ldg(&bytes[4 * (64 + threadIdx.x)]) + __ldg(&data[threadIdx.x]) + data[threadIdx.x];

    ((char *)data)[4 * (64 + threadIdx.x) + 1] = 1;
    data[128 + threadIdx.x] = a;
    out[threadIdx.x] = data[128 + threadIdx.x] + four.x + four.w + (int)threadIdx.x;
}

__global__ void addsOne(const int *data, int *out)
{
    out[threadIdx.x] = __ldg(&data[threadIdx.x]) + 1;
}

/* Another grid has written them. */
KERNEL(constantsOfAChild)
{
    USES_NO_FLAG;
    data[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        LAUNCH(addsOne, 1, 32)(data, out);
}
