/* SPDX-License-Identifier: MIT
 *
 * Generated floats and their running sums, remembered: what oracle.h says of any part of them is a
 * few operations then, and not one for each element. Not shared between threads.
 */
#ifndef SIMTCHECK_ORACLE_FLOAT_SERIES_H
#define SIMTCHECK_ORACLE_FLOAT_SERIES_H

#include "oracle.h"

struct float_series;

/* The values whose series is remembered for these: where the parameter is the index of an element
 * that is not like the others, those without it. */
struct values float_series_base(struct values values);

/* Of values of which the base is `base`; null when memory runs out. The caller owns the result. */
struct float_series *float_series_create(struct values base);
/* Makes it the series of those values, of the same base. */
void float_series_take(struct float_series *series, struct values values);
void float_series_destroy(struct float_series *series);

/* Remembers at least the sums of the first `count` elements, up to a limit beyond which nothing is
 * remembered and the functions below take their time. False when memory runs out. */
bool float_series_extend(struct float_series *series, uint64_t count);

/* The bits of the first `count` elements, till the series is extended or taken; null where they are
 * too many to remember. False when memory runs out. */
bool float_series_words(struct float_series *series, uint64_t count, const uint32_t **words);

/* As oracle_sum_f32() of the series' values. */
struct float_sum float_series_sum(const struct float_series *series, uint64_t first, uint64_t last);

/* As oracle_accepts_f32() of that sum. The series has the sums of `last` elements, or of as
 * many as it can.
 */
bool float_series_accepts(const struct float_series *series, uint64_t first, uint64_t last,
                          uint64_t height, float got);

#endif
