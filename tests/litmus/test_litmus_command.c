/* SPDX-License-Identifier: MIT
 *
 * `simtcheck litmus`, with scripts that stand in for the worker on a GPU and for ptxas.
 */
#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct twin twin;
static char ptxas[64], first[64], second[64], expected[64];

/* Its ptxas copies the PTX, so that the worker finds the name of the test in every image. */
static const char fake_ptxas[] =
    "#!/bin/bash\n"
    "[ \"$1\" != --version ] || exec echo 'Cuda compilation tools, release 13.0, V13.0.88'\n"
    "cp \"$3\" \"$5\"\n";

/* Answers each request by the name of its test: SB has a weak outcome of two reads in each launch,
 * and some tests of MP fail. $4 is the seed plus the number of tests before the batch: the second
 * batch fails or waits. */
static const char fake_worker[] =
    "#!/bin/bash\n"
    "[ $# -gt 0 ] || exec echo 'sm_90 stand-in'\n"
    "[ $4 -lt 65 ] || [ -z \"$LATER\" ] || exec $LATER\n"
    "number=0\n"
    "zeros=' 0 0 0 0 0 0 0 0'\n"
    "while read -r image blocks cluster per_block variables terms; do\n"
    "    read -r slashes name < \"$image\"\n"
    "    case $WELL-$image-$name in\n"
    "    -*MP/weak/gpu) [[ $image == *O3* ]] && echo \"$number error bad image\" ||\n"
    "        echo \"$number 9 1 1 1\" ;;\n"
    "    -*MP/weak/block) exit 5 ;;\n"
    "    -*MP/weak/warp) echo \"$number 9 1 one\" ;;\n"
    "    *ptx-SB/weak/gpu) [ -n \"$STRONG\" ] || echo \"$number $3 $3 0 0\"\n"
    "        echo \"$number 7 1 1 0\" ;;\n"
    "    *O3*SB+fence.sc/*) [ -n \"$STRONG\" ] || echo \"$number $3 $3 0 0\"\n"
    "        echo \"$number 7 1 1 0\" ;;\n"
    "    *) echo \"$number 7 1 1${zeros:0:2*(terms - 1)}\" ;;\n"
    "    esac\n"
    "    number=$((number + 1))\n"
    "done < \"$1\" > \"$2\"\n";

static void write_script(const char *path, const char *text)
{
    text_write(path, text);
    assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state)
{
    char worker[128];

    (void)state;
    if (!twin_make(&twin, (const char *const[]){NULL}))
        return -1;
    snprintf(worker, sizeof worker, "%s-worker-litmus", twin.program);
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", twin.folder);
    snprintf(first, sizeof first, "%s/first.json", twin.folder);
    snprintf(second, sizeof second, "%s/second.json", twin.folder);
    snprintf(expected, sizeof expected, "%s/a.expect", twin.folder);
    write_script(worker, fake_worker);
    write_script(ptxas, fake_ptxas);
    return 0;
}

static int tear_down(void **state)
{
    char path[128];

    (void)state;
    remove(ptxas);
    remove(first);
    remove(second);
    remove(expected);
    snprintf(path, sizeof path, "%s-worker-litmus", twin.program);
    remove(path);
    return twin_remove(&twin) ? 0 : -1;
}

static void expect_litmus(int status, const char *says, const char *words)
{
    expect_run(status, says, "%s litmus --ptxas %s %s", twin.program, ptxas, words);
}

TEST(outcomes_of_a_gpu_are_compared_with_the_model)
{
    expect_litmus(0,
                  "SB/weak/gpu                                  allowed              "
                  "16            0            0\n|1 tests; 1 had an outcome that sequential "
                  "consistency forbids; 0 had one that the model forbids|!FORBIDDEN",
                  "SB/weak/gpu");
    expect_litmus(0, " allowed               3            0            0\n",
                  "--launches 3 SB/weak/gpu");
    expect_litmus(1,
                  "FORBIDDEN: SB+fence.sc/weak/gpu/gpu: P0:r0=0 P1:r0=0, 16 times, compiled by "
                  "ptxas -O3 (P0: block 0 of "
                  "cluster 0, warp 0; P1: block 1 of cluster 1, warp 0)|!compiled by the driver|"
                  "1 had one that the model forbids",
                  "SB+fence.sc/weak/gpu/gpu SB/weak/gpu");
}

