/* SPDX-License-Identifier: MIT
 *
 * Single and double precision, for generated code: PTX ISA, 9.7.3.
 *
 * In single precision, every NaN result is 0x7fffffff. Double precision keeps payloads (9.7.3). A
 * NaN operand is the result, made quiet. Of several NaN operands, the second one is the result,
 * then the third of fma. For div it is the first. The operations abs and neg do not change a NaN's
 * sign. A NaN from other operands is 0xfff8000000000000.
 *
 * .ftz replaces subnormal operands and results by zeros of the same sign. ASSUMED: a result is
 * subnormal if it is so after rounding. .sat turns a NaN and -0 into +0.
 *
 * Directed rounding of single precision uses double precision, rounded to odd. If the exact value
 * is not representable, that is the neighbour with an odd last bit. Rounding it again, to a format
 * at least two bits shorter, gives the same as rounding the exact value (Boldo and Melquiond,
 * Emulation of a FMA and correctly rounded sums, 2008).
 */
#ifndef SIMTCHECK_PTX_FLOATING_H
#define SIMTCHECK_PTX_FLOATING_H

#include "types.h"

#include <fenv.h>
#include <math.h>

/* The compiler vectorizes loops over the lanes of a warp only if these functions are inlined. */
#define PTX_INLINE static inline __attribute__((always_inline))

/* rna: rounds to nearest, with ties away from zero. */
enum { PTX_rn, PTX_rz, PTX_rm, PTX_rp, PTX_rna, PTX_ = PTX_rn };
enum { PTX_rni = PTX_rn, PTX_rzi = PTX_rz, PTX_rmi = PTX_rm, PTX_rpi = PTX_rp };

/* The binary formats. A packed format has the properties of its parts. */
enum ptx_format {
    PTX_f32,
    PTX_tf32,
    PTX_f16,
    PTX_f16x2,
    PTX_bf16,
    PTX_bf16x2,
    PTX_e4m3x2,
    PTX_e5m2x2
};

/* The fraction bits and the exponent bits of a format. */
static inline int ptx_fraction_bits(enum ptx_format format)
{
    switch (format) {
    case PTX_f32:
        return 23;
    case PTX_tf32:
    case PTX_f16:
    case PTX_f16x2:
        return 10;
    case PTX_bf16:
    case PTX_bf16x2:
        return 7;
    case PTX_e4m3x2:
        return 3;
    default:
        return 2;
    }
}

static inline int ptx_exponent_bits(enum ptx_format format)
{
    switch (format) {
    case PTX_f16:
    case PTX_f16x2:
    case PTX_e5m2x2:
        return 5;
    case PTX_e4m3x2:
        return 4;
    default:
        return 8;
    }
}

/* Returns the bits of the largest finite value. e4m3 has no infinity, but one NaN in its place. */
static inline uint32_t ptx_greatest(enum ptx_format format)
{
    if (format == PTX_e4m3x2)
        return 0x7e;
    return ((((uint32_t)1 << ptx_exponent_bits(format)) - 1) << ptx_fraction_bits(format)) - 1;
}

/* Returns true if rounding goes away from zero when the last `shift` bits (1 to 63) of a
 * significand are dropped. */
static inline bool ptx_rounds_up(uint64_t significand, int shift, bool negative, int rounding)
{
    uint64_t half = (uint64_t)1 << (shift - 1), rest = significand & (2 * half - 1);

    switch (rounding) {
    case PTX_rn:
        return rest > half || (rest == half && (significand >> shift & 1));
    case PTX_rna:
        return rest >= half;
    case PTX_rm:
        return negative && rest != 0;
    case PTX_rp:
        return !negative && rest != 0;
    default:
        return false;
    }
}

/* Converts a value, exact or rounded to odd, to a format's bits. The NaN has all bits set except
 * the sign. `finite`: values above the greatest one become the greatest one, infinity included. */
static inline uint32_t ptx_round(double value, enum ptx_format format, int rounding, bool finite)
{
    int fraction_bits = ptx_fraction_bits(format), exponent_bits = ptx_exponent_bits(format);
    uint64_t bits = bits_of_f64(value), significand = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff), shift = 52 - fraction_bits;
    uint32_t sign = (uint32_t)(bits >> 63) << (fraction_bits + exponent_bits), result;
    uint32_t greatest = ptx_greatest(format);
    bool negative = bits >> 63;

    if (value != value)
        return ((uint32_t)1 << (fraction_bits + exponent_bits)) - 1;
    if (exponent == 0x7ff)
        return sign | (greatest + !finite);
    if (exponent > 0)
        significand |= (uint64_t)1 << 52;
    exponent += (1 << (exponent_bits - 1)) - 1025; /* 0: exponent of the smallest normal value */
    if (exponent < 0)
        shift = shift - exponent < 63 ? shift - exponent : 63;
    result =
        (uint32_t)(significand >> shift) + ptx_rounds_up(significand, shift, negative, rounding);
    if (exponent > 0x100)
        result = greatest + 1;
    else if (exponent > 0)
        result += (uint32_t)exponent << fraction_bits;
    if (result > greatest) {
        bool away =
            rounding == PTX_rn || rounding == PTX_rna || rounding == (negative ? PTX_rm : PTX_rp);
        result = greatest + (away && !finite);
    }
    return sign | result;
}

