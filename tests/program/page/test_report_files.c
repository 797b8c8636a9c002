/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: that nothing in a file gets out of its place on a page, and what becomes of
 * bad files and of a disk that is full. Leaves a page in PAGES for the test host.unit.page, which
 * opens it in a browser.
 */
#include "report_pages.h"

#include <sys/stat.h>
#include <unistd.h>

/* The page of the races, as if both accesses were in the first line of that file. */
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
    save(rows, one);
    return page_of(one, NULL);
}

/* Sources in two folders beside the test's: one's name is as long, the other's begins with it. */
static char foreign[] = "/tmp/simtcheck-report-XXXXXX/own.cu", longer[64];

/* A file of results may name any file: only sources within the folder of kernels, or the one in
 * which the program runs, are shown. */
static void no_other_file_is_shown(void **state)
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
    (void)state;

    file_write("page.txt", "no source");
    file_write("own.cu", "// of my own <1>\n");
    assert_int_equal(symlink("/etc/passwd", "link.cu"), 0);
    snprintf(longer, sizeof longer, "%s-longer", folder);
    *strrchr(foreign, '/') = '\0';
    assert_non_null(mkdtemp(foreign));
    assert_int_equal(mkdir(longer, 0777), 0);
    foreign[strlen(foreign)] = '/';
    strcat(longer, "/own.cu");
    file_write(foreign, "// of somebody else\n");
    file_write(longer, "// of somebody else\n");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        text = page_with_source(files[f]);
        shows(text, "class=\"where\"");
        shows_not(text, "<mark>");
        free(text);
    }
    text = page_with_source("own.cu");
    shows(text, "<mark><i>1</i> // of my own &lt;1&gt;</mark>");
    shows(text, "The file at hand has no such line."); /* of the other access */
    free(text);
    snprintf(command, sizeof command, "rm -r %.28s %s-longer", foreign, folder);
    assert_int_equal(system(command), 0);
}

/* ---- What nobody may do with a page ---- */

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

/* Puts it behind every text, and every name of an environment, but where words are to be known. */
static void poison(json_t *value, bool words_too)
{
    static const char *const words[] = {"verdict", "form", "change", "engine", "access", "kind"};
    const char *name;
    json_t *member;
    size_t k;
    void *next;

    json_object_foreach_safe(value, next, name, member)
    {
        bool word = false;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            word = word || strcmp(name, words[w]) == 0;
        if (json_is_string(member) && (words_too || !word))
            json_object_set_new(value, name, poisoned(json_string_value(member)));
        else
            poison(member, words_too);
    }
    json_array_foreach(value, k, member)
    {
        if (json_is_string(member))
            json_array_set_new(value, k, json_string(HOSTILE));
        else
            poison(member, words_too);
    }
}

static void nothing_gets_out_of_its_place(void **state)
{
    static const char *const never[] = {"<script", "<img", "\" onload", "\" '", "\xE2\x80\xAE"};
    (void)state;

    for (int words_too = 0; words_too < 2; words_too++) {
        json_t *document = failing_document();
        char *text;
        add_parts(document);
        poison(document, words_too);
        json_object_set_new(at(document, "environment"), HOSTILE, json_string(HOSTILE));
        save(document, one);
        text = page_of(snapshot, one);
        shows(text, "&lt;script&gt;alert(1)&lt;/script&gt;");
        shows(text, "\xEF\xBF\xBD");
        for (size_t k = 0; k < sizeof never / sizeof *never; k++)
            shows_not(text, never[k]);
        free(text);
        if (!words_too)
            assert_int_equal(rename(page, PAGES "/hostile.html"), 0);
    }
}

/* ---- Bad files ---- */

/* No page comes of the file `one`, and the sentence names it. */
static void is_refused(const char *sentence)
{
    unlink(page);
    ends_with(report(one, NULL, page), 2, sentence);
    ends_with(report(one, NULL, page), 2, one);
    assert_int_equal(access(page, F_OK), -1);
}

