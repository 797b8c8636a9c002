/* SPDX-License-Identifier: MIT
 *
 * The right results of kernels. Nothing here reads or runs a kernel.
 */
#ifndef SIMTCHECK_ORACLE_ORACLE_H
#define SIMTCHECK_ORACLE_ORACLE_H

#include "input_values.h"
#include "outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the sum of x[0..n) modulo 2^32, read as int32. Any order of wrapping additions gives it,
 * because addition modulo 2^32 is associative and commutative. */
int32_t oracle_sum_i32(const int32_t *x, uint64_t n);

/* Stores running sums of generated values, so that the sum of a known prefix is a look-up. Ints are
 * stored here, floats in float_series.h. Not shared between threads. */
struct oracle_sums;
struct float_series;

/* Returns null when memory runs out. The caller owns the result. */
struct oracle_sums *oracle_sums_create(void);
void oracle_sums_destroy(struct oracle_sums *sums);

/* Computes the sum of the first n elements of `values`, as oracle_sum_i32() of the generated array.
 * Returns false when memory runs out. */
bool oracle_sums_i32(struct oracle_sums *sums, struct values values, uint64_t n, int32_t *sum);

/* Returns the series of floats of these values, with at least n elements if possible. It is valid
 * until the next call. Returns null when memory runs out. */
const struct float_series *oracle_sums_f32(struct oracle_sums *sums, struct values values,
                                           uint64_t n);

/* Gets the first n of these values as the bits of ints or floats, valid until the next call. *words
 * is null if there are too many to store. Returns false when memory runs out. */
bool oracle_sums_words(struct oracle_sums *sums, enum element element, struct values values,
                       uint64_t n, const uint32_t **words);

/* ---- Sums of floats ---- */

/* A sum of floats without rounding: a fixed-point number wide enough for every finite float. It has
 * 32-bit digits with room for 2^31 carries. All zeros are the sum 0. */
enum { EXACT_DIGITS = 10 };

struct exact_sum {
    int64_t digits[EXACT_DIGITS]; /* digit k counts in units of 2^(32k - 149) */
};

/* Adds a finite float. */
void exact_add(struct exact_sum *sum, float x);
/* Returns the sum as a double, within a few units in the last place of the nearest one. */
double exact_value(const struct exact_sum *sum);

/* The sum of an input. All zeros are the sum of no elements. */
struct float_sum {
    struct exact_sum sum, magnitude; /* of the finite elements, and of their absolute values */
    uint64_t plus_infinities, minus_infinities, nans;
    uint64_t fractions;    /* elements that are not whole */
    uint64_t above, below; /* elements above 0, and below */
};

void float_sum_add(struct float_sum *sum, float x);
/* Subtracts a sum whose elements are all in `sum`. */
void float_sum_take_away(struct float_sum *sum, const struct float_sum *other);

/* Returns the sum of the elements of `values` from `first` to before `last`. */
struct float_sum oracle_sum_f32(struct values values, uint64_t first, uint64_t last);

/* Returns true if additions can give `got` when no element goes through more than `height` of them.
 *
 * In any order, the computed sum differs from the true one by at most gamma(height) times the sum
 * of magnitudes. gamma(h) is hu / (1 - hu), with u = 2^-24 (N. J. Higham, "Accuracy and Stability
 * of Numerical Algorithms", 2nd edition, section 4.2). Additions have no error from underflow. If
 * all elements are whole and their magnitudes add up to at most 2^24, each addition is exact, so
 * the sum must be exact. Zeros of either sign are equal, because the textbooks pad with +0.
 *
 * With a NaN, or infinities of both signs, only NaN is right. With infinities of one sign, only
 * that infinity is right. If the magnitudes add up to no finite float, a partial sum may overflow
 * although the sum does not. Then an infinity with the sign of some element is right too, and so is
 * the NaN of two opposite infinities. A finite result involved no overflow, so the bound applies to
 * it. */
bool oracle_accepts_f32(const struct float_sum *sum, uint64_t height, float got);

/* Returns the largest distance by that rule of a finite computed sum from the true one. The
 * elements' magnitudes add up to `magnitude`; with `has_fractions`, some elements are not whole. */
double oracle_error_bound(double magnitude, bool has_fractions, uint64_t height);

/* Writes the expected sum for a report. */
void oracle_text_f32(const struct float_sum *sum, uint64_t height, char *text, size_t size);

/* ---- Element by element ---- */

/* Computes the right values of `count` elements of output `output` from element `first` on, as 32
 * bits, for a contract by element. `inputs` are the values of all inputs as 32 bits, from element 0
 * on; null: they are generated here. */
void oracle_words(const struct variant *variant, const struct shape *shape, struct values values,
                  const uint32_t *inputs, uint32_t output, uint64_t first, uint64_t count,
                  uint32_t *words);

/* Returns the exponent and mantissa bits of an infinity of that type; 0 for integers. */
uint64_t oracle_infinity(enum element element);

/* Returns the word by which an element is compared: its bits, or one common word for every NaN. */
uint64_t oracle_canonical(enum element element, uint64_t bits);

/* Sets the place of a difference to an element of a buffer. */
void difference_at(struct difference *difference, const struct invocation *invocation,
                   uint32_t buffer, uint64_t index);

#endif
