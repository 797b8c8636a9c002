/* SPDX-License-Identifier: MIT
 *
 * Values in double precision with a bound of what rounding to floats can change: running error
 * analysis (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section
 * 3.3). If each operand of an operation in floats is within its bound, so is the result.
 */
#ifndef SIMTCHECK_SIM_BOUNDED_H
#define SIMTCHECK_SIM_BOUNDED_H

#include <stdbool.h>
#include <stdint.h>

/* The value in double precision. The kernel's value differs from it by at most `error`. Infinities
 * and NaN have no error. An error of infinity means that nothing is known of the kernel's value.
 *
 * A sum that floats may add in any order also has the number of its terms, the sum of their
 * magnitudes, and the sum of their errors. 0 terms: not such a sum. */
struct bounded {
    double value, error;
    double terms, magnitude, inherited;
    bool is_whole; /* all terms are integers */
};

/* How an operation rounds: at most `relative` times the result, plus `absolute`. */
struct rounding_error {
    double relative, absolute;
    bool is_nearest; /* to the nearest float, so a result that is a float has no error */
    bool flushes;    /* subnormal floats become 0 */
    bool is_double;  /* the result is a double, not a float */
    bool any_order;  /* additions may take place in any order */
};

/* Half the distance of 1 from the next greater float or double. */
#define UNIT_F32 0x1p-24
#define UNIT_F64 0x1p-53

/* A value without error. */
struct bounded bounded_exact(double value);

struct bounded bounded_add(struct bounded a, struct bounded b, const struct rounding_error *by);
struct bounded bounded_multiply(struct bounded a, struct bounded b,
                                const struct rounding_error *by);
struct bounded bounded_fma(struct bounded a, struct bounded b, struct bounded c,
                           const struct rounding_error *by);
struct bounded bounded_divide(struct bounded a, struct bounded b, const struct rounding_error *by);
/* Rounds a value. `spread` is added to its error first. */
struct bounded bounded_round(struct bounded a, double spread, const struct rounding_error *by);

struct bounded bounded_negate(struct bounded a);
struct bounded bounded_absolute(struct bounded a);
/* Returns the lesser or the greater one. A NaN loses, unless `keeps_nan`. */
struct bounded bounded_extreme(struct bounded a, struct bounded b, bool greater, bool keeps_nan);
/* Returns what is from 0 to 1. */
struct bounded bounded_saturate(struct bounded a);
/* Returns `chosen` if it is not known whether the kernel chooses it or `other`. */
struct bounded bounded_either(struct bounded chosen, struct bounded other);

/* Returns the outcomes that a comparison of the kernel's values may have: LESS and so on. */
enum { BOUNDED_LESS = 1, BOUNDED_EQUAL = 2, BOUNDED_GREATER = 4, BOUNDED_UNORDERED = 8 };
unsigned int bounded_compare(struct bounded a, struct bounded b);

/* Returns the value that may replace an operand if subnormal floats become 0. */
struct bounded bounded_flushed(struct bounded a);

#endif
