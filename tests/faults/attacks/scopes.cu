// SPDX-License-Identifier: MIT
//
// Scopes, widths and asynchronous copies, in inline PTX. attacks.tsv says what is wrong in each
// kernel.
#include <cstdint>

static __device__ unsigned sa(void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void mbinit(uint64_t *b, int n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory");
}
static __device__ void mbarr(uint64_t *b)
{
    asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(sa(b)) : "memory");
}
static __device__ void mbwait(uint64_t *b, int p)
{
    asm volatile(
        "{.reg .pred p; L%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L%=;}" ::"r"(
            sa(b)),
        "r"(p)
        : "memory");
}

__global__ void releaseCta(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        asm volatile("st.release.cta.s32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}

__global__ void redRelease(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}

__global__ void redRelaxed(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}

__global__ void weakPoll(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        __threadfence();
        atomicExch(f, 1);
    } else {
        int v;
        do
            asm volatile("ld.weak.global.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        __threadfence();
        o[0] = d[0];
    }
}

__global__ void halfOfFlag(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        asm volatile("st.release.gpu.u16 [%0], %1;" ::"l"(f), "h"((short)1) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}

__global__ void shortFlag(int *d, short *f, int *o)
{
    if (blockIdx.x == 0) {
        d[0] = 5;
        asm volatile("st.release.gpu.u16 [%0], %1;" ::"l"(f), "h"((short)1) : "memory");
    } else {
        short v;
        do
            asm volatile("ld.acquire.gpu.u16 %0, [%1];" : "=h"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}

__global__ void halfAtomic(int *f)
{
    if (threadIdx.x == 0)
        atomicAdd(f, 1);
    else if (threadIdx.x == 32)
        asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"((char *)f + 2), "h"((short)0x3c00)
                     : "memory");
}

__global__ void half2AndHalf(int *f)
{
    if (threadIdx.x == 0)
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(f), "r"(0x3c003c00) : "memory");
    else if (threadIdx.x == 32)
        asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(f), "h"((short)0x3c00) : "memory");
}

__global__ void half2All(int *f)
{
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(f), "r"(0x3c003c00) : "memory");
}

__global__ void incLimits(unsigned *f)
{
    atomicInc(f, threadIdx.x == 0 ? 3 : 6);
}

__global__ void signedUnsigned(int *f)
{
    if (threadIdx.x == 0)
        atomicMin(f, -3);
    else if (threadIdx.x == 1)
        atomicMin((unsigned *)f, 7u);
}

__global__ void cas128(ulonglong2 *f)
{
    asm volatile("{.reg .b128 a,b,c; mov.b128 a,{%1,%1}; mov.b128 b,{%2,%2}; atom.global.cas.b128 "
                 "c,[%0],a,b;}" ::"l"(f),
                 "l"(0ull), "l"((unsigned long long)threadIdx.x + 1)
                 : "memory");
}

__global__ void exch128(unsigned long long *f)
{
    if (threadIdx.x == 0)
        asm volatile(
            "{.reg .b128 a,c; mov.b128 a,{%1,%1}; atom.global.exch.b128 c,[%0],a;}" ::"l"(f),
            "l"(1ull)
            : "memory");
    else if (threadIdx.x == 1)
        atomicAdd(f + 1, 0ull);
}

__global__ void shortOverByte(char *o)
{
    if (threadIdx.x == 0)
        *(short *)o = 0x101;
    else if (threadIdx.x == 1)
        o[1] = 2;
    else
        o[threadIdx.x] = 1;
}

__global__ void noEmptyBarrier(int *o)
{
    __shared__ int s[64];
    if (threadIdx.x < 32) {
        for (int i = 0; i < 2; i++) {
            s[threadIdx.x] = threadIdx.x + i;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        int v = 0;
        for (int i = 0; i < 2; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            v += s[threadIdx.x - 32];
        }
        o[threadIdx.x - 32] = v;
    }
}

__global__ void emptyBarrier(int *o)
{
    __shared__ int s[64];
    if (threadIdx.x < 32) {
        for (int i = 0; i < 2; i++) {
            if (i)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[threadIdx.x] = threadIdx.x + i;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        int v = 0;
        for (int i = 0; i < 2; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            v += s[threadIdx.x - 32];
            if (!i)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
        o[threadIdx.x - 32] = v;
    }
}

__global__ void wrongParity(int *o)
{
    __shared__ uint64_t b;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbinit(&b, 64);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    mbarr(&b);
    mbwait(&b, 1);
    o[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void arriveRelaxed(int *o)
{
    __shared__ uint64_t b;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        mbinit(&b, 64);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    asm volatile(
        "{.reg .b64 s; mbarrier.arrive.relaxed.cluster.shared::cta.b64 s, [%0];}" ::"r"(sa(&b))
        : "memory");
    mbwait(&b, 0);
    o[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void copyNotCounted(const int *x, int *o)
{
    __shared__ uint64_t b;
    __shared__ alignas(16) int s[64];
    if (threadIdx.x == 0)
        mbinit(&b, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sa(s + threadIdx.x)),
                 "l"(x + threadIdx.x)
                 : "memory");
    mbarr(&b);
    mbwait(&b, 0);
    o[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void vectorAndScalar(unsigned *f, unsigned *o)
{
    if (threadIdx.x == 0)
        asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1,%1};" ::"l"(f), "r"(~0u) : "memory");
    else if (threadIdx.x == 32) {
        unsigned v;
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(f + 1) : "memory");
        o[0] = v | ~0u;
    }
}

// The relaxed read of gpu scope finds the flag, but the acquire after it has the scope of its block.
__global__ void narrowAcquireAfterWideRead(int *x, unsigned *f, int *o)
{
    if (blockIdx.x == 0) {
        x[0] = 1;
        asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        unsigned v;
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        if (v == 1) {
            asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
            o[0] = x[0];
        }
    }
}
