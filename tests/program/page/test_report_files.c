/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: no content of a file may break the page's structure, and bad files and a full
 * disk must be handled. Writes a page to PAGES for the test sim.unit.page, which opens it in a
 * browser.
 */
#include "report_pages.h"

#include <sys/stat.h>
#include <unistd.h>

/* Returns the page of the races, as if both accesses were in the first line of `file`. */
static char *page_with_source(const char *file)
{
    json_t *rows = json_read(races), *row, *pair;
    size_t r, p;

    json_array_foreach(rows, r, row)
    {
        json_array_foreach(json_object_get(row, "pairs"), p, pair)
        {
            json_object_set_new(json_object_get(pair, "first"), "file", json_string(file));
            json_object_set_new(json_object_get(pair, "second"), "file", json_string(file));
            json_object_set_new(json_object_get(pair, "first"), "line", json_integer(1));
        }
    }
    json_save(rows, one);
    return page_of(one, NULL);
}

/* Source files in two folders next to the test's. One folder name has the same length; the other
 * begins with the test's name. */
static char foreign[] = "/tmp/simtcheck-report-XXXXXX/own.cu", longer[64];

/* A file of results may name any file. A page shows only sources in the folder of kernels or in the
 * working folder. */
TEST(page_shows_no_unrelated_file)
{
    static const char *const files[] = {"/etc/passwd",
                                        "kernels/../../../../../../etc/passwd",
                                        "kernels/../CMakeLists.txt",
                                        "kernels/../src/oracle/judge.c",
                                        SOURCE_FOLDER "/src/oracle/judge.c",
                                        "kernels",
                                        "",
                                        "page.txt",
                                        "link.cu",
                                        foreign,
                                        longer};
    char command[128], *text;

    text_write("page.txt", "no source");
    text_write("own.cu", "// of my own <1>\n");
    assert_int_equal(symlink("/etc/passwd", "link.cu"), 0);
    snprintf(longer, sizeof longer, "%s-longer", folder);
    *strrchr(foreign, '/') = '\0';
    assert_non_null(mkdtemp(foreign));
    assert_int_equal(mkdir(longer, 0777), 0);
    foreign[strlen(foreign)] = '/';
    strcat(longer, "/own.cu");
    text_write(foreign, "// of somebody else\n");
    text_write(longer, "// of somebody else\n");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        text = page_with_source(files[f]);
        shows(text, "class=\"where\"");
        shows_not(text, "<mark>");
        free(text);
    }
    text = page_with_source("own.cu");
    shows(text, "<mark><i>1</i> // of my own &lt;1&gt;</mark>");
    shows(text, "This version of the file has no such line."); /* for the other access */
    free(text);
    snprintf(command, sizeof command, "rm -r %.28s %s-longer", foreign, folder);
    assert_int_equal(system(command), 0);
}

/* ---- Hostile input ---- */

#define HOSTILE                                                                                    \
    "</title></style></pre></svg><script>alert(1)</script><img src=x onerror=alert(1)>\" "         \
    "onload=\""                                                                                    \
    "alert(1)\" '&lt;\xE2\x80\xAE%s%n"

static json_t *poisoned(const char *text)
{
    char whole[2048];

    snprintf(whole, sizeof whole, "%s%s", text, HOSTILE);
    return json_string(whole);
}

/* For members with little room. */
#define SHORT "<script>\" onload=\"\xE2\x80\xAE"

static bool is_one_of(const char *name, const char *const names[], size_t count)
{
    bool found = false;

    for (size_t k = 0; k < count; k++)
        found = found || strcmp(name, names[k]) == 0;
    return found;
}

/* Appends HOSTILE to every text, except where the words must be known. */
static void poison(json_t *value)
{
    static const char *const words[] = {"verdict", "variant", "change",   "engine",  "access",
                                        "kind",    "model",   "expected", "outcome", "map",
                                        "races",   "order",   "scope",    "unit",    "side",
                                        "origin",  "hazard",  "relation", "result"};
    static const char *const narrow[] = {"place", "expected", "got",        "missing", "kernel",
                                         "file",  "text",     "inlined_at", "array",   "object"};
    const char *name;
    json_t *member;
    size_t k;
    void *next;

    json_object_foreach_safe(value, next, name, member)
    {
        bool word = is_one_of(name, words, sizeof words / sizeof *words) && !json_is_object(member);
        if (json_is_string(member) && !word)
            json_object_set_new(value, name,
                                is_one_of(name, narrow, sizeof narrow / sizeof *narrow)
                                    ? json_string(SHORT)
                                    : poisoned(json_string_value(member)));
        else if (!word)
            poison(member);
    }
    json_array_foreach(value, k, member)
    {
        if (json_is_string(member))
            json_array_set_new(value, k, json_string(HOSTILE));
        else
            poison(member);
    }
}

