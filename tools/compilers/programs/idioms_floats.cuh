/* SPDX-License-Identifier: MIT
 *
 * Device code of operations on floats and doubles (src/oracle/cuda_operations.h). The text is compiled
 * as part of each program file. Unless a comment says so, no expression has a product and a sum that
 * a compiler could fuse.
 */
namespace idiom
{

/* Maps all NaNs to the same bits. */
static __device__ unsigned bits_of(float value)
{
    return value != value ? 0x7fffffffu : __float_as_uint(value);
}

static __device__ ull bits_of_double(double value)
{
    return value != value ? 0x7fffffffffffffffull : (ull)__double_as_longlong(value);
}

static __device__ double double_of(ull bits)
{
    return __longlong_as_double((long long)bits);
}

/* ---- Expressions that are 0 or x in exact arithmetic ---- */

static __device__ unsigned error_of_sum(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b), sum = x + y, part = sum - x;

    return bits_of((x - (sum - part)) + (y - part));
}

static __device__ unsigned compensated_sum(unsigned a, unsigned b, unsigned c)
{
    const float terms[4] = {__uint_as_float(a), __uint_as_float(b), __uint_as_float(c), 1.0f};
    float sum = 0.0f, lost = 0.0f;

    for (int k = 0; k < 4; k++) {
        const float term = terms[k] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return bits_of(sum) * 3u + bits_of(lost);
}

static __device__ unsigned error_of_product(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b), product = __fmul_rn(x, y);

    return bits_of(__fmaf_rn(x, y, -product));
}

static __device__ ull fused_or_not(unsigned a, unsigned b, unsigned c)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b), z = __uint_as_float(c);

    return (ull)bits_of(__fadd_rn(__fmul_rn(x, y), z)) << 32 | bits_of(__fmaf_rn(x, y, z));
}

static __device__ ull identities(unsigned a)
{
    const float x = __uint_as_float(a);
    ull h = bits_of(x - x);

    h = h * 31ull + bits_of(x * 0.0f);
    h = h * 31ull + bits_of(x + 0.0f);
    h = h * 31ull + bits_of(0.0f - x);
    h = h * 31ull + bits_of(x + -0.0f);
    h = h * 31ull + bits_of(x * 1.0f);
    h = h * 31ull + bits_of(x * -1.0f);
    h = h * 31ull + bits_of(-(0.0f - x));
    return h * 31ull + bits_of(x / x);
}

static __device__ unsigned comparisons(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b);

    return (unsigned)(x < y) | (unsigned)(x <= y) << 1 | (unsigned)(x == y) << 2 |
           (unsigned)(x != y) << 3 | (unsigned)(x > y) << 4 | (unsigned)(x >= y) << 5 |
           (unsigned)!(x < y) << 6 | (unsigned)!(x >= y) << 7 | (unsigned)(x < y || x > y) << 8 |
           (unsigned)(x == x && y == y) << 9 | (unsigned)(x != x) << 10 |
           (unsigned)!(x == y || x < y) << 11;
}

/* Minima and maxima by the library and by comparisons, which treat zeros and NaNs differently. */
static __device__ ull bounds_of_floats(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b);
    ull h = bits_of(fminf(x, y));

    h = h * 31ull + bits_of(fmaxf(x, y));
    h = h * 31ull + bits_of(x < y ? x : y);
    h = h * 31ull + bits_of(x > y ? x : y);
    h = h * 31ull + bits_of(x <= y ? y : x);
    h = h * 31ull + bits_of(!(x < y) ? x : y);
    return h * 31ull + bits_of(fminf(fmaxf(x, -1.0f), 1.0f));
}

/* ---- Conversions ---- */

static __device__ ull float_to_integers(unsigned a)
{
    const float x = __uint_as_float(a);
    ull h = (unsigned)__float2int_rz(x);

    h = h * 31ull + (unsigned)__float2int_rn(x);
    h = h * 31ull + (unsigned)__float2int_rd(x);
    h = h * 31ull + (unsigned)__float2int_ru(x);
    h = h * 31ull + __float2uint_rz(x);
    h = h * 31ull + __float2uint_rn(x);
    h = h * 31ull + (ull)__float2ll_rz(x);
    return h * 31ull + __float2ull_ru(x);
}

