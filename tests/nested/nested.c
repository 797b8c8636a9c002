/* SPDX-License-Identifier: MIT */
#include "nested.h"

uint32_t nested_out[OUT_ELEMENTS];

static struct engine *engine;

int nested_open(void)
{
    const struct engine_limits limits = {.deadline_seconds = 30};
    const char *required = getenv("SIMTCHECK_REQUIRE");
    char reason[256];
    enum engine_status status = engine_open(&limits, &engine, reason, sizeof reason);

    if (status == ENGINE_OK)
        return 0;
    fprintf(stderr, "engine %s: %s\n", engine_kind()->name, reason);
    return status == ENGINE_UNAVAILABLE &&
                   (required == NULL || strcmp(required, engine_kind()->name) != 0)
               ? 77
               : 1;
}

void nested_close(void)
{
    engine_close(engine);
    engine = NULL;
}

bool nested_on_host(void)
{
    return engine_kind()->simulates;
}

struct engine_outcome nested_run_job(const struct engine_job *job)
{
    struct engine_outcome outcome;
    enum engine_status status = engine_run(engine, job, 1, &outcome);

    if (status == ENGINE_LOST) /* `fault` says how */
        assert_int_not_equal(outcome.fault.kind, FAULT_NONE);
    else
        assert_int_equal(status, ENGINE_OK);
    return outcome;
}

struct engine_outcome nested_run(const struct nested_call *call)
{
    const struct invocation invocation = {
        .kernel = call->kernel,
        .grid = {call->blocks, 1, 1},
        .block = {call->threads, 1, 1},
        .launches = true,
        .buffer_count = 2,
        .buffers =
            {{.name = "in", .role = ROLE_LOG, .element = ELEMENT_I32, .count = OUT_ELEMENTS},
             {.name = "out", .role = ROLE_LOG, .element = ELEMENT_I32, .count = OUT_ELEMENTS}},
        .argument_count = 4,
        .arguments = {{ARGUMENT_BUFFER, 0},
                      {ARGUMENT_BUFFER, 1},
                      {ARGUMENT_VALUE, call->a},
                      {ARGUMENT_VALUE, call->b}},
    };
    struct engine_job job = {
        .invocation = &invocation,
        .model = call->model,
        .schedule = call->schedule,
        .nesting = call->nesting,
        .results = {NULL, nested_out},
    };

    return nested_run_job(&job);
}
