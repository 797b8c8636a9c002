/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum {
    DIGIT_BITS = 32,
    MANTISSA_BITS = 24,
};

/* The unit of each digit. */
static const double UNITS[EXACT_DIGITS] = {0x1p-149, 0x1p-117, 0x1p-85, 0x1p-53, 0x1p-21,
                                           0x1p11,   0x1p43,   0x1p75,  0x1p107, 0x1p139};
static const uint64_t DIGIT_MASK = UINT32_MAX;
static const double LARGEST_EXACT = 1 << MANTISSA_BITS;
/* Slack for evaluating the bound in double, 2^29 times finer than the bound. */
static const double EVALUATION = 1 + 0x1p-48;

void exact_add(struct exact_sum *sum, float x)
{
    uint32_t bits, exponent;
    uint64_t mantissa, high;
    int64_t sign;

    bits = values_as_bits(x);
    sign = bits >> 31 != 0 ? -1 : 1;
    exponent = bits >> 23 & 255;
    mantissa = bits & 0x7fffff;
    if (exponent != 0) {
        mantissa |= 1 << 23;
        exponent--; /* subnormals have the scale of exponent 1 */
    }
    mantissa <<= exponent % DIGIT_BITS;
    high = mantissa >> DIGIT_BITS;
    sum->digits[exponent / DIGIT_BITS] += sign * (int64_t)(mantissa & DIGIT_MASK);
    sum->digits[exponent / DIGIT_BITS + 1] += sign * (int64_t)high;
}

/* Propagates carries, so that every digit but the last is from 0 to 2^32 - 1. */
static void carry(struct exact_sum *sum)
{
    for (int k = 0; k + 1 < EXACT_DIGITS; k++) {
        int64_t low = (int64_t)((uint64_t)sum->digits[k] & DIGIT_MASK);
        sum->digits[k + 1] += (sum->digits[k] - low) / ((int64_t)1 << DIGIT_BITS);
        sum->digits[k] = low;
    }
}

static void negate(struct exact_sum *sum)
{
    for (int k = 0; k < EXACT_DIGITS; k++)
        sum->digits[k] = -sum->digits[k];
    carry(sum);
}

double exact_value(const struct exact_sum *sum)
{
    struct exact_sum magnitude = *sum;
    double value = 0;
    bool negative;

    carry(&magnitude);
    negative = magnitude.digits[EXACT_DIGITS - 1] < 0;
    if (negative)
        negate(&magnitude);
    for (int k = EXACT_DIGITS - 1; k >= 0; k--)
        value += (double)magnitude.digits[k] * UNITS[k];
    return negative ? -value : value;
}

void float_sum_add(struct float_sum *sum, float x)
{
    sum->above += x > 0;
    sum->below += x < 0;
    if (isnan(x)) {
        sum->nans++;
    } else if (isinf(x)) {
        *(x > 0 ? &sum->plus_infinities : &sum->minus_infinities) += 1;
    } else {
        exact_add(&sum->sum, x);
        exact_add(&sum->magnitude, fabsf(x));
        sum->fractions += truncf(x) != x;
    }
}

void float_sum_take_away(struct float_sum *sum, const struct float_sum *other)
{
    for (int k = 0; k < EXACT_DIGITS; k++) {
        sum->sum.digits[k] -= other->sum.digits[k];
        sum->magnitude.digits[k] -= other->magnitude.digits[k];
    }
    sum->plus_infinities -= other->plus_infinities;
    sum->minus_infinities -= other->minus_infinities;
    sum->nans -= other->nans;
    sum->fractions -= other->fractions;
    sum->above -= other->above;
    sum->below -= other->below;
}

struct float_sum oracle_sum_f32(struct values values, uint64_t first, uint64_t last)
{
    struct float_sum sum = {0};

    for (uint64_t i = first; i < last; i++)
        float_sum_add(&sum, values_f32(values, i));
    return sum;
}

double oracle_error_bound(double magnitude, bool has_fractions, uint64_t height)
{
    double hu = (double)height * (FLT_EPSILON / 2);

    if (!has_fractions && magnitude <= LARGEST_EXACT)
        return 0;
    return hu < 1 ? hu / (1 - hu) * magnitude * EVALUATION : INFINITY;
}

static double error_bound(const struct float_sum *sum, uint64_t height)
{
    return oracle_error_bound(exact_value(&sum->magnitude), sum->fractions > 0, height);
}

/* Returns true if a partial sum may overflow. A float sum is at most the sum of magnitudes plus the
 * bound. */
static bool may_overflow(const struct float_sum *sum, uint64_t height)
{
    return exact_value(&sum->magnitude) + error_bound(sum, height) > FLT_MAX;
}

bool oracle_accepts_f32(const struct float_sum *sum, uint64_t height, float got)
{
    bool plus = sum->plus_infinities > 0, minus = sum->minus_infinities > 0;
    struct exact_sum difference = sum->sum;

    if (sum->nans > 0 || (plus && minus))
        return isnan(got);
    if (!isfinite(got) && may_overflow(sum, height))
        return isnan(got) ? sum->above && sum->below
               : got > 0  ? sum->above && !minus
                          : sum->below && !plus;
    if (plus || minus)
        return isinf(got) && (got > 0) == plus;
    if (!isfinite(got))
        return false;
    exact_add(&difference, -got);
    return fabs(exact_value(&difference)) <= error_bound(sum, height);
}

void oracle_text_f32(const struct float_sum *sum, uint64_t height, char *text, size_t size)
{
    bool plus = sum->plus_infinities > 0, minus = sum->minus_infinities > 0;
    double bound = error_bound(sum, height);

    if (sum->nans > 0 || (plus && minus))
        snprintf(text, size, "nan");
    else if (plus || minus)
        snprintf(text, size, plus ? "inf" : "-inf");
    else if (bound > 0)
        snprintf(text, size, "%.9g +- %.2g", exact_value(&sum->sum), bound);
    else
        snprintf(text, size, "%.9g", exact_value(&sum->sum));
}
