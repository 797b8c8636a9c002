/* SPDX-License-Identifier: MIT */
#include "check_built.h"

#include "accept.h"
#include "check_parts.h"
#include "error_report.h"

#include <string.h>

/* Instructions for each second of --deadline. A slow first case executes 100 million a second, and
 * other cases may take four times as long. */
enum { CHECK_STEPS = 25000000 };

uint64_t check_steps(const struct session *session)
{
    double steps = session->limits.deadline_seconds * CHECK_STEPS;

    return steps < 1 ? 1 : steps < 1e18 ? (uint64_t)steps : UINT64_C(1000000000000000000);
}

static int run_first(const struct check *check, const struct session *session,
                     struct outcome *outcome)
{
    struct supervisor *supervisor;
    struct test_case test;
    struct plan plan;
    int status = session_open(session, ENGINE_SIM, REQUEST_DIGEST, &supervisor);

    if (status != EXIT_CONFORMS)
        return status;
    if (!plan_make(&check->request->rows.selection.cases, &check->catalogue.row->variant, true, 0,
                   &plan))
        return session_ended(session, supervisor, ENGINE_ERROR);
    plan_case(&plan, 0, &test);
    plan_free(&plan);
    progress_say(&session->sinks->progress, "replaying %s", check->code.launch.calls[0].kernel);
    status =
        session_ended(session, supervisor, supervisor_run_array(supervisor, &test, 1, outcome));
    progress_end(&session->sinks->progress);
    return status;
}

/* Runs the first case of a captured launch. Returns EXIT_UNAVAILABLE if it executes so many
 * instructions that others may exceed --deadline. The GPU has completed the launch, so this would
 * be no failure. Else returns EXIT_CONFORMS, or the exit status after an error message. */
static int try_first(struct check *check)
{
    struct session session = check->session;
    uint64_t usual = session.limits.steps, most = check_steps(&session);
    struct outcome outcome;
    bool is_long;
    int status;

    user_code_use(&check->code, &session);
    if (usual == 0 || usual > most)
        session.limits.steps = most;
    status = run_first(check, &session, &outcome);
    if (status != EXIT_CONFORMS)
        return status;
    check->is_idle = outcome.kind == OUTCOME_PASS && outcome.points == 0 && outcome.checked == 0;
    is_long = outcome.kind == OUTCOME_FAULT &&
              (outcome.fault.kind == FAULT_TIMEOUT ||
               (outcome.fault.kind == FAULT_STEP_LIMIT && (usual == 0 || usual > most)));
    return is_long ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

int check_built(const struct check_request *request, const struct user_code *code,
                const struct session *session)
{
    struct memory memory = {NULL};
    struct check *check = memory_take(&memory, sizeof *check);
    char error[512];
    int status = EXIT_ENVIRONMENT;

    *check = (struct check){.request = request, .session = *session, .code = *code};
    check->pieces = session->sinks->bound.launches;
    if (launch_catalogue_make(&check->code.launch, &check->catalogue, error, sizeof error)) {
        status = request->case_id == NULL ? try_first(check) : EXIT_CONFORMS;
        if (status == EXIT_CONFORMS)
            status = check_parts_run(check);
        launch_catalogue_free(&check->catalogue);
        decode_close(check->code.decoded);
    } else {
        error_report("%s", error);
    }
    memory_free(&memory);
    return status;
}
