/* SPDX-License-Identifier: MIT
 *
 * Many schedules of small nested reductions on the simulator. The original variants without
 * synchronisation give a wrong sum under some schedule that the suite finds. The corrected variants
 * never do.
 */
#include "check.h"

/* Runs 1,000 random schedules of a variant under the independent model. */
static json_t *run_schedules(const char *kernel, const char *kind, const char *size)
{
    json_t *report =
        report_line(0,
                    "run --engine sim --kernel '%s' --variant '%s' --model independent --schedule "
                    "sequential --schedules 1000 --block 8 --size '%s'",
                    kernel, kind, size);
    assert_non_null(report);
    return report;
}

/* The case is inside the domain, so only the order of threads and grids can cause a wrong sum. */
static void expect_wrong_sum(const char *kernel)
{
    json_t *report = run_schedules(kernel, "original", "8"), *row, *counterexample;
    const char *case_id, *size;
    row = report_find(report, kernel, "original");
    assert_string_equal(report_text(row, "verdict"), "known-defect");
    counterexample = json_object_get(row, "known_defect_counterexample");
    case_id = report_text(counterexample, "case");
    size = report_text(counterexample, "size");
    assert_string_equal(report_text(counterexample, "outcome"), "wrong-result");
    assert_true(strtoul(report_text(counterexample, "block"), NULL, 10) <= 8);
    assert_int_equal(strncmp(report_text(counterexample, "schedule"), "random-", 7), 0);
    print_message("%s, block %s, size %s, %s: expected %s, got %s\n", kernel,
                  report_text(counterexample, "block"), size,
                  report_text(counterexample, "schedule"), report_text(counterexample, "expected"),
                  report_text(counterexample, "got"));
    for (int k = 0; k < 10; k++) { /* the same every time */
        struct ended ended = run_line("replay '%s'", case_id);
        assert_non_null(strstr(ended.output, report_text(counterexample, "got")));
        expect_ended(ended, 1, "!outside the domain");
    }
    json_decref(report);
}

TEST(nosync_gives_a_wrong_sum)
{
    expect_wrong_sum("gpuRecursiveReduceNosync");
}

TEST(reduce2_gives_a_wrong_sum)
{
    expect_wrong_sum("gpuRecursiveReduce2");
}

TEST(corrected_variants_give_the_right_sum)
{
    static const char *const kernels[] = {"gpuRecursiveReduce", "gpuRecursiveReduceNosync",
                                          "gpuRecursiveReduce2"};
    for (int k = 0; k < 3; k++) {
        json_t *report = run_schedules(kernels[k], "corrected", "29");
        assert_true(report_number(report, "cases") >= 1000);
        json_decref(report);
    }
}

TEST_MAIN("schedules", NULL, NULL)
