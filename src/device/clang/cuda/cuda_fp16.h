/* SPDX-License-Identifier: MIT
 *
 * Half-precision numbers: CUDA Math API, half precision intrinsics. An operation with a PTX
 * instruction is that instruction. Other operations compute in single precision and round once
 * more. That is exact for quotients and square roots.
 */
#ifndef __CUDA_FP16_H__ /* that of a toolkit's header, which headers of a toolkit may have         \
                           included */
#define __CUDA_FP16_H__

#pragma clang system_header

#define SIMT_MEMBER __device__ __attribute__((always_inline, nodebug))

struct __half_raw {
    unsigned short x;
};

struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

struct __nv_bfloat16; /* cuda_bf16.h of a toolkit defines it, and the conversion to a half */

/* Converts with one instruction between a number and the bits of a half. */
#define SIMT_TO_HALF(name, type, instruction, letter)                                              \
    SIMT_ON_DEVICE unsigned short name(type x)                                                     \
    {                                                                                              \
        unsigned short result;                                                                     \
        __asm__(instruction " %0, %1;" : "=h"(result) : letter(x));                                \
        return result;                                                                             \
    }
SIMT_TO_HALF(simt_half_bits, float, "cvt.rn.f16.f32", "f")
SIMT_TO_HALF(simt_half_bits, double, "cvt.rn.f16.f64", "d")
SIMT_TO_HALF(simt_half_bits, int, "cvt.rn.f16.s32", "r")
SIMT_TO_HALF(simt_half_bits, unsigned int, "cvt.rn.f16.u32", "r")
SIMT_TO_HALF(simt_half_bits, long long, "cvt.rn.f16.s64", "l")
SIMT_TO_HALF(simt_half_bits, unsigned long long, "cvt.rn.f16.u64", "l")
SIMT_TO_HALF(simt_half_bits_rz, float, "cvt.rz.f16.f32", "f")
SIMT_TO_HALF(simt_half_bits_ru, float, "cvt.rp.f16.f32", "f")
SIMT_TO_HALF(simt_half_bits_rd, float, "cvt.rm.f16.f32", "f")
#undef SIMT_TO_HALF

SIMT_ON_DEVICE float simt_half_value(unsigned short bits)
{
    float result;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
}

struct __half {
    unsigned short __x;

    __half() = default;
    SIMT_MEMBER __half(float x) : __x(simt_half_bits(x))
    {
    }
    SIMT_MEMBER __half(double x) : __x(simt_half_bits(x))
    {
    }
    SIMT_MEMBER __half(int x) : __x(simt_half_bits(x))
    {
    }
    SIMT_MEMBER __half(unsigned int x) : __x(simt_half_bits(x))
    {
    }
    SIMT_MEMBER __half(long long x) : __x(simt_half_bits(x))
    {
    }
    SIMT_MEMBER __half(unsigned long long x) : __x(simt_half_bits(x))
    {
    }
    __host__ __device__ constexpr __half(__half_raw raw) : __x(raw.x)
    {
    }
    __host__ __device__ __half(const __nv_bfloat16 x);
    SIMT_MEMBER operator float() const
    {
        return simt_half_value(__x);
    }
    __host__ __device__ constexpr operator __half_raw() const
    {
        return {__x};
    }
    /* The compiler parses host code with halves, but it never runs. */
    __host__ __half(float x);
    __host__ __half(double x);
    __host__ __half(int x);
    __host__ operator float() const;
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ constexpr __half2(const __half &low, const __half &high) : x(low), y(high)
    {
    }
    __host__ __device__ constexpr __half2(const __half2_raw &raw)
        : x(__half_raw{raw.x}), y(__half_raw{raw.y})
    {
    }
    __host__ __device__ constexpr operator __half2_raw() const
    {
        return {x.__x, y.__x};
    }
};

typedef __half half;
typedef __half2 half2;

/* ---- Conversions ---- */

SIMT_ON_BOTH __half __ushort_as_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}

SIMT_ON_BOTH unsigned short __half_as_ushort(__half x)
{
    return x.__x;
}