TEST(values_cannot_break_out_of_html_elements)
{
    static const char *const never[] = {"<script", "<img", "\" onload", "\" '", "\xE2\x80\xAE"};
    json_t *document = failing_document();
    char *text;

    add_parts(document);
    poison(document);
    json_object_set_new(json_at(document, "environment"), HOSTILE, json_string(HOSTILE));
    for (int checks = 0; checks < 2; checks++) {
        json_save(document, one);
        text = page_of(one, checks == 0 ? snapshot : NULL);
        shows(text, "&lt;script&gt;alert(1)&lt;/script&gt;");
        shows(text, "\xEF\xBF\xBD");
        for (size_t k = 0; k < sizeof never / sizeof *never; k++)
            shows_not(text, never[k]);
        free(text);
        assert_int_equal(
            rename(page, checks == 0 ? PAGES "/hostile.html" : PAGES "/hostile_check.html"), 0);
        document = check_document();
        poison(document);
    }
    json_decref(document);
}

/* ---- Bad files ---- */

/* Checks that the file `one` gives no page, and that the message contains `sentence`. */
static void expect_rejected(const char *sentence)
{
    unlink(page);
    expect_ended(report(one, NULL, page), 2, sentence);
    expect_ended(report(one, NULL, page), 2, one);
    assert_int_equal(access(page, F_OK), -1);
}

/* A file that is cut anywhere is incomplete. White space at its end is not part of it. */
TEST(truncated_file_is_rejected)
{
    char *whole = text_read(snapshot);
    size_t length = strlen(whole);

    whole[length - 2] = '\0'; /* its last brace */
    text_write(one, whole);
    expect_rejected("this is not a complete file of results");
    for (size_t k = 40; k > 0; k--) {
        whole[k > 8 ? length * (k - 1) / 40 : k - 1] = '\0';
        text_write(one, whole);
        expect_ended(report(one, NULL, page), 2, one);
    }
    assert_int_equal(access(page, F_OK), -1);
    free(whole);
}

TEST(invalid_file_is_rejected)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"{}", "this is not a file of snapshot, compare, run, counters"},
        {"{\"simtcheck_shard\": 1}", "this is a shard: merge all shards"},
        {"[1]", "this is not a file of snapshot"},
        {"3", "this is not a complete file of results"},
        {"{\"simtcheck_snapshot\": 2, \"environment\": {}}", "snapshot version 2 is not supported"},
        {"{\"simtcheck_snapshot\": 1}", "this is not a snapshot"},
        {"{\"simtcheck_snapshot\": 1, \"environment\": {}}",
         "malformed results of snapshot: complete is"},
        {"{\"cases\": 1, \"results\": 7}", "malformed results of run: mismatches is missing"},
        {"[{\"pairs\": {}, \"model\": \"independent\"}]",
         "malformed results of races: [0].id is missing"},
        {"{\"gld_requests\": 1, \"id\": []}", "malformed results of counters: id must be a string"},
        {"{\"stages\": [], \"families\": [3], \"programs\": 1}",
         "malformed results of compilers: seed is"},
        {"{\"benchmark\": {}}", "malformed results of ci/bench: gpu is missing"},
        {"{\"counts\": 1, \"rows\": []}", "malformed results of compare: old is missing"},
        {"[]", "the file has no results to show"},
        {"{\"results\": [], \"results\": [], \"cases\": 0}", "duplicate object key"},
        {"{\"benchmark\": [], \"a\": \"\\u0000\"}", "NUL"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        text_write(one, rows[r].text);
        expect_rejected(rows[r].sentence);
    }
    expect_ended(report("/no/such/file", NULL, page), 2, "/no/such/file");
    expect_ended(report(folder, NULL, page), 2, folder);
}

/* ---- Files that contradict themselves ---- */

struct contradiction {
    const char *path, *value, *sentence;
};

/* A file whose member has the wrong type, or contradicts the rest, gives no page. */
static void expect_all_rejected(const json_t *whole, const struct contradiction rows[],
                                size_t count)
{
    for (size_t r = 0; r < count; r++) {
        json_t *document = json_deep_copy(whole);
        json_put(document, rows[r].path, rows[r].value);
        json_save(document, one);
        expect_rejected(rows[r].sentence);
    }
}