static inline float ptx_round_f32(double value, int rounding)
{
    return f32_of_bits(ptx_round(value, PTX_f32, rounding, false));
}

/* Returns the exact value rounded to odd. `value` is it rounded to nearest, and `excess` has the
 * sign of the exact value minus `value`. */
static inline double ptx_odd(double value, double excess)
{
    uint64_t bits = bits_of_f64(value);

    if (excess == 0 || !isfinite(value) || (bits & 1))
        return value;
    return f64_of_bits((excess > 0) == (value > 0) ? bits + 1 : bits - 1);
}

/* Returns a + b rounded to odd, for values in range. `rounding` determines the sign of an exact
 * zero. */
static inline double ptx_sum(double a, double b, int rounding)
{
    double sum = a + b, part = sum - a;

    if (sum == 0)
        return rounding == PTX_rm && (signbit(a) || signbit(b)) ? -0.0 : sum;
    return isfinite(sum) ? ptx_odd(sum, (a - (sum - part)) + (b - part)) : sum;
}

PTX_INLINE float ptx_flush(float a, bool ftz)
{
    return ftz && fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a;
}

/* Finishes the result of a single-precision operation. */
PTX_INLINE float ptx_finish(float value, bool ftz, bool sat)
{
    if (sat)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    return value != value ? f32_of_bits(0x7fffffff) : ptx_flush(value, ftz);
}

/* Rounds a value that is exact or rounded to odd. .ftz: a result is subnormal if it is so when
 * rounded with an unbounded exponent. */
static inline float ptx_deliver(double value, int rounding, bool ftz, bool sat)
{
    float result = ptx_round_f32(value, rounding);

    if (ftz && fabsf(result) == 0x1p-126f &&
        fabsf(ptx_round_f32(value * 0x1p64, rounding)) < 0x1p-62f)
        result = copysignf(0.0f, result);
    return ptx_finish(result, ftz, sat);
}

PTX_INLINE float ptx_add_f32(float a, float b, int rounding, bool ftz, bool sat)
{
    a = ptx_flush(a, ftz);
    b = ptx_flush(b, ftz);
    return ptx_finish(rounding == PTX_rn ? a + b : ptx_round_f32(ptx_sum(a, b, rounding), rounding),
                      ftz, sat);
}

PTX_INLINE float ptx_mul_f32(float a, float b, int rounding, bool ftz, bool sat)
{
    a = ptx_flush(a, ftz);
    b = ptx_flush(b, ftz);
    if (rounding == PTX_rn && !ftz)
        return ptx_finish(a * b, ftz, sat);
    return ptx_deliver((double)a * b, rounding, ftz, sat);
}

PTX_INLINE float ptx_fma_f32(float a, float b, float c, int rounding, bool ftz, bool sat)
{
    a = ptx_flush(a, ftz);
    b = ptx_flush(b, ftz);
    c = ptx_flush(c, ftz);
    if (rounding == PTX_rn && !ftz)
        return ptx_finish(fmaf(a, b, c), ftz, sat);
    return ptx_deliver(ptx_sum((double)a * b, c, rounding), rounding, ftz, sat);
}

static inline float ptx_div_f32(float a, float b, int rounding, bool ftz)
{
    double quotient;

    a = ptx_flush(a, ftz);
    b = ptx_flush(b, ftz);
    if (rounding == PTX_rn && !ftz)
        return ptx_finish(a / b, ftz, false);
    quotient = (double)a / b;
    if (isfinite(quotient) && isfinite(b))
        quotient = ptx_odd(quotient, copysign(1.0, b) * fma(-quotient, b, a));
    return ptx_deliver(quotient, rounding, ftz, false);
}

static inline float ptx_sqrt_f32(float a, int rounding, bool ftz)
{
    double root;

    a = ptx_flush(a, ftz);
    if (rounding == PTX_rn)
        return ptx_finish(sqrtf(a), ftz, false);
    root = sqrt(a);
    if (isfinite(root))
        root = ptx_odd(root, fma(-root, root, a));
    return ptx_finish(ptx_round_f32(root, rounding), ftz, false);
}

/* 9.7.3.11 and 9.7.3.12 for any format. If one operand is a NaN, the result is the other one,
 * unless there is .NaN. -0 is less than +0. The payload of a NaN result is meaningless. */