TEST(a_test_that_did_not_run_is_no_pass)
{
    expect_litmus(3, "compiled by ptxas -O3: bad image|not run\n|1 did not run", "MP/weak/gpu");
    expect_litmus(3, "ended with status 5|not run", "SB/weak/gpu MP/weak/block");
    expect_litmus(3, "no results, or malformed ones", "MP/weak/warp");
}

TEST(a_test_that_fits_no_gpu_is_skipped)
{
    static const char *const rows[][3] = {
        {"x = 0;", "P0@gpu 0 | P1@gpu 1", "threads on several GPUs are not run"},
        {"x = 0; shared y = 0; z aliases y;", "P0@cta 0 | P1@cta 1",
         "aliases of shared variables are not run"},
    };
    char path[64], text[256], words[128], reason[128];

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(text, sizeof text, "PTX own\n{ %s }\n %s ;\n st.weak x, 1 | ;\nexists (x == 1)\n",
                 rows[k][0], rows[k][1]);
        text_write(path, text);
        snprintf(reason, sizeof reason, "skipped: %s", rows[k][2]);
        expect_litmus(3, reason, path);
        snprintf(words, sizeof words, "%s SB/weak/gpu", path);
        expect_litmus(0, reason, words);
        snprintf(words, sizeof words, "--ptx %s", path);
        expect_litmus(2, rows[k][2], words);
    }
    remove(path);
}

/* ---- The record ---- */

/* Returns the row of a test and compiler. */
static json_t *row_of(json_t *record, const char *test, const char *compiler)
{
    json_t *rows = json_at(record, "rows"), *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        if (strcmp(report_text(row, "test"), test) == 0 &&
            strcmp(report_text(row, "compiler"), compiler) == 0)
            return row;
    }
    fail_msg("no row of %s by %s", test, compiler);
    return NULL;
}

TEST(record_has_the_histogram)
{
    char line[256], path[64];
    json_t *record, *row;

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    text_write(path, "PTX own\n{ x = 0; }\n P0@gpu 0 | P1@gpu 1 ;\n st.weak x, 1 | ;\n"
                     "exists (x == 1)\n");
    snprintf(line, sizeof line,
             "--json %s --launches 3 --seed 9 SB/weak/gpu SB+fence.sc/weak/gpu/gpu %s", first,
             path);
    expect_litmus(1, "FORBIDDEN", line);
    record = json_read(first);
    assert_true(json_is_true(json_at(record, "complete")));
    assert_string_equal(report_text(json_at(record, "environment"), "gpu"), "stand-in");
    assert_string_equal(report_text(json_at(record, "environment"), "ptxas"), "13.0.88");
    assert_int_equal(report_number(json_at(record, "options"), "seed"), 9);
    assert_int_equal(json_array_size(json_at(record, "rows")), 9);
    row = row_of(record, "SB/weak/gpu", "driver");
    assert_int_equal(report_number(row, "launches"), 3);
    assert_int_equal(report_number(row, "instances"), 10);
    assert_string_equal(report_text(row, "scopes"), "none");
    assert_string_equal(report_text(json_at(row, "outcomes/0"), "outcome"), "P0:r0=0 P1:r0=0");
    assert_string_equal(report_text(json_at(row, "outcomes/0"), "verdict"), "weak");
    assert_int_equal(report_number(json_at(row, "outcomes/0"), "count"), 3);
    assert_int_equal(report_number(json_at(row, "outcomes/0"), "launches"), 3);
    assert_string_equal(report_text(json_at(row, "outcomes/1"), "verdict"), "sequential");
    assert_int_equal(report_number(json_at(row, "outcomes/1"), "launches"), 1);
    row = row_of(record, "SB+fence.sc/weak/gpu/gpu", "ptxas -O3");
    assert_string_equal(report_text(json_at(row, "outcomes/0"), "verdict"), "forbidden");
    assert_string_equal(report_text(row, "scopes"), "gpu");
    assert_non_null(strstr(report_text(row, "threads"), "P1: block 1 of cluster 1, warp 0"));
    row = row_of(record, "own", "ptxas -O0");
    assert_string_equal(report_text(row, "skipped"), "threads on several GPUs are not run");
    assert_true(json_is_null(json_at(row, "error")));
    json_decref(record);
    remove(path);
}

