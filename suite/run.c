/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "plan.h"
#include "process.h"
#include "report.h"
#include "selection.h"
#include "supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_BUDGET = 20000,
    SHRINK_BUDGET_SLOW = 4, /* for failures that cost a deadline or a worker each */
    MAX_HANGS = 3,          /* cases past their deadline, after which a row is given up */
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

bool run_is_stopped(void)
{
    return interrupted != 0;
}

/* ---- One row ---- */

struct row_run {
    const struct options *options;
    struct plan plan;
    struct row *row;
    uint64_t failures_left; /* the run stops when this comes to 0 */
    bool host;
    unsigned int hangs;
    bool shape_failed; /* a case of the current shape, outside the domain, has failed */
};

static void source(void *context, uint64_t index, struct test_case *test)
{
    const struct row_run *run = context;
    plan_case(&run->plan, index, test);
}

static void take_failure(struct row_run *run, const struct test_case *test,
                         const struct outcome *outcome)
{
    struct row *row = run->row;

    row->mismatches++;
    run->failures_left--;
    if (outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_DEADLINE)
        run->hangs++;
    if (row->has_witness)
        return;
    row->has_witness = true;
    row->witness = (struct witness){.test = *test, .outcome = *outcome};
    row->verdict = outcome->kind == OUTCOME_FAULT ? VERDICT_FAULT : VERDICT_MISMATCH;
}

/* A case that violates condition k alone. The domain is as wide as it can be only if every such
 * shape fails under at least one of its models and schedules; a GPU may hide a failure, so there
 * one failing shape must do. */
static void take_outside(struct row_run *run, uint64_t index, const struct test_case *test,
                         const struct outcome *outcome)
{
    uint32_t violations = plan_shape(&run->plan, index)->violations;
    unsigned int k = (unsigned int)__builtin_ctz(violations);
    struct boundary *boundary = &run->row->boundaries[k];
    uint64_t turn = index % run->plan.per_shape;

    boundary->cases++;
    if (turn == 0)
        run->shape_failed = false;
    if (outcome->kind != OUTCOME_PASS) {
        run->shape_failed = true;
        if (!boundary->proved || shape_is_smaller(&test->shape, &boundary->witness.test.shape)) {
            boundary->witness = (struct witness){.test = *test, .outcome = *outcome};
            boundary->proved = true;
        }
    } else if (turn == run->plan.per_shape - 1 && !run->shape_failed && run->host &&
               run->plan.variant->domain[k].outside != OUTSIDE_MAY_PASS) {
        struct row *row = run->row;
        if (!row->has_witness)
            snprintf(row->note, sizeof row->note,
                     "the domain is too narrow: a case without '%s' is right all the same",
                     run->plan.variant->domain[k].text);
        take_failure(run, test, outcome);
    }
}

/* Does the variant's finding cover a wrong result of this case? */
static bool is_claimed(const struct row_run *run, const struct test_case *test)
{
    return test->variant->finding != NULL && !run->options->assume_total &&
           (test->variant->finding->wrong >> test->model & 1); /* a GPU's model is its */
}

static void take_finding(struct row_run *run, const struct test_case *test,
                         const struct outcome *outcome)
{
    struct row *row = run->row;

    row->found++;
    if (row->found_witness && !shape_is_smaller(&test->shape, &row->finding.test.shape))
        return;
    row->found_witness = true;
    row->finding = (struct witness){.test = *test, .outcome = *outcome};
}

static bool sink(void *context, uint64_t index, const struct test_case *test,
                 const struct outcome *outcome)
{
    struct row_run *run = context;
    struct row *row = run->row;

    row->cases++;
    if (plan_shape(&run->plan, index)->violations != 0) {
        take_outside(run, index, test, outcome);
    } else {
        row->inside++;
        if (outcome->kind == OUTCOME_MISMATCH && is_claimed(run, test))
            take_finding(run, test, outcome);
        else if (outcome->kind != OUTCOME_PASS)
            take_failure(run, test, outcome);
    }
    report_progress(row, plan_count(&run->plan), false);
    return run->failures_left > 0 && run->hangs < MAX_HANGS && !interrupted;
}

/* ---- Shrinking ---- */

static enum engine_status run_shrink_batch(void *supervisor, const struct test_case *cases,
                                           size_t count, struct outcome *outcomes)
{
    char reason[256];
    enum engine_status status =
        supervisor_run_array(supervisor, cases, count, outcomes, reason, sizeof reason);
    return interrupted ? ENGINE_ERROR : status;
}

