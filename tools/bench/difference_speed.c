/* SPDX-License-Identifier: MIT */
#include "bench_wing.h"
#include "engines.h"
#include "record_speed.h"
#include "spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SAMPLES = 9, MAX_SAMPLES = 1024 }; /* fewer samples give no estimate of the spread */

/* The measurements of a row. */
struct measured {
    const struct list *samples, *paces; /* of double; without paces, samples are not scaled */
};

/* Divides the samples by the pace of the machine at that time, if known. Returns the number of
 * samples, or 0 if there are too few. */
static size_t samples_of(const struct measured *row, double values[MAX_SAMPLES])
{
    const double *samples = row->samples->items, *paces;
    size_t count = row->samples->count < MAX_SAMPLES ? row->samples->count : MAX_SAMPLES;

    for (size_t k = 0; k < count; k++) {
        bool has_pace = row->paces != NULL && k < row->paces->count;
        paces = has_pace ? row->paces->items : NULL;
        values[k] = samples[k] / (has_pace && paces[k] > 0 ? paces[k] : 1);
        if (!(values[k] > 0))
            return 0;
    }
    return count < MIN_SAMPLES ? 0 : count;
}

static struct measured measured_of(const struct throughput_record *row, bool is_steady)
{
    return (struct measured){&row->samples, is_steady ? &row->pace : NULL};
}

/* Returns -1 if the new row is slower, both in total and after division by the machine's ratio.
 * Returns 1 if it is faster in both, and 0 otherwise. Unless the result is 0, sets both spreads;
 * the new one is divided by the machine's ratio. */
static int judge_spreads(const struct measured *old_row, const struct measured *new_row,
                         double machine, struct spread *before, struct spread *after)
{
    double old_values[MAX_SAMPLES], new_values[MAX_SAMPLES];
    size_t old_count = samples_of(old_row, old_values), new_count = samples_of(new_row, new_values);
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
              "%.0f %% %s%s, with noise of %.1f %% before and %.1f %% after",
              100 * fabs(after->median / before->median - 1), order < 0 ? "slower" : "faster",
              than_others ? " after correction for the machine" : "", 100 * before->noise,
              100 * after->noise);
}

/* ---- The machine ---- */

/* Returns the change that the rows have in common. */
static double common_change(double *changes, size_t count)
{
    enum { MIN_ROWS = 3 }; /* a common change of fewer rows may be a coincidence */
    const double most = 2; /* a shared core leaves at least half of its throughput */
    struct spread spread;
    double common;

    if (count < MIN_ROWS)
        return 1;
    spread = spread_of(changes, count);
    common = spread.low > 1 ? spread.low : spread.high < 1 ? spread.high : 1;
    return common > most || common < 1 / most ? 1 : common;
}

/* Returns the row of the same case in the other snapshot, or null. */
static const struct throughput_record *counterpart(const struct throughput_record *row,
                                                   const struct list *others)
{
    const struct throughput_record *all = others->items;

    for (size_t r = 0; r < others->count; r++)
        if (strcmp(row->id, all[r].id) == 0 && row->kind == all[r].kind &&
            strcmp(row->case_id, all[r].case_id) == 0)
            return &all[r];
    return NULL;
}

/* Returns the machine's ratio from all rows of an engine that runs on a CPU. */
static double machine_of(const struct list *old_rows, const struct list *new_rows)
{
    double before[MAX_SAMPLES], after[MAX_SAMPLES],
        *changes = malloc((new_rows->count + 1) * sizeof *changes), common;
    const struct throughput_record *rows = new_rows->items;
    size_t count = 0;

    for (size_t r = 0; r < new_rows->count; r++) {
        const struct throughput_record *other = counterpart(&rows[r], old_rows);
        struct measured now = measured_of(&rows[r], true),
                        then = measured_of(other != NULL ? other : &rows[r], true);
        size_t old_count = other != NULL ? samples_of(&then, before) : 0,
               new_count = samples_of(&now, after);
        if (changes != NULL && old_count > 0 && new_count > 0)
            changes[count++] =
                spread_of(after, new_count).median / spread_of(before, old_count).median;
    }
    common = common_change(changes, count);
    free(changes);
    return common;
}

