/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: a page is not green if anything is wrong, ended early, could not run, or is
 * missing although it was requested. Writes a page to PAGES for the test sim.unit.page, which opens
 * it in a browser.
 */
#include "report_pages.h"

#include <signal.h>
#include <unistd.h>

static const char good[] = "class=\"headline good\"", lack[] = "class=\"headline lack\"",
                  bad[] = "class=\"headline bad\"",
                  ended_early[] = "1 file is partial: the run stopped early",
                  both_ended_early[] = "2 files are partial: the runs stopped early";

/* Checks that the page of a document, or of that and a file, has both words, and that no line of
 * its head is green. Drops `document`. */
static void is_not_green(json_t *document, const char *second, const char *words, const char *more)
{
    char *text;

    json_save(document, one);
    text = page_of(one, second);
    shows(text, words);
    shows(text, more);
    shows_not(text, good);
    free(text);
}

/* Checks that the page is green. Drops `document`. */
static void is_green(json_t *document, const char *second)
{
    char *text;

    json_save(document, one);
    text = page_of(one, second);
    begins(text, "headline good", "");
    shows_not(text, bad);
    shows_not(text, lack);
    free(text);
}

static json_t *changed(json_t *document, const char *path, const char *value)
{
    json_put(document, path, value);
    return document;
}

/* ---- Incomplete results ---- */

static json_t *snapshot_document(void)
{
    return json_read(snapshot);
}

/* Returns a comparison without any regression. */
static json_t *green_comparison(void)
{

    expect_run(0, "0 REGRESSION", "compare --json %s %s %s", other, snapshot, snapshot);
    return json_read(other);
}

/* Only a document that says `true` is complete. */
TEST(only_files_marked_complete_are_complete)
{
    static const struct {
        json_t *(*document)(void);
        const char *member;
    } rows[] = {{snapshot_document, "complete"},    {snapshot_document, "run/complete"},
                {run_document, "complete"},         {compilers_document, "complete"},
                {green_comparison, "old_complete"}, {green_comparison, "new_complete"}};
    static const char *const unclear[] = {"null", "1", "\"true\"", "[]"};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        is_not_green(changed(rows[r].document(), rows[r].member, "false"), NULL, ended_early,
                     rows[r].document == green_comparison
                         ? "</code> is partial: the snapshot stopped early."
                         : "");
        for (size_t k = 0; k < sizeof unclear / sizeof *unclear; k++) {
            json_save(changed(rows[r].document(), rows[r].member, unclear[k]), one);
            expect_ended(report(one, NULL, page), 2, "complete must be true or false");
        }
    }
    is_not_green(changed(green_comparison(), "old_complete", NULL), NULL, ended_early, "");
    is_not_green(changed(compilers_document(), "complete", NULL), NULL, ended_early, "");
    is_green(run_document(), NULL);
    is_green(green_comparison(), NULL);
    is_green(compilers_document(), snapshot);
}

/* A comparison of partial snapshots is marked as partial. */
TEST(partial_comparison_is_reported)
{
    json_t *empty = green_comparison();

    is_not_green(changed(json_read(snapshot), "complete", "false"), one, both_ended_early, "");
    expect_run(0, "0 REGRESSION", "compare --json %s %s %s", other, one, one);
    is_not_green(json_read(other), NULL, both_ended_early, "");
    json_put(empty, "rows", "[]");
    is_not_green(changed(empty, "counts/SAME", "0"), NULL, "one.json: any row</li>", "");
}

/* A file of results says how many rows of races there must be. Missing rows are reported, whatever
 * the reason. */
TEST(missing_race_rows_are_reported)
{
    static const int signals[] = {SIGINT, SIGKILL};
    const char *const arguments[] = {SIMTCHECK, "races", "--level", "2", "--json", other, NULL};
    json_t *rows = json_read(races);

    assert_int_equal(json_integer_value(json_at(rows, "0/all_rows")), json_array_size(rows));
    is_green(rows, snapshot);
    is_not_green(changed(json_read(races), "0", NULL), snapshot, ended_early, "");
    is_not_green(changed(json_read(races), "0/all_rows", NULL), snapshot, ended_early, "");
    is_not_green(json_array(), snapshot, ended_early, "");
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
        unlink(other);
        free(program_interrupt(arguments, other, "\"id\"", signals[s]).output);
        is_not_green(json_read(other), snapshot, ended_early, "");
    }
}

/* ---- Missing parts ---- */

/* A requested part must not be null, empty, or without a requested engine, for every way to write
 * the option. Parts that were not requested may be missing. */
