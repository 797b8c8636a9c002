/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include "clock.h"
#include "counters.h"
#include "interrupt.h"
#include "launch_text.h"
#include "report.h"
#include "suspects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_HANGS = 3,                      /* a row ends after this many cases that did not end */
    SHRINK_BUDGET = 2000000000,         /* instructions: see struct shrink_bounds */
    SHRINK_BUDGET_SLOW = 4 * CASE_COST, /* for failures that each cost a timeout or a worker */
};

/* ---- The row ---- */

static struct list boundaries_of(const struct domain *domain, struct memory *memory)
{
    struct list list = list_take(memory, domain_count(domain), sizeof(struct boundary_record));
    struct boundary_record *boundaries = list.items;

    for (size_t k = 0; k < list.count; k++) {
        boundaries[k].condition = domain->conditions[k].text;
        boundaries[k].may_pass = domain->conditions[k].outside != OUTSIDE_FAILS;
    }
    return list;
}

struct row row_start(const struct variant *variant, const struct engine_kind *engine,
                     struct memory *memory)
{
    const struct known_defect *known_defect = variant->known_defect;
    char domain[256];

    report_domain(variant, domain, sizeof domain);
    return (struct row){.variant = variant,
                        .engine = engine,
                        .memory = memory,
                        .record = {.id = variant->id,
                                   .kind = variant->kind,
                                   .engine = engine->id,
                                   .note = "",
                                   .domain = memory_copy(memory, domain),
                                   .boundaries = boundaries_of(variant->domain, memory),
                                   .known_defect = known_defect != NULL ? known_defect->text : NULL,
                                   .races = known_defect != NULL ? known_defect->races : 0,
                                   .order = known_defect != NULL ? known_defect->order : 0}};
}

void row_settle(struct row *row, bool is_shard)
{
    struct run_row *record = &row->record;

    record->map = domain_map_texts(&row->map, row->memory);
    if (row->coverage.count > 0)
        record->reached = report_reached(row->memory, &row->coverage);
    if (!is_shard)
        return;
    record->has_origin = true;
    record->points = report_points(row->memory, &row->coverage);
}

/* Returns a record of a case that was found. In a shard it has a rank. */
static struct counterexample_record *record_of(const struct row_run *run,
                                               const struct counterexample *found)
{
    struct memory *memory = run->row->memory;
    struct counterexample_record *record = report_counterexample(memory, found, run->row->engine);
    const struct shape *shape = &found->test.shape;

    if (!run->is_shard)
        return record;
    record->rank = memory_take(memory, sizeof *record->rank);
    *record->rank = (struct rank_record){shape_threads(shape), shape_elements(shape), found->place,
                                         found->tried};
    return record;
}

/* Puts a smaller case of the same finding in the record's place. */
static void replace(struct row *row, struct counterexample_record **record,
                    const struct counterexample *smaller)
{
    struct rank_record *rank = (*record)->rank;

    *record = report_counterexample(row->memory, smaller, row->engine);
    (*record)->rank = rank;
    if (rank != NULL)
        rank->tried = smaller->tried;
}

/* ---- Case by case ---- */

static void take_failure(struct row_run *run, const struct counterexample *failing,
                         const char *note)
{
    const struct outcome *outcome = &failing->outcome;
    struct row *row = run->row;
    struct run_row *record = &row->record;
    bool is_unsupported = outcome_is_unsupported(outcome);

    record->mismatches += !is_unsupported;
    if (is_unsupported && row->unsupported++ == 0)
        row->unsupported_outcome = *outcome;
    row->failures |= outcome->kind == OUTCOME_FAULT ? 1ull << outcome->fault.kind : 1;
    run->failures_left--;
    run->hangs += outcome_hangs(outcome);
    if (run->session != NULL && outcome->kind != OUTCOME_PASS && !is_unsupported)
        row->more_failures +=
            !failures_add(row->memory, &row->found_failures, &failing->test, outcome);
    if (record->counterexample != NULL &&
        (record->verdict != VERDICT_UNSUPPORTED || is_unsupported))
        return;
    record->note = note;
    row->record.origin = OF_CASE;
    record->counterexample = record_of(run, failing);
    record->verdict = is_unsupported                   ? VERDICT_UNSUPPORTED
                      : outcome->kind == OUTCOME_FAULT ? VERDICT_FAULT
                                                       : VERDICT_MISMATCH;
}

