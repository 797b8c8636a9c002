/* SPDX-License-Identifier: MIT
 *
 * Kernels with accesses in the generic and the async proxy: right ones, and ones with a seeded bug,
 * at lines that the test names.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { THREADS = 64 };

__device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ void store(int *to, const int *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_for_reads()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ void fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* All threads fill a tile, and one stores it by a bulk copy. */
enum bug { NONE, NO_FENCE, EARLY, OF_GLOBAL, OF_ISSUER, NO_WAIT, ALL_KINDS };

template <bug BUG>
__device__ void scale(const int *in, int *out)
{
    __shared__ alignas(16) int tile[THREADS];

    if (BUG == EARLY)
        fence();
    tile[threadIdx.x] = 2 * in[blockIdx.x * THREADS + threadIdx.x];
    if (BUG == NONE || BUG == NO_WAIT)
        fence();
    if (BUG == OF_GLOBAL)
        asm volatile("fence.proxy.async.global;" ::: "memory");
    if (BUG == ALL_KINDS)
        asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (BUG == OF_ISSUER)
        fence();
    if (threadIdx.x == 0) {
        store(out + blockIdx.x * THREADS, tile, sizeof tile);
        if (BUG != NO_WAIT)
            wait_for_reads();
    }
    if (BUG == NO_WAIT) {
        __syncthreads();
        tile[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            wait_for_reads();
    }
}

__global__ void fenceOfWriters(const int *in, int *out)
{
    scale<NONE>(in, out);
}

__global__ void fenceOfAllKinds(const int *in, int *out)
{
    scale<ALL_KINDS>(in, out);
}

__global__ void fenceOfIssuer(const int *in, int *out)
{
    scale<OF_ISSUER>(in, out);
}

__global__ void noFence(const int *in, int *out)
{
    scale<NO_FENCE>(in, out);
}

__global__ void fenceTooEarly(const int *in, int *out)
{
    scale<EARLY>(in, out);
}

__global__ void fenceOfGlobal(const int *in, int *out)
{
    scale<OF_GLOBAL>(in, out);
}

__global__ void noWait(const int *in, int *out)
{
    scale<NO_WAIT>(in, out);
}

/* ---- Loads ---- */

__device__ void init(unsigned barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ void load(int *to, const int *from, int bytes, unsigned barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* One thread loads two tiles, one after the other, to one place. */
template <bool FENCE, bool WAITS, bool SYNCS>
__device__ void sum(const int *in, int *out)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ unsigned long long loaded[2];
    int total;

    if (threadIdx.x == (FENCE ? 0 : 1)) {
        for (int k = 0; k < 2; k++)
            init(shared_address(&loaded[k]), 1);
        if (FENCE)
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0)
        load(tile, in, sizeof tile, shared_address(&loaded[0]));
    if (WAITS || threadIdx.x < 32)
        wait(shared_address(&loaded[0]), 0);
    total = tile[threadIdx.x];
    if (SYNCS)
        __syncthreads();
    if (threadIdx.x == 0)
        load(tile, in + THREADS, sizeof tile, shared_address(&loaded[1]));
    wait(shared_address(&loaded[1]), 0);
    out[threadIdx.x] = total + tile[threadIdx.x];
}

__global__ void twoLoads(const int *in, int *out)
{
    sum<true, true, true>(in, out);
}

__global__ void initWithoutFence(const int *in, int *out)
{
    sum<false, true, true>(in, out);
}

__global__ void halfWaits(const int *in, int *out)
{
    sum<true, false, true>(in, out);
}

__global__ void loadOverReads(const int *in, int *out)
{
    sum<true, true, false>(in, out);
}

/* A pipeline of two stages. `full` says that a stage is loaded, `empty` that all have read it. */
__global__ void pipeline(const int *in, int *out)
{
    __shared__ alignas(16) int stages[2][THREADS];
    __shared__ unsigned long long full[2], empty[2];
    int total = 0, n = 5;

    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            init(shared_address(&full[s]), 1);
            init(shared_address(&empty[s]), blockDim.x);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k = 0; k < n + 1; k++) {
        int s = k % 2, t = (k + 1) % 2;
        if (threadIdx.x == 0 && k < n) {
            if (k >= 2)
                wait(shared_address(&empty[s]), (k / 2 + 1) % 2);
            load(stages[s], in + k * THREADS, sizeof stages[s], shared_address(&full[s]));
        }
        if (k == 0)
            continue;
        wait(shared_address(&full[t]), (k - 1) / 2 % 2);
        total += stages[t][threadIdx.x];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[t]))
                     : "memory");
    }
    out[threadIdx.x] = total;
}

/* ---- Clusters ---- */