/* The file of a run is one that `compare` accepts. The GPU's behaviour decides the words. */
TEST(two_runs_are_compared)
{
    char line[256];

    snprintf(line, sizeof line, "--json %s SB/weak/gpu SB+fence.sc/weak/gpu/gpu", first);
    expect_litmus(1, "FORBIDDEN", line);
    setenv("STRONG", "1", 1);
    snprintf(line, sizeof line, "--json %s SB/weak/gpu SB+fence.sc/weak/gpu/gpu", second);
    expect_litmus(0, "!FORBIDDEN", line);
    unsetenv("STRONG");
    expect_run(1,
               "CHANGED    litmus    SB/weak/gpu driver: weak outcome P0:r0=0 P1:r0=0 seen for the "
               "first time|REGRESSION litmus    SB+fence.sc/weak/gpu/gpu ptxas -O3: forbidden|"
               "1 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 1 CHANGED, 4 SAME",
               "compare %s %s", second, first);
    expect_run(0, "never seen any more|0 REGRESSION, 0 MISSING, 1 FIX, 0 NEW, 1 CHANGED, 4 SAME",
               "compare %s %s", first, second);
}

enum { BATCH = 64, TESTS = BATCH + 6 };

/* Expects that the file is partial: it has the first tests, with each compiler. */
static void expect_partial(size_t tests)
{
    json_t *record = json_read(first);

    assert_true(json_is_false(json_at(record, "complete")));
    assert_int_equal(json_array_size(json_at(record, "rows")), 3 * tests);
    json_decref(record);
    expect_run(0, "first.json is partial", "compare %s %s", first, first);
}

TEST(results_so_far_remain)
{
    char path[64], text[100 * TESTS];
    const char *const arguments[] = {twin.program, "litmus", "--ptxas", ptxas,
                                     "--json",     first,    path,      NULL};
    struct ended ended;
    size_t used = 0;

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    for (int k = 0; k < TESTS; k++)
        used += (size_t)sprintf(
            text + used, "PTX own%d\n{ x = 0; }\n P0 ;\n st.weak x, 1 ;\nexists (x == 1)\n", k);
    text_write(path, text);
    setenv("LATER", "sleep 100", 1);
    remove(first);
    expect_ended(program_interrupt(arguments, first, "\"own0", SIGKILL), 128 + SIGKILL, "");
    expect_partial(BATCH);
    remove(first);
    expect_ended(program_interrupt(arguments, first, "\"own0", SIGINT), 3,
                 "interrupted: the rest of the work was not done");
    expect_partial(TESTS);
    setenv("LATER", "false", 1);
    ended = program_run(arguments);
    unsetenv("LATER");
    assert_non_null(strstr(ended.output, "no results, or malformed ones"));
    free(ended.output);
    expect_partial(TESTS);
    remove(path);
}

/* ---- Known deviations ---- */

#define ENTRY "[litmus SB+fence.sc/*]\nlink = https://bugs.example.com/1\nexpires = 2027-03-31\n"
#define OUTCOME "result = P0:r0=0 P1:r0=0\n"

/* Runs the two tests with that file of expectations and writes the results to a file. */
static void expect_known(int status, const char *says, const char *entry, const char *json)
{
    char line[512];

    text_write(expected, entry);
    snprintf(line, sizeof line, "--expect %s --json %s SB/weak/gpu SB+fence.sc/weak/gpu/gpu",
             expected, json);
    expect_litmus(status, says, line);
}

