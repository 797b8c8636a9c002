/* SPDX-License-Identifier: MIT
 *
 * The verdict of a run from its outcomes, without running a kernel.
 */
#include "check.h"

#include "launch_text.h"
#include "races_row.h"
#include "verdict.h"

static const struct variant *variant;
static struct selection selection = {
    .cases = {
        .models = {true, true}, .schedule_count = 1, .seed = 1, .level = 1, .sizes_per_block = 8}};

static struct memory memory; /* of the rows */

static struct row_run start(const char *id, enum variant_kind kind, struct row *row)
{
    struct row_run run = {.selection = &selection, .row = row, .failures_left = 20};

    variant = catalogue_find(&simtcheck_catalogue, id, kind);
    *row = row_start(variant, &engine_kinds[ENGINE_SIM], &memory);
    assert_true(plan_make(&selection.cases, variant, true, 0, &run.plan));
    return run;
}

/* Adds a case inside the domain with that outcome. */
static void take(struct row_run *run, enum outcome_kind kind)
{
    struct test_case test;
    struct outcome outcome = {.kind = kind};
    uint64_t index = 0;

    while (plan_shape(&run->plan, index)->violations != 0)
        index++;
    plan_case(&run->plan, index, &test);
    verdict_take(run, index, &test, &outcome);
}

static void take_all(struct row_run *run)
{
    for (uint64_t index = 0; index < plan_count(&run->plan); index++) {
        struct test_case test;
        struct outcome outcome = {.kind = plan_shape(&run->plan, index)->violations != 0
                                              ? OUTCOME_MISMATCH
                                              : OUTCOME_PASS};
        plan_case(&run->plan, index, &test);
        verdict_take(run, index, &test, &outcome);
    }
}

/* A note from an earlier round belongs to another verdict. */
TEST(failure_clears_older_notes)
{
    struct row row;
    struct row_run run = start("reduceNeighbored", VARIANT_CORRECTED, &row);
    row.record.note = "of the round before";
    take(&run, OUTCOME_MISMATCH);
    verdict_judge(&run);
    assert_int_equal(row.record.verdict, VERDICT_MISMATCH);
    assert_string_equal(row.record.note, "");
    plan_free(&run.plan);
}

TEST(faults_and_wrong_results_fail)
{
    struct row row;
    struct row_run run = start("reduceNeighbored", VARIANT_CORRECTED, &row);
    take(&run, OUTCOME_PASS);
    take(&run, OUTCOME_FAULT);
    take(&run, OUTCOME_MISMATCH); /* the first one is the counterexample */
    verdict_judge(&run);
    assert_int_equal(row.record.verdict, VERDICT_FAULT);
    assert_int_equal(row.record.mismatches, 2);
    assert_int_equal(run.failures_left, 18);
    plan_free(&run.plan);
}

/* Right inside and wrong everywhere outside. A known defect that must reproduce and does not is a
 * failure. */
TEST(domain_is_verified_on_both_sides)
{
    struct row row;
    struct row_run run = start("reduceNeighbored", VARIANT_ORIGINAL, &row);
    take_all(&run);
    verdict_judge(&run);
    assert_int_equal(row.record.verdict, VERDICT_CONFORMS_IN_DOMAIN);
    plan_free(&run.plan);
    run = start("reduceUnrollWarps8Plain", VARIANT_ORIGINAL, &row);
    take_all(&run);
    verdict_judge(&run);
    assert_int_equal(row.record.verdict, VERDICT_MISMATCH);
    assert_non_null(strstr(row.record.note,
                           "the known defect did not reproduce: no case inside the domain fails"));
    plan_free(&run.plan);
}

/* A wrong result of a kernel with a known defect has no verdict until it is compared with the
 * defect. */
TEST(suspect_has_no_verdict_before_comparison)
{
    struct row row;
    struct row_run run = start("reduceUnrollWarps8Plain", VARIANT_ORIGINAL, &row);
    take(&run, OUTCOME_MISMATCH);
    assert_int_equal(run.suspects.count, 1);
    assert_int_equal(row.record.mismatches, 0);
    verdict_take_suspect(&run, run.suspects.items, "it rains");
    verdict_judge(&run);
    assert_int_equal(row.record.verdict, VERDICT_MISMATCH);
    assert_non_null(strstr(row.record.note, "it rains"));
    memory_free(&run.memory);
    plan_free(&run.plan);
}

/* The search for races tries each launch once. Without a size, all shapes launch the same. */
TEST(shapes_that_launch_the_same_are_searched_once)
{
    static struct launch_text launch;
    const struct variant of_launch = {.launch = &launch};
    struct test_case test = {.variant = &of_launch, .shape.size = {2, 1}};
    char error[256];
    size_t column;

    for (uint32_t sized = 0; sized < 2; sized++) {
        struct race_row row = {.variant = &of_launch};
        assert_true(
            launch_parse(sized ? "k<<<1, 64>>>(out int o[n])" : "k<<<1, 64>>>(out int o[64])",
                         &(struct size_names){.count = 0}, &launch, &column, error, sizeof error));
        for (test.shape.size[0] = 3; test.shape.size[0] > 0; test.shape.size[0]--)
            race_row_keep(&row, &test);
        assert_int_equal(row.kept, sized ? 3 : 1);
        assert_int_equal(row.smallest[0].shape.size[0], 1);
    }
}

static int free_rows(void **state)
{
    (void)state;
    memory_free(&memory);
    return 0;
}

TEST_MAIN("verdict", NULL, free_rows)
