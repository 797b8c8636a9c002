/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "clock.h"
#include "expected.h"
#include "interrupt.h"
#include "report.h"
#include "row_findings.h"

#include <stdio.h>
#include <stdlib.h>

struct run {
    const struct rows_request *request;
    const struct session *session;
    struct report report;
    struct row *row; /* the row that was run last */
    const struct engine_kind *engine;
    struct supervisor *supervisor;
    uint64_t round;
    double start;
    unsigned int engines_run;
    size_t all_rows; /* the number of rows that the run is to judge */
    int exit_status;
};

/* ---- Rows ---- */

/* Returns the row of that variant and engine. It is a new row, or the one from the rounds before.
 */
static struct row *add_row(struct run *run, const struct variant *variant)
{
    struct report *report = &run->report;
    struct row *rows;

    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].variant == variant && report->rows[r].engine == run->engine)
            return &report->rows[r];
    rows = realloc(report->rows, (report->row_count + 1) * sizeof *rows);
    if (rows == NULL)
        return NULL;
    report->rows = rows;
    rows[report->row_count] = row_start(variant, run->engine, &report->memory);
    return &rows[report->row_count++];
}

/* Returns the row on the same engine that ran the same kernel, or null. */
static const struct row *row_of_same(const struct report *report, const struct row *row)
{
    for (const struct row *other = report->rows; other < row; other++)
        if (other->as == NULL && other->engine == row->engine &&
            variant_is_same(other->variant, row->variant))
            return other;
    return NULL;
}

/* Gives a case, if there is one, to another row of the same kernel. */
static struct counterexample_record *case_of(const struct row *row,
                                             const struct counterexample_record *same)
{
    struct counterexample found;
    struct counterexample_record *record;

    if (same == NULL)
        return NULL;
    found = *same->found;
    found.test.variant = row->variant;
    record = report_counterexample(row->memory, &found, row->engine);
    record->rank = same->rank;
    return record;
}

/* Copies the results of the same kernel into the row. */
static void copy_same(struct row *row, const struct row *same)
{
    const struct row own = *row;
    const struct boundary_record *from = same->record.boundaries.items;
    struct boundary_record *to = own.record.boundaries.items;
    struct run_row *record = &row->record;

    *row = *same;
    row->variant = own.variant;
    row->as = same->variant;
    record->id = own.record.id;
    record->kind = own.record.kind;
    record->domain = own.record.domain;
    record->known_defect = own.record.known_defect;
    record->races = own.record.races;
    record->order = own.record.order;
    record->same_as = same->variant->id;
    record->known_deviation = NULL;
    record->seconds = 0;
    record->counterexample = case_of(row, same->record.counterexample);
    record->known_defect_counterexample = case_of(row, same->record.known_defect_counterexample);
    record->boundaries = own.record.boundaries;
    for (size_t k = 0; k < record->boundaries.count; k++) {
        to[k].cases = from[k].cases;
        to[k].counterexample = case_of(row, from[k].counterexample);
    }
}

static void skip(const struct run *run, struct row *row, const char *why)
{
    row->record.verdict = VERDICT_SKIPPED;
    row->record.note = memory_copy(row->memory, why);
    row_settle(row, run->report.is_shard);
}

/* Notes a value of the first size, if there are few. */
static void note_first_size(struct row *row, uint64_t size)
{
    size_t k = 0, count = row->few_count;

    while (k < count && k < SIZES_FEW && row->few[k] < size)
        k++;
    if (count > SIZES_FEW || (k < count && row->few[k] == size))
        return;
    row->few_count++;
    for (size_t to = count < SIZES_FEW ? count : SIZES_FEW - 1; to > k; to--)
        row->few[to] = row->few[to - 1];
    if (k < SIZES_FEW)
        row->few[k] = size;
}

/* Notes which cases are planned. */
static void note_planned(struct row *row, const struct plan *plan)
{
    row->planned = plan_count(plan);
    row->few_count = 0;
    for (size_t s = 0; s < plan->shape_count; s++)
        note_first_size(row, shape_size(&plan->shapes[s].shape, 0));
    for (size_t s = 0; s < plan->shape_count; s++)
        for (uint32_t k = 0; k < shape_size_count(&plan->shapes[s].shape); k++) {
            uint64_t size = shape_size(&plan->shapes[s].shape, k);
            row->least[k] = s == 0 || size < row->least[k] ? size : row->least[k];
            row->most[k] = s == 0 || size > row->most[k] ? size : row->most[k];
        }
}

/* Runs the row's cases of this round and adds their outcomes to the row. */
static enum engine_status run_plan(struct run *run, struct row *row)
{
    const struct rows_request *request = run->request;
    struct row_run cases = {
        .selection = &request->selection,
        .session = run->session,
        .row = row,
        .failures_left = request->max_failures - run->report.mismatches,
        .is_shard = run->session->sinks->file.shard.count > 0,
    };
    uint64_t count = row->record.cases, mismatches = row->record.mismatches;
    enum engine_status status;

