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
enum { KEPT_BITS = 25, KEPT_BITS_F8 = 13, NAN_F16 = 0x7fff, NAN_F32 = 0x7fffffff };

/* The exponent of a zero, and an exponent above that of any product with a zero. */
enum { ZERO_EXPONENT = -8192, NO_EXPONENT = ZERO_EXPONENT / 2 };

static const struct format {
    uint8_t exponent_bits, fraction_bits;
} formats[] = {
    [MATRIX_F16] = {5, 10}, [MATRIX_BF16] = {8, 7}, [MATRIX_TF32] = {8, 10},
    [MATRIX_E4M3] = {4, 3}, [MATRIX_E5M2] = {5, 2}, [MATRIX_F32] = {8, 23},
};

/* A float: significand * 2^(exponent - fraction bits of its type). `exponent` is the same for all
 * subnormal values of a type. */
struct number {
    int32_t significand;
    int16_t exponent;
    bool is_negative, is_nan, is_infinite;
};

static inline struct number number_of(uint64_t bits, enum matrix_type type)
{
    const struct format *format = &formats[type];
    uint32_t width = format->fraction_bits, top = (1u << format->exponent_bits) - 1;
    uint32_t number = (uint32_t)(type == MATRIX_TF32 ? bits >> 13 : bits); /* it is cut off */
    uint32_t fraction = number & ((1u << width) - 1), exponent = number >> width & top;
    bool negative = number >> (width + format->exponent_bits) & 1;
    int32_t significand = (int32_t)(exponent != 0 ? fraction | 1u << width : fraction);
    struct number made = {
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

void matrix_unpack(struct matrix_line *line, uint32_t k, enum matrix_type type)
{
    line->is_special = false;
    for (uint32_t i = 0; i < k; i++) {
        struct number number = number_of(line->bits[i], type);
        line->significands[i] = (int16_t)number.significand;
        line->exponents[i] = number.significand != 0 ? number.exponent : ZERO_EXPONENT;
        line->is_special = line->is_special || number.is_nan || number.is_infinite;
    }
}

void matrix_choose(struct matrix_line *to, const struct matrix_line *from, const uint32_t *chosen,
                   uint32_t count)
{
    to->is_special = from->is_special;
    for (uint32_t i = 0; i < count; i++) {
        to->bits[i] = from->bits[chosen[i]];
        to->significands[i] = from->significands[chosen[i]];
        to->exponents[i] = from->exponents[chosen[i]];
    }
}

/* Makes values of an fp8 type values of f16. Subnormal values of e4m3 are normal there. */
static void widen(struct matrix_line *line, uint32_t k, uint8_t type)
{
    uint32_t width = formats[type].fraction_bits;

    for (uint32_t i = 0; type == MATRIX_E4M3 && i < k; i++)
        for (; line->significands[i] != 0 && !(abs(line->significands[i]) >> width);
             line->exponents[i]--)
            line->significands[i] = (int16_t)(line->significands[i] * 2);
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

static void note_specials(struct sum *sum, const struct matrix_shape *shape,
                          const struct matrix_line *a, const struct matrix_line *b, uint32_t first,
                          uint32_t k)
{
    for (uint32_t i = first; i < first + k; i++) {
        struct number x = number_of(a->bits[i], (enum matrix_type)shape->a.type);
        struct number y = number_of(b->bits[i], (enum matrix_type)shape->b.type);
        note_special(sum, (int64_t)x.significand * y.significand, x.is_infinite || y.is_infinite,
                     x.is_nan || y.is_nan);
    }
}

/* All products and c are added at once. Zeros do not count for the alignment. A product has at most
 * product_bits + 2 bits, so it fits in 32 bits when it is aligned. */
static void fused_sum(struct sum *sum, const struct matrix_line *a, const struct matrix_line *b,
                      uint32_t first, uint32_t k, uint32_t product_bits, const struct number *c,
                      uint32_t c_bits, int kept_bits)
{
    int32_t products[MATRIX_K];
    int exponents[MATRIX_K], most = c->significand != 0 ? c->exponent : ZERO_EXPONENT;

    for (uint32_t i = 0; i < k; i++) {
        products[i] = a->significands[first + i] * b->significands[first + i];
        exponents[i] = a->exponents[first + i] + b->exponents[first + i];
        most = exponents[i] > most ? exponents[i] : most;
    }
    if (most < NO_EXPONENT)
        return;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t magnitude = (uint32_t)abs(products[i]) << (kept_bits - (int)product_bits);
        int drop = most - exponents[i] < 31 ? most - exponents[i] : 31;
        sum->value += products[i] < 0 ? -(int64_t)(magnitude >> drop) : magnitude >> drop;
    }
    sum->value += aligned(c->significand, kept_bits - (int)c_bits + c->exponent - most);
    sum->unit = most - kept_bits;
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

static struct sum fused_with(const struct matrix_shape *shape, const struct matrix_line *a,
                             const struct matrix_line *b, uint32_t first, uint32_t k, uint64_t c,
                             enum matrix_type type, int kept_bits)
{
    struct number added = number_of(c, type);
    uint32_t bits = formats[shape->a.type].fraction_bits + formats[shape->b.type].fraction_bits;
    struct sum sum = {0};

    note_special(&sum, added.significand, added.is_infinite, added.is_nan);
    if (a->is_special || b->is_special)
        note_specials(&sum, shape, a, b, first, k);
    sum.is_nan = sum.is_nan || (sum.is_plus && sum.is_minus);
    if (!sum.is_nan && !sum.is_plus && !sum.is_minus)
        fused_sum(&sum, a, b, first, k, bits, &added, formats[type].fraction_bits, kept_bits);
    return sum;
}

static uint32_t fused(const struct matrix_shape *shape, const struct matrix_line *a,
                      const struct matrix_line *b, uint32_t first, uint32_t k, uint64_t c,
                      enum matrix_type type)
{
    struct sum sum = fused_with(shape, a, b, first, k, c, type, KEPT_BITS);

    return type == MATRIX_F16 ? sum_to_f16(&sum) : sum_to_f32(&sum);
}

/* fp8 of wgmma: fewer bits are kept, and of an f32 the fraction bits that an f16 product has no
 * room for are zero. */
static uint32_t fused_f8(const struct matrix_shape *shape, const struct matrix_line *a,
                         const struct matrix_line *b, uint32_t k, uint64_t c)
{
    enum { UNUSED_BITS = 23 - KEPT_BITS_F8 };
    enum matrix_type type = (enum matrix_type)shape->d.type;
    struct sum sum = fused_with(shape, a, b, 0, k, c, type, KEPT_BITS_F8);

    if (type == MATRIX_F16)
        return sum_to_f16(&sum);
    return sum.is_nan ? NAN_F32 : sum_to_f32(&sum) >> UNUSED_BITS << UNUSED_BITS;
}

/* ---- Others ---- */

static float float_of(const struct number *number, enum matrix_type type)
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
    struct number number;
    struct sum sum = {0};
    uint32_t bits;

    if (value != value)
        return type == MATRIX_F16 ? NAN_F16 : NAN_F32;
    memcpy(&bits, &value, sizeof bits);
    if (type == MATRIX_F32)
        return bits;
    number = number_of(bits, MATRIX_F32);
    sum.value = number.is_infinite ? 0 : number.significand;
    sum.unit = number.exponent - formats[MATRIX_F32].fraction_bits;
    sum.is_plus = number.is_infinite && number.significand > 0;
    sum.is_minus = number.is_infinite && number.significand < 0;
    return sum_to_f16(&sum) | (bits >> 31 << 15);
}

/* fp8 on sm_90: the values become f16. The sum of every other pair of products starts the sum of
 * the rest. c is added last, as add.f32 and add.f16 do. */
static uint32_t sum_of_pairs(const struct matrix_shape *shape, const struct matrix_line *a,
                             const struct matrix_line *b, uint32_t k, uint64_t c)
{
    enum matrix_type type = (enum matrix_type)shape->d.type; /* and of c */
    struct number first, last;
    uint32_t sum = 0;

    for (uint32_t pair = 0; pair < 2; pair++) {
        struct matrix_line x, y;
        uint32_t chosen[MATRIX_K];
        for (uint32_t i = 0; i < k / 2; i++)
            chosen[i] = i / 2 * 4 + 2 * pair + i % 2;
        matrix_choose(&x, a, chosen, k / 2);
        matrix_choose(&y, b, chosen, k / 2);
        widen(&x, k / 2, shape->a.type);
        widen(&y, k / 2, shape->b.type);
        sum = fused(shape, &x, &y, 0, k / 2, sum, type);
    }
    first = number_of(sum, type);
    last = number_of(c, type);
    return bits_of(float_of(&first, type) + float_of(&last, type), type);
}

/* m8n8k4 on sm_90: with a result of f32, fma.rn.f32 of one product after the other, then c. With
 * one of f16, c, then each pair of products. */
static uint32_t sum_in_order(const struct matrix_shape *shape, const struct matrix_line *a,
                             const struct matrix_line *b, uint64_t c)
{
    struct number number = number_of(c, (enum matrix_type)shape->c.type);
    float x[4], y[4], start = float_of(&number, (enum matrix_type)shape->c.type);

    for (uint32_t i = 0; i < 4; i++) {
        struct number left = number_of(a->bits[i], MATRIX_F16);
        struct number right = number_of(b->bits[i], MATRIX_F16);
        x[i] = float_of(&left, MATRIX_F16);
        y[i] = float_of(&right, MATRIX_F16);
    }
    if (shape->d.type == MATRIX_F16)
        return bits_of(start + fmaf(x[1], y[1], x[0] * y[0]) + fmaf(x[3], y[3], x[2] * y[2]),
                       MATRIX_F16);
    return bits_of(fmaf(x[3], y[3], fmaf(x[2], y[2], fmaf(x[1], y[1], fmaf(x[0], y[0], 0)))) +
                       start,
                   MATRIX_F32);
}

/* Sums of f32 and f16 mix in f32. */
static uint32_t sum_of_parts(const struct matrix_shape *shape, const struct matrix_line *a,
                             const struct matrix_line *b, uint32_t k, uint64_t c)
{
    enum matrix_type type = (enum matrix_type)shape->c.type;
    struct number number = number_of(c, type);
    uint32_t sum = (uint32_t)c, part = shape->part != 0 ? shape->part : k;

    if (shape->d.type != shape->c.type) {
        sum = bits_of(float_of(&number, type), MATRIX_F32);
        type = MATRIX_F32;
    }
    for (uint32_t i = 0; i < k; i += part)
        sum = fused(shape, a, b, i, part, sum, type);
    if (shape->d.type == type)
        return sum;
    number = number_of(sum, type);
    return bits_of(float_of(&number, type), (enum matrix_type)shape->d.type);
}

uint64_t matrix_float_sum(const struct matrix_shape *shape, const struct matrix_line *a,
                          const struct matrix_line *b, uint32_t k, uint64_t c)
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
