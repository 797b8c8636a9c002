/* SPDX-License-Identifier: MIT
 *
 * --expect: known deviations in verdicts, files of results and exit statuses.
 */
#include "check.h"

#define LINK "link = https://bugs.example.com/7\n"
#define LAST "expires = 2027-03-31\n"
#define UNTIL "https://bugs.example.com/7 until 2027-03-31"

/* Without its domain, this kernel gives wrong results. */
#define WRONG                                                                                      \
    "run --engine sim --kernel reduceInterleaved --variant original --assume-corrected "           \
    "--block 96 --size 960 "
#define WRONG_ENTRY "[run sim:reduceInterleaved:original]\nresult = wrong-result\n" LINK LAST

/* This kernel is right. */
#define RIGHT "run --engine sim --kernel reduceNeighbored --variant corrected --sizes-per-block 1 "

static const char *expect(const char *text)
{
    return text_write(in_folder("a.expect"), text);
}

/* ---- run ---- */

TEST(known_deviation_does_not_fail)
{
    json_t *report;
    const json_t *row;

    expect_run(1, "wrong-result|!known", WRONG);
    expect_run(0,
               "wrong-result (known deviation)|run  PASS  |accepted: known deviation until "
               "2027-03-31: https://bugs.example.com/7|0 failed; 6 failed with a known "
               "deviation|a.expect:1: sim:reduceInterleaved:"
               "original: known deviation in 1 test: wrong-result, " UNTIL,
               WRONG "--expect %s", expect(WRONG_ENTRY "reason = why\n"));
    report = report_line(0, WRONG "--expect %s", in_folder("a.expect"));
    row = report_find(report, "reduceInterleaved", "original");
    assert_int_equal(report_number(report, "mismatches"), 0);
    assert_int_equal(report_number(report, "known"), 6);
    assert_string_equal(report_text(row, "verdict"), "wrong-result");
    assert_string_equal(report_text(json_object_get(row, "known_deviation"), "link"),
                        "https://bugs.example.com/7");
    assert_string_equal(report_text(json_object_get(row, "known_deviation"), "reason"), "why");
    json_decref(report);
}

TEST(expired_entry_excuses_nothing)
{
    setenv("SIMTCHECK_TODAY", "2027-04-01", 1);
    expect_run(
        1,
        "wrong-result\n|; 6 failed\n|the entry expired on 2027-03-31, so the failure counts: "
        "https://bugs.example.com/7",
        WRONG "--expect %s", expect(WRONG_ENTRY));
    setenv("SIMTCHECK_TODAY", "2027-03-31", 1);
}

/* A GPU may hide a failure, so a pass does not fail. */
TEST(unexpected_pass_is_reported)
{
    expect("[run sim:reduceNeighbored:*]\nresult = wrong-result\n" LINK LAST);
    expect_run(0, "a.expect:1: sim:reduceNeighbored:*: passes now: remove the entry",
               RIGHT "--expect %s", in_folder("a.expect"));
    /* Fewer shapes show less. */
    expect_run(0, "!passes now", RIGHT "--block 64 --expect %s", in_folder("a.expect"));
    setenv("SIMTCHECK_TODAY", "2027-04-01", 1);
    expect_run(0, "passes now", RIGHT "--expect %s", in_folder("a.expect"));
    setenv("SIMTCHECK_TODAY", "2027-03-31", 1);
}

TEST(entry_without_a_test_is_reported)
{
    expect("[run sim:reduceNeighbord:*]\nresult = wrong-result\n" LINK LAST
           /* not selected, on another engine, and of another kind */
           "[run sim:reduceInterleaved:*]\nresult = wrong-result\n" LINK LAST
           "[run cuda:reduceNeighbored:*]\nresult = wrong-result\n" LINK LAST
           "[races sim:nothing]\nresult = race\n" LINK LAST);
    expect_run(0,
               "a.expect:1: sim:reduceNeighbord:*: no test matches: remove the entry, or correct "
               "the name|!a.expect:5|!a.expect:9|!a.expect:13",
               RIGHT "--block 64 --expect %s", in_folder("a.expect"));
}