TEST(known_deviation_of_an_outcome_does_not_fail)
{
    json_t *record;

    setenv("SIMTCHECK_TODAY", "2027-03-31", 1);
    expect_known(0,
                 "!FORBIDDEN|forbidden (known deviation): SB+fence.sc/weak/gpu/gpu: P0:r0=0|"
                 "    known deviation: https://bugs.example.com/1 until 2027-03-31|1 of those with "
                 "a forbidden outcome are known|a.expect:1: SB+fence.sc/*: known deviation in 1 "
                 "test",
                 ENTRY OUTCOME "gpu = sm_90\ncompiler = ptxas -O3 13.0\n", first);
    record = json_read(first);
    assert_string_equal(report_text(json_at(row_of(record, "SB+fence.sc/weak/gpu/gpu", "ptxas -O3"),
                                            "outcomes/0/known_deviation"),
                                    "link"),
                        "https://bugs.example.com/1");
    json_decref(record);
    expect_known(0, "", ENTRY OUTCOME "gpu = stand-*\n", first);
    expect_known(1, "FORBIDDEN|does not only fail with 'P0:r0=1 P1:r0=1'",
                 ENTRY "result = P0:r0=1 P1:r0=1\n", second);
    expect_known(1, "FORBIDDEN|!known dev", ENTRY OUTCOME "compiler = ptxas -O0\n", second);
    expect_known(1, "FORBIDDEN|!known dev", ENTRY OUTCOME "driver = 1\n", second);
    expect_run(1, "REGRESSION litmus    SB+fence.sc/weak/gpu/gpu ptxas -O3: forbidden outcome",
               "compare %s %s", first, second);
    expect_run(0,
               "CHANGED    litmus    SB+fence.sc/weak/gpu/gpu ptxas -O3: forbidden outcome "
               "P0:r0=0 P1:r0=0, a known deviation: https://bugs.example.com/1",
               "compare %s %s", second, first);
    expect_run(0, "0 CHANGED, 6 SAME", "compare %s %s", first, first);
    setenv("STRONG", "1", 1);
    expect_known(0, "a.expect:1: SB+fence.sc/*: passes now: remove the entry", ENTRY OUTCOME,
                 second);
    unsetenv("STRONG");
    expect_known(1, "a.expect:1: SB+fence.cs/*: no test matches",
                 "[litmus SB+fence.cs/*]\nresult = P0:r0=0\nlink = https://bugs.example.com/1\n"
                 "expires = 2027-03-31\n",
                 second);
    setenv("SIMTCHECK_TODAY", "2027-04-01", 1);
    expect_known(1, "FORBIDDEN|expired on 2027-03-31, so the failure counts", ENTRY OUTCOME,
                 second);
    unsetenv("SIMTCHECK_TODAY");
}

/* ---- Snapshots ---- */

TEST(snapshot_runs_the_tests)
{
    json_t *snapshot;

    setenv("WELL", "1", 1);
    expect_run(1, "FORBIDDEN: SB+fence.sc/|tests; |!weak outcomes of",
               "%s snapshot --part litmus --ptxas %s --out %s", twin.program, ptxas, first);
    unsetenv("WELL");
    snapshot = json_read(first);
    assert_non_null(row_of(json_at(snapshot, "litmus"), "SB/weak/gpu", "driver"));
    assert_int_equal(report_number(json_at(snapshot, "litmus/options"), "launches"), 16);
    json_decref(snapshot);
    expect_run(1, "REGRESSION litmus    SB+fence.sc/", "compare %s %s", first, first);
    expect_run(77, "the part litmus needs a GPU",
               "%s snapshot --part litmus --engine sim --ptxas %s --out %s", twin.program, ptxas,
               first);
}

TEST(without_a_gpu_nothing_passes)
{
    expect_litmus(0, "!not run|P0:r0=0 P1:r0=0 |weak, the condition holds", "--model SB/weak/gpu");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    expect_run(77, "the litmus tests did not run: |--model' prints what the model allows|!1 tests",
               "litmus SB/weak/gpu --ptxas /nowhere --json %s", first);
    expect_run(2, "first.json: no litmus test ran: ", "compare %s %s", first, first);
    expect_run(77, "the litmus tests did not run: ", "snapshot --part litmus --out %s", second);
    expect_run(77,
               "the litmus tests did not run: ", "%s litmus SB/weak/gpu --ptxas /nowhere --json %s",
               twin.program, first);
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_run(3, "the litmus tests did not run: ", "litmus SB/weak/gpu --ptxas /nowhere");
    unsetenv("SIMTCHECK_REQUIRE");
}

TEST(bad_usage_is_rejected)
{
    expect_litmus(2, "--list, --ptx and --model exclude each other", "--list --ptx SB");
    expect_litmus(2, "--json has the results of a GPU", "--json /nowhere.json --model SB");
    expect_litmus(3, "cannot write", "--json /nowhere/at.json SB/weak/gpu");
    expect_litmus(2, "'SX' is neither a file nor a litmus test", "--model SX");
    expect_litmus(2, "cannot read '/nowhere.litmus': No such file", "--model /nowhere.litmus");
}

TEST(a_file_with_another_verdict_fails)
{
    char path[64];

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    text_write(path, "PTX own\n{ x = 0; }\n P0 ;\n st.weak x, 1 ;\nexists (x == 1)\nforbidden\n");
    expect_run(1, "WRONG: the file has another verdict|1 have another verdict", "litmus --model %s",
               path);
    remove(path);
}

TEST_MAIN("litmus_command", set_up, tear_down)
