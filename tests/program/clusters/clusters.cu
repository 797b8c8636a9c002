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
