/* SPDX-License-Identifier: MIT
 *
 * `simtcheck snapshot` and `simtcheck compare`: what a snapshot holds, what is left of one that was
 * ended, and that each planted difference gets its word, and none is seen where there is none.
 */
#include "check.h"

#include "spread.h"

#include <signal.h>
#include <unistd.h>

enum { SNAPSHOTS = 3 };

static char folder[] = "/tmp/simtcheck-snapshot-XXXXXX";
static char paths[SNAPSHOTS][64], full[64], one[64], other[64];

/* The words of a snapshot of two kernels, without its file. */
#define SMALL                                                                                      \
    "--engine", "host", "--kernel", "reduceNeighbored", "--kernel", "reduceInterleaved2",          \
        "--block", "32", "--size", "64,128"

static void take(const char *path, int status)
{
    const char *const arguments[] = {SIMTCHECK,  "snapshot", "--out",  path,    SMALL,
                                     "--part",   "run",      "--part", "races", "--part",
                                     "counters", "--part",   "rates",  NULL};
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

static struct ended compare(const char *before, const char *after)
{
    const char *const arguments[] = {SIMTCHECK, "compare", before, after, NULL};
    return program_run(arguments);
}

static json_t *load(const char *path)
{
    json_t *document = json_load_file(path, 0, NULL);
    assert_non_null(document);
    return document;
}

static void save(const json_t *document, const char *path)
{
    assert_int_equal(json_dump_file(document, path, 0), 0);
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
    json_t *snapshot = load(paths[0]);
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
                                          "\"counters\": {", "\"samples\""};
    const char *const arguments[] = {SIMTCHECK,  "snapshot", "--out",  one,     SMALL,
                                     "--part",   "run",      "--part", "races", "--part",
                                     "counters", "--part",   "rates",  NULL};
    (void)state;

    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
        struct ended ended;
        unlink(one);
        ended = program_interrupt(arguments, one, moments[k], SIGKILL);
        assert_int_equal(ended.status, 128 + SIGKILL);
        free(ended.output);
        ended = compare(paths[0], one);
        assert_non_null(strstr(ended.output, "one.json is partial"));
        assert_int_equal(ended.status, strstr(ended.output, "MISSING  ") != NULL);
        assert_null(strstr(ended.output, "\nREGRESSION "));
        free(ended.output);
        ended = compare(one, paths[0]);
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
    ended = compare(one, one);
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
        ended = compare(k % 2 == 0 ? one : paths[0], k % 2 == 0 ? paths[0] : one);
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
    struct ended ended = compare(paths[0], "/nowhere/at.json");
    (void)state;

    assert_int_equal(ended.status, 2);
    assert_non_null(strstr(ended.output, "/nowhere/at.json"));
    free(ended.output);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        file_write(one, texts[k]);
        ended = compare(paths[0], one);
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
    json_t *snapshot = load(one);
    (void)state;

    assert_int_equal(ended.status, 77);
    assert_true(json_is_string(json_object_get(json_object_get(snapshot, "code"), "unavailable")));
    json_decref(snapshot);
    free(ended.output);
}

/* ---- Differences ---- */

/* No word for a row but SAME. */
static void snapshots_of_one_build_are_the_same(void **state)
{
    (void)state;
    for (int k = 0; k < SNAPSHOTS; k++) {
        struct ended ended = compare(paths[k], paths[(k + 1) % SNAPSHOTS]);
        if (ended.status != 0 || strstr(ended.output, "0 FIX, 0 NEW, 0 CHANGED") == NULL)
            print_error("%s", ended.output);
        assert_int_equal(ended.status, 0);
        assert_non_null(strstr(ended.output, "environment: the same\n"));
        assert_non_null(
            strstr(ended.output, "\n0 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 0 CHANGED, "));
        free(ended.output);
    }
}

