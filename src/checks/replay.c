/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include "complain.h"
#include "interrupt.h"
#include "report.h"
#include "token.h"

static int run_once(const struct test_case *test, const struct engine_kind *engine,
                    struct session *session)
{
    struct supervisor *supervisor;
    struct witness witness = {.test = *test};
    char reason[512];
    enum engine_status status;
    int exit_status = session_open(session, engine->id, REQUEST_RUN, &supervisor);

    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = supervisor_run_array(supervisor, test, 1, &witness.outcome, reason, sizeof reason);
    session_close(session, supervisor);
    if (status != ENGINE_OK)
        return session_failed(session, engine->id, status, reason);
    report_replay(&witness, engine);
    return witness.outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
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

int replay_check(const char *token, struct session *session)
{
    const struct engine_kind *engine;
    struct test_case test;
    char reason[512];

    if (token_parse(token, session->catalogue, &test, &engine, reason, sizeof reason))
        return replay_case(&test, engine, session);
    complain("%s", reason);
    return EXIT_USAGE;
}
