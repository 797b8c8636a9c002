/* SPDX-License-Identifier: MIT
 *
 * Kernels with and without races against the kernels that they launch. See test_races.c.
 */
#include "seeded_kernel.h"

/* Defined in seeded_races.cu. */
__global__ void plainExchange(int *data, int *flag, int *out);

/* ---- Parents and children ---- */

KERNEL(childReads)
{
    USES_NO_FLAG;
    out[threadIdx.x] = data[threadIdx.x];
}

KERNEL(childWrites)
{
    USES_DATA_ALONE;
    data[threadIdx.x] = 2;
}

KERNEL(parentWroteItself)
{
    if (threadIdx.x == 0) {
        data[0] = 1;
        LAUNCH(childReads, 1, 1)(data, flag, out);
    }
}

KERNEL(parentsOtherThreadWrote)
{
    data[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(parentsOtherThreadWroteBeforeBarrier)
{
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(parentsLaneWroteBeforeWarpBarrier)
{
    data[threadIdx.x] = 1;
    __syncwarp();
    if (threadIdx.x == 0)
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(parentWritesAfterLaunch)
{
    if (threadIdx.x == 0) {
        LAUNCH(childReads, 1, 1)(data, flag, out);
        data[0] = 1;
    }
}

KERNEL(parentReadsAfterLaunch)
{
    if (threadIdx.x == 0) {
        LAUNCH(childWrites, 1, 1)(data, flag, out);
        out[0] = data[0];
    }
}

KERNEL(otherBlockWrote)
{
    data[blockIdx.x] = 1;
    if (blockIdx.x == 0)
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(childrenInOneStream)
{
    if (threadIdx.x == 0)
        LAUNCH(childWrites, 1, 2)(data, flag, out);
    __syncthreads();
    if (threadIdx.x == 1)
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(childrenOfTwoBlocks)
{
    if (blockIdx.x == 0)
        LAUNCH(childWrites, 1, 2)(data, flag, out);
    else
        LAUNCH(childReads, 1, 2)(data, flag, out);
}

KERNEL(launchesAWriter)
{
    LAUNCH(childWrites, 1, 2)(data, flag, out);
}

KERNEL(childAdds)
{
    USES_NO_FLAG;
    out[0] = data[0] + data[1];
}

/* If a thread is delayed at the barrier, the child runs first. */
KERNEL(launchBeforeBarrier)
{
    if (threadIdx.x == 0)
        LAUNCH(childAdds, 1, 1)(data, flag, out);
    __syncthreads();
    data[threadIdx.x] = 1;
}

#ifdef HAVE_TAIL_LAUNCH
KERNEL(tailReadsOtherBlocks)
{
    data[blockIdx.x] = 1;
    if (blockIdx.x == 0)
        LAUNCH(childReads, 1, 2, 0, cudaStreamTailLaunch)(data, flag, out);
}

KERNEL(tailsInOrder)
{
    LAUNCH(childWrites, 1, 2, 0, cudaStreamTailLaunch)(data, flag, out);
    LAUNCH(childReads, 1, 2, 0, cudaStreamTailLaunch)(data, flag, out);
}

KERNEL(tailReadsGrandchild)
{
    LAUNCH(launchesAWriter, 1, 1)(data, flag, out);
    LAUNCH(childReads, 1, 2, 0, cudaStreamTailLaunch)(data, flag, out);
}

/* A thread sees a flag and exits. Everything after its grid is then ordered after what the flag
 * releases. */
KERNEL(seesFlagAndExits)
{
    if (threadIdx.x == 1) {
        if (atomicAdd(flag, 0) == 1)
            __threadfence();
        return;
    }
    if (threadIdx.x == 0)
        LAUNCH(childReads, 1, 1, 0, cudaStreamTailLaunch)(data, flag, out);
    __syncthreads();
}

KERNEL(raisesFlagForChild)
{
    LAUNCH(seesFlagAndExits, 1, 2, 0, cudaStreamFireAndForget)(data, flag, out);
    data[0] = 1;
    __threadfence();
    atomicExch(flag, 1);
}

/* The threads of one tail launch are as unordered as those of any grid. */
KERNEL(tailRacesWithItself)
{
    LAUNCH(plainExchange, 1, 2, 0, cudaStreamTailLaunch)(data, flag, out);
}

KERNEL(fireAndForgetChildren)
{
    LAUNCH(childWrites, 1, 2, 0, cudaStreamFireAndForget)(data, flag, out);
    LAUNCH(childReads, 1, 2, 0, cudaStreamFireAndForget)(data, flag, out);
}

KERNEL(fireAndForgetBesideNullStream)
{
    LAUNCH(childWrites, 1, 2, 0, cudaStreamFireAndForget)(data, flag, out);
    LAUNCH(childReads, 1, 2)(data, flag, out);
}
#endif

#ifdef HAVE_DEVICE_WAIT
KERNEL(waitsForChild)
{
    if (threadIdx.x == 0) {
        LAUNCH(childWrites, 1, 2)(data, flag, out);
        cudaDeviceSynchronize();
        out[0] = data[0];
    }
}

KERNEL(childIdles)
{
    (void)data;
    USES_DATA_ALONE;
}

KERNEL(readsWhatOtherWrites)
{
    if (threadIdx.x == 0) {
        LAUNCH(childIdles, 1, 1)(data, flag, out);
        cudaDeviceSynchronize();
        out[0] = 10 + data[0];
    } else {
        data[0] = 1;
    }
}

KERNEL(othersReadAfterWait)
{
    if (threadIdx.x == 0) {
        LAUNCH(childWrites, 1, 2)(data, flag, out);
        cudaDeviceSynchronize();
    }
    if (threadIdx.x == 1)
        out[0] = data[0];
}

KERNEL(othersReadAfterWaitAndBarrier)
{
    if (threadIdx.x == 0) {
        LAUNCH(childWrites, 1, 2)(data, flag, out);
        cudaDeviceSynchronize();
    }
    __syncthreads();
    if (threadIdx.x == 1)
        out[0] = data[0];
}
#endif
