/* SPDX-License-Identifier: MIT */
#include "finish_row.h"

#include "clock.h"
#include "interrupt.h"
#include "report.h"
#include "suspects.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SHRINK_BUDGET = 20000,
    SHRINK_BUDGET_SLOW = 4, /* for failures that cost a deadline or a worker each */
};

/* ---- Collect: run all cases ---- */

static void source(void *context, uint64_t index, struct test_case *test)
{
    const struct row_run *run = context;
    plan_case(&run->plan, index, test);
}

static bool sink(void *context, uint64_t index, const struct test_case *test,
                 const struct outcome *outcome)
{
    struct row_run *run = context;

    verdict_take(run, index, test, outcome);
    report_progress(run->row, plan_count(&run->plan), false);
    return run->failures_left > 0 && run->hangs < MAX_HANGS && !run->out_of_memory &&
           !interrupt_came();
}

/* Runs all cases of the plan. */
static enum engine_status collect(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    double start = clock_seconds();
    enum engine_status status;

    row->blocks = run->plan.blocks;
    row->all_blocks = run->plan.all_blocks;
    row->left_out += run->plan.left_out;
    status = supervisor_run(supervisor, plan_count(&run->plan), source, sink, run);
    row->seconds += clock_seconds() - start;
    return status;
}

/* ---- Explain: compare wrong results with the known defect ---- */

static enum engine_status run_shrink_batch(void *supervisor, const struct test_case *cases,
                                           size_t count, struct outcome *outcomes)
{
    return supervisor_run_array(supervisor, cases, count, outcomes);
}

/* Threads of the largest block to look at. */
static uint64_t largest_block(const struct plan_request *request, const struct shape *found)
{
    uint64_t threads = shape_threads(found);

    for (size_t b = 0; b < request->block_count; b++) {
        struct shape shape = {.block = request->blocks[b]};
        if (shape_threads(&shape) > threads)
            threads = shape_threads(&shape);
    }
    return threads;
}

static void shrink_counterexample(struct row_run *run, struct supervisor *supervisor,
                                  struct counterexample *counterexample)
{
    struct counterexample found = *counterexample;
    enum fault_kind kind = found.outcome.fault.kind;
    bool slow =
        found.outcome.kind == OUTCOME_FAULT && (kind == FAULT_TIMEOUT || kind == FAULT_CRASH);
    struct shrink_bounds bounds = {
        .threads = largest_block(&run->selection->cases, &found.test.shape),
        .elements = shape_elements(&found.test.shape),
        .inside_domain = !run->selection->cases.assume_corrected,
        .budget = slow ? SHRINK_BUDGET_SLOW : SHRINK_BUDGET,
    };

    if (found.outcome.kind == OUTCOME_PASS)
        return;
    report_progress(run->row, run->row->cases, false);
    shrink(&found.test, &found.outcome, &bounds, run_shrink_batch, supervisor, counterexample);
}

/* Compares each suspect with the known defect, and the smallest case that the known defect explains
 * again after it is shrunk. */
static enum engine_status explain(struct row_run *run, struct supervisor *supervisor)
{
    const struct engine_kind *engine = run->row->engine;
    const char **why = calloc(run->suspect_count + 1, sizeof *why);
    enum engine_status status = ENGINE_ERROR;

    if (why == NULL || run->out_of_memory)
        status = supervisor_out_of_memory(supervisor);
    else
        status = suspects_hold(supervisor, engine, run->suspects, run->suspect_count, why);
    if (interrupt_came() && run->suspect_count > 0)
        snprintf(run->row->note, sizeof run->row->note,
                 "interrupted: %zu wrong results were not held to the known defect",
                 run->suspect_count);
    for (size_t i = 0; status == ENGINE_OK && !interrupt_came() && i < run->suspect_count; i++)
        verdict_take_suspect(run, &run->suspects[i], why[i]);
    if (status == ENGINE_OK && run->row->found_counterexample && engine->simulates &&
        !interrupt_came()) {
        shrink_counterexample(run, supervisor, &run->row->known_defect);
        status = suspects_hold(supervisor, engine, &run->row->known_defect, 1, why);
        if (status == ENGINE_OK && why[0] != NULL && !interrupt_came())
            verdict_refute(run, why[0]);
    }
    free(why);
    if (run->hangs == MAX_HANGS) {
        run->row->origin.untried = plan_count(&run->plan) - run->taken;
        verdict_note_untried(run->row, plan_count(&run->plan));
    }
    return status;
}

/* ---- Shrink: look for a smaller case that fails ---- */

/* A case that the known defect explains is not a failure, however small. */
static enum engine_status shrink_failure(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    struct counterexample whole = row->counterexample;
    enum engine_status status;
    const char *why;

    if (!row->has_counterexample)
        return ENGINE_OK;
    shrink_counterexample(run, supervisor, &row->counterexample);
    if (!verdict_suspects(run, &row->counterexample.test) ||
        row->counterexample.outcome.kind != OUTCOME_MISMATCH || interrupt_came())
        return ENGINE_OK;
    status = suspects_hold(supervisor, row->engine, &row->counterexample, 1, &why);
    if (status == ENGINE_OK && why == NULL)
        row->counterexample = whole;
    else if (status == ENGINE_OK)
        verdict_note(row, why);
    return status;
}

/* ---- Locate: look for a race in the failing case ---- */

/* A mismatch has no source line; two accesses that nothing orders have lines. Races that the
 * known defect does not name come first. Without a race the failure stays as it is. */
static enum engine_status locate(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    static struct race races[MAX_RACES_TOLD];
    struct outcome outcome;
    size_t count = 0, chosen = 0;

    if (!row->has_counterexample || !row->engine->simulates ||
        row->counterexample.outcome.kind != OUTCOME_MISMATCH)
        return ENGINE_OK;
    if (supervisor_race(supervisor, &row->counterexample.test, &outcome, races, MAX_RACES_TOLD,
                        &count) != ENGINE_OK ||
        count == 0)
        return ENGINE_OK;
    while (chosen + 1 < count && race_is_expected(row->variant, &races[chosen]))
        chosen++;
    row->has_race = true;
    row->race = races[chosen];
    return ENGINE_OK;
}

/* ---- Judge ---- */

static enum engine_status judge(struct row_run *run, struct supervisor *supervisor)
{
    (void)supervisor;
    verdict_judge(run);
    return ENGINE_OK;
}

enum engine_status finish_row(struct row_run *run, struct supervisor *supervisor)
{
    static enum engine_status (*const phases[])(struct row_run *, struct supervisor *) = {
        collect, explain, shrink_failure, locate, judge};
    enum engine_status status = ENGINE_OK;

    for (size_t p = 0; p < sizeof phases / sizeof *phases; p++) {
        status = phases[p](run, supervisor);
        if (status != ENGINE_OK || interrupt_came())
            break;
    }
    report_progress(run->row, run->row->cases, true);
    return status;
}
