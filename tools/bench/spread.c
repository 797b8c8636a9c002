/* SPDX-License-Identifier: MIT */
#include "spread.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

struct spread spread_of(double *values, size_t count)
{
    const double normal = 1.4826; /* standard deviation over median absolute deviation */
    struct spread spread = {.median = median(values, count)};

    spread.low = values[count / 4];
    spread.high = values[count - 1 - count / 4];
    spread.top = values[count - 1 - count / 10];
    for (size_t k = 0; k < count; k++)
        values[k] = fabs(values[k] - spread.median);
    spread.noise = normal * median(values, count) / spread.median;
    return spread;
}

int spread_compare(const struct spread *a, const struct spread *b)
{
    const double least = 0.1, noises = 3;
    double change = b->median / a->median - 1, of_top = b->top / a->top - 1;
    double noise = noises * (a->noise > b->noise ? a->noise : b->noise);

    if (fabs(change) <= (noise > least ? noise : least))
        return 0;
    if (change < 0)
        return of_top < -least && b->high < a->low ? -1 : 0;
    return of_top > least && b->low > a->high ? 1 : 0;
}
