/* SPDX-License-Identifier: MIT
 *
 * `simtcheck compare` on results of litmus tests, alone and in snapshots: what is a regression,
 * what is news, and what chance explains.
 */
#include "check.h"

static char before[64], after[64], page[64];

static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    snprintf(before, sizeof before, "%s/before.json", folder);
    snprintf(after, sizeof after, "%s/after.json", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    return 0;
}

/* What a GPU did with one test, as it stands in a file. */
struct ran {
    int launches;  /* of 1000 instances each; 0: the test did not run */
    int weak;      /* launches with the weak outcome */
    int forbidden; /* launches with the forbidden one */
    bool is_absent;
};

static json_t *outcome_json(const char *outcome, const char *verdict, int count, int launches)
{
    return json_pack("{s:s, s:s, s:i, s:i}", "outcome", outcome, "verdict", verdict, "count", count,
                     "launches", launches);
}

static json_t *row_json(const struct ran *ran)
{
    json_t *outcomes = json_array();
    const int rare = ran->weak + ran->forbidden;

    if (ran->launches > 0)
        json_array_append_new(outcomes, outcome_json("r=0", "sequential",
                                                     1000 * ran->launches - rare, ran->launches));
    if (ran->weak > 0)
        json_array_append_new(outcomes, outcome_json("r=1", "weak", ran->weak, ran->weak));
    if (ran->forbidden > 0)
        json_array_append_new(outcomes,
                              outcome_json("r=2", "forbidden", ran->forbidden, ran->forbidden));
    return json_pack("{s:s, s:s, s:s, s:s, s:n, s:o, s:i, s:i, s:o}", "test", "T/gpu", "compiler",
                     "ptxas -O3", "scopes", "cta, gpu", "threads", "P0: here", "skipped", "error",
                     ran->launches > 0 ? json_null() : json_string("bad image"), "launches",
                     ran->launches, "instances", 1000 * ran->launches, "outcomes", outcomes);
}

/* Returns a file of `litmus` with that row, and one of a test that never changes. */
static json_t *file_json(const struct ran *ran)
{
    const struct ran other = {.launches = 8};
    json_t *rows = json_array(), *row;

    if (!ran->is_absent)
        json_array_append_new(rows, row_json(ran));
    row = row_json(&other);
    json_object_set_new(row, "test", json_string("other"));
    json_array_append_new(rows, row);
    return json_pack("{s:i, s:b, s:{s:s, s:s, s:n, s:n, s:s, s:n}, s:{s:i, s:i}, s:n, s:o}",
                     "simtcheck_litmus", 1, "complete", 1, "environment", "simtcheck", "0", "build",
                     "", "gpu", "architecture", "driver", "580.1", "ptxas", "options", "launches",
                     16, "seed", 1, "skipped", "rows", rows);
}

/* Returns a snapshot with that file as its part. */
static json_t *snapshot_json(const struct ran *ran)
{
    return json_pack("{s:i, s:b, s:{}, s:[], s:o}", "simtcheck_snapshot", 1, "complete", 1,
                     "environment", "options", "litmus", file_json(ran));
}

