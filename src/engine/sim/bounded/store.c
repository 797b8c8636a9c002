/* SPDX-License-Identifier: MIT */
#include "store.h"

#include "input_values.h"
#include "types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VALUES = (1 << 23) - 2, /* payloads of a float's NaN, without PAYLOAD_NAN */
    QUIET = 1 << 22             /* the payload of the usual NaN of CPUs */
};

#define SIGN_F32 UINT32_C(0x80000000)
#define NAN_F32 UINT32_C(0x7f800000)
#define SIGN_F64 UINT64_C(0x8000000000000000)
#define NAN_F64 UINT64_C(0x7ffc000000000000)
/* The NaN of PTX. */
#define PTX_NAN_F32 UINT32_C(0x7fffffff)
#define PTX_NAN_F64 UINT64_C(0x7fffffffffffffff)

/* Value k is values[k - 1]. The table has the numbers of values by their hashes, and 0 for none. */
static struct store {
    struct bounded *values;
    uint32_t *table;
    uint32_t count, capacity, table_size;
    bool is_full;
} store;

void store_clear(void)
{
    if (store.table != NULL)
        memset(store.table, 0, store.table_size * sizeof *store.table);
    store.count = 0;
    store.is_full = false;
}

bool store_is_full(void)
{
    return store.is_full;
}

static uint64_t hash_of(const struct bounded *value)
{
    uint64_t hash = values_hash(bits_of_f64(value->value), bits_of_f64(value->error));

    return values_hash(hash, bits_of_f64(value->terms) ^ bits_of_f64(value->magnitude) << 1);
}

static bool are_equal(const struct bounded *a, const struct bounded *b)
{
    return bits_of_f64(a->value) == bits_of_f64(b->value) && a->error == b->error &&
           a->terms == b->terms && a->magnitude == b->magnitude && a->inherited == b->inherited &&
           a->is_whole == b->is_whole;
}

/* Returns the place of the value in the table, or that where it belongs. */
static uint32_t *find(const struct bounded *value)
{
    uint32_t at = (uint32_t)hash_of(value) & (store.table_size - 1);

    while (store.table[at] != 0 && !are_equal(&store.values[store.table[at] - 1], value))
        at = (at + 1) & (store.table_size - 1);
    return &store.table[at];
}

/* Makes room for another value. Returns false if there is none. */
static bool grow(void)
{
    uint32_t capacity = store.capacity > 0 ? 2 * store.capacity : 1 << 12;
    struct bounded *values = realloc(store.values, capacity * sizeof *values);
    uint32_t *table;

    store.values = values != NULL ? values : store.values;
    table = values != NULL ? calloc(2 * (size_t)capacity, sizeof *table) : NULL;
    if (table == NULL)
        return false;
    free(store.table);
    store.table = table;
    store.table_size = 2 * capacity;
    store.capacity = capacity;
    for (uint32_t k = 0; k < store.count; k++)
        *find(&store.values[k]) = k + 1;
    return true;
}

/* Returns the number of a value that is not negative, or 0 if it is lost. */
static uint32_t number_of(const struct bounded *value)
{
    uint32_t *place;

    if (store.count == store.capacity && !grow()) {
        store.is_full = true;
        return 0;
    }
    place = find(value);
    if (*place != 0)
        return *place;
    if (store.count + 1 == QUIET) /* no value has this number */
        store.values[store.count++] = bounded_exact(NAN);
    if (store.count == MAX_VALUES || store.count == store.capacity) {
        store.is_full = store.count == MAX_VALUES;
        return store.is_full ? 0 : number_of(value);
    }
    store.values[store.count++] = *value;
    return *place = store.count;
}

/* Returns true if the value needs no place in the store as a float or double. */
static bool is_plain(const struct bounded *value)
{
    return value->error == 0 && value->terms < 2;
}

static uint32_t number_of_magnitude(struct bounded value)
{
    value.value = fabs(value.value);
    return number_of(&value);
}

uint32_t store_bits_f32(struct bounded value)
{
    uint32_t sign = signbit(value.value) ? SIGN_F32 : 0, number;

    if (isnan(value.value))
        return PTX_NAN_F32;
    if (is_plain(&value) && (double)(float)value.value == value.value)
        return values_as_bits((float)value.value);
    number = number_of_magnitude(value);
    return number != 0 ? sign | NAN_F32 | number : PTX_NAN_F32;
}

uint64_t store_bits_f64(struct bounded value)
{
    uint64_t sign = signbit(value.value) ? SIGN_F64 : 0;
    uint32_t number;

    if (isnan(value.value))
        return PTX_NAN_F64;
    if (is_plain(&value))
        return bits_of_f64(value.value);
    number = number_of_magnitude(value);
    return number != 0 ? sign | NAN_F64 | number : PTX_NAN_F64;
}

bool store_has_f32(uint32_t bits)
{
    uint32_t number = bits & ~SIGN_F32 & ~NAN_F32;

    return (bits & NAN_F32) == NAN_F32 && number != 0 && number <= store.count && number != QUIET;
}

bool store_has_f64(uint64_t bits)
{
    uint64_t number = bits & ~SIGN_F64 & ~NAN_F64;

    return (bits & NAN_F64) == NAN_F64 && number != 0 && number <= store.count && number != QUIET;
}

static struct bounded signed_value(uint64_t number, bool is_negative)
{
    return is_negative ? bounded_negate(store.values[number - 1]) : store.values[number - 1];
}

struct bounded store_value_f32(uint32_t bits)
{
    return store_has_f32(bits) ? signed_value(bits & ~SIGN_F32 & ~NAN_F32, (bits & SIGN_F32) != 0)
                               : bounded_exact((double)values_as_float(bits));
}

struct bounded store_value_f64(uint64_t bits)
{
    return store_has_f64(bits) ? signed_value(bits & ~SIGN_F64 & ~NAN_F64, (bits & SIGN_F64) != 0)
                               : bounded_exact(f64_of_bits(bits));
}
