/* SPDX-License-Identifier: MIT
 *
 * A kernel with clusters that another kernel launches.
 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) exchanges(int *out)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();

    own = 10 * blockIdx.x;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&own, 1 - cluster.block_rank());
    cluster.sync();
}

__global__ void launches(int *out, int blocks)
{
    exchanges<<<blocks, 1>>>(out);
}
