/* SPDX-License-Identifier: MIT */
#include "rounding.h"

const struct float_format format_half = {16, 11, -24}, format_float = {32, 24, -149},
                          format_double = {64, 53, -1074};

/* Returns a 1 at the lowest bit of the exponent field. */
static uint64_t implied(const struct float_format *format)
{
    return UINT64_C(1) << (format->precision - 1);
}

static uint64_t sign_of(const struct float_format *format)
{
    return UINT64_C(1) << (format->width - 1);
}

static uint64_t infinity(const struct float_format *format)
{
    return sign_of(format) - implied(format);
}

struct exact exact_of(const struct float_format *format, uint64_t bits)
{
    uint64_t field = (bits & (sign_of(format) - 1)) / implied(format),
             fraction = bits & (implied(format) - 1);
    bool is_normal = field != 0;

    return (struct exact){
        .kind = (bits & infinity(format)) != infinity(format) ? FINITE
                : fraction == 0                               ? INFINITE
                                                              : NOT_A_NUMBER,
        .negative = (bits & sign_of(format)) != 0,
        .magnitude = is_normal ? implied(format) + fraction : fraction,
        .exponent = format->least + (is_normal ? (int)field - 1 : 0),
    };
}

struct exact exact_integer(uint64_t value, bool is_signed)
{
    bool negative = is_signed && value >> 63 != 0;

    return (struct exact){FINITE, negative, negative ? 0 - value : value, 0};
}

/* Returns magnitude / 2^shift, rounded. */
static uint128 shifted(struct exact value, int shift, enum rounding mode)
{
    uint128 quotient = shift < 128 ? value.magnitude >> shift : 0, lost, half;
    bool up;

    if (shift > 126) /* less than one half */
        shift = 126;
    lost = value.magnitude - (quotient << shift);
    half = ((uint128)1 << shift) / 2;
    if (mode == ROUND_NEAREST)
        up = lost > half || (lost == half && quotient % 2 == 1);
    else
        up = lost != 0 && mode == (value.negative ? ROUND_DOWN : ROUND_UP);
    return quotient + up;
}

static int bits_in(uint128 magnitude)
{
    int count = 0;

    for (; magnitude != 0; magnitude >>= 1)
        count++;
    return count;
}

uint64_t rounded(const struct float_format *format, struct exact value, enum rounding mode)
{
    uint64_t sign = value.negative ? sign_of(format) : 0, bits;
    int unit = bits_in(value.magnitude) + value.exponent - format->precision;
    uint128 quotient;

    if (value.kind == NOT_A_NUMBER)
        return sign_of(format) - 1;
    if (value.kind == INFINITE)
        return sign + infinity(format);
    if (value.magnitude == 0)
        return sign;
    unit = unit > format->least ? unit : format->least;
    if (unit > value.exponent)
        quotient = shifted(value, unit - value.exponent, mode);
    else
        quotient = value.magnitude << (value.exponent - unit);
    /* A significand without its leading one is subnormal. One that is too long carries into the
     * exponent. */
    bits = (uint64_t)(unit - format->least) * implied(format) + (uint64_t)quotient;
    if (bits < infinity(format))
        return sign + bits;
    return sign + infinity(format) -
           (mode != ROUND_NEAREST && mode != (value.negative ? ROUND_DOWN : ROUND_UP));
}

uint64_t integer_of(const struct float_format *format, uint64_t bits, enum rounding mode, int width,
                    bool is_signed)
{
    struct exact value = exact_of(format, bits);
    uint128 highest = (uint128)1 << (width - 1), most = is_signed ? highest - 1 : 2 * highest - 1,
            least = is_signed ? highest : 0, whole;

    if (value.kind == NOT_A_NUMBER)
        return width == 64 || format == &format_double ? (uint64_t)highest : 0;
    if (value.kind == INFINITE || value.exponent > 64)
        whole = (uint128)1 << 64; /* more than any integer type holds */
    else if (value.exponent < 0)
        whole = shifted(value, -value.exponent, mode);
    else
        whole = value.magnitude << value.exponent;
    if (!value.negative)
        return (uint64_t)(whole < most ? whole : most);
    whole = whole < least ? whole : least;
    return (0 - (uint64_t)whole) & (uint64_t)(2 * highest - 1);
}
