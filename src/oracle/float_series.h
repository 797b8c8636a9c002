/* SPDX-License-Identifier: MIT
 *
 * Stored series of generated floats and their running sums. With them, the functions of oracle.h
 * take a few operations for any range, instead of one for each element. A series is not shared
 * between threads.
 */
#ifndef SIMTCHECK_ORACLE_FLOAT_SERIES_H
#define SIMTCHECK_ORACLE_FLOAT_SERIES_H

#include "oracle.h"

struct float_series;

/* Returns the values whose stored series serves these values. For a pattern whose parameter is the
 * index of an exceptional element, it is the pattern without the exception. */
struct values float_series_base(struct values values);

/* Creates a series of values with base `base`. Returns null when memory runs out. The caller owns
 * the result. */
struct float_series *float_series_create(struct values base);
/* Changes the series to those values, which have the same base. */
void float_series_take(struct float_series *series, struct values values);
void float_series_destroy(struct float_series *series);

/* Stores at least the sums of the first `count` elements, up to a limit. Beyond the limit nothing
 * is stored, and the functions below are slow. Returns false when memory runs out. */
bool float_series_extend(struct float_series *series, uint64_t count);

/* Gets the bits of the first `count` elements, valid until the series is extended or changed.
 * *words is null if there are too many to store. Returns false when memory runs out. */
bool float_series_words(struct float_series *series, uint64_t count, const uint32_t **words);

/* As oracle_sum_f32() for the series' values. */
struct float_sum float_series_sum(const struct float_series *series, uint64_t first, uint64_t last);

/* As oracle_accepts_f32() for that sum. The series has the sums of `last` elements, or of as many
 * as it can store. */
bool float_series_accepts(const struct float_series *series, uint64_t first, uint64_t last,
                          uint64_t height, float got);

#endif