static inline double ptx_extreme(double a, double b, bool greatest, bool nan, bool xorsign)
{
    bool negative = !signbit(a) != !signbit(b);
    double result;

    if (xorsign) {
        a = fabs(a);
        b = fabs(b);
    }
    if (a != a || b != b)
        result = nan || (a != a && b != b) ? (double)NAN : a != a ? b : a;
    else if (a == b)
        result = !signbit(a) == greatest ? a : b;
    else
        result = (a > b) == greatest ? a : b;
    return xorsign ? copysign(result, negative ? -1.0 : 1.0) : result;
}

static inline float ptx_extreme_f32(float a, float b, bool greatest, bool ftz, bool nan,
                                    bool xorsign)
{
    return ptx_finish(
        (float)ptx_extreme(ptx_flush(a, ftz), ptx_flush(b, ftz), greatest, nan, xorsign), ftz,
        false);
}

/* Approximations that use the C library's function in double precision. */
static inline float ptx_approx(double value, bool ftz)
{
    return ptx_finish((float)value, ftz, false);
}

/* 9.7.3.8: the reciprocal of a divisor above 2^126 counts as zero. */
static inline float ptx_div_approx(float a, float b, bool ftz)
{
    a = ptx_flush(a, ftz);
    b = ptx_flush(b, ftz);
    if (fabsf(b) > 0x1p126f)
        return ptx_approx(a * copysignf(0.0f, b), ftz);
    return ptx_approx((double)a / b, ftz);
}

/* 9.7.3.1: a zero is normal. */
#define TESTP_finite(a) (isfinite(a) != 0)
#define TESTP_infinite(a) (isinf(a) != 0)
#define TESTP_number(a) (!isnan(a))
#define TESTP_notanumber(a) (isnan(a) != 0)
#define TESTP_normal(a) (isnormal(a) || (a) == 0)
#define TESTP_subnormal(a) (fpclassify(a) == FP_SUBNORMAL)

/* ---- Double precision ---- */

static inline double ptx_quiet(double a)
{
    return f64_of_bits(bits_of_f64(a) | (uint64_t)1 << 51);
}

/* Returns the NaN that the result of an operation on a, b and c is: b, else c, else a. */
static inline double ptx_finish_f64(double result, double a, double b, double c)
{
    if (result == result)
        return result;
    return b != b   ? ptx_quiet(b)
           : c != c ? ptx_quiet(c)
           : a != a ? ptx_quiet(a)
                    : f64_of_bits(0xfff8000000000000);
}

static inline void ptx_direct(int rounding)
{
    fesetround(rounding == PTX_rz   ? FE_TOWARDZERO
               : rounding == PTX_rm ? FE_DOWNWARD
               : rounding == PTX_rp ? FE_UPWARD
                                    : FE_TONEAREST);
}

/* Directed rounding: the host's operation, between two calls that set the rounding mode. Operands
 * and result pass through volatile variables, so that the compiler does not move the operation. */
enum ptx_operation { PTX_ADD, PTX_SUB, PTX_MUL, PTX_FMA, PTX_DIV, PTX_SQRT };

static inline double ptx_compute(enum ptx_operation operation, double a, double b, double c)
{
    switch (operation) {
    case PTX_ADD:
        return a + b;
    case PTX_SUB:
        return a - b;
    case PTX_MUL:
        return a * b;
    case PTX_FMA:
        return fma(a, b, c);
    case PTX_DIV:
        return a / b;
    default:
        return sqrt(a);
    }
}

static inline double ptx_compute_f64(enum ptx_operation operation, double a, double b, double c,
                                     int rounding)
{
    double result;

    if (rounding == PTX_rn) {
        result = ptx_compute(operation, a, b, c);
    } else {
        volatile double x = a, y = b, z = c, directed;
        ptx_direct(rounding);
        directed = ptx_compute(operation, x, y, z);
        ptx_direct(PTX_rn);
        result = directed;
    }
    return operation == PTX_DIV ? ptx_finish_f64(result, b, a, 0) : ptx_finish_f64(result, a, b, c);
}

/* Of two NaNs, the second is the result. */
static inline double ptx_extreme_f64(double a, double b, bool greatest)
{
    return a != a && b != b ? ptx_quiet(b) : ptx_extreme(a, b, greatest, false, false);
}

/* 9.7.3.14 and 9.7.3.17: the lower halves of operand and result are ignored and set to zero.
 * Subnormals become zero. A NaN is 0x7fffffff00000000. */
static inline double ptx_upper_half(double a)
{
    a = f64_of_bits(bits_of_f64(a) & 0xffffffff00000000);
    if (a != a)
        return f64_of_bits(0x7fffffff00000000);
    if (fabs(a) < 0x1p-1022)
        return copysign(0.0, a);
    return a;
}

#endif
