/* SPDX-License-Identifier: MIT
 *
 * Floats and doubles. For +, -, *, / and the square root, a float result is the rounded double
 * result (Figueroa, "When is double rounding innocuous?", 1995).
 */
#include "rounding.h"

#include <math.h>
#include <string.h>

enum { ONE_NAN = INT32_MAX };

static const uint32_t sign = UINT32_C(0x80000000), infinity = UINT32_C(0x7f800000);

static double of_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double of_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? INT64_MAX : bits;
}

/* Rounds to a float. */
static uint32_t float_bits(double value)
{
    return (uint32_t)rounded(&format_float, exact_of(&format_double, double_bits(value)),
                             ROUND_NEAREST);
}

static double single(double value)
{
    return of_float(float_bits(value));
}

static bool is_nan(uint32_t a)
{
    return (a & INT32_MAX) > infinity;
}

static uint32_t one_nan(uint32_t a)
{
    return is_nan(a) ? ONE_NAN : a;
}

/* ---- Zero or x in exact arithmetic ---- */

uint32_t mean_error_of_sum(uint32_t a, uint32_t b)
{
    double x = of_float(a), y = of_float(b), sum = single(x + y), part = single(sum - x),
           of_x = single(x - single(sum - part)), of_y = single(y - part);

    return float_bits(of_x + of_y);
}

uint32_t mean_compensated_sum(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t terms[4] = {a, b, c, 0x3f800000};
    double sum = 0, lost = 0;

    for (int k = 0; k < 4; k++) {
        double term = single(of_float(terms[k]) - lost), next = single(sum + term);
        lost = single(single(next - sum) - term);
        sum = next;
    }
    return float_bits(sum) * 3 + float_bits(lost);
}

/* A product of floats is exact in double, and so is its rounding error as a float. */
uint32_t mean_error_of_product(uint32_t a, uint32_t b)
{
    double product = of_float(a) * of_float(b);

    return float_bits(product - single(product));
}

uint64_t mean_fused_or_not(uint32_t a, uint32_t b, uint32_t c)
{
    double x = of_float(a), y = of_float(b), z = of_float(c);
    float fused = fmaf((float)x, (float)y, (float)z);

    return (uint64_t)float_bits(single(x * y) + z) << 32 | float_bits(fused);
}

uint64_t mean_identities(uint32_t a)
{
    bool is_zero = (a & INT32_MAX) == 0, is_finite = (a & infinity) != infinity;
    uint32_t x = one_nan(a), negative = is_nan(a) ? ONE_NAN : a ^ sign;
    const uint32_t results[] = {is_finite ? 0 : ONE_NAN,
                                is_finite ? a & sign : ONE_NAN,
                                is_zero ? 0 : x,
                                is_zero ? 0 : negative,
                                x,
                                x,
                                negative,
                                is_zero ? sign : x,
                                is_finite && !is_zero ? 0x3f800000 : ONE_NAN};
    uint64_t h = 0;

    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        h = h * 31 + results[k];
    return h;
}

/* Maps the bits of floats other than NaN to integers in the same order. */
static int64_t order_of(uint32_t a)
{
    return a < sign ? (int64_t)a : -(int64_t)(a - sign);
}

uint32_t mean_comparisons(uint32_t a, uint32_t b)
{
    enum { LESS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 7 | 1 << 8 | 1 << 9 };
    enum { EQUAL = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 9 };
    enum { MORE = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 11 };
    enum { UNORDERED = 1 << 3 | 1 << 6 | 1 << 7 | 1 << 11 };

    if (is_nan(a) || is_nan(b))
        return UNORDERED | (uint32_t)is_nan(a) << 10;
    if (order_of(a) == order_of(b))
        return EQUAL;
    return order_of(a) < order_of(b) ? LESS : MORE;
}

/* PTX ISA, min and max: of a NaN and a number, the result is the number; -0 is below +0. */
static uint32_t bound(uint32_t a, uint32_t b, bool most)
{
    int64_t one = 2 * order_of(a) - (a == sign), other = 2 * order_of(b) - (b == sign);

    if (is_nan(a))
        return one_nan(b);
    return is_nan(b) || (one < other) != most ? a : b;
}

uint64_t mean_bounds_of_floats(uint32_t a, uint32_t b)
{
    bool ordered = !is_nan(a) && !is_nan(b), less = ordered && order_of(a) < order_of(b),
         more = ordered && order_of(a) > order_of(b), no_more = ordered && !more;
    const uint32_t results[] = {bound(a, b, false),
                                bound(a, b, true),
                                less ? a : b,
                                more ? a : b,
                                no_more ? b : a,
                                less ? b : a,
                                bound(bound(a, UINT32_C(0xbf800000), true), 0x3f800000, false)};
    uint64_t h = 0;

    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        h = h * 31 + one_nan(results[k]);
    return h;
}

/* ---- Conversions ---- */

/* An integer type and a rounding mode. */
struct target {
    enum rounding mode;
    int width;
    bool is_signed;
};