TEST(another_result_counts)
{
    expect("[run sim:reduceInterleaved:original]\nresult = timeout\n" LINK LAST);
    expect_run(1, "wrong-result\n|does not only fail with 'timeout', so the failure counts",
               WRONG "--expect %s", in_folder("a.expect"));
    /* Size 0 gives launch-error, and other sizes mismatches. */
    expect_run(1, "does not only fail with 'wrong-result'",
               "run --engine sim --kernel reduceInterleaved --variant original --assume-corrected "
               "--block 96 --size 0,960 --expect %s",
               expect(WRONG_ENTRY));
    expect("[run sim:reduceInterleaved:original]\nresult = wrong-result, launch-error\n" LINK LAST);
    expect_run(0, "(known deviation)",
               "run --engine sim --kernel reduceInterleaved --variant original --assume-corrected "
               "--block 96 --size 0,960 --expect %s",
               in_folder("a.expect"));
}

TEST(other_platform_counts)
{
    static const char *const lines[] = {"gpu = *", "driver = 1-9999", "compiler = nvcc"};
    static const char *const facts[] = {"GPU", "driver", "compiler"};
    char text[512], says[128];

    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, WRONG_ENTRY "%s\n", lines[k]);
        snprintf(says, sizeof says, "the failure counts, because the %s is unknown", facts[k]);
        expect_run(1, says, WRONG "--expect %s", expect(text));
    }
}

/* Known deviations do not count for --max-failures, so that they hide no kernel. */
TEST(other_rows_still_run_and_fail)
{
    const char *const line =
        "run --engine sim --kernel reduceInterleaved --kernel reduceNeighbored --variant original "
        "--assume-corrected --block 96 --size 960 --max-failures 3 --expect %s";

    expect("[run sim:reduceNeighbored:*]\nresult = out-of-bounds-read\n" LINK LAST);
    expect_run(1, "wrong-result\n|6 cases|; 3 failed; 3 failed with a known deviation; stopped",
               line, in_folder("a.expect"));
    expect("[run sim:reduce*:original]\nresult = wrong-result, out-of-bounds-read\n" LINK LAST);
    expect_run(0,
               "6 cases|; 0 failed; 6 failed with a known deviation\n|known deviation in 2 tests",
               line, in_folder("a.expect"));
}

/* The two variants are the same kernel, which runs once. Each needs an entry. */
TEST(same_kernel_needs_its_own_entry)
{
    const char *const line = "run --engine sim --kernel reduceUnrolling8 --kernel "
                             "reduceUnrolling8Loop --variant corrected --block 64 --size 64 "
                             "--steps 10 --expect %s";

    expect("[run sim:reduceUnrolling8:corrected]\nresult = step-limit\n" LINK LAST);
    expect_run(1, "fault (known deviation)\n|fault, run as reduceUnrolling8\n", line,
               in_folder("a.expect"));
    expect("[run sim:reduceUnrolling8*:corrected]\nresult = step-limit\n" LINK LAST);
    expect_run(0, "fault, run as reduceUnrolling8 (known deviation)|known deviation in 2 tests",
               line, in_folder("a.expect"));
}

TEST(bad_uses_are_errors)
{
    expect_run(2, "cannot read '/no/file'", RIGHT "--expect /no/file");
    expect_run(2, "a.expect:2: unknown key 'run': write result|!cases", RIGHT "--expect %s",
               expect("[run sim:x]\nrun = x\n"));
    expect(WRONG_ENTRY);
    expect_run(2, "--expect does not work with --shard", RIGHT "--shard 1/2 --json %s --expect %s",
               in_folder("s.json"), in_folder("a.expect"));
    expect_run(2, "--expect does not work with --level 3", RIGHT "--level 3 --expect %s",
               in_folder("a.expect"));
}

/* ---- check: run, races and determinism of a user's kernel ---- */

#define CHECK "check %s 'shift<<<1, 64>>>(in int x[64], out int y[64])' --engine sim "

static const char *racy_kernel(void)
{
    return text_write(in_folder("shift.cu"), "__global__ void shift(const int *x, int *y)\n"
                                             "{\n"
                                             "    __shared__ int tile[64];\n"
                                             "    tile[threadIdx.x] = x[threadIdx.x];\n"
                                             "    y[threadIdx.x] = tile[63 - threadIdx.x];\n"
                                             "}\n");
}

