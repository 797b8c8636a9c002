/* SPDX-License-Identifier: MIT */
#include "expected.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Distances ---- */

/* Maps floats to integers in the same order, both zeros to 0: sign and magnitude to two's
 * complement. */
static int64_t rank_of(enum element element, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (8 * element_size(element) - 1);

    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

uint64_t oracle_distance(enum element element, uint64_t one, uint64_t other)
{
    uint64_t infinity = oracle_infinity(element), sign = UINT64_C(1)
                                                         << (8 * element_size(element) - 1);
    bool one_is_nan = infinity > 0 && (one & (sign - 1)) > infinity,
         other_is_nan = infinity > 0 && (other & (sign - 1)) > infinity;
    int64_t a, b;

    if (one == other || (one_is_nan && other_is_nan))
        return 0;
    if (infinity == 0 || one_is_nan || other_is_nan)
        return UINT64_MAX;
    if ((one & (sign - 1)) == infinity || (other & (sign - 1)) == infinity)
        return UINT64_MAX; /* An infinity is near no finite number. */
    a = rank_of(element, one);
    b = rank_of(element, other);
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Returns true for a float that is neither 0, subnormal, infinite nor NaN. */
static bool is_normal(enum element element, uint64_t bits)
{
    uint64_t infinity = oracle_infinity(element), exponent = bits & infinity;

    return exponent != 0 && exponent != infinity;
}

/* Returns true if `got` is close enough to `expected`. Without a tolerance, the sign of a zero
 * counts. Small integers of raw memory look like subnormal numbers and NaNs, so a tolerance is for
 * normal floats only. */
static bool is_near(const struct buffer *buffer, uint64_t ulps, uint64_t expected, uint64_t got)
{
    enum element element = buffer->element;
    uint64_t distance = oracle_distance(element, expected, got);

    if (buffer->is_raw && expected != got)
        return is_normal(element, expected) && is_normal(element, got) && distance <= ulps;
    return ulps > 0 ? distance <= ulps
                    : oracle_canonical(element, expected) == oracle_canonical(element, got);
}

static double as_double(enum element element, uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } wide = {bits};

    return element == ELEMENT_F32 ? (double)values_as_float((uint32_t)bits) : wide.value;
}

/* Returns true if `got` is `expected`, or no farther from it than the bound. */
static bool is_within(enum element element, double bound, uint64_t expected, uint64_t got)
{
    return oracle_distance(element, expected, got) == 0 ||
           fabs(as_double(element, got) - as_double(element, expected)) <= bound;
}

/* ---- Text ---- */

void oracle_text(enum element element, uint64_t bits, char text[48])
{
    union {
        uint64_t bits;
        double value;
    } wide = {bits};

    switch (element) {
    case ELEMENT_F32:
        snprintf(text, 48, "%.9g", (double)values_as_float((uint32_t)bits));
        break;
    case ELEMENT_F64:
        snprintf(text, 48, "%.17g", wide.value);
        break;
    case ELEMENT_F16:
        snprintf(text, 48, "0x%04x (half)", (unsigned int)bits);
        break;
    case ELEMENT_BF16:
        snprintf(text, 48, "0x%04x (bfloat16)", (unsigned int)bits);
        break;
    case ELEMENT_I8:
        snprintf(text, 48, "%d", (int8_t)bits);
        break;
    case ELEMENT_I16:
        snprintf(text, 48, "%d", (int16_t)bits);
        break;
    case ELEMENT_I32:
        snprintf(text, 48, "%" PRId32, (int32_t)bits);
        break;
    case ELEMENT_I64:
        snprintf(text, 48, "%" PRId64, (int64_t)bits);
        break;
    }
}

void oracle_text_of(const struct buffer *buffer, uint64_t bits, char text[48])
{
    if (buffer->is_raw && element_size(buffer->element) == 4)
        snprintf(text, 48, "0x%08" PRIx32 " (int %" PRId32 ", float %.5g)", (uint32_t)bits,
                 (int32_t)bits, (double)values_as_float((uint32_t)bits));
    else if (buffer->is_unsigned)
        snprintf(text, 48, "%" PRIu64, bits);
    else
        oracle_text(buffer->element, bits, text);
}

/* ---- Order ---- */

struct items {
    size_t size; /* bytes of an item */
};

static int compare_items(const void *a, const void *b, void *items)
{
    return memcmp(a, b, ((const struct items *)items)->size);
}

void oracle_sort(const struct buffer *buffer, void *contents)
{
    struct items items = {buffer->unordered * element_size(buffer->element)};
    uint64_t row = buffer->row > 0 ? buffer->row : buffer->count;

    if (buffer->unordered == 0 || contents == NULL)
        return;
    for (uint64_t first = 0; first < buffer->count; first += row)
        qsort_r((char *)contents + first * element_size(buffer->element), row / buffer->unordered,
                items.size, compare_items, &items);
}

/* ---- Judging ---- */

static uint64_t bits_at(enum element element, const void *array, uint64_t i)
{
    size_t size = element_size(element);
    uint64_t bits = 0;

    memcpy(&bits, (const char *)array + i * size, size);
    return bits;
}

/* Returns the contents of a buffer when the case begins. For captured memory, which may be large,
 * these are zeros: nothing reads them. Pointers are zeros, too. */
static void *initial_contents(const struct invocation *invocation, const struct buffer *buffer,
                              struct values values)
{
    const struct filling filling = values_filling(buffer, values);
    size_t size = element_size(buffer->element);
    char *contents = calloc(buffer->count > 0 ? buffer->count : 1, size);

    if (contents != NULL && buffer->fill == FILL_STRUCTS)
        for (size_t at = 0; at < buffer_bytes(buffer); at += (size_t)buffer->high)
            memcpy(contents + at, invocation->bytes + buffer->low, (size_t)buffer->high);
    if (contents == NULL || buffer->fill == FILL_STRUCTS || buffer->is_raw ||
        (buffer->role != ROLE_INPUT && buffer->role != ROLE_INOUT))
        return contents;
    for (uint64_t i = 0; i + buffer->padding < buffer->count; i++) {
        uint64_t bits = values_filled(&filling, i);
        memcpy(contents + i * size, &bits, size);
    }
    return contents;
}

static void add_bound(double bound, char text[48])
{
    size_t length = strlen(text);

    snprintf(text + length, 48 - length, " +- %.2g", bound);
}

static enum judgement compare_array(const struct result *result, uint32_t k, const void *expected,
                                    const double *bounds, struct difference *difference)
{
    const struct buffer *buffer = &result->invocation->buffers[k];
    const void *got = result->buffers[k];

    if (allowance_find(result->invocation->allowed, ALLOWED_ORDER, buffer->name) < MAX_ALLOWED)
        return JUDGEMENT_EQUAL; /* it depends on the order, so no reference decides */
    if (got != NULL && buffer->is_raw && memcmp(expected, got, buffer_bytes(buffer)) == 0)
        return JUDGEMENT_EQUAL;
    for (uint64_t i = 0; got != NULL && i < buffer->count; i++) {
        uint64_t wanted = bits_at(buffer->element, expected, i),
                 came = bits_at(buffer->element, got, i);
        if ((bounds != NULL ? is_within(buffer->element, bounds[i], wanted, came)
                            : is_near(buffer, result->variant->ulps, wanted, came)) ||
            result_skips(result, k, i))
            continue;
        difference_at(difference, result->invocation, k, i);
        oracle_text_of(buffer, wanted, difference->expected);
        if (bounds != NULL)
            add_bound(bounds[i], difference->expected);
        oracle_text_of(buffer, came, difference->got);
        return JUDGEMENT_DIFFERS;
    }
    return JUDGEMENT_EQUAL;
}

static enum judgement ask(const struct result *result, const struct expectation *expectation,
                          struct difference *difference)
{
    enum judgement judgement = JUDGEMENT_EQUAL;

    if (result->variant->expected(expectation)) {
        for (uint32_t k = 0; k < result->invocation->buffer_count && judgement == JUDGEMENT_EQUAL;
             k++) {
            oracle_sort(&result->invocation->buffers[k], expectation->arrays[k]);
            judgement = compare_array(result, k, expectation->arrays[k], expectation->bounds[k],
                                      difference);
        }
    } else if (!result->variant->may_abstain) {
        snprintf(difference->place, sizeof difference->place, "the oracle");
        snprintf(difference->expected, sizeof difference->expected, "a result");
        snprintf(difference->got, sizeof difference->got, "no answer");
        judgement = JUDGEMENT_DIFFERS;
    }
    return judgement;
}

static bool has_bounds(const struct variant *variant, const struct buffer *buffer)
{
    return variant->has_bounds &&
           (buffer->element == ELEMENT_F32 || buffer->element == ELEMENT_F64);
}

enum judgement judge_expected(const struct result *result, struct difference *difference)
{
    const struct invocation *invocation = result->invocation;
    void *arrays[MAX_BUFFERS] = {NULL};
    double *bounds[MAX_BUFFERS] = {NULL};
    const struct expectation expectation = {
        result->variant, result->shape, values_key(result->values), invocation, arrays, bounds};
    enum judgement judgement = JUDGEMENT_FAILED;
    bool filled = true;

    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        arrays[k] = initial_contents(invocation, &invocation->buffers[k], result->values);
        filled = filled && arrays[k] != NULL;
        if (has_bounds(result->variant, &invocation->buffers[k]))
            filled =
                (bounds[k] = calloc(invocation->buffers[k].count + 1, sizeof *bounds[k])) != NULL &&
                filled;
    }
    if (filled)
        judgement = ask(result, &expectation, difference);
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        free(arrays[k]);
        free(bounds[k]);
    }
    return judgement;
}
