/* SPDX-License-Identifier: MIT
 *
 * Sums of products as tensor cores compute them.
 */
#ifndef SIMTCHECK_MATRIX_ARITHMETIC_H
#define SIMTCHECK_MATRIX_ARITHMETIC_H

#include "matrix.h"

/* A row of a or a column of b. The last three members are for floats of at most 19 bits. */
struct matrix_line {
    uint64_t bits[MATRIX_K];
    int16_t significands[MATRIX_K];
    int16_t exponents[MATRIX_K]; /* very small for a zero */
    bool is_special;             /* there may be an infinity or NaN */
};

/* Sets the last three members. */
void matrix_unpack(struct matrix_line *line, uint32_t k, enum matrix_type type);

/* Copies `count` elements of a line: those with the numbers `chosen`. */
void matrix_choose(struct matrix_line *to, const struct matrix_line *from, const uint32_t *chosen,
                   uint32_t count);

/* Return a row of a times a column of b, plus c. `k` is the length of both. */
uint64_t matrix_float_sum(const struct matrix_shape *shape, const struct matrix_line *a,
                          const struct matrix_line *b, uint32_t k, uint64_t c);
uint64_t matrix_f64_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                        uint32_t k, uint64_t c);
uint64_t matrix_integer_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                            uint32_t k, uint64_t c);

#endif
