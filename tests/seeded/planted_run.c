/* SPDX-License-Identifier: MIT */
#include "planted_run.h"

#include "check.h"

struct engine *engine;

int engine_set_up(void **state)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    char reason[256];
    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK ? 0 : -1;
}

int engine_tear_down(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

struct schedule planted_schedule(int k)
{
    if (k < 2)
        return (struct schedule){k == 0 ? SCHEDULE_SEQUENTIAL : SCHEDULE_REVERSE, 0, {0}};
    return (struct schedule){SCHEDULE_RANDOM, (uint64_t)k, {0}};
}

struct engine_outcome planted_run(const struct planted_job *planted)
{
    const struct invocation invocation = {
        .kernel = planted->kernel,
        .grid = {planted->blocks, 1, 1},
        .block = {planted->threads, 1, 1},
        .launches = true,
        .buffer_count = 3,
        .buffers =
            {{.name = "data", .role = ROLE_LOG, .element = ELEMENT_I32, .count = PLANTED_WORDS},
             {.name = "flag", .role = ROLE_LOG, .element = ELEMENT_I32, .count = PLANTED_WORDS},
             {.name = "out", .role = ROLE_LOG, .element = ELEMENT_I32, .count = PLANTED_WORDS}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_BUFFER, 2}},
    };
    const struct engine_job job = {
        .invocation = &invocation,
        .model = planted->model,
        .schedule = planted->schedule,
        .nesting = {.profile = planted->profile},
        .races = planted->races,
        .race_capacity = planted->race_capacity,
        .results = {NULL, NULL, planted->out},
    };
    struct engine_outcome outcome;

    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    return outcome;
}
