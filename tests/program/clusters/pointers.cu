/* SPDX-License-Identifier: MIT
 *
 * Pointers to shared memory that other blocks use.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int *first, *given[4];
__device__ int ready;

/* Returns the pointer of block 0. */
__device__ int *pointerOfFirst(int *own)
{
    if (blockIdx.x == 0) {
        first = own;
        __threadfence();
        atomicExch(&ready, 1);
    }
    while (atomicAdd(&ready, 0) == 0)
        ;
    __threadfence();
    return first;
}

__device__ unsigned sharedAddress(const void *address)
{
    return (unsigned)__cvta_generic_to_shared(address);
}

enum { READS, WRITES, ADDS, CONVERTS, MAPS, COPIES, STARTS };

template <int USE>
__global__ void leak(int *out)
{
    __shared__ __align__(16) int own[4];
    int *p, seen = 0;

    for (int i = 0; i < 4; i++)
        own[i] = 5;
    p = pointerOfFirst(own);
    if (USE == READS)
        seen = *p;
    else if (USE == WRITES && blockIdx.x != 0)
        *p = 9;
    else if (USE == ADDS)
        atomicAdd(p, 0);
    else if (USE == CONVERTS)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(seen) : "r"(sharedAddress(p)) : "memory");
    else if (USE == MAPS)
        seen = *cg::this_cluster().map_shared_rank(p, 0);
    else if (USE == COPIES)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;\n\t"
                     "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(out + 4),
                     "r"(sharedAddress(p))
                     : "memory");
    else if (USE == STARTS && blockIdx.x != 0)
        asm volatile("mbarrier.init.b64 [%0], 1;" ::"l"(p) : "memory");
    out[blockIdx.x] = seen + own[0];
    cg::this_cluster().sync();
}

__global__ void keep()
{
    __shared__ int own;

    own = 5;
    first = &own;
}

__global__ void use(int *out)
{
    __shared__ int own;

    own = 6;
    out[0] = *first + own;
}

/* In a cluster of 2, a block hands a pointer to the other one. It points to the block's own memory,
 * mapped or not, or to the other's. */
template <bool MAPPED, int SHIFT>
__global__ void hand(int *out)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned there = (cluster.block_rank() + SHIFT) % 2, other = blockIdx.x ^ 1;

    own = blockIdx.x;
    given[blockIdx.x] = MAPPED ? cluster.map_shared_rank(&own, there) : &own;
    cluster.sync();
    int *p = given[other];
    if (*p != (SHIFT == 0 ? other : blockIdx.x) ||
        *cluster.map_shared_rank(p, cluster.block_rank()) != blockIdx.x ||
        cluster.query_shared_rank(p) != other % 2 + SHIFT - 2 * SHIFT * (other % 2))
        __trap();
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(out[blockIdx.x])
                 : "r"(sharedAddress(p)));
    cluster.sync();
}