static __device__ ull integers_to_float(unsigned a, unsigned b)
{
    const long long wide = (long long)((ull)a << 32 | b);
    ull h = bits_of(__int2float_rn((int)a));

    h = h * 31ull + bits_of(__int2float_rz((int)a));
    h = h * 31ull + bits_of(__int2float_rd((int)a));
    h = h * 31ull + bits_of(__int2float_ru((int)a));
    h = h * 31ull + bits_of(__uint2float_ru(b));
    h = h * 31ull + bits_of(__ll2float_rn(wide));
    h = h * 31ull + bits_of(__ull2float_rd((ull)wide));
    return h * 31ull + bits_of_double(__ll2double_rz(wide));
}

static __device__ ull double_to_others(ull a)
{
    const double x = double_of((a >> 63 << 63) | ((a << 1 >> 1) >> (a & 1u)));
    ull h = (unsigned)__double2int_rz(x);

    h = h * 31ull + (unsigned)__double2int_rn(x);
    h = h * 31ull + __double2uint_rd(x);
    h = h * 31ull + (ull)__double2ll_rz(x);
    h = h * 31ull + __double2ull_ru(x);
    h = h * 31ull + bits_of(__double2float_rn(x));
    return h * 31ull + bits_of(__double2float_rd(x));
}

/* Converts doubles near the limits of integers, and doubles between integers. */
static __device__ ull double_at_limits(unsigned a, unsigned b)
{
    const double x = (double)(int)a + (double)(int)(b & 3u) * 0.25 + (b & 4u ? 2147483648.0 : 0.0);
    ull h = (unsigned)__double2int_rn(x);

    h = h * 31ull + (unsigned)__double2int_rd(x);
    h = h * 31ull + (unsigned)__double2int_ru(x);
    return h * 31ull + __double2uint_rz(x);
}

static __device__ ull rounded_to_whole(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = (float)(short)b * 0.25f;
    ull h = bits_of(rintf(x)) + bits_of(rintf(y)) * 7ull;

    h = h * 31ull + bits_of(floorf(x)) + bits_of(floorf(y)) * 7ull;
    h = h * 31ull + bits_of(ceilf(x)) + bits_of(ceilf(y)) * 7ull;
    h = h * 31ull + bits_of(truncf(x)) + bits_of(truncf(y)) * 7ull;
    return h * 31ull + bits_of(roundf(x)) + bits_of(roundf(y)) * 7ull;
}

/* ---- Other rounding modes, and subnormals ---- */

static __device__ ull directed_products(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b);

    return ((ull)bits_of(__fmul_rd(x, y)) << 32 | bits_of(__fmul_ru(x, y))) +
           bits_of(__fmul_rz(x, y)) * 3ull;
}

static __device__ ull reciprocals_and_roots(unsigned a)
{
    const float x = __uint_as_float(a);

    return (ull)bits_of(__frcp_rn(x)) << 32 | bits_of(__fsqrt_rn(x));
}

static __device__ ull quotients_of_floats(unsigned a, unsigned b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b);

    return (ull)bits_of(__fdiv_rn(x, y)) << 32 | bits_of(x / 3.0f);
}

static __device__ ull double_fused(ull a, ull b, ull c)
{
    return bits_of_double(__fma_rn(double_of(a), double_of(b), double_of(c)));
}

static __device__ ull double_quotient(ull a, ull b)
{
    const double x = double_of(a), y = double_of(b);

    return bits_of_double(__ddiv_rn(x, y)) * 3ull + bits_of_double(__dsqrt_rn(y));
}

static __device__ ull double_sum_and_product(ull a, ull b)
{
    const double x = double_of(a), y = double_of(b);

    return bits_of_double(__dadd_rn(x, -y)) * 3ull + bits_of_double(__dmul_rn(x, y));
}

/* A sum of floats in double is not the float sum. */
static __device__ unsigned sum_in_double(unsigned a, unsigned b, unsigned c)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b), z = __uint_as_float(c);

    return bits_of((float)__dadd_rn((double)x + (double)y, (double)z));
}

} // namespace idiom
