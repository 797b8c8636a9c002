// SPDX-License-Identifier: MIT
//
// Programs in which streams, captures and the host wait for each other, for programs.cu.
#pragma once

__global__ void release(int *f)
{
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(f) : "memory");
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