TEST(missing_requested_part_is_reported)
{
    static const char no_ptxas[] = "{\"skipped\": \"no ptxas\", \"failures\": [], \"kernels\": []}",
                      code[] = "{\"skipped\": null, \"failures\": [], \"kernels\": []}",
                      throughput[] = "{\"sim\": [{\"id\": \"k\", \"variant\": \"corrected\", "
                                     "\"engine\": \"sim\", \"case\": \"t\", \"copies\": 1, "
                                     "\"unit\": \"cases/s\", \"samples\": [1000, 1010, 990], "
                                     "\"pace\": [10, 10, 10]}]}";
    static const struct {
        const char *options, *member, *value, *missing; /* `missing` null: nothing is missing */
    } rows[] = {
        {"[\"--part\", \"benchmark\"]", "benchmark", "null", "one.json: benchmark</li>"},
        {"[\"--part\", \"benchmark\"]", "benchmark", "[]", "one.json: benchmark</li>"},
        {"[\"--part=benchmark\"]", "benchmark", "null", "one.json: benchmark</li>"},
        {"[\"--kernel\", \"a*\", \"--part\", \"compilers\"]", "compilers", "null",
         "one.json: compilers</li>"},
        {"[\"--part\", \"code\"]", "code", "null", "one.json: code</li>"},
        {"[\"--part\", \"code\"]", "code", no_ptxas, "one.json: code</li>"},
        {"[\"--part\", \"throughput\"]", "throughput", "{\"sim\": []}",
         "one.json: throughput</li>"},
        {"[\"--part\", \"races\"]", "races", "{}", "one.json: races</li>"},
        {"[\"--part\", \"run\"]", "run", "null", "one.json: run</li>"},
        {"[]", "run", "null", "one.json: run</li>"},
        {"[\"--part\", \"throughput\", \"--engine\", \"cuda\"]", "throughput", throughput,
         "one.json: throughput on cuda</li>"},
        {"[\"--part\", \"throughput\", \"--engine=cuda\"]", "throughput", throughput,
         "one.json: throughput on cuda</li>"},
        {"[\"--part\", \"throughput\", \"--engine\", \"sim\"]", "throughput", throughput, NULL},
        {"[\"--part\", \"races\", \"--engine\", \"cuda\"]", "code", "null", NULL},
        {"[\"--part\", \"races\", \"--part\", \"run\"]", "counters", "null", NULL},
        {"[]", "races", "null", NULL},
        {"[\"--part\", \"code\"]", "code", code, NULL},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        json_t *document = changed(json_read(snapshot), "options", rows[r].options);
        json_put(document, rows[r].member, rows[r].value);
        if (rows[r].missing == NULL)
            is_green(document, NULL);
        else
            is_not_green(document, NULL, lack, rows[r].missing);
    }
    /* For two snapshots, the older one counts too. */
    is_not_green(changed(json_read(snapshot), "options", rows[0].options), snapshot, lack,
                 rows[0].missing);
    assert_int_equal(rename(page, PAGES "/lacks.html"), 0);
}

/* If a machine must have a GPU and has none, the page has no tick, and shows the counts. */
TEST(skipped_rows_are_reported)
{
    json_t *run = run_document(), *row;
    size_t r;

    json_array_foreach(json_at(run, "results"), r, row)
    {
        json_put(row, "verdict", "\"skipped\"");
        json_put(row, "cases", "0");
        if (r == 3)
            is_not_green(json_deep_copy(run), NULL, lack,
                         "PARTIAL: 2 of 6 rows are as they should be, 4 skipped");
    }
    is_not_green(json_incref(run), NULL, lack,
                 "SKIPPED: 0 of 6 rows are as they should be, 6 skipped");
    is_not_green(changed(run, "results", "[]"), races, lack, "one.json: any row</li>");
}

/* A failure that the list of expectations accepts does not fail the whole, as in the text. */
TEST(known_deviations_are_as_they_should_be)
{
    static const char deviation[] =
        "{\"link\": \"l\", \"expires\": \"2099-01-01\", \"reason\": null}",
                      all_right[] = "PASS: all 6 rows are as they should be";
    json_t *run = run_document();
    char *text;

    json_put(run, "results/0/verdict", "\"wrong-result\"");
    is_not_green(json_deep_copy(run), NULL, bad, "FAIL: 1 of 6 rows is not as it should be");
    json_put(run, "results/0/known_deviation", deviation);
    json_save(run, one);
    text = page_of(one, NULL);
    begins(text, good, all_right);
    free(text);
}

/* ---- Races ---- */