static uint64_t converted(const struct float_format *format, uint64_t bits,
                          const struct target *targets, size_t count)
{
    uint64_t h = 0;

    for (size_t k = 0; k < count; k++)
        h = h * 31 +
            integer_of(format, bits, targets[k].mode, targets[k].width, targets[k].is_signed);
    return h;
}

uint64_t mean_float_to_integers(uint32_t a)
{
    static const struct target targets[] = {{ROUND_ZERO, 32, true},  {ROUND_NEAREST, 32, true},
                                            {ROUND_DOWN, 32, true},  {ROUND_UP, 32, true},
                                            {ROUND_ZERO, 32, false}, {ROUND_NEAREST, 32, false},
                                            {ROUND_ZERO, 64, true},  {ROUND_UP, 64, false}};

    return converted(&format_float, a, targets, sizeof targets / sizeof *targets);
}

uint64_t mean_integers_to_float(uint32_t a, uint32_t b)
{
    uint64_t wide = (uint64_t)a << 32 | b, h = 0;
    const struct exact word = exact_integer((uint64_t)(int32_t)a, true),
                       of_wide = exact_integer(wide, true);

    for (enum rounding mode = ROUND_NEAREST; mode <= ROUND_UP; mode++)
        h = h * 31 + rounded(&format_float, word, mode);
    h = h * 31 + rounded(&format_float, exact_integer(b, false), ROUND_UP);
    h = h * 31 + rounded(&format_float, of_wide, ROUND_NEAREST);
    h = h * 31 + rounded(&format_float, exact_integer(wide, false), ROUND_DOWN);
    return h * 31 + rounded(&format_double, of_wide, ROUND_ZERO);
}

uint64_t mean_double_to_others(uint64_t a)
{
    static const struct target targets[] = {{ROUND_ZERO, 32, true},
                                            {ROUND_NEAREST, 32, true},
                                            {ROUND_DOWN, 32, false},
                                            {ROUND_ZERO, 64, true},
                                            {ROUND_UP, 64, false}};
    uint64_t magnitude = (a & INT64_MAX) >> a % 2, x = (a & ~(uint64_t)INT64_MAX) | magnitude, h;

    h = converted(&format_double, x, targets, sizeof targets / sizeof *targets);
    h = h * 31 + rounded(&format_float, exact_of(&format_double, x), ROUND_NEAREST);
    return h * 31 + rounded(&format_float, exact_of(&format_double, x), ROUND_DOWN);
}

/* Counts in quarters. */
uint64_t mean_double_at_limits(uint32_t a, uint32_t b)
{
    static const struct target targets[] = {{ROUND_NEAREST, 32, true},
                                            {ROUND_DOWN, 32, true},
                                            {ROUND_UP, 32, true},
                                            {ROUND_ZERO, 32, false}};
    int64_t quarters = 4 * (int64_t)(int32_t)a + b % 4 + b / 4 % 2 * INT64_C(0x200000000);
    struct exact x = exact_integer((uint64_t)quarters, true);

    x.exponent = -2;
    return converted(&format_double, rounded(&format_double, x, ROUND_NEAREST), targets,
                     sizeof targets / sizeof *targets);
}

uint64_t mean_rounded_to_whole(uint32_t a, uint32_t b)
{
    static double (*const functions[])(double) = {rint, floor, ceil, trunc, round};
    double x = of_float(a), y = (int16_t)(uint16_t)b / 4.0;
    uint64_t h = 0;

    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        h = h * 31 + float_bits(functions[k](x)) + UINT64_C(7) * float_bits(functions[k](y));
    return h;
}

/* ---- Other rounding modes, reciprocals, quotients and doubles ---- */

uint64_t mean_directed_products(uint32_t a, uint32_t b)
{
    struct exact product = exact_of(&format_double, double_bits(of_float(a) * of_float(b)));

    return (rounded(&format_float, product, ROUND_DOWN) << 32 |
            rounded(&format_float, product, ROUND_UP)) +
           3 * rounded(&format_float, product, ROUND_ZERO);
}

uint64_t mean_reciprocals_and_roots(uint32_t a)
{
    return (uint64_t)float_bits(1 / of_float(a)) << 32 | float_bits(sqrt(of_float(a)));
}

uint64_t mean_quotients_of_floats(uint32_t a, uint32_t b)
{
    return (uint64_t)float_bits(of_float(a) / of_float(b)) << 32 | float_bits(of_float(a) / 3);
}

uint64_t mean_double_fused(uint64_t a, uint64_t b, uint64_t c)
{
    return double_bits(fma(of_double(a), of_double(b), of_double(c)));
}

uint64_t mean_double_quotient(uint64_t a, uint64_t b)
{
    return double_bits(of_double(a) / of_double(b)) * 3 + double_bits(sqrt(of_double(b)));
}

uint64_t mean_double_sum_and_product(uint64_t a, uint64_t b)
{
    return double_bits(of_double(a) - of_double(b)) * 3 + double_bits(of_double(a) * of_double(b));
}

uint32_t mean_sum_in_double(uint32_t a, uint32_t b, uint32_t c)
{
    return float_bits(of_float(a) + of_float(b) + of_float(c));
}