/* Returns the first violated condition under which every such shape must fail. Returns
 * MAX_CONDITIONS if a right result is allowed. */
static size_t failing_condition(const struct domain *domain, uint32_t violations)
{
    for (size_t k = 0; k < domain_count(domain); k++)
        if ((violations >> k & 1) && domain->conditions[k].outside != OUTSIDE_MAY_PASS)
            return k;
    return MAX_CONDITIONS;
}

/* Keeps the smallest failure, which proves that the condition, violated alone, is needed. */
static void take_proof(const struct row_run *run, struct boundary_record *boundary,
                       const struct counterexample *tried)
{
    const struct counterexample_record *proof = boundary->counterexample;

    boundary->cases++;
    if (tried->outcome.kind != OUTCOME_PASS &&
        (proof == NULL || shape_is_smaller(&tried->test.shape, &proof->found->test.shape)))
        boundary->counterexample = record_of(run, tried);
}

/* Records a case outside the domain. On an engine that simulates, every such shape must fail under
 * at least one model and schedule; otherwise the domain is too narrow. A GPU may hide a failure, so
 * one failing shape is enough there. */
static void take_outside(struct row_run *run, uint64_t index, const struct counterexample *tried)
{
    struct boundary_record *boundaries = run->row->record.boundaries.items;
    const struct planned_shape *planned = plan_shape(&run->plan, index);
    const struct domain *domain = run->plan.variant->domain;
    size_t k = failing_condition(domain, planned->violations);
    uint64_t turn = index - planned->first;

    if ((planned->violations & (planned->violations - 1)) == 0)
        take_proof(run, &boundaries[__builtin_ctz(planned->violations)], tried);
    if (turn == 0)
        run->shape_failed = false;
    run->shape_failed = run->shape_failed || tried->outcome.kind != OUTCOME_PASS;
    if (run->shape_failed || turn < planned->cases - 1 || !run->row->engine->simulates ||
        k == MAX_CONDITIONS)
        return;
    take_failure(run, tried,
                 memory_text(run->row->memory,
                             "the domain is too narrow: a case that violates '%s' gives the right "
                             "result",
                             domain->conditions[k].text));
}

/* Returns whether the variant's known defect may explain this wrong result. A corrected variant
 * must always be right. */
static bool is_suspect(const struct row_run *run, const struct test_case *test)
{
    return test->variant->known_defect != NULL && test->variant->kind != VARIANT_CORRECTED &&
           !run->selection->cases.assume_corrected &&
           (test->variant->known_defect->wrong >> test->model & 1); /* GPU: independent */
}

/* Notes why the known defect does not explain the row's counterexample. */
static void note_unexplained(struct row *row, const char *why)
{
    row->record.note =
        memory_text(row->memory, "the known defect does not explain this result: %s", why);
}

void verdict_take_suspect(struct row_run *run, const struct counterexample *suspect,
                          const char *why)
{
    struct row *row = run->row;
    struct counterexample_record **smallest = &row->record.known_defect_counterexample;

    if (why != NULL) {
        bool first = row->record.counterexample == NULL;
        take_failure(run, suspect, "");
        if (first) {
            note_unexplained(row, why);
            row->record.origin = OF_SUSPECT;
        }
        return;
    }
    row->record.found++;
    if (*smallest == NULL ||
        shape_is_smaller(&suspect->test.shape, &(*smallest)->found->test.shape))
        *smallest = record_of(run, suspect);
}

/* Notes that such cases ended the row, and how many of its cases were not run. */
static void note_untried(struct row_run *run)
{
    run->row->record.note = memory_text(
        run->row->memory,
        "stopped after %d cases that did not end: %" PRIu64 " of %" PRIu64 " cases were not run",
        MAX_HANGS, run->row->record.untried, plan_count(&run->plan));
}

