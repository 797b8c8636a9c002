// SPDX-License-Identifier: MIT
//
// Round 2: tiles, clusters and CUB. NAME0 is right, NAME1 and NAME2 have a bug (compute_90).
#include "variants.cuh"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;

template <int BUG>
__device__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[2][8][8], sb[2][8][8];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx,
        steps = (n + 7) / 8;
    float sum = 0;
    auto load = [&](int k) {
        int s = k & 1, ac = k * 8 + tx, br = k * 8 + ty;
        bool pa = row < n && ac < n, pb = br < n && col < n;
        __pipeline_memcpy_async(&sa[s][ty][tx], a + (pa ? row * n + ac : 0), 4, pa ? 0 : 4);
        __pipeline_memcpy_async(&sb[s][ty][tx], b + (pb ? br * n + col : 0), 4, pb ? 0 : 4);
        __pipeline_commit();
    };
    load(0);
    for (int k = 0; k < steps; k++) {
        if (k + 1 < steps) {
            load(k + 1);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(BUG == 1 ? 1 : 0);
        __syncthreads();
        for (int j = 0; j < 8; j++)
            sum += sa[k & 1][ty][j] * sb[k & 1][j][tx];
        if (BUG != 2)
            __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}
V(gemm, (const float *a, const float *b, float *c, int n), (a, b, c, n))

struct Larger {
    __device__ int operator()(int a, int b) const
    {
        return a > b ? a : b;
    }
};
template <int BUG>
__device__ void cubReduce(const int *x, int *y, int n)
{
    using R = cub::BlockReduce<int, 64>;
    __shared__ typename R::TempStorage temp;
    int t = threadIdx.x, v = t < n ? x[t] : 0;
    int sum = R(temp).Sum(v);
    if (BUG != 1)
        __syncthreads();
    int m = R(temp).Reduce(v, Larger{});
    if (t == (BUG == 2 ? 1 : 0))
        y[0] = sum, y[1] = m;
}
V(cubReduce, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void cubScan(const int *x, int *y, int n)
{
    using S = cub::BlockScan<int, 64>;
    __shared__ typename S::TempStorage temp;
    __shared__ int carry;
    if (threadIdx.x == 0)
        carry = 0;
    for (int base = 0; base < n; base += 64) {
        int i = base + threadIdx.x, v = i < n ? x[i] : 0, sum, before;
        S(temp).ExclusiveSum(v, before, sum);
        __syncthreads();
        if (i < n)
            y[i] = before + carry;
        if (BUG != 1)
            __syncthreads();
        if (threadIdx.x == (BUG == 2 ? threadIdx.x : 0))
            carry += sum;
    }
}
V(cubScan, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void cubWarp(const int *x, int *y, int n)
{
    using W = cub::WarpReduce<int, 24>;
    __shared__ typename W::TempStorage temp[2];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (l < 24) {
        int v = w * 24 + l < n ? x[w * 24 + l] : 0;
        int s = W(temp[BUG == 1 ? 0 : w]).Sum(v);
        if (l == (BUG == 2 ? 1 : 0))
            y[w] = s;
    }
}
V(cubWarp, (const int *x, int *y, int n), (x, y, n))

template <int BUG>
__device__ void wmmaTile(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda;
    __shared__ alignas(32) __half sa[256];
    __shared__ alignas(32) float sc[256];
    int l = threadIdx.x;
    for (int i = l; i < 256; i += 32)
        sa[i] = a[i];
    if (BUG != 1)
        __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, sa, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sc, fc, 16, wmma::mem_row_major);
    if (BUG != 2)
        __syncwarp();
    for (int i = l; i < 256; i += 32)
        c[i] = fmaxf(sc[i], 0);
}
V(wmmaTile, (const __half *a, const __half *b, float *c), (a, b, c))

template <int BUG>
__device__ void stAsync(int *y)
{
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int s[2];
    auto sm = [](void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto c = cg::this_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(sm(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(sm(&bar)),
                     "n"(BUG == 1 ? 4 : 8));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    if (BUG == 2)
        __syncthreads();
    else
        c.sync();
    if (threadIdx.x < 2) {
        unsigned ra, rb, peer = c.block_rank() ^ 1;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(ra)
            : "r"(sm(s + threadIdx.x)), "r"(peer));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(sm(&bar)), "r"(peer));
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(ra),
            "r"((int)(10 * c.block_rank() + threadIdx.x)), "r"(rb)
            : "memory");
    }
    unsigned done;
    do
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                     "[%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(sm(&bar))
                     : "memory");
    while (!done);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0] + s[1];
    c.sync();
}
V(stAsync, (int *y), (y))
