/* SPDX-License-Identifier: MIT
 *
 * The race checker on all shapes of a plan: first with the values of the plan, then, for a launch
 * line, with other values.
 */
#include "races_sweep.h"

#include "interrupt.h"
#include "races_plan.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MAX_HUNG = 3, /* after this many cases or patterns have hung, the others are left out */
};

struct sweep {
    const struct plan *plan;
    struct race_row *row;
    uint64_t *failures_left;
    const struct rows_request *request;
    const struct session *session;
    uint64_t done; /* cases that ran, or that other reasons left out */
    /* Further cases, sorted by pattern of values. Null while the cases of the plan run. */
    struct test_case *more;
    uint64_t count, first, tried; /* all; the first of the current pattern; runs of that pattern */
    unsigned int hung;            /* cases or patterns that hung */
};

/* ---- Outcomes ---- */

/* Counts a case that ran. Returns whether there is time for another one. */
static bool count_done(struct sweep *sweep)
{
    const struct race_row *row = sweep->row;

    sweep->done++;
    if (progress_is_due(&sweep->session->sinks->progress))
        progress_say(&sweep->session->sinks->progress,
                     "%s: races, model %s: case %" PRIu64 " of %" PRIu64, row->variant->id,
                     model_name(row->record.model), sweep->done,
                     plan_count(sweep->plan) + sweep->count);
    sweep->row->is_bounded = bound_is_over(&sweep->session->sinks->bound);
    return !sweep->row->is_bounded;
}

/* Counts a case and judges it. Returns false when the sweep must end. */
static bool take_case(struct sweep *sweep, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct race_row *row = sweep->row;
    uint64_t allowed = outcome->same_value;
    bool is_unsupported = outcome_is_unsupported(outcome);
    bool fails = outcome->kind == OUTCOME_FAULT && sweep->more == NULL && !is_unsupported;

    row->record.cases++;
    row->record.checked += outcome->checked;
    if (is_unsupported && row->unsupported++ == 0)
        row->unsupported_outcome = *outcome;
    if (fails)
        race_row_take_fault(row, test, outcome);
    race_row_take(row, test, outcome, allowed);
    race_row_compare(row, test, outcome);
    *sweep->failures_left -=
        fails ||
        (row->variant->known_defect != NULL ? outcome->unexpected : outcome->races - allowed) > 0;
    sweep->hung += fails && outcome_hangs(outcome);
    return *sweep->failures_left > 0 && count_done(sweep) && sweep->hung < MAX_HUNG;
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
    return take_case(context, test, outcome);
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

/* Lists the cases with other values. Returns false when memory runs out. */
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

/* Returns how many cases, from `first` on, share its pattern. */
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

/* Takes an outcome. Returns false to end the pattern if it hangs. */
static bool sink_more(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct sweep *sweep = context;
    bool hangs = outcome_hangs(outcome);

    (void)index;
    sweep->tried++;
    if (!outcome_is_foreign(outcome))
        return take_case(sweep, test, outcome);
    if (sweep->row->left_out++ == 0)
        sweep->row->first_left_out = (struct counterexample){.test = *test, .outcome = *outcome};
    sweep->hung += hangs;
    return count_done(sweep) && !hangs;
}

/* Runs one pattern after the other. Patterns are left out after several of them have hung. */
static enum engine_status run_more(struct sweep *sweep, struct supervisor *supervisor)
{
    enum engine_status status = ENGINE_OK;
    uint64_t count;

    for (; sweep->first < sweep->count && status == ENGINE_OK && *sweep->failures_left > 0 &&
           !sweep->row->is_bounded && !interrupt_came();
         sweep->first += count) {
        count = count_pattern(sweep, sweep->first);
        sweep->tried = 0;
        if (sweep->hung < MAX_HUNG)
            status = supervisor_run(supervisor, count, source_more, sink_more, sweep);
        if (*sweep->failures_left > 0 && !sweep->row->is_bounded) {
            sweep->row->left_out += count - sweep->tried;
            sweep->done += count - sweep->tried;
        }
    }
    return status;
}

enum engine_status races_sweep(struct supervisor *supervisor, const struct plan *plan,
                               struct race_row *row, struct races *races)
{
    struct sweep sweep = {.plan = plan,
                          .row = row,
                          .failures_left = &races->failures_left,
                          .request = races->request,
                          .session = races->session};
    enum engine_status status = ENGINE_OK;

    supervisor_ask(supervisor, REQUEST_RACE);
    row->is_bounded = bound_is_over(&races->session->sinks->bound);
    if (!row->is_bounded)
        status = supervisor_run(supervisor, plan_count(plan), source_planned, sink_planned, &sweep);
    if (status == ENGINE_OK && row->variant->launch != NULL && !race_row_has_failed(row))
        status = add_values(&sweep) ? run_more(&sweep, supervisor)
                                    : supervisor_out_of_memory(supervisor);
    if (row->is_bounded)
        row->untried = plan_count(plan) + sweep.count - sweep.done;
    free(sweep.more);
    return status;
}