/* Records a failure: after shrinking, the known defect no longer explains its counterexample. */
static void refute(struct row_run *run, const char *why)
{
    struct row *row = run->row;
    bool first = row->record.counterexample == NULL;

    verdict_take_suspect(run, row->record.known_defect_counterexample->found, why);
    row->record.refuted = true;
    if (first)
        row->record.origin = OF_KNOWN_DEFECT;
}

/* Returns whether a user's kernel divides by zero because special values are zero. Such a kernel
 * may reject these values. */
static bool divides_by_zeros(const struct test_case *test, const struct outcome *outcome)
{
    return test->variant->launch != NULL && values_have_zeros(test->values.pattern) &&
           outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_DIVISION;
}

/* Takes a case that is outside the domain or fails. */
static void take_special(struct row_run *run, uint64_t index, const struct test_case *test,
                         const struct outcome *outcome, bool is_inside)
{
    const struct counterexample tried = {
        .test = *test, .outcome = *outcome, .place = plan_place(&run->plan, index)};

    if (!is_inside)
        take_outside(run, index, &tried);
    else if (outcome->kind == OUTCOME_MISMATCH && is_suspect(run, test))
        LIST_ADD(&run->memory, &run->suspects, struct counterexample) = tried;
    else
        take_failure(run, &tried, "");
}

void verdict_take(struct row_run *run, uint64_t index, const struct test_case *test,
                  const struct outcome *outcome)
{
    bool is_inside = plan_shape(&run->plan, index)->violations == 0;
    struct row *row = run->row;

    run->taken++;
    if (divides_by_zeros(test, outcome)) {
        row->record.note = "the kernel divides by an input: its cases with values of which some "
                           "are zero are not judged";
        return;
    }
    row->record.cases++;
    if (row->inexact[0] == '\0')
        memcpy(row->inexact, outcome->inexact, sizeof row->inexact);
    if (row->clock[0] == '\0')
        memcpy(row->clock, outcome->clock, sizeof row->clock);
    domain_map_take(&row->map, &test->shape, is_inside, outcome->kind == OUTCOME_PASS);
    row->record.inside += is_inside;
    if (!is_inside || outcome->kind != OUTCOME_PASS)
        take_special(run, index, test, outcome, is_inside);
}

/* ---- The known defect ---- */

/* Returns whether the cases that ran need not show everything that the catalogue declares. */
static bool is_limited(const struct row_run *run)
{
    uint64_t sizes = run->selection->cases.sizes_per_block;

    return selection_is_limited(run->selection) || run->row->untried > 0 ||
           (sizes > 0 && sizes < SIZES_PER_BLOCK);
}

static bool runs_model(const struct row_run *run, enum model model)
{
    for (size_t m = 0; m < run->plan.model_count; m++)
        if (run->plan.models[m] == model)
            return true;
    return false;
}

/* Judges whether the declared known defect was reproduced. It must be, unless the user limited the
 * run or a GPU may have hidden it. */
static void judge_known_defect(const struct row_run *run)
{
    const struct row *row = run->row;
    struct run_row *record = &run->row->record;

    if (record->known_defect == NULL || record->kind == VARIANT_CORRECTED)
        return;
    if (record->found > 0) {
        record->verdict = VERDICT_KNOWN_DEFECT;
    } else if (!row->engine->simulates) {
        record->note = "the known defect did not reproduce on this GPU; it does on the simulator";
    } else if (is_limited(run) || run->selection->cases.schedules_chosen) {
        record->note = "the known defect did not reproduce in the cases that were run";
    } else if (runs_model(run, MODEL_INDEPENDENT)) {
        record->verdict = VERDICT_MISMATCH;
        record->mismatches++;
        record->note = "the known defect did not reproduce: no case inside the domain fails";
    }
}

/* Returns whether a run of these cases need not prove that the condition is needed. */
static bool may_lack_proof(const struct row_run *run, const struct boundary_record *boundary,
                           enum outside outside)
{
    return (is_limited(run) && boundary->cases == 0) ||
           (outside == OUTSIDE_MAY_PASS &&
            (is_limited(run) || run->selection->cases.schedules_chosen)) ||
           (outside != OUTSIDE_FAILS && !run->row->engine->simulates);
}

/* Judges whether each condition of the domain was shown to be needed. Sets *whole if all were.
 * Returns false if one should have been. */
