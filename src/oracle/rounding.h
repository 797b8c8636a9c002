/* SPDX-License-Identifier: MIT
 *
 * Floating-point numbers as exact integers times powers of two, rounded to a format as IEEE 754
 * and the PTX ISA (cvt) specify. It does not use the host's floating point.
 */
#ifndef SIMTCHECK_ORACLE_ROUNDING_H
#define SIMTCHECK_ORACLE_ROUNDING_H

#include "cuda_meanings.h"

/* To the nearest, ties to even; towards 0; down; up. */
enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

struct float_format {
    int width, precision; /* bits in total, and of the significand with its leading one */
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

/* Returns the value's bits in that format. The bits of a NaN are all ones except for the sign. */
uint64_t rounded(const struct float_format *format, struct exact value, enum rounding mode);

/* Returns the rounded integer of that many bits, or the nearest one in range. For NaN it returns 0.
 * If either type has 64 bits or the format is format_double, it returns only the highest bit for
 * NaN. */
uint64_t integer_of(const struct float_format *format, uint64_t bits, enum rounding mode, int width,
                    bool is_signed);

/* Returns the value of an integer. */
struct exact exact_integer(uint64_t value, bool is_signed);

#endif
