/* SPDX-License-Identifier: MIT
 *
 * Decides whether one series of measurements is lower than another by more than both vary.
 */
#ifndef SIMTCHECK_BENCH_SPREAD_H
#define SIMTCHECK_BENCH_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct spread {
    double low, median, high; /* quartiles */
    double top;               /* the upper decile, which disturbances affect least */
    double noise; /* median absolute deviation over the median, scaled to the standard deviation of
                     a normal distribution */
};

/* Computes the spread of at least one value, all above 0. It reorders the array. */
struct spread spread_of(double *values, size_t count);

/* Returns -1 if the values of `b` are lower than those of `a`, 1 if they are higher, and 0 if
 * neither is certain. The values differ with certainty if all of these hold:
 *
 * - The medians differ by more than a tenth and by more than three times the larger noise.
 * - The tops differ by more than a tenth.
 * - The interquartile ranges do not overlap. */
int spread_compare(const struct spread *a, const struct spread *b);

#endif