/* Returns the rows of an engine, as a list of struct throughput_record. */
static struct list rows_of(const json_t *throughput, const char *engine, struct memory *memory)
{
    struct list rows;

    model_read_list(&throughput_table, json_object_get(throughput, engine), &rows, memory, NULL, 0);
    return rows;
}

struct list throughput_machine(const json_t *old_snapshot, const json_t *new_snapshot,
                               struct memory *memory)
{
    struct list machine = list_take(memory, 0, sizeof(struct named_value));
    const json_t *then = json_object_get(old_snapshot, throughput_rows->member);
    json_t *now = json_object_get(new_snapshot, throughput_rows->member), *rows;
    const char *engine;

    json_object_foreach(now, engine, rows)
    {
        struct list before = rows_of(then, engine, memory), after = rows_of(now, engine, memory);
        if (after.count > 0 && engine_is_steady(engine))
            LIST_ADD(memory, &machine, struct named_value) =
                (struct named_value){.name = engine, .number = machine_of(&before, &after)};
    }
    return machine;
}

/* ---- Throughput ---- */

/* Returns the machine's ratio for an engine, or 1 if it is unknown. */
static double machine_for(const struct row_pair *pair, const char *engine)
{
    const struct named_value *machine = pair->machine->items;

    for (size_t k = 0; k < pair->machine->count; k++)
        if (strcmp(machine[k].name, engine) == 0)
            return machine[k].number;
    return 1;
}

static void judge_throughput(struct row_pair *pair)
{
    struct throughput_record old_row, new_row;
    struct measured then = measured_of(&old_row, pair->is_steady),
                    now = measured_of(&new_row, pair->is_steady);
    struct spread before, after;
    double machine;
    int order;

    model_read(&throughput_table, pair->old_row, &old_row, pair->memory, NULL, 0);
    model_read(&throughput_table, pair->new_row, &new_row, pair->memory, NULL, 0);
    if (strcmp(old_row.case_id, new_row.case_id) != 0) {
        pair_note(pair, CHANGE_CHANGED, "a different case was timed");
        return;
    }
    machine = machine_for(pair, engine_kinds[new_row.engine].name);
    order = judge_spreads(&then, &now, machine, &before, &after);
    if (order != 0)
        note_order(pair, order, &before, &after, machine < 1 || machine > 1);
}

/* ---- Benchmark ---- */

/* Compares two rows of the benchmark. A row measures a single launch, so the times must differ by
 * more than the start-up of a launch varies between processes. */
static void judge_benchmark(struct row_pair *pair)
{
    const double start_seconds = 10e-6; /* up to 7e-6 between two processes, on an H200 */
    struct benchmark_row old_row, new_row;
    const struct measured then = {&old_row.samples, NULL}, now = {&new_row.samples, NULL};
    struct spread before, after;
    double bytes;
    int order;

    model_read(&benchmark_row_table, pair->old_row, &old_row, pair->memory, NULL, 0);
    model_read(&benchmark_row_table, pair->new_row, &new_row, pair->memory, NULL, 0);
    /* Elements are ints or floats. A copy reads and writes them. */
    bytes = (strcmp(new_row.kernel, "copy") == 0 ? 8 : 4) * (double)new_row.elements;
    order = judge_spreads(&then, &now, 1, &before, &after);
    if (order != 0 && fabs(bytes / after.median - bytes / before.median) > start_seconds)
        note_order(pair, order, &before, &after, false);
}

const struct part_rows throughput_rows[] = {
    {"throughput", "throughput", .table = &throughput_table, .judge = judge_throughput},
    {.name = NULL},
};

const struct part_rows benchmark_rows[] = {
    {"benchmark", "benchmark", .table = &benchmark_row_table, .judge = judge_benchmark},
    {.name = NULL},
};
