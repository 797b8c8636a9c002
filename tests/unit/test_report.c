/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: what a page shows, that nothing in a file gets out of its place on it, and
 * what becomes of bad files and of a disk that is full. Leaves pages in PAGES for the test
 * host.unit.page, which opens them in a browser.
 */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/simtcheck-report-XXXXXX";
static char snapshot[64], races[64], one[64], other[64], page[64];

/* Takes over what a program has printed and exited with. */
static void ends_with(struct ended ended, int status, const char *text)
{
    if (ended.status != status || strstr(ended.output, text) == NULL)
        print_error("status %d: %s", ended.status, ended.output);
    assert_int_equal(ended.status, status);
    assert_non_null(strstr(ended.output, text));
    free(ended.output);
}

static int set_up(void **state)
{
    const char *const take[] = {SIMTCHECK,  "snapshot",
                                "--out",    snapshot,
                                "--engine", "host",
                                "--kernel", "reduceNeighbored",
                                "--kernel", "reduceInterleaved2",
                                "--kernel", "gpuRecursiveReduce",
                                "--block",  "2,16,24,64",
                                "--part",   "run",
                                "--part",   "counters",
                                "--part",   "races",
                                NULL};
    const char *const race[] = {SIMTCHECK, "races", "--kernel", "reduceInterleaved2",
                                "--block", "2",     "--json",   races,
                                NULL};
    (void)state;

    unsetenv("SIMTCHECK_REQUIRE");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return -1;
    mkdir(PAGES, 0777);
    snprintf(snapshot, sizeof snapshot, "%s/snapshot.json", folder);
    snprintf(races, sizeof races, "%s/races.json", folder);
    snprintf(one, sizeof one, "%s/one.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    ends_with(program_run(take), 0, "conforms");
    ends_with(program_run(race), 0, "race");
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static json_t *load(const char *path)
{
    json_t *document = json_load_file(path, 0, NULL);
    assert_non_null(document);
    return document;
}

/* Takes the document over. */
static void save(json_t *document, const char *path)
{
    assert_int_equal(json_dump_file(document, path, 0), 0);
    json_decref(document);
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_int_equal(fwrite(text, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

static struct ended report(const char *file, const char *second, const char *to)
{
    const char *const arguments[] = {SIMTCHECK, "report", "--html", to, file, second, NULL};
    return program_run(arguments);
}

/* The caller's. */
static char *read_text(const char *path)
{
    FILE *from = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(from);
    assert_true(getdelim(&text, &size, '\0', from) > 0);
    fclose(from);
    return text;
}

/* The page of one file or two; the caller's. */
static char *page_of(const char *file, const char *second)
{
    struct ended ended = report(file, second, page);

    if (ended.status != 0)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, 0);
    assert_string_equal(ended.output, "");
    free(ended.output);
    return read_text(page);
}

static void shows(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        print_error("the page has no '%s'\n", words);
    assert_non_null(strstr(text, words));
}

static void shows_not(const char *text, const char *words)
{
    const char *place = strstr(text, words);

    if (place != NULL)
        print_error("the page has '%.80s'\n", place);
    assert_null(place);
}

static json_t *row_of(json_t *document, const char *id, const char *form)
{
    json_t *row = report_find(json_object_get(document, "run"), id, form);
    assert_non_null(row);
    return row;
}

/* Parts that need a toolkit or a GPU, as they are written where there is one. */
static void add_parts(json_t *document)
{
    json_object_set_new(
        document, "toolchain",
        json_pack(
            "{s:i, s:i, s:[{s:s, s:i, s:i, s:i, s:s, s:i, s:[], s:s}], s:[{s:s, s:s, s:i, s:s, "
            "s:[s, s], s:s, s:s, s:s}], s:[{s:s, s:s, s:s}], s:i, s:[s]}",
            "seed", 1, "programs", 80, "stages", "stage", "ptxas 13.0.88 -O3", "programs", 80,
            "wrong", 11, "same_code_pairs", 1, "unavailable", "", "kernels", 0, "kernels_wrong",
            "kernels_unavailable", "", "families", "shape", "max_u32(min_s32(a, 0), 0)", "program",
            "p1: input_b32 0; min_s32 0 0;", "members", 11, "blamed", "assembler", "wrong",
            "ptxas 13.0.88 -O3", "the driver's compiler", "place", "element 2", "expected", "0x1",
            "got", "0x0", "same_code", "ptxas", "13.0.88", "one", "input_b32 0;", "other",
            "input_b32 1;", "same_code_pairs", 1, "unsteady", "ptxas 13.0.88"));
    json_object_set_new(
        document, "ladder",
        json_pack(
            "[{s:s, s:i, s:f, s:f, s:f, s:f}, {s:s, s:i, s:f, s:f, s:f, s:f}, {s:s, s:i, s:f}]",
            "kernel", "reduceModern", "elements", 1 << 28, "bytes_per_second", 4.05e12,
            "ratio_to_copy", 1.012, "ratio_to_cub", 1.038, "spread", 0.01, "kernel", "reduceModern",
            "elements", 1 << 20, "bytes_per_second", 2.5e12, "ratio_to_copy", 0.9, "ratio_to_cub",
            1.001, "spread", 0.02, "kernel", "copy", "elements", 1 << 28, "bytes_per_second",
            4e12));
}

/* A row that fails, with a case, a line and two accesses. */
static void plant_failure(json_t *document)
{
    json_t *row = row_of(document, "reduceNeighbored", "total"),
           *race = json_array_get(json_object_get(json_object_get(document, "races"), "host"), 0);
    json_t *boundary = json_array_get(
        json_object_get(row_of(document, "reduceNeighbored", "printed"), "boundaries"), 1);

    json_object_set_new(row, "verdict", json_string("fault"));
    json_object_set_new(row, "mismatches", json_integer(7));
    json_object_set(row, "witness", json_object_get(boundary, "witness"));
    for (size_t r = 0; json_array_size(json_object_get(race, "pairs")) == 0; r++)
        race = json_array_get(json_object_get(json_object_get(document, "races"), "host"), r);
    json_object_set(row, "race", json_array_get(json_object_get(race, "pairs"), 0));
}

/* ---- What a page shows ---- */

static void a_page_has_every_part(void **state)
{
    static const char *const sections[] = {
        "<section id=\"environment\"", "<section id=\"failures\"", "<section id=\"verdicts\"",
        "<section id=\"domains\"",     "<section id=\"races\"",    "<section id=\"launches\"",
        "<section id=\"ladder\"",      "<section id=\"toolchain\""};
    json_t *document = load(snapshot);
    char *text;
    struct stat status;
    (void)state;

    text = page_of(snapshot, NULL);
    shows_not(text, "<section id=\"ladder\"");
    shows_not(text, "<section id=\"toolchain\"");
    shows_not(text, "<section id=\"changes\"");
    shows_not(text, "<section id=\"failures\"");
    shows(text, "0 of 6 rows do not conform");
    free(text);
    add_parts(document);
    plant_failure(document);
    save(document, one);
    text = page_of(one, NULL);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        shows(text, sections[k]);
    shows(text, "1 of 6 rows does not conform");
    shows(text, "7 of ");
    shows(text, "stray-read");
    shows(text, "simtcheck replay 1:host:reduceNeighbored:printed:");
    shows(text, "B is a power of two");
    shows(text, "default-src 'none'");
    shows(text, "cases race. Block 2, size 4: ");
    shows(text, "class=\"sides\"");
    shows(text, "<b>depth 1</b>");
    shows(text, "<td class=\"number\">4050.0</td><td class=\"number\">1.012</td><td "
                "class=\"number\">1.038</td>");
    shows(text, "class=\"line best\"");
    shows(text, "max_u32(min_s32(a, 0), 0)");
    shows(text, "gives other code of the same source");
    assert_int_equal(stat(page, &status), 0);
    assert_true(status.st_size < 200000); /* of six rows; all of them are to fit 2 MB */
    free(text);
}

/* Both lines of a race, as code: those of the kernel's file. */
static void a_race_has_its_lines(void **state)
{
    json_t *rows = load(races), *pair = NULL, *row, *side;
    char *text = page_of(races, NULL), line[512], path[512], words[600];
    size_t r;
    (void)state;

    json_array_foreach(rows, r, row)
    {
        if (pair == NULL)
            pair = json_array_get(json_object_get(row, "pairs"), 0);
    }
    assert_non_null(pair);
    for (int k = 0; k < 2; k++) {
        FILE *from;
        side = json_object_get(pair, k == 0 ? "first" : "second");
        snprintf(path, sizeof path, SOURCE_FOLDER "/%s", report_text(side, "file"));
        from = fopen(path, "r");
        assert_non_null(from);
        for (long long l = report_number(side, "line"); l > 0; l--)
            assert_non_null(fgets(line, sizeof line, from));
        fclose(from);
        line[strcspn(line, "<>&\"'\n")] = '\0'; /* as far as it is not escaped */
        snprintf(words, sizeof words, "<mark><i>%lld</i> ", report_number(side, "line"));
        shows(text, words);
        shows(text, line + strspn(line, " "));
    }
    free(text);
    json_decref(rows);
}

/* The page of the races, as if both accesses were in the first line of that file. */
static char *page_with_source(const char *file)
{
    json_t *rows = load(races), *row, *pair;
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

/* A file of results may name any file: only sources within the folder of kernels, or the one in
 * which the program runs, are shown. */
static void no_other_file_is_shown(void **state)
{
    static const char *const files[] = {"/etc/passwd",
                                        "kernels/../../../../../../etc/passwd",
                                        "kernels/../CMakeLists.txt",
                                        "kernels/../oracle/judge.c",
                                        SOURCE_FOLDER "/oracle/judge.c",
                                        "kernels",
                                        "",
                                        "page.txt",
                                        "link.cu"};
    char *text;
    (void)state;

    write_text("page.txt", "no source", 9);
    write_text("own.cu", "// of my own <1>\n", 17);
    assert_int_equal(symlink("/etc/passwd", "link.cu"), 0);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        text = page_with_source(files[f]);
        shows(text, "class=\"where\"");
        shows_not(text, "<mark>");
        free(text);
    }
    text = page_with_source("own.cu");
    shows(text, "<mark><i>1</i> // of my own &lt;1&gt;</mark>");
    free(text);
}

static void two_snapshots_are_compared(void **state)
{
    json_t *document = load(snapshot);
    char *text;
    (void)state;

    plant_failure(document);
    json_object_set_new(json_object_get(document, "environment"), "driver", json_string("580.95"));
    save(document, one);
    text = page_of(snapshot, one);
    shows(text, "1 regression, 0 rows are missing");
    shows(text, "verdict conforms -&gt; fault");
    shows(text, "<th scope=\"row\">driver</th><td>–</td><td>580.95</td>");
    free(text);
    text = page_of(one, snapshot);
    shows(text, "0 regressions, 0 rows are missing");
    shows(text, "verdict fault -&gt; conforms");
    shows_not(text, "<section id=\"failures\"");
    free(text);
}

/* What compare has written is shown as if the page had compared. */
static void a_comparison_is_shown(void **state)
{
    json_t *document = load(snapshot);
    char *text;
    (void)state;

    plant_failure(document);
    save(document, one);
    {
        const char *const compare[] = {SIMTCHECK, "compare", "--json", other, snapshot, one, NULL};
        ends_with(program_run(compare), 1, "REGRESSION");
    }
    text = page_of(other, NULL);
    shows(text, "1 regression, 0 rows are missing");
    shows(text, "verdict conforms -&gt; fault");
    free(text);
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
    (void)state;
    for (int words_too = 0; words_too < 2; words_too++) {
        json_t *document = load(snapshot);
        char *text;
        add_parts(document);
        plant_failure(document);
        poison(document, words_too);
        json_object_set_new(json_object_get(document, "environment"), HOSTILE,
                            json_string(HOSTILE));
        save(document, one);
        text = page_of(snapshot, one);
        shows(text, "&lt;script&gt;alert(1)&lt;/script&gt;");
        shows(text, "\xEF\xBF\xBD");
        shows_not(text, "<script");
        shows_not(text, "<img");
        shows_not(text, "\" onload");
        shows_not(text, "\" '");
        shows_not(text, "\xE2\x80\xAE");
        free(text);
        if (!words_too)
            assert_int_equal(rename(page, PAGES "/hostile.html"), 0);
    }
}

/* ---- Bad files ---- */

/* A file that is cut is no whole one, wherever that is; white space at its end is none of it. */
static void a_cut_file_is_told(void **state)
{
    char *whole = read_text(snapshot);
    size_t length = strlen(whole);
    (void)state;

    unlink(page);
    for (size_t k = 0; k < 40; k++) {
        write_text(one, whole, k < 8 ? k : length * k / 40);
        ends_with(report(one, NULL, page), 2, one);
    }
    write_text(one, whole, length - 2); /* its last brace */
    ends_with(report(one, NULL, page), 2, "this is no whole file of results");
    assert_int_equal(access(page, F_OK), -1);
    free(whole);
}

static void a_bad_file_is_told(void **state)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"{}", "this is nothing that snapshot, run, races"},
        {"[1]", "this is nothing that snapshot"},
        {"3", "this is no whole file of results"},
        {"{\"simtcheck_snapshot\": 2, \"environment\": {}}", "its version is 2"},
        {"{\"simtcheck_snapshot\": 1}", "it is no snapshot"},
        {"{\"cases\": 1, \"results\": 7}", "results is no array"},
        {"{\"cases\": 1, \"results\": [{}]}", "results, row 1: Object item not found: id"},
        {"{\"cases\": 1, \"results\": [{\"id\": 7}]}", "results, row 1: Expected string"},
        {"[{\"pairs\": {}, \"model\": \"its\"}]", "races, row 1"},
        {"{\"gld_requests\": 1, \"id\": []}", "counters, row 1"},
        {"{\"stages\": [], \"families\": [3], \"programs\": 1}", "toolchain: Expected object"},
        {"{\"ladder\": [{\"kernel\": \"a\", \"elements\": \"b\"}]}", "ladder, row 1"},
        {"{\"ladder\": {}}", "ladder is no array"},
        {"{\"counts\": 1, \"rows\": []}", "Object item not found: old"},
        {"{\"results\": [], \"results\": [], \"cases\": 0}", "duplicate object key"},
        {"{\"ladder\": [], \"a\": \"\\u0000\"}", "NUL"},
    };
    (void)state;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        write_text(one, rows[r].text, strlen(rows[r].text));
        unlink(page);
        ends_with(report(one, NULL, page), 2, rows[r].sentence);
        ends_with(report(one, NULL, page), 2, one);
        assert_int_equal(access(page, F_OK), -1);
    }
    ends_with(report("/no/such/file", NULL, page), 2, "/no/such/file");
    ends_with(report(folder, NULL, page), 2, folder);
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
    {
        json_t *document = load(snapshot);
        save(json_incref(json_object_get(document, "run")), one);
        json_decref(document);
    }
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
    snprintf(command, sizeof command, "%s report %s --html /dev/stdout >&-", SIMTCHECK, snapshot);
    ends_with(program_run(limited), 3, "cannot write '/dev/stdout'");

    /* A page that does not fit leaves the one before as it was, and nothing beside it. */
    free(page_of(snapshot, NULL));
    assert_int_equal(stat(page, &before), 0);
    snprintf(command, sizeof command, "ulimit -f 8; exec %s report %s --html %s", SIMTCHECK,
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
             "%s report %s --html /dev/stdout | sed -n '1p;$p' | tr -d '\\n'", SIMTCHECK, snapshot);
    ends_with(program_run(piped), 0, "<!DOCTYPE html></html>");
}

