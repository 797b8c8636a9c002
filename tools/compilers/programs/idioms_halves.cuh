/* SPDX-License-Identifier: MIT
 *
 * Device code of operations in half precision (src/oracle/cuda_operations.h). The text is compiled as
 * part of each program file. No expression adds a product, because the library does not say whether
 * compilers may fuse it.
 */
#include <cuda_fp16.h>

namespace idiom
{

static __device__ __half half_of(unsigned a)
{
    return __ushort_as_half((unsigned short)a);
}

static __device__ __half2 halves_of(unsigned a)
{
    return __halves2half2(half_of(a), half_of(a >> 16));
}

/* Maps all NaNs to the same bits. */
static __device__ unsigned bits_of_half(__half value)
{
    return __hisnan(value) ? 0x7fffu : __half_as_ushort(value);
}

static __device__ unsigned bits_of_halves(__half2 value)
{
    return bits_of_half(__high2half(value)) << 16 | bits_of_half(__low2half(value));
}

/* ---- Arithmetic ---- */

static __device__ ull half_sums(unsigned a, unsigned b)
{
    const __half x = half_of(a), y = half_of(b);

    return (ull)bits_of_half(__hmul(x, y)) << 32 | bits_of_half(__hsub(x, y)) << 16 |
           bits_of_half(__hadd(x, y));
}

static __device__ unsigned half_fused(unsigned a, unsigned b, unsigned c)
{
    const __half x = half_of(a), y = half_of(b), z = half_of(c);

    return bits_of_half(__hfma_sat(x, y, z)) << 16 | bits_of_half(__hfma(x, y, z));
}

/* Rounds the fused result to a float first. The product alone is exact in a float. */
static __device__ unsigned half_rounded_twice(unsigned a, unsigned b, unsigned c)
{
    const float x = __half2float(half_of(a)), y = __half2float(half_of(b)),
                z = __half2float(half_of(c));

    return bits_of_half(__float2half_rn(__fmul_rn(x, y))) << 16 |
           bits_of_half(__float2half_rn(__fmaf_rn(x, y, z)));
}

static __device__ ull half_bounds(unsigned a, unsigned b)
{
    const __half x = half_of(a), y = half_of(b);

    return (ull)bits_of_half(__hmin_nan(x, y)) << 32 | bits_of_half(__hmin(x, y)) << 16 |
           bits_of_half(__hmax(x, y));
}

static __device__ unsigned half_signs(unsigned a, unsigned b)
{
    const __half x = half_of(a);

    return bits_of_half(__hneg(x)) << 16 |
           bits_of_half(__hlt(x, half_of(b)) ? __habs(x) : __hneg(__habs(x)));
}

static __device__ unsigned half_comparisons(unsigned a, unsigned b)
{
    const __half x = half_of(a), y = half_of(b);

    return (unsigned)__hlt(x, y) | (unsigned)__hle(x, y) << 1 | (unsigned)__heq(x, y) << 2 |
           (unsigned)__hne(x, y) << 3 | (unsigned)__hgt(x, y) << 4 | (unsigned)__hge(x, y) << 5 |
           (unsigned)__hltu(x, y) << 6 | (unsigned)__hequ(x, y) << 7 | (unsigned)__hneu(x, y) << 8 |
           (unsigned)__hgeu(x, y) << 9 | (unsigned)!__hlt(x, y) << 10 |
           (unsigned)(__hisinf(x) != 0) << 11;
}

/* ---- Conversions ---- */

/* Converts the given float, or one with an exponent near the exponents of halves. */
static __device__ ull half_from_float(unsigned a, unsigned b)
{
    const float x = __uint_as_float(b & 1u ? a : (a & 0x87ffffffu) | 0x30000000u | (b & 2u) << 29);
    const unsigned nearest = bits_of_half(__float2half_rn(x)),
                   zero = bits_of_half(__float2half_rz(x)), down = bits_of_half(__float2half_rd(x)),
                   up = bits_of_half(__float2half_ru(x));

    return ((ull)nearest << 32 | zero << 16 | down) + up * 3ull;
}

static __device__ ull half_to_integers(unsigned a)
{
    const __half x = half_of(a);
    ull h = (unsigned)__half2int_rn(x);

    h = h * 31ull + (unsigned)__half2int_rz(x);
    h = h * 31ull + (unsigned)__half2int_rd(x);
    h = h * 31ull + (unsigned)__half2int_ru(x);
    h = h * 31ull + __half2uint_rz(x);
    h = h * 31ull + (unsigned short)__half2short_rn(x);
    h = h * 31ull + __half2ushort_ru(x);
    h = h * 31ull + (ull)__half2ll_rd(x);
    return h * 31ull + __half2ull_rz(x);
}

static __device__ ull half_from_integers(unsigned a, unsigned b)
{
    const int near = (int)a >> 14;
    ull h = bits_of_half(__int2half_rn((int)a));

    h = h * 31ull + bits_of_half(__int2half_rz((int)a));
    h = h * 31ull + bits_of_half(__int2half_rd(near));
    h = h * 31ull + bits_of_half(__int2half_ru(near));
    h = h * 31ull + bits_of_half(__uint2half_rn(b >> 15));
    h = h * 31ull + bits_of_half(__ushort2half_rn((unsigned short)b));
    return h * 31ull + bits_of_half(__ll2half_ru((long long)(int)b));
}

static __device__ ull half_to_float(unsigned a)
{
    const float2 both = __half22float2(halves_of(a));

    return (ull)bits_of(both.x) << 32 | bits_of(both.y);
}

/* ---- Pairs of halves ---- */

static __device__ ull half2_swapped(unsigned a, unsigned b)
{
    const __half2 x = halves_of(a), y = halves_of(b);
    const unsigned sum = bits_of_halves(__hadd2(x, __lowhigh2highlow(y))),
                   product = bits_of_halves(__hmul2(__low2half2(x), __highs2half2(x, y)));

    return (ull)sum << 32 | product;
}

static __device__ unsigned half2_fused(unsigned a, unsigned b, unsigned c)
{
    return bits_of_halves(__hfma2(halves_of(a), __hneg2(halves_of(b)), halves_of(c)));
}

/* Compares lane by lane, with results 1.0 and 0.0, and all lanes at once. */
static __device__ ull half2_comparisons(unsigned a, unsigned b)
{
    const __half2 x = halves_of(a), y = halves_of(b);
    const unsigned less = bits_of_halves(__hlt2(x, y)), not_less = bits_of_halves(__hgeu2(x, y));
    const unsigned most = bits_of_halves(__hmax2(x, y)), all = __hbne2(x, y),
                   nan = bits_of_halves(__hisnan2(x));

    return ((ull)less << 32 | not_less) + most * 3ull + all + ((ull)nan << 1);
}

static __device__ unsigned half2_shuffled(unsigned a, unsigned b)
{
    const __half2 other = __shfl_xor_sync(all_lanes, halves_of(a), 3),
                  below = __shfl_up_sync(all_lanes, halves_of(b), 1, 8);

    return bits_of_halves(__hmin2(other, __lowhigh2highlow(below)));
}

static __device__ unsigned half_shuffled(unsigned a)
{
    return bits_of_half(__shfl_sync(all_lanes, half_of(a), 7, 16)) << 16 |
           bits_of_half(__shfl_down_sync(all_lanes, half_of(a >> 16), 9));
}

} // namespace idiom
