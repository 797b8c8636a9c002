/* SPDX-License-Identifier: MIT
 *
 * `simtcheck snapshot`: what a snapshot holds, what is left of one that was ended, and that
 * `simtcheck compare` sees no difference between those of one build.
 */
#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { SNAPSHOTS = 3 };

static char folder[] = "/tmp/simtcheck-snapshot-XXXXXX";
static char paths[SNAPSHOTS][64], full[64], one[64], other[64];

/* The words of a snapshot of two kernels, without its file. The parts that are compared leave out
 * the rates: those are measured, and differ on a busy machine. test_compare.c compares rates. */
#define SMALL                                                                                      \
    "--engine", "host", "--kernel", "reduceNeighbored", "--kernel", "reduceInterleaved2",          \
        "--block", "32", "--size", "64,128"

static void take(const char *path, int status)
{
    const char *const arguments[] = {SIMTCHECK, "snapshot", "--out", path,     SMALL,      "--part",
                                     "run",     "--part",   "races", "--part", "counters", NULL};
    struct ended ended = program_run(arguments);

    if (ended.status != status)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, status);
    free(ended.output);
}

static int set_up(void **state)
{
    (void)state;
    unsetenv("SIMTCHECK_REQUIRE");
    if (mkdtemp(folder) == NULL)
        return -1;
    for (int k = 0; k < SNAPSHOTS; k++) {
        snprintf(paths[k], sizeof *paths, "%s/%d.json", folder, k);
        take(paths[k], 0);
    }
    snprintf(full, sizeof full, "%s/full.json", folder);
    snprintf(one, sizeof one, "%s/one.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- The file ---- */

/* With every part, as far as there are tools here. */
static void a_snapshot_is_as_its_schema_says(void **state)
{
    const char *const take_all[] = {SIMTCHECK, "snapshot", "--out", full, SMALL, NULL};
    const char *const validate[] = {"/usr/bin/env",  "python3", VALIDATE_SNAPSHOT,
                                    SNAPSHOT_SCHEMA, full,      NULL};
    struct ended ended = program_run(take_all);
    (void)state;

    assert_true(ended.status == 0 || ended.status == 1); /* a ptxas may be wrong */
    free(ended.output);
    ended = program_run(validate);
    print_message("%s", ended.output);
    if (getenv("CI") == NULL && (ended.status == 77 || ended.status == 127))
        print_message("not validated: no python3-jsonschema here\n");
    else
        assert_int_equal(ended.status, 0);
    free(ended.output);
}

static void the_environment_comes_first(void **state)
{
    json_t *snapshot = json_read(paths[0]);
    static const char *const first[] = {"simtcheck_snapshot", "complete", "environment"};
    void *place = json_object_iter(snapshot);
    (void)state;

    for (size_t k = 0; k < 3; k++, place = json_object_iter_next(snapshot, place))
        assert_string_equal(json_object_iter_key(place), first[k]);
    json_decref(snapshot);
}

/* Ended at different moments, the file is whole, and called partial; what is not in it is missing.
 */
static void a_killed_snapshot_is_partial(void **state)
{
    static const char *const moments[] = {"\"environment\"", "\"verdict\"", "\"races\": {",
                                          "\"counters\": {"};
    const char *const arguments[] = {SIMTCHECK, "snapshot", "--out", one,      SMALL,      "--part",
                                     "run",     "--part",   "races", "--part", "counters", NULL};
    (void)state;

    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
        struct ended ended;
        unlink(one);
        ended = program_interrupt(arguments, one, moments[k], SIGKILL);
        assert_int_equal(ended.status, 128 + SIGKILL);
        free(ended.output);
        ended = snapshots_compare(paths[0], one);
        assert_non_null(strstr(ended.output, "one.json is partial"));
        assert_int_equal(ended.status, strstr(ended.output, "MISSING  ") != NULL);
        assert_null(strstr(ended.output, "\nREGRESSION "));
        free(ended.output);
        ended = snapshots_compare(one, paths[0]);
        if (ended.status != 0)
            print_error("%s", ended.output);
        assert_int_equal(ended.status, 0);
        free(ended.output);
    }
}

/* An interrupt is no snapshot either. */
static void an_interrupted_snapshot_is_partial(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "snapshot", "--out", one, "--engine",
                                     "host",    "--part",   "run",   NULL};
    struct ended ended;
    (void)state;

    unlink(one);
    ended = program_interrupt(arguments, one, "\"verdict\"", SIGINT);
    assert_int_equal(ended.status, 3);
    free(ended.output);
    ended = snapshots_compare(one, one);
    assert_int_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, "one.json is partial"));
    free(ended.output);
}

