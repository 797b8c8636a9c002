/* SPDX-License-Identifier: MIT
 *
 * Kernels with a seeded defect, run through the whole suite. Each must be detected and named
 * correctly. So must domains that are too narrow or too wide. Arguments: the engine, and I/N for
 * the Ith of N parts.
 */
#include "check.h"

#include "defects.h"

static const char *engine;
static bool on_gpu;

struct seeded {
    const char *id, *kind;
    const char *verdict;
    const char *outcome;     /* of the counterexample */
    const char *fault;       /* on the simulator; null: not a fault */
    const char *gpu_outcome; /* on a GPU, where it differs; null: the same */
    const char *gpu_fault;
    const char *block; /* of the smallest counterexample on the simulator; null: any */
    const char *size;  /* the only size to try; null: many */
    bool not_on_gpu;   /* undefined on a GPU, where it may pass */
};

static const struct seeded seeded[] = {
    {.id = "seededMissingBarrier",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "4"},
    {.id = "seededOffByOne", .verdict = "wrong-result", .outcome = "wrong-result", .block = "2"},
    {.id = "seededStrayRead",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "out-of-bounds-read",
     .gpu_outcome = "wrong-result",
     .block = "1"},
    {.id = "seededStrayWrite",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "out-of-bounds-write",
     .block = "1"},
    {.id = "seededUnwrittenOutput",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "unwritten-output",
     .block = "1"},
    {.id = "seededUnwrittenRead",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "uninitialized-read",
     .gpu_fault = "unwritten-output",
     .block = "1"},
    {.id = "seededWritesInput",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "write-to-input",
     .block = "1"},
    {.id = "seededEndlessLoop", .verdict = "fault", .outcome = "fault", .fault = "timeout"},
    {.id = "seededEndlessFences", .verdict = "fault", .outcome = "fault", .fault = "timeout"},
    {.id = "seededEndlessWait",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "deadlock",
     .gpu_fault = "timeout"},
    {.id = "seededEndlessBarriers",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "step-limit",
     .gpu_fault = "timeout"},
    {.id = "seededDivergentBarrier",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "divergent-barrier",
     .block = "2",
     .not_on_gpu = true},
    {.id = "seededTrap",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "trap",
     .gpu_fault = "crash"},
    {.id = "seededWildRead",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "out-of-bounds-read",
     .gpu_fault = "crash"},
    {.id = "seededSharedStray",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "out-of-bounds-write",
     .block = "33",
     .not_on_gpu = true},
    {.id = "seededSharedUnwritten",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "uninitialized-read",
     .block = "1",
     .not_on_gpu = true},
    {.id = "seededForeignLocal",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "out-of-bounds-write",
     .block = "2",
     .not_on_gpu = true},
    {.id = "seededDeepStack",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "stack-overflow",
     .not_on_gpu = true},
    {.id = "seededUnitDistance",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "65"},
    {.id = "seededWrongElement",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "1"},
    {.id = "seededWrongFloat", .verdict = "wrong-result", .outcome = "wrong-result", .block = "1"},
    {.id = "seededLosesLast", .verdict = "wrong-result", .outcome = "wrong-result", .block = "1"},
    {.id = "seededSkipsLaunch",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "unwritten-output",
     .block = "1",
     .size = "2"},
    {.id = "seededFailedLaunch",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "child-launch-error",
     .block = "1"},
    {.id = "seededUselessLaunch",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "1"},
    {.id = "seededPrints", .verdict = "fault", .outcome = "fault", .fault = "unexpected-output"},
    {.id = "seededDivides",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "division-by-zero",
     .block = "1",
     .not_on_gpu = true},
    {.id = "seededStores",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "1",
     .not_on_gpu = true},
    {.id = "seededRunaway",
     .verdict = "fault",
     .outcome = "fault",
     .fault = "runaway-launches",
     .block = "1",
     .size = "0"},
    {.id = "seededAddsTooEarly",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "3",
     .not_on_gpu = true},
    {.id = "seededSwapsCounts", .verdict = "wrong-result", .outcome = "wrong-result", .block = "3"},
    {.id = "seededMisprints",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "1",
     .size = "2d3,3d4"},
    {.id = "seededDepthTwo",
     .verdict = "wrong-result",
     .outcome = "wrong-result",
     .block = "1",
     .size = "1x16d3,2x8d0"},
    {.id = "seededNoSuchKernel", .verdict = "fault", .outcome = "fault", .fault = "launch-error"},
};

