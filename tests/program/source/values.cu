/* SPDX-License-Identifier: MIT
 *
 * What functions of CUDA give, one a line, against values that their descriptions say: plain CUDA
 * C++, for any compiler. A value that is another fails the assertion of its line.
 */
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define NEAR(value, expected) assert(fabs((value) - (expected)) <= 2e-6 * fabs(expected) + 1e-12)
#define SAME(type, other)                                                                          \
    static_assert(sizeof(type) == sizeof(other), #type " has the size of " #other)

__global__ void integers(int *out, int one)
{
    unsigned int high = 0x80000000u * one;
    long long big = 0x100000000ll * one;

    assert(min(3 * one, -4) == -4 && max(3 * one, -4) == 3);
    assert(min(-1 * one, 4u) == 4u && max(4u, -1 * one) == 0xffffffffu); /* as unsigned ones */
    assert(min(5u, 6u * one) == 5u && max(5u, 6u * one) == 6u);
    assert(min(big, 7ll) == 7 && max(big, 7ll) == 0x100000000ll);
    assert(min(3ull * one, 4ull) == 3 && max(3ull * one, 4ull) == 4);
    assert(min(3l * one, 4l) == 3 && max(3l * one, 4l) == 4);
    assert(abs(-7 * one) == 7 && labs(-8l * one) == 8 && llabs(-0x100000001ll * one) == big + 1);
    assert(umin(3u * one, 4u) == 3u && umax(3u * one, 4u) == 4u);
    assert(__popc(0xff00ff01u * one) == 17 && __popcll(0xf00000000000000full * one) == 8);
    assert(__clz(one) == 31 && __clz(0 * one) == 32 && __clz((int)high) == 0);
    assert(__clzll(big) == 31 && __clzll(0ll * one) == 64);
    assert(__ffs(0x50 * one) == 5 && __ffs(0 * one) == 0 && __ffsll(big) == 33);
    assert(__brev(0x00000013u * one) == 0xc8000000u);
    assert(__brevll(0x0000000000000013ull * one) == 0xc800000000000000ull);
    assert(__byte_perm(0x33221100u * one, 0x77665544u, 0x7610) == 0x77661100u);
    assert(__byte_perm(0x00008000u * one, 0u, 0x8889) == 0x00000080u);
    assert(__funnelshift_l(0x80000001u * one, 0x12345678u, 4) == 0x23456788u);
    assert(__funnelshift_r(0x80000001u * one, 0x12345678u, 4) == 0x88000000u);
    assert(__funnelshift_l(1u * one, 2u, 32) == 2u && __funnelshift_lc(1u * one, 2u, 32) == 1u);
    assert(__funnelshift_r(1u * one, 2u, 32) == 1u && __funnelshift_rc(1u * one, 2u, 33) == 2u);
    assert(__mulhi(-2 * one, 3) == -1 && __mulhi(0x40000000 * one, 8) == 2);
    assert(__umulhi(0xffffffffu * one, 0xffffffffu) == 0xfffffffeu);
    assert(__mul64hi(-2ll * one, 3ll) == -1 && __umul64hi(~0ull * one, ~0ull) == ~1ull);
    assert(__mul24(0x01000003 * one, -5) == -15 && __umul24(0xff000003u * one, 5u) == 15u);
    assert(__sad(-5 * one, 7, 100u) == 112u && __usad(5u * one, 7u, 100u) == 102u);
    assert(__hadd(-3 * one, 2) == -1 && __rhadd(-3 * one, 2) == 0);
    assert(__uhadd(0xffffffffu * one, 1u) == high && __urhadd(4u * one, 5u) == 5u);
    assert(__dp4a(0x01ff0203 * one, 0x01010101, 10) == 15);
    assert(__dp4a(0x01ff0203u * one, 0x01010101u, 10u) == 271u);
    out[threadIdx.x] = 1;
}

__global__ void bits(int *out, int one)
{
    assert(__float_as_uint(1.0f * one) == 0x3f800000u &&
           __float_as_int(-2.0f * one) == -0x40000000);
    assert(__uint_as_float(0x40490fdbu * one) == 3.14159274f);
    assert(__int_as_float(0x3f000000 * one) == 0.5f);
    assert(__double_as_longlong(1.0 * one) == 0x3ff0000000000000ll);
    assert(__longlong_as_double(0x4000000000000000ll * one) == 2.0);
    assert(__double2hiint(1.0 * one) == 0x3ff00000 && __double2loint(1.5 * one) == 0);
    assert(__hiloint2double(0x40080000 * one, 0) == 3.0);
    out[threadIdx.x] = 1;
}

__global__ void conversions(int *out, int one)
{
    float half = 2.5f * one, minus = -2.5f * one, huge = 1e20f * one, nan = nanf("") * one;

    assert(__float2int_rz(minus) == -2 && __float2int_rn(minus) == -2 && __float2int_rn(3.5f) == 4);
    assert(__float2int_rd(minus) == -3 && __float2int_ru(minus) == -2 && __float2int_ru(half) == 3);
    assert(__float2int_rz(huge) == 0x7fffffff && __float2int_rz(-huge) == -0x7fffffff - 1);
    assert(__float2int_rz(nan) == 0);
    assert(__float2uint_rz(half) == 2u && __float2uint_ru(half) == 3u);
    assert(__float2uint_rz(minus) == 0u && __float2uint_rn(huge) == 0xffffffffu);
    assert(__float2ll_rd(minus) == -3 && __float2ull_rn(half) == 2ull);
    assert(__double2int_rn(-3.5 * one) == -4 && __double2int_rz(-3.5 * one) == -3);
    assert(__double2uint_ru(0.5 * one) == 1u && __double2ll_rd(-0.5 * one) == -1);
    assert(__int2float_rn(0x1000001 * one) == 16777216.0f && __int2float_rn(-7 * one) == -7.0f);
    assert(__uint2float_rn(0xffffffffu * one) == 4294967296.0f && __uint2float_rn(7u * one) == 7);
    assert(__uint2double_rn(0xffffffffu * one) == 4294967295.0);
    assert(__ll2double_rn(-3ll * one) == -3.0 && __ull2double_rn(7ull * one) == 7);
    assert(__ll2float_rn(-3ll * one) == -3.0f && __ull2float_rn(3ull * one) == 3.0f);
    assert(__int2double_rn(-7 * one) == -7.0 && __double2float_rn(0.1 * one) == 0.1f);
    out[threadIdx.x] = 1;
}

__global__ void operations(int *out, float one)
{
    float tiny = 1.0f / 16777216 * one, third = 1.0f / 3 * one, nan = nanf("") * one;

    assert(__fadd_rn(one, tiny) == 1.0f && __fsub_rn(one, tiny) == 0.99999994f);
    assert(__fmul_rn(third, 3.0f) == 1.0f && __fmaf_rn(third, 3.0f, -1.0f) == 1.0f / 33554432);
    assert(__fdiv_rn(one, 4.0f) == 0.25f && __frcp_rn(4 * one) == 0.25f);
    assert(__fsqrt_rn(9 * one) == 3.0f && __dadd_rn(1.0 * one, 2.0) == 3.0);
    assert(__dmul_rn(3.0 * one, 2.0) == 6.0 && __fma_rn(3.0 * one, 2.0, 1.0) == 7.0);
    assert(__fdividef(3 * one, 2.0f) == 1.5f && __frsqrt_rn(4 * one) == 0.5f);
    assert(__saturatef(1.5f * one) == 1.0f && __saturatef(-one) == 0.0f &&
           __saturatef(0.25f * one) == 0.25f && __saturatef(nan) == 0.0f);
    assert(fminf(one, 2.0f) == 1.0f && fmaxf(nan, 2.0f) == 2.0f && fabsf(-one) == 1.0f);
    assert(fmin(1.0 * one, 2.0) == 1.0 && fmax(1.0 * one, 2.0) == 2.0 && fabs(-1.0 * one) == 1.0);
    assert(min(one, 2.0f) == 1.0f && max(one, 2.0f) == 2.0f && abs(-one) == 1.0f);
    assert(min(one, 2.0) == 1.0 && max(one, 2.0) == 2.0);
    assert(min(2.0, one) == 1.0 && max(2.0, one) == 2.0);
    assert(min(2.0, 1.0 * one) == 1.0 && max(2.0, 1.0 * one) == 2.0);
    assert(fdividef(3 * one, 4.0f) == 0.75f);
    assert(fmaf(2 * one, 3.0f, 4.0f) == 10.0f && fma(2.0 * one, 3.0, 4.0) == 10.0);
    assert(floorf(-1.5f * one) == -2.0f && ceilf(-1.5f * one) == -1.0f && truncf(1.5f) == 1.0f);
    assert(rintf(2.5f * one) == 2.0f && roundf(2.5f * one) == 3.0f && fmodf(7 * one, 4.0f) == 3.0f);
    assert(copysignf(3 * one, -0.0f) == -3.0f && isnan(nan) && !isinf(one) && isfinite(one));
    assert(ldexpf(one, 3) == 8.0f && signbit(-one) && sqrtf(16 * one) == 4.0f);
    out[threadIdx.x] = 1;
}

__global__ void functions(int *out, float one)
{
    float s, c;
    double ds, dc;

    NEAR(sinf(one), 0.84147098);
    NEAR(cosf(one), 0.54030231);
    NEAR(tanf(one), 1.55740772);
    NEAR(asinf(0.5f * one), 0.52359878);
    NEAR(atan2f(one, 2.0f), 0.46364761);
    NEAR(expf(one), 2.71828183);
    NEAR(exp2f(3 * one), 8.0);
    NEAR(exp10f(2 * one), 100.0);
    NEAR(expm1f(0.001f * one), 0.0010005);
    NEAR(logf(10 * one), 2.30258509);
    NEAR(log2f(10 * one), 3.32192809);
    NEAR(log10f(50 * one), 1.69897000);
    NEAR(log1pf(0.001f * one), 0.00099950033);
    NEAR(powf(2 * one, 0.5f), 1.41421356);
    NEAR(pow(2.0 * one, 0.5), 1.41421356237);
    NEAR(sqrtf(2 * one), 1.41421356);
    NEAR(rsqrtf(2 * one), 0.70710678);
    NEAR(rsqrt(2.0 * one), 0.70710678119);
    NEAR(cbrtf(27 * one), 3.0);
    NEAR(rcbrtf(8 * one), 0.5);
    NEAR(hypotf(3 * one, 4.0f), 5.0);
    NEAR(rhypotf(3 * one, 4.0f), 0.2);
    NEAR(rhypot(3.0 * one, 4.0), 0.2);
    NEAR(rcbrt(8.0 * one), 0.5);
    NEAR(norm3df(one, 2.0f, 2.0f), 3.0);
    NEAR(rnorm3df(one, 2.0f, 2.0f), 1.0 / 3);
    NEAR(norm4df(one, one, one, one), 2.0);
    NEAR(normcdf(1.0 * one), 0.8413447460685);
    NEAR(tanhf(one), 0.76159416);
    NEAR(sinhf(one), 1.17520119);
    NEAR(coshf(one), 1.54308063);
    NEAR(erff(one), 0.84270079);
    NEAR(tgammaf(5 * one), 24.0);
    NEAR(normcdff(one), 0.84134475);
    assert(sinpif(one) == 0.0f && sinpi(1.5 * one) == -1.0 && cospif(one) == -1.0f &&
           cospi(0.5 * one) == 0.0);
    sincosf(one, &s, &c);
    NEAR(s, 0.84147098);
    NEAR(c, 0.54030231);
    sincospi(0.25 * one, &ds, &dc);
    NEAR(ds, 0.70710678119);
    NEAR(dc, 0.70710678119);
    out[threadIdx.x] = 1;
}

#define BITS(value, expected) assert(__half_as_ushort(value) == (expected))

__global__ void halves(int *out, float one)
{
    half third = __float2half(one / 3), big = __float2half(65504 * one),
         two = __float2half(2 * one);
    half tiny = __ushort_as_half(1), nan = __ushort_as_half(0x7e00), minus = __float2half(-one);
    half2 pair = __floats2half2_rn(one, 3.0f), same = __half2half2(two);

    static_assert(sizeof(half) == 2 && sizeof(half2) == 4 && alignof(half2) == 4, "half");
    BITS(third, 0x3555);
    BITS(__float2half_rn(1.00048828125f * one), 0x3c00); /* ties to even */
    BITS(__float2half_rn(1.00146484375f * one), 0x3c02);
    BITS(__float2half(65519.0f * one), 0x7bff);
    BITS(__float2half(65520.0f * one), 0x7c00);
    BITS(__float2half(-1e-7f * one), 0x8002);
    BITS(__float2half(2.98e-8f * one), 0x0000);
    BITS(__int2half_rn(2049), 0x6800);
    assert(__half2float(third) == 0.333251953125f && __half2float(tiny) == 0x1p-24f);
    assert(isinf(__half2float(__ushort_as_half(0xfc00))) && __hisnan(nan) && !__hisnan(two));
    BITS(__hadd(big, __float2half(16 * one)), 0x7c00);
    BITS(__hsub(two, third), 0x3eab);
    BITS(__hmul(third, third), 0x2f1c);
    BITS(__hdiv(__float2half(one), __float2half(3 * one)), 0x3555);
    BITS(__hfma(third, __float2half(3 * one), minus), 0x8c00);
    BITS(__hneg(two), 0xc000);
    BITS(__habs(minus), 0x3c00);
    BITS(two + third, 0x40ab);
    BITS(two - third, 0x3eab);
    BITS(two * third, 0x3955);
    BITS(third / two, 0x3155);
    BITS(-third, 0xb555);
    BITS(hsqrt(two), 0x3da8);
    BITS(__hmax(two, third), 0x4000);
    BITS(__hmin(two, third), 0x3555);
    assert(third < two && two > third && two >= two && two <= two && two == two && two != third);
    assert(__hlt(third, two) && __heq(two, two) && !__heq(nan, nan) && __hgt(two, third));
    assert(!__hne(nan, nan) && __hne(two, third) && __hle(two, two) && __hge(two, two));
    assert(__half2int_rz(__float2half(-2.5f * one)) == -2);
    assert(__low2float(pair) == 1.0f && __high2float(pair) == 3.0f);
    assert(__low2float(__hadd2(pair, same)) == 3.0f && __high2float(__hmul2(pair, same)) == 6.0f);
    assert(__high2float(__hfma2(pair, same, pair)) == 9.0f &&
           __low2float(__hsub2(pair, same)) == -1);
    assert(__half22float2(__float2half2_rn(0.5f * one)).y == 0.5f);
    BITS(__low2half(__halves2half2(third, two)), 0x3555);
    BITS(__high2half(make_half2(third, two)), 0x4000);
    BITS(__shfl_xor_sync(0xffffffff, third, 1), 0x3555);
    out[threadIdx.x] = 1;
}

/* Fast ones need not be so near. */
__global__ void fast_functions(int *out, float one)
{
    float s, c;

    __sincosf(one, &s, &c);
    assert(fabsf(__sinf(one) - 0.84147098f) < 1e-5f && fabsf(s - 0.84147098f) < 1e-5f);
    assert(fabsf(__cosf(one) - 0.54030231f) < 1e-5f && fabsf(c - 0.54030231f) < 1e-5f);
    assert(fabsf(__tanf(one) - 1.55740772f) < 1e-4f);
    assert(fabsf(__expf(one) - 2.71828183f) < 1e-5f);
    assert(fabsf(__exp10f(2 * one) - 100.0f) < 1e-3f);
    assert(fabsf(__logf(10 * one) - 2.30258509f) < 1e-5f);
    assert(fabsf(__log2f(10 * one) - 3.32192809f) < 1e-5f);
    assert(fabsf(__log10f(50 * one) - 1.69897000f) < 1e-5f);
    assert(fabsf(__powf(2 * one, 0.5f) - 1.41421356f) < 1e-5f);
    out[threadIdx.x] = 1;
}

/* For one warp. */
__global__ void lanes(int *out, int one)
{
    const unsigned int all = 0xffffffffu;
    int lane = threadIdx.x, same;
    long long start = clock64();

    assert(warpSize == 32 && __activemask() == 1u << lane);
    assert(__shfl_sync(all, lane * 3, 5) == 15);
    assert(__shfl_sync(all, lane, 1, 8) == lane / 8 * 8 + 1);
    assert(__shfl_up_sync(all, lane, 2) == (lane < 2 ? lane : lane - 2));
    assert(__shfl_down_sync(all, lane, 2) == (lane > 29 ? lane : lane + 2));
    assert(__shfl_xor_sync(all, lane, 1) == (lane ^ 1));
    assert(__shfl_down_sync(all, lane * 0.5, 16) == (lane < 16 ? lane + 16 : lane) * 0.5);
    assert(__ballot_sync(all, lane < 3) == 7u);
    assert(__any_sync(all, lane == 31) != 0 && __any_sync(all, lane == 32) == 0);
    assert(__all_sync(all, lane < 32) != 0 && __all_sync(all, lane < 31) == 0);
    assert(__match_any_sync(all, lane / 16) == (lane < 16 ? 0xffffu : 0xffff0000u));
    assert(__match_all_sync(all, one, &same) == all && same != 0);
    assert(__match_all_sync(all, lane, &same) == 0 && same == 0);
    assert(__reduce_add_sync(all, lane) == 496 && __reduce_add_sync(all, 1u) == 32u);
    assert(__reduce_min_sync(all, lane - 5) == -5 && __reduce_max_sync(all, -lane) == 0);
    assert(__reduce_max_sync(all, (unsigned int)lane) == 31u);
    assert(__reduce_and_sync(all, lane | 64u) == 64u && __reduce_or_sync(all, 1u << lane) == all);
    assert(__reduce_xor_sync(all, 1u << lane) == all);
    assert(__syncthreads_count(lane < 5) == 5);
    assert(__syncthreads_or(lane == 3) != 0 && __syncthreads_or(lane == 32) == 0);
    assert(__syncthreads_and(lane < 32) != 0 && __syncthreads_and(lane < 31) == 0);
    __syncwarp();
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    assert(clock64() > start && clock() > 0);
    out[lane] = 1;
}

/* For one thread. */
__global__ void atomics(int *out, float *values, double *wide)
{
    unsigned int *word = (unsigned int *)out;

    out[0] = 10;
    assert(atomicAdd(out, 5) == 10 && out[0] == 15);
    assert(atomicSub(out, 3) == 15 && out[0] == 12);
    assert(atomicExch(out, -4) == 12 && out[0] == -4);
    assert(atomicMin(out, -6) == -4 && out[0] == -6);
    assert(atomicMax(out, 9) == -6 && out[0] == 9);
    assert(atomicMin(word, 7u) == 9u && atomicMax(word, 8u) == 7u && word[0] == 8u);
    assert(atomicInc(word, 8u) == 8u && word[0] == 0u && atomicInc(word, 8u) == 0u && word[0] == 1);
    assert(atomicDec(word, 8u) == 1u && atomicDec(word, 8u) == 0u && word[0] == 8u);
    assert(atomicAnd(out, 12) == 8 && atomicOr(out, 3) == 8 && atomicXor(out, 1) == 11);
    assert(atomicCAS(out, 10, 20) == 10 && atomicCAS(out, 10, 30) == 20 && out[0] == 20);
    assert(atomicAdd_block(out, 1) == 20 && atomicAdd_system(out, 1) == 21 && out[0] == 22);
    values[0] = 1.5f;
    assert(atomicAdd(values, 2.0f) == 1.5f && values[0] == 3.5f);
    assert(atomicExch(values, 9.0f) == 3.5f && values[0] == 9.0f);
    wide[0] = 1.5;
    assert(atomicAdd(wide, 2.0) == 1.5 && wide[0] == 3.5);
    assert(__ldg(out + 31) == out[31]); /* of what the kernel does not write */
    assert(__ldcg(values) == 9.0f);
}

__global__ void vectors(int *out, int one)
{
    float4 f = make_float4(1.0f, 2.0f, 3.0f, 4.0f * one);
    uchar4 u = make_uchar4(1, 2, 255, one);
    int2 i = make_int2(-1, one);
    double3 d = make_double3(0.5, 1.5, 2.5 * one);
    ulonglong2 l = make_ulonglong2(1, ~0ull * one);
    dim3 block = blockDim, alone(7);
    uint3 index = threadIdx;

    static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12, "float");
    static_assert(alignof(float3) == 4 && alignof(float2) == 8 && alignof(uchar4) == 4, "float");
    static_assert(sizeof(double4) == 32 && alignof(double2) == 16 && sizeof(long) == 8, "double");
    static_assert(alignof(longlong2) == 16 && alignof(char2) == 2 && alignof(short4) == 8, "short");
    assert(f.x + f.y + f.z + f.w == 10.0f && u.z == 255 && u.w == 1 && i.x + i.y == 0);
    assert(d.z == 2.5 && l.y == ~0ull && make_char1(3).x == 3 && make_uint3(1, 2, 3).z == 3u);
    assert(make_short4(1, 2, 3, -4).w == -4 && make_long2(5, 6).y == 6 &&
           make_ushort2(1, 2).y == 2);
    assert(block.x == 32 && block.y == 1 && alone.x == 7 && alone.y == 1 && alone.z == 1);
    assert(index.x == threadIdx.x && gridDim.x == 1 && blockIdx.x == 0 && blockDim.z == 1);
    out[threadIdx.x] = 1;
}

/* Which is wrong. */
__global__ void wrong(int *out, int one)
{
    assert(__popc(0xffu * one) == 9);
    out[threadIdx.x] = 1;
}