static bool judge_domain(const struct row_run *run, bool *whole)
{
    struct run_row *record = &run->row->record;
    const struct boundary_record *boundaries = record->boundaries.items;

    *whole = true;
    for (size_t k = 0; k < record->boundaries.count; k++) {
        if (boundaries[k].counterexample != NULL)
            continue;
        *whole = false;
        if (may_lack_proof(run, &boundaries[k], run->row->variant->domain->conditions[k].outside))
            continue;
        record->verdict = VERDICT_MISMATCH;
        record->mismatches++;
        record->note = memory_text(run->row->memory,
                                   "the domain is too narrow: no case that violates only '%s' "
                                   "fails (%" PRIu64 " tried)",
                                   boundaries[k].condition, boundaries[k].cases);
        return false;
    }
    return true;
}

void verdict_judge(struct row_run *run)
{
    struct row *row = run->row;
    struct run_row *record = &row->record;
    bool whole;

    if (record->counterexample != NULL)
        return;
    if (record->cases == 0 && !(run->is_shard && run->plan.whole_count > 0)) {
        record->verdict = VERDICT_SKIPPED;
        record->note =
            row->untried > 0
                ? "--minutes left no time for a case"
                : "nothing to run: every shape of --block and --size violates several conditions "
                  "of the domain, or has dimensions that the kernel does not take";
        return;
    }
    if (run->is_shard) {
        record->verdict = VERDICT_PARTIAL;
        return;
    }
    record->verdict = VERDICT_CONFORMS;
    if (row->untried > 0)
        record->note = memory_text(
            row->memory, "bounded: --minutes left no time for %" PRIu64 " of %" PRIu64 " cases",
            row->untried, plan_count(&run->plan));
    if (run->selection->cases.assume_corrected)
        return;
    if (record->boundaries.count > 0)
        record->verdict = VERDICT_CONFORMS_IN_DOMAIN;
    if (!judge_domain(run, &whole))
        return;
    judge_known_defect(run);
    if (!whole && is_limited(run) && record->note[0] == '\0')
        record->note = !selection_is_limited(run->selection)
                           ? "--sizes-per-block leaves no failing shape for some conditions of the "
                             "domain, so these were not shown to be necessary"
                       : record->inside == 0
                           ? "--block and --size select no shape inside the domain, so no result "
                             "inside was checked"
                           : "--block and --size select no failing shape for some conditions of "
                             "the domain, so these were not shown to be necessary";
}

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
    char kernel[KERNEL_TEXT];

    verdict_take(run, index, test, outcome);
    if (progress_is_due(&run->session->sinks->progress))
        progress_say(&run->session->sinks->progress, "%s on %s: %" PRIu64 " of %" PRIu64 " case%s",
                     report_kernel(run->row->variant, kernel), run->row->engine->name,
                     run->row->record.cases, plan_count(&run->plan),
                     report_plural(plan_count(&run->plan)));
    if (run->failures_left == 0 || run->hangs == MAX_HANGS || interrupt_came())
        return false;
    run->is_bounded = bound_is_over(&run->session->sinks->bound);
    return !run->is_bounded;
}

static void note_plan(struct row_run *run)
{
    char limits[256];

    run->row->record.blocks = run->plan.blocks;
    run->row->record.all_blocks = run->plan.all_blocks;
    run->row->record.left_out += run->plan.left_out;
    if (!selection_is_limited(run->selection) &&
        report_limits(run->row->variant, run->plan.profile, limits, sizeof limits))
        run->row->record.default_limits = memory_copy(run->row->memory, limits);
}

/* Runs all cases of the plan. */
static enum engine_status collect(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    double start = clock_seconds();
    enum engine_status status = ENGINE_OK;

    note_plan(run);
    run->is_bounded = bound_is_over(&run->session->sinks->bound);
    if (!run->is_bounded)
        status = supervisor_run(supervisor, plan_count(&run->plan), source, sink, run);
    if (run->is_bounded)
        row->untried = plan_count(&run->plan) - run->taken;
    row->record.seconds += clock_seconds() - start;
    if (!supervisor_take_coverage(supervisor, &row->coverage) && status == ENGINE_OK)
        status = supervisor_out_of_memory(supervisor);
    return status;
}

