/* SPDX-License-Identifier: MIT
 *
 * Half precision. Each number is a whole multiple of 2^-24, and so is a sum. A product is a
 * multiple of 2^-48.
 */
#include "rounding.h"

#include <stddef.h>

enum { ONE_NAN = 0x7fff, INFINITE_HALF = 0x7c00, SIGN = 0x8000, ONE = 0x3c00 };

static uint32_t low(uint32_t a)
{
    return a % 65536;
}

static uint32_t high(uint32_t a)
{
    return a / 65536;
}

static bool is_nan(uint32_t a)
{
    return a % SIGN > INFINITE_HALF;
}

static uint32_t one_nan(uint32_t a)
{
    return is_nan(a) ? ONE_NAN : a;
}

/* Returns a half as a multiple of 2^-24. The result has the order of the numbers; infinity exceeds
 * every number. */
static int64_t multiples(uint32_t a)
{
    struct exact value = exact_of(&format_half, a);
    int64_t count = (int64_t)(value.magnitude << (value.exponent + 24));

    return value.negative ? -count : count;
}

/* Returns a * b + c in the format. Handles infinities and NaN by their signs. `c` is -0 if there is
 * no addend. */
static uint32_t fused_in(const struct float_format *format, uint32_t a, uint32_t b, uint32_t c)
{
    const struct exact x = exact_of(&format_half, a), y = exact_of(&format_half, b),
                       z = exact_of(&format_half, c);
    bool infinite = x.kind == INFINITE || y.kind == INFINITE, negative = x.negative != y.negative,
         is_zero = x.magnitude == 0 || y.magnitude == 0,
         is_opposed = z.kind == INFINITE && z.negative != negative;
    struct exact sum = {FINITE, negative && z.negative, 0, -48};
    int128 count = (int128)multiples(a) * multiples(b);

    count += (int128)multiples(c) * 0x1000000;
    if (count != 0)
        sum.negative = count < 0;
    sum.magnitude = (uint128)(count < 0 ? -count : count);
    if (infinite || z.kind == INFINITE)
        sum = (struct exact){INFINITE, infinite ? negative : z.negative, 0, 0};
    if (is_nan(a) || is_nan(b) || is_nan(c) || (infinite & (is_zero | is_opposed)) != 0)
        sum.kind = NOT_A_NUMBER;
    return (uint32_t)rounded(format, sum, ROUND_NEAREST);
}

static uint32_t fused(uint32_t a, uint32_t b, uint32_t c)
{
    return fused_in(&format_half, a, b, c);
}

/* Adding -0 changes no other number. A product of 0 keeps its sign with an addend of the same
 * sign. */
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t sign = (a ^ b) & SIGN;

    return fused(a, b, sign);
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return fused(a, ONE, b);
}

/* ---- Arithmetic ---- */

uint64_t mean_half_sums(uint32_t a, uint32_t b)
{
    uint32_t x = low(a), y = low(b);

    return (uint64_t)product(x, y) << 32 | sum(x, y ^ SIGN) << 16 | sum(x, y);
}

/* Math API: the saturated result is in [+0, 1], and +0 for NaN. */
uint32_t mean_half_fused(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = fused(low(a), low(b), low(c)), clamped = result < ONE ? result : ONE;

    return (is_nan(result) || result >= SIGN ? 0 : clamped << 16) | result;
}

static uint32_t from_float(uint32_t a, enum rounding mode)
{
    return (uint32_t)rounded(&format_half, exact_of(&format_float, a), mode);
}

uint32_t mean_half_rounded_twice(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t in_float = fused_in(&format_float, low(a), low(b), low(c));

    return product(low(a), low(b)) << 16 | from_float(in_float, ROUND_NEAREST);
}

/* Of a NaN and a number, returns the number; -0 is below +0. */
static uint32_t bound(uint32_t a, uint32_t b, bool most)
{
    bool a_is_less = multiples(a) < multiples(b) || (multiples(a) == multiples(b) && a > b);

    if (is_nan(a))
        return one_nan(b);
    return is_nan(b) || a_is_less != most ? a : b;
}

uint64_t mean_half_bounds(uint32_t a, uint32_t b)
{
    uint32_t x = low(a), y = low(b), least = bound(x, y, false), most = bound(x, y, true),
             strict = is_nan(x) || is_nan(y) ? ONE_NAN : least;

    return (uint64_t)strict << 32 | least << 16 | most;
}

static bool is_less(uint32_t x, uint32_t y)
{
    return !is_nan(x) && !is_nan(y) && multiples(x) < multiples(y);
}

uint32_t mean_half_signs(uint32_t a, uint32_t b)
{
    uint32_t x = low(a), positive = x % SIGN;

    return one_nan(x ^ SIGN) << 16 | one_nan(is_less(x, low(b)) ? positive : positive + SIGN);
}