static void is_caught_and_named(void **state)
{
    const struct seeded *kernel = *state;
    bool hangs = strcmp(kernel->fault != NULL ? kernel->fault : "", "timeout") == 0;
    bool runs_out = strcmp(kernel->fault != NULL ? kernel->fault : "", "step-limit") == 0;
    /* After the deadline, or else soon; test_sim.c has the usual limit. */
    const char *steps = hangs ? "1000000000000" : runs_out ? "1000000" : NULL;
    const char *deadline = on_gpu ? "1" : hangs ? "0.3" : "20"; /* long enough for a slow machine */
    const char *const arguments[] = {SEEDED,
                                     "run",
                                     "--engine",
                                     engine,
                                     "--kernel",
                                     kernel->id,
                                     "--block",
                                     "1-8,33,64,1024",
                                     "--size",
                                     kernel->size != NULL ? kernel->size : "0-8,64,1000,4096",
                                     "--deadline",
                                     deadline,
                                     "--max-failures",
                                     "2",
                                     steps != NULL ? "--steps" : NULL,
                                     steps,
                                     NULL};
    const char *outcome = kernel->outcome, *fault = kernel->fault;
    json_t *report = program_report(arguments, 1), *row, *counterexample;

    if (on_gpu && kernel->gpu_outcome != NULL) {
        outcome = kernel->gpu_outcome;
        fault = NULL;
    }
    if (on_gpu && kernel->gpu_fault != NULL)
        fault = kernel->gpu_fault;
    assert_non_null(report);
    row = report_find(report, kernel->id, "corrected");
    assert_non_null(row);
    counterexample = json_object_get(row, "counterexample");
    assert_string_equal(report_text(counterexample, "outcome"), outcome);
    assert_string_equal(report_text(row, "verdict"), outcome);
    if (fault != NULL)
        assert_string_equal(report_text(json_object_get(counterexample, "fault"), "kind"), fault);
    if (!on_gpu && fault != NULL && strcmp(fault, "timeout") == 0) /* not in the engine */
        assert_non_null(
            strstr(report_text(json_object_get(counterexample, "fault"), "file"), "seeded.cu"));
    if (!on_gpu && kernel->block != NULL)
        assert_string_equal(report_text(counterexample, "block"), kernel->block);
    assert_string_not_equal(report_text(counterexample, "case"), "");
    json_decref(report);
}

/* A shared array starts uninitialized in every block. Correct kernels that use one conform. So does
 * a parent that reads what its child wrote, and waits before that. */
static void correct_kernels_conform(void **state)
{
    static const char *const kernels[] = {"sharedSum", "addsChildsSum"};
    (void)state;
    for (size_t k = 0; k < (on_gpu ? 1 : 2); k++) { /* not every GPU has the wait */
        json_t *report = report_line(0, "seeded run --engine '%s' --kernel %s", engine, kernels[k]);
        assert_non_null(report);
        assert_string_equal(report_text(report_find(report, kernels[k], "corrected"), "verdict"),
                            "conforms");
        json_decref(report);
    }
}

