// SPDX-License-Identifier: MIT
//
// A pipeline of tensor copies with a producer and consumers, and the same one with bugs, for
// test_tma.c.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

enum { TILE_X = 32, TILE_Y = 8, STAGES = 3, CONSUMERS = 64 };

/* Bugs of the pipeline. */
enum bug {
    NONE,
    NO_WAIT,        /* consumers do not wait for a stage */
    WRONG_PARITY,   /* consumers wait for the phase before */
    MORE_BYTES,     /* the producer expects too many bytes */
    FEWER_BYTES,    /* too few */
    NO_PROXY_FENCE, /* a store without fence.proxy.async */
    NO_READ_WAIT,   /* the next tile overwrites the source of a store */
    NO_INIT_FENCE,  /* the copies may find uninitialized mbarrier objects */
};

struct stages {
    alignas(1024) float in[STAGES][TILE_Y][TILE_X];
    alignas(1024) float out[TILE_Y][TILE_X];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ inline void wait(uint64_t *barrier, uint32_t parity)
{
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

template <bug own> __device__ void produce(const CUtensorMap *x, stages &s, int tiles)
{
    for (int t = 0; t < tiles; t++) {
        int stage = t % STAGES, round = t / STAGES;
        uint32_t bytes = sizeof s.in[0] + (own == MORE_BYTES ? 128 : own == FEWER_BYTES ? -128 : 0);
        if (round > 0)
            wait(&s.empty[stage], (round - 1) & 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s.full[stage], bytes);
        const int at[2] = {t * TILE_X, (int)blockIdx.x * TILE_Y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &s.in[stage], x, at,
                                  &s.full[stage]);
    }
}

template <bug own> __device__ void consume(const CUtensorMap *y, stages &s, int tiles)
{
    unsigned int thread = threadIdx.x - 32;

    for (int t = 0; t < tiles; t++) {
        int stage = t % STAGES, round = t / STAGES;
        if (own != NO_WAIT)
            wait(&s.full[stage], own == WRONG_PARITY ? (round + 1) & 1 : round & 1);
        if (own != NO_READ_WAIT) {
            if (thread == 0)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
        for (unsigned int k = thread; k < TILE_X * TILE_Y; k += CONSUMERS)
            s.out[k / TILE_X][k % TILE_X] = 2 * s.in[stage][k / TILE_X][k % TILE_X];
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                             &s.empty[stage]);
        if (own != NO_PROXY_FENCE)
            ptx::fence_proxy_async(ptx::space_shared);
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (thread == 0) {
            const int at[2] = {t * TILE_X, (int)blockIdx.x * TILE_Y};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, y, at, &s.out);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (thread == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

template <bug own>
__global__ void pipeline(const __grid_constant__ CUtensorMap x,
                         const __grid_constant__ CUtensorMap y, int tiles)
{
    __shared__ stages s;

    if (threadIdx.x == (own == NO_INIT_FENCE ? 1 : 0)) {
        for (int k = 0; k < STAGES; k++) {
            ptx::mbarrier_init(&s.full[k], 1);
            ptx::mbarrier_init(&s.empty[k], CONSUMERS);
        }
        if (own != NO_INIT_FENCE)
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        produce<own>(&x, s, tiles);
    else if (threadIdx.x >= 32)
        consume<own>(&y, s, tiles);
}