    if (!plan_make(&request->selection.cases, row->variant, row->engine->simulates, run->round,
                   &cases.plan))
        return supervisor_out_of_memory(run->supervisor);
    plan_shard(&cases.plan, &run->session->sinks->file.shard);
    note_planned(row, &cases.plan);
    status = finish_row(&cases, run->supervisor);
    plan_free(&cases.plan);
    memory_free(&cases.memory);
    row_settle(row, cases.is_shard);
    run->report.cases += row->record.cases - count;
    run->report.mismatches += row->record.mismatches - mismatches;
    return status;
}

/* Runs the row in its share of the time. */
static enum engine_status run_cases(struct run *run, struct row *row)
{
    struct bound *bound = &run->session->sinks->bound;
    double end = bound_share(bound, run->all_rows + 1 - run->report.row_count);
    enum engine_status status = run_plan(run, row);
    char kernel[KERNEL_TEXT], check[32];

    bound_restore(bound, end);
    bound->has_looked = bound->has_looked || row->coverage.count > 0 ||
                        (row->record.cases > 0 && !row->engine->simulates);
    snprintf(check, sizeof check, "run on %s", row->engine->name);
    bound_take(bound,
               &(const struct bound_check){run->session->compiler,
                                           report_kernel(row->variant, kernel), check},
               row->record.cases, row->untried);
    return status;
}

/* Sets the known deviation of a row that failed. Returns whether it has one. */
static bool is_expected(struct run *run, struct row *row, const struct expected_row *named)
{
    const char *results[FAULT_KINDS];
    size_t count = 0;

    if ((row->failures & 1) || row->failures == 0)
        results[count++] = verdict_name(VERDICT_MISMATCH);
    for (int k = FAULT_NONE + 1; k < FAULT_KINDS; k++)
        if (row->failures >> k & 1)
            results[count++] = fault_name((enum fault_kind)k);
    row->record.known_deviation = expected_failure(run->session, named, results, count);
    return row->record.known_deviation != NULL;
}

/* Compares the verdict of a row with the known deviations, and sets the exit status. */
static void judge(struct run *run, struct row *row)
{
    const struct expected_row named = {EXPECT_RUN, row->variant, row->engine, run->supervisor};
    const struct run_row *record = &row->record;
    bool fails = record->verdict == VERDICT_MISMATCH || record->verdict == VERDICT_FAULT;

    if (row->unsupported > 0)
        session_note_unsupported(run->session, &row->unsupported_outcome);
    if (fails && !is_expected(run, row, &named))
        run->exit_status = session_worse(run->exit_status, EXIT_DIFFERS);
    else if (verdict_is_right(record->verdict) && row->untried == 0 &&
             !selection_is_limited(&run->request->selection))
        expected_pass(run->session, &named);
    if (record->known_deviation != NULL && row->as == NULL) {
        run->report.mismatches -= record->mismatches;
        run->report.known += record->mismatches;
    }
}

static bool may_continue(void *context)
{
    const struct run *run = context;

    return run->exit_status != EXIT_ENVIRONMENT && !interrupt_came() &&
           run->report.mismatches < run->request->max_failures;
}

static enum row_result run_row(void *context, const struct variant *variant, unsigned int number)
{
    struct run *run = context;
    struct row *row = run->row = add_row(run, variant);
    const char *lacks = session_lacks(&run->request->selection, variant, run->supervisor);
    const struct row *same;
    enum engine_status status;

    (void)number;
    if (row == NULL)
        return ROW_STOP;
    if (lacks != NULL) {
        skip(run, row, lacks);
        return ROW_DONE;
    }
    same = row_of_same(&run->report, row);
    if (same != NULL) {
        copy_same(row, same);
        judge(run, row);
        return ROW_DONE;
    }
    status = run_cases(run, row);
    bool failed = status != ENGINE_OK && status != ENGINE_STOPPED;
    if (failed || (interrupt_came() && row->record.counterexample == NULL)) {
        if (run->round == 0)
            coverage_free(&run->report.rows[--run->report.row_count].coverage); /* no verdict */
        if (failed)
            session_failed(run->session, run->engine->id, status,
                           supervisor_reason(run->supervisor));
        return failed ? ROW_STOP : ROW_LEFT_OUT;
    }
    judge(run, row);
    return ROW_DONE;
}

static json_t *results(void *context)
{
    struct run *run = context;

    run->report.seconds = clock_seconds() - run->start;
    return report_json(&run->report);
}

static void print_row(void *context)
{
    const struct run *run = context;
    report_row(run->session, run->row);
}

/* ---- Engines ---- */

static bool save(struct run *run)
{
    return !session_saves(run->session) || session_save(run->session, results(run));
}

/* Returns the number of selected rows on one engine. */
static size_t selected_rows(const struct run *run)
{
    const struct catalogue *catalogue = run->session->catalogue;
    size_t count = 0;

    for (size_t i = 0; i < catalogue->count; i++)
        count += selection_has(&run->request->selection, &catalogue->variants[i]);
    return count;
}

