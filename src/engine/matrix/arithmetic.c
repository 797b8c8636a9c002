/* SPDX-License-Identifier: MIT
 *
 * The rules were found by comparison with an H200 (tests/ptx/test_matrix.c), starting from the
 * published models of Xie et al. (arXiv 2511.10909) and of Khattak and Mikaitis (arXiv 2512.07004).
 */
#include "arithmetic.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Terms of a fused sum keep that many bits below the leading bit of the largest one. */
enum {
    KEPT_BITS = 25,
    KEPT_BITS_F8 = 13,
    NO_EXPONENT = INT16_MIN,
    NAN_F16 = 0x7fff,
    NAN_F32 = 0x7fffffff
};

static const struct format {
    uint8_t exponent_bits, fraction_bits;
} formats[] = {
    [MATRIX_F16] = {5, 10}, [MATRIX_BF16] = {8, 7}, [MATRIX_TF32] = {8, 10},
    [MATRIX_E4M3] = {4, 3}, [MATRIX_E5M2] = {5, 2}, [MATRIX_F32] = {8, 23},
};

struct matrix_number matrix_number(uint64_t bits, enum matrix_type type)
{
    const struct format *format = &formats[type];
    uint32_t width = format->fraction_bits, top = (1u << format->exponent_bits) - 1;
    uint32_t number = (uint32_t)(type == MATRIX_TF32 ? bits >> 13 : bits); /* it is cut off */
    uint32_t fraction = number & ((1u << width) - 1), exponent = number >> width & top;
    bool negative = number >> (width + format->exponent_bits) & 1;
    int32_t significand = (int32_t)(exponent != 0 ? fraction | 1u << width : fraction);
    struct matrix_number made = {
        .significand = negative ? -significand : significand,
        .is_negative = negative,
        .exponent = (int16_t)((exponent != 0 ? (int)exponent : 1) - (int)(top >> 1)),
    };

    if (type == MATRIX_E4M3)
        made.is_nan = exponent == top && fraction == 7; /* it has no infinity */
    else if (exponent == top) {
        made.is_nan = fraction != 0;
        made.is_infinite = fraction == 0;
    }
    return made;
}

/* Returns the value of an fp8 type as an f16. Subnormal values of e4m3 are normal there. */
static struct matrix_number widened(struct matrix_number number, uint8_t type)
{
    uint32_t width = formats[type].fraction_bits;

    for (; type == MATRIX_E4M3 && number.significand != 0 && !(abs(number.significand) >> width);
         number.exponent--)
        number.significand *= 2;
    return number;
}

/* ---- Fused sums ---- */

/* The sum of terms that are aligned to the largest one, in units of 2^unit. */
struct sum {
    int64_t value;
    int unit;
    bool is_nan, is_plus, is_minus; /* infinities */
};