/* A file that is cut is no whole one, wherever that is; white space at its end is none of it. */
static void a_cut_file_is_told(void **state)
{
    char *whole = read_text(snapshot);
    size_t length = strlen(whole);
    (void)state;

    whole[length - 2] = '\0'; /* its last brace */
    file_write(one, whole);
    is_refused("this is no whole file of results");
    for (size_t k = 40; k > 0; k--) {
        whole[k > 8 ? length * (k - 1) / 40 : k - 1] = '\0';
        file_write(one, whole);
        ends_with(report(one, NULL, page), 2, one);
    }
    assert_int_equal(access(page, F_OK), -1);
    free(whole);
}

static void a_bad_file_is_told(void **state)
{
    static const char *const parts[] = {"run", "races", "counters"};
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"{}", "this is nothing that snapshot, run, races"},
        {"{\"simtcheck_shard\": 1}", "this is a shard: 'simtcheck merge' makes one file"},
        {"[1]", "this is nothing that snapshot"},
        {"3", "this is no whole file of results"},
        {"{\"simtcheck_snapshot\": 2, \"environment\": {}}", "its version is 2"},
        {"{\"simtcheck_snapshot\": 1}", "it is no snapshot"},
        {"{\"cases\": 1, \"results\": 7}", "results is no array"},
        {"{\"cases\": 1, \"results\": [{}]}", "results, row 1: Object item not found: id"},
        {"{\"cases\": 1, \"results\": [{\"id\": 7}]}", "results, row 1: Expected string"},
        {"[{\"pairs\": {}, \"model\": \"its\"}]", "races, row 1"},
        {"{\"gld_requests\": 1, \"id\": []}", "counters, row 1"},
        {"{\"stages\": [], \"families\": [3], \"programs\": 1}",
         "toolchain: Object item not found: same_code"},
        {"{\"ladder\": [{\"kernel\": \"a\", \"elements\": \"b\"}]}", "ladder, row 1"},
        {"{\"ladder\": {}}", "ladder is no array"},
        {"{\"ladder\": []}", "there is nothing to show"},
        {"[]", "there is nothing to show"},
        {"{\"counts\": 1, \"rows\": []}", "Object item not found: old"},
        {"{\"results\": [], \"results\": [], \"cases\": 0}", "duplicate object key"},
        {"{\"ladder\": [], \"a\": \"\\u0000\"}", "NUL"},
    };
    (void)state;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        file_write(one, rows[r].text);
        is_refused(rows[r].sentence);
    }
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        json_t *document = json_read(snapshot);
        char sentence[64];
        put(document, parts[p], "5");
        save(document, one);
        snprintf(sentence, sizeof sentence, "one.json: %s is no object", parts[p]);
        is_refused(sentence);
    }
    ends_with(report("/no/such/file", NULL, page), 2, "/no/such/file");
    ends_with(report(folder, NULL, page), 2, folder);
}

/* ---- Files that contradict themselves ---- */

struct contradiction {
    const char *path, *value, *sentence;
};

/* A file whose member is of the wrong kind, or says other than the rest: no page. */
static void are_refused(const json_t *whole, const struct contradiction rows[], size_t count)
{
    for (size_t r = 0; r < count; r++) {
        json_t *document = json_deep_copy(whole);
        put(document, rows[r].path, rows[r].value);
        save(document, one);
        is_refused(rows[r].sentence);
    }
}