static void a_cut_file_is_bad_usage(void **state)
{
    enum { PLACES = 100 };
    FILE *from = fopen(paths[0], "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    (void)state;

    assert_non_null(from);
    length = getdelim(&text, &room, '\0', from);
    fclose(from);
    assert_true(length > PLACES);
    for (ssize_t k = 0; k <= PLACES; k++) {
        FILE *to = fopen(one, "w");
        size_t cut = (size_t)(k * (length - 2) / PLACES); /* the last still lacks its brace */
        struct ended ended;
        assert_int_equal(fwrite(text, 1, cut, to), cut);
        fclose(to);
        ended = snapshots_compare(k % 2 == 0 ? one : paths[0], k % 2 == 0 ? paths[0] : one);
        assert_int_equal(ended.status, 2);
        assert_non_null(strstr(ended.output, "one.json:"));
        free(ended.output);
    }
    free(text);
}

static void what_is_no_snapshot_is_bad_usage(void **state)
{
    static const char *const texts[] = {"{}", "[]", "{\"simtcheck_snapshot\": 1}",
                                        "{\"simtcheck_snapshot\": 2, \"environment\": {}}"};
    struct ended ended = snapshots_compare(paths[0], "/nowhere/at.json");
    (void)state;

    assert_int_equal(ended.status, 2);
    assert_non_null(strstr(ended.output, "/nowhere/at.json"));
    free(ended.output);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        file_write(one, texts[k]);
        ended = snapshots_compare(paths[0], one);
        assert_int_equal(ended.status, 2);
        assert_non_null(strstr(ended.output, "one.json"));
        free(ended.output);
    }
}

static void what_cannot_be_written_is_an_error(void **state)
{
    static const char *const places[] = {"/dev/full", "/nowhere/at.json", "/tmp"};
    (void)state;

    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const char *const arguments[] = {SIMTCHECK, "snapshot", "--out", places[k], "--kernel",
                                         "warpMap", "--part",   "code",  NULL};
        const char *const report[] = {SIMTCHECK, "compare", paths[0], paths[1],
                                      "--json",  places[k], NULL};
        struct ended ended = program_run(arguments);
        assert_int_equal(ended.status, 3);
        assert_non_null(strstr(ended.output, "cannot write"));
        free(ended.output);
        ended = program_run(report);
        assert_int_equal(ended.status, 3);
        free(ended.output);
    }
}

/* A part that was asked for, and cannot be had, is no pass. */
static void a_part_without_its_tools_is_unavailable(void **state)
{
    const char *const arguments[] = {
        "/usr/bin/env", "PATH=/nowhere", SIMTCHECK, "snapshot", "--out", one,
        SMALL,          "--part",        "code",    NULL};
    struct ended ended = program_run(arguments);
    json_t *snapshot = json_read(one);
    (void)state;

    assert_int_equal(ended.status, 77);
    assert_true(json_is_string(json_object_get(json_object_get(snapshot, "code"), "skipped")));
    assert_non_null(strstr(ended.output, "the part code: "));
    json_decref(snapshot);
    free(ended.output);
}

/* ---- Differences ---- */

/* No word for a row but SAME. */
static void expect_snapshot(const char *const words[4], int status, const char *says)
{
    const char *const arguments[] = {SIMTCHECK, "snapshot", "--out",  one,  "--kernel", "warpMap",
                                     "--block", "32",       "--size", "64", "--part",   words[0],
                                     words[1],  words[2],   words[3], NULL};
    struct ended ended = program_run(arguments);

    if (ended.status != status || strstr(ended.output, says) == NULL)
        fail_msg("%s: exit status %d, and not %d and '%s': %s", words[0], ended.status, status,
                 says, ended.output);
    free(ended.output);
}

/* Whatever parts were asked for; and a part of which there is nothing is none. */
static void a_required_engine_that_is_missing_fails(void **state)
{
    static const char *const parts[] = {"run",      "code",       "races",
                                        "counters", "throughput", "benchmark"};
    (void)state;

    expect_snapshot((const char *const[4]){"races", "--engine=cuda"}, 77, "engines host and ptx");
    expect_snapshot((const char *const[4]){"counters", "--engine=host"}, 0, "");
    if (engine_is_available("cuda"))
        return;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        expect_snapshot((const char *const[4]){parts[k], "--require=cuda"}, 3,
                        "engine cuda is not available");
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_snapshot((const char *const[4]){"run"}, 3, "engine cuda is not available");
    expect_snapshot((const char *const[4]){"run", "--engine=host"}, 0, "conforms");
    unsetenv("SIMTCHECK_REQUIRE");
}

static void snapshots_of_one_build_are_the_same(void **state)
{
    (void)state;
    for (int k = 0; k < SNAPSHOTS; k++) {
        struct ended ended = snapshots_compare(paths[k], paths[(k + 1) % SNAPSHOTS]);
        if (ended.status != 0 || strstr(ended.output, "0 FIX, 0 NEW, 0 CHANGED") == NULL)
            print_error("%s", ended.output);
        assert_int_equal(ended.status, 0);
        assert_non_null(strstr(ended.output, "environment: the same\n"));
        assert_non_null(
            strstr(ended.output, "\n0 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 0 CHANGED, "));
        free(ended.output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_is_as_its_schema_says),
        cmocka_unit_test(the_environment_comes_first),
        cmocka_unit_test(a_killed_snapshot_is_partial),
        cmocka_unit_test(an_interrupted_snapshot_is_partial),
        cmocka_unit_test(a_cut_file_is_bad_usage),
        cmocka_unit_test(what_is_no_snapshot_is_bad_usage),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
        cmocka_unit_test(a_part_without_its_tools_is_unavailable),
        cmocka_unit_test(a_required_engine_that_is_missing_fails),
        cmocka_unit_test(snapshots_of_one_build_are_the_same),
    };
    return cmocka_run_group_tests_name("snapshots", tests, set_up, tear_down);
}
