/* SPDX-License-Identifier: MIT
 *
 * `run`: the planned cases of the selected variants on the wanted engines, and a verdict for each.
 */
#include "clock.h"
#include "complain.h"
#include "interrupt.h"
#include "report.h"
#include "session.h"
#include "shards.h"
#include "suspects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_BUDGET = 20000,
    SHRINK_BUDGET_SLOW = 4, /* for failures that cost a deadline or a worker each */
};

/* ---- One row ---- */

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

/* Holds each suspect to the finding, and what the smallest of those that it explains shrinks to. */
static enum engine_status judge_suspects(struct row_run *run, struct supervisor *supervisor,
                                         char *reason, size_t reason_size)
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
    return status;
}

/* A wrong result has no line; two accesses there that nothing orders have. Those that the finding
 * does not name come first. Where that cannot be found out, the failure is one all the same. */
static void find_race(struct row_run *run, struct supervisor *supervisor)
{
    struct row *row = run->row;
    static struct race races[MOST_RACES_TOLD];
    struct outcome outcome;
    size_t count = 0, chosen = 0;
    char reason[512];

    if (!row->engine->simulates || row->witness.outcome.kind != OUTCOME_MISMATCH)
        return;
    if (supervisor_race(supervisor, &row->witness.test, &outcome, races, MOST_RACES_TOLD, &count,
                        reason, sizeof reason) != ENGINE_OK ||
        count == 0)
        return;
    while (chosen + 1 < count && race_is_claimed(row->variant, &races[chosen]))
        chosen++;
    row->has_race = true;
    row->race = races[chosen];
}

/* Shrinks the failure of a row. What the finding explains is none, however small. */
static enum engine_status shrink_failure(struct row_run *run, struct supervisor *supervisor,
                                         char *reason, size_t reason_size)
{
    struct row *row = run->row;
    struct witness whole = row->witness;
    enum engine_status status;
    const char *why;

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

static enum engine_status run_row(const struct options *options, const struct variant *variant,
                                  struct supervisor *supervisor, uint64_t round,
                                  uint64_t failures_left, struct row *row, char *reason,
                                  size_t reason_size)
{
    struct row_run run = {
        .selection = &options->selection,
        .row = row,
        .failures_left = failures_left,
        .is_shard = options->shard.count > 0,
    };
    double start = clock_seconds();
    enum engine_status status;

    if (!plan_make(&options->selection.cases, variant, row->engine->simulates, round, &run.plan)) {
        snprintf(reason, reason_size, "out of memory");
        return ENGINE_ERROR;
    }
    plan_shard(&run.plan, &options->shard);
    row->blocks = run.plan.blocks;
    row->all_blocks = run.plan.all_blocks;
    row->left_out += run.plan.left_out;
    status =
        supervisor_run(supervisor, plan_count(&run.plan), source, sink, &run, reason, reason_size);
    row->seconds += clock_seconds() - start;
    if (status == ENGINE_OK && !interrupt_came())
        status = judge_suspects(&run, supervisor, reason, reason_size);
    if (run.hangs == MAX_HANGS) {
        row->origin.untried = plan_count(&run.plan) - run.taken;
        verdict_note_untried(row, plan_count(&run.plan));
    }
    if (status == ENGINE_OK && row->has_witness && !interrupt_came())
        status = shrink_failure(&run, supervisor, reason, reason_size);
    if (status == ENGINE_OK && row->has_witness && !interrupt_came())
        find_race(&run, supervisor);
    if (status == ENGINE_OK && !interrupt_came())
        verdict_judge(&run);
    report_progress(row, row->cases, true);
    plan_free(&run.plan);
    free(run.suspects);
    return status;
}

/* ---- The run ---- */

struct session {
    const struct options *options;
    const struct catalogue *catalogue;
    struct report report;
    double start;
    unsigned int engines_run;
    size_t all_rows; /* that are to have a verdict */
    int exit_status;
};

static bool save(struct session *session)
{
    session->report.seconds = clock_seconds() - session->start;
    if (session->options->json == NULL)
        return true;
    return session_save(session->options, report_json(&session->report));
}

/* Behind the file, so that what is printed is on disk. */
static void tell_row(struct session *session, const struct row *row)
{
    if (!save(session))
        session->exit_status = EXIT_ENVIRONMENT;
    report_row(row);
}

/* The row of that variant and engine: a new one, or that of the rounds before. */
static struct row *add_row(struct session *session, const struct variant *variant,
                           const struct engine_kind *engine)
{
    struct report *report = &session->report;
    struct row *rows;

    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].variant == variant && report->rows[r].engine == engine)
            return &report->rows[r];
    rows = realloc(report->rows, (report->row_count + 1) * sizeof *rows);
    if (rows == NULL)
        return NULL;
    report->rows = rows;
    rows[report->row_count] = (struct row){.variant = variant, .engine = engine};
    return &rows[report->row_count++];
}