SIMT_CALL(__half, __short_as_half, (short bits), __ushort_as_half,
          (static_cast<unsigned short>(bits)))
SIMT_CALL(short, __half_as_short, (__half x), __half_as_ushort, (x))
SIMT_CALL(__half, __float2half_rn, (float x), __half, (x))
SIMT_CALL(__half, __float2half_rz, (float x), __ushort_as_half, (simt_half_bits_rz(x)))
SIMT_CALL(__half, __float2half_ru, (float x), __ushort_as_half, (simt_half_bits_ru(x)))
SIMT_CALL(__half, __float2half_rd, (float x), __ushort_as_half, (simt_half_bits_rd(x)))
SIMT_CALL(__half, __double2half, (double x), __half, (x))

#define SIMT_FROM_HALF(to, name, instruction, letter)                                              \
    SIMT_ON_DEVICE to name(__half x)                                                               \
    {                                                                                              \
        to result;                                                                                 \
        __asm__(instruction " %0, %1;" : "=" letter(result) : "h"(x.__x));                         \
        return result;                                                                             \
    }
#define SIMT_TO_HALF(from, name, instruction, letter)                                              \
    SIMT_ON_DEVICE __half name(from x)                                                             \
    {                                                                                              \
        unsigned short bits;                                                                       \
        __asm__(instruction " %0, %1;" : "=h"(bits) : letter(x));                                  \
        return __ushort_as_half(bits);                                                             \
    }
