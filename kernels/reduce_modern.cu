/* SPDX-License-Identifier: MIT
 *
 * Where the ladder of reductions leads on today's GPUs: one launch, which reads each element once,
 * 16 bytes at a load and several loads of a thread under way together, adds lanes up by shuffles,
 * and blocks by one atomic each. In no textbook. Domain: all n and B; `in` on a boundary of 16
 * bytes, as cudaMalloc() has it, and `state` 0, as the kernel leaves it.
 */
#include <simtcheck/dialect.h>

static const unsigned int LANES = 32;
static const unsigned int WARPS = 32;  /* of a block, at most */
static const unsigned int VECTORS = 8; /* of four elements, that a thread reads */

/* Adds up the values of a warp; its first lane gets the sum. What a lane takes from one that is not
 * there, or from beyond the warp, goes into no sum that the first one takes. */
__device__ int addLanes(int sum)
{
    for (unsigned int stride = 16; stride > 0; stride >>= 1) {
        int other = __shfl_down_sync(0xffffffff, sum, stride);
        sum += threadIdx.x + stride < blockDim.x ? other : 0;
    }
    return sum;
}

/* Adds up the values of the block's threads; thread 0 gets the sum. There are no more warps than
 * lanes of the first. */
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

/* What the thread adds up of the block's segment. The last segment is the first block's: whoever
 * wrote the array wrote its end last, and the second cache still has it. */
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

/* `state` counts the blocks that have added in its lower half, and has their sum in its upper one,
 * from which it carries nothing: one atomic addition does both, and tells the last block the rest.
 */
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
