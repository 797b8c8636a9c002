// SPDX-License-Identifier: MIT
//
// Who sees what: flags, fences, scopes, locks.
#include <cuda/atomic>

__global__ void flagBlockScope(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            d[0] = 7;
            __threadfence();
            atomicExch_block(f, 1);
        }
    } else if (threadIdx.x == 0) {
        while (atomicAdd(f, 0) == 0) {
        }
        __threadfence();
        o[0] = d[0];
    }
}
__global__ void fenceBlock(int *d, int *f, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        d[0] = 7;
        __threadfence_block();
        atomicExch(f, 1);
    } else {
        while (atomicAdd(f, 0) == 0) {
        }
        __threadfence();
        o[0] = d[0];
    }
}
__global__ void fenceGpu(int *d, int *f, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        d[0] = 7;
        __threadfence();
        atomicExch(f, 1);
    } else {
        while (atomicAdd(f, 0) == 0) {
        }
        __threadfence();
        o[0] = d[0];
    }
}
__global__ void fenceWriterOnly(int *d, int *f, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        d[0] = 7;
        __threadfence();
        atomicExch(f, 1);
    } else {
        while (atomicAdd(f, 0) == 0) {
        }
        o[0] = d[0];
    }
}
template <cuda::thread_scope S>
__global__ void refScope(int *d, int *f, int *o)
{
    cuda::atomic_ref<int, S> r(*f);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t == 0) {
        d[0] = 7;
        r.store(1, cuda::memory_order_release);
    } else if (t == 64) {
        while (r.load(cuda::memory_order_acquire) == 0) {
        }
        o[0] = d[0];
    }
}
__global__ void refRelaxed(int *d, int *f, int *o)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t == 0) {
        d[0] = 7;
        r.store(1, cuda::memory_order_release);
    } else if (t == 64) {
        while (r.load(cuda::memory_order_relaxed) == 0) {
        }
        o[0] = d[0];
    }
}
__global__ void refFetchSeq(int *d, int *f, int *o)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t == 0) {
        d[0] = 7;
        r.store(1, cuda::memory_order_release);
    } else if (t == 32) {
        while (r.load(cuda::memory_order_relaxed) != 1) {
        }
        r.fetch_add(1, cuda::memory_order_relaxed);
    } else if (t == 64) {
        while (r.load(cuda::memory_order_acquire) != 2) {
        }
        o[0] = d[0];
    }
}
__global__ void refStoreBreaksSeq(int *d, int *f, int *o)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t == 0) {
        d[0] = 7;
        r.store(1, cuda::memory_order_release);
    } else if (t == 32) {
        while (r.load(cuda::memory_order_relaxed) != 1) {
        }
        r.store(2, cuda::memory_order_relaxed);
    } else if (t == 64) {
        while (r.load(cuda::memory_order_acquire) != 2) {
        }
        o[0] = d[0];
    }
}
template <int BUG>
__global__ void lastBlock(const int *x, int *part, int *ticket, int *o, int n)
{
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 32; k; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        if (BUG != 1)
            __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        if (BUG != 2)
            __threadfence();
    }
    __syncthreads();
    if (last && t == 0) {
        int a = 0;
        for (int b = 0; b < gridDim.x; b++)
            a += part[b];
        *o = a;
    }
}
template <int BUG>
__global__ void lastAll(int *d, int *ticket, int *o)
{
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    d[i] = i;
    if (BUG == 1) {
        if (t == 0)
            __threadfence();
    } else
        __threadfence();
    __syncwarp();
    if (t == 0) {
        if (BUG == 2)
            ;
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int a = 0;
        for (int b = 0; b < gridDim.x; b++)
            a += d[b * 32 + t];
        o[t] = a;
    }
}
template <int BUG>
__global__ void lock(int *m, int *v)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(m, 0, 1)) {
    }
    if (BUG != 1)
        __threadfence();
    *v += blockIdx.x + 1;
    if (BUG != 2)
        __threadfence();
    if (BUG == 3)
        *m = 0;
    else
        atomicExch(m, 0);
}
__global__ void ticketLock(unsigned *next, volatile unsigned *now, int *v)
{
    if (threadIdx.x)
        return;
    unsigned me = atomicAdd(next, 1);
    while (*now != me) {
    }
    __threadfence();
    *v += 1;
    __threadfence();
    *now = me + 1;
}
__global__ void mixedSize(unsigned long long *x)
{
    if (threadIdx.x == 0)
        atomicAdd(x, 1ull);
    if (threadIdx.x == 32)
        atomicAdd((unsigned *)x + 1, 1u);
}
__global__ void ticketRace(int *c, int *y)
{
    int k = atomicAdd(c, 1);
    if (k == 5)
        *y = 1;
    if (k == 6)
        *y = 2;
}
__global__ void ticketReset(int *c, int *y)
{
    int k = atomicAdd(c, 1);
    if (k == (int)(gridDim.x * blockDim.x) - 1)
        *c = 0;
    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void ticketResetEarly(int *c, int *y)
{
    int k = atomicAdd(c, 1);
    if (k == (int)(gridDim.x * blockDim.x) - 2)
        *c = 0;
    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
template <int BUG>
__global__ void sbAssert(volatile int *xy, int *both, int *bad)
{
    int t = threadIdx.x / 32;
    if (threadIdx.x % 32)
        return;
    xy[t] = 1;
    if (!BUG)
        __threadfence();
    int r = xy[1 - t];
    if (r == 0 && atomicAdd(both, 1) == 1)
        atomicExch(bad, 1);
}
template <int BUG>
__global__ void handGridBarrier(int *d, int *o, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = i;
    if (BUG != 1)
        __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(c, 1);
        while (atomicAdd(c, 0) < (int)gridDim.x) {
        }
        __threadfence();
    }
    if (BUG != 2)
        __syncthreads();
    if (i < n)
        o[i] = d[n - 1 - i];
}
__global__ void lookback(unsigned long long *state, int *o)
{
    // The flag and the value are in one 64-bit word, so no fence is needed.
    if (threadIdx.x)
        return;
    unsigned long long sum = 1;
    if (blockIdx.x) {
        unsigned long long s;
        while (!((s = *(volatile unsigned long long *)(state + blockIdx.x - 1)) >> 63)) {
        }
        sum += s & ~(1ull << 63);
    }
    *(volatile unsigned long long *)(state + blockIdx.x) = sum | 1ull << 63;
    o[blockIdx.x] = sum;
}
__global__ void seqlock(int *seq, int *d, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        atomicAdd(seq, 1);
        __threadfence();
        d[0] = 1;
        d[1] = 1;
        __threadfence();
        atomicAdd(seq, 1);
    } else {
        int a, x, y;
        do {
            a = atomicAdd(seq, 0);
            __threadfence();
            x = d[0];
            y = d[1];
            __threadfence();
        } while (a != 2 || atomicAdd(seq, 0) != a);
        o[0] = x + y;
    }
}
__global__ void ptxRelease(int *d, int *f, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        d[0] = 7;
        asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}
