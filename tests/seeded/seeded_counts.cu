/* SPDX-License-Identifier: MIT
 *
 * Kernels with known memory requests; test_requests.c has the numbers.
 */
#include "seeded_kernel.h"

/* 16 bytes per lane. */
KERNEL(loadsVectors)
{
    USES_NO_FLAG;
    const int4 four = reinterpret_cast<const int4 *>(data)[threadIdx.x];
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

/* Two lanes share each sector of `data`. Each lane stores to the start of a line of `out`. */
KERNEL(storesApart)
{
    USES_NO_FLAG;
    data[threadIdx.x * 4] = 1;
    out[threadIdx.x * 32 % 256] = 1;
}

KERNEL(addsInTwoPlaces)
{
    USES_DATA_ALONE;
    atomicAdd(&data[threadIdx.x % 2 * 64], 1);
}

KERNEL(readsTwoArraysAtOnce)
{
    const int *array = threadIdx.x % 2 == 0 ? data : flag;
    out[threadIdx.x] = array[threadIdx.x];
}

KERNEL(turnsRound)
{
    USES_NO_FLAG;
    __shared__ int tile[64];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[47 - threadIdx.x];
}

/* A thread's local array is not global memory. */
KERNEL(keepsToItself)
{
    USES_NO_FLAG;
    volatile int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = data[i];
    out[threadIdx.x] = own[threadIdx.x % 8];
}

/* Only odd lanes store, and nothing else accesses memory before the barrier. */
KERNEL(oddLanesStore)
{
    USES_NO_FLAG;
    if (threadIdx.x % 2 == 1)
        out[threadIdx.x] = 1;
    __syncthreads();
    data[threadIdx.x] = 1;
}

/* The upper half of the warp has exited, so the lanes that store are all active lanes. */
KERNEL(halfHasExited)
{
    USES_NO_FLAG;
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x % 32 >= 16)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

/* The two middle sectors of a line. */
KERNEL(storesInTheMiddle)
{
    USES_NO_FLAG;
    (void)data;
    if (threadIdx.x < 16)
        out[threadIdx.x + 8] = 1;
}

/* Threads from 40 on read nothing: their copies are zero fills. */
KERNEL(copiesAside)
{
    USES_NO_FLAG;
    __shared__ int4 tile[48];
    const unsigned int read = threadIdx.x < 40 ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"((unsigned int)__cvta_generic_to_shared(&tile[threadIdx.x])),
                   "l"(data + 4 * threadIdx.x), "r"(read)
                 : "memory");
    asm volatile("cp.async.wait_all;" : : : "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
}

KERNEL(meetsAtAnMbarrier)
{
    USES_NO_FLAG;
    (void)data;
    __shared__ unsigned long long barrier;
    const unsigned int address = (unsigned int)__cvta_generic_to_shared(&barrier);
    unsigned long long state;
    unsigned int done;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 48;" : : "r"(address) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(address), "l"(state)
                 : "memory");
    out[threadIdx.x] = (int)done;
}