/* Threads of the largest block to look at. */
static uint64_t largest_block(const struct options *options, const struct shape *found)
{
    uint64_t threads = shape_threads(found);

    for (size_t b = 0; b < options->block_count; b++) {
        struct shape shape = {.block = options->blocks[b]};
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
        .threads = largest_block(run->options, &found.test.shape),
        .elements = shape_elements(&found.test.shape),
        .inside_domain = !run->options->assume_total,
        .budget = slow ? SHRINK_BUDGET_SLOW : SHRINK_BUDGET,
    };

    if (found.outcome.kind == OUTCOME_PASS)
        return;
    report_progress(run->row, run->row->cases, false);
    shrink(&found.test, &found.outcome, &bounds, run_shrink_batch, supervisor, witness);
}

/* ---- Verdicts ---- */

static bool runs_model(const struct row_run *run, enum model model)
{
    for (size_t m = 0; m < run->plan.model_count; m++)
        if (run->plan.models[m] == model)
            return true;
    return false;
}

/* The finding that a variant claims has to be seen, unless the user has limited what is run, or a
 * GPU may have hidden it. */
static void judge_finding(struct row_run *run)
{
    struct row *row = run->row;

    if (row->variant->finding == NULL)
        return;
    if (row->found > 0) {
        row->verdict = VERDICT_FINDING;
    } else if (!run->host) {
        snprintf(row->note, sizeof row->note,
                 "the claimed finding did not show on this GPU; the host engine has it");
    } else if (selection_is_limited(run->options) || run->options->schedules_chosen) {
        snprintf(row->note, sizeof row->note, "the claimed finding did not show in what was run");
    } else if (runs_model(run, MODEL_ITS)) {
        row->verdict = VERDICT_MISMATCH;
        row->mismatches++;
        snprintf(row->note, sizeof row->note,
                 "the claimed finding is not there: no case inside the domain fails");
    }
}

static void judge(struct row_run *run)
{
    struct row *row = run->row;
    const struct variant *variant = row->variant;
    bool whole = true;

    if (row->has_witness)
        return;
    if (row->cases == 0) {
        row->verdict = VERDICT_UNAVAILABLE;
        snprintf(row->note, sizeof row->note,
                 "nothing to run: every shape of --block and --size breaks several conditions, or "
                 "has dimensions that are not the kernel's");
        return;
    }
    if (variant->domain_count == 0 || run->options->assume_total) {
        row->verdict = VERDICT_CONFORMS;
        return;
    }
    row->verdict = VERDICT_CONFORMS_IN_DOMAIN;
    for (size_t k = 0; k < variant->domain_count; k++) {
        if (row->boundaries[k].proved)
            continue;
        whole = false;
        if (selection_is_limited(run->options) && row->boundaries[k].cases == 0)
            continue;
        if (variant->domain[k].outside == OUTSIDE_MAY_PASS &&
            (selection_is_limited(run->options) || run->options->schedules_chosen))
            continue;
        if (variant->domain[k].outside != OUTSIDE_FAILS && !run->host)
            continue;
        row->verdict = VERDICT_MISMATCH;
        row->mismatches++;
        snprintf(row->note, sizeof row->note,
                 "the domain is too narrow: of %" PRIu64 " cases without '%s' alone, none fails",
                 row->boundaries[k].cases, variant->domain[k].text);
        return;
    }
    judge_finding(run);
    if (!whole && selection_is_limited(run->options) && row->note[0] == '\0')
        snprintf(row->note, sizeof row->note,
                 row->inside == 0
                     ? "--block and --size leave out the inside of the domain: only the "
                       "tried side is proved"
                     : "--block and --size leave out cases on the far side of the "
                       "domain: only the tried side is proved");
}

static enum engine_status run_row(const struct options *options, const struct variant *variant,
                                  struct supervisor *supervisor, uint64_t round,
                                  uint64_t failures_left, struct row *row, char *reason,
                                  size_t reason_size)
{
    struct row_run run = {
        .options = options,
        .row = row,
        .failures_left = failures_left,
        .host = strcmp(row->engine, "host") == 0,
    };
    double start = process_now();
    enum engine_status status;

    if (!plan_make(options, variant, run.host, round, &run.plan)) {
        snprintf(reason, reason_size, "out of memory");
        return ENGINE_ERROR;
    }
    row->blocks = run.plan.blocks;
    row->all_blocks = run.plan.all_blocks;
    row->left_out += run.plan.left_out;
    status =
        supervisor_run(supervisor, plan_count(&run.plan), source, sink, &run, reason, reason_size);
    row->seconds += process_now() - start;
    if (run.hangs == MAX_HANGS)
        snprintf(row->note, sizeof row->note, "given up after %d cases past their deadline",
                 MAX_HANGS);
    if (status == ENGINE_OK && row->has_witness && !interrupted)
        shrink_witness(&run, supervisor, &row->witness);
    if (status == ENGINE_OK && row->found_witness && run.host && !interrupted)
        shrink_witness(&run, supervisor, &row->finding);
    if (status == ENGINE_OK && !interrupted)
        judge(&run);
    report_progress(row, row->cases, true);
    plan_free(&run.plan);
    return status;
}