/* The row on that engine whose cases are the variant's, too; null: there is none. */
static const struct row *row_of_same(const struct report *report, const struct row *row)
{
    for (const struct row *other = report->rows; other < row; other++)
        if (other->as == NULL && other->engine == row->engine &&
            variant_is_same(other->variant, row->variant))
            return other;
    return NULL;
}

static void rename_case(struct test_case *test, const struct variant *variant)
{
    if (test->variant != NULL)
        test->variant = variant;
}

/* Gives the row what has come of the same kernel, whose cases are now its own. */
static void copy_same(struct row *row, const struct row *same)
{
    const struct variant *variant = row->variant;

    *row = *same;
    row->variant = variant;
    row->as = same->variant;
    row->seconds = 0;
    rename_case(&row->witness.test, variant);
    rename_case(&row->finding.test, variant);
    rename_case(&row->origin.witness, variant);
    rename_case(&row->origin.finding, variant);
    for (size_t k = 0; k < MAX_CONDITIONS; k++)
        rename_case(&row->boundaries[k].witness.test, variant);
}

static bool session_goes_on(const struct session *session)
{
    return session->exit_status != EXIT_ENVIRONMENT && !interrupt_came() &&
           session->report.mismatches < session->options->errors;
}

static void run_variants(struct session *session, const struct engine_kind *engine,
                         struct supervisor *supervisor, uint64_t round)
{
    const struct options *options = session->options;
    struct report *report = &session->report;

    for (size_t i = 0; i < session->catalogue->count && session_goes_on(session); i++) {
        const struct variant *variant = &session->catalogue->variants[i];
        char reason[512];
        enum engine_status status;
        const struct row *same;
        struct row *row;
        uint64_t cases, mismatches;
        if (!selection_has(&options->selection, variant))
            continue;
        row = add_row(session, variant, engine);
        if (row == NULL) {
            session->exit_status = EXIT_ENVIRONMENT;
            return;
        }
        if (session_lacks(options, variant, supervisor) != NULL) {
            row->verdict = VERDICT_UNAVAILABLE;
            snprintf(row->note, sizeof row->note, "%s",
                     session_lacks(options, variant, supervisor));
            tell_row(session, row);
            continue;
        }
        same = row_of_same(report, row);
        if (same != NULL) {
            copy_same(row, same);
            tell_row(session, row);
            continue;
        }
        cases = row->cases;
        mismatches = row->mismatches;
        status = run_row(options, variant, supervisor, round, options->errors - report->mismatches,
                         row, reason, sizeof reason);
        report->cases += row->cases - cases;
        report->mismatches += row->mismatches - mismatches;
        bool failed = status != ENGINE_OK && status != ENGINE_STOPPED;
        if (failed || (interrupt_came() && !row->has_witness)) {
            if (round == 0)
                report->row_count--; /* no verdict */
            if (failed) {
                session_failed(options, engine->id, status, reason);
                session->exit_status = EXIT_ENVIRONMENT;
            }
            return;
        }
        if (row->verdict == VERDICT_MISMATCH || row->verdict == VERDICT_FAULT)
            session->exit_status = session_worse(session->exit_status, EXIT_DIFFERS);
        tell_row(session, row);
    }
}

/* Rows on one engine. */
static size_t selected_rows(const struct session *session)
{
    size_t count = 0;

    for (size_t i = 0; i < session->catalogue->count; i++)
        count += selection_has(&session->options->selection, &session->catalogue->variants[i]);
    return count;
}