/* Skipped rows and rows with faults are not part of "have pairs of accesses". */
TEST(races_are_counted_separately)
{
    json_t *document = json_read(snapshot), *rows = json_at(document, "races/sim"), *row,
           *free_row[2];
    size_t r, count = json_array_size(rows), found = 0, pairs = 0;
    char words[256];

    json_array_foreach(rows, r, row)
    {
        pairs += json_array_size(json_object_get(row, "pairs")) > 0;
        if (found < 2 && strcmp(report_text(row, "verdict"), "race-free") == 0)
            free_row[found++] = row;
    }
    assert_int_equal(found, 2);
    json_put(free_row[0], "verdict", "\"skipped\"");
    json_put(free_row[0], "cases", "0");
    json_put(free_row[1], "verdict", "\"fault\"");
    json_put(free_row[1], "faults", "3");
    json_put(free_row[1], "as_expected", "false");
    snprintf(
        words, sizeof words,
        "<p>%zu of %zu rows, one for each model and engine, are race-free. 1 end in a fault. 1 "
        "could not be run. %zu have pairs of accesses",
        count - pairs - 2, count, pairs);
    is_not_green(json_incref(document), NULL, words, "1 race result is not as expected");
    is_not_green(document, NULL, lack, "1 race check could not be run");
}

/* ---- Compilers ---- */

TEST(every_missing_compiler_is_reported)
{
    static const char family[] = "[{\"shape\": \"min(a)\", \"program\": \"p\", \"members\": 1, "
                                 "\"cause\": \"assembler\", \"wrong\": [\"ptxas 1 -O3\"], "
                                 "\"place\": \"\", \"expected\": \"1\", \"got\": \"0\"}]",
                      kernel[] =
                          "[{\"id\": \"k\", \"variant\": \"corrected\", \"outcome\": \"bits\"}]",
                      code[] = "{\"skipped\": null, \"kernels\": [], \"failures\": "
                               "[{\"ptxas\": \"1\", \"module\": \"m.ptx\", \"reason\": \"no\"}]}";
    static const struct {
        const char *path, *value, *headline, *section;
    } rows[] = {
        {"unsteady", "[\"ptxas 1\"]", "1 compiler generates different code for the same source",
         "<b class=\"alarm\">ptxas 1</b> generates different code"},
        {"same_code_pairs", "2", "2 pairs of different programs have the same machine code",
         "Pairs of programs with the same machine code: 2."},
        {"families", family, "1 family of programs is miscompiled", "min(a)"},
        {"stages/0/wrong", "3", "1 compiler stage generates wrong code",
         "<td class=\"number bad\">3</td>"},
        {"stages/0/kernels_wrong", kernel, "1 compiler stage generates wrong code",
         "<b>k</b> corrected: bits"},
        {"stages/0/skipped", "\"it crashed\"", "1 compiler stage was skipped", "it crashed"},
        {"stages/0/kernels_skipped", "\"no room\"", "1 compiler stage was skipped",
         "Kernels of the catalogue: no room"},
        {"stages", "[]", "any compiler</li>", "No program was tested."},
        {"code", code, "ptxas 1 rejects m.ptx: no</li>", "No program was miscompiled."},
    };
    static const char all_right[] = "No program was miscompiled.";
    char *text;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        is_not_green(changed(compilers_document(), rows[r].path, rows[r].value), snapshot,
                     rows[r].headline, rows[r].section);
        text = text_read(page);
        assert_int_equal(strstr(text, all_right) != NULL, strcmp(rows[r].section, all_right) == 0);
        free(text);
    }
}

/* A wrong sum has no throughput row, and neither has a size that does not fit on the GPU. */
TEST(missing_throughput_row_is_reported)
{
    static const char *const rows[][2] = {{"reduceModern", "Also wrong:"},
                                          {"all", "Requested, but missing:"}};
    json_t *snapshot_parts = json_object();
    char words[64];

    add_parts(snapshot_parts);
    for (size_t r = 0; r < 2; r++) {
        snprintf(words, sizeof words, "the benchmark at 16 elements, %s: why</li>", rows[r][0]);
        is_not_green(json_pack("{s:s, s:i, s:O, s:[{s:s, s:i, s:s}]}", "gpu", "G", "runs", 9,
                               "benchmark", json_at(snapshot_parts, "benchmark"), "left_out",
                               "kernel", rows[r][0], "elements", 16, "reason", "why"),
                     snapshot, rows[r][1], words);
    }
    json_decref(snapshot_parts);
}

TEST_MAIN("report headline", pages_set_up, folder_remove)
