/* SPDX-License-Identifier: MIT
 *
 * Whether one series of measurements is lower than another by more than both spread.
 */
#ifndef SIMTCHECK_COMMANDS_SPREAD_H
#define SIMTCHECK_COMMANDS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct spread {
    double low, median, high; /* quartiles */
    double top;               /* a tenth is above that: what nothing has held up */
    double noise; /* the median distance from the median, as a share of that, scaled to what is the
                     standard deviation of a normal distribution */
};

/* Of at least one value, all above 0; the array is used for the work. */
struct spread spread_of(double *values, size_t count);

/* -1: the values of `b` are lower than those of `a`; 1: higher; 0: neither can be said. The medians
 * have to differ by more than a tenth and by more than three times the larger noise, the tops by
 * more than a tenth, and the middle halves of both lie apart. */
int spread_compare(const struct spread *a, const struct spread *b);

#endif