/* The engine is not there: a verdict for each row that somebody has asked for. */
static void note_unavailable(struct session *session, const struct engine_kind *engine,
                             const char *reason)
{
    const struct options *options = session->options;
    int status = session_failed(options, engine->id, ENGINE_UNAVAILABLE, reason);

    if (options->engine_count == 0 && status == EXIT_UNAVAILABLE) {
        session->all_rows -= selected_rows(session);
        return;
    }
    session->exit_status = session_worse(session->exit_status, status);
    for (size_t i = 0; i < session->catalogue->count; i++) {
        struct row *row;
        if (!selection_has(&options->selection, &session->catalogue->variants[i]))
            continue;
        row = add_row(session, &session->catalogue->variants[i], engine);
        if (row == NULL)
            return;
        row->verdict = VERDICT_UNAVAILABLE;
        snprintf(row->note, sizeof row->note, "%s", reason);
    }
    save(session);
}

/* Every row on that engine, once. */
static void run_engine(struct session *session, const struct engine_kind *engine, uint64_t round)
{
    struct supervisor *supervisor;
    char reason[512];
    enum engine_status status = session_start(session->options, engine->id, REQUEST_RUN,
                                              &supervisor, reason, sizeof reason);

    if (status == ENGINE_UNAVAILABLE) {
        if (round == 0)
            note_unavailable(session, engine, reason);
        return;
    }
    if (status == ENGINE_STOPPED)
        return;
    if (status != ENGINE_OK) {
        session->exit_status = session_failed(session->options, engine->id, status, reason);
        return;
    }
    session->engines_run++;
    printf("%s\n", supervisor_description(supervisor));
    report_head();
    run_variants(session, engine, supervisor, round);
    session->report.lost += supervisor_lost(supervisor);
    session_close(supervisor);
}

/* Has the run come to no verdict at all, for every row lacks something? */
static bool nothing_available(const struct report *report)
{
    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].verdict != VERDICT_UNAVAILABLE || report->rows[r].cases > 0)
            return false;
    return report->row_count > 0;
}

/* The engines to run: those asked for, or all that run unasked. */
static size_t choose_engines(const struct options *options,
                             const struct engine_kind *engines[ENGINES])
{
    size_t count = options->engine_count;

    memcpy(engines, options->engines, sizeof options->engines);
    for (int e = 0; e < ENGINES && options->engine_count == 0; e++)
        if (engine_kinds[e].runs_unasked)
            engines[count++] = &engine_kinds[e];
    return count;
}

static int run(const struct options *options, const struct catalogue *catalogue)
{
    const struct engine_kind *engines[ENGINES];
    size_t engine_count = choose_engines(options, engines);
    struct session session = {
        .options = options,
        .catalogue = catalogue,
        .report = {.seed = options->selection.cases.seed,
                   .level = options->selection.cases.level,
                   .is_shard = options->shard.count > 0},
        .start = clock_seconds(),
    };
    bool is_endless = options->selection.cases.level == 3;

    interrupt_catch();
    if (!session_fits(options, catalogue) || !save(&session))
        return EXIT_USAGE;
    session.exit_status = session_require(options, engines, engine_count);
    session.all_rows = engine_count * selected_rows(&session);
    for (size_t e = 0; e < engine_count && is_endless; e++)
        session_keep(engines[e]->id);
    for (uint64_t round = 0; session_goes_on(&session) && (round == 0 || is_endless); round++)
        for (size_t e = 0; e < engine_count && session_goes_on(&session); e++)
            run_engine(&session, engines[e], round);
    if (session.engines_run == 0 || nothing_available(&session.report))
        session.exit_status = session_worse(session.exit_status, EXIT_UNAVAILABLE);
    session.report.complete = session_goes_on(&session);
    if (!save(&session))
        session.exit_status = EXIT_ENVIRONMENT;
    if (!report_end(&session.report))
        session.exit_status = EXIT_ENVIRONMENT;
    if (session.report.is_shard && !interrupt_came())
        shards_print_end(&options->shard, session.report.cases, "cases");
    if (interrupt_came() && session.report.row_count < session.all_rows)
        complain("interrupted: %zu rows have a verdict, the rest have none",
                 session.report.row_count);
    if (interrupt_came() && (!is_endless || session.report.row_count < session.all_rows))
        session.exit_status = session_worse(session.exit_status, EXIT_ENVIRONMENT);
    free(session.report.rows);
    return session.exit_status;
}

const struct command run_command = {
    .name = "run",
    .help = "run cases and print a verdict for each variant",
    .run = run,
};
