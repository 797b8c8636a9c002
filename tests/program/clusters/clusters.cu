/* SPDX-License-Identifier: MIT
 *
 * Kernels for clusters of blocks: right ones, and ones with a bug, at a line that the test names.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BINS = 64 }; /* of a block */

/* Counts values in the shared memory of all blocks of a cluster: CUDA C++ Programming Guide,
 * distributed shared memory. */
template <bool FIRST_SYNC, bool LAST_SYNC, int SHIFT>
__device__ void count(const int *in, int n, int *bins)
{
    __shared__ int own[BINS];
    cg::cluster_group cluster = cg::this_cluster();
    int total = BINS * cluster.num_blocks();

    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    if (FIRST_SYNC)
        cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) {
        int bin = min(max(in[i], 0), total - 1);
        int *there = cluster.map_shared_rank(own, bin / BINS + SHIFT);
        atomicAdd(there + bin % BINS, 1);
    }
    if (LAST_SYNC)
        cluster.sync();
    else
        __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * BINS + i], own[i]);
}

__global__ void histogram(const int *in, int n, int *bins)
{
    count<true, true, 0>(in, n, bins);
}

__global__ void __cluster_dims__(2) histogramOfTwo(const int *in, int n, int *bins)
{
    count<true, true, 0>(in, n, bins);
}

__global__ void noFirstSync(const int *in, int n, int *bins)
{
    count<false, true, 0>(in, n, bins);
}

__global__ void noLastSync(const int *in, int n, int *bins)
{
    count<true, false, 0>(in, n, bins);
}

__global__ void wrongRank(const int *in, int n, int *bins)
{
    count<true, true, 1>(in, n, bins);
}

/* The first block adds the sums of all blocks. */
__global__ void sum(const int *in, int *out)
{
    __shared__ int part;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, in[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < cluster.num_blocks())
        atomicAdd(&out[blockIdx.x / cluster.num_blocks()],
                  *cluster.map_shared_rank(&part, threadIdx.x));
    cluster.sync();
}

