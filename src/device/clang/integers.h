/* SPDX-License-Identifier: MIT
 *
 * Functions of integers and bits: CUDA Math API, integer intrinsics and type casting intrinsics.
 */
#ifndef SIMTCHECK_CLANG_INTEGERS_H
#define SIMTCHECK_CLANG_INTEGERS_H

/* ---- Minimum and maximum: one unsigned argument makes both unsigned ---- */

#define SIMT_EXTREMA(type, a_type, b_type)                                                         \
    SIMT_ON_BOTH constexpr type min(a_type a, b_type b)                                            \
    {                                                                                              \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }                                                                                              \
    SIMT_ON_BOTH constexpr type max(a_type a, b_type b)                                            \
    {                                                                                              \
        return static_cast<type>(a) > static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }
#define SIMT_EXTREMA_OF_BOTH(word)                                                                 \
    SIMT_EXTREMA(word, word, word)                                                                 \
    SIMT_EXTREMA(unsigned word, unsigned word, unsigned word)                                      \
    SIMT_EXTREMA(unsigned word, unsigned word, word)                                               \
    SIMT_EXTREMA(unsigned word, word, unsigned word)

SIMT_EXTREMA_OF_BOTH(int)
SIMT_EXTREMA_OF_BOTH(long)
SIMT_EXTREMA_OF_BOTH(long long)
#undef SIMT_EXTREMA
#undef SIMT_EXTREMA_OF_BOTH

SIMT_CALL(unsigned int, umin, (unsigned int a, unsigned int b), min, (a, b))
SIMT_CALL(unsigned int, umax, (unsigned int a, unsigned int b), max, (a, b))
SIMT_CALL(long long, llmin, (long long a, long long b), min, (a, b))
SIMT_CALL(long long, llmax, (long long a, long long b), max, (a, b))
SIMT_CALL(unsigned long long, ullmin, (unsigned long long a, unsigned long long b), min, (a, b))
SIMT_CALL(unsigned long long, ullmax, (unsigned long long a, unsigned long long b), max, (a, b))

/* ---- Bits of a word ---- */

#define SIMT_BITS(to, from, name, instruction, to_letter, from_letter)                             \
    SIMT_ON_DEVICE to name(from x)                                                                 \
    {                                                                                              \
        to result;                                                                                 \
        __asm__(instruction " %0, %1;" : "=" to_letter(result) : from_letter(x));                  \
        return result;                                                                             \
    }

SIMT_BITS(int, unsigned int, __popc, "popc.b32", "r", "r")
SIMT_BITS(int, unsigned long long, __popcll, "popc.b64", "r", "l")
SIMT_BITS(int, int, __clz, "clz.b32", "r", "r")
SIMT_BITS(int, long long, __clzll, "clz.b64", "r", "l")
SIMT_BITS(unsigned int, unsigned int, __brev, "brev.b32", "r", "r")
SIMT_BITS(unsigned long long, unsigned long long, __brevll, "brev.b64", "l", "l")

SIMT_ON_DEVICE int __ffs(int x)
{
    return 32 - __clz(x & -x);
}

SIMT_ON_DEVICE int __ffsll(long long x)
{
    return 64 - __clzll(x & -x);
}

#define SIMT_WORDS_3(type, name, instruction)                                                      \
    SIMT_ON_DEVICE type name(type a, type b, unsigned int c)                                       \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));           \
        return result;                                                                             \
    }
SIMT_WORDS_3(unsigned int, __byte_perm, "prmt.b32")
SIMT_WORDS_3(unsigned int, __funnelshift_l, "shf.l.wrap.b32")
SIMT_WORDS_3(unsigned int, __funnelshift_lc, "shf.l.clamp.b32")
SIMT_WORDS_3(unsigned int, __funnelshift_r, "shf.r.wrap.b32")
SIMT_WORDS_3(unsigned int, __funnelshift_rc, "shf.r.clamp.b32")
SIMT_WORDS_3(unsigned int, __usad, "sad.u32")
#undef SIMT_WORDS_3

SIMT_ON_DEVICE unsigned int __sad(int a, int b, unsigned int c)
{
    unsigned int result;
    __asm__("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

/* ---- Products and averages ---- */

#define SIMT_PRODUCT(type, name, instruction, letter)                                              \
    SIMT_ON_DEVICE type name(type a, type b)                                                       \
    {                                                                                              \
        type result;                                                                               \
        __asm__(instruction " %0, %1, %2;" : "=" letter(result) : letter(a), letter(b));           \
        return result;                                                                             \
    }
SIMT_PRODUCT(int, __mulhi, "mul.hi.s32", "r")
SIMT_PRODUCT(unsigned int, __umulhi, "mul.hi.u32", "r")
SIMT_PRODUCT(long long, __mul64hi, "mul.hi.s64", "l")
SIMT_PRODUCT(unsigned long long, __umul64hi, "mul.hi.u64", "l")
SIMT_PRODUCT(int, __mul24, "mul24.lo.s32", "r")
SIMT_PRODUCT(unsigned int, __umul24, "mul24.lo.u32", "r")
#undef SIMT_PRODUCT

/* Averages: the names with r round up, the others down. */
SIMT_CALL(int, __hadd, (int a, int b), static_cast<int>, ((static_cast<long long>(a) + b) >> 1))
SIMT_CALL(int, __rhadd, (int a, int b), static_cast<int>,
          ((static_cast<long long>(a) + b + 1) >> 1))
SIMT_CALL(unsigned int, __uhadd, (unsigned int a, unsigned int b), static_cast<unsigned int>,
          ((static_cast<unsigned long long>(a) + b) >> 1))
SIMT_CALL(unsigned int, __urhadd, (unsigned int a, unsigned int b), static_cast<unsigned int>,
          ((static_cast<unsigned long long>(a) + b + 1) >> 1))

/* Sums of products of bytes. */
SIMT_ON_DEVICE int __dp4a(int a, int b, int c)
{
    int result;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

SIMT_ON_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int result;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

/* ---- The same bits as another type ---- */

#define SIMT_CAST(to, from, name)                                                                  \
    SIMT_ON_DEVICE to name(from x)                                                                 \
    {                                                                                              \
        return __builtin_bit_cast(to, x);                                                          \
    }

SIMT_CAST(float, int, __int_as_float)
SIMT_CAST(int, float, __float_as_int)
SIMT_CAST(float, unsigned int, __uint_as_float)
SIMT_CAST(unsigned int, float, __float_as_uint)
SIMT_CAST(double, long long, __longlong_as_double)
SIMT_CAST(long long, double, __double_as_longlong)
#undef SIMT_CAST

SIMT_CALL(int, __double2hiint, (double x), static_cast<int>, (__double_as_longlong(x) >> 32))
SIMT_CALL(int, __double2loint, (double x), static_cast<int>, (__double_as_longlong(x)))

SIMT_ON_DEVICE double __hiloint2double(int high, int low)
{
    return __longlong_as_double(static_cast<long long>(high) << 32 |
                                static_cast<unsigned int>(low));
}

#endif