/* ---- Maps ---- */

/* The map of a run has what the run has counted. */
static void a_run_has_its_map(void **state)
{
    json_t *document = load(snapshot), *row = row_of(document, "reduceNeighbored", "printed"),
           *total = row_of(document, "reduceNeighbored", "total"), *line;
    char text[4096] = ";";
    size_t l;
    (void)state;

    json_array_foreach(json_object_get(row, "map"), l, line)
    {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s;", json_string_value(line));
    }
    shows(text, ";16 8");   /* size 0 is wrong, outside */
    shows(text, ";17-31 "); /* 24 is no power of two */
    shows(text, ";64 8");
    json_array_foreach(json_object_get(total, "map"), l, line)
    {
        const char *digits = strchr(json_string_value(line), ' ') + 1;
        assert_int_equal(strspn(digits, "01"), strlen(digits)); /* right, wherever it was tried */
    }
    json_decref(document);
}

/* How many cells of a row's map have those bits, and none of the others. */
static int cells_of(const json_t *row, unsigned long bits, unsigned long others)
{
    json_t *line;
    size_t l;
    int cells = 0;

    json_array_foreach(json_object_get(row, "map"), l, line)
    {
        const char *digit = strchr(json_string_value(line), ' ') + 1;
        for (; *digit != '\0'; digit++) {
            const char text[] = {*digit, '\0'};
            unsigned long seen = strtoul(text, NULL, 16);
            cells += (seen & bits) != 0 && (seen & others) == 0;
        }
    }
    return cells;
}