#define SIMT_WHOLE_NUMBERS(word, name, type, letter)                                               \
    SIMT_FROM_HALF(word, __half2##name##_rn, "cvt.rni." type ".f16", letter)                       \
    SIMT_FROM_HALF(word, __half2##name##_rz, "cvt.rzi." type ".f16", letter)                       \
    SIMT_FROM_HALF(word, __half2##name##_ru, "cvt.rpi." type ".f16", letter)                       \
    SIMT_FROM_HALF(word, __half2##name##_rd, "cvt.rmi." type ".f16", letter)                       \
    SIMT_TO_HALF(word, __##name##2half_rn, "cvt.rn.f16." type, letter)                             \
    SIMT_TO_HALF(word, __##name##2half_rz, "cvt.rz.f16." type, letter)                             \
    SIMT_TO_HALF(word, __##name##2half_ru, "cvt.rp.f16." type, letter)                             \
    SIMT_TO_HALF(word, __##name##2half_rd, "cvt.rm.f16." type, letter)
SIMT_WHOLE_NUMBERS(short, short, "s16", "h")
SIMT_WHOLE_NUMBERS(unsigned short, ushort, "u16", "h")
SIMT_WHOLE_NUMBERS(int, int, "s32", "r")
SIMT_WHOLE_NUMBERS(unsigned int, uint, "u32", "r")
SIMT_WHOLE_NUMBERS(long long, ll, "s64", "l")
SIMT_WHOLE_NUMBERS(unsigned long long, ull, "u64", "l")
#undef SIMT_WHOLE_NUMBERS
#undef SIMT_TO_HALF
#undef SIMT_FROM_HALF

SIMT_ON_DEVICE __half __float2half(float x)
{
    return __half(x);
}

SIMT_ON_DEVICE float __half2float(__half x)
{
    return simt_half_value(x.__x);
}

/* Host code fills arrays of halves with these. */
__host__ __half __float2half(float x);
__host__ float __half2float(__half x);

/* ---- Operations ---- */

#define SIMT_HALF_1(name, instruction)                                                             \
    SIMT_ON_DEVICE __half name(__half a)                                                           \
    {                                                                                              \
        unsigned short result;                                                                     \
        __asm__(instruction ".f16 %0, %1;" : "=h"(result) : "h"(a.__x));                           \
        return __ushort_as_half(result);                                                           \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 name##2(__half2 a)                                                      \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__(instruction ".f16x2 %0, %1;"                                                       \
                : "=r"(result)                                                                     \
                : "r"(__builtin_bit_cast(unsigned int, a)));                                       \
        return __builtin_bit_cast(__half2, result);                                                \
    }
#define SIMT_HALF_2(name, pair_name, instruction)                                                  \
    SIMT_ON_DEVICE __half name(__half a, __half b)                                                 \
    {                                                                                              \
        unsigned short result;                                                                     \
        __asm__(instruction ".f16 %0, %1, %2;" : "=h"(result) : "h"(a.__x), "h"(b.__x));           \
        return __ushort_as_half(result);                                                           \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 pair_name(__half2 a, __half2 b)                                         \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__(instruction ".f16x2 %0, %1, %2;"                                                   \
                : "=r"(result)                                                                     \
                : "r"(__builtin_bit_cast(unsigned int, a)),                                        \
                  "r"(__builtin_bit_cast(unsigned int, b)));                                       \
        return __builtin_bit_cast(__half2, result);                                                \
    }
#define SIMT_HALF_3(name, pair_name, instruction)                                                  \
    SIMT_ON_DEVICE __half name(__half a, __half b, __half c)                                       \
    {                                                                                              \
        unsigned short result;                                                                     \
        __asm__(instruction ".f16 %0, %1, %2, %3;"                                                 \
                : "=h"(result)                                                                     \
                : "h"(a.__x), "h"(b.__x), "h"(c.__x));                                             \
        return __ushort_as_half(result);                                                           \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 pair_name(__half2 a, __half2 b, __half2 c)                              \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__(instruction ".f16x2 %0, %1, %2, %3;"                                               \
                : "=r"(result)                                                                     \
                : "r"(__builtin_bit_cast(unsigned int, a)),                                        \
                  "r"(__builtin_bit_cast(unsigned int, b)),                                        \
                  "r"(__builtin_bit_cast(unsigned int, c)));                                       \
        return __builtin_bit_cast(__half2, result);                                                \
    }

SIMT_HALF_1(__hneg, "neg")
SIMT_HALF_1(__habs, "abs")
SIMT_HALF_2(__hadd, __hadd2, "add")
SIMT_HALF_2(__hsub, __hsub2, "sub")
SIMT_HALF_2(__hmul, __hmul2, "mul")
SIMT_HALF_2(__hadd_rn, __hadd2_rn, "add.rn")
SIMT_HALF_2(__hsub_rn, __hsub2_rn, "sub.rn")
SIMT_HALF_2(__hmul_rn, __hmul2_rn, "mul.rn")
SIMT_HALF_2(__hadd_sat, __hadd2_sat, "add.sat")
SIMT_HALF_2(__hsub_sat, __hsub2_sat, "sub.sat")
SIMT_HALF_2(__hmul_sat, __hmul2_sat, "mul.sat")
SIMT_HALF_2(__hmin, __hmin2, "min")
SIMT_HALF_2(__hmax, __hmax2, "max")
SIMT_HALF_2(__hmin_nan, __hmin2_nan, "min.NaN")
SIMT_HALF_2(__hmax_nan, __hmax2_nan, "max.NaN")
SIMT_HALF_3(__hfma, __hfma2, "fma.rn")
SIMT_HALF_3(__hfma_sat, __hfma2_sat, "fma.rn.sat")
SIMT_HALF_3(__hfma_relu, __hfma2_relu, "fma.rn.relu")
#undef SIMT_HALF_1
#undef SIMT_HALF_2
#undef SIMT_HALF_3

/* Names that end in u return true for a NaN, the others false. */
#define SIMT_COMPARISON(name, comparison)                                                          \
    SIMT_ON_DEVICE bool __h##name(__half a, __half b)                                              \
    {                                                                                              \
        int result;                                                                                \
        __asm__("{ .reg .pred p; setp." comparison ".f16 p, %1, %2; selp.s32 %0, 1, 0, p; }"       \
                : "=r"(result)                                                                     \
                : "h"(a.__x), "h"(b.__x));                                                         \
        return result != 0;                                                                        \
    }                                                                                              \
    SIMT_ON_DEVICE bool __hb##name##2(__half2 a, __half2 b)                                        \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 __h##name##2(__half2 a, __half2 b)                                      \
    {                                                                                              \
        return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                  \
                       __half(__h##name(a.y, b.y) ? 1.0f : 0.0f));                                 \
    }

SIMT_COMPARISON(eq, "eq")
SIMT_COMPARISON(ne, "ne")
SIMT_COMPARISON(lt, "lt")
SIMT_COMPARISON(le, "le")
SIMT_COMPARISON(gt, "gt")
SIMT_COMPARISON(ge, "ge")
SIMT_COMPARISON(equ, "equ")
SIMT_COMPARISON(neu, "neu")
SIMT_COMPARISON(ltu, "ltu")
SIMT_COMPARISON(leu, "leu")
SIMT_COMPARISON(gtu, "gtu")
SIMT_COMPARISON(geu, "geu")
#undef SIMT_COMPARISON

SIMT_ON_DEVICE bool __hisnan(__half a)
{
    return (a.__x & 0x7fff) > 0x7c00;
}

SIMT_CALL(__half2, __hisnan2, (__half2 a), __half2,
          (__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f)))

SIMT_ON_DEVICE int __hisinf(__half a)
{
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}

SIMT_CALL(__half, __hdiv, (__half a, __half b), __half,
          (__fdiv_rn(simt_half_value(a.__x), simt_half_value(b.__x))))

#define SIMT_BY_FLOAT(name, function)                                                              \
    SIMT_ON_DEVICE __half h##name(__half a)                                                        \
    {                                                                                              \
        return __half(function(simt_half_value(a.__x)));                                           \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 h2##name(__half2 a)                                                     \
    {                                                                                              \
        return __half2(h##name(a.x), h##name(a.y));                                                \
    }
SIMT_BY_FLOAT(ceil, ceilf)
SIMT_BY_FLOAT(cos, cosf)
SIMT_BY_FLOAT(exp, expf)
SIMT_BY_FLOAT(exp10, exp10f)
SIMT_BY_FLOAT(exp2, exp2f)
SIMT_BY_FLOAT(floor, floorf)
SIMT_BY_FLOAT(log, logf)
SIMT_BY_FLOAT(log10, log10f)
SIMT_BY_FLOAT(log2, log2f)
SIMT_BY_FLOAT(rcp, __frcp_rn)
SIMT_BY_FLOAT(rint, rintf)
SIMT_BY_FLOAT(rsqrt, rsqrtf)
SIMT_BY_FLOAT(sin, sinf)
SIMT_BY_FLOAT(sqrt, __fsqrt_rn)
SIMT_BY_FLOAT(trunc, truncf)
#undef SIMT_BY_FLOAT

#define SIMT_OPERATOR(type, sign, function)                                                        \
    SIMT_ON_DEVICE type operator sign(const type &a, const type &b)                                \
    {                                                                                              \
        return function(a, b);                                                                     \
    }                                                                                              \
    SIMT_ON_DEVICE type &operator sign##=(type &a, const type &b)                                  \
    {                                                                                              \
        return a = function(a, b);                                                                 \
    }
#define SIMT_COMPARISON(sign, function, pair_function)                                             \
    SIMT_ON_DEVICE bool operator sign(const __half &a, const __half &b)                            \
    {                                                                                              \
        return function(a, b);                                                                     \
    }                                                                                              \
    SIMT_ON_DEVICE bool operator sign(const __half2 &a, const __half2 &b)                          \
    {                                                                                              \
        return pair_function(a, b);                                                                \
    }

SIMT_ON_DEVICE __half2 __h2div(__half2 a, __half2 b)
{
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

SIMT_OPERATOR(__half, +, __hadd)
SIMT_OPERATOR(__half, -, __hsub)
SIMT_OPERATOR(__half, *, __hmul)
SIMT_OPERATOR(__half, /, __hdiv)
SIMT_OPERATOR(__half2, +, __hadd2)
SIMT_OPERATOR(__half2, -, __hsub2)
SIMT_OPERATOR(__half2, *, __hmul2)
SIMT_OPERATOR(__half2, /, __h2div)
SIMT_COMPARISON(==, __heq, __hbeq2)
SIMT_COMPARISON(!=, __hneu, __hbneu2)
SIMT_COMPARISON(<, __hlt, __hblt2)
SIMT_COMPARISON(<=, __hle, __hble2)
SIMT_COMPARISON(>, __hgt, __hbgt2)
SIMT_COMPARISON(>=, __hge, __hbge2)
#undef SIMT_OPERATOR
#undef SIMT_COMPARISON

SIMT_ON_DEVICE __half operator-(const __half &a)
{
    return __hneg(a);
}

SIMT_ON_DEVICE __half2 operator-(const __half2 &a)
{
    return __hneg2(a);
}

/* ---- Pairs ---- */

SIMT_CALL(__half2, __halves2half2, (__half low, __half high), __half2, (low, high))
SIMT_CALL(__half2, make_half2, (__half low, __half high), __half2, (low, high))
SIMT_CALL(__half2, __half2half2, (__half x), __half2, (x, x))
SIMT_CALL(__half2, __float2half2_rn, (float x), __half2, (__half(x), __half(x)))
SIMT_CALL(__half2, __floats2half2_rn, (float x, float y), __half2, (__half(x), __half(y)))
SIMT_CALL(__half2, __float22half2_rn, (float2 x), __half2, (__half(x.x), __half(x.y)))
SIMT_CALL(float2, __half22float2, (__half2 x), make_float2, (float(x.x), float(x.y)))
SIMT_CALL(float, __low2float, (__half2 x), float, (x.x))
SIMT_CALL(float, __high2float, (__half2 x), float, (x.y))
SIMT_CALL(__half2, __low2half2, (__half2 x), __half2, (x.x, x.x))
SIMT_CALL(__half2, __high2half2, (__half2 x), __half2, (x.y, x.y))
SIMT_CALL(__half2, __lowhigh2highlow, (__half2 x), __half2, (x.y, x.x))
SIMT_CALL(__half2, __lows2half2, (__half2 x, __half2 y), __half2, (x.x, y.x))
SIMT_CALL(__half2, __highs2half2, (__half2 x, __half2 y), __half2, (x.y, y.y))

SIMT_ON_DEVICE __half __low2half(__half2 x)
{
    return x.x;
}

SIMT_ON_DEVICE __half __high2half(__half2 x)
{
    return x.y;
}

/* ---- Memory and lanes ---- */

SIMT_ON_DEVICE __half atomicAdd(__half *address, __half value)
{
    unsigned short old;
    __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;"
                     : "=h"(old)
                     : "l"(address), "h"(value.__x)
                     : "memory");
    return __ushort_as_half(old);
}

SIMT_ON_DEVICE __half2 atomicAdd(__half2 *address, __half2 value)
{
    unsigned int old;
    __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                     : "=r"(old)
                     : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
                     : "memory");
    return __builtin_bit_cast(__half2, old);
}

#define SIMT_SHUFFLE(name, from)                                                                   \
    SIMT_ON_DEVICE __half name(unsigned int mask, __half value, from source, int width = 32)       \
    {                                                                                              \
        unsigned int word = name(mask, static_cast<unsigned int>(value.__x), source, width);       \
        return __ushort_as_half(static_cast<unsigned short>(word));                                \
    }                                                                                              \
    SIMT_ON_DEVICE __half2 name(unsigned int mask, __half2 value, from source, int width = 32)     \
    {                                                                                              \
        unsigned int word = name(mask, __builtin_bit_cast(unsigned int, value), source, width);    \
        return __builtin_bit_cast(__half2, word);                                                  \
    }
SIMT_SHUFFLE(__shfl_sync, int)
SIMT_SHUFFLE(__shfl_up_sync, unsigned int)
SIMT_SHUFFLE(__shfl_down_sync, unsigned int)
SIMT_SHUFFLE(__shfl_xor_sync, int)
#undef SIMT_SHUFFLE
#undef SIMT_MEMBER

#endif
