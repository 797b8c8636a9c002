/* SPDX-License-Identifier: MIT */
#include "cub_expected.h"

#include "input_values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    size_t bytes;
    bool is_real;
} types[] = {
    [CUB_I32] = {4, false},
    [CUB_I64] = {8, false},
    [CUB_F32] = {4, true},
    [CUB_F64] = {8, true},
};

size_t cub_bytes(enum cub_type type)
{
    return types[type].bytes;
}

size_t cub_result_count(const struct cub_call *call, size_t count)
{
    return call->kind == CUB_SUM ? 1 : call->kind == CUB_HISTOGRAM ? CUB_BINS : count;
}

size_t cub_result_bytes(const struct cub_call *call)
{
    return call->kind == CUB_HISTOGRAM ? sizeof(int32_t) : cub_bytes(call->type);
}

/* ---- Elements of any type: integers modulo 2^64, or doubles, which hold every float ---- */

union number {
    uint64_t integer;
    double real;
};

static union number load(enum cub_type type, const void *array, size_t i)
{
    const char *at = (const char *)array + i * cub_bytes(type);
    union number number = {0};
    int32_t narrow;
    float single;

    switch (type) {
    case CUB_I32:
        memcpy(&narrow, at, sizeof narrow);
        number.integer = (uint64_t)(int64_t)narrow;
        break;
    case CUB_F32:
        memcpy(&single, at, sizeof single);
        number.real = single;
        break;
    case CUB_I64:
    case CUB_F64:
        memcpy(&number, at, sizeof number);
        break;
    }
    return number;
}

static void store(enum cub_type type, void *array, size_t i, union number number)
{
    char *at = (char *)array + i * cub_bytes(type);
    uint32_t narrow = (uint32_t)number.integer;
    float single;

    switch (type) {
    case CUB_I32:
        memcpy(at, &narrow, sizeof narrow);
        break;
    case CUB_F32:
        single = (float)number.real;
        memcpy(at, &single, sizeof single);
        break;
    case CUB_I64:
    case CUB_F64:
        memcpy(at, &number, sizeof number);
        break;
    }
}

static union number sum(enum cub_type type, union number a, union number b)
{
    if (types[type].is_real)
        return (union number){.real = a.real + b.real};
    return (union number){.integer = a.integer + b.integer};
}

/* ---- Input ---- */

/* Draws an input value.
 *
 * - Sums of floats: whole numbers, so small that 100003 of them add up to less than 2^24.
 * - Histograms: some values lie outside the bins.
 * - Sorting: some values are equal. */
static union number draw(const struct cub_call *call, uint64_t random)
{
    int64_t small = (int64_t)(random % 16) - 8,
            wide = (int64_t)random >> (random % 3 == 0 ? 58 : 8);
    bool is_real = types[call->type].is_real;

    if (call->kind == CUB_HISTOGRAM)
        wide = (int64_t)(random % (CUB_BINS_LIMIT + 40)) - 20;
    else if (is_real && call->kind != CUB_SORT)
        wide = small;
    return is_real ? (union number){.real = (double)wide}
                   : (union number){.integer = (uint64_t)wide};
}

void cub_fill(const struct cub_call *call, void *in, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        store(call->type, in, i, draw(call, values_hash(seed, i)));
}

/* ---- Results ---- */

static void expect_sum(enum cub_type type, const void *in, size_t count, void *out)
{
    union number total = {0};

    for (size_t i = 0; i < count; i++)
        total = sum(type, total, load(type, in, i));
    store(type, out, 0, total);
}

static void expect_scan(enum cub_type type, const void *in, size_t count, void *out,
                        bool is_inclusive)
{
    union number total = {0};

    for (size_t i = 0; i < count; i++) {
        union number next = sum(type, total, load(type, in, i));
        store(type, out, i, is_inclusive ? next : total);
        total = next;
    }
}

static int compare_integers(const void *a, const void *b)
{
    int64_t left = (int64_t)((const union number *)a)->integer;
    int64_t right = (int64_t)((const union number *)b)->integer;

    return (left > right) - (left < right);
}

static int compare_reals(const void *a, const void *b)
{
    double left = ((const union number *)a)->real, right = ((const union number *)b)->real;

    return (left > right) - (left < right);
}

static void expect_sorted(enum cub_type type, const void *in, size_t count, void *out)
{
    union number *numbers = malloc((count + 1) * sizeof *numbers);

    if (numbers == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        numbers[i] = load(type, in, i);
    qsort(numbers, count, sizeof *numbers, types[type].is_real ? compare_reals : compare_integers);
    for (size_t i = 0; i < count; i++)
        store(type, out, i, numbers[i]);
    free(numbers);
}

static void expect_histogram(enum cub_type type, const void *in, size_t count, int32_t *bins)
{
    memset(bins, 0, CUB_BINS * sizeof *bins);
    for (size_t i = 0; i < count; i++) {
        union number number = load(type, in, i);
        int64_t value = types[type].is_real ? (int64_t)number.real : (int64_t)number.integer;
        if (value >= 0 && value < CUB_BINS_LIMIT)
            bins[value / (CUB_BINS_LIMIT / CUB_BINS)]++;
    }
}

void cub_expect(const struct cub_call *call, const void *in, size_t count, void *out)
{
    switch (call->kind) {
    case CUB_SUM:
        expect_sum(call->type, in, count, out);
        break;
    case CUB_INCLUSIVE_SUM:
    case CUB_EXCLUSIVE_SUM:
        expect_scan(call->type, in, count, out, call->kind == CUB_INCLUSIVE_SUM);
        break;
    case CUB_SORT:
        expect_sorted(call->type, in, count, out);
        break;
    case CUB_HISTOGRAM:
        expect_histogram(call->type, in, count, out);
        break;
    }
}
