// SPDX-License-Identifier: MIT
//
// mbarriers and clusters: what PTX does not define.
#include <cooperative_groups.h>
#include "mbarriers.cuh"
namespace cg = cooperative_groups;

// 0 right, 1 init twice, 2 plain read of the mbarrier, 3 reuse without inval, 4 reuse after inval,
// 5 one test without a loop, 6 never initialized, 7 count 0, 8 arrives before init is seen
__global__ void mbar(int *o, int bug)
{
    __shared__ int s[64];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        if (bug != 6)
            init(&b, bug == 7 ? 0 : 64);
        if (bug == 1)
            init(&b, 64);
    }
    if (bug != 8)
        __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    arrive(&b);
    if (bug == 5) {
        int ok;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(ok)
                     : "r"(sm(&b))
                     : "memory");
    } else
        wait(&b, 0);
    o[threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        if (bug == 2)
            o[0] = (int)(*(volatile u64 *)&b >> 60);
        if (bug == 4)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(sm(&b)) : "memory");
        if (bug == 3 || bug == 4) {
            *(volatile u64 *)&b = 5;
            o[0] = (int)*(volatile u64 *)&b;
        }
    }
}
// As libcu++'s pipeline: each warp elects a lane by match.any, and the last elected one invalidates
// an mbarrier whose last arrivals nobody waits for. 0 right, 1 a lane arrives after the match,
// 2 each elected lane invalidates, 3 __ballot_sync() elects, 4 the last one reads data of another
// lane, 5 it stores into the mbarrier, 6 no fence before the count, 7 lane 9 is not in the match
__global__ void quits(int *o, int bug)
{
    __shared__ int s[64], left;
    __shared__ u64 b;
    unsigned lane = threadIdx.x % 32, lanes = bug == 7 ? ~512u : ~0u;
    if (threadIdx.x == 0) {
        init(&b, 64);
        left = bug == 7 ? 62 : 64;
    }
    __syncthreads();
    arrive(&b);
    wait(&b, 0);
    s[threadIdx.x] = threadIdx.x;
    if (bug != 1 || lane != 9)
        arrive(&b);
    if (bug == 3)
        lanes = __ballot_sync(lanes, true);
    else if (bug != 7 || lane != 9)
        lanes = __match_any_sync(lanes, (u64)&b);
    if (bug == 1 && lane == 9)
        arrive(&b);
    if (lane == 0) {
        if (bug != 6)
            __threadfence_block();
        bool last = atomicSub_block(&left, __popc(lanes)) == __popc(lanes);
        __threadfence_block();
        if (last && bug == 4)
            o[0] = s[threadIdx.x + 1];
        if (last && bug == 5)
            b = 5;
        else if (last || bug == 2)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(sm(&b)) : "memory");
    }
}
// The issuing warp's lane fences before the barrier, so it covers its own write only.
__global__ void fenceEarly(const int *x, int *o, int bug)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    if (bug && threadIdx.x == 0)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (!bug && threadIdx.x == 0)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;\n "
                     "cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::"l"(o),
                     "r"(sm(s))
                     : "memory");
    }
}
__global__ void rankPast(int *o)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    s = 1;
    c.sync();
    o[blockIdx.x] = *c.map_shared_rank(&s, 2);
    c.sync();
}
__global__ void oneArrives(int *o)
{
    auto c = cg::this_cluster();
    if (c.block_rank() == 0)
        c.sync();
    o[blockIdx.x] = 1;
}