uint32_t mean_half_comparisons(uint32_t a, uint32_t b)
{
    enum { LESS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 6 | 1 << 8 };
    enum { EQUAL = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 7 | 1 << 9 | 1 << 10 };
    enum { MORE = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 10 };
    enum { UNORDERED = 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 };
    uint32_t x = low(a), y = low(b), infinite = (uint32_t)(x % SIGN == INFINITE_HALF) << 11;

    if (is_nan(x) || is_nan(y))
        return infinite | UNORDERED;
    if (multiples(x) == multiples(y))
        return infinite | EQUAL;
    return infinite | (is_less(x, y) ? LESS : MORE);
}

/* ---- Conversions ---- */

uint64_t mean_half_from_float(uint32_t a, uint32_t b)
{
    uint32_t near =
                 a % 0x8000000 + 0x30000000 + a / 0x80000000 * 0x80000000 + b / 2 % 2 * 0x40000000,
             x = b % 2 == 1 ? a : near;

    return ((uint64_t)from_float(x, ROUND_NEAREST) << 32 | from_float(x, ROUND_ZERO) << 16 |
            from_float(x, ROUND_DOWN)) +
           UINT64_C(3) * from_float(x, ROUND_UP);
}

uint64_t mean_half_to_integers(uint32_t a)
{
    static const struct {
        enum rounding mode;
        int width;
        bool is_signed;
    } targets[] = {{ROUND_NEAREST, 32, true}, {ROUND_ZERO, 32, true},  {ROUND_DOWN, 32, true},
                   {ROUND_UP, 32, true},      {ROUND_ZERO, 32, false}, {ROUND_NEAREST, 16, true},
                   {ROUND_UP, 16, false},     {ROUND_DOWN, 64, true},  {ROUND_ZERO, 64, false}};
    uint64_t h = 0;

    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        h = h * 31 + integer_of(&format_half, low(a), targets[k].mode, targets[k].width,
                                targets[k].is_signed);
    return h;
}

uint64_t mean_half_from_integers(uint32_t a, uint32_t b)
{
    int32_t near = ((int32_t)a - (int32_t)(a % 0x4000)) / 0x4000;
    const struct {
        uint64_t value;
        enum rounding mode;
    } sources[] = {{(uint64_t)(int32_t)a, ROUND_NEAREST}, {(uint64_t)(int32_t)a, ROUND_ZERO},
                   {(uint64_t)near, ROUND_DOWN},          {(uint64_t)near, ROUND_UP},
                   {b / 0x8000, ROUND_NEAREST},           {low(b), ROUND_NEAREST},
                   {(uint64_t)(int32_t)b, ROUND_UP}};
    uint64_t h = 0;

    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        h = h * 31 + rounded(&format_half, exact_integer(sources[k].value, true), sources[k].mode);
    return h;
}

static uint64_t to_float(uint32_t a)
{
    return rounded(&format_float, exact_of(&format_half, a), ROUND_NEAREST);
}

uint64_t mean_half_to_float(uint32_t a)
{
    return to_float(low(a)) << 32 | to_float(high(a));
}

/* ---- Two at once ---- */

uint64_t mean_half2_swapped(uint32_t a, uint32_t b)
{
    return (uint64_t)sum(high(a), low(b)) << 48 | (uint64_t)sum(low(a), high(b)) << 32 |
           product(low(a), high(b)) << 16 | product(low(a), high(a));
}

uint32_t mean_half2_fused(uint32_t a, uint32_t b, uint32_t c)
{
    return fused(high(a), high(b) ^ SIGN, high(c)) << 16 | fused(low(a), low(b) ^ SIGN, low(c));
}

static uint32_t flags(bool in_high, bool in_low)
{
    return (in_high ? (uint32_t)ONE << 16 : 0) | (in_low ? ONE : 0);
}

static bool differ(uint32_t x, uint32_t y)
{
    return !is_nan(x) && !is_nan(y) && multiples(x) != multiples(y);
}

uint64_t mean_half2_comparisons(uint32_t a, uint32_t b)
{
    bool high_less = is_less(high(a), high(b)), low_less = is_less(low(a), low(b));
    uint64_t less = flags(high_less, low_less), not_less = flags(!high_less, !low_less),
             most = bound(high(a), high(b), true) << 16 | bound(low(a), low(b), true),
             all = differ(high(a), high(b)) && differ(low(a), low(b)),
             nan = flags(is_nan(high(a)), is_nan(low(a)));

    return (less << 32 | not_less) + most * 3 + all + nan * 2;
}

uint64_t mean_half2_shuffled(const struct threads *of, int me)
{
    uint32_t other = (uint32_t)of->a[me ^ 3], below = (uint32_t)of->b[me % 8 == 0 ? me : me - 1];

    return bound(high(other), low(below), false) << 16 | bound(low(other), high(below), false);
}

uint64_t mean_half_shuffled(const struct threads *of, int me)
{
    uint32_t seventh = (uint32_t)of->a[me - me % 16 + 7],
             above = (uint32_t)of->a[me % 32 < 23 ? me + 9 : me];

    return one_nan(low(seventh)) << 16 | one_nan(high(above));
}
