/* SPDX-License-Identifier: MIT */
#include "bounded.h"

#include <float.h>
#include <math.h>

/* Covers the roundings of the bounds themselves, and those of the values in double precision. */
#define SLACK (1 + 0x1p-40)

/* From here on, the nearest float is an infinity. */
static const double OVERFLOW_F32 = 0x1.ffffffp127;

struct bounded bounded_exact(double value)
{
    return (struct bounded){.value = value};
}

static struct bounded unknown(double value)
{
    return (struct bounded){.value = isfinite(value) ? value : 0, .error = INFINITY};
}

/* Returns true if the sign of the kernel's value is known, or if it is 0 for certain. */
static bool has_sign(struct bounded a)
{
    return a.error == 0 || fabs(a.value) > a.error;
}

static bool is_float(double value)
{
    return (double)(float)value == value;
}

/* Ends an operation whose operands give an error of `inherited`. */
static struct bounded finish(double value, double inherited, const struct rounding_error *by)
{
    double largest = by->is_double ? DBL_MAX : OVERFLOW_F32, smallest = FLT_MIN;
    double error = inherited + by->relative * (fabs(value) + inherited) + by->absolute;
    double least;

    if (!isfinite(inherited))
        return unknown(value);
    if (inherited == 0 && by->is_nearest && (by->is_double || is_float(value)))
        error = by->is_double ? by->relative * fabs(value) : 0;
    else if (!by->is_double)
        error += 0x1p-149;
    error *= SLACK;
    least = fabs(value) - error;
    if (by->flushes && least < smallest && (value != 0 || error != 0))
        error += smallest;
    if (least >= largest)
        return bounded_exact(copysign(INFINITY, value));
    return fabs(value) + error >= largest ? unknown(value)
                                          : (struct bounded){.value = value, .error = error};
}

/* Ends an operation with an infinity or NaN as operand or result. */
static struct bounded special(double value, bool is_known)
{
    return is_known ? bounded_exact(isnan(value) ? NAN : value) : unknown(value);
}

struct bounded bounded_round(struct bounded a, double spread, const struct rounding_error *by)
{
    return isfinite(a.value) ? finish(a.value, a.error + spread, by) : a;
}

/* ---- Sums ---- */

/* Returns the operand as a sum of one or more terms. */
static struct bounded as_sum(struct bounded a)
{
    if (a.terms > 0)
        return a;
    a.terms = a.value != 0 || a.error != 0;
    a.magnitude = fabs(a.value) + a.error;
    a.inherited = a.error;
    a.is_whole = a.error == 0 && rint(a.value) == a.value;
    return a;
}

/* Ends a sum whose terms may be added in any order. Each of the n - 1 additions has a result of at
 * most the sum of magnitudes, so the error is at most gamma(n - 1) times it (Higham, section
 * 4.2). */
static struct bounded finish_sum(double value, struct bounded a, struct bounded b,
                                 const struct rounding_error *by)
{
    struct bounded one = as_sum(a), other = as_sum(b), sum = {.value = value};
    double roundings;

    sum.terms = one.terms + other.terms;
    sum.magnitude = (one.magnitude + other.magnitude) * SLACK;
    sum.inherited = (one.inherited + other.inherited) * SLACK;
    sum.is_whole = one.is_whole && other.is_whole;
    roundings = (sum.terms - 1) * by->relative;
    if (sum.terms < 2 || roundings >= 0.5)
        return finish(value, sum.terms < 2 ? a.error + b.error : INFINITY, by);
    if (sum.magnitude >= (by->is_double ? DBL_MAX : FLT_MAX)) /* some order may overflow */
        return unknown(value);
    sum.error = sum.inherited;
    if (!sum.is_whole || sum.magnitude > 1 / by->relative)
        sum.error += roundings / (1 - roundings) * (sum.magnitude + sum.inherited) +
                     sum.terms * (by->absolute + (by->flushes ? (double)FLT_MIN : 0));
    sum.error *= SLACK;
    return sum;
}

struct bounded bounded_add(struct bounded a, struct bounded b, const struct rounding_error *by)
{
    double value = a.value + b.value;

    if (!isfinite(a.value) || !isfinite(b.value))
        return special(value, isfinite(a.error) && isfinite(b.error));
    if (!isfinite(a.error) || !isfinite(b.error))
        return unknown(value);
    return by->any_order ? finish_sum(value, a, b, by) : finish(value, a.error + b.error, by);
}

/* Returns the error that a product inherits. A product with 0 may have either sign. */
static double product_error(struct bounded a, struct bounded b)
{
    if ((a.value == 0 || b.value == 0) && !(has_sign(a) && has_sign(b)))
        return fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error + 0x1p-149;
    return fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
}