/* Printed forms, held to the oracle outside their domain too, are wrong there. */
static void a_true_mismatch_is_a_regression(void **state)
{
    const char *const inside[] = {SIMTCHECK, "snapshot", "--out",  one,        "--engine",
                                  "host",    "--part",   "run",    "--kernel", "reduceNeighbored",
                                  "--block", "3-8",      "--size", "1-20",     NULL};
    const char *const all[] = {SIMTCHECK, "snapshot", "--out",  other,      "--engine",
                               "host",    "--part",   "run",    "--kernel", "reduceNeighbored",
                               "--block", "3-8",      "--size", "1-20",     "--assume-total",
                               NULL};
    struct ended ended = program_run(inside);
    (void)state;

    assert_int_equal(ended.status, 0);
    free(ended.output);
    ended = program_run(all);
    assert_int_equal(ended.status, 1);
    free(ended.output);
    ended = compare(one, other);
    assert_int_equal(ended.status, 1);
    assert_non_null(strstr(ended.output, "environment options: "));
    assert_non_null(strstr(ended.output,
                           "REGRESSION run       reduceNeighbored printed host: verdict "
                           "conforms-in-domain -> fault"));
    free(ended.output);
    ended = compare(other, one);
    assert_non_null(strstr(ended.output, "FIX        run       reduceNeighbored printed host"));
    free(ended.output);
}

/* Parts that depend on the tools at hand, and rates with a noise of 1 %, in place of what was
 * measured.
 */
static json_t *steady_snapshot(void)
{
    json_t *snapshot = load(paths[0]);
    json_error_t error;
    json_t *parts = json_loads(
        "{\"code\": {\"unavailable\": null, \"failures\": [], \"kernels\": [{\"kernel\": \"k\","
        " \"module\": \"m.ptx\", \"ptxas\": \"13.0.88\", \"arch\": \"sm_90\", \"registers\": 24,"
        " \"spill_store_bytes\": 0, \"spill_load_bytes\": 0, \"stack_bytes\": 0,"
        " \"shared_bytes\": 0, \"constant_bytes\": 540, \"code_bytes\": 1024,"
        " \"digest\": \"00000000000000aa\"}]},"
        " \"toolchain\": {\"seed\": 1, \"programs\": 80, \"stages\": [{\"stage\":"
        " \"ptxas 13.0.88 -O3\", \"programs\": 80, \"wrong\": 0, \"unavailable\": \"\"}],"
        " \"families\": [], \"same_code\": [], \"same_code_pairs\": 0, \"unsteady\": []},"
        " \"rates\": {\"host\": [{\"id\": \"k\", \"form\": \"total\", \"engine\": \"host\","
        " \"case\": \"t\", \"copies\": 1, \"unit\": \"cases/s\","
        " \"samples\": [1000, 1010, 990, 1020, 980, 1005, 995, 1000, 1001],"
        " \"pace\": [10, 10, 10, 10, 10, 10, 10, 10, 10]}]}}",
        0, &error);

    assert_non_null(parts);
    json_object_update(snapshot, parts);
    json_decref(parts);
    return snapshot;
}

/* The member or element that a path such as "run/results/0/verdict" names, put in place. */
static void put(json_t *document, const char *path, const char *text)
{
    char steps[128], *rest = steps, *step;
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    snprintf(steps, sizeof steps, "%s", path);
    assert_non_null(value);
    for (step = strsep(&rest, "/"); rest != NULL; step = strsep(&rest, "/"))
        document = json_is_array(document) ? json_array_get(document, (size_t)atoi(step))
                                           : json_object_get(document, step);
    assert_non_null(document);
    if (!json_is_array(document))
        json_object_set_new(document, step, value);
    else if ((size_t)atoi(step) < json_array_size(document))
        json_array_set_new(document, (size_t)atoi(step), value);
    else
        json_array_append_new(document, value);
}

