/* SPDX-License-Identifier: MIT
 *
 * `simtcheck compare`: reports each seeded difference with the right word, and nothing else.
 */
#include "check.h"

#include "spread.h"

#include <unistd.h>

static char taken[64], one[64], other[64];

/* Takes a snapshot of two kernels. */
static int set_up(void **state)
{
    struct ended ended;
    if (folder_make(state) != 0)
        return -1;
    snprintf(taken, sizeof taken, "%s/taken.json", folder);
    snprintf(one, sizeof one, "%s/one.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    ended = run_line(
        "snapshot --out %s --engine sim --kernel reduceNeighbored --kernel reduceInterleaved2 "
        "--block 32 --size 64,128 --part run --part races --part counters",
        taken);
    free(ended.output);
    return ended.status;
}

static void save(const json_t *document, const char *path)
{
    assert_int_equal(json_dump_file(document, path, 0), 0);
}

/* Original variants are wrong outside their domain when the oracle checks them there too. */
TEST(mismatch_is_a_regression)
{
    struct ended ended;

    expect_run(0, "",
               "snapshot --out %s --engine sim --part run --kernel reduceNeighbored --block 3-8 "
               "--size 1-20",
               one);
    expect_run(1, "",
               "snapshot --out %s --engine sim --part run --kernel reduceNeighbored --block 3-8 "
               "--size 1-20 --assume-corrected",
               other);
    expect_ended(snapshots_compare(one, other), 1,
                 "environment options: |REGRESSION run       reduceNeighbored original sim: "
                 "verdict conforms-in-domain -> fault");
    ended = snapshots_compare(other, one);
    assert_non_null(strstr(ended.output, "FIX        run       reduceNeighbored original sim"));
    free(ended.output);
}

/* Adds three more rows of the simulator and one of a GPU. */
static void add_throughput(json_t *throughput)
{
    static const char *const engines[] = {"sim", "sim", "sim", "cuda"};
    const char *const ids[] = {"l", "m", "o", "k"};

    json_object_set_new(throughput, "cuda", json_array());
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        json_t *row = json_copy(json_array_get(json_object_get(throughput, "sim"), 0));
        json_object_set_new(row, "id", json_string(ids[k]));
        json_object_set_new(row, "engine", json_string(engines[k]));
        json_array_append_new(json_object_get(throughput, engines[k]), row);
    }
}

/* Returns a snapshot with fixed values, including throughput with a noise of 1 %. They replace the
 * parts that depend on installed tools and on measurements. */
static json_t *steady_snapshot(void)
{
    json_t *snapshot = json_read(taken);
    json_error_t error;
    json_t *parts = json_loads(
        "{\"code\": {\"skipped\": null, \"failures\": [], \"kernels\": [{\"kernel\": \"k\","
        " \"module\": \"m.ptx\", \"ptxas\": \"13.0.88\", \"arch\": \"sm_90\", \"registers\": 24,"
        " \"spill_store_bytes\": 0, \"spill_load_bytes\": 0, \"stack_bytes\": 0,"
        " \"shared_bytes\": 0, \"constant_bytes\": 540, \"code_bytes\": 1024,"
        " \"digest\": \"00000000000000aa\"}]},"
        " \"compilers\": {\"seed\": 1, \"programs\": 80, \"stages\": [{\"stage\":"
        " \"ptxas 13.0.88 -O3\", \"programs\": 80, \"wrong\": 0, \"skipped\": \"\"}],"
        " \"families\": [], \"same_code\": [], \"same_code_pairs\": 0, \"unsteady\": []},"
        " \"throughput\": {\"sim\": [{\"id\": \"k\", \"variant\": \"corrected\", \"engine\": "
        "\"sim\","
        " \"case\": \"t\", \"copies\": 1, \"unit\": \"cases/s\","
        " \"samples\": [1000, 1010, 990, 1020, 980, 1005, 995, 1000, 1001],"
        " \"pace\": [10, 10, 10, 10, 10, 10, 10, 10, 10]}]}}",
        0, &error);

    assert_non_null(parts);
    add_throughput(json_object_get(parts, "throughput"));
    json_object_update(snapshot, parts);
    json_decref(parts);
    return snapshot;
}

