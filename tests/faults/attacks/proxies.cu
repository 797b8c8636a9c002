// SPDX-License-Identifier: MIT
//
// Asynchronous copies, mbarriers, clusters and matrix instructions, in inline PTX. attacks.tsv says
// what is wrong in each kernel. C is 0 in the right variant of a kernel.
#include "mbarriers.cuh"

#define SHARED __shared__ alignas(128)
#define T threadIdx.x

__device__ void proxyFence()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ void start(u64 *b, int count)
{
    if (T == 0) {
        init(b, count);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
}
__device__ void expect(u64 *b, int bytes)
{
    asm volatile(
        "{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;}" ::"r"(sm(b)),
        "r"(bytes)
        : "memory");
}
__device__ void bulkIn(void *to, const void *from, int bytes, u64 *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"(sm(to)),
                 "l"(from), "r"(bytes), "r"(sm(b))
                 : "memory");
}
__device__ void bulkOut(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(sm(from)), "r"(bytes)
                 : "memory");
}
__device__ void commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#define WAIT(N) asm volatile("cp.async.bulk.wait_group " #N ";" ::: "memory")

// 1: no proxy fence. 2: a fence of shared memory only.
template <int C>
__global__ void throughGlobal(int *t, int *o)
{
    SHARED int s[64];
    SHARED u64 b;
    t[T] = T;
    if (C == 0)
        proxyFence();
    if (C == 2)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    start(&b, 1);
    __syncthreads();
    if (T == 0) {
        expect(&b, 256);
        bulkIn(s, t, 256, &b);
    }
    wait(&b, 0);
    o[T] = s[T];
}

// 2: no commit. 3: waits for all but the last group. 4: a read after the
// wait for the reads.
template <int C>
__global__ void storeTile(int *o, int *p)
{
    SHARED int s[64];
    s[T] = T;
    proxyFence();
    __syncthreads();
    if (T == 0) {
        bulkOut(o, s, 128);
        commit();
        bulkOut(o + 32, s + 32, 128);
        if (C != 2)
            commit();
        if (C == 3)
            WAIT(1);
        else if (C == 4)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            WAIT(0);
        *p = C == 4 ? o[33] : 0;
    }
    __syncthreads();
    if (C == 3)
        s[T] = 9;
    if (T == 0)
        WAIT(0);
}

// Two blocks add 32 words. 1: and a thread adds by an atomic.
template <int C>
__global__ void reduce(int *c)
{
    SHARED int s[32];
    s[T] = T;
    proxyFence();
    __syncthreads();
    if (T == 0) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;" ::"l"(c),
            "r"(sm(s))
            : "memory");
        commit();
        WAIT(0);
    }
    if (C)
        atomicAdd(c + T, 1);
}

// 1: the second wait is for the token of the first phase. 2: the waits acquire nothing. 3: all
// drop out, then arrive.
template <int C>
__global__ void tokens(int *o)
{
    SHARED u64 b;
    SHARED int s[64];
    u64 token, next;
    int done = 0;
    start(&b, 64);
    __syncthreads();
    s[T] = T;
    if (C == 3) {
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(sm(&b)) : "memory");
        wait(&b, 0);
        arrive(&b);
        o[T] = 1;
        return;
    }
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(sm(&b))
                 : "memory");
    while (!done)
        if (C == 2)
            asm volatile("{.reg .pred p; mbarrier.test_wait.relaxed.cta.shared::cta.b64 p, [%1], "
                         "%2; selp.b32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(sm(&b)), "l"(token)
                         : "memory");
        else
            asm volatile("{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 "
                         "%0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(sm(&b)), "l"(token)
                         : "memory");
    int v = s[T ^ 33];
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(next) : "r"(sm(&b)) : "memory");
    done = 0;
    while (!done)
        asm volatile(
            "{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
            : "=r"(done)
            : "r"(sm(&b)), "l"(C == 1 ? token : next)
            : "memory");
    s[T] = 5;
    o[T] = v;
}

