/* SPDX-License-Identifier: MIT */
#include "float_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIDE = 64,    /* elements between stored exact sums */
    MOST = 1 << 20, /* most stored elements of a series */
};

/* The sums of all elements before one. */
struct before {
    double sum, magnitude;
    uint32_t fractions; /* elements that are not whole */
    uint32_t others;    /* elements that are not finite */
};

enum { EXCEPTIONS = 2 };
static const uint64_t NOWHERE = UINT64_MAX - EXCEPTIONS;

struct float_series {
    struct values base, values;
    uint64_t exception; /* This element and the next may differ from `base`; the sums are those of
                           `base`. */
    uint32_t *words;    /* the elements' bits */
    struct before *before;  /* of elements 0 to `exact`, while double sums are exact */
    struct float_sum *sums; /* of all elements before 0, STRIDE, 2 * STRIDE ... */
    uint64_t known, summed; /* elements with stored words, and with stored sums */
    uint64_t exact;
};

struct values float_series_base(struct values values)
{
    switch (values.pattern) {
    case VALUES_UNIT:
        return (struct values){VALUES_ZEROS, 0};
    case VALUES_INFINITE:
    case VALUES_OPPOSED:
    case VALUES_NAN:
    case VALUES_ABSORBING:
        return (struct values){VALUES_ONES, 0};
    default:
        return values;
    }
}

struct float_series *float_series_create(struct values base)
{
    struct float_series *series = calloc(1, sizeof *series);

    if (series != NULL) {
        series->base = series->values = base;
        series->exception = NOWHERE;
    }
    return series;
}

void float_series_destroy(struct float_series *series)
{
    if (series == NULL)
        return;
    free(series->words);
    free(series->before);
    free(series->sums);
    free(series);
}

/* Sets the stored words of the exceptions to those of the values. */
static void write_exceptions(struct float_series *series, struct values values)
{
    for (uint64_t i = series->exception; i < series->exception + EXCEPTIONS; i++)
        if (i < series->known)
            series->words[i] = values_bits_f32(values.pattern, values.parameter, i);
}

void float_series_take(struct float_series *series, struct values values)
{
    write_exceptions(series, series->base);
    series->values = values;
    series->exception = NOWHERE;
    if (values.pattern != series->base.pattern)
        series->exception = values.parameter;
    write_exceptions(series, values);
}

/* Stores a + b. Returns false if it must be rounded (D. E. Knuth, "The Art of Computer
 * Programming", volume 2, section 4.2.2, theorem B). */
static bool add_exactly(double a, double b, double *sum)
{
    double of_b;

    *sum = a + b;
    of_b = *sum - a;
    return (a - (*sum - of_b)) + (b - of_b) == 0;
}

/* Computes the sums before the element after x. Returns false if doubles are not exact. */
static bool go_on(const struct before *before, float x, struct before *after)
{
    *after = *before;
    if (!isfinite(x)) {
        after->others++;
        return true;
    }
    after->fractions += truncf(x) != x;
    return add_exactly(before->sum, (double)x, &after->sum) &&
           add_exactly(before->magnitude, fabs((double)x), &after->magnitude);
}

/* Grows *array to `count` elements of that size. Returns false when memory runs out. */
static bool grow(void **array, uint64_t count, size_t size)
{
    void *larger = realloc(*array, count * size);

    *array = larger != NULL ? larger : *array;
    return larger != NULL;
}

/* Returns how many elements to store, given `known` stored ones and `count` needed ones. */
static uint64_t enough(uint64_t known, uint64_t count)
{
    uint64_t wanted = 2 * known > count ? 2 * known : count;

    wanted = (wanted / STRIDE + 1) * STRIDE;
    if (known > 0 && known >= count)
        return known;
    return wanted < MOST ? wanted : MOST;
}

static bool remember_words(struct float_series *series, uint64_t count)
{
    uint64_t wanted = enough(series->known, count);
    void *words = series->words;
    bool good = wanted == series->known || grow(&words, wanted, sizeof *series->words);

    series->words = words;
    for (uint64_t i = series->known; good && i < wanted; i++)
        series->words[i] = values_bits_f32(series->base.pattern, series->base.parameter, i);
    series->known = good ? wanted : series->known;
    write_exceptions(series, series->values);
    return good;
}

static bool make_room(struct float_series *series, uint64_t count)
{
    void *before = series->before, *sums = series->sums;
    bool good = grow(&before, count + 1, sizeof *series->before) &&
                grow(&sums, count / STRIDE + 1, sizeof *series->sums);

    series->before = before;
    series->sums = sums;
    if (good && series->summed == 0) {
        series->before[0] = (struct before){.sum = 0};
        series->sums[0] = (struct float_sum){.nans = 0};
    }
    return good;
}