static const struct {
    struct ran before, after;
    int status;
    const char *says;
} cases[] = {
    {{8, 8, 0, false}, {8, 8, 0, false}, 0, "0 REGRESSION, 0 MISSING, 0 FIX, 0 NEW, 0 CHANGED, 2"},
    /* News, or chance. */
    {{8, 8, 0, false},
     {8, 0, 0, false},
     0,
     "CHANGED    litmus    T/gpu ptxas -O3: weak outcome r=1 never seen any more: in 8 of 8 "
     "launches before, in 0 of 8 now|1 CHANGED"},
    {{8, 0, 0, false},
     {8, 8, 0, false},
     0,
     "CHANGED    litmus    T/gpu ptxas -O3: weak outcome r=1 seen for the first time: in 0 of 8 "
     "launches before, in 8 of 8 now"},
    {{8, 7, 0, false}, {8, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{8, 0, 0, false}, {8, 7, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{16, 11, 0, false}, {16, 0, 0, false}, 0, "1 CHANGED"},
    {{16, 10, 0, false}, {16, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{7, 7, 0, false}, {7, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{45, 13, 0, false}, {45, 0, 0, false}, 0, "1 CHANGED"},
    {{45, 12, 0, false}, {45, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    /* Other numbers of launches. */
    {{1000, 1000, 0, false}, {1, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{1000, 1000, 0, false}, {2, 0, 0, false}, 0, "1 CHANGED, 1 SAME"},
    {{8, 1, 0, false}, {1000, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    {{8, 2, 0, false}, {1000, 0, 0, false}, 0, "1 CHANGED, 1 SAME"},
    {{1000, 10, 0, false}, {8, 0, 0, false}, 0, "0 CHANGED, 2 SAME"},
    /* Forbidden outcomes. */
    {{8, 0, 0, false},
     {8, 0, 1, false},
     1,
     "REGRESSION litmus    T/gpu ptxas -O3: forbidden outcome r=2 in 1 of 8000 instances, before "
     "in 0 of 8000; scopes: cta, gpu; P0: here\n|1 REGRESSION"},
    {{8, 0, 1, false}, {8, 0, 1, false}, 1, "before in 1 of 8000; scopes|1 REGRESSION"},
    {{8, 0, 8, false}, {8, 0, 0, false}, 0, "forbidden outcome r=2 never seen any more: |1 FIX"},
    {{8, 0, 1, false}, {8, 0, 0, false}, 0, "any more, which may be chance: in 1 of 8|1 CHANGED"},
    /* Tests that did not run. */
    {{8, 8, 0, false}, {0, 0, 0, false}, 1, "did not run: bad image|!weak outcome|1 MISSING"},
    {{8, 8, 8, false}, {0, 0, 0, false}, 1, "did not run: bad image|!outcome|1 MISSING"},
    {{8, 8, 0, false}, {0, 0, 0, true}, 1, "MISSING    litmus    T/gpu ptxas -O3\n"},
    {{0, 0, 0, false}, {8, 8, 0, false}, 0, "runs now|!weak outcome|1 NEW"},
    {{0, 0, 0, true}, {8, 8, 0, false}, 0, "NEW        litmus    T/gpu ptxas -O3\n"},
    {{0, 0, 0, false}, {8, 0, 1, false}, 1, "runs now; forbidden outcome|1 REGRESSION"},
    {{0, 0, 0, true}, {8, 0, 1, false}, 1, "forbidden outcome r=2|1 REGRESSION, 0 MISSING"},
    {{0, 0, 0, false}, {0, 0, 0, false}, 0, "0 NEW, 0 CHANGED, 2 SAME"},
};

TEST(changes_have_the_right_word)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_save(file_json(&cases[k].before), before);
        json_save(file_json(&cases[k].after), after);
        expect_ended(snapshots_compare(before, after), cases[k].status, cases[k].says);
        json_save(snapshot_json(&cases[k].before), before);
        json_save(snapshot_json(&cases[k].after), after);
        expect_ended(snapshots_compare(before, after), cases[k].status, cases[k].says);
    }
}

TEST(environment_and_options_are_compared)
{
    const struct ran ran = {8, 8, 0, false};
    json_t *file = file_json(&ran);

    json_save(json_incref(file), before);
    json_put(file, "environment/driver", "\"590.2\"");
    json_put(file, "options/launches", "3");
    json_put(file, "complete", "false");
    json_save(file, after);
    expect_ended(snapshots_compare(before, after), 0,
                 "environment driver: \"580.1\" -> \"590.2\"|environment options: "
                 "{\"launches\":16,|after.json is partial: the run stopped early|2 SAME");
}

/* A snapshot of an older version has no litmus tests: its litmus rows are missing or new. */
TEST(snapshot_may_lack_the_part)
{
    const struct ran ran = {8, 0, 1, false};

    json_save(snapshot_json(&ran), after);
    text_write(before, "{\"simtcheck_snapshot\": 1, \"complete\": true, \"environment\": {}}");
    expect_ended(snapshots_compare(before, after), 1, "1 REGRESSION, 0 MISSING, 0 FIX, 1 NEW");
    expect_ended(snapshots_compare(after, before), 1, "0 REGRESSION, 2 MISSING");
}

TEST(bad_files_are_rejected)
{
    static const struct {
        const char *member, *text, *says;
    } wrongs[] = {
        {"rows", "[]", "before.json: no litmus test ran: the run stopped early"},
        {"rows", NULL, "before.json: "},
        {"rows/0/instances", "7", "instances is 7, but the outcomes have 8000"},
        {"rows/0/error", "\"x\"", "either instances, or skipped or error must be set"},
        {"rows/0/outcomes/1/launches", "9", "r=1 occurred in 9 launches, which are too many"},
        {"rows/0/outcomes/1/verdict", "\"strong\"", "verdict must be 'sequential', 'weak' or"},
        {"simtcheck_litmus", "2", "version 2 is not supported: this program reads version 1"},
    };
    const struct ran ran = {8, 8, 0, false};

    json_save(file_json(&ran), after);
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        json_t *file = file_json(&ran);

        json_put(file, wrongs[k].member, wrongs[k].text);
        json_save(file, before);
        expect_ended(snapshots_compare(before, after), 2, wrongs[k].says);
    }
    json_save(snapshot_json(&ran), before);
    expect_ended(
        snapshots_compare(before, after), 2,
        "before.json is a snapshot and |after.json a file of litmus: give two of the same");
    expect_ended(snapshots_compare(after, before), 2, "before.json is a snapshot and ");
}

/* `compare` does not check every number of a snapshot. */
TEST(huge_numbers_take_no_time)
{
    const struct ran weak = {8, 8, 0, false}, strong = {1, 0, 0, false};
    json_t *snapshot = snapshot_json(&weak);

    json_put(snapshot, "litmus/rows/0/launches", "9000000000000000000");
    json_put(snapshot, "litmus/rows/0/outcomes/1/launches", "9000000000000000000");
    json_save(snapshot, before);
    json_save(snapshot_json(&strong), after);
    expect_ended(snapshots_compare(before, after), 0, "0 CHANGED, 2 SAME");
}

/* ---- The page ---- */

static void expect_page(int status, const char *const texts[])
{
    char *text;

    expect_run(status, "", "report %s --html %s", after, page);
    text = text_read(page);
    for (size_t k = 0; texts[k] != NULL; k++)
        if ((strstr(text, texts[k] + (texts[k][0] == '!')) == NULL) != (texts[k][0] == '!'))
            fail_msg("%s", texts[k]);
    free(text);
}

TEST(page_shows_litmus_tests)
{
    const struct ran wrong = {8, 8, 1, false}, right = {8, 8, 0, false}, failed = {0, 0, 0, false};

    json_save(file_json(&wrong), after);
    expect_page(0, (const char *const[]){"1 litmus test had an outcome that the memory model",
                                         "Outcomes that the memory model forbids", "r=2",
                                         "2 combinations of test and compiler: 2 ran, 1 had a weak",
                                         "cta, gpu", NULL});
    json_save(file_json(&right), after);
    expect_page(0, (const char *const[]){"!memory model forbids", "r=1", "!is partial", NULL});
    json_save(file_json(&failed), after);
    expect_page(0, (const char *const[]){"1 litmus test failed to run", "bad image", NULL});
}

TEST_MAIN("litmus_compare", set_up, folder_remove)
