/* SPDX-License-Identifier: MIT
 *
 * `simtcheck races`: verdicts match what the descriptors declare, a search of schedules finds wrong
 * results that replay, and files and exit statuses are as documented.
 */
#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { REPLAYS = 3 };

static json_t *find(json_t *array, const char *id, const char *model)
{
    json_t *entry;
    size_t i;

    json_array_foreach(array, i, entry)
    {
        if (strcmp(report_text(entry, "id"), id) == 0 &&
            strcmp(report_text(entry, "model"), model) == 0)
            return entry;
    }
    return NULL;
}

/* For each seeded kernel: the verdict, whether it is the declared one, and the exit status. */
TEST(verdict_is_compared_with_the_declared_one)
{
    static const struct {
        const char *id, *verdict;
        bool as_expected, wrong;
    } seeded[] = {
        {"seededMissingBarrier", "race", false, true}, /* undeclared */
        {"seededClaimsRace", "race-free", false, false},
        {"seededHarmlessRace", "race", true, false}, /* all writes are equal: never a wrong sum */
        {"seededByOrder", "order-dependent", false, true}, /* by its atomic accesses */
        {"seededOwnsUpPrinted", "race", true, true},
        {"seededMarkedElsewhere", "race", false, true}, /* its markers are on other lines */
        {"seededRacesForOut", "race", false, true},     /* where it does not declare one either */
        {"sharedSum", "race-free", true, false},
    };

    for (size_t p = 0; p < sizeof seeded / sizeof *seeded; p++) {
        json_t *report = report_line(
            seeded[p].as_expected ? 0 : 1,
            "seeded races --kernel '%s' --model independent --delays 1 --sizes-per-block 2",
            seeded[p].id);
        const json_t *entry = find(report, seeded[p].id, "independent"),
                     *search = json_object_get(entry, "search");
        assert_string_equal(report_text(entry, "verdict"), seeded[p].verdict);
        assert_int_equal(json_is_true(json_object_get(entry, "as_expected")),
                         seeded[p].as_expected);
        assert_int_equal(json_is_true(json_object_get(search, "wrong")), seeded[p].wrong);
        assert_true(report_number(search, "schedules") > 0);
        json_decref(report);
    }
}

/* A declared race need not appear in a run that the user has limited. */
TEST(limited_run_does_not_contradict_the_declared_verdict)
{
    json_t *report = report_line(0, "seeded races --kernel seededClaimsRace --block 8 --size 8");
    assert_string_equal(report_text(find(report, "seededClaimsRace", "independent"), "verdict"),
                        "race-free");
    json_decref(report);
}

/* Every original kernel whose result can change has a schedule with a wrong sum, and it replays. */
TEST(wrong_sums_can_be_replayed)
{
    static const char *const kernels[] = {
        "reduceInterleaved2",  "reduceInterleaved4",       "reduceInterleaved8",
        "gpuRecursiveReduce2", "gpuRecursiveReduceNosync",
    };

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        json_t *report =
            report_line(0, "races --variant original --kernel '%s' --block 1-4 --model independent",
                        kernels[k]);
        const json_t *entry = find(report, kernels[k], "independent"),
                     *search = json_object_get(entry, "search");
        struct ended first;

        assert_string_equal(report_text(entry, "verdict"), "race");
        assert_true(json_is_true(json_object_get(search, "wrong")));
        first = run_line("replay '%s'", report_text(search, "case"));
        remove_time(first.output);
        for (int r = 1; r < REPLAYS; r++) {
            struct ended again = run_line("replay '%s'", report_text(search, "case"));
            remove_time(again.output);
            assert_string_equal(again.output, first.output);
            free(again.output);
        }
        expect_ended(first, 1, "");
        json_decref(report);
    }
}

/* Looks at what a thread of the first block does. */
static void expect_access(json_t *side, const char *access, long long thread)
{
    assert_string_equal(report_text(side, "access"), access);
    assert_int_equal(json_integer_value(json_at(side, "block/0")), 0);
    assert_int_equal(json_integer_value(json_at(side, "thread/0")), thread);
}

/* Checks the documented keys and the printed report. */
TEST(race_is_printed_and_written_to_json)
{
    struct ended shown = run_line("races --kernel reduceInterleaved2 --variant original --block 2 "
                                  "--model both --verbose --json '%s'",
                                  in_folder("printed.json"));
    json_t *report = json_read(in_folder("printed.json"));
    assert_int_equal(json_array_size(report), 2);
    for (size_t r = 0; r < 2; r++) {
        const json_t *entry = json_array_get(report, r),
                     *pair = json_array_get(json_object_get(entry, "pairs"), 0);
        assert_string_equal(report_text(entry, "id"), "reduceInterleaved2");
        assert_string_equal(report_text(entry, "variant"), "original");
        assert_string_equal(report_text(entry, "verdict"), "race");
        assert_string_equal(report_text(pair, "place"), "in[1]");
        assert_non_null(
            strstr(report_text(json_object_get(pair, "first"), "file"), "reduce_unrolled.cu"));
        assert_non_null(
            strstr(report_text(json_object_get(pair, "second"), "file"), "reduce_unrolled.cu"));
        assert_true(report_number(json_object_get(pair, "first"), "line") > 0);
        assert_true(report_number(json_object_get(pair, "second"), "line") > 0);
        assert_string_not_equal(report_text(pair, "missing"), "");
        if (strcmp(report_text(entry, "model"), "independent") == 0) {
            expect_access(json_object_get(pair, "first"), "read", 0);
            expect_access(json_object_get(pair, "second"), "write", 1);
            assert_string_equal(report_text(json_object_get(entry, "search"), "outcome"),
                                "out[0]: expected 4, got 3");
        } else { /* also with two delays, and the result is right in all */
            const json_t *search = json_object_get(entry, "search");
            assert_true(json_is_false(json_object_get(search, "wrong")));
            assert_int_equal(report_number(search, "delays"), 2);
            assert_true(report_number(search, "schedules") > 30);
        }
    }
    json_decref(report);
    expect_ended(shown, 0,
                 "\nreduceInterleaved2                      original  independent |"
                 "\nreduceInterleaved2                      original  lockstep |"
                 " wrong  race\n| right  race\n|races  PASS  all 2 rows are as they should be\n|"
                 "data race accepted: the catalogue declares this known defect: ");
}

