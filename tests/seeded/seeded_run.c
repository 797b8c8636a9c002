/* SPDX-License-Identifier: MIT */
#include "seeded_run.h"

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

struct schedule seeded_schedule(int k)
{
    if (k < 2)
        return (struct schedule){k == 0 ? SCHEDULE_SEQUENTIAL : SCHEDULE_REVERSE, 0, {0}};
    return (struct schedule){SCHEDULE_RANDOM, (uint64_t)k, {0}};
}

struct engine_outcome seeded_run(const struct seeded_job *seeded)
{
    const struct invocation invocation = {
        .kernel = seeded->kernel,
        .grid = {seeded->blocks, 1, 1},
        .block = {seeded->threads, 1, 1},
        .launches = true,
        .buffer_count = 3,
        .buffers =
            {{.name = "data", .role = ROLE_LOG, .element = ELEMENT_I32, .count = SEEDED_WORDS},
             {.name = "flag", .role = ROLE_LOG, .element = ELEMENT_I32, .count = SEEDED_WORDS},
             {.name = "out", .role = ROLE_LOG, .element = ELEMENT_I32, .count = SEEDED_WORDS}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_BUFFER, 2}},
    };
    const struct engine_job job = {
        .invocation = &invocation,
        .model = seeded->model,
        .schedule = seeded->schedule,
        .nesting = {.profile = seeded->profile},
        .races = seeded->races,
        .race_capacity = seeded->race_capacity,
        .counters = seeded->counters,
        .results = {NULL, NULL, seeded->out},
    };
    struct engine_outcome outcome;

    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    return outcome;
}
