/* SPDX-License-Identifier: MIT
 *
 * cvt between integers and floating point, and between floating-point formats, for generated code:
 * PTX ISA, 9.7.9.21.
 */
#ifndef SIMTCHECK_PTX_CONVERT_H
#define SIMTCHECK_PTX_CONVERT_H

#include "half.h"

/* Rounds to a whole number by .rni, .rzi, .rmi or .rpi. */
static inline double ptx_whole(double value, int rounding)
{
    return rounding == PTX_rn   ? rint(value)
           : rounding == PTX_rz ? trunc(value)
           : rounding == PTX_rm ? floor(value)
                                : ceil(value);
}

/* Converts to a whole number within the range of an integer type. A NaN becomes zero. For a NaN
 * from f64 or to 64 bits, only the highest bit is set instead. */
static inline ptx_s128 ptx_integer(double value, int rounding, ptx_s128 least, ptx_s128 greatest,
                                   bool from_f64)
{
    if (value != value)
        return from_f64 || greatest > UINT32_MAX ? (least < 0 ? least : (greatest + 1) / 2) : 0;
    value = ptx_whole(value, rounding);
    if (value <= (double)least)
        return least;
    return value >= (double)greatest ? greatest : (ptx_s128)value;
}

/* Converts an integer of up to 64 bits to double precision with that rounding. */
static inline double ptx_from_integer(ptx_s128 value, int rounding)
{
    bool negative = value < 0;
    uint64_t magnitude = (uint64_t)(negative ? -value : value);
    int excess = 11 - (magnitude == 0 ? 11 : __builtin_clzll(magnitude));
    double result;

    if (excess > 0) {
        bool up = ptx_rounds_up(magnitude, excess, negative, rounding);
        result = (double)((magnitude >> excess) + up) * (double)(1 << excess);
    } else {
        result = (double)magnitude;
    }
    return negative ? -result : result;
}

/* Converts an integer to double precision, rounded to odd, so that it can be rounded again. */
static inline double ptx_odd_integer(ptx_s128 value)
{
    double below = ptx_from_integer(value, PTX_rz);

    return ptx_odd(below, (double)(value - (ptx_s128)below));
}

static inline double ptx_saturate_f64(double value, bool sat)
{
    return !sat ? value : value > 0 ? (value < 1 ? value : 1) : 0;
}

/* Converts to a format narrower than f32. */
static inline uint32_t ptx_narrow(enum ptx_format format, double value, int rounding, bool relu,
                                  bool finite)
{
    return ptx_round(relu && value <= 0 ? 0 : value, format, rounding, finite);
}

/* cvt from f64: a NaN becomes quiet, and keeps its sign and the upper bits of its payload. */
static inline uint32_t ptx_narrow_f64(enum ptx_format format, double value, int rounding)
{
    int fraction_bits = ptx_fraction_bits(format);
    uint64_t bits = bits_of_f64(value);

    if (value == value)
        return ptx_round(value, format, rounding, false);
    return (uint32_t)(bits >> 63) << (fraction_bits + ptx_exponent_bits(format)) |
           (ptx_greatest(format) + 1) | (uint32_t)1 << (fraction_bits - 1) |
           (uint32_t)((bits & (((uint64_t)1 << 52) - 1)) >> (52 - fraction_bits));
}

/* cvt from f64 to single precision keeps the sign and payload of a NaN in the same way. With .sat,
 * a NaN becomes zero. */
static inline float ptx_single_of_f64(double value, int rounding, bool ftz, bool sat)
{
    return value != value && !sat ? f32_of_bits(ptx_narrow_f64(PTX_f32, value, rounding))
                                  : ptx_deliver(value, rounding, ftz, sat);
}

/* cvt.rna to tf32 truncates a NaN like any number, even to an infinity. */
static inline uint32_t ptx_narrow_tf32(float value, bool finite)
{
    if (value == value)
        return ptx_round(value, PTX_tf32, PTX_rna, finite) << 13;
    return (bits_of_f32(value) & 0xffffe000) - (finite ? 0x2000 : 0);
}

/* A NaN becomes quiet, and keeps its sign and its payload. */
static inline double ptx_double_of_f16(uint32_t bits)
{
    double value = ptx_half(PTX_f16, bits, 0, 0);

    if (value == value)
        return value;
    return f64_of_bits((uint64_t)(bits & 0x8000) << 48 | UINT64_C(0x7ff8000000000000) |
                       (uint64_t)(bits & 0x3ff) << 42);
}

/* Converts two values. The first goes to the upper part. */
static inline uint32_t ptx_narrow_pair(enum ptx_format format, double a, double b, int rounding,
                                       bool relu, bool finite)
{
    int width = format == PTX_f16x2 || format == PTX_bf16x2 ? 16 : 8;

    return ptx_narrow(format, a, rounding, relu, finite) << width |
           ptx_narrow(format, b, rounding, relu, finite);
}

/* Returns the value of an 8-bit number. It is decoded as an f16, and e4m3 then needs another
 * exponent bias. */
static inline double ptx_value_8(enum ptx_format format, uint32_t bits)
{
    if (format == PTX_e5m2x2)
        return ptx_value_f16(bits << 8);
    if ((bits & 0x7f) == 0x7f)
        return (double)NAN;
    return ptx_value_f16((bits & 0x80) << 8 | (bits & 0x7f) << 7) * 0x1p8;
}

static inline uint32_t ptx_widen_pair(enum ptx_format format, uint32_t pair, bool relu)
{
    return ptx_narrow_pair(PTX_f16x2, ptx_value_8(format, pair >> 8 & 0xff),
                           ptx_value_8(format, pair & 0xff), PTX_rn, relu, false);
}

#endif
