// SPDX-License-Identifier: MIT
//
// Kernels with matrix instructions of warpgroups, for test_matrix_check.c.
#include <cuda_fp16.h>

// Each in one statement, so that every compiler gives it the line where it is used.
#define GROUP_MMA(d, a, b, scale)                                                                  \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, "  \
                 "%8, %9, p, 1, 1, 0, 1;\n}"                                                       \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),         \
                   "+f"(d[6]), "+f"(d[7])                                                          \
                 : "l"(a), "l"(b), "r"(scale))
#define GROUP_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define GROUP_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define GROUP_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

enum { ROWS = 64, COLUMNS = 16, DEPTH = 64 };
enum bug {
    RIGHT,
    NO_WAIT,
    NO_PROXY_FENCE,
    NO_BARRIER,
    WRONG_SWIZZLE,
    WRONG_STRIDE,
    OUTSIDE,
    NO_FENCE,
    FENCE_TOO_EARLY,
    OVERWRITTEN,
    ONE_WARP_MISSING
};

static __device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

static __device__ unsigned long long descriptor(const void *tile, unsigned leading, unsigned stride,
                                                unsigned swizzle)
{
    return (unsigned long long)(shared_address(tile) & 0x3ffff) >> 4 |
           (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
           (unsigned long long)swizzle << 62;
}

// c = a * b, where n is a multiple of 64. A block computes 64 rows and 16 columns with each of its
// warpgroups. Rows of a's tile have 128 bytes, and are swizzled. The tile of b is transposed.
template <int BUG>
static __device__ void multiply(const __half *a, const __half *b, float *c, int n)
{
    __shared__ __align__(1024) __half ta[ROWS][DEPTH];
    __shared__ __align__(1024) __half tb[2][DEPTH][COLUMNS];
    int group = threadIdx.x / 128, t = threadIdx.x % 128, groups = blockDim.x / 128;
    int row = blockIdx.y * ROWS, column = (blockIdx.x * groups + group) * COLUMNS;
    float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};

    for (int k = 0; k < n; k += DEPTH) {
        __syncthreads(); // the tiles are no longer in use
        for (int i = threadIdx.x; i < ROWS * DEPTH / 8; i += blockDim.x) {
            int r = i / 8, chunk = i % 8;
            *(uint4 *)&ta[r][(chunk ^ r % 8) * 8] =
                *(const uint4 *)&a[(row + r) * n + k + chunk * 8];
        }
        for (int i = t; i < DEPTH * COLUMNS / 8; i += 128)
            *(uint4 *)&tb[group][i / 2][(i % 2 ^ i / 8 % 2) * 8] =
                *(const uint4 *)&b[(k + i / 2) * n + column + i % 2 * 8];
        if (BUG != NO_PROXY_FENCE)
            PROXY_FENCE();
        if (BUG != NO_BARRIER)
            __syncthreads();
        if (BUG != NO_FENCE && (BUG != FENCE_TOO_EARLY || k == 0))
            GROUP_FENCE();
        for (int s = 0; s < DEPTH; s += 16) {
            unsigned long long x = descriptor(&ta[0][s], 16, BUG == WRONG_STRIDE ? 512 : 1024,
                                              BUG == WRONG_SWIZZLE ? 2 : 1);
            // swizzled 32-byte rows of b: eight rows of k, 256 bytes
            unsigned long long y = descriptor(&tb[BUG == OUTSIDE ? group + 1 : group][s][0], 16,
                                              BUG == OUTSIDE ? 4096 : 256, 3);
            if (BUG != ONE_WARP_MISSING || t < 96)
                GROUP_MMA(d, x, y, 1);
        }
        GROUP_COMMIT();
        if (BUG == OVERWRITTEN && t == 5)
            ta[0][0] = __half(); // the products may still read it
        if (BUG != NO_WAIT)
            GROUP_WAIT(0);
        if (BUG == FENCE_TOO_EARLY && k == 0)
            d[0] += 1; // needs another fence
    }
    for (int e = 0; e < 8; e++)
        c[(row + t / 32 * 16 + t % 32 / 4 + e / 2 % 2 * 8) * n + column + t % 4 * 2 + e % 2 +
          e / 4 * 8] = d[e];
}

__global__ void right(const __half *a, const __half *b, float *c, int n)
{
    multiply<RIGHT>(a, b, c, n);
}

__global__ void noWait(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_WAIT>(a, b, c, n);
}

__global__ void noProxyFence(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_PROXY_FENCE>(a, b, c, n);
}

__global__ void noBarrier(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_BARRIER>(a, b, c, n);
}

__global__ void wrongSwizzle(const __half *a, const __half *b, float *c, int n)
{
    multiply<WRONG_SWIZZLE>(a, b, c, n);
}

__global__ void wrongStride(const __half *a, const __half *b, float *c, int n)
{
    multiply<WRONG_STRIDE>(a, b, c, n);
}

__global__ void outside(const __half *a, const __half *b, float *c, int n)
{
    multiply<OUTSIDE>(a, b, c, n);
}

__global__ void noFence(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_FENCE>(a, b, c, n);
}

__global__ void fenceTooEarly(const __half *a, const __half *b, float *c, int n)
{
    multiply<FENCE_TOO_EARLY>(a, b, c, n);
}

__global__ void overwritten(const __half *a, const __half *b, float *c, int n)
{
    multiply<OVERWRITTEN>(a, b, c, n);
}

__global__ void oneWarpMissing(const __half *a, const __half *b, float *c, int n)
{
    multiply<ONE_WARP_MISSING>(a, b, c, n);
}
