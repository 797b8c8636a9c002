/* SPDX-License-Identifier: MIT
 *
 * The tail of a reduction, its last warp, ordered by volatile, by nothing, by __syncwarp() or by
 * __syncthreads(). Each kind has its own test.
 *
 * - On the simulator: the race verdict under both models, with the lines that race, and schedules
 *   that give a wrong sum and replay.
 * - On a GPU: sums with delays.
 *
 * Arguments: the engine (sim or cuda), and the kind of tail. The kind is the test's label:
 * tail-volatile, tail-plain, tail-syncwarp or tail-syncthreads.
 */
#include "check.h"

static const char *engine = "sim", *label;

enum { REPLAYS = 10, RUNS = 20, MIN_WRONG = 18 };

/* The expected results of a kind of tail under each model. */
static const struct kind {
    const char *what, *lockstep, *independent, *label;
} by_volatile = {"volatile", "race-free", "order-dependent", "tail-volatile"},
  by_nothing = {"plain", "race", "race", "tail-plain"},
  by_warp_barrier = {"__syncwarp()", "race-free", "race-free", "tail-syncwarp"},
  by_barrier = {"barrier", "race-free", "race-free", "tail-syncthreads"},
  by_barrier_of_all_lanes = {"barrier, all lanes in all steps", "race", "race", "tail-syncthreads"};

static const struct tail {
    const char *kernel, *variant;
    const struct kind *kind;
} tails[] = {
    {"reduceUnrollWarps8", "original", &by_volatile},
    {"reduceCompleteUnrollWarps8", "original", &by_volatile},
    {"reduceCompleteUnroll", "original", &by_volatile},
    {"reduceCompleteUnrollWarps8Float", "original", &by_volatile},
    {"reduceNeighbored3", "original", &by_volatile},
    {"reduceUnrollWarps8Plain", "original", &by_nothing},
    {"reduceCompleteUnrollWarps8Plain", "original", &by_nothing},
    {"reduceCompleteUnrollPlain", "original", &by_nothing},
    {"reduceCompleteUnrollWarps8FloatPlain", "original", &by_nothing},
    {"reduceNeighbored3Plain", "original", &by_nothing},
    {"reduceUnrollWarps8Syncwarp", "original", &by_warp_barrier},
    {"reduceUnrollWarps8Syncwarp", "corrected", &by_warp_barrier},
    {"reduceCompleteUnrollWarps8Syncwarp", "original", &by_warp_barrier},
    {"reduceCompleteUnrollWarps8Syncwarp", "corrected", &by_warp_barrier},
    {"reduceCompleteUnrollSyncwarp", "original", &by_warp_barrier},
    {"reduceCompleteUnrollSyncwarp", "corrected", &by_warp_barrier},
    {"reduceCompleteUnrollWarps8FloatSyncwarp", "original", &by_warp_barrier},
    {"reduceCompleteUnrollWarps8FloatSyncwarp", "corrected", &by_warp_barrier},
    {"reduceNeighbored3Syncwarp", "original", &by_warp_barrier},
    {"reduceNeighbored3Syncwarp", "corrected", &by_warp_barrier},
    {"reduceUnrollWarps8", "corrected", &by_barrier},
    {"reduceCompleteUnrollWarps8", "corrected", &by_barrier},
    {"reduceCompleteUnroll", "corrected", &by_barrier},
    {"reduceCompleteUnrollWarps8Float", "corrected", &by_barrier},
    {"reduceNeighbored3", "corrected", &by_barrier},
    {"reduceCompleteUnrollWarps8Sync", "original", &by_barrier_of_all_lanes},
};

enum { TAILS = sizeof tails / sizeof *tails };

/* Returns true if the tail is of the kind that this program was asked for. */
static bool is_asked_for(const struct tail *tail)
{
    return strcmp(tail->kind->label, label) == 0;
}

/* Runs the command with a --kernel for each such tail. The caller drops the JSON. */
static json_t *report_of(const char *const command[])
{
    const char *arguments[3 * TAILS + 16];
    size_t count = 0;
    json_t *report;

    for (; command[count] != NULL; count++)
        arguments[count] = command[count];
    for (size_t t = 0; t < TAILS; t++)
        if (is_asked_for(&tails[t])) {
            arguments[count++] = "--kernel";
            arguments[count++] = tails[t].kernel;
        }
    arguments[count] = NULL;
    report = program_report(arguments, 0);
    assert_non_null(report);
    return report;
}

/* Returns the entry of an array of results, or null. The reference is borrowed. */
static json_t *find(json_t *array, const struct tail *tail, const char *key, const char *value)
{
    json_t *entry;
    size_t i;

    json_array_foreach(array, i, entry)
    {
        if (strcmp(report_text(entry, "id"), tail->kernel) == 0 &&
            strcmp(report_text(entry, "variant"), tail->variant) == 0 &&
            (value == NULL || strcmp(report_text(entry, key), value) == 0))
            return entry;
    }
    return NULL;
}

/* Runs the case of a search again. The verdict with its time is cut off. */
static struct ended replay(const json_t *search)
{
    struct ended ended = run_line("replay '%s'", report_text(search, "case"));
    char *verdict = strstr(ended.output, "\n\nreplay  FAIL");

    assert_non_null(verdict);
    *verdict = '\0';
    return ended;
}

