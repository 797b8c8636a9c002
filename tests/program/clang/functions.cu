/* SPDX-License-Identifier: MIT
 *
 * Kernels that call what src/device/clang/ declares, and assert that the results are as CUDA
 * specifies. They pass with nvcc, too. Values come from memory or arguments, so that compilers do
 * not know them. One block of 64 threads runs them.
 */
#include <cassert>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

/* Sets each output to 1, so that a kernel that does nothing fails. */
static __device__ void done(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void bits(const unsigned int *in, int *out)
{
    unsigned int x = in[threadIdx.x], y = in[(threadIdx.x + 1) % 64], reversed = 0;
    unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    int ones = 0, leading = 0;

    for (int k = 0; k < 32; k++) {
        ones += x >> k & 1;
        reversed |= (x >> k & 1) << (31 - k);
    }
    while (leading < 32 && (x >> (31 - leading) & 1) == 0)
        leading++;
    assert(__popc(x) == ones && __popcll(both) == ones + __popc(y));
    assert(__clz(x) == leading && __clz(0) == 32 && __clzll(x) == 32 + leading);
    assert(__brev(x) == reversed && __brevll(x) == (unsigned long long)reversed << 32);
    assert(__ffs(x << 7 | 0x40) == 7 && __ffs(0) == 0 && __ffsll(1ull << 40) == 41);
    assert(__ffs(0x80000000) == 32);
    assert(__byte_perm(x, y, 0x3210) == x && __byte_perm(x, y, 0x7654) == y);
    assert(__byte_perm(x, y, 0x0123) ==
           (x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24));
    assert(__funnelshift_l(x, y, 8) == (y << 8 | x >> 24) && __funnelshift_lc(x, y, 40) == x);
    assert(__funnelshift_r(x, y, 8) == (y << 24 | x >> 8) && __funnelshift_rc(x, y, 40) == y);
    assert(__umulhi(x, y) == (unsigned int)((unsigned long long)x * y >> 32));
    assert(__mulhi((int)x, (int)y) == (int)((long long)(int)x * (int)y >> 32));
    assert(__umul64hi(both, 1ull << 32) == y && __mul64hi(-1, 5) == -1);
    assert(__umul24(x, y) == (x & 0xffffff) * (y & 0xffffff));
    assert(__usad(x, y, 3) == (x > y ? x - y : y - x) + 3 && __sad(-4, 5, 1) == 10);
    assert(__uhadd(x, y) == ((unsigned long long)x + y) / 2 && __rhadd(-3, 0) == -1);
    assert(__hadd(-3, 0) == -2 && __urhadd(x, x) == x);
    assert(__dp4a(0x01ff0203, 0x02030101, 7) == 2 - 3 + 2 + 3 + 7);
    assert(__float_as_uint(__uint_as_float(0x3f800001)) == 0x3f800001);
    assert(__double2hiint(__hiloint2double(x & 0x3fffffff, y)) == (int)(x & 0x3fffffff));
    assert(__double_as_longlong(1.0) == 0x3ff0000000000000ll);
    assert(min((int)x, (int)y) == ((int)x < (int)y ? (int)x : (int)y) && max(x, y) >= x);
    assert(min(-1, 1u) == 1u && max(2ll, -3ll) == 2 && abs(-(int)(x & 7)) == (int)(x & 7));
    done(out);
}

/* Computes a word of fields of `bits` bits. `value` makes each from the operands' fields at that
 * place, and from the smallest and the largest field. */
template <typename Value>
static __device__ unsigned int each(unsigned int x, unsigned int y, int bits, bool is_signed,
                                    Value value)
{
    const int least = is_signed ? -(1 << (bits - 1)) : 0, most = least + (1 << bits) - 1;
    unsigned int result = 0;

    for (int k = 0; k < 32; k += bits) {
        int a = x >> k & ((1 << bits) - 1), b = y >> k & ((1 << bits) - 1);
        a -= a > most ? 1 << bits : 0;
        b -= b > most ? 1 << bits : 0;
        result |= (value(a, b, least, most) & ((1 << bits) - 1)) << k;
    }
    return result;
}

#define EACH(bits, is_signed, value)                                                               \
    each(x, y, bits, is_signed, [](int a, int b, int least, int most) -> int { return value; })
#define SAME_OF_ONE(name, value)                                                                   \
    assert(name##2(x) == EACH(16, true, value) && name##4(x) == EACH(8, true, value))
#define SAME_OF_TWO(name, is_signed, value)                                                        \
    assert(name##2(x, y) == EACH(16, is_signed, value));                                           \
    assert(name##4(x, y) == EACH(8, is_signed, value))
#define SAME_CLAMPED(name, is_signed, value)                                                       \
    SAME_OF_TWO(name, is_signed, value < least ? least : value > most ? most : value)
#define SAME_COMPARED(name, is_signed, comparison)                                                 \
    SAME_OF_TWO(__vcmp##name, is_signed, a comparison b ? -1 : 0);                                 \
    SAME_OF_TWO(__vset##name, is_signed, a comparison b)

static __device__ void simd_of(unsigned int x, unsigned int y)
{
    unsigned int sums[2][2] = {};

    for (int k = 0; k < 32; k += 8) {
        sums[0][0] += abs((signed char)(x >> k) - (signed char)(y >> k));
        sums[0][1] += abs((unsigned char)(x >> k) - (unsigned char)(y >> k));
        sums[1][0] += k % 16 == 0 ? abs((short)(x >> k) - (short)(y >> k)) : 0;
        sums[1][1] += k % 16 == 0 ? abs((unsigned short)(x >> k) - (unsigned short)(y >> k)) : 0;
    }
    assert(__vsads4(x, y) == sums[0][0] && __vsadu4(x, y) == sums[0][1]);
    assert(__vsads2(x, y) == sums[1][0] && __vsadu2(x, y) == sums[1][1]);
    SAME_OF_ONE(__vabs, a < 0 ? -a : a);
    SAME_OF_ONE(__vabsss, a == least ? most : a < 0 ? -a : a);
    SAME_OF_ONE(__vneg, -a);
    SAME_OF_ONE(__vnegss, a == least ? most : -a);
    SAME_OF_TWO(__vadd, false, a + b);
    SAME_OF_TWO(__vsub, false, a - b);
    SAME_CLAMPED(__vaddss, true, a + b);
    SAME_CLAMPED(__vaddus, false, a + b);
    SAME_CLAMPED(__vsubss, true, a - b);
    SAME_CLAMPED(__vsubus, false, a - b);
    SAME_OF_TWO(__vabsdiffs, true, abs(a - b));
    SAME_OF_TWO(__vabsdiffu, false, abs(a - b));
    SAME_OF_TWO(__vavgs, true, (a + b + (a + b >= 0)) >> 1);
    SAME_OF_TWO(__vavgu, false, (a + b + 1) / 2);
    SAME_OF_TWO(__vhaddu, false, (a + b) / 2);
    SAME_OF_TWO(__vmaxs, true, a > b ? a : b);
    SAME_OF_TWO(__vmaxu, false, a > b ? a : b);
    SAME_OF_TWO(__vmins, true, a < b ? a : b);
    SAME_OF_TWO(__vminu, false, a < b ? a : b);
    SAME_COMPARED(eq, false, ==);
    SAME_COMPARED(ne, false, !=);
    SAME_COMPARED(ges, true, >=);
    SAME_COMPARED(geu, false, >=);
    SAME_COMPARED(gts, true, >);
    SAME_COMPARED(gtu, false, >);
    SAME_COMPARED(les, true, <=);
    SAME_COMPARED(leu, false, <=);
    SAME_COMPARED(lts, true, <);
    SAME_COMPARED(ltu, false, <);
}

__global__ void simd(const unsigned int *in, int *out)
{
    unsigned int x = in[threadIdx.x], y = in[(threadIdx.x + 1) % 64];

    simd_of(x, y);
    simd_of(x, x);
    simd_of(x, 0x80807f7f);
    simd_of(x & 0xff00ffff, y | 0x80ff0080);
    done(out);
}

__global__ void floats(float two_and_half, float third, double tenth, int *out)
{
    float x = two_and_half, negative = -x;
    float nan = NAN, one = x - 1.5f;

    assert(__float2int_rn(x) == 2 && __float2int_rn(x + 1) == 4 && __float2int_rz(negative) == -2);
    assert(__float2int_ru(x) == 3 && __float2int_rd(negative) == -3);
    assert(__float2int_rz(1e20f * one) == 2147483647 && __float2int_rn(nan) == 0);
    assert(__float2uint_rn(negative) == 0 && __float2ull_rz(x * 1e10f) == 24999999488ull);
    assert(__double2int_rd(-tenth) == -1 && __double2ll_ru(tenth) == 1);
    assert(__double2uint_rn(tenth * 35) == 4);
    assert(__int2float_rz(16777219) == 16777218 && __int2float_ru(16777219) == 16777220);
    assert(__uint2float_rn(4294967295u) == 4294967296.0f && __ll2float_rd(-16777217) == -16777218);
    assert(__ull2double_rn(3) == 3 && __double2float_rd(tenth) < tenth);
    assert(__double2float_ru(tenth) > tenth && __int2double_rn(-5) == -5);
    assert(__fadd_ru(one, 1e-9f) > 1 && __fadd_rd(one, 1e-9f) == 1 && __fadd_rz(one, 1e-9f) == 1);
    assert(__fsub_rd(one, 1e-9f) < 1 && __fmul_ru(third, third) > __fmul_rd(third, third));
    assert(__fdiv_rd(one, 3) < __fdiv_ru(one, 3) && __frcp_rn(x + 1.5f) == 0.25f);
    assert(__fsqrt_rz(x + x + 4) == 3 && __fmaf_rn(x, 2, one) == 6 &&
           __fmaf_rz(x, x, one) == 7.25f);
    assert(__dadd_ru(1, tenth * 1e-20) > 1 && __dmul_rn(tenth, 10) == 1 && __drcp_rn(tenth) == 10);
    assert(__ddiv_rd(tenth, 3) < __ddiv_ru(tenth, 3) && __fma_rn(tenth, 0, 4) == 4);
    assert(__dsqrt_rn(tenth * 0 + 16) == 4 && __saturatef(x) == 1 && __saturatef(nan) == 0);
    assert(sqrtf(x + x + 4) == 3 && std::sqrt(x + x + 4) == 3 && sqrt(tenth * 90) == 3);
    assert(floorf(negative) == -3 && std::ceil(x) == 3 && truncf(negative) == -2 && rint(x) == 2);
    assert(fabsf(negative) == x && std::abs(negative) == x && abs(-tenth) == tenth);
    assert(fminf(nan, x) == x && fmaxf(x, nan) == x && min(x, 3.0f) == x && max(x, tenth) == x);
    assert(fma(tenth, 10.0, (double)x) == 3.5 && copysignf(x, -1) == negative && nearbyint(x) == 2);
    assert(isnan(nan) && std::isnan(nan) && !isinf(x) && isfinite(x) && signbit(negative));
    assert(std::isinf(x / (one - 1)) && std::fabs(negative) == x);
    done(out);
}

/* The result when every thread uses the atomics of one scope on one word. */
#define ATOMICS(suffix)                                                                            \
    __global__ void atomics##suffix(int *out)                                                      \
    {                                                                                              \
        __shared__ int i[8];                                                                       \
        __shared__ unsigned int u[10];                                                             \
        __shared__ unsigned long long w[8];                                                        \
        __shared__ long long s[2];                                                                 \
        __shared__ float f[2];                                                                     \
        __shared__ double d;                                                                       \
        unsigned int t = threadIdx.x;                                                              \
                                                                                                   \
        if (t == 0) {                                                                              \
            memset(i, 0, sizeof i);                                                                \
            memset(u, 0, sizeof u);                                                                \
            memset(w, 0, sizeof w);                                                                \
            s[0] = s[1] = 0;                                                                       \
            f[0] = f[1] = 0;                                                                       \
            d = 0;                                                                                 \
            i[4] = u[4] = ~0u;                                                                     \
            w[4] = ~0ull;                                                                          \
            u[7] = 1000;                                                                           \
        }                                                                                          \
        __syncthreads();                                                                           \
        assert(atomicAdd##suffix(i, 1) < 64);                                                      \
        atomicAdd##suffix(u, 2u);                                                                  \
        atomicAdd##suffix(w, 1ull << 32);                                                          \
        atomicAdd##suffix(f, 0.5f);                                                                \
        atomicAdd##suffix(&d, 0.25);                                                               \
        atomicSub##suffix(i + 1, 3);                                                               \
        atomicSub##suffix(u + 7, 2u);                                                              \
        atomicMin##suffix(i + 2, -(int)t);                                                         \
        atomicMin##suffix(s, -(1ll << 40) - t);                                                    \
        atomicMax##suffix(i + 3, (int)t);                                                          \
        atomicMax##suffix(u + 3, t);                                                               \
        atomicMax##suffix(w + 3, (unsigned long long)t << 32);                                     \
        atomicMax##suffix(s + 1, (long long)t << 33);                                              \
        atomicMin##suffix(u + 2, t);                                                               \
        atomicMin##suffix(w + 2, (unsigned long long)t);                                           \
        atomicAnd##suffix(i + 4, ~(1 << t % 31));                                                  \
        atomicAnd##suffix(u + 4, ~(1u << t % 31));                                                 \
        atomicAnd##suffix(w + 4, ~(1ull << t % 63));                                               \
        atomicOr##suffix(i + 5, 1 << t % 31);                                                      \
        atomicOr##suffix(u + 5, 1u << t % 31);                                                     \
        atomicOr##suffix(w + 5, 1ull << t % 63);                                                   \
        atomicXor##suffix(i + 6, 1 << t % 32);                                                     \
        atomicXor##suffix(u + 6, t);                                                               \
        atomicXor##suffix(w + 6, (unsigned long long)t << 40);                                     \
        atomicInc##suffix(u + 8, 9);                                                               \
        atomicDec##suffix(u + 9, 9);                                                               \
        atomicExch##suffix(f + 1, (float)t);                                                       \
        atomicExch##suffix(i + 7, (int)t);                                                         \
        atomicExch##suffix(w + 7, (unsigned long long)t);                                          \
        while (atomicCAS##suffix(w + 1, (unsigned long long)t, t + 1ull) != t) {                   \
        }                                                                                          \
        __syncthreads();                                                                           \
        assert(i[0] == 64 && u[0] == 128 && w[0] == 64ull << 32 && f[0] == 32 && d == 16);         \
        assert(i[1] == -192 && u[7] == 1000 - 128 && i[2] == -63 && s[0] == -(1ll << 40) - 63);    \
        assert(i[3] == 63 && u[3] == 63 && w[3] == 63ull << 32 && s[1] == 63ll << 33);             \
        assert(u[2] == 0 && w[2] == 0 && i[4] == (int)0x80000000 && u[4] == 0x80000000);           \
        assert(w[4] == 1ull << 63 && i[5] == 0x7fffffff && u[5] == 0x7fffffff);                    \
        assert(w[5] == ~0ull >> 1 && i[6] == 0 && u[6] == 0 && w[6] == 0 && u[8] == 4);            \
        assert(u[9] == 6 && w[1] == 64 && f[1] < 64 && i[7] < 64 && w[7] < 64);                    \
        done(out);                                                                                 \
    }
ATOMICS()
ATOMICS(_block)
ATOMICS(_system)

template <typename Type>
static __device__ void shuffle(Type scale)
{
    int lane = threadIdx.x % 32;
    Type own = static_cast<Type>(lane) * scale;

    assert(__shfl_sync(~0u, own, 5) == static_cast<Type>(5) * scale);
    assert(__shfl_sync(~0u, own, 3, 8) == static_cast<Type>(lane / 8 * 8 + 3) * scale);
    assert(__shfl_up_sync(~0u, own, 2) == static_cast<Type>(lane < 2 ? lane : lane - 2) * scale);
    assert(__shfl_up_sync(~0u, own, 1, 4) ==
           static_cast<Type>(lane % 4 == 0 ? lane : lane - 1) * scale);
    assert(__shfl_down_sync(~0u, own, 3) == static_cast<Type>(lane > 28 ? lane : lane + 3) * scale);
    assert(__shfl_down_sync(~0u, own, 1, 16) ==
           static_cast<Type>(lane % 16 == 15 ? lane : lane + 1) * scale);
    assert(__shfl_xor_sync(~0u, own, 16) == static_cast<Type>(lane ^ 16) * scale);
}

__global__ void lanes(int *out)
{
    int lane = threadIdx.x % 32, same;

    shuffle<int>(-3);
    shuffle<unsigned int>(0x1000001u);
    shuffle<long>(-(1l << 40) + 1);
    shuffle<unsigned long>(1ul << 58);
    shuffle<long long>(-(1ll << 40) + 1);
    shuffle<unsigned long long>((1ull << 58) + 1);
    shuffle<float>(0.5f);
    shuffle<double>(0.1);
    assert(__ballot_sync(~0u, lane % 2) == 0xaaaaaaaa && (__activemask() >> lane & 1));
    assert(__any_sync(~0u, lane == 3) && !__any_sync(~0u, 0) && __all_sync(~0u, lane + 1));
    assert(!__all_sync(~0u, lane));
    assert(__match_any_sync(~0u, lane / 8) == 0xffu << lane / 8 * 8);
    assert(__match_any_sync(~0u, (unsigned long long)(lane / 16) << 40) == 0xffffu
                                                                               << lane / 16 * 16);
    assert(__match_all_sync(~0u, 1.5f, &same) == ~0u && same);
    assert(__match_all_sync(~0u, lane, &same) == 0 && !same);
    assert(__reduce_add_sync(~0u, lane - 16) == -16 && __reduce_min_sync(~0u, -lane) == -31);
    assert(__reduce_max_sync(~0u, (unsigned int)lane) == 31 && __reduce_xor_sync(~0u, lane) == 0);
    assert(__reduce_and_sync(~0u, lane | 64u) == 64 && __reduce_or_sync(~0u, 1u << lane) == ~0u);
    if (lane < 5) {
        __syncwarp(0x1f);
        assert(__ballot_sync(0x1f, 1) == 0x1f);
    }
    __syncwarp();
    assert(__syncthreads_count(threadIdx.x < 40) == 40);
    assert(__syncthreads_or(threadIdx.x == 63) && !__syncthreads_or(0));
    assert(__syncthreads_and(1) && !__syncthreads_and(threadIdx.x));
    done(out);
}

template <typename Type>
static __device__ bool is_same(const Type &a, const Type &b)
{
    for (size_t k = 0; k < sizeof a; k++)
        if (reinterpret_cast<const char *>(&a)[k] != reinterpret_cast<const char *>(&b)[k])
            return false;
    return true;
}

template <typename Type>
static __device__ void copy(const char *from, char *to)
{
    const Type *read = reinterpret_cast<const Type *>(from) + threadIdx.x;
    Type *written = reinterpret_cast<Type *>(to) + threadIdx.x;
    Type value = __ldg(read), expected = *read;

    assert(is_same(value, expected));
    value = __ldcg(read);
    assert(is_same(value, expected));
    value = __ldcs(read);
    __stcg(written, value);
    value = *written;
    assert(is_same(value, expected));
    __stcs(written, value);
    __stwt(written, value);
}

__global__ void loads(const char *from, char *to, int *out)
{
    copy<unsigned char>(from, to);
    __syncthreads();
    copy<short>(from, to);
    __syncthreads();
    copy<int>(from, to);
    __syncthreads();
    copy<float>(from, to);
    __syncthreads();
    copy<long long>(from, to);
    __syncthreads();
    copy<double>(from, to);
    __syncthreads();
    copy<float2>(from, to);
    __syncthreads();
    copy<uchar4>(from, to);
    __syncthreads();
    copy<int4>(from, to);
    __syncthreads();
    copy<double2>(from, to);
    done(out);
}

__global__ void spaces(int *in, int *out)
{
    __shared__ int shared[64];
    int local[4];
    volatile int *pointer = local;
    long long before = clock64();

    pointer[threadIdx.x % 4] = in[threadIdx.x];
    shared[threadIdx.x] = pointer[threadIdx.x % 4];
    assert(__isGlobal(in) && !__isGlobal(shared) && __isShared(shared) && !__isShared(in));
    assert(__cvta_generic_to_shared(shared + 1) == __cvta_generic_to_shared(shared) + 4);
    __nanosleep(1);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    assert(clock64() >= before);
    memcpy(local, shared + threadIdx.x, 4);
    memset(local + 1, 0x11, 8);
    assert(local[0] == in[threadIdx.x] && local[2] == 0x11111111);
    done(out);
}

__global__ void vectors(float x, int *out)
{
    float4 four = make_float4(x, x + 1, x + 2, x + 3);
    ushort3 three = make_ushort3(1, 2, 3);
    uint3 index = threadIdx;
    dim3 extent = blockDim, one(7), both = dim3(index);

    assert(four.w == x + 3 && three.z == 3 && sizeof(float4) == 16);
    assert(sizeof(three) == 6 && alignof(int2) == 8 && sizeof(longlong3) == 24);
    assert(index.x == threadIdx.x && extent.x == 64 && one.y == 1 && both.x == index.x);
    assert(gridDim.x == 1 && blockIdx.x == 0 && warpSize == 32);
    done(out);
}

__global__ void halves(float x, int *out)
{
    half a = __float2half(x), b = half(3.0f), third = __float2half_rd(1.0f / 3),
         c = __float2half(x + 1.5f);
    half2 pair = __floats2half2_rn(x, -x);
    __shared__ half sum;
    __shared__ half2 sums;

    assert(__half2float(a) == x && float(a + b) == x + 3 && float(a * b) == 3 * x);
    assert(float(a - b) == x - 3 && float(b / a) == 3 / x && float(-a) == -x);
    assert(__half2float(__hfma(a, b, a)) == 4 * x && a < b && b >= a && a != b && a == a);
    assert(float(third) < 1.0f / 3 && float(__float2half_ru(1.0f / 3)) > 1.0f / 3);
    assert(float(__hmin(a, b)) == x && float(__hmax(a, b)) == 3 && float(__habs(-a)) == x);
    assert(float(hsqrt(__float2half(4 * x))) == 2 && __half_as_ushort(half(1.0f)) == 0x3c00);
    assert(__low2float(pair) == x && __high2float(__hadd2(pair, pair)) == -2 * x);
    assert(__high2float(__hfma2(pair, pair, pair)) == x * x - x);
    assert(__half2int_rn(half(2.5f)) == 2 && __hisnan(hsqrt(-a)) && __hisinf(a / half(0.0f)) == 1);
    assert(__half2short_rn(c) == 2 && __half2ushort_ru(c) == 3 && __half2ushort_rz(-c) == 0);
    assert(__half2ll_rd(-c) == -3 && __half2ull_rz(c) == 2 && __half2uint_rd(c) == 2);
    assert(float(__int2half_rz(-2049)) == -2048 && float(__int2half_rd(-2049)) == -2050);
    assert(float(__uint2half_ru(2049)) == 2050 && float(__ushort2half_rn(2049)) == 2048);
    assert(float(__short2half_rd(2051)) == 2050 && float(__ll2half_ru(-4099)) == -4096);
    assert(__low2float(__hisnan2(__halves2half2(c, hsqrt(-c)))) == 0);
    assert(__high2float(__hisnan2(__halves2half2(c, hsqrt(-c)))) == 1);
    assert(float(__shfl_xor_sync(~0u, half(float(threadIdx.x % 32)), 1)) == (threadIdx.x % 32 ^ 1));
    if (threadIdx.x == 0) {
        sum = half(0.0f);
        sums = __float2half2_rn(0);
    }
    __syncthreads();
    atomicAdd(&sum, half(1.0f));
    atomicAdd(&sums, __floats2half2_rn(1, -1));
    __syncthreads();
    assert(float(sum) == 64 && __low2float(sums) == 64 && __high2float(sums) == -64);
    done(out);
}

struct wide {
    double a;
    int b;
};

__global__ void groups(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int rank = tile.thread_rank();
    wide mine = {0.5 * threadIdx.x, (int)threadIdx.x};

    assert(block.size() == 64 && block.thread_rank() == threadIdx.x && tile.size() == 8);
    assert(rank == threadIdx.x % 8 && block.group_index().x == 0 && block.thread_index().y == 0);
    assert(warp.meta_group_size() == 2 && warp.meta_group_rank() == threadIdx.x / 32);
    assert(tile.shfl(rank, 3) == 3 && tile.shfl_down(rank, 1) == (rank == 7 ? 7 : rank + 1));
    assert(tile.shfl_up(rank, 1) == (rank == 0 ? 0 : rank - 1) &&
           tile.shfl_xor(rank, 2) == (rank ^ 2));
    assert(tile.shfl(mine, 1).a == 0.5 * (threadIdx.x / 8 * 8 + 1));
    assert(tile.ballot(rank > 5) == 0xc0 && tile.any(rank == 1) && !tile.all(rank == 1));
    assert(tile.match_any(rank / 4) == (rank < 4 ? 0xf : 0xf0));
    assert(cg::reduce(tile, rank, cg::plus<int>()) == 28);
    assert(cg::reduce(warp, rank, cg::greater<int>()) == 7);
    tile.sync();
    block.sync();
    cg::sync(block);
    {
        cg::coalesced_group group = cg::labeled_partition(warp, rank % 3);
        int lane = threadIdx.x % 32, label = rank % 3, size = label == 2 ? 8 : 12;
        assert(group.size() == size && group.thread_rank() < size);
        assert(group.shfl(lane, 0) == label && group.shfl(lane, 1) == label + 3);
        assert(group.any(rank == label) && group.ballot(1) == (1u << size) - 1);
        assert(group.shfl_up(lane, 1) <= lane && group.shfl_down(lane, 1) >= lane);
        assert(cg::reduce(group, 1, cg::plus<int>()) == size);
        assert(cg::reduce(group, lane, cg::less<int>()) == label);
        group.sync();
    }
    if (threadIdx.x % 32 >= 20 && threadIdx.x % 2) { /* CUDA does not say how many run together */
        cg::coalesced_group odd = cg::coalesced_threads();
        assert(odd.size() >= 1 && odd.size() <= 6 && odd.thread_rank() < odd.size());
        assert(odd.shfl((int)threadIdx.x, odd.thread_rank()) == threadIdx.x);
        odd.sync();
    }
    done(out);
}

/* A slice of a volume, as the host code below allocates it. */
__global__ void pitched(cudaPitchedPtr volume, cudaExtent extent, cudaPos from, int *out)
{
    char *slice = (char *)volume.ptr + from.z * volume.pitch * volume.ysize;

    static_assert(sizeof(cudaPitchedPtr) == 32 && sizeof(cudaExtent) == 24 && sizeof(cudaPos) == 24,
                  "sizes of the types");
    assert(volume.xsize == 60 && extent.width == 4 && extent.height == 2 && extent.depth == 3);
    if (threadIdx.x < extent.width)
        slice[(from.y + 1) * volume.pitch + from.x + threadIdx.x] = 1;
    done(out);
}

void host()
{
    cudaMemcpy3DParms copy = {};

    copy.extent = make_cudaExtent(4, 2, 3);
    copy.kind = cudaMemcpyDeviceToDevice;
    copy.srcPos = copy.dstPos = make_cudaPos(0, 0, 0);
    cudaMalloc3D(&copy.srcPtr, copy.extent);
    cudaMemset3D(copy.srcPtr, 0, copy.extent);
    copy.dstPtr = make_cudaPitchedPtr(copy.srcPtr.ptr, 64, 60, 2);
    cudaMemcpy3D(&copy);
}

__global__ void fails(int *in, int *out)
{
    assert(in[threadIdx.x] == 12345);
    done(out);
}

__global__ void prints(int *out)
{
    if (threadIdx.x == 0)
        printf("%d %s %.1f\n", 3, "words", 0.5);
    done(out);
}
