/* SPDX-License-Identifier: MIT
 *
 * A reduction for current GPUs in one launch, in no textbook. It reads each element once, 16 bytes
 * in a load, with several loads of a thread in flight. It adds lanes by shuffles and blocks by one
 * atomic each. Domain: all n and B. `in` has an alignment of 16 bytes, as cudaMalloc() gives, and
 * `state` is 0, as the kernel leaves it.
 */
#include <simtcheck/dialect.h>

static const unsigned int LANES = 32;
static const unsigned int WARPS = 32;  /* of a block, at most */
static const unsigned int VECTORS = 8; /* of four elements, read by a thread */

/* Adds the values of a warp; lane 0 gets the sum. Values from lanes outside the warp or the block
 * never reach the sum of lane 0. */
__device__ int addLanes(int sum)
{
    for (unsigned int stride = 16; stride > 0; stride >>= 1) {
        int other = __shfl_down_sync(0xffffffff, sum, stride);
        sum += threadIdx.x + stride < blockDim.x ? other : 0;
    }
    return sum;
}

/* Adds the values of the block's threads; thread 0 gets the sum. A block has at most as many warps
 * as the first warp has lanes. */
__device__ int addThreads(int sum, int *warps)
{
    unsigned int tid = threadIdx.x;

    sum = addLanes(sum);
    if (tid % LANES == 0)
        warps[tid / LANES] = sum;
    __syncthreads();
    if (tid < LANES)
        sum = addLanes(LANES * tid < blockDim.x ? warps[tid] : 0);
    return sum;
}

__device__ int addVector(int4 v)
{
    return v.x + v.y + v.z + v.w;
}

/* Returns the thread's sum in the block's segment. The first block takes the last segment, because
 * the end of the array was written last and is still in the L2 cache. */
__device__ int addSegment(const int *in, unsigned int n)
{
    const int4 *vectors = (const int4 *)in;
    unsigned int whole = n / 4, tid = threadIdx.x, step = blockDim.x;
    unsigned int segment = gridDim.x - 1 - blockIdx.x;
    unsigned int first = segment * VECTORS * step, end = first + VECTORS * step;
    int sum = 0;

    if (end <= whole) {
        for (unsigned int k = 0; k < VECTORS; k++)
            sum += addVector(vectors[first + k * step + tid]);
        return sum;
    }
    for (unsigned int i = 4 * first + tid; i < n; i += step)
        sum += in[i];
    return sum;
}

/* The lower half of `state` counts the blocks that have added, and the upper half holds
 * their sum. Its carry is lost. One atomic does both, and gives the last block the
 * total. */
__global__ void reduceModern(const int *in, int *out, unsigned int n, unsigned long long *state)
{
    __shared__ int warps[WARPS];
    int sum = addThreads(addSegment(in, n), warps);

    if (threadIdx.x != 0)
        return;
    unsigned long long mine = (unsigned long long)sum << 32 | 1;
    unsigned long long all = atomicAdd(state, mine) + mine;
    if ((unsigned int)all == gridDim.x) {
        *out = (int)(all >> 32);
        atomicExch(state, 0);
    }
}

EXPORT_KERNEL(reduceModern);