static const struct seeded {
    const char *path, *text; /* what the new snapshot has */
    const char *line;        /* in the report; null: all rows are the same */
    const char *back;        /* the word with the snapshots swapped */
} seeded[] = {
    {"run/results/1/verdict", "\"wrong-result\"",
     "REGRESSION run       reduceNeighbored corrected sim: verdict conforms -> wrong-result",
     "FIX "},
    {"run/results/1/verdict", "\"fault\"", "REGRESSION run       reduceNeighbored corrected sim",
     "FIX "},
    {"run/results/1/verdict", "\"conforms-in-domain\"",
     "REGRESSION run       reduceNeighbored corrected sim", "FIX "},
    {"run/results/1/verdict", "\"skipped\"", "MISSING    run       reduceNeighbored corrected sim",
     "NEW "},
    {"run/results/0/verdict", "\"fault\"", "REGRESSION run       reduceNeighbored original sim",
     "FIX "},
    {"run/results/1/mismatches", "3",
     "REGRESSION run       reduceNeighbored corrected sim: wrong cases 0 -> 3", "FIX "},
    {"run/results/2/found", "1000000",
     "REGRESSION run       reduceInterleaved2 original sim: wrong cases due to the known defect",
     "FIX "},
    {"run/results/1/cases", "7", "CHANGED    run       reduceNeighbored corrected sim: cases",
     "CHANGED"},
    {"run/results/1/counterexample", "{\"case\": \"1:other\"}", NULL, NULL},
    {"run/results/1/seconds", "77.5", NULL, NULL},
    {"races/sim/2/verdict", "\"race\"",
     "REGRESSION races     reduceNeighbored corrected sim independent: verdict race-free -> race",
     "FIX "},
    {"races/sim/2/verdict", "\"order-dependent\"",
     "REGRESSION races     reduceNeighbored corrected sim independent", "FIX "},
    {"races/sim/2/verdict", "\"same-value race\"",
     "REGRESSION races     reduceNeighbored corrected sim independent: verdict race-free -> "
     "same-value race",
     "FIX "},
    {"races/sim/2/as_expected", "false",
     "REGRESSION races     reduceNeighbored corrected sim independent: no longer as", "FIX "},
    {"races/sim/2/search", "{\"wrong\": true}",
     "REGRESSION races     reduceNeighbored corrected sim independent: a schedule makes", "FIX "},
    {"races/sim/2/pairs",
     "[{\"first\": {\"file\": \"a/k.cu\", \"line\": 7, \"access\": \"read\"},"
     " \"second\": {\"file\": \"a/k.cu\", \"line\": 8, \"access\": \"write\"}}]",
     "CHANGED    races     reduceNeighbored corrected sim independent: new pair: read "
     "k.cu:7, write "
     "k.cu:8",
     "CHANGED"},
    {"limits/rows/0/largest_block", "16",
     "REGRESSION limits    reduceNeighbored original sim: largest block 32 -> 16", "CHANGED"},
    {"limits/deadline_seconds", "5.0", "REGRESSION limits    all cases: deadline", "CHANGED"},
    {"counters/sim/0/gld_requests", "123456",
     "CHANGED    counters  reduceNeighbored original sim: gld_requests", "CHANGED"},
    {"code/kernels/0/registers", "32", "CHANGED    code      k * sm_90: registers 24 -> 32",
     "CHANGED"},
    {"code/kernels/0/digest", "\"00000000000000bb\"", "CHANGED    code      k * sm_90: code",
     "CHANGED"},
    {"code/kernels/0/spill_store_bytes", "8",
     "REGRESSION code      k * sm_90: bytes of spill stores 0 -> 8", "FIX "},
    {"code/kernels/0/ptxas", "\"13.1.115\"", NULL, NULL}, /* part of the environment */
    {"code/failures/0", "{\"ptxas\": \"13.0.88\", \"module\": \"n.ptx\", \"reason\": \"no\"}",
     "REGRESSION refused   n.ptx *", "FIX "},
    {"compilers/stages/0/wrong", "2", "REGRESSION compilers ptxas * -O3: wrong programs 0 -> 2",
     "FIX "},
    {"compilers/stages/0/kernels_wrong",
     "[{\"id\": \"k\", \"variant\": \"corrected\", \"outcome\": \"\"}]",
     "REGRESSION compilers ptxas * -O3: wrong kernels of the catalogue 0 -> 1", "FIX "},
    {"compilers/stages/0/stage", "\"ptxas 13.1.115 -O3\"", NULL, NULL},
    {"compilers/stages/0/skipped", "\"it crashed\"",
     "REGRESSION compilers ptxas * -O3: now skipped: it crashed", "FIX "},
    {"compilers/families/0",
     "{\"shape\": \"min(neg(max))\", \"program\": \"p\", \"members\": 1, \"cause\": \"assembler\","
     " \"wrong\": [\"ptxas 13.0.88 -O3\"]}",
     "REGRESSION idioms    min(neg(max))", "FIX "},
    {"compilers/same_code/0", "{\"ptxas\": \"13.0.88\", \"one\": \"p1\", \"other\": \"p2\"}",
     "REGRESSION same-code p1 p2 *", "FIX "},
    {"compilers/unsteady/0", "\"13.0.88\"", "REGRESSION unsteady  13.0.88", "FIX "},
    {"throughput/sim/0/samples", "[800, 808, 792, 816, 784, 804, 796, 800, 801]",
     "REGRESSION throughput k corrected sim: 20 % slower, with noise of ", "FIX "},
    {"throughput/sim/0/samples", "[920, 930, 910, 940, 900, 925, 915, 920, 921]", NULL, NULL},
    {"throughput/sim/0/samples", "[800, 1100, 600, 950, 500, 700, 820, 900, 1000]", NULL, NULL},
    /* most samples are slower, but not the fastest */
    {"throughput/sim/0/samples", "[800, 808, 792, 816, 784, 804, 796, 1010, 1005]", NULL, NULL},
    {"throughput/sim/0/samples", "[500, 501, 502]", NULL,
     NULL}, /* a partial file: unknown spread */
    {"throughput/sim/0/pace", "[8, 8, 8, 8, 8, 8, 8, 8, 8]",
     "FIX        throughput k corrected sim: 25 % faster", "REGRESSION"},
    {"throughput/cuda/0/samples", "[800, 808, 792, 816, 784, 804, 796, 800, 801]",
     "REGRESSION throughput k corrected cuda: 20 % slower, with noise of ", "FIX "},
    {"throughput/cuda/0/pace", "[8, 8, 8, 8, 8, 8, 8, 8, 8]", NULL, NULL}, /* no effect on a GPU */
    {"throughput/sim/0/case", "\"u\"",
     "CHANGED    throughput k corrected sim: a different case was timed", "CHANGED"},
    {"environment/driver", "\"580.65.06\"", "environment driver: null -> \"580.65.06\"", NULL},
    {"environment/engines/sim/description", "\"x\"", "environment engines.sim.description: ", NULL},
    {"environment/readings/load", "9.5", NULL, NULL},
};