static const struct planted {
    const char *path, *text; /* what the new snapshot has */
    const char *line;        /* of the report; null: there is none, and all rows are the same */
    const char *back;        /* the word the other way round */
} planted[] = {
    {"run/results/1/verdict", "\"mismatch\"",
     "REGRESSION run       reduceNeighbored total host: verdict conforms -> mismatch", "FIX "},
    {"run/results/1/verdict", "\"fault\"", "REGRESSION run       reduceNeighbored total host",
     "FIX "},
    {"run/results/1/verdict", "\"conforms-in-domain\"",
     "REGRESSION run       reduceNeighbored total host", "FIX "},
    {"run/results/1/verdict", "\"unavailable\"", "MISSING    run       reduceNeighbored total host",
     "NEW "},
    {"run/results/0/verdict", "\"fault\"", "REGRESSION run       reduceNeighbored printed host",
     "FIX "},
    {"run/results/1/mismatches", "3",
     "REGRESSION run       reduceNeighbored total host: wrong cases 0 -> 3", "FIX "},
    {"run/results/2/found", "1000000",
     "REGRESSION run       reduceInterleaved2 printed host: wrong cases by the finding", "FIX "},
    {"run/results/1/cases", "7", "CHANGED    run       reduceNeighbored total host: cases",
     "CHANGED"},
    {"run/results/1/witness", "{\"token\": \"1:other\"}", NULL, NULL},
    {"run/results/1/seconds", "77.5", NULL, NULL},
    {"races/host/2/verdict", "\"race\"",
     "REGRESSION races     reduceNeighbored total host its: verdict race-free -> race", "FIX "},
    {"races/host/2/verdict", "\"order-dependent\"",
     "REGRESSION races     reduceNeighbored total host its", "FIX "},
    {"races/host/2/as_claimed", "false",
     "REGRESSION races     reduceNeighbored total host its: no longer as", "FIX "},
    {"races/host/2/search", "{\"wrong\": true}",
     "REGRESSION races     reduceNeighbored total host its: a schedule makes", "FIX "},
    {"races/host/2/pairs",
     "[{\"first\": {\"file\": \"a/k.cu\", \"line\": 7, \"access\": \"read\"},"
     " \"second\": {\"file\": \"a/k.cu\", \"line\": 8, \"access\": \"write\"}}]",
     "CHANGED    races     reduceNeighbored total host its: other pair now: read k.cu:7, write "
     "k.cu:8",
     "CHANGED"},
    {"limits/rows/0/largest_block", "16",
     "REGRESSION limits    reduceNeighbored printed host: largest block 32 -> 16", "CHANGED"},
    {"limits/deadline_seconds", "5.0", "REGRESSION limits    every case -: deadline", "CHANGED"},
    {"counters/host/0/gld_requests", "123456",
     "CHANGED    counters  reduceNeighbored printed host: gld_requests", "CHANGED"},
    {"code/kernels/0/registers", "32", "CHANGED    code      k * sm_90: registers 24 -> 32",
     "CHANGED"},
    {"code/kernels/0/digest", "\"00000000000000bb\"", "CHANGED    code      k * sm_90: code",
     "CHANGED"},
    {"code/kernels/0/spill_store_bytes", "8",
     "REGRESSION code      k * sm_90: bytes of spill stores 0 -> 8", "FIX "},
    {"code/kernels/0/ptxas", "\"13.1.115\"", NULL, NULL}, /* a matter of the environment */
    {"code/failures/0", "{\"ptxas\": \"13.0.88\", \"module\": \"n.ptx\", \"reason\": \"no\"}",
     "REGRESSION refused   n.ptx *", "FIX "},
    {"toolchain/stages/0/wrong", "2", "REGRESSION toolchain ptxas * -O3: wrong programs 0 -> 2",
     "FIX "},
    {"toolchain/stages/0/kernels_wrong",
     "[{\"id\": \"k\", \"form\": \"total\", \"outcome\": \"\"}]",
     "REGRESSION toolchain ptxas * -O3: wrong kernels of the catalogue 0 -> 1", "FIX "},
    {"toolchain/stages/0/stage", "\"ptxas 13.1.115 -O3\"", NULL, NULL},
    {"toolchain/stages/0/unavailable", "\"it crashed\"",
     "REGRESSION toolchain ptxas * -O3: takes part no longer: it crashed", "FIX "},
    {"toolchain/families/0",
     "{\"shape\": \"min(neg(max))\", \"program\": \"p\", \"members\": 1, \"blamed\": \"assembler\","
     " \"wrong\": [\"ptxas 13.0.88 -O3\"]}",
     "REGRESSION idioms    min(neg(max))", "FIX "},
    {"toolchain/same_code/0", "{\"ptxas\": \"13.0.88\", \"one\": \"p1\", \"other\": \"p2\"}",
     "REGRESSION same-code p1 p2 *", "FIX "},
    {"toolchain/unsteady/0", "\"13.0.88\"", "REGRESSION unsteady  13.0.88", "FIX "},
    {"rates/host/0/samples", "[800, 808, 792, 816, 784, 804, 796, 800, 801]",
     "REGRESSION rates     k total host: 20 % slower, with noise of ", "FIX "},
    {"rates/host/0/samples", "[920, 930, 910, 940, 900, 925, 915, 920, 921]", NULL, NULL},
    {"rates/host/0/samples", "[800, 1100, 600, 950, 500, 700, 820, 900, 1000]", NULL, NULL},
    /* most are held up, and the fastest are not */
    {"rates/host/0/samples", "[800, 808, 792, 816, 784, 804, 796, 1010, 1005]", NULL, NULL},
    {"rates/host/0/samples", "[500, 501, 502]", NULL,
     NULL}, /* a partial file: no spread is known */
    {"rates/host/0/pace", "[8, 8, 8, 8, 8, 8, 8, 8, 8]",
     "FIX        rates     k total host: 25 % faster", "REGRESSION"},
    {"rates/host/0/case", "\"u\"", "CHANGED    rates     k total host: another case", "CHANGED"},
    {"environment/driver", "\"580.65.06\"", "environment driver: null -> \"580.65.06\"", NULL},
    {"environment/engines/host/description", "\"x\"",
     "environment engines.host.description: ", NULL},
    {"environment/readings/load", "9.5", NULL, NULL},
};

