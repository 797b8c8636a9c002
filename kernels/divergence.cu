/* SPDX-License-Identifier: MIT
 *
 * Warp divergence: two branches inside each warp, or one branch for each whole warp.
 */
#include <simtcheck/dialect.h>

/* Even and odd threads diverge, so every warp runs both branches. The kernel does not test n, so n
 * must be a multiple of B.
 * Print, mathKernel1: as printed. */
__global__ void mathKernel1(float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f, b = 0.0f;

    if (i % 2 == 0)
        a = 100.0f;
    else
        b = 200.0f;
    c[i] = a + b;
}

/* Even and odd warps take different branches. If B is a multiple of 32, no warp runs both, because
 * the split is by global index.
 * Print, mathKernel2: as the mapping notes print it. The book omits the parameter. */
__global__ void mathKernel2(float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f, b = 0.0f;

    if (i / warpSize % 2 == 0)
        a = 100.0f;
    else
        b = 200.0f;
    c[i] = a + b;
}

__global__ void mathKernel1Corrected(float *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = i % 2 == 0 ? 100.0f : 200.0f;
}

__global__ void mathKernel2Corrected(float *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = i / warpSize % 2 == 0 ? 100.0f : 200.0f;
}

/* The same two splits with `count` stores in each branch. A profiler sees half of the lanes active,
 * or all. Right for every n >= 1.
 * Print, mathKernel1Loop, mathKernel2Loop: each branch stores 10,000 times, without `volatile` and
 * in a build without optimization. Here the number is a parameter, 10 in the catalogue's tests, and
 * `volatile` prevents merging the stores. */
__global__ void mathKernel1Loop(volatile int *c, int nElem, unsigned int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nElem) {
        if (i % 2 == 0) {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 0;
        } else {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 1;
        }
    }
}

__global__ void mathKernel2Loop(volatile int *c, int nElem, unsigned int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nElem) {
        if (i / warpSize % 2 == 0) {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 0;
        } else {
            for (unsigned int k = 0; k < count; k++)
                c[i] = 1;
        }
    }
}

/* A loop whose trip count is the thread's lane. A warp runs as long as its last lane, and in round
 * k only the lanes above k are active. `volatile` prevents merging the stores. The warp notes name
 * such loops as a cause of divergence; the kernel is ours. It does not test n, so n must be a
 * multiple of B. */
__global__ void mathKernelTrips(volatile int *c)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int trips = threadIdx.x % warpSize;
    int sum = 0;

    for (unsigned int k = 0; k < trips; k++) {
        sum += static_cast<int>(k);
        c[i] = sum;
    }
    c[i] = sum;
}

/* The same for every n. */
__global__ void mathKernelTripsCorrected(volatile int *c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int trips = threadIdx.x % warpSize;
    int sum = 0;

    if (i >= n)
        return;
    for (unsigned int k = 0; k < trips; k++) {
        sum += static_cast<int>(k);
        c[i] = sum;
    }
    c[i] = sum;
}

/* `ways` branches instead of two, each with its own stores. According to the book, more branches
 * mean less parallelism: one in `ways` of a warp's lanes is active. Right for every n >= 1, and for
 * as many branches as exist. */
#define WAY(way)                                                                                   \
    case way:                                                                                      \
        for (unsigned int k = 0; k < count; k++)                                                   \
            c[i] = way;                                                                            \
        break;
#define FOUR_WAYS(way) WAY(way) WAY(way + 1) WAY(way + 2) WAY(way + 3)
#define ALL_WAYS                                                                                   \
    FOUR_WAYS(0)                                                                                   \
    FOUR_WAYS(4)                                                                                   \
    FOUR_WAYS(8)                                                                                   \
    FOUR_WAYS(12)                                                                                  \
    FOUR_WAYS(16)                                                                                  \
    FOUR_WAYS(20)                                                                                  \
    FOUR_WAYS(24)                                                                                  \
    FOUR_WAYS(28)

__global__ void mathKernelWays(volatile int *c, unsigned int nElem, unsigned int count,
                               unsigned int ways)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nElem)
        switch (i % ways) {
            ALL_WAYS
        }
}

/* Lanes beyond the last branch share one, and zero ways count as one. */
__global__ void mathKernelWaysCorrected(volatile int *c, unsigned int nElem, unsigned int count,
                                    unsigned int ways)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = ways > 0 ? i % ways : 0;

    if (i < nElem)
        switch (mine) {
            ALL_WAYS
        default:
            for (unsigned int k = 0; k < count; k++)
                c[i] = static_cast<int>(mine);
        }
}

EXPORT_KERNEL(mathKernel1);
EXPORT_KERNEL(mathKernel1Corrected);
EXPORT_KERNEL(mathKernel2);
EXPORT_KERNEL(mathKernel2Corrected);
EXPORT_KERNEL(mathKernel1Loop);
EXPORT_KERNEL(mathKernel2Loop);
EXPORT_KERNEL(mathKernelTrips);
EXPORT_KERNEL(mathKernelTripsCorrected);
EXPORT_KERNEL(mathKernelWays);
EXPORT_KERNEL(mathKernelWaysCorrected);