// Half of the threads leave after the first phase.
__global__ void dropOut(int *o)
{
    SHARED u64 b;
    SHARED int s[64];
    start(&b, 64);
    __syncthreads();
    s[T] = T;
    if (T >= 32) {
        o[T] = 0;
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(sm(&b)) : "memory");
        return;
    }
    arrive(&b);
    wait(&b, 0);
    int v = s[T + 32];
    arrive(&b);
    wait(&b, 1);
    o[T] = v;
}

// 1: no commit. 2: half of the threads do not wait.
template <int C>
__global__ void copies(const int *x, int *o)
{
    SHARED int s[64];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sm(s + T)), "l"(x + T)
                 : "memory");
    if (C != 1)
        asm volatile("cp.async.commit_group;" ::: "memory");
    if (C != 2 || T < 32)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    o[T] = s[T ^ 33];
}

// Without .noinc, the copy adds the arrival that it makes. 1: so nobody arrives.
template <int C>
__global__ void counted(const int *x, int *o)
{
    SHARED int s[64];
    SHARED u64 b;
    start(&b, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sm(s + T)), "l"(x + T)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(sm(&b)) : "memory");
    if (C == 0)
        arrive(&b);
    wait(&b, 0);
    o[T] = s[T ^ 33];
}

__device__ void clusterArrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ void clusterWait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ void clusterSync()
{
    clusterArrive();
    clusterWait();
}
__device__ unsigned rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ unsigned remote(const void *p, int r)
{
    unsigned a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(sm(p)), "r"(r));
    return a;
}
__device__ void remoteStore(unsigned a, int v)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(a), "r"(v) : "memory");
}

// Two blocks write each other's memory. 1: no barrier before, so the other may not have started. 2, right: the barrier
// before orders no memory. 3, right: each waits for a flag of the other.
__device__ int started[32][2];
template <int C>
__global__ void startOfPeer(int *o)
{
    SHARED int s[32];
    if (C == 0)
        clusterSync();
    if (C == 2) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        clusterWait();
    }
    if (C == 3) {
        int seen = 0;
        asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(&started[T][rank()]) : "memory");
        while (!seen)
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(&started[T][rank() ^ 1]) : "memory");
    }
    remoteStore(remote(&s[T], rank() ^ 1), T);
    clusterSync();
    o[blockIdx.x * 32 + T] = s[T];
}

// A relaxed arrival after a fence. 1: a fence of block scope.
template <int C>
__global__ void fencedArrival(int *o)
{
    SHARED int s[32];
    clusterSync();
    remoteStore(remote(&s[T], rank() ^ 1), T);
    if (C)
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    else
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    clusterWait();
    o[blockIdx.x * 32 + T] = s[T];
}

// 1: a lane goes around aligned barriers. 2: two arrivals without a wait.
template <int C>
__global__ void clusterBarriers(int *o)
{
    if (C != 1 || T < 31)
        clusterArrive();
    if (C == 2)
        clusterArrive();
    if (C != 1 || T < 31)
        clusterWait();
    o[blockIdx.x * 32 + T] = 1;
}

// Block 1 writes to block 0 and arrives there. 1: a release of block scope. 2: a wait of block
// scope.
template <int C>
__global__ void remoteArrival(int *o)
{
    SHARED int s[32];
    SHARED u64 b;
    int done = 0;
    start(&b, 32);
    clusterSync();
    if (rank() == 1) {
        remoteStore(remote(&s[T], 0), T);
        if (C == 1)
            asm volatile(
                "mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(remote(&b, 0))
                : "memory");
        else
            asm volatile(
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote(&b, 0))
                : "memory");
    }
    while (rank() == 0 && !done)
        if (C == 2)
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, "
                         "[%1], 0; selp.b32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(sm(&b))
                         : "memory");
        else
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 "
                         "p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(sm(&b))
                         : "memory");
    o[blockIdx.x * 32 + T] = rank() == 0 ? s[31 - T] : 0;
    clusterSync();
}

