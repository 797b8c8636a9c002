// SPDX-License-Identifier: MIT
//
// Threads that wait for each other by atomics, and values that depend on more than the input.
// attacks.tsv says what is wrong in each kernel. C is 0 in the right variant of a kernel.
#include <cstdio>

__device__ int get(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ int peek(const int *p)
{
    int v;
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void put(int *p, int v)
{
    asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ void poke(int *p, int v)
{
    asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ int swap(int *p, int v)
{
    int r;
    asm volatile("atom.exch.acq_rel.gpu.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
    return r;
}
__device__ int cas(int *p, int old, int v)
{
    int r;
    asm volatile("atom.cas.acq_rel.gpu.b32 %0, [%1], %2, %3;"
                 : "=r"(r)
                 : "l"(p), "r"(old), "r"(v)
                 : "memory");
    return r;
}
__device__ bool last(int *count)
{
    int r;
    asm volatile("atom.add.acq_rel.gpu.s32 %0, [%1], 1;" : "=r"(r) : "l"(count) : "memory");
    return r == gridDim.x - 1;
}

// A barrier of all blocks, twice. 1: it opens before its counter is 0 again.
template <int C>
__global__ void twice(int *count, int *sense, int *o)
{
    for (int k = 1; k >= 0; k--)
        if (atomicAdd(count, 1) == gridDim.x - 1) {
            if (C)
                atomicExch(sense, k);
            atomicExch(count, 0);
            if (!C)
                atomicExch(sense, k);
        } else
            while (atomicAdd(sense, 0) != k)
                ;
    o[blockIdx.x] = 1;
}

// The last block opens a barrier and then changes a word, which all others count up.
// 0: it adds, too. 1: it stores 0. 2: a maximum. 3: a volatile store.
template <int C>
__global__ void opened(int *count, int *sense, int *word)
{
    if (atomicAdd(count, 1) == gridDim.x - 1) {
        atomicExch(sense, 1);
        if (C == 0)
            atomicAdd(word, 5);
        else if (C == 1)
            atomicExch(word, 0);
        else if (C == 2)
            atomicMax(word, 5);
        else
            *(volatile int *)word = 9;
    } else {
        while (atomicAdd(sense, 0) == 0)
            ;
        atomicAdd(word, 1);
    }
}

// The same for the warps of a block.
__global__ void openedInBlock(int *o)
{
    __shared__ int count, sense;
    if (threadIdx.x == 0)
        count = sense = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        if (atomicAdd(&count, 1) == blockDim.x / 32 - 1) {
            atomicExch(&sense, 1);
            atomicExch(&count, 0);
        } else
            while (atomicAdd(&sense, 0) == 0)
                ;
        atomicAdd(&count, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *o = count;
}

// All blocks add a float, after a barrier.
__global__ void openedFloats(float *sum, int *count, int *sense, const float *x)
{
    if (atomicAdd(count, 1) == gridDim.x - 1)
        atomicExch(sense, 1);
    else
        while (atomicAdd(sense, 0) == 0)
            ;
    atomicAdd(sum, x[blockIdx.x]);
}

// The last block sets a flag too early; the others poll it. In between, it makes that many other accesses.
template <int Between> __global__ void earlyFlag(int *flag, int *word, int *o)
{
    if (blockIdx.x == gridDim.x - 1) {
        poke(flag, 1);
        for (int k = 0; k < Between; k++)
            atomicAdd(o + 1, 1);
        __threadfence();
        poke(word, 4);
    } else {
        while (!peek(flag))
            ;
        __threadfence();
        atomicMax(o, peek(word));
    }
}

// A queue lock of Mellor-Crummey and Scott; node 0 is none.
__global__ void queueLock(int *tail, int *next, int *locked, int *value)
{
    int me = blockIdx.x + 1;
    poke(&next[me], 0);
    poke(&locked[me], 1);
    int before = swap(tail, me);
    if (before) {
        put(&next[before], me);
        while (get(&locked[me]))
            ;
    }
    *value += me;
    if (!get(&next[me])) {
        if (cas(tail, me, 0) == me)
            return;
        while (!get(&next[me]))
            ;
    }
    put(&locked[get(&next[me])], 0);
}

// A lock of many readers. 1: a reader gives it back without a fence.
template <int C>
__global__ void readers(int *lock, int *value, int *reads)
{
    if (blockIdx.x & 1) {
        while (atomicAdd(lock, 1) >= 1000)
            atomicSub(lock, 1);
        __threadfence();
        if (*value >= 0)
            atomicAdd(reads, 1);
        if (!C)
            __threadfence();
        atomicSub(lock, 1);
    } else {
        while (atomicCAS(lock, 0, 1000))
            ;
        __threadfence();
        *value += 1;
        __threadfence();
        atomicSub(lock, 1000);
    }
}

// Each block pushes a node on a stack and pops one. 1: relaxed.
template <int C>
__global__ void stack(int *head, int *next, int *data, int *sum)
{
    int me = blockIdx.x + 1, top = peek(head), seen;
    data[me] = me;
    for (;; top = seen) {
        poke(&next[me], top);
        seen = C ? atomicCAS(head, top, me) : cas(head, top, me);
        if (seen == top)
            break;
    }
    for (top = get(head);; top = seen) {
        if (!top) {
            seen = get(head);
            continue;
        }
        seen = C ? atomicCAS(head, top, peek(&next[top])) : cas(head, top, peek(&next[top]));
        if (seen == top)
            break;
    }
    atomicAdd(sum, data[top]);
}

// A sequence lock. 1: readers do not look at the sequence again.
template <int C>
__global__ void sequence(int *count, int *data, int *o)
{
    int before, x, y;
    if (blockIdx.x == 0)
        for (int k = 1; k < 4; k++) {
            poke(count, 2 * k - 1);
            __threadfence();
            poke(&data[0], k);
            poke(&data[1], k);
            put(count, 2 * k);
        }
    else {
        do {
            before = get(count);
            x = peek(&data[0]);
            y = peek(&data[1]);
            __threadfence();
        } while ((before & 1) || (!C && before != peek(count)));
        o[blockIdx.x - 1] = x == y;
    }
}

// A ring of four. 1: the writer goes one too far. 2: the reader does not release.
template <int C>
__global__ void ring(const int *x, int *slots, int *head, int *tail, int *o, int n)
{
    for (int i = 0; i < n; i++)
        if (blockIdx.x == 0) {
            while (i - get(tail) >= 4 + (C == 1))
                ;
            slots[i & 3] = x[i];
            put(head, i + 1);
        } else {
            while (get(head) <= i)
                ;
            o[i] = slots[i & 3];
            if (C == 2)
                poke(tail, i + 1);
            else
                put(tail, i + 1);
        }
}

// Blocks draw work. 1: no barrier before the next draw.
template <int C>
__global__ void draw(const int *x, int *next, int *o, int n)
{
    __shared__ int i;
    for (;;) {
        if (threadIdx.x == 0)
            i = atomicAdd(next, 1);
        __syncthreads();
        if (i >= n)
            return;
        if (threadIdx.x == 33)
            o[i] = x[i] * 2;
        if (!C)
            __syncthreads();
    }
}

// Litmus tests. o[0] is 1 if the outcome was seen that the right variant forbids.
template <int C>
__global__ void exchanges(int *x, int *r, int *count, int *o)
{
    int me = blockIdx.x;
    if (C)
        poke(&x[me], 1);
    else
        swap(&x[me], 1);
    r[me] = C ? get(&x[1 - me]) : atomicAdd(&x[1 - me], 0);
    if (last(count))
        *o = r[0] == 0 && r[1] == 0;
}
template <int C>
__global__ void twoStores(int *x, int *count, int *o)
{
    int me = blockIdx.x;
    poke(&x[me], 1);
    if (C)
        put(&x[1 - me], 2);
    else {
        __threadfence();
        poke(&x[1 - me], 2);
    }
    if (last(count))
        *o = x[0] == 1 && x[1] == 1;
}
template <int C>
__global__ void relay(int *x, int *r, int *count, int *o)
{
    if (blockIdx.x == 0)
        poke(&x[0], 1);
    else if (blockIdx.x == 1) {
        r[0] = peek(&x[0]);
        if (C)
            poke(&x[1], 1);
        else
            put(&x[1], 1);
    } else {
        r[1] = get(&x[1]);
        r[2] = peek(&x[0]);
    }
    if (last(count))
        *o = r[0] == 1 && r[1] == 1 && r[2] == 0;
}
template <int C>
__global__ void twoReaders(int *x, int *r, int *count, int *o)
{
    int k = blockIdx.x - 2;
    if (k < 0)
        poke(&x[blockIdx.x], 1);
    else {
        r[2 * k] = get(&x[k]);
        if (!C)
            __threadfence();
        r[2 * k + 1] = get(&x[1 - k]);
    }
    if (last(count))
        *o = r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0;
}

// The multiprocessor of each block. 1: a sum for each multiprocessor.
template <int C>
__global__ void placement(int *o)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (C)
        atomicAdd(&o[sm % 4], 1);
    else if (threadIdx.x == 0)
        o[blockIdx.x] = sm;
}

// Lane 16 is in the masks of both halves. 0: two places, 1: two places with a shuffle, 2: one.
template <int C>
__global__ void twoMasks(int *o)
{
    int v = threadIdx.x;
    if (C == 2)
        __syncwarp(v < 16 ? 0x1ffff : 0xffff0000);
    else if (v < 16) {
        v = C ? __shfl_xor_sync(0x1ffff, v, 1) : v;
        if (!C)
            __syncwarp(0x1ffff);
    } else {
        v = C ? __shfl_xor_sync(0xffff0000, v, 1) + 5 : v + 5;
        if (!C)
            __syncwarp(0xffff0000);
    }
    o[threadIdx.x] = v;
}

__global__ void addDoubles(const double *x, double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i]);
}

__global__ void printsOnce(int *o)
{
    o[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        printf("done\n");
}

// One thread sets a flag. Another reads it, but does not wait for it for ever. 0: it reads a fixed number of times.
// 1: a limit of time. 2: a limit of attempts. 3: it does not use the value.
template <int C> __global__ void looksOften(int *flag, int *o)
{
    int seen = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t == gridDim.x * blockDim.x - 1) {
        poke(flag, 1);
    } else if (t == 0) {
        long long start = clock64();
        for (int k = 0; (C == 1 ? !seen && clock64() - start < 10000 : k < 4000) && (C != 2 || !seen); k++) {
            seen = peek(flag);
            if (C == 2)
                __nanosleep(100);
        }
        o[0] = C == 3 ? 1 : seen;
    }
}

__global__ void triesOften(int *lock, int *o)
{
    for (int k = 0; k < 4000; k++)
        if (cas(lock, 0, 1) == 0) {
            o[blockIdx.x] = 1;
            put(lock, 0);
            return;
        }
}

template <int C> __global__ void printsValues(const int *x)
{
    int local;
    if (C == 0)
        printf("%d %lld %s\n", x[0], 7ll, "text");
    if (C == 1)
        printf("%d %d\n", x[0]);
    if (C == 2)
        printf("%s\n", (const char *)(long long)(x[0] | 1));
    if (C == 3)
        printf("%d %d\n", local, x[0]);
}
__global__ void printsFirst(int *c)
{
    int before = atomicAdd(c, 1);
    if (threadIdx.x == 0)
        printf("%d\n", before);
}

// A compare-and-swap that is never the first. 1: after a miss it adds one more.
template <int C>
__global__ void addByCas(const int *x, int *sum)
{
    int seen = peek(sum), old;
    if (C) {
        if (atomicCAS(sum, seen, seen + x[threadIdx.x]) != seen)
            atomicAdd(sum, x[threadIdx.x] + 1);
    } else
        do {
            old = seen;
            seen = atomicCAS(sum, old, old + x[threadIdx.x]);
        } while (seen != old);
}