bool float_series_extend(struct float_series *series, uint64_t count)
{
    uint64_t wanted = enough(series->summed, count);
    bool good =
        remember_words(series, count) && (wanted == series->summed || make_room(series, wanted));

    for (uint64_t i = series->summed; good && i < wanted; i++) {
        struct float_sum *sum = &series->sums[i / STRIDE + 1];
        float x = values_f32(series->base, i);
        if (i % STRIDE == 0)
            *sum = sum[-1];
        float_sum_add(sum, x);
        if (series->exact == i && go_on(&series->before[i], x, &series->before[i + 1]))
            series->exact++;
    }
    series->summed = good ? wanted : series->summed;
    return good;
}

bool float_series_words(struct float_series *series, uint64_t count, const uint32_t **words)
{
    bool good = remember_words(series, count);

    *words = good && count <= series->known ? series->words : NULL;
    return good;
}

static float element_at(const struct float_series *series, uint64_t i)
{
    float x;

    if (i >= series->known)
        return values_f32(series->values, i);
    memcpy(&x, &series->words[i], sizeof x);
    return x;
}

/* Adds the elements from `first` to before `last` one by one. */
static void add_each(const struct float_series *series, uint64_t first, uint64_t last,
                     struct float_sum *sum)
{
    for (uint64_t i = first; i < last; i++)
        float_sum_add(sum, element_at(series, i));
}

/* Corrects a sum of the base's elements from `first` to before `last`: replaces base values by the
 * series' exceptions. */
static void put_exceptions(const struct float_series *series, uint64_t first, uint64_t last,
                           struct float_sum *sum)
{
    for (uint64_t i = series->exception; i < series->exception + EXCEPTIONS; i++) {
        struct float_sum base = {0};
        if (i < first || i >= last)
            continue;
        float_sum_add(&base, values_f32(series->base, i));
        float_sum_take_away(sum, &base);
        float_sum_add(sum, values_f32(series->values, i));
    }
}

struct float_sum float_series_sum(const struct float_series *series, uint64_t first, uint64_t last)
{
    uint64_t from = (first + STRIDE - 1) / STRIDE,
             to = (last < series->summed ? last : series->summed) / STRIDE;
    struct float_sum sum = {0};

    if (from >= to) {
        add_each(series, first, last, &sum);
        return sum;
    }
    sum = series->sums[to];
    float_sum_take_away(&sum, &series->sums[from]);
    put_exceptions(series, from * STRIDE, to * STRIDE, &sum);
    add_each(series, first, from * STRIDE, &sum);
    add_each(series, to * STRIDE, last, &sum);
    return sum;
}

/* Computes the sums of the elements from `first` to before `last`. Returns false if doubles are not
 * exact. */
static bool sum_exactly(const struct float_series *series, uint64_t first, uint64_t last,
                        struct before *sum)
{
    const struct before *from = &series->before[first], *to = &series->before[last];
    bool good;

    *sum = (struct before){.fractions = to->fractions - from->fractions,
                           .others = to->others - from->others};
    good = add_exactly(to->sum, -from->sum, &sum->sum) &&
           add_exactly(to->magnitude, -from->magnitude, &sum->magnitude);
    for (uint64_t i = series->exception; i < series->exception + EXCEPTIONS; i++)
        if (i >= first && i < last) {
            double base = (double)values_f32(series->base, i);
            struct before without = *sum;
            good = good && add_exactly(sum->sum, -base, &without.sum) &&
                   add_exactly(sum->magnitude, -fabs(base), &without.magnitude) &&
                   go_on(&without, values_f32(series->values, i), sum);
        }
    return good;
}

/* Returns true if doubles alone show that `got` is right. False means undecided. */
static bool surely_accepts(const struct float_series *series, uint64_t first, uint64_t last,
                           uint64_t height, float got)
{
    struct before sum;

    return last <= series->exact && isfinite(got) && sum_exactly(series, first, last, &sum) &&
           sum.others == 0 &&
           fabs(sum.sum - (double)got) <=
               oracle_error_bound(sum.magnitude, sum.fractions > 0, height);
}

bool float_series_accepts(const struct float_series *series, uint64_t first, uint64_t last,
                          uint64_t height, float got)
{
    struct float_sum sum;

    if (surely_accepts(series, first, last, height, got))
        return true;
    sum = float_series_sum(series, first, last);
    return oracle_accepts_f32(&sum, height, got);
}
