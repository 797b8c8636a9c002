/* SPDX-License-Identifier: MIT
 *
 * A nested launch on the host engine, which does not run them: a fault that names the launch and
 * its line, never a silent nothing.
 */
#include "check.h"

#include "engine.h"

static void expect_unsupported(const char *kernel)
{
    const struct engine_limits limits = {.deadline_seconds = 5};
    const struct invocation invocation = {
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {8, 1, 1},
        .buffer_count = 2,
        .buffers = {{"in", ROLE_INOUT, ELEMENT_I32, 1, 0, 0},
                    {"out", ROLE_OUTPUT, ELEMENT_I32, 1, 0, 0}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, 8}},
    };
    struct engine_job job = {.invocation = &invocation};
    struct engine_outcome outcome;
    struct engine *engine;
    char reason[256];

    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    engine_close(engine);
    assert_int_equal(outcome.fault.kind, FAULT_UNSUPPORTED);
    assert_non_null(strstr(outcome.fault.text, "<<<1, 4>>>"));
    assert_string_equal(outcome.fault.file, "nested/nested_launch.cu");
}

static void a_nested_launch_is_not_ignored(void **state)
{
    (void)state;
    expect_unsupported("nestedParent");
    expect_unsupported("nestedTail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_nested_launch_is_not_ignored)};
    return cmocka_run_group_tests_name("nested launch", tests, NULL, NULL);
}
