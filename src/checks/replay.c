/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "failures.h"
#include "interrupt.h"
#include "launch_text.h"
#include "row_findings.h"

/* Looks for races in a case that passes, so that the case of a race shows it again. A known defect
 * has a command of its own, `races`. */
static enum engine_status look_for_races(const struct session *session,
                                         struct supervisor *supervisor, struct race_row *row)
{
    struct outcome outcome;
    enum engine_status status;

    if (!row->engine->simulates || row->variant->known_defect != NULL)
        return ENGINE_OK;
    status = races_describe(session, supervisor, row, &outcome);
    if (status == ENGINE_OK)
        row->record.racing = outcome.races > outcome.same_value;
    return status;
}

/* Gives a wrong result the places of the stores, if the engine knows them, and a failure the race
 * that explains it. */
static void explain(const struct session *session, struct supervisor *supervisor,
                    struct list *failures)
{
    struct explanation explanation;

    if (failure_explain(supervisor, failures->items, &explanation))
        failures_take_stores(&session->sinks->findings.memory, failures, 0, &explanation);
}

static void report_races(const struct session *session, const struct race_row *row)
{
    struct allowances allow = {.instructions = 0};

    if (row->variant->launch != NULL)
        allow.places = row->variant->launch->allowed;
    races_print_details(session, row);
    races_take_findings(session, row, 1, &allow);
}

/* Runs the case, or, if `first` is not null, compares it with that case. */
static int run_once(const struct test_case *first, const struct test_case *test,
                    const struct engine_kind *engine, const struct session *session)
{
    struct supervisor *supervisor;
    /* of struct failure: one that passes, or one for each store */
    struct list failures = {NULL, 0};
    const struct failure *failure;
    struct outcome outcome = {.kind = OUTCOME_PASS};
    struct race_row row;
    enum engine_status status;
    int exit_status = session_open(session, engine->id, REQUEST_RUN, &supervisor);

    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = first == NULL
                 ? supervisor_run_array(supervisor, test, 1, &outcome)
                 : supervisor_compare(supervisor, (struct test_case[2]){*first, *test}, &outcome);
    row = race_row_start(test->variant, engine, test->model, &session->sinks->findings.memory);
    row.record.cases = 1;
    row.smallest[0] = *test;
    row.kept = 1;
    if (status == ENGINE_OK && first == NULL)
        status = look_for_races(session, supervisor, &row);
    failures_add(row.memory, &failures, test, &outcome);
    if (status == ENGINE_OK && engine->simulates && outcome.kind != OUTCOME_PASS && first == NULL)
        explain(session, supervisor, &failures);
    failure = failures.items;
    if (failure->has_cause && test->variant->launch != NULL)
        races_take_cause(session, &row, failure);
    session_take_barriers(session, supervisor);
    exit_status = session_ended(session, supervisor, status);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    if (row.record.racing > 0)
        report_races(session, &row);
    if (row.record.racing == 0 || outcome.kind != OUTCOME_PASS)
        replay_take_finding(session, &failures, first, engine);
    return row.record.racing == 0 && outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
}

static int run_alone(const struct test_case *first, const struct test_case *test,
                     const struct engine_kind *engine, const struct session *session)
{
    struct engine_list used = {.count = 0};
    struct session alone = *session;
    int status;

    engine_list_add(&used, engine->id);
    status = session_require(session, &used);
    if (status != EXIT_CONFORMS)
        return status;
    interrupt_catch();
    alone.jobs = 1;
    return run_once(first, test, engine, &alone);
}

int replay_case(const struct test_case *test, const struct engine_kind *engine,
                const struct session *session)
{
    return run_alone(NULL, test, engine, session);
}

int replay_compare(const struct test_case cases[2], const struct engine_kind *engine,
                   const struct session *session)
{
    return run_alone(&cases[0], &cases[1], engine, session);
}

int replay_check(const char *case_id, const struct session *session)
{
    struct findings *findings = &session->sinks->findings;
    const struct engine_kind *engine;
    struct test_case test;
    int status;

    if (!session_case(session->catalogue, case_id, &test, &engine))
        return EXIT_USAGE;
    findings_add_launch(findings, &(const struct launch_record){.launch = NULL});
    status = replay_case(&test, engine, session);
    findings_end_launch(findings, status);
    return status;
}
