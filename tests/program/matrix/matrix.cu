// SPDX-License-Identifier: MIT
//
// Kernels with matrix instructions, for test_matrix_check.c.
#include <cuda_fp16.h>

// Each in one statement, so that every compiler gives it the line where it is used.
#define MMA(d, a, b)                                                                               \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "               \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define LOAD_1(x, at)                                                                              \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"                            \
                 : "=r"(x[0])                                                                      \
                 : "r"(shared_address(at))                                                         \
                 : "memory")
#define LOAD_2(x, at, trans)                                                                       \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0,%1}, [%2];"                \
                 : "=r"(x[0]), "=r"(x[1])                                                          \
                 : "r"(shared_address(at))                                                         \
                 : "memory")
#define LOAD_4(x, at)                                                                              \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                   \
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])                                  \
                 : "r"(shared_address(at))                                                         \
                 : "memory")
#define STORE_1(at, x, trans)                                                                      \
    asm volatile("stmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 [%0], {%1};" ::"r"(            \
                     shared_address(at)),                                                          \
                 "r"(x)                                                                            \
                 : "memory")

enum bug { RIGHT, NO_WAIT, NO_BARRIER, EARLY_COPY, WRONG_ROW, NOT_TRANSPOSED };

static __device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

static __device__ void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}

// c = a * b, where n is a multiple of 16. Each block of one warp computes 16 rows and 8 columns. The
// next tiles are copied while the current ones are multiplied.
template <int BUG> static __device__ void multiply(const __half *a, const __half *b, float *c, int n)
{
    __shared__ __align__(16) __half ta[2][16][16], tb[2][16][8];
    int row = blockIdx.y * 16, column = blockIdx.x * 8, t = threadIdx.x;
    float d[4] = {0, 0, 0, 0};

    for (int k = -16, now = 1; k < n; k += 16, now ^= 1) {
        unsigned x[4], y[2];
        if (BUG != NO_BARRIER && BUG != EARLY_COPY)
            __syncthreads(); // the other tiles are no longer in use
        if (k + 16 < n) {
            copy_16(&ta[now ^ 1][t / 2][t % 2 * 8], &a[(row + t / 2) * n + k + 16 + t % 2 * 8]);
            if (t < 16)
                copy_16(tb[now ^ 1][t], &b[(k + 16 + t) * n + column]);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (k < 0)
            continue;
        if (BUG != NO_WAIT)
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        if (BUG != NO_BARRIER)
            __syncthreads();
        LOAD_4(x, &ta[now][BUG == WRONG_ROW ? t % 8 : t % 16][t / 16 * 8]);
        if (BUG == NOT_TRANSPOSED)
            LOAD_2(y, tb[now][t % 16], "");
        else
            LOAD_2(y, tb[now][t % 16], ".trans");
        MMA(d, x, y);
    }
    for (int e = 0; e < 4; e++)
        c[(row + t / 4 + e / 2 * 8) * n + column + t % 4 * 2 + e % 2] = d[e];
}

__global__ void right(const __half *a, const __half *b, float *c, int n)
{
    multiply<RIGHT>(a, b, c, n);
}

__global__ void noWait(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_WAIT>(a, b, c, n);
}

__global__ void noBarrier(const __half *a, const __half *b, float *c, int n)
{
    multiply<NO_BARRIER>(a, b, c, n);
}

__global__ void earlyCopy(const __half *a, const __half *b, float *c, int n)
{
    multiply<EARLY_COPY>(a, b, c, n);
}

__global__ void wrongRow(const __half *a, const __half *b, float *c, int n)
{
    multiply<WRONG_ROW>(a, b, c, n);
}

__global__ void notTransposed(const __half *a, const __half *b, float *c, int n)
{
    multiply<NOT_TRANSPOSED>(a, b, c, n);
}

// A product whose row 3 of a was never written: only results of rows other than 3 are defined.
template <int ROW> static __device__ void multiplyUnwritten(float *out)
{
    __shared__ __align__(16) unsigned tile[8][4];
    int t = threadIdx.x;
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0x3c003c00, 0x3c003c00};
    float d[4] = {0, 0, 0, 0};

    if (t / 4 != 3)
        tile[t / 4][t % 4] = 0x3c003c00;
    __syncthreads();
    LOAD_1(x, tile[t % 8]);
    MMA(d, x, y);
    out[t] = t / 4 != ROW ? d[0] : 0;
}

__global__ void leavesUnwritten(float *out)
{
    multiplyUnwritten<3>(out);
}

__global__ void usesUnwritten(float *out)
{
    multiplyUnwritten<4>(out);
}

// Some lanes do not execute the instruction, or do not exist.
__global__ void inABranch(float *out)
{
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0, 0};
    float d[4] = {0, 0, 0, 0};

    if (threadIdx.x % 2 == 0)
        MMA(d, x, y);
    out[threadIdx.x] = d[0];
}

__global__ void inEachWarp(float *out)
{
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0, 0};
    float d[4] = {0, 0, 0, 0};

    MMA(d, x, y);
    out[blockIdx.x * blockDim.x + threadIdx.x] = d[0];
}

// Stores a transposed tile and reads it back without a barrier.
__global__ void storesTransposed(unsigned *out)
{
    __shared__ __align__(16) unsigned tile[8][4];
    unsigned t = threadIdx.x, x = t << 17 | t << 1, y;

    STORE_1(tile[t % 8], x, ".trans");
    __syncwarp();
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    out[t] = tile[t / 4][t % 4] ^ y; // both are the transposed matrix
}

__global__ void readsTooEarly(unsigned *out)
{
    __shared__ __align__(16) unsigned tile[8][4];
    unsigned t = threadIdx.x;

    STORE_1(tile[t % 8], t, "");
    out[t] = tile[t / 4][t % 4];
}

// The only use of what atomicAdd() returns is an operand of a product.
__global__ void ordersAtoms(int *count, float *out)
{
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0x3c003c00, 0x3c003c00};
    float d[4] = {0, 0, 0, 0};

    x[0] = (unsigned)atomicAdd(count, 1);
    MMA(d, x, y);
    out[threadIdx.x] = d[0];
}

// Half of the warps skip a barrier and then store a matrix.
__global__ void skipsTheBarrier(unsigned *out)
{
    __shared__ __align__(16) unsigned tile[2][8][4];
    unsigned t = threadIdx.x;

    if (t < 32)
        __syncthreads();
    STORE_1(tile[t / 32][t % 8], t, "");
    if (t < 32)
        out[t] = t;
}