TEST(inconsistent_snapshot_is_rejected)
{
    static const struct contradiction rows[] = {
        {"run/results/1/mismatches", "3",
         "run.results[1] is inconsistent: reduceNeighbored has the verdict conforms, but 3 of its "
         "cases"},
        {"run/results/0/mismatches", "1", "has the verdict conforms-in-domain, but 1 of its cases"},
        {"run/results/1/cases", "0",
         "run.results[1] is inconsistent: reduceNeighbored has the verdict"},
        {"run/results/1/mismatches", "\"3\"", "run.results[1].mismatches must be a whole number"},
        {"run/results/1/verdict", "\"good\"", "run.results[1].verdict must be 'conforms', "},
        {"races/sim/2/racing", "2",
         "races.sim[2] is inconsistent: reduceNeighbored has the verdict"},
        {"races/sim/2/search", "{\"wrong\": true}", "races.sim[2].search.block is missing"},
        {"races/sim/2/unexpected", "1",
         "races.sim[2] is inconsistent: reduceNeighbored is as expected, but"},
        {"counters/sim", "{}", "counters.sim must be an array"},
        {"throughput", "{\"sim\": 1}", "throughput.sim must be an array"},
        {"code", "{\"skipped\": 1, \"failures\": [], \"kernels\": []}", "code.skipped must"},
        {"compilers", "[]", "compilers must be an object"},
        {"options", "[3]", "options[0] must be a string"},
    };
    static const struct contradiction skipped = {"run/results/1/mismatches", "3",
                                                 "has the verdict skipped, "},
                                      wrong_expectation = {"races/sim/2/faults", "1",
                                                           "reduceNeighbored is as expected, but "};
    json_t *whole = json_read(snapshot);

    expect_all_rejected(whole, rows, sizeof rows / sizeof *rows);
    json_put(whole, "run/results/1/verdict", "\"skipped\"");
    expect_all_rejected(whole, &skipped, 1);
    json_put(whole, "races/sim/2/verdict", "\"race\"");
    expect_all_rejected(whole, &wrong_expectation, 1);
    /* The same applies to the older of two snapshots. */
    json_put(whole, "run/results", "7");
    json_save(whole, one);
    expect_ended(report(one, snapshot, page), 2, "run.results must be an array");
}

TEST(parts_of_other_wings_are_named)
{
    json_t *document = json_read(snapshot);
    char *text;

    json_object_set(document, "other", json_object_get(document, "run"));
    json_object_del(document, "compilers");
    json_save(document, one);
    text = page_of(one, NULL);
    shows(text, ": the part other: this program was built without it");
    free(text);
}

TEST(inconsistent_comparison_is_rejected)
{
    static const struct contradiction rows[] = {
        {"counts/REGRESSION", "0", "counts.REGRESSION is 0, but the rows have 1"},
        {"rows/0/change", "\"BETTER\"", "rows[0].change must be 'SAME', "},
        {"machine", "{\"sim\": \"fast\"}", "machine.sim must be a number above"},
    };
    json_t *document = comparison_document();
    char *text;

    expect_all_rejected(document, rows, sizeof rows / sizeof *rows);
    json_put(document, "machine", "{\"sim\": 0.78}");
    json_save(document, one);
    text = page_of(one, NULL);
    shows(text, "Throughput of sim: all rows are 22 % slower, which is attributed to the machine");
    free(text);
}

TEST(invalid_report_command_line_is_rejected)
{
    expect_run(2, "report takes at least one file of check", "report --html %s", page);
    expect_run(2, "report needs --html FILE", "report %s", snapshot);
    expect_run(2, "this is a third snapshot", "report --html %s %s %s %s", page, snapshot, snapshot,
               snapshot);
    json_save(run_document(), one);
    expect_ended(report(snapshot, one, page), 2, "appears twice: make a separate page");
}

/* ---- The output file ---- */

TEST(unwritable_page_is_an_error)
{
    char *text;
    struct stat before, after;

    expect_ended(report(snapshot, NULL, "/dev/full"), 3, "cannot write '/dev/full'");
    expect_ended(report(snapshot, NULL, "/no/such/folder/page.html"), 3,
                 "cannot write '/no/such/folder/page.html'");
    expect_ended(report(snapshot, NULL, folder), 3, "cannot write");
    expect_run(3, "cannot write '/dev/stdout'", "/bin/sh -c '%s report %s --html /dev/stdout >&-'",
               SIMTCHECK, snapshot);

    /* A page that does not fit leaves the previous page as it was, and no other file. */
    free(page_of(snapshot, NULL));
    assert_int_equal(stat(page, &before), 0);
    expect_run(3, "free some space", "/bin/sh -c 'ulimit -f 8; exec %s report %s --html %s'",
               SIMTCHECK, snapshot, page);
    assert_int_equal(stat(page, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    text = text_read(page);
    shows(text, "</html>");
    free(text);
    expect_run(2, "No such file", "/bin/sh -c 'ls %s.*'", page);
}

/* Standard output gets the page and nothing else. */
TEST(page_can_be_written_to_a_pipe)
{
    expect_run(0, "<!DOCTYPE html></html>",
               "/bin/sh -c '%s report %s --html /dev/stdout | sed -n \"1p;\\$p\" | tr -d \"\\n\"'",
               SIMTCHECK, snapshot);
}

TEST_MAIN("report files", pages_set_up, folder_remove)