static void expect_replay_of_the_same_sum(const json_t *search)
{
    struct ended first = replay(search);
    assert_non_null(strstr(first.output, report_text(search, "outcome")));
    for (int k = 1; k < REPLAYS; k++) {
        struct ended again = replay(search);
        assert_int_equal(again.status, 1);
        assert_string_equal(again.output, first.output);
        free(again.output);
    }
    expect_ended(first, 1, "");
}

/* Returns true if nvcc keeps the sums of a plain tail in registers. It cannot do so if lanes might
 * write to the same place. In reduceNeighbored3Plain the distance may be 0 for all that nvcc knows.
 */
static bool is_kept_in_registers(const struct tail *tail)
{
    return strcmp(engine, "sim") == 0 && tail->kind == &by_nothing &&
           strcmp(tail->kernel, "reduceNeighbored3Plain") != 0;
}

static void assert_verdict(json_t *report, const struct tail *tail, const char *model,
                           const char *verdict)
{
    bool races = strcmp(verdict, "race-free") != 0;
    json_t *entry = find(report, tail, "model", model);
    json_t *pairs = json_object_get(entry, "pairs"), *pair;
    const json_t *search = json_object_get(entry, "search");
    size_t p;

    print_message("%s %s (%s), %s: %s\n", tail->kernel, tail->variant, tail->kind->what, model,
                  report_text(entry, "verdict"));
    assert_string_equal(report_text(entry, "verdict"), verdict);
    assert_int_equal(json_array_size(pairs) > 0, races);
    json_array_foreach(pairs, p, pair)
    {
        const json_t *first = json_object_get(pair, "first"),
                     *second = json_object_get(pair, "second");
        assert_non_null(strstr(report_text(first, "file"), "_tail.cu"));
        assert_non_null(strstr(report_text(second, "file"), "_tail.cu"));
        assert_true(report_number(first, "line") > 0 && report_number(second, "line") > 0);
        assert_int_equal(json_is_true(json_object_get(first, "volatile")),
                         tail->kind == &by_volatile);
        assert_int_equal(json_is_true(json_object_get(pair, "strong")), tail->kind == &by_volatile);
    }
    /* Under the independent model the order of each of these races changes the sum. */
    if (races && (strcmp(model, "independent") == 0 || is_kept_in_registers(tail))) {
        assert_true(json_is_true(json_object_get(search, "wrong")));
        expect_replay_of_the_same_sum(search);
    } else if (json_is_object(search) && tail->kind != &by_nothing) {
        assert_false(json_is_true(json_object_get(search, "wrong")));
    }
}

static void each_tail_has_the_expected_race_verdict(void **state)
{
    const char *const command[] = {simtcheck_program(), "races", "--engine", engine,
                                   "--block",           "33,64", NULL};
    json_t *report = report_of(command);
    (void)state;
    for (size_t t = 0; t < TAILS; t++) {
        if (!is_asked_for(&tails[t]))
            continue;
        assert_verdict(report, &tails[t], "lockstep", tails[t].kind->lockstep);
        assert_verdict(report, &tails[t], "independent", tails[t].kind->independent);
    }
    json_decref(report);
}

/* With delays, racy sums are wrong nearly always, and other sums never. */
static void stress_detects_the_racing_tails(void **state)
{
    const char *const command[] = {simtcheck_program(), "run", "--stress", "20", NULL};
    json_t *report = report_of(command), *entry;
    unsigned int seen = 0, asked = 0;
    size_t i;
    (void)state;

    for (size_t t = 0; t < TAILS; t++) {
        asked += is_asked_for(&tails[t]);
        json_array_foreach(report, i, entry)
        {
            long long wrong = report_number(entry, "wrong");
            if (!is_asked_for(&tails[t]) ||
                strcmp(report_text(entry, "id"), tails[t].kernel) != 0 ||
                strcmp(report_text(entry, "variant"), tails[t].variant) != 0)
                continue;
            seen++;
            print_message("%s %s (%s), block %lld: %lld of %d wrong\n", tails[t].kernel,
                          tails[t].variant, tails[t].kind->what, report_number(entry, "block"),
                          wrong, RUNS);
            assert_int_equal(report_number(entry, "runs"), RUNS);
            if (strcmp(tails[t].kind->independent, "race-free") != 0)
                assert_true(wrong >= MIN_WRONG);
            else
                assert_int_equal(wrong, 0);
        }
    }
    assert_true(asked > 0);
    assert_int_equal(seen, 3 * asked); /* blocks */
    json_decref(report);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest host_tests[] = {
        cmocka_unit_test(each_tail_has_the_expected_race_verdict)};
    const struct CMUnitTest gpu_tests[] = {cmocka_unit_test(stress_detects_the_racing_tails)};

    if (argc != 3) {
        fprintf(stderr, "usage: %s ENGINE LABEL\n", argv[0]);
        return 2;
    }
    engine = argv[1];
    label = argv[2];
    if (strncmp(engine, "cuda", 4) != 0)
        return cmocka_run_group_tests_name("tails", host_tests, NULL, NULL);
    if (!HAVE_DELAYS || !engine_is_available("cuda-stress"))
        return 77;
    return cmocka_run_group_tests_name("tails", gpu_tests, NULL, NULL);
}