/* ---- Costs: compare with what the kernel's source asserts ---- */

/* One shard of a run counts the costs. A run of chosen shapes counts none. */
static enum engine_status check_costs(struct row_run *run, struct supervisor *supervisor)
{
    struct counterexample found = {.place = INT64_MAX}; /* after all failing cases */
    enum engine_status status;
    char why[256], shape[SHAPE_TEXT];

    if (!run->row->engine->simulates || run->is_bounded || selection_is_limited(run->selection) ||
        run->session->sinks->file.shard.number > 1)
        return ENGINE_OK;
    status = counters_compare(supervisor, run->plan.variant, &found.test, why, sizeof why);
    if (status != ENGINE_OK || why[0] == '\0')
        return status;
    run->row->is_costly = run->row->record.counterexample == NULL;
    take_failure(run, &found,
                 memory_text(run->row->memory, "%s: %s",
                             shape_text(found.test.variant, &found.test.shape, shape), why));
    return ENGINE_OK;
}

/* ---- Explain: compare wrong results with the known defect ---- */

/* What runs the cases of a search for a smaller one. */
struct smaller {
    const struct session *session;
    struct supervisor *supervisor;
};

static enum engine_status run_shrink_batch(void *context, const struct test_case *cases,
                                           size_t count, struct outcome *outcomes)
{
    const struct smaller *smaller = context;
    const struct session *session = smaller->session;

    if (session->prepare != NULL && !session->prepare(session->context, cases, count))
        return ENGINE_ERROR;
    return supervisor_run_array(smaller->supervisor, cases, count, outcomes);
}

/* Returns how many threads the largest block to examine has. */
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

/* Returns whether each size may fail in its own way: a launch error, or a form that is not
 * supported. */
static bool is_about_sizes(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT &&
           (outcome->fault.kind == FAULT_LAUNCH || outcome->fault.kind == FAULT_UNSUPPORTED);
}

/* Looks for a smaller case. */
static void shrink_counterexample(const struct row_run *run, struct supervisor *supervisor,
                                  uint64_t share, struct counterexample *counterexample)
{
    const struct plan_request *cases = &run->selection->cases;
    struct counterexample found = *counterexample;
    enum fault_kind kind = found.outcome.fault.kind;
    bool slow = outcome_hangs(&found.outcome) ||
                (found.outcome.kind == OUTCOME_FAULT && kind == FAULT_CRASH);
    struct shrink_bounds bounds = {
        .threads = largest_block(cases, &found.test.shape),
        .elements = shape_elements(&found.test.shape),
        .inside_domain = !cases->assume_corrected,
        .sizes = cases->shrinks_freely ? NULL : cases->sizes,
        .size_count = cases->size_count,
        .budget = slow ? SHRINK_BUDGET_SLOW : SHRINK_BUDGET / share,
    };

    if (found.outcome.kind == OUTCOME_PASS || launch_is_captured(found.test.variant) ||
        is_about_sizes(&found.outcome))
        return;
    progress_say(&run->session->sinks->progress, "looking for a smaller case that fails");
    shrink(&found.test, &found.outcome, &bounds, run_shrink_batch,
           &(struct smaller){run->session, supervisor}, counterexample);
}

/* Checks whether the known defect explains each suspect. It then shrinks the smallest case that it
 * explains, and checks that one again. */
static enum engine_status explain(struct row_run *run, struct supervisor *supervisor)
{
    const struct engine_kind *engine = run->row->engine;
    const struct counterexample *suspects = run->suspects.items;
    size_t count = run->suspects.count;
    const char **why = memory_take(&run->memory, (count + 1) * sizeof *why);
    struct counterexample_record **known_defect = &run->row->record.known_defect_counterexample;
    struct counterexample smallest;
    enum engine_status status = suspects_judge(supervisor, engine, suspects, count, why);