__global__ void ptxReleaseCtaAcquire(int *d, int *f, int *o)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        d[0] = 7;
        asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(f) : "memory");
    } else {
        int v;
        do
            asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(v) : "l"(f) : "memory");
        while (!v);
        o[0] = d[0];
    }
}
__global__ void fenceAfterBarrier(int *d, int *f, int *o)
{
    // fence.sc of another thread than the writer's, after a barrier.
    if (blockIdx.x == 0) {
        d[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 33) {
            __threadfence();
            atomicExch(f, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(f, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        o[threadIdx.x] = d[63 - threadIdx.x];
    }
}
__global__ void wrongWordFlag(int *d, int *f, int *o)
{
    // Reads flag 1, which the writer sets before the data.
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        atomicExch(f + 1, 1);
        __threadfence();
        d[0] = 7;
        __threadfence();
        atomicExch(f, 1);
    } else {
        while (atomicAdd(f + 1, 0) == 0) {
        }
        __threadfence();
        o[0] = d[0];
    }
}
__global__ void rareFlag(volatile int *f, int *d, int *o)
{
    // Only an order in which block 1 sees the flag reads d.
    if (threadIdx.x)
        return;
    if (blockIdx.x == 1) {
        d[0] = 7;
        *f = 1;
    } else
        o[0] = *f ? d[0] - 6 : 1;
}
