/* SPDX-License-Identifier: MIT
 *
 * `replay`: runs a token's case once and prints what came.
 */
#include "complain.h"
#include "interrupt.h"
#include "report.h"
#include "session.h"
#include "token.h"

static int replay(const struct options *options, const struct catalogue *catalogue)
{
    const struct engine_kind *engine;
    struct options own = *options;
    struct supervisor *supervisor;
    struct test_case test;
    struct outcome outcome;
    char reason[512];
    enum engine_status status;
    int exit_status;

    if (!token_parse(options->token, catalogue, &test, &engine, reason, sizeof reason)) {
        complain("%s", reason);
        return EXIT_USAGE;
    }
    exit_status = session_require(options, &engine, 1);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    interrupt_catch();
    own.jobs = 1;
    exit_status = session_open(&own, engine->id, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    status = supervisor_run_array(supervisor, &test, 1, &outcome, reason, sizeof reason);
    session_close(supervisor);
    if (status != ENGINE_OK)
        return session_failed(options, engine->id, status, reason);
    report_replay(&(struct witness){.test = test, .outcome = outcome}, engine);
    return outcome.kind == OUTCOME_PASS ? EXIT_CONFORMS : EXIT_DIFFERS;
}

const struct command replay_command = {
    .name = "replay",
    .arguments = "TOKEN",
    .help = "run one case again",
    .takes_token = true,
    .run = replay,
};
