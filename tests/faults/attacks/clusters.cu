// SPDX-License-Identifier: MIT
//
// Clusters, TMA, mbarriers, nested launches.
#include <cooperative_groups.h>
#include <cuda.h>
#include "mbarriers.cuh"
namespace cg = cooperative_groups;

__device__ inline void expect(u64 *b, int n)
{
    asm volatile(
        "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(sm(b)),
        "r"(n)
        : "memory");
}
__device__ inline void bulkLoad(void *d, const void *s, int n, u64 *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(sm(d)),
        "l"(s), "r"(n), "r"(sm(b))
        : "memory");
}
// 1: parity 1 at first, 2: expects too few bytes, 3: too many, 4: a source past its end, 5: no init
// fence and no barrier
__global__ void bulk(const int *x, int *o, int bug)
{
    __shared__ alignas(16) int s[32];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b, 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    if (bug != 5)
        __syncthreads();
    if (threadIdx.x == 0) {
        expect(&b, bug == 2 ? 64 : bug == 3 ? 256 : 128);
        bulkLoad(s, x + (bug == 4 ? 4 : 0), 128, &b);
    }
    wait(&b, bug == 1);
    o[threadIdx.x] = s[31 - threadIdx.x];
}
// A ring of one buffer and two mbarriers. 1: the consumer does not free the buffer before its
// reads; 2: no wait for empty
__global__ void ring(const int *x, int *o, int bug)
{
    __shared__ alignas(16) int s[32];
    __shared__ u64 full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 32);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    for (int r = 0; r < 3; r++)
        if (threadIdx.x == 32) {
            if (bug != 2)
                wait(&empty, (r & 1) ^ 1);
            expect(&full, 128);
            bulkLoad(s, x + 32 * r, 128, &full);
        } else if (threadIdx.x < 32) {
            wait(&full, r & 1);
            if (bug == 1)
                arrive(&empty);
            o[32 * r + threadIdx.x] = s[threadIdx.x ^ 1];
            if (bug != 1)
                arrive(&empty);
        }
}
__global__ void bulkStore(const int *x, int *o, int bug)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    if (bug != 1)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(o),
                     "r"(sm(s)), "r"(bug == 3 ? 120 : 128)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        if (bug != 2)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    if (bug == 4) {
        s[threadIdx.x] = 0;
    }
}
template <int BUG>
__global__ void ring2(const int *x, int *o)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        s = x[blockIdx.x];
    if (BUG == 1)
        __syncthreads();
    else
        c.sync();
    if (threadIdx.x == 0)
        o[blockIdx.x] = *c.map_shared_rank(&s, (c.block_rank() + 1) % c.num_blocks());
    if (BUG != 2)
        c.sync();
}
__global__ void clusterRelaxed(int *o)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    s = c.block_rank();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                     : "memory");
    o[blockIdx.x] = *c.map_shared_rank(&s, c.block_rank() ^ 1);
    c.sync();
}
__global__ void clusterAtomic(int *o)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        s = 0;
    c.sync();
    atomicAdd(c.map_shared_rank(&s, 0), 1);
    c.sync();
    if (c.block_rank() == 0 && threadIdx.x == 0)
        o[blockIdx.x] = s;
}
__global__ void clusterPast(int *o)
{
    __shared__ int s[4];
    auto c = cg::this_cluster();
    if (threadIdx.x < 4)
        s[threadIdx.x] = 1;
    c.sync();
    o[blockIdx.x * 32 + threadIdx.x] = c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x % 5];
    c.sync();
}
__global__ void fixedCluster(int *o);
__global__ void __cluster_dims__(2) fixedCluster(int *o)
{
    o[blockIdx.x] = cg::this_cluster().num_blocks();
}
__global__ void remoteFlag(int *o, int bug)
{
    // Block 1 writes into block 0 and releases a flag there.
    __shared__ int d, f;
    auto c = cg::this_cluster();
    if (threadIdx.x)
        return;
    f = 0;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (c.block_rank() == 1) {
        *c.map_shared_rank(&d, 0) = 5;
        int *r = c.map_shared_rank(&f, 0);
        if (bug)
            asm volatile("st.release.cta.s32 [%0], 1;" ::"l"(r) : "memory");
        else
            asm volatile("st.release.cluster.s32 [%0], 1;" ::"l"(r) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.cluster.s32 %0, [%1];" : "=r"(v) : "l"(&f) : "memory");
        while (!v);
        o[0] = d;
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__global__ void tensor(const __grid_constant__ CUtensorMap m, int *o, int c, int r)
{
    __shared__ alignas(128) int s[64];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b, 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&b, 256);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(sm(s)),
                     "l"(&m), "r"(c), "r"(r), "r"(sm(&b))
                     : "memory");
    }
    wait(&b, 0);
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void child(int *x)
{
    x[threadIdx.x] += 1;
}
__global__ void childAll(int *x, int *o)
{
    o[threadIdx.x] = x[threadIdx.x];
}
// 1: reads the child's result, 2: launches before a barrier, 3: passes shared memory
__global__ void parent(int *x, int *o, int bug)
{
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    x[threadIdx.x] = threadIdx.x;
    if (bug != 2)
        __syncthreads();
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(bug == 3 ? s : x);
        if (bug != 1)
            childAll<<<1, 32, 0, cudaStreamTailLaunch>>>(x, o);
    }
    if (bug == 1)
        o[threadIdx.x] = x[threadIdx.x];
}
__global__ void parentTwo(int *x)
{
    // Two threads of one block launch into the null stream: ordered. Fire-and-forget: not.
    if (threadIdx.x < 2)
        child<<<1, 32>>>(x);
}
__global__ void parentForget(int *x)
{
    if (threadIdx.x < 2)
        child<<<1, 32, 0, cudaStreamFireAndForget>>>(x);
}
// Blocks of 32 threads. Lane 31 goes round a barrier of the cluster. Both or neither are aligned.
template <bool aligned> __global__ void goesRoundCluster(int *o)
{
    if (threadIdx.x < 31) {
        if (aligned)
            asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
        else
            asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
    }
    o[blockIdx.x * 32 + threadIdx.x] = 1;
}