#define RACES "[races sim:shift]\nresult = race, uninitialized-read\n" LINK LAST
#define OTHERS                                                                                     \
    "[run sim:shift]\nresult = uninitialized-read\n" LINK LAST                                     \
    "[determinism sim:shift]\nresult = uninitialized-read\n" LINK LAST

TEST(check_knows_races_and_determinism)
{
    const char *const file = racy_kernel();
    json_t *results;
    char *junit;

    expect_run(1, "error: data race|shift  FAIL  |race (!)|!known", CHECK "--verbose", file);
    expect_run(1, "error: data race|shift  FAIL  |race (!)|does not only fail with 'race'",
               CHECK "--verbose --expect %s", file,
               expect(OTHERS "[races sim:shift]\nresult = race\n" LINK LAST));
    expect_run(1, "error: uninitialized read|!error: data race|race (known deviation)|!(!)",
               CHECK "--verbose --expect %s", file, expect(RACES));
    expect_run(0,
               "shift  PASS  |!error:|accepted: known deviation until 2027-03-31: https://|"
               "race (known deviation)|fault (known deviation)| lockstep |!(!)",
               CHECK "--verbose --max-failures 2 --expect %s --json %s --junit %s", file,
               expect(RACES OTHERS), in_folder("c.json"), in_folder("c.xml"));
    results = json_read(in_folder("c.json"));
    assert_string_equal(json_string_value(json_at(results, "launches/0/result")), "known");
    assert_string_equal(json_string_value(json_at(results, "launches/0/checks/0/result")), "known");
    assert_string_equal(
        json_string_value(json_at(results, "launches/0/checks/0/known_deviation/link")),
        "https://bugs.example.com/7");
    assert_non_null(strstr(json_string_value(json_at(results, "launches/0/findings/0/allowed_by")),
                           "known deviation until 2027-03-31: https://bugs.example.com/7"));
    json_decref(results);
    junit = text_read(in_folder("c.xml"));
    assert_non_null(strstr(junit, "<skipped message=\"known deviation until 2027-03-31: https://"));
    assert_non_null(strstr(junit, " failures=\"0\""));
    assert_null(strstr(junit, "<failure"));
    free(junit);
}

/* ---- snapshot and compare ---- */

/* Takes a snapshot, with the file of expectations or without. */
static void take(int status, const char *path, bool expects)
{
    expect_run(status, "",
               "snapshot --out %s --engine sim --part run --kernel reduceInterleaved --variant "
               "original --assume-corrected --block 96 --size 960%s%s",
               path, expects ? " --expect " : "", expects ? expect(WRONG_ENTRY) : "");
}

TEST(compare_knows_deviations)
{
    const char *const known = in_folder("known.json"), *const unknown = in_folder("unknown.json");

    take(0, known, true);
    take(1, unknown, false);
    expect_ended(
        snapshots_compare(known, unknown), 1,
        "REGRESSION run       reduceInterleaved original sim: no longer a known deviation: "
        "https://bugs.example.com/7");
    expect_ended(snapshots_compare(unknown, known), 0,
                 "CHANGED    run       reduceInterleaved original sim: known deviation now: "
                 "https://bugs.example.com/7");
    expect_ended(snapshots_compare(known, known), 0, "0 CHANGED, 3 SAME");
}

TEST(page_has_the_link)
{
    const char *const snapshot = in_folder("known.json"), *const page = in_folder("known.html");

    take(0, snapshot, true);
    expect_run(0, "", "report %s --html %s", snapshot, page);
    expect_run(0, "known deviation: <code>https://bugs.example.com/7</code> until 2027-03-31",
               "/bin/cat %s", page);
    take(1, snapshot, false);
    expect_run(0, "", "report %s --html %s", snapshot, page);
    expect_run(0, "!known deviation", "/bin/cat %s", page);
}

int main(void)
{
    setenv("SIMTCHECK_TODAY", "2027-03-31", 1);
    return tests_run("expect", folder_make, folder_remove);
}
