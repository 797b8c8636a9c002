/* SPDX-License-Identifier: MIT */
#include "field.h"

#include "input_values.h"
#include "types.h"

#include <string.h>

/* Integers of a magnitude up to INTEGERS, and the floats of 8 significant bits of the exponent
 * fields from FIRST_EXPONENT on, have the elements of their values. FIELD_PRIME is the greatest
 * prime for which these elements differ, apart from those of equal values, and whose patterns are
 * finite floats. */
enum { INTEGERS = 1 << 20, FIRST_EXPONENT = 127 - 32, EXPONENTS = 64 };
enum {
    FRACTIONS = EXPONENTS << 7,
    BUCKET_BITS = 15,
    BUCKETS = 1 << BUCKET_BITS,
    MOST = FIELD_PRIME / 2
};

#define SIGN_F32 UINT32_C(0x80000000)
#define INFINITY_F32 UINT32_C(0x7f800000)

/* An element or a pattern as a signed number, from -MOST to MOST. */
typedef int64_t residue;

static residue fractions[FRACTIONS]; /* elements, by the upper bits of the float */
static uint16_t buckets[BUCKETS];    /* 1 + index of a fraction, hashed by its magnitude */
static bool is_ready;

/* ---- Arithmetic ---- */

uint32_t field_add(uint32_t a, uint32_t b)
{
    uint64_t sum = (uint64_t)a + b;

    return (uint32_t)(sum >= FIELD_PRIME ? sum - FIELD_PRIME : sum);
}

uint32_t field_negative(uint32_t a)
{
    return a == 0 ? 0 : FIELD_PRIME - a;
}

uint32_t field_multiply(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b % FIELD_PRIME);
}

static uint32_t power(uint32_t base, uint64_t exponent)
{
    uint32_t result = 1;

    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result = field_multiply(result, base);
        base = field_multiply(base, base);
    }
    return result;
}

/* Uses Fermat's little theorem. */
uint32_t field_inverse(uint32_t a)
{
    return power(a, FIELD_PRIME - 2);
}

uint32_t field_scale(uint32_t a, int64_t exponent)
{
    uint32_t base = exponent < 0 ? FIELD_PRIME / 2 + 1 : 2; /* 1/2 or 2 */

    return field_multiply(a, power(base, (uint64_t)(exponent < 0 ? -exponent : exponent)));
}

uint32_t field_of_integer(uint64_t magnitude, bool is_negative)
{
    uint32_t element = (uint32_t)(magnitude % FIELD_PRIME);

    return is_negative ? field_negative(element) : element;
}

uint32_t field_random(uint64_t seed, uint64_t counter)
{
    return (uint32_t)(values_hash(seed, counter) % FIELD_PRIME);
}

/* ---- Patterns ---- */

static residue residue_of(uint32_t element)
{
    return element > MOST ? (residue)element - FIELD_PRIME : element;
}

static uint32_t bucket_of(residue magnitude)
{
    return ((uint32_t)magnitude * UINT32_C(2654435769)) >> (32 - BUCKET_BITS); /* Fibonacci */
}

/* Returns the value of a positive pattern if it is an integer up to INTEGERS, and 0 otherwise. */
static residue integer_of(uint32_t pattern)
{
    float value = values_as_float(pattern);
    residue whole = value >= 1 && value <= INTEGERS ? (residue)value : 0;

    return (float)whole == value ? whole : 0;
}

/* Returns the element that a positive pattern has by its value, or 0 if it has none. */
static residue valued(uint32_t pattern)
{
    residue whole = integer_of(pattern);
    uint32_t index = (pattern >> 16) - (FIRST_EXPONENT << 7);

    if (whole != 0)
        return whole;
    return (pattern & 0xffff) == 0 && index < FRACTIONS ? fractions[index] : 0;
}

/* Returns the pattern that has a positive element by its value, or 0 if none has. The pattern is
 * negative if that of the negative element is positive. */
