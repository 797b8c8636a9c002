/* SPDX-License-Identifier: MIT
 *
 * `cross-check`: with a GPU, on that. Always also with a second simulator as the GPU, built from
 * kernels of which one is different.
 */
#include "check.h"

#include <unistd.h>

static struct twin twin;

static int set_up(void **state)
{
    static const char *const played[] = {"cuda", NULL};
    (void)state;
    if (!twin_make(&twin, played))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return twin_remove(&twin) ? 0 : -1;
}

TEST(engines_that_agree_conform)
{
    expect_run(0, "agrees", "%s cross-check --kernel seededWide --level 1", twin.program);
}

/* A wrong result outside the domain counts only if the engines disagree on it. */
TEST(engine_disagreement_is_reported)
{
    char report[160];
    json_t *rows;
    snprintf(report, sizeof report, "%s/agree.json", twin.folder);
    expect_run(1, "differs|sim: out[0]: expected | replay 2:cuda:seededOtherOnGpu:original:",
               "%s cross-check --kernel seededOtherOnGpu --json %s", twin.program, report);
    rows = json_load_file(report, 0, NULL);
    assert_string_equal(report_text(json_array_get(rows, 0), "verdict"), "differs");
    assert_true(report_number(json_array_get(rows, 0), "defined") >
                report_number(json_array_get(rows, 0), "equal"));
    json_decref(rows);
}

/* Uses this machine's own engines. */
TEST(cross_check_without_gpu_is_not_a_pass)
{
    bool on_gpu = engine_is_available("cuda");
    struct ended ended = run_line("seeded cross-check --kernel seededOtherOnGpu");
    assert_non_null(strstr(ended.output, on_gpu ? "differs" : "engine cuda"));
    if (!on_gpu)
        assert_null(strstr(ended.output, "defined")); /* nothing ran either */
    assert_int_equal(ended.status, on_gpu ? 1 : 77);
    free(ended.output);
}

/* A kernel that reads past its data outside its domain has no defined result there. */
TEST(inapplicable_cases_are_reported)
{
    expect_run(0, "does not apply",
               "%s cross-check --kernel seededNarrowAtBoundary --block 2 --size 1,3", twin.program);
}

/* The order of the atomic accesses decides who sees the sum. Even where the sum is 0, the result
 * counts as undefined. */
TEST(order_dependent_result_is_undefined)
{
    char report[160];
    json_t *rows;
    snprintf(report, sizeof report, "%s/by_order.json", twin.folder);
    expect_run(0, "", "%s cross-check --kernel seededByOrderOutside --json %s", twin.program,
               report);
    rows = json_read(report);
    assert_true(report_number(json_array_get(rows, 0), "outside") > 100);
    assert_int_equal(report_number(json_array_get(rows, 0), "defined"), 0);
    json_decref(rows);
}

/* Random values, which are tried besides the case's own, give another result. It is still defined.
 */
TEST(each_value_set_has_its_own_result)
{
    char report[160];
    json_t *rows;
    snprintf(report, sizeof report, "%s/values.json", twin.folder);
    expect_run(
        1, "",
        "%s cross-check --kernel seededOtherOnGpu --block 1,4,32 --size 1,3,5,7,31 --json %s",
        twin.program, report);
    rows = json_read(report);
    assert_int_equal(report_number(json_array_get(rows, 0), "outside"), 15);
    assert_int_equal(report_number(json_array_get(rows, 0), "defined"), 15);
    json_decref(rows);
}

TEST(unwritable_report_is_an_error)
{
    expect_run(3, "cannot write",
               "%s cross-check --kernel seededWide --block 1 --json /nonexistent/folder/file",
               twin.program);
}

TEST_MAIN("cross-check", set_up, tear_down)
