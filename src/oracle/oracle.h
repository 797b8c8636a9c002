/* SPDX-License-Identifier: MIT
 *
 * What a kernel's result must be. Nothing here looks at a kernel or runs one.
 */
#ifndef SIMTCHECK_ORACLE_ORACLE_H
#define SIMTCHECK_ORACLE_ORACLE_H

#include "input_values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sum of x[0..n) modulo 2^32, read as int32: what any order of wrapping additions gives, for
 * addition modulo 2^32 is associative and commutative. */
int32_t oracle_sum_i32(const int32_t *x, uint64_t n);

/* Remembers running sums of generated values, so that the sum of a prefix already seen is a
 * look-up, of ints here and of floats in float_series.h. Not shared between threads. */
struct oracle_sums;
struct float_series;

/* Null when memory runs out. The caller owns the result. */
struct oracle_sums *oracle_sums_create(void);
void oracle_sums_destroy(struct oracle_sums *sums);

/* Sum of the first n elements of `values`, as oracle_sum_i32() of the generated array would give
 * it. False when memory runs out. */
bool oracle_sums_i32(struct oracle_sums *sums, struct values values, uint64_t n, int32_t *sum);

/* The series of floats of these values, which has at least n elements if it can; it stays till
 * the next call. Null when memory runs out. */
const struct float_series *oracle_sums_f32(struct oracle_sums *sums, struct values values,
                                           uint64_t n);

/* The first n of these values as ints' or floats' bits, till the next call; null where they are too
 * many to remember. False when memory runs out. */
bool oracle_sums_words(struct oracle_sums *sums, enum element element, struct values values,
                       uint64_t n, const uint32_t **words);

/* ---- Sums of floats ---- */

/* A sum of floats without any rounding: a fixed-point number wide enough for every finite float, as
 * digits of 32 bits with room for 2^31 carries. A zeroed one is 0. */
enum { EXACT_DIGITS = 10 };

struct exact_sum {
    int64_t digits[EXACT_DIGITS]; /* digit k counts in units of 2^(32k - 149) */
};

/* Adds a finite float. */
void exact_add(struct exact_sum *sum, float x);
/* The nearest double but for a few units in its last place. */
double exact_value(const struct exact_sum *sum);

/* What is known of the sum of an input. A zeroed one is that of no elements. */
struct float_sum {
    struct exact_sum sum, magnitude; /* of the finite elements, and of their absolute values */
    uint64_t plus_infinities, minus_infinities, nans;
    uint64_t fractions;    /* elements that are not whole */
    uint64_t above, below; /* elements above 0, and below */
};

void float_sum_add(struct float_sum *sum, float x);
/* Takes away what has been added, elements that all are in `sum`. */
void float_sum_take_away(struct float_sum *sum, const struct float_sum *other);

/* Sum of the elements of `values` from `first` to before `last`. */
struct float_sum oracle_sum_f32(struct values values, uint64_t first, uint64_t last);

/* May additions in which no element goes through more than `height` of them give `got`?
 *
 * The computed sum differs from the true one by at most gamma(height) times the sum of magnitudes,
 * gamma(h) = hu / (1 - hu), u = 2^-24, whatever the order (N. J. Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2nd edition, section 4.2; additions have no error from underflow). Where
 * all elements are whole and their magnitudes add up to at most 2^24, each addition is exact, and
 * so must the sum be. Zeros of either sign are equal, for the textbooks pad with +0.
 *
 * With a NaN, or infinities of both signs, only NaN is right; with one kind of infinity, that
 * infinity. Where the magnitudes add up to no finite float, an addition on the way may overflow
 * though the sum would not: then an infinity of a sign that the elements have, or the NaN of two
 * opposite ones, is right too (and
 * all that the bound can still say is that a finite result, which no overflow has touched, keeps
 * it). */
bool oracle_accepts_f32(const struct float_sum *sum, uint64_t height, float got);

/* The furthest that a finite computed sum may be from the true one, by that rule: of elements whose
 * magnitudes add up to that, and some of which are fractions. */
double oracle_error_bound(double magnitude, bool has_fractions, uint64_t height);

/* What was expected, for a report. */
void oracle_text_f32(const struct float_sum *sum, uint64_t height, char *text, size_t size);

/* ---- Element by element ---- */

/* What `count` elements of output `output` must be from element `first` on, as 32 bits, for a
 * variant whose contract says so. `inputs`: the values as 32 bits, from element 0 to the last of
 * all inputs; null: they are made here. */
void oracle_words(const struct variant *variant, const struct shape *shape, struct values values,
                  const uint32_t *inputs, uint32_t output, uint64_t first, uint64_t count,
                  uint32_t *words);

/* Exponent and mantissa of an infinity of that type; 0 for integers. */
uint64_t oracle_infinity(enum element element);

/* The word by which an element is compared: its bits, or one and the same for every NaN. */
uint64_t oracle_canonical(enum element element, uint64_t bits);

#endif
