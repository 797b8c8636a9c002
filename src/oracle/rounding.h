/* SPDX-License-Identifier: MIT
 *
 * Floating-point numbers as exact integers times powers of two, and rounded to a format, as IEEE
 * 754 and the PTX ISA (cvt) have it: without the host's floating point.
 */
#ifndef SIMTCHECK_ORACLE_ROUNDING_H
#define SIMTCHECK_ORACLE_ROUNDING_H

#include "cuda_meanings.h"

/* To the nearest, ties to even; towards 0; down; up. */
enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

struct float_format {
    int width, precision; /* bits of all, and of the significand with its leading one */
    int least;            /* the smallest subnormal is 2^least */
};

extern const struct float_format format_half, format_float, format_double;

enum float_kind { FINITE, INFINITE, NOT_A_NUMBER };

/* (-1)^negative * magnitude * 2^exponent. */
struct exact {
    enum float_kind kind;
    bool negative;
    uint128 magnitude;
    int exponent;
};

struct exact exact_of(const struct float_format *format, uint64_t bits);

/* The bits of it in that format; of a NaN those that are all ones but for the sign. */
uint64_t rounded(const struct float_format *format, struct exact value, enum rounding mode);

/* The nearest integer there is of that many bits; NaN: 0, or where either type is of 64 bits or the
 * format is format_double, the highest bit alone. */
uint64_t integer_of(const struct float_format *format, uint64_t bits, enum rounding mode, int width,
                    bool is_signed);

/* An integer's value. */
struct exact exact_integer(uint64_t value, bool is_signed);

#endif
