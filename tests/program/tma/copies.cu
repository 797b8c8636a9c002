// SPDX-License-Identifier: MIT
//
// Single asynchronous copies, right and wrong, for test_tma.c.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

enum { N = 256 };

__device__ inline void start(uint64_t *barrier, int arrivals)
{
    ptx::mbarrier_init(barrier, arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

__device__ inline void expect(uint64_t *barrier, uint32_t bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                   bytes);
}

__device__ inline void wait(uint64_t *barrier, uint32_t parity)
{
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ inline void load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, barrier);
}

// As in the CUDA programming guide, with cuda::barrier.
__global__ void doubled(const float *x, float *y)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) float tile[N];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full;
    barrier::arrival_token token;

    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, x + blockIdx.x * N,
                                      cuda::aligned_size_t<16>(sizeof tile), full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    tile[threadIdx.x] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + blockIdx.x * N, tile,
                           sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

enum fault {
    ODD_SIZE,
    ODD_ADDRESS,
    NOT_INITIALIZED,
    OVERWRITTEN,
    TOO_MANY_ARRIVALS,
    NEVER_WAITS,
    COMPLETES,
    OUT_OF_BOUNDS
};

template <fault own> __global__ void faulty(const float *x, float *y)
{
    __shared__ alignas(16) float tile[N];
    __shared__ uint64_t barrier;

    if (own != NOT_INITIALIZED)
        start(&barrier, 1);
    if (own == OVERWRITTEN)
        *(volatile uint64_t *)&barrier = 1;
    if (own == TOO_MANY_ARRIVALS)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 2);
    if (own == COMPLETES)
        ptx::mbarrier_arrive_no_complete(&barrier, 1);
    expect(&barrier, own == ODD_SIZE ? 24 : 64);
    load(tile + (own == ODD_ADDRESS), x + (own == OUT_OF_BOUNDS ? N : 0),
         own == ODD_SIZE ? 24 : 64, &barrier);
    if (own != NEVER_WAITS)
        wait(&barrier, 0);
    y[0] = 1;
}

__global__ void unfinishedStore(float *y)
{
    __shared__ alignas(16) float tile[4];

    for (int k = 0; k < 4; k++)
        tile[k] = k;
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
}

// Reductions of bytes.
__global__ void reduced(int *sums, unsigned *mask)
{
    __shared__ alignas(16) int tile[N];
    __shared__ alignas(16) unsigned bits[N];

    tile[threadIdx.x] = threadIdx.x;
    bits[threadIdx.x] = 1u << threadIdx.x % 32;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile,
                                  sizeof tile);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_xor_op, mask, bits,
                                  sizeof bits);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Loads a box and stores it as it lies in shared memory.
template <int BYTES> __device__ void dump(uint64_t *barrier, float *tile, float *y)
{
    expect(barrier, BYTES);
    wait(barrier, 0);
    for (int k = 0; k < BYTES / 4; k++)
        y[k] = tile[k];
}

__global__ void box(const __grid_constant__ CUtensorMap x, float *y, int i, int j)
{
    __shared__ alignas(1024) float tile[64];
    __shared__ uint64_t barrier;
    const int at[2] = {i, j};

    start(&barrier, 1);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &x, at, &barrier);
    dump<256>(&barrier, tile, y);
}

// Each thread copies an element and exits without a wait. The GPU may then still make the copy.
__global__ void unwaited(const float *x)
{
    __shared__ float tile[64];

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x)),
                 "l"(x + threadIdx.x)
                 : "memory");
}

// Maps in a struct and in arrays. OldMap has the alignment of CUDA 12.
struct alignas(64) OldMap {
    unsigned long long opaque[16];
};

template <typename Map> struct Maps {
    int i;
    Map first;
    const float *a;
    int j;
    Map second;
    const float *b;
};

__device__ void copyBox(const void *map, float *y, int i, int j)
{
    __shared__ alignas(1024) float tile[64];
    __shared__ uint64_t barrier;
    const int at[2] = {i, j};

    start(&barrier, 1);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &barrier);
    dump<256>(&barrier, tile, y);
}

template <typename Map> __global__ void boxOf(const __grid_constant__ Maps<Map> maps, float *y)
{
    copyBox(blockIdx.x == 0 ? &maps.first : &maps.second, y + 64 * blockIdx.x, maps.i, maps.j);
}

template <typename Map> __global__ void boxesOf(const Maps<Map> *maps, float *y)
{
    maps += blockIdx.x;
    copyBox(&maps->second, y + 64 * blockIdx.x, maps->i, maps->j);
}

__global__ void boxes(const CUtensorMap *maps, float *y, int last)
{
    copyBox(blockIdx.x + 1 == gridDim.x ? &maps[last] : &maps[blockIdx.x], y + 64 * blockIdx.x, 0,
            0);
}