/* Returns true if the operands have errors that exclude a known result. */
static bool is_unknown(struct bounded a, struct bounded b)
{
    return !isfinite(a.error) || !isfinite(b.error);
}

struct bounded bounded_multiply(struct bounded a, struct bounded b, const struct rounding_error *by)
{
    double value = a.value * b.value;

    if (is_unknown(a, b))
        return unknown(value);
    if (!isfinite(a.value) || !isfinite(b.value))
        return special(value, has_sign(a) && has_sign(b));
    return finish(value, product_error(a, b), by);
}

struct bounded bounded_fma(struct bounded a, struct bounded b, struct bounded c,
                           const struct rounding_error *by)
{
    double value = fma(a.value, b.value, c.value), product = a.value * b.value;
    struct bounded term = {.value = product};

    if (is_unknown(a, b) || !isfinite(c.error))
        return unknown(value);
    if (!isfinite(a.value) || !isfinite(b.value) || !isfinite(c.value))
        return special(value, has_sign(a) && has_sign(b));
    term.error = product_error(a, b);
    if (!by->any_order)
        return finish(value, term.error + c.error, by);
    if (term.error != 0 || !is_float(product)) /* another kernel may round the product */
        term.error = (term.error + by->relative * (fabs(product) + term.error) + 0x1p-149) * SLACK;
    return finish_sum(value, term, c, by);
}

struct bounded bounded_divide(struct bounded a, struct bounded b, const struct rounding_error *by)
{
    double value = a.value / b.value;

    if (is_unknown(a, b))
        return unknown(value);
    if (!isfinite(a.value) || !isfinite(b.value) || (b.value == 0 && b.error == 0))
        return special(value, has_sign(a) && has_sign(b));
    if (fabs(b.value) <= b.error)
        return unknown(value);
    return finish(value, (a.error + fabs(value) * b.error) / (fabs(b.value) - b.error), by);
}

/* ---- Without rounding ---- */

struct bounded bounded_negate(struct bounded a)
{
    a.value = -a.value;
    return a;
}

struct bounded bounded_absolute(struct bounded a)
{
    return (struct bounded){.value = fabs(a.value), .error = a.error};
}

struct bounded bounded_extreme(struct bounded a, struct bounded b, bool greater, bool keeps_nan)
{
    struct bounded one = greater ? bounded_negate(a) : a, other = greater ? bounded_negate(b) : b;
    struct bounded least =
        one.value < other.value || (one.value == other.value && signbit(one.value)) ? one : other;

    if (isnan(a.value) || isnan(b.value))
        return keeps_nan || (isnan(a.value) && isnan(b.value)) ? bounded_exact(NAN)
               : isnan(a.value)                                ? b
                                                               : a;
    if (fabs(one.value - other.value) <= one.error + other.error || is_unknown(one, other))
        least = (struct bounded){.value = least.value, .error = fmax(one.error, other.error)};
    return greater ? bounded_negate(least) : least;
}

struct bounded bounded_saturate(struct bounded a)
{
    double value = a.value > 1 ? 1 : a.value > 0 ? a.value : 0;

    if (a.value - a.error >= 1 || a.value + a.error <= 0 || isnan(a.value))
        return bounded_exact(value);
    return (struct bounded){.value = value, .error = fmin(a.error, 1)};
}

struct bounded bounded_either(struct bounded chosen, struct bounded other)
{
    double apart = chosen.value == other.value ? 0 : fabs(chosen.value - other.value);

    if (isnan(chosen.value) && isnan(other.value))
        return chosen;
    if (!isfinite(apart))
        return unknown(chosen.value);
    if (apart == 0 && signbit(chosen.value) != signbit(other.value))
        apart = 0x1p-149; /* zeros, whose sign is not known */
    return (struct bounded){.value = chosen.value,
                            .error = fmax(chosen.error, (apart + other.error) * SLACK)};
}

unsigned int bounded_compare(struct bounded a, struct bounded b)
{
    double apart = fabs(a.value - b.value), error = a.error + b.error;

    if (isnan(a.value) || isnan(b.value))
        return BOUNDED_UNORDERED;
    if (error == 0 || (apart > error * SLACK && isfinite(error)))
        return a.value < b.value   ? BOUNDED_LESS
               : a.value > b.value ? BOUNDED_GREATER
                                   : BOUNDED_EQUAL;
    return BOUNDED_LESS | BOUNDED_EQUAL | BOUNDED_GREATER |
           (isfinite(error) ? 0 : BOUNDED_UNORDERED);
}

struct bounded bounded_flushed(struct bounded a)
{
    if (fabs(a.value) - a.error < (double)FLT_MIN && (a.value != 0 || a.error != 0))
        a.error += (double)FLT_MIN;
    return a;
}
