/* SPDX-License-Identifier: MIT
 *
 * Half precision, for generated code: f16, bf16 and pairs of them. PTX ISA, 9.7.4 and 9.7.7.
 *
 * Values are computed in double precision, rounded to odd if inexact, and rounded once to the
 * format. Every NaN result is 0x7fff. .ftz and .sat work as in floating.h, with the format's own
 * subnormal values. .relu turns a negative value and -0 into +0.
 */
#ifndef SIMTCHECK_PTX_HALF_H
#define SIMTCHECK_PTX_HALF_H

#include "floating.h"

/* Returns the value of an f16. A NaN keeps its sign. */
static inline double ptx_value_f16(uint32_t bits)
{
    uint64_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double value = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? (double)fraction * 0x1p-24
                                   : f64_of_bits((exponent + 1023 - 15) << 52 | fraction << 42);

    return bits & 0x8000 ? -value : value;
}

static inline bool ptx_is_f16(enum ptx_format format)
{
    return format == PTX_f16 || format == PTX_f16x2;
}

/* With .ftz, turns a subnormal value into a zero. */
static inline uint32_t ptx_flush_half(enum ptx_format format, uint32_t bits, bool ftz)
{
    return ftz && (bits & (ptx_is_f16(format) ? 0x7c00 : 0x7f80)) == 0 ? bits & 0x8000 : bits;
}

static inline int ptx_lanes(enum ptx_format format)
{
    return format == PTX_f16x2 || format == PTX_bf16x2 ? 2 : 1;
}

/* Returns the value of half k of an operand. */
static inline double ptx_half(enum ptx_format format, uint32_t packed, int k, bool ftz)
{
    uint32_t bits = ptx_flush_half(format, packed >> 16 * k & 0xffff, ftz);

    return ptx_is_f16(format) ? ptx_value_f16(bits) : (double)f32_of_bits(bits << 16);
}

/* Returns the bits of a result that is exact or rounded to odd. */
static inline uint32_t ptx_half_bits(enum ptx_format format, double value, int rounding, bool ftz,
                                     bool sat, bool relu)
{
    uint32_t result;

    if (sat)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (relu && value <= 0)
        value = 0;
    result = ptx_round(value, format, rounding, false);
    if (ftz && ptx_is_f16(format) && (result & 0x7fff) == 0x0400 &&
        (ptx_round(value * 0x1p8, format, rounding, false) & 0x7fff) < 0x2400)
        result &= 0x8000; /* as ptx_deliver() does */
    return ptx_flush_half(format, result, ftz);
}

/* Computes a * b + c in every half. */
static inline uint32_t ptx_fma_half(enum ptx_format format, uint32_t a, uint32_t b, uint32_t c,
                                    bool ftz, bool sat, bool relu)
{
    uint32_t result = 0;

    for (int k = 0; k < ptx_lanes(format); k++) {
        double product = ptx_half(format, a, k, ftz) * ptx_half(format, b, k, ftz);
        double sum = ptx_sum(product, ptx_half(format, c, k, ftz), PTX_rn);
        result |= ptx_half_bits(format, sum, PTX_rn, ftz, sat, relu) << 16 * k;
    }
    return result;
}

/* 5.5.2: the NaN of elements outside a tensor, of either sign. A product with it makes the result
 * +0. */
static inline bool ptx_is_oob(uint32_t packed, int k)
{
    return (packed >> 16 * k & 0x7fff) == 0x7ff7;
}

static inline uint32_t ptx_fma_oob(enum ptx_format format, uint32_t a, uint32_t b, uint32_t c,
                                   bool relu)
{
    uint32_t result = ptx_fma_half(format, a, b, c, false, false, relu);

    for (int k = 0; k < ptx_lanes(format); k++)
        if (ptx_is_oob(a, k) || ptx_is_oob(b, k))
            result &= ~((uint32_t)0xffff << 16 * k);
    return result;
}

static inline uint32_t ptx_add_half(enum ptx_format format, uint32_t a, uint32_t b, bool ftz,
                                    bool sat)
{
    uint32_t result = 0;

    for (int k = 0; k < ptx_lanes(format); k++) {
        double sum = ptx_sum(ptx_half(format, a, k, ftz), ptx_half(format, b, k, ftz), PTX_rn);
        result |= ptx_half_bits(format, sum, PTX_rn, ftz, sat, false) << 16 * k;
    }
    return result;
}

static inline uint32_t ptx_mul_half(enum ptx_format format, uint32_t a, uint32_t b, bool ftz,
                                    bool sat)
{
    uint32_t result = 0;

    for (int k = 0; k < ptx_lanes(format); k++) {
        double product = ptx_half(format, a, k, ftz) * ptx_half(format, b, k, ftz);
        result |= ptx_half_bits(format, product, PTX_rn, ftz, sat, false) << 16 * k;
    }
    return result;
}

static inline uint32_t ptx_extreme_half(enum ptx_format format, uint32_t a, uint32_t b,
                                        bool greatest, bool ftz, bool nan, bool xorsign)
{
    uint32_t result = 0;

    for (int k = 0; k < ptx_lanes(format); k++) {
        double value = ptx_extreme(ptx_half(format, a, k, ftz), ptx_half(format, b, k, ftz),
                                   greatest, nan, xorsign);
        result |= ptx_half_bits(format, value, PTX_rn, ftz, false, false) << 16 * k;
    }
    return result;
}

/* Functions of one operand. */
static inline double ptx_negative(double a)
{
    return -a;
}

static inline uint32_t ptx_map_half(enum ptx_format format, double function(double), uint32_t a,
                                    bool ftz)
{
    uint32_t result = 0;

    for (int k = 0; k < ptx_lanes(format); k++) {
        double value = function(ptx_half(format, a, k, ftz));
        result |= ptx_half_bits(format, value, PTX_rn, ftz, false, false) << 16 * k;
    }
    return result;
}

/* The sign bits of both halves. */
#define HALVES_f16 0x8000u
#define HALVES_bf16 0x8000u
#define HALVES_f16x2 0x80008000u
#define HALVES_bf16x2 0x80008000u

/* A comparison of halves k of a and b. */
#define HALF_CMP(compare, format, a, b, k, ftz)                                                    \
    compare(ptx_half(format, a, k, ftz), ptx_half(format, b, k, ftz))

#endif
