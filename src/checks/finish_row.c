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
static enum engine_status collect(struct row_run *run, struct supervisor *supervisor, char *reason,
                                  size_t reason_size)
{
    struct row *row = run->row;
    double start = clock_seconds();
    enum engine_status status;

    row->blocks = run->plan.blocks;
    row->all_blocks = run->plan.all_blocks;
    row->left_out += run->plan.left_out;
    status =
        supervisor_run(supervisor, plan_count(&run->plan), source, sink, run, reason, reason_size);
    row->seconds += clock_seconds() - start;
    return status;
}

/* ---- Explain: compare wrong results with the finding ---- */

static enum engine_status run_shrink_batch(void *supervisor, const struct test_case *cases,
                                           size_t count, struct outcome *outcomes)
{
    char reason[256];
    return supervisor_run_array(supervisor, cases, count, outcomes, reason, sizeof reason);
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

static void shrink_witness(struct row_run *run, struct supervisor *supervisor,
                           struct witness *witness)
{
    struct witness found = *witness;
    enum fault_kind kind = found.outcome.fault.kind;
    bool slow =
        found.outcome.kind == OUTCOME_FAULT && (kind == FAULT_DEADLINE || kind == FAULT_CRASH);
    struct shrink_bounds bounds = {
        .threads = largest_block(&run->selection->cases, &found.test.shape),
        .elements = shape_elements(&found.test.shape),
        .inside_domain = !run->selection->cases.assume_total,
        .budget = slow ? SHRINK_BUDGET_SLOW : SHRINK_BUDGET,
    };

    if (found.outcome.kind == OUTCOME_PASS)
        return;
    report_progress(run->row, run->row->cases, false);
    shrink(&found.test, &found.outcome, &bounds, run_shrink_batch, supervisor, witness);
}

/* Compares each suspect with the finding, and the smallest case that the finding explains again
 * after it is shrunk. */
static enum engine_status explain(struct row_run *run, struct supervisor *supervisor, char *reason,
                                  size_t reason_size)
{
    const struct engine_kind *engine = run->row->engine;
    const char **why = calloc(run->suspect_count + 1, sizeof *why);
    enum engine_status status = ENGINE_ERROR;

    snprintf(reason, reason_size, "out of memory");
    if (why != NULL && !run->out_of_memory)
        status = suspects_hold(supervisor, engine, run->suspects, run->suspect_count, why, reason,
                               reason_size);
    if (interrupt_came() && run->suspect_count > 0)
        snprintf(run->row->note, sizeof run->row->note,
                 "interrupted: %zu wrong results were not held to the finding", run->suspect_count);
    for (size_t i = 0; status == ENGINE_OK && !interrupt_came() && i < run->suspect_count; i++)
        verdict_take_suspect(run, &run->suspects[i], why[i]);
    if (status == ENGINE_OK && run->row->found_witness && engine->simulates && !interrupt_came()) {
        shrink_witness(run, supervisor, &run->row->finding);
        status = suspects_hold(supervisor, engine, &run->row->finding, 1, why, reason, reason_size);
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

/* A case that the finding explains is not a failure, however small. */
static enum engine_status shrink_failure(struct row_run *run, struct supervisor *supervisor,
                                         char *reason, size_t reason_size)
{
    struct row *row = run->row;
    struct witness whole = row->witness;
    enum engine_status status;
    const char *why;

    if (!row->has_witness)
        return ENGINE_OK;
    shrink_witness(run, supervisor, &row->witness);
    if (!verdict_suspects(run, &row->witness.test) ||
        row->witness.outcome.kind != OUTCOME_MISMATCH || interrupt_came())
        return ENGINE_OK;
    status = suspects_hold(supervisor, row->engine, &row->witness, 1, &why, reason, reason_size);
    if (status == ENGINE_OK && why == NULL)
        row->witness = whole;
    else if (status == ENGINE_OK)
        verdict_note(row, why);
    return status;
}

/* ---- Locate: look for a race in the failing case ---- */

/* A mismatch has no source line; two accesses that nothing orders have lines. Races that the
 * finding does not name come first. Without a race the failure stays as it is. */
static enum engine_status locate(struct row_run *run, struct supervisor *supervisor, char *reason,
                                 size_t reason_size)
{
    struct row *row = run->row;
    static struct race races[MOST_RACES_TOLD];
    struct outcome outcome;
    size_t count = 0, chosen = 0;

    if (!row->has_witness || !row->engine->simulates ||
        row->witness.outcome.kind != OUTCOME_MISMATCH)
        return ENGINE_OK;
    if (supervisor_race(supervisor, &row->witness.test, &outcome, races, MOST_RACES_TOLD, &count,
                        reason, reason_size) != ENGINE_OK ||
        count == 0)
        return ENGINE_OK;
    while (chosen + 1 < count && race_is_claimed(row->variant, &races[chosen]))
        chosen++;
    row->has_race = true;
    row->race = races[chosen];
    return ENGINE_OK;
}

/* ---- Judge ---- */

static enum engine_status judge(struct row_run *run, struct supervisor *supervisor, char *reason,
                                size_t reason_size)
{
    (void)supervisor;
    (void)reason;
    (void)reason_size;
    verdict_judge(run);
    return ENGINE_OK;
}

enum engine_status finish_row(struct row_run *run, struct supervisor *supervisor, char *reason,
                              size_t reason_size)
{
    static enum engine_status (*const phases[])(struct row_run *, struct supervisor *, char *,
                                                size_t) = {collect, explain, shrink_failure, locate,
                                                           judge};
    enum engine_status status = ENGINE_OK;

    for (size_t p = 0; p < sizeof phases / sizeof *phases; p++) {
        status = phases[p](run, supervisor, reason, reason_size);
        if (status != ENGINE_OK || interrupt_came())
            break;
    }
    report_progress(run->row, run->row->cases, true);
    return status;
}