static residue pattern_of(residue element)
{
    if (element <= INTEGERS)
        return values_as_bits((float)element);
    for (uint32_t k = bucket_of(element); buckets[k] != 0; k = (k + 1) % BUCKETS) {
        uint32_t index = buckets[k] - 1u;
        residue pattern = ((residue)index + (FIRST_EXPONENT << 7)) << 16;
        if (fractions[index] == element)
            return pattern;
        if (fractions[index] == -element)
            return -pattern;
    }
    return 0;
}

static void make_tables(void)
{
    for (uint32_t index = 0; index < FRACTIONS; index++) {
        int64_t exponent = (int64_t)(index >> 7) + FIRST_EXPONENT - 127 - 7;
        uint32_t pattern = (index + (FIRST_EXPONENT << 7)) << 16, k;
        fractions[index] = residue_of(field_scale(128 + (index & 127), exponent));
        if (integer_of(pattern) != 0)
            continue;
        k = bucket_of(fractions[index] < 0 ? -fractions[index] : fractions[index]);
        while (buckets[k] != 0)
            k = (k + 1) % BUCKETS;
        buckets[k] = (uint16_t)(index + 1);
    }
    is_ready = true;
}

/* Returns the element of a pattern. A pattern without an element by value has the element of its
 * own number. If another pattern has that element by value, it has the element of the other
 * pattern's number, and so on. */
static residue decoded(residue pattern)
{
    residue sign = pattern < 0 ? -1 : 1, element = valued((uint32_t)(sign * pattern)), other;

    if (element != 0 || pattern == 0)
        return sign * element;
    element = pattern;
    while (sign = element < 0 ? -1 : 1, other = pattern_of(sign * element), other != 0)
        element = sign * other;
    return element;
}

/* The inverse of decoded(). */
static residue encoded(residue element)
{
    residue sign = element < 0 ? -1 : 1, pattern = pattern_of(sign * element), other;

    if (element == 0)
        return 0;
    if (pattern != 0)
        return sign * pattern;
    pattern = element;
    while (sign = pattern < 0 ? -1 : 1, other = valued((uint32_t)(sign * pattern)), other != 0)
        pattern = sign * other;
    return pattern;
}

uint32_t field_of_f32(uint32_t bits)
{
    uint32_t pattern = bits & ~SIGN_F32;
    residue element;

    if (!is_ready)
        make_tables();
    if (pattern > MOST)
        return pattern > INFINITY_F32 ? FIELD_NAN : FIELD_LIMIT;
    element = decoded(bits & SIGN_F32 ? -(residue)pattern : (residue)pattern);
    return (uint32_t)(element < 0 ? element + FIELD_PRIME : element);
}

uint32_t field_bits_f32(uint32_t element)
{
    residue pattern;

    if (!is_ready)
        make_tables();
    pattern = encoded(residue_of(element));
    return pattern < 0 ? (uint32_t)-pattern | SIGN_F32 : (uint32_t)pattern;
}

uint32_t field_of_f64(uint64_t bits)
{
    double value = f64_of_bits(bits), magnitude = value < 0 ? -value : value;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int64_t exponent = (int64_t)(bits >> 52 & 2047);
    uint32_t element;

    if (value != value)
        return FIELD_NAN;
    if (magnitude > (double)values_as_float(MOST))
        return FIELD_LIMIT;
    if ((double)(float)value == value)
        return field_of_f32(values_as_bits((float)value));
    fraction |= exponent != 0 ? UINT64_C(1) << 52 : 0;
    element = field_of_integer(fraction, value < 0);
    return field_scale(element, (exponent != 0 ? exponent : 1) - 1075);
}

static uint64_t widened(uint32_t bits)
{
    double value = (double)values_as_float(bits);
    uint64_t wide;

    memcpy(&wide, &value, sizeof wide);
    return wide;
}

uint64_t field_bits_f64(uint32_t element)
{
    return widened(field_bits_f32(element));
}

uint32_t field_canonical_f32(uint32_t bits)
{
    return bits == SIGN_F32 ? 0 : bits;
}

uint64_t field_canonical_f64(uint64_t bits)
{
    uint32_t element = field_of_f64(bits);

    return element < FIELD_PRIME ? field_bits_f64(element) : bits;
}
