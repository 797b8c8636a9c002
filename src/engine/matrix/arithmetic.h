/* SPDX-License-Identifier: MIT
 *
 * Sums of products as tensor cores compute them.
 */
#ifndef SIMTCHECK_MATRIX_ARITHMETIC_H
#define SIMTCHECK_MATRIX_ARITHMETIC_H

#include "matrix.h"

/* A float: significand * 2^(exponent - fraction bits of its type). `exponent` is the same for all
 * subnormal values of a type. */
struct matrix_number {
    int32_t significand;
    int16_t exponent;
    bool is_negative, is_nan, is_infinite;
};

struct matrix_number matrix_number(uint64_t bits, enum matrix_type type);

/* Return a row of a times a column of b, plus c. `k` is the length of both. */
uint64_t matrix_float_sum(const struct matrix_shape *shape, const struct matrix_number *a,
                          const struct matrix_number *b, uint32_t k, uint64_t c);
uint64_t matrix_f64_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                        uint32_t k, uint64_t c);
uint64_t matrix_integer_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                            uint32_t k, uint64_t c);

#endif