/* Adds a skipped row for each requested row, with the reason why the engine is not available. */
static void note_skipped(struct run *run, const char *reason)
{
    const struct catalogue *catalogue = run->session->catalogue;
    int status = session_failed(run->session, run->engine->id, ENGINE_UNAVAILABLE, reason);

    if (run->request->engines.count == 0 && status == EXIT_UNAVAILABLE) {
        run->all_rows -= selected_rows(run);
        return;
    }
    run->exit_status = session_worse(run->exit_status, status);
    for (size_t i = 0; i < catalogue->count; i++) {
        struct row *row;
        if (!selection_has(&run->request->selection, &catalogue->variants[i]))
            continue;
        row = add_row(run, &catalogue->variants[i]);
        if (row == NULL)
            return;
        skip(run, row, reason);
    }
    save(run);
}

/* Runs every row on that engine once. */
static void run_engine(struct run *run, const struct engine_kind *engine)
{
    const struct row_loop loop = {.context = run,
                                  .selection = &run->request->selection,
                                  .per_variant = 1,
                                  .may_continue = may_continue,
                                  .run = run_row,
                                  .results = results,
                                  .report = print_row};
    char reason[512];
    enum engine_status status;

    run->engine = engine;
    status = session_start(run->session, engine->id, REQUEST_RUN, &run->supervisor, reason,
                           sizeof reason);
    if (status == ENGINE_UNAVAILABLE && run->round == 0)
        note_skipped(run, reason);
    if (status == ENGINE_UNAVAILABLE || status == ENGINE_STOPPED)
        return;
    if (status != ENGINE_OK) {
        run->exit_status = session_failed(run->session, engine->id, status, reason);
        return;
    }
    run->engines_run++;
    session_say(run->session, "%s\n", supervisor_description(run->supervisor));
    report_head(run->session);
    if (!session_rows(run->session, &loop))
        run->exit_status = EXIT_ENVIRONMENT;
    run->report.lost += supervisor_lost(run->supervisor);
    session_take_barriers(run->session, run->supervisor);
    session_close(run->session, run->supervisor);
}

/* ---- The check ---- */

/* Returns whether every row was skipped, so that no row has a verdict. */
static bool nothing_available(const struct report *report)
{
    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].record.verdict != VERDICT_SKIPPED || report->rows[r].record.cases > 0 ||
            report->rows[r].untried > 0)
            return false;
    return report->row_count > 0;
}

/* Returns the requested engines, or all. */
static struct engine_list choose_engines(const struct rows_request *request)
{
    struct engine_list engines = request->engines;

    for (int e = 0; e < NAMED_ENGINES && request->engines.count == 0; e++)
        engine_list_add(&engines, (enum engine_id)e);
    return engines;
}

static void run_all(struct run *run, const struct engine_list *engines, bool is_endless)
{
    run->exit_status = session_require(run->session, engines);
    run->all_rows = engines->count * selected_rows(run);
    expected_note(run->session, EXPECT_RUN);
    for (size_t e = 0; e < engines->count && is_endless; e++)
        session_keep(run->session, engines->kinds[e]->id);
    for (; may_continue(run) && (run->round == 0 || is_endless); run->round++)
        for (size_t e = 0; e < engines->count && may_continue(run); e++)
            run_engine(run, engines->kinds[e]);
    if (run->engines_run == 0 || nothing_available(&run->report))
        run->exit_status = session_worse(run->exit_status, EXIT_UNAVAILABLE);
    run->report.complete = may_continue(run);
    run->report.seconds = clock_seconds() - run->start;
}

/* Frees the rows. The session keeps their coverage. */
static void free_rows(struct run *run)
{
    for (size_t r = 0; r < run->report.row_count; r++) {
        struct row *row = &run->report.rows[r];
        if (row->as != NULL)
            continue;
        session_cover(run->session, &row->coverage);
        coverage_free(&row->coverage);
    }
    free(run->report.rows);
    memory_free(&run->report.memory);
}

int run_check(const struct rows_request *request, const struct session *session)
{
    const struct engine_list engines = choose_engines(request);
    struct run run = {
        .request = request,
        .session = session,
        .report = {.seed = request->selection.cases.seed,
                   .level = request->selection.cases.level,
                   .is_shard = session->sinks->file.shard.count > 0},
        .start = clock_seconds(),
    };
    bool is_endless = request->selection.cases.level == 3, is_partial;

    if (!save(&run))
        return EXIT_ENVIRONMENT;
    run_all(&run, &engines, is_endless);
    if (!save(&run) || !report_end(&run.report, session))
        run.exit_status = EXIT_ENVIRONMENT;
    run_take_findings(session, &run.report);
    if (run.report.is_shard && !interrupt_came())
        shards_print_end(&session->sinks->file.shard, run.report.cases, "cases");
    is_partial = interrupt_came() && run.report.row_count < run.all_rows;
    if (is_partial)
        report_interrupted(run.report.row_count);
    if (is_partial || (interrupt_came() && !is_endless))
        run.exit_status = session_worse(run.exit_status, EXIT_ENVIRONMENT);
    free_rows(&run);
    return run.exit_status;
}
