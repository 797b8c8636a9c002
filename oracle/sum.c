/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>

int32_t oracle_sum_i32(const int32_t *x, uint64_t n)
{
    uint32_t sum = 0; /* unsigned, for int32 overflow is undefined in C */
    for (uint64_t i = 0; i < n; i++)
        sum += (uint32_t)x[i];
    return (int32_t)sum;
}

enum { REMEMBERED = 16 };

struct series {
    struct values values;
    uint32_t *prefix; /* prefix[i] is the sum of elements 0..i) */
    uint64_t known;   /* prefix[0..known] is filled in */
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

void oracle_sums_destroy(struct oracle_sums *sums)
{
    if (sums == NULL)
        return;
    for (int i = 0; i < REMEMBERED; i++)
        free(sums->series[i].prefix);
    free(sums);
}

/* The series of these values, or the one used longest ago, emptied. */
static struct series *series_for(struct oracle_sums *sums, struct values values)
{
    struct series *oldest = &sums->series[0];
    for (int i = 0; i < REMEMBERED; i++) {
        struct series *series = &sums->series[i];
        if (series->prefix != NULL && series->values.pattern == values.pattern &&
            series->values.parameter == values.parameter)
            return series;
        if (series->last_use < oldest->last_use)
            oldest = series;
    }
    free(oldest->prefix);
    *oldest = (struct series){.values = values};
    return oldest;
}

static bool extend(struct series *series, uint64_t n)
{
    uint64_t wanted = series->known * 2 > n ? series->known * 2 : n;
    uint32_t *prefix = realloc(series->prefix, (wanted + 1) * sizeof *prefix);
    if (prefix == NULL)
        return false;
    if (series->prefix == NULL)
        prefix[0] = 0;
    series->prefix = prefix;
    for (uint64_t i = series->known; i < wanted; i++)
        prefix[i + 1] = prefix[i] + (uint32_t)values_i32(series->values, i);
    series->known = wanted;
    return true;
}

bool oracle_sums_i32(struct oracle_sums *sums, struct values values, uint64_t n, int32_t *sum)
{
    struct series *series = series_for(sums, values);
    series->last_use = ++sums->clock;
    if ((series->prefix == NULL || n > series->known) && !extend(series, n))
        return false;
    *sum = (int32_t)series->prefix[n];
    return true;
}
