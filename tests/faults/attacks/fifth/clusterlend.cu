// SPDX-License-Identifier: MIT

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Blocks of a cluster read each other's shared memory.
template <int V> __global__ void lend(const int *in, int *out)
{
    __shared__ int s[32], box;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank(), n = cluster.num_blocks();
    s[t] = in[blockIdx.x * 32 + t];
    if (t == 0)
        box = 0;
    if (V == 1)
        __syncthreads();
    else if (V == 2) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    } else
        cluster.sync();
    int *other = cluster.map_shared_rank(s, (rank + 1) % n);
    int sum = other[t ^ 1];
    if (V == 4)
        sum += *cluster.map_shared_rank(&s[t], n);
    if (V == 5)
        atomicAdd_block(cluster.map_shared_rank(&box, 0), 1);
    else
        atomicAdd(cluster.map_shared_rank(&box, 0), 1);
    if (V != 3)
        cluster.sync();
    if (V == 6 && rank != 0)
        other[t] = sum;
    if (V == 7) {
        cluster.barrier_arrive();
        s[t] = 1;
        cluster.barrier_wait();
        sum += s[t];
    }
    out[blockIdx.x * 32 + t] = sum + (rank == 0 ? box : 0);
}

// A store to a block that may not have started, beside a race of equal values.
__global__ void early(int *out)
{
    __shared__ int s[64], both;
    if (threadIdx.x % 32 == 0)
        both = out == nullptr ? 2 : 1;
    *cg::this_cluster().map_shared_rank(&s[threadIdx.x], cg::this_cluster().block_rank() ^ 1) = 1;
    cg::this_cluster().sync();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x] + both;
}