/* ---- The run ---- */

struct session {
    const struct options *options;
    const struct catalogue *catalogue;
    struct report report;
    double start;
    unsigned int engines_run;
    int exit_status;
};

static bool save(struct session *session)
{
    session->report.seconds = process_now() - session->start;
    if (session->options->json == NULL || report_json(&session->report, session->options->json))
        return true;
    fprintf(stderr, "%s: cannot write '%s': %s: name a file in a folder that can be written\n",
            program_invocation_short_name, session->options->json, strerror(errno));
    return false;
}

/* The row of that variant and engine: a new one, or that of the rounds before. */
static struct row *add_row(struct session *session, const struct variant *variant,
                           const char *engine)
{
    struct report *report = &session->report;
    struct row *rows;

    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].variant == variant && strcmp(report->rows[r].engine, engine) == 0)
            return &report->rows[r];
    rows = realloc(report->rows, (report->row_count + 1) * sizeof *rows);
    if (rows == NULL)
        return NULL;
    report->rows = rows;
    rows[report->row_count] = (struct row){.variant = variant, .engine = engine};
    return &rows[report->row_count++];
}

/* The more telling of two exit statuses. */
static int worse(int a, int b)
{
    static const int order[] = {EXIT_ENVIRONMENT, EXIT_DIFFERS, EXIT_UNAVAILABLE, EXIT_CONFORMS};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

static bool session_goes_on(const struct session *session)
{
    return session->exit_status != EXIT_ENVIRONMENT && !interrupted &&
           session->report.mismatches < session->options->errors;
}

static void run_variants(struct session *session, const char *engine, struct supervisor *supervisor,
                         uint64_t round)
{
    const struct options *options = session->options;
    struct report *report = &session->report;

    for (size_t i = 0; i < session->catalogue->count && session_goes_on(session); i++) {
        const struct variant *variant = &session->catalogue->variants[i];
        char reason[512];
        enum engine_status status;
        struct row *row;
        uint64_t cases, mismatches;
        if (!options_select(options, variant))
            continue;
        row = add_row(session, variant, engine);
        if (row == NULL) {
            session->exit_status = EXIT_ENVIRONMENT;
            return;
        }
        if (selection_lacks(options, variant, supervisor) != NULL) {
            row->verdict = VERDICT_UNAVAILABLE;
            snprintf(row->note, sizeof row->note, "%s",
                     selection_lacks(options, variant, supervisor));
            report_row(row);
            continue;
        }
        cases = row->cases;
        mismatches = row->mismatches;
        status = run_row(options, variant, supervisor, round, options->errors - report->mismatches,
                         row, reason, sizeof reason);
        report->cases += row->cases - cases;
        report->mismatches += row->mismatches - mismatches;
        if (status != ENGINE_OK || (interrupted && !row->has_witness)) {
            if (round == 0)
                report->row_count--; /* no verdict */
            if (status != ENGINE_OK) {
                fprintf(stderr, "%s: engine %s: %s\n", program_invocation_short_name, engine,
                        reason);
                session->exit_status = EXIT_ENVIRONMENT;
            }
            return;
        }
        report_row(row);
        if (row->verdict == VERDICT_MISMATCH || row->verdict == VERDICT_FAULT)
            session->exit_status = worse(session->exit_status, EXIT_DIFFERS);
        if (!save(session))
            session->exit_status = EXIT_ENVIRONMENT;
    }
}

static void note_unavailable(struct session *session, const char *engine, const char *reason,
                             bool asked_for)
{
    const struct options *options = session->options;
    bool required = options->require != NULL && strcmp(options->require, engine) == 0;

    fprintf(stderr, "%s: engine %s is not available: %s\n", program_invocation_short_name, engine,
            reason);
    if (!asked_for && !required)
        return;
    session->exit_status =
        worse(session->exit_status, required ? EXIT_ENVIRONMENT : EXIT_UNAVAILABLE);
    for (size_t i = 0; i < session->catalogue->count; i++) {
        struct row *row;
        if (!options_select(options, &session->catalogue->variants[i]))
            continue;
        row = add_row(session, &session->catalogue->variants[i], engine);
        if (row == NULL)
            return;
        row->verdict = VERDICT_UNAVAILABLE;
        snprintf(row->note, sizeof row->note, "%s", reason);
    }
    save(session);
}

static void run_engine(struct session *session, const char *engine, bool asked_for)
{
    struct supervisor_options supervised = {
        .engine = engine,
        .jobs = session->options->jobs,
        .limits = session->options->limits,
        .stopped = run_is_stopped,
    };
    struct supervisor *supervisor;
    char reason[512];
    enum engine_status status = supervisor_open(&supervised, &supervisor, reason, sizeof reason);
    uint64_t round = 0;

    if (status == ENGINE_UNAVAILABLE) {
        note_unavailable(session, engine, reason, asked_for);
        return;
    }
    if (status != ENGINE_OK) {
        fprintf(stderr, "%s: engine %s: %s\n", program_invocation_short_name, engine, reason);
        session->exit_status = EXIT_ENVIRONMENT;
        return;
    }
    session->engines_run++;
    printf("%s\n", supervisor_description(supervisor));
    report_head();
    do
        run_variants(session, engine, supervisor, round++);
    while (session->options->level == 3 && session_goes_on(session));
    supervisor_close(supervisor);
}

/* `--require` names an engine that the run itself does not use: it must be there all the same. */
static void require_engine(struct session *session, const char *const *engines, size_t count)
{
    struct supervisor_options supervised = {
        .engine = session->options->require,
        .jobs = 1,
        .limits = session->options->limits,
    };
    struct supervisor *supervisor;
    char reason[512];

    if (!session->options->require_always)
        return;
    for (size_t e = 0; e < count; e++)
        if (strcmp(engines[e], session->options->require) == 0)
            return;
    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) != ENGINE_OK) {
        fprintf(stderr, "%s: engine %s is not available: %s\n", program_invocation_short_name,
                session->options->require, reason);
        session->exit_status = EXIT_ENVIRONMENT;
        return;
    }
    supervisor_close(supervisor);
}

