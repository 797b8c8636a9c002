/* SPDX-License-Identifier: MIT */
#include "races_sweep.h"

#include "interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HUNG = 3 }; /* patterns of values that a kernel need not take */

struct sweep {
    const struct plan *plan;
    struct race_row *row;
    uint64_t *failures_left;
    const struct races_request *request;
    /* Cases under other values, those of a pattern in a row; null while those of the plan run. */
    struct test_case *more;
    uint64_t count, first, tried; /* of them; the first of the pattern at hand; how many of that */
    unsigned int hung;            /* patterns */
};

bool races_have_failed(const struct race_row *row)
{
    return row->faults > 0 || row->unexpected > 0 ||
           (row->variant->known_defect == NULL && row->racing > 0);
}

/* ---- What came ---- */

/* Keeps the smallest, each shape once. */
static void keep(struct race_row *row, const struct test_case *test)
{
    size_t place = row->kept;

    for (size_t k = 0; k < row->kept; k++)
        if (memcmp(&row->smallest[k].shape, &test->shape, sizeof test->shape) == 0)
            return;
    while (place > 0 && shape_is_smaller(&test->shape, &row->smallest[place - 1].shape))
        place--;
    if (place == SHAPES_KEPT)
        return;
    if (row->kept < SHAPES_KEPT)
        row->kept++;
    memmove(&row->smallest[place + 1], &row->smallest[place],
            (row->kept - 1 - place) * sizeof row->smallest[0]);
    row->smallest[place] = *test;
}

/* Counts a case that races, or has strong accesses that nothing orders. What is kept are the most
 * telling: a race is more so than order, and one that is not claimed than any that is. */
static void take_races(struct race_row *row, const struct test_case *test,
                       const struct outcome *outcome, uint64_t allowed)
{
    bool races = outcome->races > allowed, unordered = outcome->unordered > 0;
    bool same = !races && allowed > 0;
    bool unexpected = row->variant->known_defect != NULL && outcome->unexpected > 0;
    bool first =
        (unexpected && row->unexpected == 0) || (races && row->racing == 0 && row->unexpected == 0);
    bool telling = unexpected ||
                   (row->unexpected == 0 && (races || ((unordered || same) && row->racing == 0)));

    if (first)
        row->kept = 0;
    if (telling)
        keep(row, test);
    row->unexpected += unexpected;
    row->racing += races;
    row->unordered += !races && unordered;
    row->same_value += same;
}

/* Counts a case that is judged; false when the sweep must end. */
static bool take(struct sweep *sweep, const struct test_case *test, const struct outcome *outcome)
{
    struct race_row *row = sweep->row;
    uint64_t allowed = sweep->request->allow.same_value ? outcome->same_value : 0;
    bool fails = outcome->kind == OUTCOME_FAULT && sweep->more == NULL;

    row->cases++;
    row->checked += outcome->checked;
    if (fails && row->faults++ == 0) {
        row->fault_test = *test;
        row->fault = *outcome;
    }
    take_races(row, test, outcome, allowed);
    *sweep->failures_left -=
        fails ||
        (row->variant->known_defect != NULL ? outcome->unexpected : outcome->races - allowed) > 0;
    return *sweep->failures_left > 0;
}

/* ---- The plan's values ---- */

static void source_planned(void *context, uint64_t index, struct test_case *test)
{
    const struct sweep *sweep = context;
    plan_case(sweep->plan, index, test);
    test->values = (struct values){VALUES_HASH, RACES_SEED};
}

static bool sink_planned(void *context, uint64_t index, const struct test_case *test,
                         const struct outcome *outcome)
{
    (void)index;
    return take(context, test, outcome);
}

/* ---- Other values ---- */

static int by_pattern(const void *a, const void *b)
{
    const struct test_case *x = a, *y = b;

    if (x->values.pattern != y->values.pattern)
        return x->values.pattern < y->values.pattern ? -1 : 1;
    return shape_is_smaller(&x->shape, &y->shape)   ? -1
           : shape_is_smaller(&y->shape, &x->shape) ? 1
                                                    : 0;
}

/* False when memory runs out. */
static bool add_values(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    struct values sets[PLAN_SETS];

    sweep->more = calloc(plan->shape_count * PLAN_SETS + 1, sizeof *sweep->more);
    for (size_t k = 0; k < plan->shape_count && sweep->more != NULL; k++) {
        size_t count = plan_sets(plan, k, sets);
        for (size_t v = 1; v < count; v++) {
            struct test_case *test = &sweep->more[sweep->count++];
            plan_case(plan, plan->shapes[k].first, test);
            test->values = sets[v];
            if (!sweep->request->selection.cases.schedules_chosen)
                test->schedule = (struct schedule){SCHEDULE_RANDOM, plan->seed + v, {0}};
        }
    }
    if (sweep->more != NULL)
        qsort(sweep->more, sweep->count, sizeof *sweep->more, by_pattern);
    return sweep->more != NULL;
}

/* How many cases, from that one on, have its pattern. */
static uint64_t count_pattern(const struct sweep *sweep, uint64_t first)
{
    uint64_t count = 1;

    while (first + count < sweep->count &&
           sweep->more[first + count].values.pattern == sweep->more[first].values.pattern)
        count++;
    return count;
}

static void source_more(void *context, uint64_t index, struct test_case *test)
{
    const struct sweep *sweep = context;
    *test = sweep->more[sweep->first + index];
}

/* A pattern that hangs is not tried again. */
static bool sink_more(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct sweep *sweep = context;
    bool hangs = outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_TIMEOUT;

    (void)index;
    sweep->tried++;
    if (!outcome_is_foreign(outcome))
        return take(sweep, test, outcome);
    if (sweep->row->left_out++ == 0)
        sweep->row->first_left_out = (struct counterexample){.test = *test, .outcome = *outcome};
    sweep->hung += hangs;
    return !hangs;
}

/* A pattern after the other, until several have hung. */
static enum engine_status run_more(struct sweep *sweep, struct supervisor *supervisor)
{
    enum engine_status status = ENGINE_OK;
    uint64_t count;

    for (; sweep->first < sweep->count && status == ENGINE_OK && *sweep->failures_left > 0 &&
           !interrupt_came();
         sweep->first += count) {
        count = count_pattern(sweep, sweep->first);
        sweep->tried = 0;
        if (sweep->hung < MAX_HUNG)
            status = supervisor_run(supervisor, count, source_more, sink_more, sweep);
        if (*sweep->failures_left > 0)
            sweep->row->left_out += count - sweep->tried;
    }
    return status;
}

enum engine_status races_sweep(struct supervisor *supervisor, const struct plan *plan,
                               struct race_row *row, const struct races_request *request,
                               uint64_t *failures_left)
{
    struct sweep sweep = {
        .plan = plan, .row = row, .failures_left = failures_left, .request = request};
    enum engine_status status;

    supervisor_ask(supervisor, REQUEST_RACE);
    status = supervisor_run(supervisor, plan_count(plan), source_planned, sink_planned, &sweep);
    if (status != ENGINE_OK || row->variant->launch == NULL || races_have_failed(row))
        return status;
    status =
        add_values(&sweep) ? run_more(&sweep, supervisor) : supervisor_out_of_memory(supervisor);
    free(sweep.more);
    return status;
}
