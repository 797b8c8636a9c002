/* SPDX-License-Identifier: MIT
 *
 * Warp operations with missing lanes, or with lanes that do different things. test_lanes.c has the
 * expected results.
 */
#include "seeded_kernel.h"

static const unsigned int FULL = 0xffffffff;

/* ---- Faults: two operations do not match ---- */

KERNEL(anyAndAll)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x] = __any_sync(FULL, 1); /* line 17 */
    else
        out[threadIdx.x] = __all_sync(FULL, 1);
}

KERNEL(upAndDown)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_up_sync(FULL, (int)threadIdx.x, 1); /* line 27 */
    else
        out[threadIdx.x] = __shfl_down_sync(FULL, (int)threadIdx.x, 1);
}

KERNEL(xorAndIndex)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(FULL, (int)threadIdx.x, 1); /* line 37 */
    else
        out[threadIdx.x] = __shfl_sync(FULL, (int)threadIdx.x, 1);
}

KERNEL(masksThatDiffer)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x] = (int)__ballot_sync(FULL, 1); /* line 47 */
    else
        out[threadIdx.x] = (int)__ballot_sync(0xffff0000 | 1, 1);
}

/* ---- No fault: the same operation at two places ---- */

KERNEL(meetAtTwoPlaces)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(FULL, (int)threadIdx.x, 16);
    else
        out[threadIdx.x] = 100 + __shfl_xor_sync(FULL, (int)threadIdx.x, 16);
}

/* ---- Faults: a lane continues past an operation at which others wait ---- */

KERNEL(votesInTheGuard)
{
    USES_NO_FLAG;
    int voted = 0;
    if (threadIdx.x % 2 == 0)
        voted = (int)__ballot_sync(FULL, data[threadIdx.x] == 0); /* line 71 */
    out[threadIdx.x] = voted;
}

KERNEL(votesInTheWholeGuard)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x >= 3)
        out[threadIdx.x] = (int)__ballot_sync(FULL, 1); /* line 80 */
}

KERNEL(votesInALoop)
{
    USES_NO_FLAG;
    (void)data;
    int voted = 0;
    for (unsigned int round = 0; round <= threadIdx.x; round++)
        voted += (int)__ballot_sync(FULL, round & 1); /* line 89 */
    out[threadIdx.x] = voted;
}

static __device__ int lowest(int a, int b)
{
    return a < b ? a : b;
}

/* The lane has returned from a function, and continues. */
KERNEL(callsAndLivesOn)
{
    USES_NO_FLAG;
    int own = lowest(data[threadIdx.x], 5);
    if (threadIdx.x < 9)
        own = __shfl_xor_sync(FULL, own, 1); /* line 104 */
    out[threadIdx.x] = own;
}

/* ---- No fault: the lane has returned ---- */

KERNEL(returnsBeforeTheVote)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x >= 11)
        return;
    out[threadIdx.x] = (int)__ballot_sync(FULL, 1);
}

static __device__ void someVote(int *out)
{
    if (threadIdx.x >= 11)
        return;
    out[threadIdx.x] = (int)__ballot_sync(FULL, 1);
}

KERNEL(returnsFromAllThatTheKernelCalls)
{
    USES_NO_FLAG;
    (void)data;
    someVote(out);
}

KERNEL(returnsFromAmongVotes)
{
    USES_NO_FLAG;
    (void)data;
    for (unsigned int round = 0; round < 32; round++) {
        if (threadIdx.x == round)
            return;
        out[threadIdx.x] += __ballot_sync(FULL, 1) != 0;
    }
}

/* The first lane exits as soon as it has the result. */
KERNEL(allAgree)
{
    USES_NO_FLAG;
    (void)data;
    int agreed = __all_sync(FULL, threadIdx.x < 32);
    out[threadIdx.x] = agreed;
}

/* ---- Missing lanes ---- */

/* For 20 threads, or for 32 of which 20 stay. */
KERNEL(takesFromNobody)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x >= 20)
        return;
    out[threadIdx.x] = __shfl_down_sync(FULL, 1000 + (int)threadIdx.x, 16);
    out[32 + threadIdx.x] = __shfl_up_sync(FULL, 1000 + (int)threadIdx.x, 16);
}

KERNEL(dropsWhatNobodyGives)
{
    USES_NO_FLAG;
    int sum = data[threadIdx.x] + (int)threadIdx.x;
    for (unsigned int delta = 16; delta > 0; delta /= 2) {
        int other = __shfl_down_sync(FULL, sum, delta);
        sum += threadIdx.x + delta < blockDim.x ? other : 0;
    }
    if (threadIdx.x == 0)
        out[0] = sum;
}
