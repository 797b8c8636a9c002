/* SPDX-License-Identifier: MIT
 *
 * Kernels with shared arrays in unusual places, and kernels that copy and fill. test_races.c lists
 * those that race.
 */
#include "seeded_kernel.h"

/* ---- Shared arrays ---- */

static __device__ __attribute__((noinline)) int exchangeInFunction(int value)
{
    __shared__ int box[64];

    box[threadIdx.x] = value;
    __syncthreads();
    return box[threadIdx.x ^ 1];
}

KERNEL(sharedOfAFunction)
{
    USES_NO_FLAG;
    out[threadIdx.x] = exchangeInFunction(data[threadIdx.x]);
}

static __device__ __forceinline__ int exchangeInline(int value)
{
    __shared__ int open[64];

    open[threadIdx.x] = value;
    return open[threadIdx.x ^ 32];
}

KERNEL(sharedOfAnInlineFunctionNoBarrier)
{
    USES_NO_FLAG;
    out[threadIdx.x] = exchangeInline(data[threadIdx.x]);
}

template <typename Type>
static __device__ Type sumInTemplate(Type value)
{
    __shared__ Type all[64];
    Type sum = 0;

    all[threadIdx.x] = value;
    __syncthreads();
    for (int k = 0; k < 64; k++)
        sum += all[k];
    return sum;
}

KERNEL(sharedOfATemplate)
{
    USES_NO_FLAG;
    out[threadIdx.x] = sumInTemplate(data[threadIdx.x]);
}

KERNEL(sharedOfALambda)
{
    auto exchange = [](int value) {
        __shared__ int box[64];
        box[threadIdx.x] = value;
        __syncthreads();
        return box[threadIdx.x ^ 1];
    };
    USES_NO_FLAG;
    out[threadIdx.x] = exchange(data[threadIdx.x]);
}

__shared__ int ofTheFile[64];

KERNEL(sharedOfTheFile)
{
    USES_NO_FLAG;
    ofTheFile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = ofTheFile[threadIdx.x ^ 1];
}

extern "C" __global__ void sharedWithCLinkage(int *data, int *flag, int *out)
{
    __shared__ int s[64];

    USES_NO_FLAG;
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
EXPORT_KERNEL(sharedWithCLinkage);

extern "C" __global__ void sharedWithCLinkageNoBarrier(int *data, int *flag, int *out)
{
    __shared__ int s[64];

    USES_NO_FLAG;
    s[threadIdx.x] = data[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
EXPORT_KERNEL(sharedWithCLinkageNoBarrier);

/* Every thread writes, and nothing reads. A compiler must not know that. */
KERNEL(sharedThatNobodyReads)
{
    __shared__ int s[1];

    (void)data;
    USES_NO_FLAG;
    s[0] = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = 1;
}

/* Two variables, of which the second has a race. */
KERNEL(sharedByName)
{
    __shared__ int first, second;

    (void)data;
    USES_NO_FLAG;
    if (threadIdx.x == 0)
        first = 1;
    second = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = first + second;
}

/* Every word that is read was written by a thread, without a barrier in between. */
KERNEL(sharedReadBeforeWritten)
{
    __shared__ int s[64];

    USES_NO_FLAG;
    s[threadIdx.x] = data[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}

KERNEL(sharedNeverWritten)
{
    __shared__ int s[64];

    (void)data;
    USES_NO_FLAG;
    out[threadIdx.x] = s[63 - threadIdx.x];
}

/* ---- Copies and fills ---- */

KERNEL(copiesApart)
{
    USES_NO_FLAG;
    memcpy(out + 2 * threadIdx.x, data + 2 * threadIdx.x, 8);
}

KERNEL(copiesOverlap)
{
    USES_NO_FLAG;
    memcpy(out + 2 * threadIdx.x, data + 2 * threadIdx.x, 12);
}

KERNEL(builtinCopiesOverlap)
{
    USES_NO_FLAG;
    __builtin_memcpy(out + threadIdx.x, data + threadIdx.x, 16);
}

KERNEL(allFillOnePlace)
{
    (void)data;
    USES_NO_FLAG;
    memset(out, 0, 64);
}

struct sixteen {
    int v[16];
};

KERNEL(structsToOnePlace)
{
    USES_NO_FLAG;
    reinterpret_cast<sixteen *>(out)[0] = reinterpret_cast<sixteen *>(data)[threadIdx.x];
}

KERNEL(structsApart)
{
    USES_NO_FLAG;
    reinterpret_cast<sixteen *>(out)[threadIdx.x] = reinterpret_cast<sixteen *>(data)[threadIdx.x];
}

KERNEL(structThroughSharedMemory)
{
    __shared__ sixteen s[2];

    USES_NO_FLAG;
    s[0] = reinterpret_cast<sixteen *>(data)[threadIdx.x];
    __syncthreads();
    reinterpret_cast<sixteen *>(out)[threadIdx.x] = s[0];
}

/* ---- Faults ---- */

KERNEL(copiesPastTheEnd)
{
    USES_NO_FLAG;
    memcpy(out, data + 255, 12);
}

KERNEL(fillsPastTheEnd)
{
    (void)data;
    USES_NO_FLAG;
    memset(out + 254, 1, 64);
}

KERNEL(structPastTheEnd)
{
    USES_NO_FLAG;
    *reinterpret_cast<sixteen *>(out) = *reinterpret_cast<sixteen *>(data + 250);
}

KERNEL(atomicPastTheEnd)
{
    (void)data;
    USES_NO_FLAG;
    atomicAdd(out + 256, 1);
}

/* ---- Reads of data that the grid must not write ---- */

#ifdef SIMT_SIMULATED
KERNEL(readsAsConstantAfterBarrier)
{
    int value;

    USES_NO_FLAG;
    data[threadIdx.x] = 5;
    __syncthreads();
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(data + (threadIdx.x ^ 1)));
    out[threadIdx.x] = value;
}
#endif