/* The output is the same for any number of workers and in each run. */
TEST(race_output_is_reproducible)
{
    static const char *const line =
        "races --kernel gpuRecursiveReduce* --block 2-5 --delays 1 --sizes-per-block 6 --jobs %u";
    struct ended first = run_line(line, 1U), second = run_line(line, 3U);
    remove_time(first.output);
    remove_time(second.output);
    assert_string_equal(first.output, second.output);
    expect_ended(first, 0, "");
    free(second.output);
}

/* The first undeclared race decides the verdict. */
TEST(first_undeclared_race_ends_the_search)
{
    struct ended ended = run_line("seeded races --kernel seededMissingBarrier --variant corrected "
                                  "--max-failures 3 --json /tmp/simtcheck-errors.json");
    json_t *rows = json_load_file("/tmp/simtcheck-errors.json", 0, NULL);
    unlink("/tmp/simtcheck-errors.json");
    assert_int_equal(json_array_size(rows), 1); /* one row: lockstep did not start */
    assert_int_equal(report_number(json_array_get(rows, 0), "all_rows"), 2);
    assert_int_equal(report_number(json_array_get(rows, 0), "racing"), 3);
    json_decref(rows);
    expect_ended(ended, 1, "Stopped after 3 failures");
}

TEST(invalid_options_are_rejected)
{
    static const struct {
        const char *option, *value, *says;
        int status;
    } bad[] = {
        {"--delays", "3", "from 0 to 2", 2},
        {"--model", "odd", "lockstep, independent or both", 2},
        {"--block", "0", "1 to 1024 threads", 2},
        {"--kernel", "noSuchKernel", "no kernel matches", 2},
        {"--json", "/nonexistent/folder/file", "cannot write", 3},
        {"--engine", "cuda", "this command runs on the simulator", 2},
    };

    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        expect_run(bad[b].status, bad[b].says, "races '%s' '%s'", bad[b].option, bad[b].value);
    }
}

/* A kernel that ends with a fault has an incomplete verdict. A kernel that lacks what it needs has
 * none. */
TEST(faults_and_missing_requirements_are_reported)
{
    expect_run(1,
               "  fault (!)|error: out-of-bounds write|FAIL  1 out-of-bounds "
               "write\n|replay 2:sim:seededStrayWrite",
               "seeded races --kernel seededStrayWrite --model independent --block 4 --verbose");
    expect_run(
        77, "skipped",
        "races --kernel gpuRecursiveReduce --variant original --profile cdp2 --model independent");
}

/* A fault does not hide an earlier race. A row without races is not race-free if one of its cases
 * ended in a fault. */
TEST(races_and_faults_are_both_reported)
{
    static const struct {
        const char *id, *verdict, *says;
    } seeded[] = {
        {"seededRaceThenStray", "race", "error: data race|error: out-of-bounds read"},
        {"seededReadTooEarly", "race", "error: data race|explains this uninitialized read"},
        {"seededStrayWrite", "fault", "error: out-of-bounds write|!data race"},
    };
    for (size_t p = 0; p < sizeof seeded / sizeof *seeded; p++) {
        struct ended ended = run_line("seeded races --kernel '%s' --model independent --block 4 "
                                      "--size 4 --json '%s'",
                                      seeded[p].id, in_folder("faults.json"));
        json_t *report = json_read(in_folder("faults.json"));
        const json_t *entry = find(report, seeded[p].id, "independent");
        assert_string_equal(report_text(entry, "verdict"), seeded[p].verdict);
        assert_true(report_number(entry, "faults") > 0);
        assert_int_equal(json_array_size(json_object_get(entry, "pairs")) > 0,
                         strcmp(seeded[p].verdict, "race") == 0);
        assert_true(report_number(entry, "checked") > 0);
        expect_ended(ended, 1, seeded[p].says);
        json_decref(report);
    }
}

/* The results so far are on disk. */
TEST(interrupt_stops_the_run_in_order)
{
    const char *const arguments[] = {SIMTCHECK, "races",  "--level",
                                     "2",       "--json", "/tmp/simtcheck-races-interrupted.json",
                                     NULL};
    unlink(arguments[5]); /* from an interrupted test */
    struct ended ended = program_interrupt(arguments, arguments[5], "\"id\"", SIGINT);
    json_t *rows = json_load_file(arguments[5], 0, NULL), *row;
    size_t i;
    assert_true(json_array_size(rows) >= 1);
    assert_true((size_t)report_number(json_array_get(rows, 0), "all_rows") > json_array_size(rows));
    json_array_foreach(rows, i, row) assert_true(json_is_true(json_object_get(
        row, "as_expected"))); /* a row that did not finish has no verdict to compare */
    json_decref(rows);
    unlink(arguments[5]);
    expect_ended(ended, 3, "!(!)|interrupted");
}

TEST_MAIN("races command", folder_make, folder_remove)
