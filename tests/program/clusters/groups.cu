/* SPDX-License-Identifier: MIT
 *
 * The members of a group of a cluster.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void ring(const int *in, int *out)
{
    __shared__ int own[32];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int at = blockIdx.x * 32 + threadIdx.x;

    own[threadIdx.x] = in[at];
    cluster.sync();
    out[at] = cluster.map_shared_rank(own, next)[threadIdx.x];
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
}

__global__ void members(unsigned *out)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned *row = out + 8 * (4 * blockIdx.x + threadIdx.x);

    row[0] = cluster.block_rank();
    row[1] = cluster.num_blocks();
    row[2] = cluster.block_index().x + 16 * cluster.block_index().y;
    row[3] = cluster.dim_blocks().x + 16 * cluster.dim_blocks().y;
    row[4] = cluster.thread_rank();
    row[5] = cluster.num_threads();
    row[6] = cluster.size();
    row[7] = cluster.query_shared_rank(cluster.map_shared_rank(&own, 1));
}