/* The line is the only one for a row, and the exit status goes with it. */
static void hold_to(const struct planted *difference, const struct ended *ended)
{
    bool worse = difference->line != NULL && (strncmp(difference->line, "REGRESSION", 10) == 0 ||
                                              strncmp(difference->line, "MISSING", 7) == 0);
    bool is_row = difference->line != NULL && strncmp(difference->line, "environment", 11) != 0;

    if (ended->status != worse ||
        (difference->line != NULL && strstr(ended->output, difference->line) == NULL))
        fail_msg("%s: exit status %d:\n%s", difference->path, ended->status, ended->output);
    if ((strstr(ended->output, "\n0 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 0 CHANGED, ") == NULL) !=
        is_row)
        fail_msg("%s:\n%s", difference->path, ended->output);
}

static void each_planted_difference_is_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof planted / sizeof *planted; k++) {
        json_t *before = steady_snapshot(), *after = steady_snapshot();
        struct ended ended;
        put(after, planted[k].path, planted[k].text);
        save(before, one);
        save(after, other);
        ended = compare(one, other);
        hold_to(&planted[k], &ended);
        free(ended.output);
        ended = compare(other, one);
        assert_int_equal(ended.status, planted[k].back != NULL && planted[k].back[0] == 'R');
        if (planted[k].back != NULL && strstr(ended.output, planted[k].back) == NULL)
            fail_msg("%s, the other way round:\n%s", planted[k].path, ended.output);
        free(ended.output);
        json_decref(before);
        json_decref(after);
    }
}