static void a_snapshot_that_contradicts_itself_is_told(void **state)
{
    static const struct contradiction rows[] = {
        {"run/results/1/mismatches", "3",
         "run, row 2: reduceNeighbored is called conforms, and 3 of its cases are wrong"},
        {"run/results/0/mismatches", "1", "is called conforms-in-domain, and 1 of its cases"},
        {"run/results/1/cases", "0", "run, row 2: reduceNeighbored is called conforms, and has no"},
        {"run/results/1/mismatches", "-1", "run, row 2: mismatches is negative"},
        {"run/results/1/mismatches", "\"3\"", "run, row 2: Expected integer"},
        {"run/results/1/mismatches", "3.5", "run, row 2: Expected integer"},
        {"run/results/1/verdict", "true", "run, row 2: Expected string"},
        {"run/results", "{}", "run: results is no array"},
        {"races/host", "7", "races: host is no array"},
        {"races/host/2/racing", "2", "races, row 3: reduceNeighbored is called race-free, and has"},
        {"races/host/2/search", "{\"wrong\": true}", "is called race-free, and has a case"},
        {"races/host/2/faults", "1", "is called race-free, and has a case"},
        {"races/host/2/unclaimed", "1", "races, row 3: reduceNeighbored is as claimed, and has"},
        {"races/host/2/as_claimed", "\"true\"", "races, row 3: Expected true or false"},
        {"races/host/2/as_claimed", "null", "races, row 3: Expected true or false"},
        {"counters/host", "{}", "counters: host is no array"},
        {"rates", "[]", "rates is no object"},
        {"rates", "{\"host\": 1}", "rates: host is no array"},
        {"code", "[]", "code is no object"},
        {"code", "{\"unavailable\": null, \"failures\": {}, \"kernels\": []}", "code: Expected"},
        {"code", "{\"unavailable\": 1, \"failures\": [], \"kernels\": []}",
         "code: unavailable is neither"},
        {"toolchain", "[]", "toolchain: Expected object"},
        {"ladder", "{}", "ladder is no array"},
        {"options", "{}", "options is no array of texts"},
        {"options", "[3]", "options is no array of texts"},
    };
    static const struct contradiction unavailable = {"run/results/1/mismatches", "3",
                                                     "reduceNeighbored is called unavailable, "},
                                      claimed = {"races/host/2/faults", "1",
                                                 "races, row 3: reduceNeighbored is as claimed, "};
    json_t *whole = json_read(snapshot);
    (void)state;

    are_refused(whole, rows, sizeof rows / sizeof *rows);
    put(whole, "run/results/1/verdict", "\"unavailable\"");
    are_refused(whole, &unavailable, 1);
    put(whole, "races/host/2/verdict", "\"race\"");
    are_refused(whole, &claimed, 1);
    /* So it is of the older of two. */
    put(whole, "run/results", "7");
    save(whole, one);
    ends_with(report(one, snapshot, page), 2, "one.json: run: results is no array");
}

static void a_toolchain_of_wrong_kinds_is_told(void **state)
{
    static const char wrong[] = "one.json: toolchain: ";
    static const struct contradiction rows[] = {
        {"unsteady", "{}", wrong},
        {"unsteady", "[1]", wrong},
        {"same_code", "1", wrong},
        {"same_code_pairs", "\"1\"", wrong},
        {"same_code_pairs", "-1", wrong},
        {"stages/0/wrong", "\"0\"", wrong},
        {"stages/0/wrong", "-11", wrong},
        {"stages/0/unavailable", "true", wrong},
        {"stages/0/kernels_unavailable", "[]", wrong},
        {"stages/0/kernels_wrong", "0", wrong},
        {"families", "0", wrong},
        {"code", "{\"failures\": 1}", wrong},
    };
    json_t *whole = toolchain_document();
    (void)state;

    are_refused(whole, rows, sizeof rows / sizeof *rows);
    json_decref(whole);
}

