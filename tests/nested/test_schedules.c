/* SPDX-License-Identifier: MIT
 *
 * Many schedules of small nested reduces on the host engine: the printed forms without
 * synchronisation give a wrong sum under one that the suite finds, the total forms under none.
 */
#include "check.h"

/* Runs 1,000 random schedules of a form with independent threads. */
static json_t *run_schedules(const char *kernel, const char *form, const char *block,
                             const char *size, int status)
{
    const char *const arguments[] = {SIMTCHECK,    "run",         "--engine",
                                     "host",       "--kernel",    kernel,
                                     "--form",     form,          "--assume-total",
                                     "--model",    "its",         "--schedule",
                                     "sequential", "--schedules", "1000",
                                     "--block",    block,         "--size",
                                     size,         "--errors",    "1",
                                     NULL};
    json_t *report = program_report(arguments, status);
    assert_non_null(report);
    return report;
}

static void a_wrong_sum_is_found(const char *kernel, const char *block, const char *size)
{
    json_t *report = run_schedules(kernel, "printed", block, size, 1), *row, *witness;
    const char *token;
    row = report_find(report, kernel, "printed");
    witness = json_object_get(row, "witness");
    token = report_text(witness, "token");
    assert_string_equal(report_text(witness, "outcome"), "mismatch");
    print_message("%s: %s, expected %s, got %s\n", kernel, report_text(witness, "place"),
                  report_text(witness, "expected"), report_text(witness, "got"));
    for (int k = 0; k < 10; k++) { /* the same every time */
        const char *const replay[] = {SIMTCHECK, "replay", token, NULL};
        struct ended ended = program_run(replay);
        assert_int_equal(ended.status, 1);
        assert_non_null(strstr(ended.output, report_text(witness, "got")));
        free(ended.output);
    }
    json_decref(report);
}

static void nosync_gives_a_wrong_sum(void **state)
{
    (void)state;
    a_wrong_sum_is_found("gpuRecursiveReduceNosync", "8", "8");
}

static void reduce2_gives_a_wrong_sum(void **state)
{
    (void)state;
    a_wrong_sum_is_found("gpuRecursiveReduce2", "8", "16");
}

static void total_forms_do_not(void **state)
{
    static const char *const kernels[] = {"gpuRecursiveReduce", "gpuRecursiveReduceNosync",
                                          "gpuRecursiveReduce2"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        json_t *report = run_schedules(kernels[k], "total", "8", "29", 0);
        assert_true(report_number(report, "cases") >= 1000);
        json_decref(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nosync_gives_a_wrong_sum),
        cmocka_unit_test(reduce2_gives_a_wrong_sum),
        cmocka_unit_test(total_forms_do_not),
    };
    return cmocka_run_group_tests_name("schedules", tests, NULL, NULL);
}