    if (interrupt_came() && count > 0)
        run->row->record.note = memory_text(
            run->row->memory, "interrupted: %zu wrong result%s not compared with the known defect",
            count, count == 1 ? " was" : "s were");
    for (size_t i = 0; status == ENGINE_OK && !interrupt_came() && i < count; i++)
        verdict_take_suspect(run, &suspects[i], why[i]);
    if (status == ENGINE_OK && *known_defect != NULL && engine->simulates && !interrupt_came()) {
        smallest = *(*known_defect)->found;
        shrink_counterexample(run, supervisor, 1, &smallest);
        replace(run->row, known_defect, &smallest);
        status = suspects_judge(supervisor, engine, &smallest, 1, why);
        if (status == ENGINE_OK && why[0] != NULL && !interrupt_came())
            refute(run, why[0]);
    }
    if (run->hangs == MAX_HANGS) {
        run->row->record.untried = plan_count(&run->plan) - run->taken;
        note_untried(run);
    }
    return status;
}

/* ---- Shrink: look for a smaller case that fails ---- */

/* Shrinks the failures with other identities than the counterexample's. */
static void shrink_others(struct row_run *run, struct supervisor *supervisor)
{
    struct failure *failures = run->row->found_failures.items;
    size_t count = run->row->found_failures.count;

    for (size_t k = 1; k < count && !interrupt_came(); k++)
        shrink_counterexample(run, supervisor, 4 * count, &failures[k].counterexample);
}

/* Shrinks the failure. A smaller case that the known defect explains does not count as a failure.
 */
static enum engine_status shrink_failure(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    struct counterexample smaller;
    enum engine_status status;
    const char *why = "";

    if (row->record.counterexample == NULL)
        return ENGINE_OK;
    shrink_others(run, supervisor);
    smaller = *row->record.counterexample->found;
    shrink_counterexample(run, supervisor, 1, &smaller);
    if (!is_suspect(run, &smaller.test) || smaller.outcome.kind != OUTCOME_MISMATCH ||
        interrupt_came()) {
        replace(row, &row->record.counterexample, &smaller);
        return ENGINE_OK;
    }
    status = suspects_judge(supervisor, row->engine, &smaller, 1, &why);
    if (status == ENGINE_OK && why == NULL)
        return status;
    replace(row, &row->record.counterexample, &smaller);
    if (status == ENGINE_OK)
        note_unexplained(row, why);
    return status;
}

/* ---- Explain the failures ---- */

/* Looks for the races that explain the failures, and for the last stores to wrong elements. A race
 * in the case of a wrong result is shown with it. */
static enum engine_status explain_failures(struct row_run *run, struct supervisor *supervisor)
{
    struct explanation explanation;
    struct row *row = run->row;
    struct list *failures = &row->found_failures;
    size_t count = failures->count;

    if (row->record.counterexample == NULL || !row->engine->simulates)
        return ENGINE_OK;
    if (count > 0)
        ((struct failure *)failures->items)->counterexample = *row->record.counterexample->found;
    for (size_t k = 0; k < count; k++) {
        struct failure *failure = (struct failure *)failures->items + k;
        if (!failure_explain(supervisor, failure, &explanation))
            continue;
        if (k == 0 && row->record.verdict == VERDICT_MISMATCH && explanation.race_count > 0) {
            row->record.race = memory_take(row->memory, sizeof *row->record.race);
            *row->record.race =
                failure->has_cause ? failure->cause : explanation.races[explanation.chosen];
        }
        failures_take_stores(row->memory, failures, k, &explanation);
        row->more_failures += explanation.difference_count == MAX_DIFFERENCES;
    }
    return ENGINE_OK; /* without an explanation the failures do not change */
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
        collect, check_costs, explain, shrink_failure, explain_failures, judge};
    enum engine_status status = ENGINE_OK;

    if (supervisor == NULL) {
        note_plan(run);
        if (run->row->record.untried > 0)
            note_untried(run);
        verdict_judge(run);
        return ENGINE_OK;
    }
    for (size_t p = 0; p < sizeof phases / sizeof *phases; p++) {
        status = phases[p](run, supervisor);
        if (status != ENGINE_OK || interrupt_came())
            break;
    }
    supervisor_take_coverage(supervisor, NULL); /* the following cases are not part of the plan */
    progress_end(&run->session->sinks->progress);
    return status;
}
