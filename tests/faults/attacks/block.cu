// SPDX-License-Identifier: MIT
//
// Barriers, warps, shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int BUG>
__global__ void named(const int *x, int *o)
{
    __shared__ int s[32];
    for (int r = 0; r < 2; r++)
        if (threadIdx.x < 32) {
            if (BUG != 1 && r)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[threadIdx.x] = x[r * 32 + threadIdx.x];
            asm volatile("bar.arrive 1, %0;" ::"n"(BUG == 2 ? 96 : 64) : "memory");
        } else {
            asm volatile("bar.sync 1, %0;" ::"n"(BUG == 2 ? 96 : 64) : "memory");
            o[r * 32 + threadIdx.x - 32] = s[63 - threadIdx.x];
            if (BUG != 1 && !r)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
}
__global__ void barId(int *o, int id)
{
    asm volatile("bar.sync %0;" ::"r"(id) : "memory");
    o[threadIdx.x] = 1;
}
__global__ void loopTrip(int *o)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    for (int i = 0; i <= threadIdx.x / 16; i++)
        __syncthreads();
    o[threadIdx.x] = s;
}
__global__ void ifElse(int *o)
{
    __shared__ int s[64];
    if (threadIdx.x & 1) {
        s[threadIdx.x] = 1;
        __syncthreads();
    } else {
        s[threadIdx.x] = 2;
        __syncthreads();
    }
    o[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void count(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = __syncthreads_count(i < n && x[i] > 0);
    if (threadIdx.x == 0)
        o[blockIdx.x] = c;
}
__global__ void partialShuffle(const int *x, int *o)
{
    // Correct only if the block is a multiple of 32.
    int v = x[threadIdx.x];
    for (int k = 16; k; k /= 2)
        v += __shfl_down_sync(0xffffffff, v, k);
    if (threadIdx.x % 32 == 0)
        o[threadIdx.x / 32] = v;
}
__global__ void partialShuffleOk(const int *x, int *o)
{
    int w = threadIdx.x & ~31, live = min(32, (int)blockDim.x - w);
    unsigned mask = live == 32 ? ~0u : (1u << live) - 1;
    int v = x[threadIdx.x];
    for (int k = 16; k; k /= 2) {
        int u = __shfl_down_sync(mask, v, k);
        if (threadIdx.x % 32 + k < live)
            v += u;
    }
    if (threadIdx.x % 32 == 0)
        o[threadIdx.x / 32] = v;
}
__global__ void halfShuffle(int *o)
{
    if (threadIdx.x < 16)
        o[threadIdx.x] =
            __shfl_sync(0xffff, (int)threadIdx.x, threadIdx.x + 8 < 24 ? threadIdx.x + 8 : 0);
}
__global__ void xorWidth(int *o)
{
    o[threadIdx.x] = __shfl_xor_sync(~0u, (int)threadIdx.x, 8, 16);
}
__global__ void matchAgg(const int *key, int *hist)
{
    int k = key[threadIdx.x];
    unsigned m = __match_any_sync(~0u, k);
    if (__ffs(m) - 1 == threadIdx.x % 32)
        atomicAdd(hist + k, __popc(m));
}
__global__ void activeAgg(const int *x, int *c)
{
    if (x[threadIdx.x] & 1) {
        unsigned m = __activemask();
        if (__ffs(m) - 1 == threadIdx.x % 32)
            atomicAdd(c, __popc(m));
    }
}
__global__ void coalesced(const int *x, int *c)
{
    if (x[threadIdx.x] & 1) {
        auto g = cg::coalesced_threads();
        if (g.thread_rank() == 0)
            atomicAdd(c, (int)g.size());
    }
}
__global__ void warpMaskLacks(int *o)
{
    unsigned m = threadIdx.x < 16 ? 0xffff : 0xffff8000;
    __syncwarp(m);
    o[threadIdx.x] = 1;
}
__global__ void warpOrder(int *o)
{
    __shared__ volatile int s[32];
    s[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] = s[31 - threadIdx.x];
}
template <int BUG>
__global__ void tile8(const int *x, int *o)
{
    auto t = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    for (int k = 4; k; k /= 2)
        v += t.shfl_down(v, k);
    __shared__ int s[16];
    if (t.thread_rank() == 0)
        s[threadIdx.x / 8] = v;
    if (BUG)
        t.sync();
    else
        cg::this_thread_block().sync();
    if (threadIdx.x < blockDim.x / 8)
        o[threadIdx.x] = s[blockDim.x / 8 - 1 - threadIdx.x];
}
__global__ void cpAsync(const int4 *x, int4 *o, int bug)
{
    __shared__ int4 s[2][32];
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        unsigned a = (unsigned)__cvta_generic_to_shared(&s[k][t]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.commit_group;" ::"r"(a),
                     "l"(x + k * 32 + t)
                     : "memory");
    }
    if (bug == 1)
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    else
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (bug != 2)
        __syncthreads();
    o[t] = s[1][bug == 3 ? t : t ^ 1];
}
__global__ void bytesNear(unsigned char *o)
{
    __shared__ unsigned char s[64];
    s[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] = s[threadIdx.x];
}
struct Bits {
    unsigned a : 4, b : 4;
};
__global__ void bitfield(Bits *p)
{
    if (threadIdx.x == 0)
        p->a = 1;
    if (threadIdx.x == 1)
        p->b = 2;
}
__global__ void byteInInt(int *p, int *o)
{
    if (threadIdx.x == 0)
        ((char *)p)[3] = 1;
    if (threadIdx.x == 32)
        o[0] = p[0] & 0xffffff;
}
__global__ void partition(const float *x, float *o, int n)
{
    extern __shared__ float s[];
    float *a = s, *b = s + n / 2; // wrong: a has n elements
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = 2 * x[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = a[threadIdx.x] + b[n - 1 - threadIdx.x];
}
__global__ void partitionOk(const float *x, double *o, int n)
{
    extern __shared__ float s[];
    float *a = s;
    double *b = (double *)(s + (n + 1) / 2 * 2);
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = 2 * x[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = a[n - 1 - threadIdx.x] + b[n - 1 - threadIdx.x];
}
__global__ void partitionMisaligned(const float *x, double *o, int n)
{
    extern __shared__ float s[];
    float *a = s;
    double *b = (double *)(s + n);
    a[threadIdx.x] = x[threadIdx.x];
    b[threadIdx.x] = 2 * x[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = a[n - 1 - threadIdx.x] + b[n - 1 - threadIdx.x];
}
__global__ void sharedAtomicUninit(int *o)
{
    __shared__ int c;
    atomicAdd(&c, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        o[0] = c > 0;
}
__global__ void warpSumTwo(const int *x, int *o)
{
    // The second step reads sums of warps that do not exist.
    __shared__ int s[32];
    int v = x[threadIdx.x], lane = threadIdx.x % 32, w = threadIdx.x / 32;
    v = __reduce_add_sync(~0u, v);
    if (lane == 0)
        s[w] = v;
    __syncthreads();
    if (w == 0) {
        v = __reduce_add_sync(~0u, s[lane]);
        if (lane == 0)
            o[0] = v;
    }
}
__global__ void fenceOneLane(int *d, int *f, int *o)
{
    if (blockIdx.x == 0) {
        d[threadIdx.x] = 1;
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(f, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (!atomicAdd(f, 0)) {
            }
            __threadfence();
        }
        __syncthreads();
        o[threadIdx.x] = d[threadIdx.x];
    }
}
template <int BUG>
__global__ void gridSync(int *d, int *o)
{
    auto g = cg::this_grid();
    d[g.thread_rank()] = g.thread_rank();
    if (BUG != 1)
        g.sync();
    else if (threadIdx.x < 32)
        g.sync();
    o[g.thread_rank()] = d[g.size() - 1 - g.thread_rank()];
    if (BUG == 2)
        d[g.thread_rank()] = 0;
}
__global__ void reuse(const int *x, int *o, int n)
{
    // The barrier at the end of the loop is missing; seen only if there are two rounds.
    __shared__ int s[64];
    for (int b = 0; b < n; b += 64) {
        if (b + threadIdx.x < n)
            s[threadIdx.x] = x[b + threadIdx.x];
        __syncthreads();
        int m = min(64, n - b);
        if (threadIdx.x < m)
            o[b + threadIdx.x] = s[m - 1 - threadIdx.x];
    }
}
__global__ void whileVolatileWarp(int *o)
{
    __shared__ volatile int f;
    if (threadIdx.x == 0)
        f = 0;
    __syncthreads();
    if (threadIdx.x == 31)
        f = 1;
    while (!f) {
    }
    o[threadIdx.x] = 1;
}
__global__ void spinPlain(int *f, int *o)
{
    if (threadIdx.x == 0) {
        *f = 1;
    } else {
        while (*(volatile int *)f == 0) {
        }
    }
    o[threadIdx.x] = 1;
}
// Lane 16 is in the mask of the first half, but executes the operation with another mask.
__global__ void masksOfTwoBranches(int *o)
{
    if (threadIdx.x < 16) {
        __syncwarp(0x1ffff);
        o[threadIdx.x] = 1;
    } else {
        __syncwarp(0xffff0000);
        o[threadIdx.x] = 2;
    }
}
__global__ void shufflesOfTwoBranches(int *o)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(0x1ffff, v, 1);
    else
        v = __shfl_xor_sync(0xffff0000, v, 1) + 5;
    o[threadIdx.x] = v;
}
__global__ void halvesOfTwoBranches(int *o)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(0xffff, v, 1);
    else
        v = __shfl_xor_sync(0xffff0000, v, 1) + 5;
    o[threadIdx.x] = v;
}