/* Has the run come to no verdict at all, for every row lacks something? */
static bool nothing_available(const struct report *report)
{
    for (size_t r = 0; r < report->row_count; r++)
        if (report->rows[r].verdict != VERDICT_UNAVAILABLE || report->rows[r].cases > 0)
            return false;
    return report->row_count > 0;
}

void run_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: poll() must wake */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int run_command(const struct options *options, const struct catalogue *catalogue)
{
    static const char *const all[] = {"host", "cuda"};
    struct session session = {
        .options = options,
        .catalogue = catalogue,
        .report = {.options = options},
        .start = process_now(),
    };
    bool asked_for = options->engine_count > 0;
    const char *const *engines = asked_for ? options->engines : all;
    size_t engine_count = asked_for ? options->engine_count : sizeof all / sizeof *all;

    if (!selection_fits(options, catalogue) || !save(&session))
        return EXIT_USAGE;
    run_catch_interrupts();
    require_engine(&session, engines, engine_count);
    for (size_t e = 0; e < engine_count && session_goes_on(&session); e++)
        run_engine(&session, engines[e], asked_for);
    if (session.engines_run == 0 || nothing_available(&session.report))
        session.exit_status = worse(session.exit_status, EXIT_UNAVAILABLE);
    session.report.complete = session_goes_on(&session);
    session.report.seconds = process_now() - session.start;
    if (!report_end(&session.report))
        session.exit_status = EXIT_ENVIRONMENT;
    if (interrupted && options->level < 3)
        session.exit_status = worse(session.exit_status, EXIT_ENVIRONMENT);
    if (!save(&session))
        session.exit_status = EXIT_ENVIRONMENT;
    free(session.report.rows);
    return session.exit_status;
}

/* ---- Replay ---- */

int replay_command(const struct options *options, const struct catalogue *catalogue)
{
    struct test_case test;
    struct outcome outcome;
    struct supervisor_options supervised = {.jobs = 1, .limits = options->limits};
    struct supervisor *supervisor;
    struct session session = {.options = options};
    char engine[WORD_SIZE], reason[512];
    const char *replayed = engine;
    enum engine_status status;

    if (!token_parse(options->token, catalogue, &test, engine, reason, sizeof reason)) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, reason);
        return EXIT_USAGE;
    }
    require_engine(&session, &replayed, 1);
    if (session.exit_status != EXIT_CONFORMS)
        return session.exit_status;
    supervised.engine = engine;
    status = supervisor_open(&supervised, &supervisor, reason, sizeof reason);
    if (status == ENGINE_OK) {
        status = supervisor_run_array(supervisor, &test, 1, &outcome, reason, sizeof reason);
        supervisor_close(supervisor);
    }
    if (status != ENGINE_OK) {
        bool required = options->require != NULL && strcmp(options->require, engine) == 0;
        fprintf(stderr, "%s: engine %s: %s\n", program_invocation_short_name, engine, reason);
        return status == ENGINE_UNAVAILABLE && !required ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    }
    struct row row = {
        .variant = test.variant,
        .engine = engine,
        .verdict = outcome.kind == OUTCOME_PASS       ? VERDICT_CONFORMS
                   : outcome.kind == OUTCOME_MISMATCH ? VERDICT_MISMATCH
                                                      : VERDICT_FAULT,
        .cases = 1,
        .mismatches = outcome.kind != OUTCOME_PASS,
    };
    report_replay(&row, &(struct witness){.test = test, .outcome = outcome});
    return outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
}
