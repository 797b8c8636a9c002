/* SPDX-License-Identifier: MIT
 *
 * The warps of the threads of a 1-, 2- or 3-D block: x fastest, then y, then z.
 */
#include <simtcheck/dialect.h>

/* Uses the textbooks' arithmetic. Every thread of the grid stores, so the outputs must have room
 * for whole blocks: n must be a multiple of the block's threads.
 * Reconstruction, warpMap: the texts have the arithmetic, and no kernel. */
__global__ void warpMap(unsigned int *number, unsigned int *warp, unsigned int *lane)
{
    unsigned int id =
        threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    unsigned int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + id;

    number[i] = id;
    warp[i] = id / warpSize;
    lane[i] = id % warpSize;
}

/* The lane is the one that the hardware reports, so it tests the arithmetic. */
__global__ void warpMapCorrected(unsigned int *number, unsigned int *warp, unsigned int *lane,
                             unsigned int n)
{
    unsigned int id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + id;

    if (i < n) {
        number[i] = id;
        warp[i] = id / warpSize;
        lane[i] = LANE();
    }
}

EXPORT_KERNEL(warpMap);
EXPORT_KERNEL(warpMapCorrected);
