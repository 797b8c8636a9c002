/* SPDX-License-Identifier: MIT */
#include "engine_run.h"

#include "check.h"

struct engine *test_engine;

int engine_set_up(void **state)
{
    const struct engine_limits limits = {.deadline_seconds = 60, .every_schedule = true};
    char reason[256];

    return folder_make(state) == 0 &&
                   engine_open(&limits, &test_engine, reason, sizeof reason) == ENGINE_OK
               ? 0
               : -1;
}

int engine_tear_down(void **state)
{
    engine_close(test_engine);
    return folder_remove(state);
}

void engine_load_test(const char *name, const char *path)
{
    char reason[512];

    if (!engine_load(path, reason, sizeof reason))
        fail_msg("%s: %s", name, reason);
}

struct engine_outcome engine_run_one(const struct engine_job *job)
{
    struct engine_outcome outcome;

    assert_int_equal(engine_run(test_engine, job, 1, &outcome), ENGINE_OK);
    return outcome;
}

struct buffer integers(const char *name, enum role role, uint32_t count, const void *contents)
{
    return (struct buffer){.name = name,
                           .role = role,
                           .element = ELEMENT_I32,
                           .count = count,
                           .fill = FILL_DATA,
                           .data = contents,
                           .data_count = count};
}
