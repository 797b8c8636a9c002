/* SPDX-License-Identifier: MIT */
#include "reductions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint32_t reduction_bytes(const char *type)
{
    return (uint32_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8;
}

/* ---- Floats ---- */

/* A type of floats: the bits of its mantissa and the bias of its exponent. */
struct format {
    const char *type;
    uint32_t mantissa, bias;
};

static const struct format *format_of(const char *type)
{
    static const struct format formats[] = {
        {"f16", 10, 15}, {"bf16", 7, 127}, {"f32", 23, 127}, {"f64", 52, 1023}};

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (strcmp(formats[k].type, type) == 0)
            return &formats[k];
    return NULL;
}

/* Of a float that is 0 or normal. */
static double value_of(const struct format *format, uint64_t bits, uint32_t bytes)
{
    uint64_t sign = bits >> (8 * bytes - 1), one = UINT64_C(1) << format->mantissa;
    uint64_t mantissa = (bits & (one - 1)) | one, rest = bits & ~(sign << (8 * bytes - 1));
    int exponent = (int)(rest >> format->mantissa) - (int)(format->bias + format->mantissa);

    return rest == 0 ? 0 : ldexp(sign ? -(double)mantissa : (double)mantissa, exponent);
}

static uint64_t bits_of(const struct format *format, double value, uint32_t bytes)
{
    uint64_t sign = value < 0, one = UINT64_C(1) << format->mantissa, mantissa;
    int exponent;

    if (value == 0)
        return 0;
    mantissa = (uint64_t)ldexp(frexp(fabs(value), &exponent), (int)format->mantissa + 1);
    return sign << (8 * bytes - 1) |
           (uint64_t)(exponent - 1 + (int)format->bias) << format->mantissa |
           (mantissa & (one - 1));
}

/* ---- Reductions ---- */

static bool is(const char *operation, const char *name)
{
    return strcmp(operation, name) == 0;
}

static uint64_t reduced_float(const char *operation, const struct format *format, uint64_t old,
                              uint64_t value, uint32_t bytes)
{
    double a = value_of(format, old, bytes), b = value_of(format, value, bytes);
    double result = is(operation, "add") ? a + b : is(operation, "min") ? fmin(a, b) : fmax(a, b);

    return bits_of(format, result, bytes);
}

static uint64_t reduced_integer(const char *operation, uint64_t old, uint64_t value, bool is_less)
{
    return is(operation, "add")   ? old + value
           : is(operation, "min") ? (is_less ? old : value)
           : is(operation, "max") ? (is_less ? value : old)
           : is(operation, "inc") ? (old >= value ? 0 : old + 1)
           : is(operation, "dec") ? (old == 0 || old > value ? value : old - 1)
           : is(operation, "and") ? old & value
           : is(operation, "or")  ? old | value
                                  : old ^ value;
}

void reduction_apply(const struct reduction *reduction, void *elements, const void *values,
                     size_t count)
{
    const struct format *format = format_of(reduction->type);
    uint32_t bytes = reduction_bytes(reduction->type), shift = 64 - 8 * bytes;
    bool is_signed = reduction->type[0] == 's';

    for (size_t k = 0; k < count; k++) {
        char *at = (char *)elements + k * bytes;
        uint64_t old = 0, value = 0;
        bool is_less;
        memcpy(&old, at, bytes);
        memcpy(&value, (const char *)values + k * bytes, bytes);
        is_less = is_signed ? (int64_t)(old << shift) < (int64_t)(value << shift) : old < value;
        old = format != NULL ? reduced_float(reduction->operation, format, old, value, bytes)
                             : reduced_integer(reduction->operation, old, value, is_less);
        memcpy(at, &old, bytes);
    }
}

void reduction_fill(const char *type, void *elements, size_t count)
{
    const struct format *format = format_of(type);
    uint32_t bytes = reduction_bytes(type);
    static uint64_t state = 1;

    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        state = state * 6364136223846793005u + 1442695040888963407u;
        bits = state >> 8 ^ state >> 40;
        if (format != NULL)
            bits = bits_of(format, (double)(bits >> 20 & 127) - 64, bytes);
        memcpy((char *)elements + k * bytes, &bits, bytes);
    }
}