/* Returns significand * 2^left, rounded towards zero. */
static int64_t aligned(int64_t significand, int left)
{
    uint64_t magnitude = (uint64_t)(significand < 0 ? -significand : significand);

    magnitude = left >= 0 ? magnitude << left : left > -64 ? magnitude >> -left : 0;
    return significand < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

static void note_special(struct sum *sum, int64_t product, bool is_infinite, bool is_nan)
{
    sum->is_nan = sum->is_nan || is_nan || (is_infinite && product == 0);
    sum->is_plus = sum->is_plus || (is_infinite && product > 0);
    sum->is_minus = sum->is_minus || (is_infinite && product < 0);
}

/* All products and c are added at once. Zeros do not count for the alignment. */
static struct sum fused_sum(const struct matrix_number *a, const struct matrix_number *b,
                            uint32_t k, uint32_t product_bits, const struct matrix_number *c,
                            uint32_t c_bits, int kept_bits)
{
    struct sum sum = {0};
    int most = c->significand != 0 ? c->exponent : NO_EXPONENT;

    note_special(&sum, c->significand, c->is_infinite, c->is_nan);
    for (uint32_t i = 0; i < k; i++) {
        int64_t product = (int64_t)a[i].significand * b[i].significand;
        int exponent = a[i].exponent + b[i].exponent;
        note_special(&sum, product, a[i].is_infinite || b[i].is_infinite,
                     a[i].is_nan || b[i].is_nan);
        if (product != 0 && exponent > most)
            most = exponent;
    }
    sum.is_nan = sum.is_nan || (sum.is_plus && sum.is_minus);
    if (most == NO_EXPONENT)
        return sum;
    for (uint32_t i = 0; i < k; i++)
        sum.value += aligned((int64_t)a[i].significand * b[i].significand,
                             kept_bits - (int)product_bits + a[i].exponent + b[i].exponent - most);
    sum.value += aligned(c->significand, kept_bits - (int)c_bits + c->exponent - most);
    sum.unit = most - kept_bits;
    return sum;
}

/* Rounds towards zero. A zero is positive. */
static uint32_t sum_to_f32(const struct sum *sum)
{
    uint64_t magnitude = (uint64_t)(sum->value < 0 ? -sum->value : sum->value);
    uint32_t sign = (uint32_t)(sum->is_plus ? false : sum->is_minus || sum->value < 0) << 31;
    int top, exponent;

    if (sum->is_nan)
        return NAN_F32;
    if (sum->is_plus || sum->is_minus)
        return sign | 0x7f800000;
    if (magnitude == 0)
        return 0;
    top = 63 - __builtin_clzll(magnitude);
    exponent = top + sum->unit;
    if (exponent > 127)
        return sign | 0x7f800000;
    if (exponent < -126) {
        magnitude = (uint64_t)aligned((int64_t)magnitude, sum->unit + 149);
        return magnitude == 0 ? 0 : sign | (uint32_t)magnitude;
    }
    magnitude = (uint64_t)aligned((int64_t)magnitude, 23 - top);
    return sign | (uint32_t)(exponent + 127) << 23 | ((uint32_t)magnitude & 0x7fffff);
}

/* Rounds to nearest, ties to even. A zero is positive. */
static uint32_t sum_to_f16(const struct sum *sum)
{
    uint64_t magnitude = (uint64_t)(sum->value < 0 ? -sum->value : sum->value), kept, half, rest;
    uint32_t sign = (uint32_t)(sum->is_plus ? false : sum->is_minus || sum->value < 0) << 15;
    int exponent, drop;

    if (sum->is_nan)
        return NAN_F16;
    if (sum->is_plus || sum->is_minus)
        return sign | 0x7c00;
    if (magnitude == 0)
        return 0;
    exponent = 63 - __builtin_clzll(magnitude) + sum->unit;
    drop = (exponent < -14 ? -24 : exponent - 10) - sum->unit;
    kept = (uint64_t)aligned((int64_t)magnitude, -drop);
    if (drop > 0 && drop < 63) {
        half = UINT64_C(1) << (drop - 1);
        rest = magnitude & (2 * half - 1);
        kept += rest > half || (rest == half && (kept & 1));
    }
    if (exponent >= -14)
        kept += (uint64_t)(exponent + 14) << 10;
    if (kept == 0)
        return 0;
    return sign | (kept >= 0x7c00 ? 0x7c00 : (uint32_t)kept);
}

static uint32_t fused(const struct matrix_shape *shape, const struct matrix_number *a,
                      const struct matrix_number *b, uint32_t k, uint64_t c, enum matrix_type type)
{
    struct matrix_number added = matrix_number(c, type);
    uint32_t bits = formats[shape->a.type].fraction_bits + formats[shape->b.type].fraction_bits;
    struct sum sum = fused_sum(a, b, k, bits, &added, formats[type].fraction_bits, KEPT_BITS);

    return type == MATRIX_F16 ? sum_to_f16(&sum) : sum_to_f32(&sum);
}

/* fp8 of wgmma: fewer bits are kept, and of an f32 the fraction bits that an f16 product has no
 * room for are zero. */
static uint32_t fused_f8(const struct matrix_shape *shape, const struct matrix_number *a,
                         const struct matrix_number *b, uint32_t k, uint64_t c)
{
    enum { UNUSED_BITS = 23 - KEPT_BITS_F8 };
    enum matrix_type type = (enum matrix_type)shape->d.type;
    struct matrix_number added = matrix_number(c, type);
    uint32_t bits = formats[shape->a.type].fraction_bits + formats[shape->b.type].fraction_bits;
    struct sum sum = fused_sum(a, b, k, bits, &added, formats[type].fraction_bits, KEPT_BITS_F8);

    if (type == MATRIX_F16)
        return sum_to_f16(&sum);
    return sum.is_nan ? NAN_F32 : sum_to_f32(&sum) >> UNUSED_BITS << UNUSED_BITS;
}

/* ---- Others ---- */

static float float_of(const struct matrix_number *number, enum matrix_type type)
{
    float magnitude = number->is_nan ? NAN
                      : number->is_infinite
                          ? INFINITY
                          : ldexpf((float)abs(number->significand),
                                   number->exponent - formats[type].fraction_bits);

    return number->is_negative ? -magnitude : magnitude;
}

/* Returns a float as f32, or rounded to nearest as f16. */
static uint32_t bits_of(float value, enum matrix_type type)
{
    struct matrix_number number;
    struct sum sum = {0};
    uint32_t bits;

    if (value != value)
        return type == MATRIX_F16 ? NAN_F16 : NAN_F32;
    memcpy(&bits, &value, sizeof bits);
    if (type == MATRIX_F32)
        return bits;
    number = matrix_number(bits, MATRIX_F32);
    sum.value = number.is_infinite ? 0 : number.significand;
    sum.unit = number.exponent - formats[MATRIX_F32].fraction_bits;
    sum.is_plus = number.is_infinite && number.significand > 0;
    sum.is_minus = number.is_infinite && number.significand < 0;
    return sum_to_f16(&sum) | (bits >> 31 << 15);
}

/* fp8 on sm_90: the values become f16. The sum of every other pair of products starts the sum of
 * the rest. c is added last, as add.f32 and add.f16 do. */
static uint32_t sum_of_pairs(const struct matrix_shape *shape, const struct matrix_number *a,
                             const struct matrix_number *b, uint32_t k, uint64_t c)
{
    enum matrix_type type = (enum matrix_type)shape->d.type; /* and of c */
    struct matrix_number x[64], y[64], first, last;
    uint32_t sum = 0;

    for (uint32_t pair = 0; pair < 2; pair++) {
        for (uint32_t i = 0; i < k / 2; i++) {
            uint32_t at = i / 2 * 4 + 2 * pair + i % 2;
            x[i] = widened(a[at], shape->a.type);
            y[i] = widened(b[at], shape->b.type);
        }
        sum = fused(shape, x, y, k / 2, sum, type);
    }
    first = matrix_number(sum, type);
    last = matrix_number(c, type);
    return bits_of(float_of(&first, type) + float_of(&last, type), type);
}

/* m8n8k4 on sm_90: with a result of f32, fma.rn.f32 of one product after the other, then c. With
 * one of f16, c, then each pair of products. */
static uint32_t sum_in_order(const struct matrix_shape *shape, const struct matrix_number *a,
                             const struct matrix_number *b, uint64_t c)
{
    struct matrix_number number = matrix_number(c, (enum matrix_type)shape->c.type);
    float x[4], y[4], start = float_of(&number, (enum matrix_type)shape->c.type);

    for (uint32_t i = 0; i < 4; i++) {
        x[i] = float_of(&a[i], MATRIX_F16);
        y[i] = float_of(&b[i], MATRIX_F16);
    }
    if (shape->d.type == MATRIX_F16)
        return bits_of(start + fmaf(x[1], y[1], x[0] * y[0]) + fmaf(x[3], y[3], x[2] * y[2]),
                       MATRIX_F16);
    return bits_of(fmaf(x[3], y[3], fmaf(x[2], y[2], fmaf(x[1], y[1], fmaf(x[0], y[0], 0)))) +
                       start,
                   MATRIX_F32);
}

/* Sums of f32 and f16 mix in f32. */
static uint32_t sum_of_parts(const struct matrix_shape *shape, const struct matrix_number *a,
                             const struct matrix_number *b, uint32_t k, uint64_t c)
{
    enum matrix_type type = (enum matrix_type)shape->c.type;
    struct matrix_number number = matrix_number(c, type);
    uint32_t sum = (uint32_t)c, part = shape->part != 0 ? shape->part : k;

    if (shape->d.type != shape->c.type) {
        sum = bits_of(float_of(&number, type), MATRIX_F32);
        type = MATRIX_F32;
    }
    for (uint32_t i = 0; i < k; i += part)
        sum = fused(shape, a + i, b + i, part, sum, type);
    if (shape->d.type == type)
        return sum;
    number = matrix_number(sum, type);
    return bits_of(float_of(&number, type), (enum matrix_type)shape->d.type);
}

uint64_t matrix_float_sum(const struct matrix_shape *shape, const struct matrix_number *a,
                          const struct matrix_number *b, uint32_t k, uint64_t c)
{
    if (shape->products > 1)
        return sum_in_order(shape, a, b, c);
    if (shape->a.type == MATRIX_E4M3 || shape->a.type == MATRIX_E5M2)
        return shape->is_group ? fused_f8(shape, a, b, k, c) : sum_of_pairs(shape, a, b, k, c);
    return sum_of_parts(shape, a, b, k, c);
}

static bool is_nan_f64(uint64_t bits)
{
    return (bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}

/* The compiler cannot move the operation across the calls, because of the volatile variables. */
static double rounded_fma(double a, double b, double c, enum matrix_rounding rounding)
{
    static const int modes[] = {
        [MATRIX_RN] = FE_TONEAREST,
        [MATRIX_RZ] = FE_TOWARDZERO,
        [MATRIX_RM] = FE_DOWNWARD,
        [MATRIX_RP] = FE_UPWARD,
    };
    volatile double x = a, y = b, z = c, result;

    if (rounding == MATRIX_RN)
        return fma(a, b, c);
    fesetround(modes[rounding]);
    result = fma(x, y, z);
    fesetround(FE_TONEAREST);
    return result;
}

/* fma.f64 one after the other. Of several NaNs the one of b counts first, then the sum's. */
uint64_t matrix_f64_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                        uint32_t k, uint64_t c)
{
    for (uint32_t i = 0; i < k; i++) {
        const uint64_t *nan = is_nan_f64(b[i]) ? &b[i] : is_nan_f64(c) ? &c : &a[i];
        double x, y, sum;
        if (is_nan_f64(*nan)) {
            c = *nan | UINT64_C(1) << 51;
            continue;
        }
        memcpy(&x, &a[i], sizeof x);
        memcpy(&y, &b[i], sizeof y);
        memcpy(&sum, &c, sizeof sum);
        sum = rounded_fma(x, y, sum, (enum matrix_rounding)shape->rounding);
        memcpy(&c, &sum, sizeof c);
        if (sum != sum)
            c = UINT64_C(0xfff8000000000000);
    }
    return c;
}

static int64_t integer_of(uint64_t bits, enum matrix_type type)
{
    switch (type) {
    case MATRIX_S8:
        return (int8_t)bits;
    case MATRIX_S4:
        return (int64_t)(bits ^ 8) - 8;
    default:
        return (int64_t)bits;
    }
}

uint64_t matrix_integer_sum(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b,
                            uint32_t k, uint64_t c)
{
    int64_t sum = (int32_t)(uint32_t)c;

    for (uint32_t i = 0; i < k; i++) {
        int64_t x = integer_of(a[i], (enum matrix_type)shape->a.type);
        int64_t y = integer_of(b[i], (enum matrix_type)shape->b.type);
        sum += shape->combine == MATRIX_XOR ? x ^ y : x * y;
    }
    if (shape->saturates && sum > INT32_MAX)
        sum = INT32_MAX;
    if (shape->saturates && sum < INT32_MIN)
        sum = INT32_MIN;
    return (uint32_t)sum;
}