/* The same with the two halves of the barrier, and without it at the end. */
__global__ void sumWithoutEnd(const int *in, int *out)
{
    __shared__ int part;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, in[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.barrier_arrive();
    cluster.barrier_wait();
    if (cluster.block_rank() == 0 && threadIdx.x < cluster.num_blocks())
        atomicAdd(&out[blockIdx.x / cluster.num_blocks()],
                  *cluster.map_shared_rank(&part, threadIdx.x));
}

/* Each block reads from the next one. */
template <bool LAST_SYNC>
__device__ void rotate(const int *in, int *out)
{
    __shared__ int own[32];
    cg::cluster_group cluster = cg::this_cluster();
    int at = blockIdx.x * 32 + threadIdx.x;

    own[threadIdx.x] = in[at];
    cluster.sync();
    out[at] = cluster.map_shared_rank(own, (cluster.block_rank() + 1) %
                                               cluster.num_blocks())[threadIdx.x];
    if (LAST_SYNC)
        cluster.sync();
}

__global__ void ring(const int *in, int *out)
{
    rotate<true>(in, out);
}

__global__ void ringWithoutEnd(const int *in, int *out)
{
    rotate<false>(in, out);
}

__global__ void waitsOnly(int *out)
{
    out[blockIdx.x] = 1;
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void arrivesTwice(int *out)
{
    out[blockIdx.x] = 1;
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

/* Thread 5 of block 1 waits for an event that never comes. */
__global__ void oneStays(volatile int *flag, int *out)
{
    out[blockIdx.x] = 1;
    if (blockIdx.x == 1 && threadIdx.x == 5)
        __syncthreads();
    else
        cg::this_cluster().sync();
    *flag = 0;
}

/* A block that returns early does not hold up the others. */
__global__ void oneReturns(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();

    if (cluster.block_rank() == 1)
        return;
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[blockIdx.x / cluster.num_blocks()] = cluster.num_blocks();
}

__device__ void readRegisters(unsigned *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    unsigned *row = out + 10 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
    unsigned is_explicit, x, y, nx, ny;
    __shared__ int here;
    void *there = cluster.map_shared_rank(&here, cluster.num_blocks() - 1);

    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(is_explicit));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
    row[0] = is_explicit;
    row[1] = cluster.block_rank();
    row[2] = cluster.num_blocks();
    row[3] = cluster.block_index().x + 16 * cluster.block_index().y;
    row[4] = cluster.dim_blocks().x + 16 * cluster.dim_blocks().y;
    row[5] = x + 16 * y;
    row[6] = nx + 16 * ny;
    row[7] = cluster.query_shared_rank(there);
    row[8] = cluster.query_shared_rank(&here);
    row[9] = __isShared(there) + 2 * __isShared(&here) + 4 * __isClusterShared(there) +
             8 * __isGlobal(there);
}

__global__ void registers(unsigned *out)
{
    readRegisters(out);
}

__global__ void registersOfAGrid(unsigned *out)
{
    readRegisters(out);
}

/* ---- Asynchronous stores ---- */

__device__ unsigned sharedAddress(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ unsigned mapped(const void *pointer, unsigned rank)
{
    unsigned address;

    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"(sharedAddress(pointer)), "r"(rank));
    return address;
}

__device__ void start(unsigned long long *barrier, unsigned arrivals)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(barrier)),
                     "r"(arrivals)
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ void await(unsigned long long *barrier, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(sharedAddress(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ void storeAsync(unsigned to, int value, unsigned barrier)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(value), "r"(barrier)
        : "memory");
}

enum { AS_IT_SHOULD, NO_WAIT, WRONG_BYTES, OTHER_BARRIER, NO_FIRST_SYNC };

/* Each block sends its values to the next one, twice round the ring. */
template <int BUG>
__device__ void exchange(const int *in, int *out)
{
    __shared__ int got[2][32];
    __shared__ unsigned long long barriers[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int at = blockIdx.x * 32 + threadIdx.x, value = in[at];

    start(&barriers[0], 1);
    start(&barriers[1], 1);
    if (BUG != NO_FIRST_SYNC)
        cluster.sync();
    for (int round = 0; round < 2; round++) {
        unsigned barrier =
            mapped(&barriers[round], BUG == OTHER_BARRIER ? cluster.block_rank() : next);
        if (threadIdx.x == 0)
            expect(&barriers[round], BUG == WRONG_BYTES ? 132 : 128);
        storeAsync(mapped(&got[round][threadIdx.x], next), value, barrier);
        if (BUG != NO_WAIT)
            await(&barriers[round], 0);
        value = got[round][threadIdx.x];
    }
    out[at] = value;
    cluster.sync();
}

__global__ void asyncRing(const int *in, int *out)
{
    exchange<AS_IT_SHOULD>(in, out);
}

__global__ void noWait(const int *in, int *out)
{
    exchange<NO_WAIT>(in, out);
}

__global__ void wrongBytes(const int *in, int *out)
{
    exchange<WRONG_BYTES>(in, out);
}

__global__ void otherBarrier(const int *in, int *out)
{
    exchange<OTHER_BARRIER>(in, out);
}

__global__ void noSyncAfterInit(const int *in, int *out)
{
    exchange<NO_FIRST_SYNC>(in, out);
}

/* All blocks add to the first one, which waits for the bytes. */
__global__ void asyncSum(const int *in, int *out)
{
    __shared__ int total[2];
    __shared__ unsigned long long barrier;
    cg::cluster_group cluster = cg::this_cluster();
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];

    start(&barrier, 1);
    if (threadIdx.x == 0) {
        total[0] = 0;
        total[1] = -2147483647 - 1;
    }
    cluster.sync();
    if (cluster.thread_rank() == 0)
        expect(&barrier, 8 * cluster.num_threads());
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(mapped(&total[0], 0)),
                 "r"(value), "r"(mapped(&barrier, 0))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 "
                 "[%0], %1, [%2];" ::"r"(mapped(&total[1], 0)),
                 "r"(value), "r"(mapped(&barrier, 0))
                 : "memory");
    if (cluster.block_rank() > 0)
        return;
    await(&barrier, 0);
    if (threadIdx.x < 2)
        out[2 * (blockIdx.x / cluster.num_blocks()) + threadIdx.x] = total[threadIdx.x];
}

/* Vectors, and arrivals from other blocks: the first block collects a row of each block. */
__global__ void collect(const int4 *in, int4 *out)
{
    __shared__ int4 rows[8];
    __shared__ unsigned long long full, taken;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), count = cluster.num_blocks();
    int4 row = in[blockIdx.x];

    start(&full, 1);
    start(&taken, count);
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%1, "
                     "%2, %3, %4}, [%5];" ::"r"(mapped(&rows[rank], 0)),
                     "r"(row.x), "r"(row.y), "r"(row.z), "r"(row.w), "r"(mapped(&full, 0))
                     : "memory");
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&taken, 0))
            : "memory");
    }
    if (rank == 0) {
        if (threadIdx.x == 0)
            expect(&full, 16 * count);
        await(&full, 0);
        await(&taken, 0);
        if (threadIdx.x < count)
            out[blockIdx.x + threadIdx.x] = rows[threadIdx.x];
    }
    cluster.sync();
}

/* ---- Scopes ---- */

/* Block 1 writes to the shared memory of block 0, and sets a flag there. */
template <bool CLUSTER_SCOPE>
__device__ void signal(int *out)
{
    __shared__ int data, flag;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned seen = 0;

    flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        *cluster.map_shared_rank(&data, 0) = 42;
        if (CLUSTER_SCOPE)
            asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" ::"r"(mapped(&flag, 0))
                         : "memory");
        else
            asm volatile("st.release.cta.shared::cluster.u32 [%0], 1;" ::"r"(mapped(&flag, 0))
                         : "memory");
    } else {
        while (seen == 0)
            asm volatile("ld.acquire.cluster.shared.u32 %0, [%1];"
                         : "=r"(seen)
                         : "r"(sharedAddress(&flag))
                         : "memory");
        out[blockIdx.x / 2] = data;
    }
    cluster.sync();
}

__global__ void signals(int *out)
{
    signal<true>(out);
}

__global__ void signalsOwnBlock(int *out)
{
    signal<false>(out);
}

/* Each block hands its row to the next block, which takes it and frees the place. */
__global__ void handsOn(const int *in, int *out)
{
    __shared__ int row[32];
    __shared__ unsigned long long full, empty;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    unsigned before = (cluster.block_rank() + cluster.num_blocks() - 1) % cluster.num_blocks();
    int at = blockIdx.x * 32 + threadIdx.x, sum = 0;

    start(&full, 32);
    start(&empty, 32);
    cluster.sync();
    for (int round = 0; round < 3; round++) {
        if (round > 0)
            await(&empty, (round - 1) & 1);
        cluster.map_shared_rank(row, next)[threadIdx.x] = in[at] + round;
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                         mapped(&full, next))
                     : "memory");
        await(&full, round & 1);
        sum += row[threadIdx.x];
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                         mapped(&empty, before))
                     : "memory");
    }
    out[at] = sum;
    cluster.sync();
}
