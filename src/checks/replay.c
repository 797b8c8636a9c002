/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "interrupt.h"
#include "row_findings.h"

static int run_once(const struct test_case *test, const struct engine_kind *engine,
                    struct session *session)
{
    struct supervisor *supervisor;
    struct counterexample counterexample = {.test = *test};
    enum engine_status status;
    int exit_status = session_open(session, engine->id, REQUEST_RUN, &supervisor);

    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = supervisor_run_array(supervisor, test, 1, &counterexample.outcome);
    exit_status = session_ended(session, supervisor, status);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    report_replay(&counterexample, engine);
    replay_take_finding(session, &counterexample, engine);
    return counterexample.outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
}

int replay_case(const struct test_case *test, const struct engine_kind *engine,
                struct session *session)
{
    struct engine_list used = {.count = 0};
    uint64_t jobs = session->jobs;
    int status;

    engine_list_add(&used, engine->id);
    status = session_require(session, &used);
    if (status != EXIT_CONFORMS)
        return status;
    interrupt_catch();
    session->jobs = 1;
    status = run_once(test, engine, session);
    session->jobs = jobs;
    return status;
}

int replay_check(const char *case_id, struct session *session)
{
    const struct engine_kind *engine;
    struct test_case test;

    return session_case(session->catalogue, case_id, &test, &engine)
               ? replay_case(&test, engine, session)
               : EXIT_USAGE;
}
