/* SPDX-License-Identifier: MIT
 *
 * Functions of integers, and of bits: CUDA Math API, integer intrinsics and type casting
 * intrinsics.
 */
#ifndef SIMTCHECK_KERNELS_SOURCE_INTEGERS_H
#define SIMTCHECK_KERNELS_SOURCE_INTEGERS_H

/* ---- Minimum and maximum: of a signed and an unsigned number, that of unsigned ones ---- */

#define SIMT_EXTREMA(type, a_type, b_type)                                                         \
    static constexpr inline type min(a_type a, b_type b)                                           \
    {                                                                                              \
        return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(a)                  \
                                                           : static_cast<type>(b);                 \
    }                                                                                              \
    static constexpr inline type max(a_type a, b_type b)                                           \
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

static inline unsigned int umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

static inline unsigned int umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}

/* ---- Bits of a word ---- */

static inline int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}

static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

static inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}

static inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

static inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long reversed = 0;

    for (int bit = 0; bit < 64; bit++)
        reversed |= (x >> bit & 1) << (63 - bit);
    return reversed;
}

static inline unsigned int __brev(unsigned int x)
{
    return static_cast<unsigned int>(__brevll(x) >> 32);
}

/* Byte k of the result is that of y:x which the low three bits of the selector's digit k name. */
static inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned int result = 0;

    for (int k = 0; k < 4; k++) {
        unsigned int digit = selector >> 4 * k & 7;
        result |= (static_cast<unsigned int>(both >> 8 * digit) & 255) << 8 * k;
    }
    return result;
}

/* The high word of high:low shifted to the left, the low word of it to the right; _lc and _rc: by
 * 32 at the most, not modulo 32. */
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned int>(both << (shift & 31) >> 32);
}

static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned int>(both >> (shift & 31));
}

static inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}

static inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/* ---- Products, averages, differences ---- */

static inline int __mulhi(int a, int b)
{
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}

static inline unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}

static inline long long __mul64hi(long long a, long long b)
{
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

/* Of the low 24 bits. */
static inline int __mul24(int a, int b)
{
    unsigned int x = static_cast<unsigned int>(a) << 8, y = static_cast<unsigned int>(b) << 8;
    return static_cast<int>(static_cast<unsigned int>(static_cast<int>(x) >> 8) *
                            static_cast<unsigned int>(static_cast<int>(y) >> 8));
}

static inline unsigned int __umul24(unsigned int a, unsigned int b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}

/* |a - b| + c. */
static inline unsigned int __sad(int a, int b, unsigned int c)
{
    unsigned int x = static_cast<unsigned int>(a), y = static_cast<unsigned int>(b);
    return (a > b ? x - y : y - x) + c;
}

static inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c)
{
    return (a > b ? a - b : b - a) + c;
}

/* Averages, rounded down; of the r-ones, up. */
static inline int __hadd(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}

static inline int __rhadd(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}

static inline unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}

static inline unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

/* Products of four bytes each, added to c. */
static inline int __dp4a(int a, int b, int c)
{
    for (int k = 0; k < 32; k += 8)
        c += static_cast<signed char>(a >> k) * static_cast<signed char>(b >> k);
    return c;
}

static inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int k = 0; k < 32; k += 8)
        c += (a >> k & 255) * (b >> k & 255);
    return c;
}

/* ---- The same bits as another type ---- */

namespace simt_cuda
{

template <typename To, typename From>
inline To bits_as(From from)
{
    return __builtin_bit_cast(To, from);
}

} // namespace simt_cuda

static inline float __int_as_float(int x)
{
    return simt_cuda::bits_as<float>(x);
}

static inline int __float_as_int(float x)
{
    return simt_cuda::bits_as<int>(x);
}

static inline float __uint_as_float(unsigned int x)
{
    return simt_cuda::bits_as<float>(x);
}

static inline unsigned int __float_as_uint(float x)
{
    return simt_cuda::bits_as<unsigned int>(x);
}

static inline double __longlong_as_double(long long x)
{
    return simt_cuda::bits_as<double>(x);
}

static inline long long __double_as_longlong(double x)
{
    return simt_cuda::bits_as<long long>(x);
}

static inline int __double2hiint(double x)
{
    return static_cast<int>(__double_as_longlong(x) >> 32);
}

static inline int __double2loint(double x)
{
    return static_cast<int>(__double_as_longlong(x));
}

static inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double(static_cast<long long>(
        static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
        static_cast<unsigned int>(low)));
}

#endif
