// SPDX-License-Identifier: MIT
//
// Programs in which streams, captures and the host wait for each other, for programs.cu.
#pragma once

__global__ void release(int *f)
{
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(f) : "memory");
}

// Writes data, and then a flag in one of several ways.
enum FlagWrite { RELEASED, FENCED, FENCED_VOLATILE, RELAXED, NARROW_FENCE, NARROW, PLAIN, FENCE_OF_ANOTHER };

template <FlagWrite W> __global__ void dataThenFlag(int *data, int *f)
{
    if (W == FENCE_OF_ANOTHER && threadIdx.x == 0) {
        __threadfence_system();
        return;
    }
    *data = 42;
    if (W == FENCED || W == FENCED_VOLATILE)
        __threadfence_system();
    if (W == NARROW_FENCE)
        __threadfence();
    if (W == RELEASED)
        asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(f) : "memory");
    else if (W == FENCED)
        atomicExch_system(f, 1);
    else if (W == RELAXED || W == NARROW_FENCE)
        asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(f) : "memory");
    else if (W == NARROW)
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(f) : "memory");
    else if (W == PLAIN)
        *f = 1;
    else
        *(volatile int *)f = 1;
}

// A fill in s, a wait for it in the first stream, and another kernel in the second stream.
static int wait_orders_other_stream(cudaStream_t first, cudaStream_t second)
{
    fill<<<2, 64, 0, s>>>(a, N, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(first, e);
    inc<<<2, 64, 0, second>>>(a, N);
    return 0;
}

static int wait_between_legacy_and(unsigned flags, bool waits_in_legacy)
{
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, flags);
    wait_orders_other_stream(waits_in_legacy ? cudaStreamLegacy : made, waits_in_legacy ? made : cudaStreamLegacy);
    cudaStreamDestroy(made);
    return 0;
}

static int wait_in_legacy_stream()
{
    return wait_between_legacy_and(cudaStreamDefault, true);
}

static int wait_in_blocking_stream()
{
    return wait_between_legacy_and(cudaStreamDefault, false);
}

static int wait_in_non_blocking_stream()
{
    return wait_between_legacy_and(cudaStreamNonBlocking, false);
}

static int *pinned(int n)
{
    int *p;
    cudaMallocHost(&p, n * sizeof *p);
    memset(p, 0, n * sizeof *p);
    return p;
}

static int poll_by_atomic()
{
    int *f = pinned(1);
    release<<<1, 1, 0, s>>>(f);
    while (__atomic_fetch_add(f, 0, __ATOMIC_ACQUIRE) != 1) {
    }
    cudaFreeHost(f);
    return 0;
}

__global__ void waitForTwo(volatile int *f)
{
    while (*f != 2) {
    }
}

static int two_atomic_signals()
{
    int *f = pinned(1);
    waitForTwo<<<1, 1, 0, s>>>(f);
    __atomic_fetch_add(f, 0, __ATOMIC_ACQUIRE);
    __atomic_fetch_add(f, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(f, 1, __ATOMIC_RELEASE);
    cudaStreamSynchronize(s);
    cudaFreeHost(f);
    return 0;
}

// The host waits for the flag by plain or atomic loads, and then reads the data or not.
template <FlagWrite W, bool readsData> static int poll_flag()
{
    int *data = pinned(1), *f = pinned(1), got = 42;
    dataThenFlag<W><<<1, W == FENCE_OF_ANOTHER ? 2 : 1, 0, s>>>(data, f);
    while (__atomic_load_n(f, __ATOMIC_ACQUIRE) != 1) {
    }
    if (readsData)
        got = *(volatile int *)data;
    cudaStreamSynchronize(s);
    cudaFreeHost(data);
    cudaFreeHost(f);
    return got != 42;
}

__global__ void answer(volatile int *f)
{
    while (f[0] != 1) {
    }
    f[0] = 2;
}

static int ask_and_poll()
{
    volatile int *f = pinned(1);
    answer<<<1, 1, 0, s>>>((int *)f);
    f[0] = 1;
    while (f[0] != 2) {
    }
    cudaStreamSynchronize(s);
    cudaFreeHost((void *)f);
    return 0;
}

// The program ignores that these calls fail.
static int copy_past_symbol()
{
    inc<<<1, 64>>>(a, 0);
    cudaMemcpyToSymbolAsync(symbol, h, sizeof symbol, sizeof symbol[0], cudaMemcpyHostToDevice, s);
    return 0;
}

static int copy_to_null()
{
    inc<<<1, 64>>>(a, 0);
    cudaMemcpy(nullptr, h, sizeof h, cudaMemcpyHostToDevice);
    return 0;
}