/* A block without data is launched too. The report says so, and replays it. */
static void too_many_blocks_are_reported(void **state)
{
    json_t *report = report_line(1, "seeded run --engine '%s' --kernel seededSurplus", engine),
           *counterexample;
    char case_id[256];
    (void)state;
    assert_non_null(report);
    counterexample =
        json_object_get(report_find(report, "seededSurplus", "corrected"), "counterexample");
    assert_non_null(strstr(report_text(counterexample, "size"), "+1"));
    if (!on_gpu)
        assert_string_equal(report_text(counterexample, "size"), "0+1");
    snprintf(case_id, sizeof case_id, "%s", report_text(counterexample, "case"));
    json_decref(report);
    expect_run(1, "expected 0, got 1", "seeded replay '%s'", case_id);
}

/* A wrong result is reported with its unordered accesses, if there are any. */
static void wrong_result_is_reported_with_its_race(void **state)
{
    static const struct {
        const char *kernel;
        const struct defect_region *region; /* null: no race */
    } kernels[] = {{"seededMissingBarrier", defect_missing_barrier},
                   {"seededAddsTooEarly", defect_adds_too_early},
                   {"seededOffByOne", NULL}};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        json_t *report = report_line(1, "seeded run --engine sim --kernel '%s'", kernels[k].kernel),
               *race = json_object_get(report_find(report, kernels[k].kernel, "corrected"), "race");
        assert_true(json_is_null(race) == (kernels[k].region == NULL));
        if (kernels[k].region != NULL)
            assert_in_range(report_number(json_object_get(race, "second"), "line"),
                            kernels[k].region->first, kernels[k].region->last);
        json_decref(report);
    }
}

/* One case traps or hangs amid others. It alone gets a fault, and all others get a verdict. */
static void fault_fails_only_its_own_case(void **state)
{
    const char *kernel = *state;
    const char *const arguments[] = {SEEDED,       "run",        "--engine",   engine,
                                     "--kernel",   kernel,       "--block",    "1,2",
                                     "--size",     "0-40",       "--model",    "independent",
                                     "--schedule", "sequential", "--deadline", on_gpu ? "1" : "0.3",
                                     NULL};
    json_t *report = program_report(arguments, 1), *row;

    assert_non_null(report);
    row = report_find(report, kernel, "corrected");
    assert_int_equal(report_number(row, "cases"), 2 * 41);
    assert_int_equal(report_number(row, "mismatches"), 2);
    assert_string_equal(report_text(json_object_get(row, "counterexample"), "size"), "7");
    json_decref(report);
}

static json_t *domain_row(const char *kernel, json_t **report)
{
    json_t *row;
    *report = report_line(1, "seeded run --engine '%s' --kernel '%s'", engine, kernel);
    assert_non_null(*report);
    row = report_find(*report, kernel, "original");
    assert_string_equal(report_text(row, "verdict"), "wrong-result");
    return row;
}

static void too_narrow_domain_fails(void **state)
{
    json_t *report, *row = domain_row("seededNarrow", &report);
    (void)state;
    assert_non_null(strstr(report_text(row, "note"), "too narrow"));
    assert_non_null(strstr(report_text(row, "note"), "B <= 32"));
    json_decref(report);
}

/* The condition is needed only far from the boundary; the nearest case does not need it. Only the
 * simulator detects that, because on a GPU one failing case has to suffice. */
static void domain_too_narrow_at_its_boundary_fails(void **state)
{
    json_t *report, *row;
    (void)state;
    row = domain_row("seededNarrowAtBoundary", &report);
    assert_non_null(strstr(report_text(row, "note"), "n >= 2"));
    assert_string_equal(report_text(json_object_get(row, "counterexample"), "outcome"), "pass");
    json_decref(report);
}

static void too_wide_domain_fails(void **state)
{
    json_t *report, *row = domain_row("seededWide", &report), *counterexample;
    (void)state;
    counterexample = json_object_get(row, "counterexample");
    assert_string_equal(report_text(counterexample, "outcome"), "wrong-result");
    assert_string_equal(report_text(counterexample, "block"), "3");
    assert_string_equal(report_text(counterexample, "size"), "3");
    json_decref(report);
}

