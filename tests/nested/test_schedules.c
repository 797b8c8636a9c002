/* SPDX-License-Identifier: MIT
 *
 * Many schedules of small nested reduces on the host engine: the printed forms without
 * synchronisation give a wrong sum under one that the suite finds, the total forms under none.
 */
#include "check.h"

/* Runs 1,000 random schedules of a form with independent threads. */
static json_t *run_schedules(const char *kernel, const char *form, const char *size)
{
    const char *const arguments[] = {
        SIMTCHECK, "run",     "--engine", "host",       "--kernel",   kernel,        "--form",
        form,      "--model", "its",      "--schedule", "sequential", "--schedules", "1000",
        "--block", "8",       "--size",   size,         NULL};
    json_t *report = program_report(arguments, 0);
    assert_non_null(report);
    return report;
}

/* Inside the domain, so that nothing but the order of threads and grids can be to blame. */
static void a_wrong_sum_is_found(const char *kernel)
{
    json_t *report = run_schedules(kernel, "printed", "8"), *row, *witness;
    const char *token, *size;
    row = report_find(report, kernel, "printed");
    assert_string_equal(report_text(row, "verdict"), "finding");
    witness = json_object_get(row, "finding_witness");
    token = report_text(witness, "token");
    size = report_text(witness, "size");
    assert_string_equal(report_text(witness, "outcome"), "mismatch");
    assert_true(strtoul(report_text(witness, "block"), NULL, 10) <= 8);
    assert_int_equal(strncmp(report_text(witness, "schedule"), "random-", 7), 0);
    print_message("%s, block %s, size %s, %s: expected %s, got %s\n", kernel,
                  report_text(witness, "block"), size, report_text(witness, "schedule"),
                  report_text(witness, "expected"), report_text(witness, "got"));
    for (int k = 0; k < 10; k++) { /* the same every time */
        const char *const replay[] = {SIMTCHECK, "replay", token, NULL};
        struct ended ended = program_run(replay);
        assert_int_equal(ended.status, 1);
        assert_non_null(strstr(ended.output, report_text(witness, "got")));
        assert_null(strstr(ended.output, "outside the domain"));
        free(ended.output);
    }
    json_decref(report);
}

static void nosync_gives_a_wrong_sum(void **state)
{
    (void)state;
    a_wrong_sum_is_found("gpuRecursiveReduceNosync");
}

static void reduce2_gives_a_wrong_sum(void **state)
{
    (void)state;
    a_wrong_sum_is_found("gpuRecursiveReduce2");
}

static void total_forms_do_not(void **state)
{
    static const char *const kernels[] = {"gpuRecursiveReduce", "gpuRecursiveReduceNosync",
                                          "gpuRecursiveReduce2"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        json_t *report = run_schedules(kernels[k], "total", "29");
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