/* Checks that the line is the only one about a row, and that the exit status matches. */
static void expect_difference(const struct seeded *difference, const struct ended *ended)
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

TEST(each_seeded_difference_is_reported)
{
    for (size_t k = 0; k < sizeof seeded / sizeof *seeded; k++) {
        json_t *before = steady_snapshot(), *after = steady_snapshot();
        struct ended ended;
        json_put(after, seeded[k].path, seeded[k].text);
        save(before, one);
        save(after, other);
        ended = snapshots_compare(one, other);
        expect_difference(&seeded[k], &ended);
        free(ended.output);
        ended = snapshots_compare(other, one);
        if (seeded[k].back != NULL && strstr(ended.output, seeded[k].back) == NULL)
            fail_msg("%s, the other way round:\n%s", seeded[k].path, ended.output);
        expect_ended(ended, seeded[k].back != NULL && seeded[k].back[0] == 'R', "");
        json_decref(before);
        json_decref(after);
    }
}

/* Adds a condition and changes the text of the domain. */
TEST(smaller_domain_is_a_regression)
{
    json_t *before = steady_snapshot(), *after = steady_snapshot();
    json_t *row = json_array_get(json_object_get(json_object_get(after, "run"), "results"), 0);
    struct ended ended;

    json_object_set_new(row, "domain", json_string("n >= 1, and more"));
    json_array_append_new(json_object_get(row, "boundaries"),
                          json_pack("{s:s}", "condition", "B <= 32"));
    save(before, one);
    save(after, other);
    ended = snapshots_compare(one, other);
    assert_non_null(
        strstr(ended.output, "REGRESSION run       reduceNeighbored original sim: domain"));
    expect_ended(ended, 1, "");
    ended = snapshots_compare(other, one);
    assert_non_null(
        strstr(ended.output, "FIX        run       reduceNeighbored original sim: domain"));
    expect_ended(ended, 0, "");
    json_decref(before);
    json_decref(after);
}

/* A change of nearly all rows of a processor is attributed to the machine. A row that changes more
 * than the others is a regression. So is a slowdown to less than half. */