// Each block sends 32 words to both. 1: the mbarrier of the other may not be initialized yet.
template <int C>
__global__ void multicast(const int *x, int *o)
{
    SHARED int s[64];
    SHARED u64 b;
    start(&b, 1);
    if (T == 0)
        expect(&b, 256);
    if (C)
        __syncthreads();
    else
        clusterSync();
    if (T == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                     "cluster [%0], [%1], 128, [%2], %3;" ::"r"(sm(s + 32 * rank())),
                     "l"(x + 32 * rank()), "r"(sm(&b)), "h"((short)3)
                     : "memory");
    wait(&b, 0);
    o[blockIdx.x * 32 + T] = s[T] + s[T + 32];
    clusterSync();
}

// A copy from block to block. 1: the source is overwritten at once. 2: the block of the source may
// end before.
template <int C>
__global__ void blockToBlock(int *o)
{
    SHARED int s[32];
    SHARED int d[32];
    SHARED u64 b;
    s[T] = T;
    proxyFence();
    start(&b, 1);
    if (T == 0)
        expect(&b, 128);
    clusterSync();
    if (T == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 128, [%2];" ::"r"(remote(d, rank() ^ 1)),
                     "r"(sm(s)), "r"(remote(&b, rank() ^ 1))
                     : "memory");
    __syncthreads();
    if (C == 1)
        s[T] = 9;
    wait(&b, 0);
    o[blockIdx.x * 32 + T] = d[T];
    if (C != 2)
        clusterSync();
}

// Lanes 8 to 31 give no address of a row. 1: rows that are no multiple of 16 bytes. 2: half a warp.
template <int C>
__global__ void matrixLoad(int *o)
{
    SHARED int s[64];
    int r = 0;
    s[T] = T;
    s[T + 32] = T;
    __syncwarp();
    if (C != 2 || T < 16)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(r)
                     : "r"(T < 8 ? sm(s + 4 * T) + 4 * (C == 1) : 0xffffff00u)
                     : "memory");
    o[T] = r;
}

// 1: no __syncwarp() before the read. 2: two lanes give one row.
template <int C>
__global__ void matrixStore(int *o)
{
    SHARED int s[64];
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                     sm(s + 4 * (T & (C == 2 ? 3 : 7)))),
                 "r"(T)
                 : "memory");
    if (C != 1)
        __syncwarp();
    if (T < 16)
        o[T] = s[T];
}

#define PRODUCT                                                                                    \
    asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32."  \
                 "f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;}"                               \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                  \
                 : "l"(described(x)), "l"(described(y)))
__device__ u64 described(const void *p)
{
    return (u64)((sm(p) & 0x3ffff) >> 4) | (u64)8 << 16 | (u64)16 << 32;
}

// 1: no proxy fence. 2: no wgmma.fence before the first product. 3: no commit. 4: no wgmma.fence
// after the accumulator changed. 5: an operand changes before the wait. 6: no wgmma.fence after all of
// the accumulator was scaled. 7, right: no other wgmma.fence, because only products change it.
template <int C>
__global__ void products(float *o)
{
    SHARED short x[64 * 16];
    SHARED short y[16 * 8];
    float c[4] = {0, 0, 0, 0};
    for (int i = T; i < 64 * 16; i += 128)
        x[i] = 0x3c00;
    y[T] = 0x3c00;
    if (C != 1)
        proxyFence();
    __syncthreads();
    if (C != 2)
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    PRODUCT;
    if (C != 3)
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (C == 5)
        x[T] = 0;
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4 && C == 6; i++)
        c[i] *= 1 + T;
    if (C < 6)
        c[0] += 1;
    if (C != 4 && C < 6)
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    PRODUCT;
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        o[4 * T + i] = c[i];
}

// The matrix a is in registers, which change between two products. 1: no wgmma.fence after that.
template <int C>
__global__ void productsOfRegisters(float *o)
{
    SHARED short y[16 * 8];
    float c[4] = {0, 0, 0, 0};
    unsigned a = 0x3c003c00;
    y[T] = 0x3c00;
    proxyFence();
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (k == 0 || C == 0)
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32."
                     "f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, p, 1, 1, 0;}"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a), "l"(described(y)));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        a += T << 10 & 0x1000;
    }
    for (int i = 0; i < 4; i++)
        o[4 * T + i] = c[i];
}
