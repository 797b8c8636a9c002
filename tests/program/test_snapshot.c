/* SPDX-License-Identifier: MIT
 *
 * `simtcheck snapshot`: the content of a snapshot, what remains of an interrupted one, and that
 * `simtcheck compare` finds no difference between two of the same build.
 */
#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { SNAPSHOTS = 3 };

static char paths[SNAPSHOTS][64], full[64], one[64], other[64];

/* The command line for a snapshot of two kernels, without the file. The compared parts exclude
 * rates, which are measured and vary on a busy machine. test_compare.c tests rates. */
#define SMALL                                                                                      \
    " --engine sim --kernel reduceNeighbored --kernel reduceInterleaved2 --block 32 --size "       \
    "64,128"
#define COMPARED " --part run --part races --part counters"

static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    for (int k = 0; k < SNAPSHOTS; k++) {
        snprintf(paths[k], sizeof *paths, "%s/%d.json", folder, k);
        expect_run(0, "", "snapshot --out %s" SMALL COMPARED, paths[k]);
    }
    snprintf(full, sizeof full, "%s/full.json", folder);
    snprintf(one, sizeof one, "%s/one.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    return 0;
}

/* ---- The file ---- */

TEST(environment_is_the_first_part_of_a_snapshot)
{
    json_t *snapshot = json_read(paths[0]);
    static const char *const first[] = {"simtcheck_snapshot", "complete", "environment"};
    void *place = json_object_iter(snapshot);

    for (size_t k = 0; k < 3; k++, place = json_object_iter_next(snapshot, place))
        assert_string_equal(json_object_iter_key(place), first[k]);
    json_decref(snapshot);
}

/* Includes every part for which the tools are available. */
TEST(snapshot_conforms_to_its_schema)
{
    struct ended ended = run_line("snapshot --out %s" SMALL, full);

    assert_in_range(ended.status, 0, 1); /* a ptxas may be wrong */
    free(ended.output);
    ended = run_line("/usr/bin/env python3 %s %s %s", VALIDATE_SNAPSHOT, SNAPSHOT_SCHEMA, full);
    print_message("%s", ended.output);
    if (getenv("CI") == NULL && (ended.status == 77 || ended.status == 127))
        print_message("not validated: no python3-jsonschema here\n");
    else
        assert_int_equal(ended.status, 0);
    free(ended.output);
}

/* A snapshot that is killed at different moments leaves a whole file, marked as partial. Missing
 * parts count as missing. */
TEST(killed_snapshot_is_partial)
{
    static const char *const moments[] = {"\"environment\"", "\"verdict\"", "\"races\": {",
                                          "\"counters\": {"};
    const char *const arguments[] = {SIMTCHECK,  "snapshot",
                                     "--out",    one,
                                     "--engine", "sim",
                                     "--kernel", "reduceNeighbored",
                                     "--kernel", "reduceInterleaved2",
                                     "--block",  "32",
                                     "--size",   "64,128",
                                     "--part",   "run",
                                     "--part",   "races",
                                     "--part",   "counters",
                                     NULL};

    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
        struct ended ended;
        unlink(one);
        expect_ended(program_interrupt(arguments, one, moments[k], SIGKILL), 128 + SIGKILL, "");
        ended = snapshots_compare(paths[0], one);
        expect_ended(ended, strstr(ended.output, "MISSING  ") != NULL,
                     "one.json is partial|!\nREGRESSION ");
        expect_ended(snapshots_compare(one, paths[0]), 0, "");
    }
}

/* An interrupted snapshot is also partial. */
TEST(interrupted_snapshot_is_partial)
{
    const char *const arguments[] = {SIMTCHECK, "snapshot", "--out", one, "--engine",
                                     "sim",     "--part",   "run",   NULL};

    unlink(one);
    expect_ended(program_interrupt(arguments, one, "\"verdict\"", SIGINT), 3, "");
    expect_ended(snapshots_compare(one, one), 0, "one.json is partial");
}

TEST(truncated_snapshot_is_a_usage_error)
{
    enum { PLACES = 100 };
    char *text = text_read(paths[0]);
    size_t length = strlen(text);

    for (size_t k = PLACES + 1; k-- > 0;) {
        text[k * (length - 2) / PLACES] = '\0'; /* even the last cut lacks the final brace */
        text_write(one, text);
        expect_ended(snapshots_compare(k % 2 == 0 ? one : paths[0], k % 2 == 0 ? paths[0] : one), 2,
                     "one.json:");
    }
    free(text);
}

TEST(invalid_snapshot_is_a_usage_error)
{
    static const char *const texts[] = {"{}", "[]", "{\"simtcheck_snapshot\": 1}",
                                        "{\"simtcheck_snapshot\": 2, \"environment\": {}}"};

    expect_ended(snapshots_compare(paths[0], "/nowhere/at.json"), 2, "/nowhere/at.json");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        expect_ended(snapshots_compare(paths[0], text_write(one, texts[k])), 2, "one.json");
}

TEST(unwritable_snapshot_file_is_an_error)
{
    static const char *const places[] = {"/dev/full", "/nowhere/at.json", "/tmp"};

    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        expect_run(3, "cannot write", "snapshot --out %s --kernel warpMap --part code", places[k]);
        expect_run(3, "", "compare %s %s --json %s", paths[0], paths[1], places[k]);
    }
}

/* A requested part that is not available must not pass. */
TEST(part_without_its_tools_is_skipped)
{
    json_t *snapshot;

    expect_run(77, "the part code: ",
               "/usr/bin/env PATH=/nowhere " SIMTCHECK " snapshot --out %s" SMALL " --part code",
               one);
    snapshot = json_read(one);
    assert_true(json_is_string(json_at(snapshot, "code/skipped")));
    json_decref(snapshot);
}

/* ---- Differences ---- */

#define WARP_MAP "snapshot --out %s --kernel warpMap --block 32 --size 64 --part "

/* Applies to any requested parts. A part without any content counts as missing. */
TEST(missing_required_engine_fails)
{
    static const char *const parts[] = {"run",        "code",      "races", "counters",
                                        "throughput", "benchmark", "litmus"};

    expect_run(77, "the part races runs on the simulator only", WARP_MAP "races --engine=cuda",
               one);
    expect_run(0, "", WARP_MAP "counters --engine=sim", one);
    if (engine_is_available("cuda"))
        return;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        expect_run(3, "engine cuda is not available", WARP_MAP "%s --require=cuda", one, parts[k]);
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_run(3, "engine cuda is not available", WARP_MAP "run", one);
    expect_run(0, "conforms", WARP_MAP "run --engine=sim", one);
    unsetenv("SIMTCHECK_REQUIRE");
}

TEST(snapshots_of_one_build_are_equal)
{
    for (int k = 0; k < SNAPSHOTS; k++)
        expect_ended(snapshots_compare(paths[k], paths[(k + 1) % SNAPSHOTS]), 0,
                     "environment: the same\n|"
                     "\n0 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 0 CHANGED, ");
}

TEST_MAIN("snapshots", set_up, folder_remove)