static const struct shared_machine {
    double paces[4]; /* of as many rows of the simulator, up to a 0; all were 10 */
    const char *line;
    const char *counts;
} shared_machines[] = {
    {{12.8, 12.8, 12.8, 12.8},
     "\nthroughput of sim: all rows are 22 % slower, which is attributed to the machine\n",
     "0 REGRESSION, 0 MISSING, 0 FIX, "},
    {{7.8, 7.8, 7.8},
     "\nthroughput of sim: all rows are 28 % faster, which is attributed to the machine\n",
     "0 REGRESSION, 0 MISSING, 0 FIX, "},
    {{10.5, 10.5, 10.5}, "environment: the same\n0 REGRESSION", "0 REGRESSION, 0 MISSING, 0 FIX, "},
    {{17, 12.8, 12.8, 12.8},
     "\nREGRESSION throughput k corrected sim: 25 % slower after correction for the machine, with "
     "noise of ",
     "1 REGRESSION, 0 MISSING, 0 FIX, "},
    {{25, 25, 25},
     "\nREGRESSION throughput m corrected sim: 60 % slower, with noise of ",
     "3 REGRESSION, 0 MISSING, 0 FIX, "},
    {{14, 14, 10},
     "\nREGRESSION throughput l corrected sim: 29 % slower, with noise of ",
     "2 REGRESSION, 0 MISSING, 0 FIX, "},
    {{7, 7, 10},
     "\nFIX        throughput l corrected sim: 43 % faster",
     "0 REGRESSION, 0 MISSING, 2 FIX, "},
    {{7, 7, 7, 10},
     "\nthroughput of sim: all rows are 43 % faster, which is attributed to the machine\n",
     "0 REGRESSION, 0 MISSING, 0 FIX, "}, /* the last row is no slower */
    {{12.8, 12.8},
     "\nREGRESSION throughput k corrected sim: 22 % slower, with noise of ",
     "2 REGRESSION, 0 MISSING, 0 FIX, "},
    {{12.8, 7.8},
     "\nREGRESSION throughput k corrected sim: 22 % slower, with noise of ",
     "1 REGRESSION, 0 MISSING, 1 FIX, "},
};

/* Sets the paces of as many rows, and removes the others. */
static void set_paces(json_t *snapshot, const double paces[4])
{
    json_t *rows = json_object_get(json_object_get(snapshot, "throughput"), "sim"), *row;
    size_t r;

    while (json_array_size(rows) > 4 || paces[json_array_size(rows) - 1] <= 0)
        json_array_remove(rows, json_array_size(rows) - 1);
    json_array_foreach(rows, r, row)
    {
        json_t *of_row = json_array();
        for (size_t k = 0; k < json_array_size(json_object_get(row, "samples")); k++)
            json_array_append_new(of_row, json_real(paces[r]));
        json_object_set_new(row, "pace", of_row);
    }
}

TEST(load_on_the_machine_is_not_a_regression)
{
    for (size_t k = 0; k < sizeof shared_machines / sizeof *shared_machines; k++) {
        const struct shared_machine *machine = &shared_machines[k];
        double paces[4];
        json_t *before = steady_snapshot(), *after = steady_snapshot();
        struct ended ended;
        for (size_t r = 0; r < 4; r++)
            paces[r] = machine->paces[r] > 0 ? 10 : 0;
        set_paces(before, paces);
        set_paces(after, machine->paces);
        save(before, one);
        save(after, other);
        ended = snapshots_compare(one, other);
        if (ended.status != (machine->counts[0] != '0') ||
            strstr(ended.output, machine->line) == NULL ||
            strstr(ended.output, machine->counts) == NULL)
            fail_msg("paces %zu: exit status %d:\n%s", k, ended.status, ended.output);
        free(ended.output);
        json_decref(before);
        json_decref(after);
    }
}

/* With --json every row is listed. */
TEST(rows_in_only_one_snapshot_are_missing_or_new)
{
    json_t *before = steady_snapshot(), *after = steady_snapshot(), *report, *row;
    size_t r, same = 0, missing = 0;

    json_array_remove(json_object_get(json_object_get(after, "run"), "results"), 1);
    save(before, one);
    save(after, other);
    report = report_line(1, "compare %s %s", one, other);
    assert_non_null(report);
    json_array_foreach(json_object_get(report, "rows"), r, row)
    {
        same += strcmp(report_text(row, "change"), "SAME") == 0;
        missing += strcmp(report_text(row, "change"), "MISSING") == 0 &&
                   strcmp(report_text(row, "row"), "reduceNeighbored corrected sim") == 0;
    }
    assert_int_equal(missing, 1);
    assert_int_equal(same, json_array_size(json_object_get(report, "rows")) - 1);
    json_decref(report);
    report = report_line(0, "compare %s %s", other, one);
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

TEST(change_is_compared_with_the_larger_noise)
{
    struct spread quiet = spread(1000, 1), slow = spread(800, 1), near = spread(930, 1),
                  noisy = spread(500, 75);

    assert_int_equal(spread_compare(&quiet, &slow), -1);
    assert_int_equal(spread_compare(&slow, &quiet), 1);
    assert_int_equal(spread_compare(&quiet, &quiet), 0);
    assert_int_equal(spread_compare(&quiet, &near), 0); /* less than a tenth */
    assert_true(noisy.median == 800);
    assert_int_equal(spread_compare(&quiet, &noisy), 0);
    assert_int_equal(spread_compare(&noisy, &quiet), 0);
    assert_true(quiet.noise > 0.002 && quiet.noise < 0.004);
}

TEST_MAIN("differences", set_up, folder_remove)