/* A condition more, and its text. */
static void a_smaller_domain_is_a_regression(void **state)
{
    json_t *before = steady_snapshot(), *after = steady_snapshot();
    json_t *row = json_array_get(json_object_get(json_object_get(after, "run"), "results"), 0);
    struct ended ended;
    (void)state;

    json_object_set_new(row, "domain", json_string("n >= 1, and more"));
    json_array_append_new(json_object_get(row, "boundaries"),
                          json_pack("{s:s}", "condition", "B <= 32"));
    save(before, one);
    save(after, other);
    ended = compare(one, other);
    assert_int_equal(ended.status, 1);
    assert_non_null(
        strstr(ended.output, "REGRESSION run       reduceNeighbored printed host: domain"));
    free(ended.output);
    ended = compare(other, one);
    assert_int_equal(ended.status, 0);
    assert_non_null(
        strstr(ended.output, "FIX        run       reduceNeighbored printed host: domain"));
    free(ended.output);
    json_decref(before);
    json_decref(after);
}

/* With --json every row is told. */
static void a_row_of_one_snapshot_is_missing_or_new(void **state)
{
    json_t *before = steady_snapshot(), *after = steady_snapshot(), *report, *row;
    const char *const arguments[] = {SIMTCHECK, "compare", one, other, NULL};
    const char *const back[] = {SIMTCHECK, "compare", other, one, NULL};
    size_t r, same = 0, missing = 0;
    (void)state;

    json_array_remove(json_object_get(json_object_get(after, "run"), "results"), 1);
    save(before, one);
    save(after, other);
    report = program_report(arguments, 1);
    assert_non_null(report);
    json_array_foreach(json_object_get(report, "rows"), r, row)
    {
        same += strcmp(report_text(row, "change"), "SAME") == 0;
        missing += strcmp(report_text(row, "change"), "MISSING") == 0 &&
                   strcmp(report_text(row, "row"), "reduceNeighbored total host") == 0;
    }
    assert_int_equal(missing, 1);
    assert_int_equal(same, json_array_size(json_object_get(report, "rows")) - 1);
    json_decref(report);
    report = program_report(back, 0);
    assert_int_equal(report_number(json_object_get(report, "counts"), "NEW"), 1);
    json_decref(report);
    json_decref(before);
    json_decref(after);
}

/* ---- Spread ---- */

static struct spread spread(double first, double step)
{
    double values[9];
    for (int k = 0; k < 9; k++)
        values[k] = first + step * k;
    return spread_of(values, 9);
}

static void a_change_is_held_to_the_larger_noise(void **state)
{
    struct spread quiet = spread(1000, 1), slow = spread(800, 1), near = spread(930, 1),
                  noisy = spread(500, 75);
    (void)state;

    assert_int_equal(spread_compare(&quiet, &slow), -1);
    assert_int_equal(spread_compare(&slow, &quiet), 1);
    assert_int_equal(spread_compare(&quiet, &quiet), 0);
    assert_int_equal(spread_compare(&quiet, &near), 0); /* less than a tenth */
    assert_true(noisy.median == 800);
    assert_int_equal(spread_compare(&quiet, &noisy), 0);
    assert_int_equal(spread_compare(&noisy, &quiet), 0);
    assert_true(quiet.noise > 0.002 && quiet.noise < 0.004);
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
        cmocka_unit_test(snapshots_of_one_build_are_the_same),
        cmocka_unit_test(a_true_mismatch_is_a_regression),
        cmocka_unit_test(each_planted_difference_is_named),
        cmocka_unit_test(a_smaller_domain_is_a_regression),
        cmocka_unit_test(a_row_of_one_snapshot_is_missing_or_new),
        cmocka_unit_test(a_change_is_held_to_the_larger_noise),
    };
    return cmocka_run_group_tests_name("snapshots", tests, set_up, tear_down);
}