__device__ void arrive_and_wait(bool releases)
{
    if (releases)
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    else
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <bool RELEASES, bool FENCES>
__device__ void neighbour(const int *in, int *out)
{
    __shared__ int own[32];
    cg::cluster_group cluster = cg::this_cluster();
    int at = blockIdx.x * 32 + threadIdx.x, next = cluster.block_rank() ^ 1;

    own[threadIdx.x] = in[at];
    if (FENCES)
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    arrive_and_wait(RELEASES);
    out[at] = cluster.map_shared_rank(own, next)[threadIdx.x];
    arrive_and_wait(true);
}

__global__ void __cluster_dims__(2) releasedBarrier(const int *in, int *out)
{
    neighbour<true, false>(in, out);
}

__global__ void __cluster_dims__(2) fencedBarrier(const int *in, int *out)
{
    neighbour<false, true>(in, out);
}

__global__ void __cluster_dims__(2) relaxedBarrier(const int *in, int *out)
{
    neighbour<false, false>(in, out);
}

/* One thread of the first block of a cluster sends a number to a thread of the second. */
#define SEND(scope)                                                                                \
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {                                           \
        *data = *in;                                                                               \
        asm volatile("st.release." scope ".global.u32 [%0], 1;" ::"l"(flag) : "memory");           \
    }                                                                                              \
    if (cluster.block_rank() == 1 && threadIdx.x == 0) {                                           \
        unsigned sent = 0;                                                                         \
        while (sent == 0)                                                                          \
            asm volatile("ld.acquire.cluster.global.u32 %0, [%1];"                                 \
                         : "=r"(sent)                                                              \
                         : "l"(flag)                                                               \
                         : "memory");                                                              \
        *out = *data;                                                                              \
    }

__global__ void __cluster_dims__(2)
    sendInCluster(const int *in, unsigned *flag, int *data, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    SEND("cluster")
}

__global__ void __cluster_dims__(2) sendInBlock(const int *in, unsigned *flag, int *data, int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    SEND("cta")
}

/* Both blocks of a cluster load half of each tile and give it to both. `empty` counts the threads
 * of both blocks that have read a stage. */
#define ARRIVE(scope)                                                                              \
    asm volatile("{ .reg .b32 there;\n"                                                            \
                 "mapa.shared::cluster.u32 there, %0, %1;\n"                                       \
                 "mbarrier.arrive" scope ".shared::cluster.b64 _, [there]; }" ::"r"(barrier),      \
                 "r"(rank)                                                                         \
                 : "memory")

template <bool IN_CLUSTER>
__device__ void arrive_at(unsigned barrier, int rank)
{
    if (IN_CLUSTER)
        ARRIVE("");
    else
        ARRIVE(".release.cta");
}

__device__ void multicast(int *to, const int *from, int bytes, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                 "cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(barrier), "h"((short)3)
                 : "memory");
}

template <bool IN_CLUSTER, int READERS, bool LAST_BARRIER>
__device__ void share(const int *in, int *out)
{
    __shared__ alignas(16) int stages[2][THREADS];
    __shared__ unsigned long long full[2], empty[2];
    int rank = cg::this_cluster().block_rank(), half = THREADS / 2, total = 0, n = 4;

    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            init(shared_address(&full[s]), 1);
            init(shared_address(&empty[s]), READERS * blockDim.x);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    arrive_and_wait(false);
    for (int k = 0; k < n; k++) {
        int s = k % 2;
        unsigned loaded = shared_address(&full[s]);
        if (threadIdx.x == 0) {
            if (k >= 2)
                wait(shared_address(&empty[s]), (k / 2 + 1) % 2);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(loaded),
                         "r"((int)sizeof stages[s])
                         : "memory");
            multicast(stages[s] + rank * half, in + k * THREADS + rank * half, sizeof stages[s] / 2,
                      loaded);
        }
        __syncwarp();
        wait(loaded, k / 2 % 2);
        total += stages[s][threadIdx.x];
        for (int r = 0; r < READERS; r++)
            arrive_at<IN_CLUSTER>(shared_address(&empty[s]), READERS == 1 ? rank : r);
    }
    out[blockIdx.x * THREADS + threadIdx.x] = total;
    if (LAST_BARRIER)
        arrive_and_wait(true);
}

__global__ void __cluster_dims__(2) multicastPipeline(const int *in, int *out)
{
    share<true, 2, true>(in, out);
}

__global__ void __cluster_dims__(2) multicastOverReads(const int *in, int *out)
{
    share<true, 1, true>(in, out);
}

__global__ void __cluster_dims__(2) arrivalsOfBlockScope(const int *in, int *out)
{
    share<false, 2, true>(in, out);
}

__global__ void __cluster_dims__(2) noLastBarrier(const int *in, int *out)
{
    share<true, 2, false>(in, out);
}

/* The first word only lacks a proxy fence. The others lack a barrier, too. */
__global__ void noBarrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[THREADS];

    tile[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    if (threadIdx.x == 0) {
        store(out + blockIdx.x * THREADS, tile, sizeof tile);
        wait_for_reads();
    }
}