/* For one wrong element, a counterexample gives its index and the expected value. */
/* A wrong sum counts as the declared known defect only if that defect explains it. */
static void known_defect_does_not_excuse_other_defects(void **state)
{
    static const struct {
        const char *id, *verdict, *note;
        bool on_gpu; /* detected on a GPU too */
    } rows[] = {
        {"seededOwnsUpPrinted", "known-defect", "", false},
        {"seededOwnsUp", "wrong-result", "",
         false}, /* a corrected variant must be right everywhere */
        {"seededMarkedElsewhere", "wrong-result", "the accesses that it names do not race", false},
        {"seededAdds42", "wrong-result", "zeros", true},
        {"seededTakesAway", "wrong-result", "no schedule tried gives the right result", false},
        {"seededRacesForOut", "wrong-result", "accesses that it does not name race", false},
        {"seededBlamesARace", "wrong-result", "the accesses that it names do not race", false},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool fails = strcmp(rows[k].verdict, "wrong-result") == 0;
        json_t *report;
        const json_t *row;
        if (on_gpu && !rows[k].on_gpu)
            continue;
        report = report_line(fails ? 1 : 0,
                             "seeded run --engine '%s' --kernel '%s' --block 64 --size 64", engine,
                             rows[k].id);
        row = json_array_get(json_object_get(report, "results"), 0);
        assert_string_equal(report_text(row, "verdict"), rows[k].verdict);
        assert_int_equal(report_number(row, "mismatches") > 0, fails);
        if (!fails)
            assert_true(report_number(row, "found") > 0);
        if (strstr(report_text(row, "note"), rows[k].note) == NULL)
            fail_msg("%s: %s", rows[k].id, report_text(row, "note"));
        json_decref(report);
    }
}

static void wrong_element_is_reported(void **state)
{
    (void)state;

    expect_run(
        1, "c[5]: expected 1, got 7",
        "seeded run --engine '%s' --kernel seededWrong* --max-failures 2 --block 4,8 --size 9",
        engine);
}

int main(int argc, char **argv)
{
    enum { KERNELS = sizeof seeded / sizeof *seeded, OTHERS = 11 };
    struct CMUnitTest tests[KERNELS + OTHERS];
    size_t count = 0, mine = 0;
    struct test_part part = test_part_read(argc > 2 ? argv[2] : NULL);

    engine = argc > 1 ? argv[1] : "sim";
    on_gpu = strcmp(engine, "sim") != 0;
    if (!engine_is_available(engine))
        return 77;
    memset(tests, 0, sizeof tests);
    for (size_t k = 0; k < KERNELS; k++)
        if (!on_gpu || !seeded[k].not_on_gpu)
            tests[count++] = (struct CMUnitTest){seeded[k].id, is_caught_and_named, NULL, NULL,
                                                 (void *)(uintptr_t)&seeded[k]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(correct_kernels_conform);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(too_many_blocks_are_reported);
    if (!on_gpu)
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test(wrong_result_is_reported_with_its_race);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test_prestate(fault_fails_only_its_own_case,
                                                                  (char[]){"seededTrap"});
    tests[count++] = (struct CMUnitTest)cmocka_unit_test_prestate(fault_fails_only_its_own_case,
                                                                  (char[]){"seededEndlessLoop"});
    tests[count++] = (struct CMUnitTest)cmocka_unit_test_prestate(fault_fails_only_its_own_case,
                                                                  (char[]){"seededFarWrite"});
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(too_narrow_domain_fails);
    if (!on_gpu)
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test(domain_too_narrow_at_its_boundary_fails);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(too_wide_domain_fails);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(known_defect_does_not_excuse_other_defects);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(wrong_element_is_reported);
    for (size_t k = 0; k < count; k++)
        if (test_part_has(part, (unsigned int)k))
            tests[mine++] = tests[k];
    return _cmocka_run_group_tests("seeded", tests, mine, NULL, NULL);
}
