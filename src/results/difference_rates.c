/* SPDX-License-Identifier: MIT */
#include "difference_rates.h"

#include "members.h"
#include "spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SAMPLES = 9, MOST_SAMPLES = 1024 }; /* fewer tell nothing of their spread */

/* Samples as shares of what the machine did at that time, where the engine runs on its CPU. Returns
 * how many; 0: too few. */
static size_t samples_of(const json_t *row, double values[MOST_SAMPLES])
{
    const json_t *samples = json_object_get(row, "samples"), *paces = json_object_get(row, "pace");
    size_t count =
        json_array_size(samples) < MOST_SAMPLES ? json_array_size(samples) : MOST_SAMPLES;

    for (size_t k = 0; k < count; k++) {
        double pace = is_steady(row) ? json_number_value(json_array_get(paces, k)) : 1;
        values[k] = json_number_value(json_array_get(samples, k)) / (pace > 0 ? pace : 1);
        if (!(values[k] > 0))
            return 0;
    }
    return count < LEAST_SAMPLES ? 0 : count;
}

static bool same_text(const json_t *a, const json_t *b, const char *name)
{
    return strcmp(text_in(a, name), text_in(b, name)) == 0;
}

/* -1: the new row is slower than by the machine, and slower at all; 1: faster; 0: neither can be
 * said. Both spreads, the new one as on the machine as it was, are set where it is not 0. */
static int judge_spreads(struct row_pair *pair, double machine, struct spread *before,
                         struct spread *after)
{
    double old_values[MOST_SAMPLES], new_values[MOST_SAMPLES];
    size_t old_count = samples_of(pair->old_row, old_values),
           new_count = samples_of(pair->new_row, new_values);
    int order;

    if (old_count == 0 || new_count == 0)
        return 0;
    for (size_t k = 0; k < new_count; k++)
        new_values[k] /= machine;
    *before = spread_of(old_values, old_count);
    *after = spread_of(new_values, new_count);
    order = spread_compare(before, after);
    return order * (after->median * machine - before->median) > 0 ? order : 0;
}

static void note_order(struct row_pair *pair, int order, const struct spread *before,
                       const struct spread *after, bool than_others)
{
    pair_note(pair, order < 0 ? CHANGE_REGRESSION : CHANGE_FIX,
              "%.0f %% %s%s, with noise of %.1f %% and %.1f %%",
              100 * fabs(after->median / before->median - 1), order < 0 ? "slower" : "faster",
              than_others ? " than by the machine" : "", 100 * before->noise, 100 * after->noise);
}

/* ---- The machine ---- */

/* The change that the rows have in common. */
static double common_change(double *changes, size_t count)
{
    enum { LEAST_ROWS = 3 }; /* what fewer have in common is their own */
    const double most = 2;   /* who shares a core with others has half of it, at the least */
    struct spread spread;
    double common;

    if (count < LEAST_ROWS)
        return 1;
    spread = spread_of(changes, count);
    common = spread.low > 1 ? spread.low : spread.high < 1 ? spread.high : 1;
    return common > most || common < 1 / most ? 1 : common;
}

/* The row of the same case in the other snapshot; null: none. */
static const json_t *counterpart(const json_t *row, const json_t *others)
{
    const json_t *other;
    size_t r;

    json_array_foreach(others, r, other)
    {
        if (same_text(row, other, "id") && same_text(row, other, "form") &&
            same_text(row, other, "case"))
            return other;
    }
    return NULL;
}

/* Of all rows of an engine that runs on a CPU. */
static double machine_of(const json_t *old_rows, const json_t *new_rows)
{
    double before[MOST_SAMPLES], after[MOST_SAMPLES],
        *changes = malloc((json_array_size(new_rows) + 1) * sizeof *changes), common;
    const json_t *row;
    size_t r, count = 0;

    json_array_foreach(new_rows, r, row)
    {
        size_t old_count = samples_of(counterpart(row, old_rows), before),
               new_count = samples_of(row, after);
        if (changes != NULL && old_count > 0 && new_count > 0 && is_steady(row))
            changes[count++] =
                spread_of(after, new_count).median / spread_of(before, old_count).median;
    }
    common = common_change(changes, count);
    free(changes);
    return common;
}

json_t *rates_machine(const json_t *old_snapshot, const json_t *new_snapshot)
{
    const json_t *old_rates = json_object_get(old_snapshot, "rates");
    json_t *machine = json_object(), *rows;
    const char *engine;

    json_object_foreach(json_object_get(new_snapshot, "rates"), engine, rows)
    {
        const json_t *first = json_array_get(rows, 0);
        if (first != NULL && is_steady(first))
            json_object_set_new(machine, engine,
                                json_real(machine_of(json_object_get(old_rates, engine), rows)));
    }
    return machine;
}

bool rates_machine_tells(const char *engine, const json_t *share, char *text, size_t size)
{
    const double told = 0.1; /* as of a row */
    double change = json_number_value(share) - 1;

    snprintf(text, size, "%s: all %.0f %% %s, which is taken for the machine's", engine,
             100 * fabs(change), change < 0 ? "slower" : "faster");
    return fabs(change) > told;
}

/* ---- rates ---- */

json_t *rate_rows(const json_t *snapshot, const json_t *other)
{
    json_t *rows = rows_by_engine(json_object_get(snapshot, "rates")),
           *machine = rates_machine(other, snapshot), *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_t *share = json_object_get(machine, text_in(row, "engine"));
        if (share != NULL)
            json_object_set(row, "machine", share);
    }
    json_decref(machine);
    return rows;
}

void judge_rate(struct row_pair *pair)
{
    const json_t *share = json_object_get(pair->new_row, "machine");
    double machine = share != NULL ? json_number_value(share) : 1;
    struct spread before, after;
    int order;

    if (!same_text(pair->old_row, pair->new_row, "case")) {
        pair_note(pair, CHANGE_CHANGED, "another case was timed");
        return;
    }
    order = judge_spreads(pair, machine, &before, &after);
    if (order != 0)
        note_order(pair, order, &before, &after, machine < 1 || machine > 1);
}

/* ---- ladder ---- */

json_t *ladder_rows(const json_t *snapshot, const json_t *other)
{
    json_t *rows = json_array(), *row;
    size_t r;
    (void)other;

    json_array_foreach(json_object_get(snapshot, "ladder"), r, row)
    {
        json_t *copy = json_copy(row);
        json_object_set_new(copy, "size",
                            json_sprintf("%" JSON_INTEGER_FORMAT, number_in(row, "elements")));
        json_array_append_new(rows, copy);
    }
    return rows;
}

/* A rung is a single launch: it has to take longer by more than its start does from one process to
 * another. */
void judge_rung(struct row_pair *pair)
{
    const double start_seconds = 10e-6; /* up to 7e-6 between two processes, on an H200 */
    /* Ints or floats; a copy reads and writes them. */
    double bytes = (strcmp(text_in(pair->new_row, "kernel"), "copy") == 0 ? 8 : 4) *
                   (double)number_in(pair->new_row, "elements");
    struct spread before, after;
    int order = judge_spreads(pair, 1, &before, &after);

    if (order != 0 && fabs(bytes / after.median - bytes / before.median) > start_seconds)
        note_order(pair, order, &before, &after, false);
}
