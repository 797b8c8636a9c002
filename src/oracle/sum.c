/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include "float_series.h"

#include <stdlib.h>

int32_t oracle_sum_i32(const int32_t *x, uint64_t n)
{
    uint32_t sum = 0; /* unsigned, because int32 overflow is undefined in C */
    for (uint64_t i = 0; i < n; i++)
        sum += (uint32_t)x[i];
    return (int32_t)sum;
}

enum {
    REMEMBERED = 32,
    MAX_WORDS = 1 << 22,
};

/* Stored values, as ints or as floats. */
struct series {
    struct values values;
    bool in_use, is_float;
    uint32_t *prefix; /* prefix[i] is the sum of elements 0..i) */
    uint32_t *words;  /* the first elements, MAX_WORDS or less */
    uint64_t known;   /* prefix[0..known] is filled in */
    struct float_series *floats;
    uint64_t last_use;
};

struct oracle_sums {
    struct series series[REMEMBERED];
    uint64_t clock;
};

struct oracle_sums *oracle_sums_create(void)
{
    return calloc(1, sizeof(struct oracle_sums));
}

static void forget(struct series *series)
{
    free(series->prefix);
    free(series->words);
    float_series_destroy(series->floats);
    *series = (struct series){.in_use = false};
}

void oracle_sums_destroy(struct oracle_sums *sums)
{
    if (sums == NULL)
        return;
    for (int i = 0; i < REMEMBERED; i++)
        forget(&sums->series[i]);
    free(sums);
}

/* Returns the series of these values, or the least recently used one, emptied. */
static struct series *series_for(struct oracle_sums *sums, struct values values, bool is_float)
{
    struct series *found = NULL, *oldest = &sums->series[0];

    for (int i = 0; i < REMEMBERED && found == NULL; i++) {
        struct series *series = &sums->series[i];
        if (series->in_use && series->is_float == is_float &&
            series->values.pattern == values.pattern &&
            series->values.parameter == values.parameter)
            found = series;
        if (series->last_use < oldest->last_use)
            oldest = series;
    }
    if (found == NULL) {
        found = oldest;
        forget(found);
        *found = (struct series){.values = values, .in_use = true, .is_float = is_float};
    }
    found->last_use = ++sums->clock;
    return found;
}

static bool extend(struct series *series, uint64_t n)
{
    uint64_t wanted = series->known * 2 > n ? series->known * 2 : n,
             least = wanted < MAX_WORDS ? wanted : MAX_WORDS;
    uint32_t *words = realloc(series->words, (least + 1) * sizeof *words),
             *prefix = realloc(series->prefix, (wanted + 1) * sizeof *prefix);

    series->words = words != NULL ? words : series->words;
    series->prefix = prefix != NULL ? prefix : series->prefix;
    if (words == NULL || prefix == NULL)
        return false;
    prefix[0] = 0;
    for (uint64_t i = series->known; i < wanted; i++) {
        uint32_t word = (uint32_t)values_i32(series->values, i);
        prefix[i + 1] = prefix[i] + word;
        if (i < MAX_WORDS)
            words[i] = word;
    }
    series->known = wanted;
    return true;
}

/* Returns the series of ints with at least n elements. Returns null when memory runs out. */
static const struct series *series_of_ints(struct oracle_sums *sums, struct values values,
                                           uint64_t n)
{
    struct series *series = series_for(sums, values, false);

    return (series->known == 0 || n > series->known) && !extend(series, n) ? NULL : series;
}

bool oracle_sums_i32(struct oracle_sums *sums, struct values values, uint64_t n, int32_t *sum)
{
    const struct series *series = series_of_ints(sums, values, n);

    if (series == NULL)
        return false;
    *sum = (int32_t)series->prefix[n];
    return true;
}

static struct series *series_of_floats(struct oracle_sums *sums, struct values values)
{
    struct series *series = series_for(sums, float_series_base(values), true);

    if (series->floats == NULL)
        series->floats = float_series_create(series->values);
    if (series->floats != NULL)
        float_series_take(series->floats, values);
    return series;
}

bool oracle_sums_words(struct oracle_sums *sums, enum element element, struct values values,
                       uint64_t n, const uint32_t **words)
{
    const struct series *series;

    *words = NULL;
    if (element == ELEMENT_F32) {
        series = series_of_floats(sums, values);
        return series->floats != NULL && float_series_words(series->floats, n, words);
    }
    if (n > MAX_WORDS)
        return true;
    series = series_of_ints(sums, values, n);
    if (series != NULL)
        *words = series->words;
    return series != NULL;
}

const struct float_series *oracle_sums_f32(struct oracle_sums *sums, struct values values,
                                           uint64_t n)
{
    struct series *series = series_of_floats(sums, values);

    return series->floats != NULL && float_series_extend(series->floats, n) ? series->floats : NULL;
}
