// SPDX-License-Identifier: MIT

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
namespace cg = cooperative_groups;

// Synchronization of libcu++.
template <int V> __global__ void sync(const int *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    __shared__ cuda::latch<cuda::thread_scope_block> *latch;
    __shared__ __align__(8) char room[64];
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, V == 1 ? 32 : V == 2 ? 65 : 64);
        latch = new (room) cuda::latch<cuda::thread_scope_block>(V == 4 ? 32 : 64);
    }
    __syncthreads();
    s[t] = in[t];
    if (V == 0 || V == 1 || V == 2) {
        bar.arrive_and_wait();
    } else if (V == 3 || V == 4) {
        latch->arrive_and_wait();
    } else if (V == 5) {
        auto token = bar.arrive();
        bar.wait(std::move(token));
    } else if (V == 6) {
        auto token = bar.arrive();
        (void)token;
    } else if (V == 7) {
        if (t < 32)
            (void)bar.arrive();
        else
            bar.arrive_and_wait();
    } else if (V == 8) {
        if (t == 5)
            bar.arrive_and_drop();
        else
            bar.arrive_and_wait();
        if (t != 5 && t != 37) {
            s[t] = s[t ^ 32];
            bar.arrive_and_wait();
        }
    } else if (V == 9) {
        if (t >= 32)
            bar.wait_parity(true);
        else
            (void)bar.arrive();
    }
    if (V == 7 && t < 32)
        out[t] = in[t];
    else if (V == 8)
        out[t] = in[t];
    else
        out[t] = s[t ^ 32];
}

// A counting semaphore as a lock.
template <int V> __global__ void lock(int *total, cuda::counting_semaphore<cuda::thread_scope_device, 8> *sem)
{
    if (threadIdx.x == 0) {
        sem->acquire();
        *total += 1;
        sem->release();
    }
}

template <int V> __global__ void make(cuda::counting_semaphore<cuda::thread_scope_device, 8> *sem)
{
    new (sem) cuda::counting_semaphore<cuda::thread_scope_device, 8>(V == 1 ? 2 : 1);
}

// Copies by a group.
template <int V> __global__ void group(const int *in, int *out)
{
    __shared__ int s[2][64];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    cg::memcpy_async(block, s[0], in, 64 * sizeof(int));
    cg::memcpy_async(block, s[1], in + 64, 64 * sizeof(int));
    if (V == 0) {
        cg::wait_prior<1>(block);
        int a = s[0][t ^ 1];
        cg::wait(block);
        out[t] = a + s[1][t ^ 1];
    } else if (V == 1) {
        cg::wait_prior<1>(block);
        out[t] = s[0][t ^ 1] + s[1][t ^ 1];
    } else if (V == 2) {
        out[t] = s[0][t ^ 1];
        cg::wait(block);
    } else if (V == 3) {
        cg::wait(block);
        int a = s[0][t ^ 1] + s[1][t ^ 1];
        cg::memcpy_async(block, s[0], in + 64, 64 * sizeof(int));
        cg::wait(block);
        out[t] = a + s[0][t];
    } else if (V == 4) {
        cg::wait(block);
        int a = s[0][t ^ 1] + s[1][t ^ 1];
        block.sync();
        cg::memcpy_async(block, s[0], in + 64, 64 * sizeof(int));
        cg::wait(block);
        out[t] = a + s[0][t];
    }
}

// Tiles and coalesced groups.
template <int V> __global__ void tiles(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = threadIdx.x, r = 0;
    if (V == 0) {
        auto four = cg::tiled_partition<4>(warp);
        r = cg::reduce(four, in[t], cg::plus<int>());
    } else if (V == 1) {
        if (t % 32 < 20)
            r = cg::reduce(warp, in[t], cg::plus<int>());
    } else if (V == 2) {
        auto four = cg::tiled_partition<4>(warp);
        if (t % 4 != 3)
            r = four.shfl(in[t], 0);
    } else if (V == 3) {
        if (in[t] & 1) {
            auto some = cg::coalesced_threads();
            r = some.size();
        }
    } else if (V == 4) {
        auto odd = cg::binary_partition(warp, in[t] & 1);
        r = cg::reduce(odd, in[t], cg::plus<int>());
    } else if (V == 5) {
        r = cg::inclusive_scan(warp, in[t]);
    } else if (V == 6) {
        auto label = cg::labeled_partition(warp, in[t] & 3);
        r = label.shfl(in[t], 0);
    } else if (V == 7) {
        auto label = cg::labeled_partition(warp, in[t] & 3);
        r = label.shfl(in[t], 1);
    }
    out[t] = r;
}