static void a_comparison_that_contradicts_itself_is_told(void **state)
{
    static const struct contradiction rows[] = {
        {"counts/REGRESSION", "0", "counts: REGRESSION is 0, and the rows have 1"},
        {"counts/MISSING", "2", "counts: MISSING is 2, and the rows have 0"},
        {"counts/SAME", "0", "counts: SAME is 0, and the rows have "},
        {"counts/REGRESSION", "\"1\"", "counts: REGRESSION is no whole number"},
        {"counts/REGRESSION", "1.0", "counts: REGRESSION is no whole number"},
        {"counts", "{}", "is no whole number"},
        {"rows/0/change", "\"BETTER\"", "rows, row 1: BETTER is no word of compare"},
        {"rows/0/change", "0", "rows, row 1: Expected string"},
        {"rows/0/details", "[1]", "rows, row 1: details has what is no text"},
        {"rows", "{}", "Expected array"},
        {"machine", "{\"host\": \"fast\"}", "machine: host is no number above 0"},
        {"machine", "[]", "Expected object"},
    };
    json_t *document = comparison_document();
    char *text;
    (void)state;

    are_refused(document, rows, sizeof rows / sizeof *rows);
    put(document, "machine", "{\"host\": 0.78}");
    save(document, one);
    text = page_of(one, NULL);
    shows(text, "Rates of host: all 22 % slower, which is taken for the machine");
    free(text);
}

static void a_bad_command_line_is_told(void **state)
{
    const char *const none[] = {SIMTCHECK, "report", "--html", page, NULL},
                      *const nowhere[] = {SIMTCHECK, "report", snapshot, NULL},
                      *const three[] = {SIMTCHECK, "report", "--html", page,
                                        snapshot,  snapshot, snapshot, NULL};
    (void)state;

    ends_with(program_run(none), 2, "report takes one file or more");
    ends_with(program_run(nowhere), 2, "report needs --html FILE");
    ends_with(program_run(three), 2, "this is a third snapshot");
    save(run_document(), one);
    ends_with(report(snapshot, one, page), 2, "is there twice");
}

/* ---- Where the page goes ---- */

static void what_cannot_be_written_is_told(void **state)
{
    char command[512], *text;
    const char *const limited[] = {"/bin/sh", "-c", command, NULL};
    struct stat before, after;
    (void)state;

    ends_with(report(snapshot, NULL, "/dev/full"), 3, "cannot write '/dev/full'");
    ends_with(report(snapshot, NULL, "/no/such/folder/page.html"), 3,
              "cannot write '/no/such/folder/page.html'");
    ends_with(report(snapshot, NULL, folder), 3, "cannot write");
    snprintf(command, sizeof command, "'%s' report %s --html /dev/stdout >&-", SIMTCHECK, snapshot);
    ends_with(program_run(limited), 3, "cannot write '/dev/stdout'");

    /* A page that does not fit leaves the one before as it was, and nothing beside it. */
    free(page_of(snapshot, NULL));
    assert_int_equal(stat(page, &before), 0);
    snprintf(command, sizeof command, "ulimit -f 8; exec '%s' report %s --html %s", SIMTCHECK,
             snapshot, page);
    ends_with(program_run(limited), 3, "make room");
    assert_int_equal(stat(page, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    text = read_text(page);
    shows(text, "</html>");
    free(text);
    snprintf(command, sizeof command, "ls %s.*", page);
    ends_with(program_run(limited), 2, "No such file");
}

/* A page on standard output is a page and nothing else. */
static void a_pipe_gets_a_page(void **state)
{
    char command[512];
    const char *const piped[] = {"/bin/sh", "-c", command, NULL};
    (void)state;

    snprintf(command, sizeof command,
             "'%s' report %s --html /dev/stdout | sed -n '1p;$p' | tr -d '\\n'", SIMTCHECK,
             snapshot);
    ends_with(program_run(piped), 0, "<!DOCTYPE html></html>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_file_is_shown),
        cmocka_unit_test(nothing_gets_out_of_its_place),
        cmocka_unit_test(a_cut_file_is_told),
        cmocka_unit_test(a_bad_file_is_told),
        cmocka_unit_test(a_snapshot_that_contradicts_itself_is_told),
        cmocka_unit_test(a_toolchain_of_wrong_kinds_is_told),
        cmocka_unit_test(a_comparison_that_contradicts_itself_is_told),
        cmocka_unit_test(a_bad_command_line_is_told),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(a_pipe_gets_a_page),
    };
    return cmocka_run_group_tests(tests, pages_set_up, pages_tear_down);
}
