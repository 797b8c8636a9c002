/* SPDX-License-Identifier: MIT
 *
 * `simtcheck run --stress` without a GPU: the simulator stands in for the engines with and without
 * delays. The test cuda.property.delays covers the effect of delays on kernels.
 */
#include "check.h"

#include <unistd.h>

static struct twin twin;
static char report[160];

static int set_up(void **state)
{
    static const char *const played[] = {"cuda", "cuda-stress", NULL};
    (void)state;
    if (!twin_make(&twin, played))
        return -1;
    snprintf(report, sizeof report, "%s/delays.json", twin.folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return twin_remove(&twin) ? 0 : -1;
}

TEST(stress_results_are_compared_with_declared_verdicts)
{
    static const struct {
        const char *kernel, *says;
        int status;
        bool declared, wrong;
    } seeded[] = {
        {"sharedSum", " right", 0, false, false},
        {"seededMissingBarrier", "wrong (!)", 1, false, true},
        {"seededOwnsUp", "wrong (!)", 1, false, true}, /* corrected: must be right everywhere */
        {"seededOwnsUpPrinted", "race, as declared", 0, true, true},
        {"seededAdds42", "zeros", 1, true, true}, /* the known defect does not explain that */
        {"seededClaimsRace", "declared race not seen (!)", 1, true, false},
        {"seededStrayWrite", "wrong (!)", 1, false, true}, /* a fault */
    };

    for (size_t p = 0; p < sizeof seeded / sizeof *seeded; p++) {
        struct ended ended = run_line("%s run --kernel '%s' --stress 7 --block 64,256 --json %s",
                                      twin.program, seeded[p].kernel, report);
        json_t *rows = json_load_file(report, 0, NULL);
        const json_t *row = json_array_get(rows, 1);
        assert_int_equal(json_array_size(rows), 2);
        assert_string_equal(report_text(row, "id"), seeded[p].kernel);
        assert_int_equal(report_number(row, "block"), 256);
        assert_int_equal(report_number(row, "runs"), 7);
        assert_int_equal(report_number(row, "wrong"), seeded[p].wrong ? 7 : 0);
        assert_int_equal(report_number(row, "wrong_undelayed"), seeded[p].wrong ? 7 : 0);
        assert_int_equal(json_is_true(json_object_get(row, "expected")), seeded[p].declared);
        assert_int_equal(json_is_true(json_object_get(row, "as_expected")), seeded[p].status == 0);
        json_decref(rows);
        expect_ended(ended, seeded[p].status, seeded[p].says);
    }
}

/* Original variants run where only the order of warps could make them wrong. They are omitted where
 * they are always wrong. */
TEST(original_variants_run_inside_their_domains)
{
    expect_run(2, "allow none of these blocks", "%s run --kernel seededNarrow --stress 1",
               twin.program);
}

TEST(invalid_options_are_rejected)
{
    static const struct {
        const char *option, *value, *says;
    } bad[] = {
        {"--schedules", "2", "does not apply to --stress"},
        {"--engine", "sim", "does not apply to --stress"},
        {"--delay-density", "101", "whole number"},
        {"--delay-length", "0", "whole number"},
        {"--delay-seed", "x", "whole number"},
        {"--kernel", "noSuchKernel", "no kernel matches"},
        {"--block", "16x2", "--block 16x2 has several dimensions"},
    };

    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        expect_run(2, bad[b].says, "%s run --stress 1 '%s' '%s'", twin.program, bad[b].option,
                   bad[b].value);
    }
    expect_run(3, "cannot write", "%s run --stress 1 --json /nonexistent/folder/file",
               twin.program);
}

/* A missing engine is skipped, and is an error if it is required. */
TEST(missing_engine_is_reported)
{
    char command[256];

    snprintf(command, sizeof command, "rm %s/seeded-worker-cuda-stress", twin.folder);
    assert_int_equal(system(command), 0);
    expect_run(77, "no engine 'cuda-stress'", "%s run --stress 1 --kernel sharedSum", twin.program);
    expect_run(3, "", "%s run --stress 1 --kernel sharedSum --require cuda", twin.program);
}

int main(void)
{
    unsetenv("SIMTCHECK_REQUIRE");
    return tests_run("delays command", set_up, tear_down);
}
