// SPDX-License-Identifier: MIT
//
// Round 2: documented uses of CUDA's headers. NAME0 is right, NAME1 has a bug.
#include "variants.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;

struct Done {
    int *p;
    __device__ void operator()() noexcept
    {
        *p += 1;
    }
};
template <int BUG>
__device__ void completion(int *y)
{
    using B = cuda::barrier<cuda::thread_scope_block, Done>;
    __shared__ cuda::std::aligned_storage<sizeof(B), alignof(B)>::type mem;
    __shared__ int count;
    B *b = (B *)&mem;
    if (threadIdx.x == 0) {
        count = 0;
        new (b) B(64, Done{&count});
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (BUG && threadIdx.x == 63)
            (void)b->arrive();
        else
            b->arrive_and_wait();
        y[k * 64 + threadIdx.x] = count;
        if (!BUG)
            b->arrive_and_wait();
    }
}
V(completion, (int *y), (y))

template <int BUG>
__device__ void deviceBarrier(void *mem, const int *x, int *y, int n)
{
    using B = cuda::barrier<cuda::thread_scope_device>;
    B *b = (B *)mem;
    if (threadIdx.x == 0) {
        y[blockIdx.x] = x[blockIdx.x];
        if (BUG)
            (void)b->arrive();
        else
            b->arrive_and_wait();
        int s = 0;
        for (int k = 0; k < gridDim.x; k++)
            s += y[k];
        y[gridDim.x + blockIdx.x] = s;
    }
}
__global__ void make(void *mem, int n)
{
    new (mem) cuda::barrier<cuda::thread_scope_device>(n);
}
V(deviceBarrier, (void *m, const int *x, int *y, int n), (m, x, y, n))

#pragma nv_diag_suppress static_var_with_dynamic_init
template <int BUG>
__device__ void drop(const int *x, int *y, int n)
{
    using B = cuda::barrier<cuda::thread_scope_block>;
    __shared__ B b;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, 64);
    s[t] = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (t >= 32 && k == 1) {
            if (!BUG)
                b.arrive_and_drop();
            return;
        }
        s[t] += x[t];
        b.arrive_and_wait();
        int v = s[t ^ 1];
        b.arrive_and_wait();
        if (k == 2)
            y[t] = v;
    }
}
V(drop, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void roles(const int *x, int *y, int n)
{
    __shared__ alignas(16) int s[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto p = cuda::make_pipeline(block, &state, role);
    auto warp = cg::tiled_partition<32>(block);
    for (int k = 0; k < n / 32; k++)
        if (role == cuda::pipeline_role::producer) {
            p.producer_acquire();
            cuda::memcpy_async(warp, s[k % 2], x + k * 32, cuda::aligned_size_t<16>(128), p);
            p.producer_commit();
        } else {
            p.consumer_wait();
            if (BUG)
                p.consumer_release();
            y[k * 32 + warp.thread_rank()] = s[k % 2][31 - warp.thread_rank()];
            if (!BUG)
                p.consumer_release();
        }
}
V(roles, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void semaphore(int *y)
{
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> m;
    __shared__ int s;
    if (threadIdx.x == 0) {
        new (&m) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        s = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        m.acquire();
        s += threadIdx.x;
        if (!BUG)
            m.release();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *y = s;
}
V(semaphore, (int *y), (y))

// As the guide's "Multi-stage asynchronous data copies with cuda::pipeline": all threads produce
// and consume.
__global__ void stages(const int *x, int *y, int n)
{
    __shared__ alignas(16) int s[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto p = cuda::make_pipeline(block, &state);
    for (int k = 0, f = 0; k < n / 32; k++) {
        for (; f < n / 32 && f < k + 2; f++) {
            p.producer_acquire();
            cuda::memcpy_async(block, s[f % 2], x + f * 32, cuda::aligned_size_t<16>(128), p);
            p.producer_commit();
        }
        p.consumer_wait();
        y[k * 32 + threadIdx.x] = s[k % 2][31 - threadIdx.x];
        p.consumer_release();
    }
}
// A warp copies as many elements as there are, by the function of cooperative groups for that.
__global__ void tail(const int *x, int *y, int n)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cg::memcpy_async(tile, s, x, sizeof(int) * n);
    cg::wait(tile);
    if (threadIdx.x < n)
        y[threadIdx.x] = s[n - 1 - threadIdx.x];
}