/* A map on a page says what the file has: a cell that is planted is seen. */
static void a_map_is_shown(void **state)
{
    json_t *document = load(snapshot), *row = row_of(document, "reduceNeighbored", "printed");
    char words[256], *text;
    (void)state;

    json_array_append_new(json_object_get(row, "map"), json_string("1024 0000000000000000002459"));
    snprintf(words, sizeof words,
             "%d cells right, inside the domain; %d cells right inside, and wrong outside of it; "
             "%d cells outside, and wrong there; 1 cells outside, and right all the same; 1 cells "
             "wrong inside;\">",
             cells_of(row, 1, 14), cells_of(row, 1, 2) - cells_of(row, 1, 14), cells_of(row, 8, 3));
    save(document, one);
    text = page_of(one, NULL);
    shows(text, words);
    /* The last row, of which there are five: its cell of right outside. */
    shows(text, "<path class=\"lucky\" d=\"M230 45h10\"/>");
    shows(text, "<path class=\"wrong\" d=\"M220 45h10\"/>");
    free(text);
}

static void pages_are_left_for_a_browser(void **state)
{
    json_t *document = load(snapshot);
    char *text;
    (void)state;

    add_parts(document);
    plant_failure(document);
    save(document, one);
    text = page_of(snapshot, one);
    shows_not(text, "http:");
    shows_not(text, "https:");
    shows_not(text, "url(");
    free(text);
    assert_int_equal(rename(page, PAGES "/all.html"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_every_part),
        cmocka_unit_test(a_race_has_its_lines),
        cmocka_unit_test(no_other_file_is_shown),
        cmocka_unit_test(two_snapshots_are_compared),
        cmocka_unit_test(a_comparison_is_shown),
        cmocka_unit_test(nothing_gets_out_of_its_place),
        cmocka_unit_test(a_cut_file_is_told),
        cmocka_unit_test(a_bad_file_is_told),
        cmocka_unit_test(a_bad_command_line_is_told),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(a_pipe_gets_a_page),
        cmocka_unit_test(a_run_has_its_map),
        cmocka_unit_test(a_map_is_shown),
        cmocka_unit_test(pages_are_left_for_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
