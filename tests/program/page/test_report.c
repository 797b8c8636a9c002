/* SPDX-License-Identifier: MIT
 *
 * `simtcheck report`: what a page shows. Writes a page to PAGES for the test sim.unit.page, which
 * opens it in a browser.
 */
#include "report_pages.h"

#include <unistd.h>

/* ---- Contents of a page ---- */

TEST(page_has_every_section)
{
    static const char *const only_with_parts[] = {
        "<section id=\"failures\"", "<section id=\"benchmark\"", "<section id=\"compilers\""};
    static const char *const words[] = {
        "<section id=\"environment\"",
        "<section id=\"verdicts\"",
        "<section id=\"domains\"",
        "<section id=\"races\"",
        "<section id=\"launches\"",
        "<section id=\"files\"",
        "FAIL: 1 of 18 rows is not as it should be",
        "<p>7 of ",
        "</code> out-of-bounds read</h3>",
        "<b>case</b>: block ",
        "simtcheck replay 2:sim:reduceNeighbored:original:",
        "B is a power of two",
        "default-src 'none'",
        "cases race. Block 2, size 4: ",
        "class=\"sides\"",
        "<b>depth 0</b>",
        "<b>depth 1</b>",
        ("<td class=\"number\">4050.0</td><td class=\"number\">1.012</td><td "
         "class=\"number\">1.038</td><td class=\"number\">4040.0 to 4070.0</td>"),
        "class=\"line best\"",
        "max_u32(min_s32(a, 0), 0)",
        "<li>the driver&#39;s compiler</li>",
        "generates different code for the same source",
        "sim: default limits: waits at depth 2 fail"};
    json_t *document = failing_document();
    char *plain = page_of(snapshot, NULL), *text;

    add_parts(document);
    json_put(document, "run/results/0/default_limits", "\"default limits: waits at depth 2 fail\"");
    json_save(document, one);
    text = page_of(one, NULL);
    for (size_t k = 0; k < sizeof only_with_parts / sizeof *only_with_parts; k++) {
        shows_not(plain, only_with_parts[k]);
        shows(text, only_with_parts[k]);
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        shows(text, words[k]);
    shows_not(text, "<section id=\"changes\"");
    begins(plain, "good", "</span> PASS: all 18 rows are as they should be</p>");
    assert_true(strlen(text) < 200000); /* a page of six rows; one of all rows must fit in 2 MB */
    free(plain);
    free(text);
}

/* No page is green if a result is incomplete, unknown, or not as expected. */
TEST(headline_includes_every_problem)
{
    static const char *const lines[] = {"1 file is partial: the run stopped early",
                                        "FAIL: 2 of 18 rows are not as they should be, 1 skipped",
                                        "1 race result is not as expected",
                                        "1 compiler stage generates wrong code"};
    json_t *document = json_read(snapshot);
    char *text = page_of(snapshot, NULL);

    shows(text, "<p class=\"headline good\">");
    shows_not(text, "headline bad");
    free(text);
    add_parts(document);
    json_put(document, "complete", "false");
    json_put(document, "run/results/0/verdict", "\"wrong-result\"");
    json_put(document, "run/results/1/verdict", "\"skipped\"");
    json_put(document, "races/sim/0/as_expected", "false");
    json_save(document, one);
    text = page_of(one, NULL);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        shows(text, lines[k]);
    shows_not(text, "headline good");
    free(text);
}

/* Counts the parts of a page that start with `start`. */
static size_t count_of(const char *text, const char *start)
{
    size_t count = 0;

    for (text = strstr(text, start); text != NULL; text = strstr(text + 1, start))
        count++;
    return count;
}

/* The page shows both lines of a race as code of the kernel's file. The kernel has one part. */
TEST(race_section_shows_both_source_lines)
{
    json_t *rows = json_read(races), *pair = NULL, *row, *side;
    char *text = page_of(races, NULL), line[512], path[512], words[600];
    size_t r;

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
        line[strcspn(line, "<>&\"'\n")] = '\0'; /* the part that needs no escaping */
        snprintf(words, sizeof words, "<mark><i>%lld</i> ", report_number(side, "line"));
        shows(text, words);
        shows(text, line + strspn(line, " "));
    }
    assert_int_equal(count_of(text, "<details class=\"card\"><summary><b>reduceInterleaved2</b> "),
                     1);
    free(text);
    json_put(rows, "0/as_expected", "false");
    json_save(rows, one);
    text = page_of(one, NULL);
    shows(text, "<details class=\"card\" open><summary><b>reduceInterleaved2</b> ");
    free(text);
}

TEST(two_snapshots_are_compared_on_the_page)
{
    json_t *document = failing_document();
    char *text;

    json_put(document, "environment/driver", "\"580.95\"");
    json_save(document, one);
    text = page_of(snapshot, one);
    begins(text, "bad", "/one.json: do not accept: 1 regression</p>");
    shows(text, "verdict conforms -&gt; fault");
    shows(text, "<details class=\"card\" open><summary><span class=\"sign bad\">");
    shows(text, "<th scope=\"row\">driver</th><td>–</td><td>580.95</td>");
    free(text);
    text = page_of(one, snapshot);
    begins(text, "good", "/snapshot.json: accept</p>");
    shows_not(text, "as they should be"); /* the comparison is the verdict */
    shows(text, "verdict fault -&gt; conforms");
    shows_not(text, "<section id=\"failures\"");
    free(text);
}

/* The head names what differs: a driver, a toolkit or an assembler, and else the files. */
TEST(comparison_names_what_is_new)
{
    static const char *const facts[][4] = {
        {"driver", "\"570.1\"", "\"580.95\"", "</span> Driver 570.1 to 580.95: "},
        {"toolkit", "[\"13.0\"]", "[\"13.4\"]", "</span> Toolkit 13.0 to 13.4: "},
        {"ptxas", "[\"13.0\"]", "[\"13.4\"]", "</span> ptxas 13.0 to 13.4: "},
        {"ptxas", "[\"12.0\", \"13.0\"]", "[\"13.4\"]", "/other.json: "}};
    char path[64], *text;

    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        json_t *before = json_read(snapshot), *after = json_read(snapshot);
        snprintf(path, sizeof path, "environment/%s", facts[k][0]);
        json_put(before, path, facts[k][1]);
        json_put(after, path, facts[k][2]);
        json_save(before, one);
        json_put(after, "run/results/0", NULL);
        json_put(after, "races/sim/0", NULL);
        json_save(after, other);
        text = page_of(one, other);
        begins(text, "bad", facts[k][3]);
        begins(text, "bad", "do not accept: 2 missing rows</p>");
        free(text);
    }
}

/* The page shows the output of `compare` as if the page itself had compared. */
TEST(comparison_is_shown_on_the_page)
{
    char *text;

    json_decref(comparison_document());
    text = page_of(other, NULL);
    begins(text, "bad", "/one.json: do not accept: 1 regression</p>");
    shows(text, "verdict conforms -&gt; fault");
    free(text);
}

/* ---- Launches ---- */

/* Keeps launch `k` of the document. */
static json_t *only_launch(json_t *document, size_t k)
{
    json_t *launches = json_at(document, "launches"),
           *launch = json_incref(json_array_get(launches, k));

    json_array_clear(launches);
    json_array_append_new(launches, launch);
    return document;
}

/* A finding has the message of the text, with the source lines of both accesses marked. A launch
 * that fails is open. */
TEST(page_of_checks_has_the_messages_of_the_text)
{
    static const char *const words[] = {
        "<details class=\"card\" open><summary><b>blur</b> <span class=\"sign bad\">FAIL</span> 1 "
        "data race</summary>",
        "<p class=\"soft\">n = 0..4096 (38 of 1536 cases until it failed), nvcc 13.0.88 and clang "
        "14.0.6, "
        "simulator, 1.2 s</p>",
        "<span class=\"sign bad\">error</span> <code>blur.cu:9</code> data race on tile[2]</h3>",
        "<b>thread 0 of block 0 reads 0xa5a5a5a5 (unwritten memory)</b>",
        "<mark><i>9</i> the read</mark>",
        "<b>thread 1 of block 0 writes 0 over 0xa5a5a5a5 (unwritten memory)</b>",
        "<mark><i>5</i> the write</mark>",
        "<b>note</b>: no barrier and no __syncwarp() orders the two accesses</p>",
        "<b>note</b>: it explains this uninitialized read: the value stored in out[0]",
        "<b>case</b>: n = 1; replay with --case 2:sim:blur:",
        "<code>saxpy.cu:5</code> out-of-bounds read</h3>",
        "<b>thread 1 of block 0 reads 4 bytes at x[1], outside its 1 elements</b>",
        "<details class=\"card\"><summary><b>saxpy</b> <span class=\"sign good\">PASS</span> in "
        "bounds, initialized, race-free, deterministic</summary>"};
    char *text;

    text_write("blur.cu", "1\n2\n3\n4\nthe write\n6\n7\n8\nthe read\n");
    json_save(check_document(), one);
    text = page_of(one, NULL);
    begins(text, "bad", "</span> FAIL: 3 launches: 2 FAIL, 1 PASS</p>");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        shows(text, words[k]);
    free(text);
    assert_int_equal(rename(page, PAGES "/check.html"), 0);
    json_save(only_launch(check_document(), 0), one);
    text = page_of(one, NULL);
    begins(text, "bad", "</span> FAIL: blur: 1 data race</p>");
    free(text);
    json_save(only_launch(check_document(), 2), one);
    text = page_of(one, NULL);
    begins(text, "good",
           "</span> PASS: saxpy: in bounds, initialized, race-free, deterministic</p>");
    free(text);
}

/* A mutant is a finding. What killed the others is not on the page. */
TEST(page_of_mutants_shows_survivors)
{
    json_t *document = only_launch(check_document(), 1);
    char *text;

    json_put(document, "command", "\"mutate\"");
    json_put(document, "launches/0/checks/0/kind", "\"mutant\"");
    json_put(document, "launches/0/checks/1/kind", "\"mutant\"");
    json_put(document, "launches/0/checks/0/sizes", NULL);
    json_put(document, "launches/0/checks/0/planned", NULL);
    json_put(document, "launches/0/checks/1/result", "\"pass\"");
    json_put(document, "launches/0/checks/1/note", "\"killed by it\"");
    json_put(document, "launches/0/findings/0/rule", "\"surviving-mutant\"");
    json_save(document, one);
    text = page_of(one, NULL);
    begins(text, "bad", "FAIL: saxpy: 1 surviving mutant</p>");
    shows(text, "<p class=\"soft\">2 mutants, ");
    shows(text,
          "<span class=\"sign known_defect\">warning</span> <code>saxpy.cu:5</code> surviving");
    shows_not(text, "killed by it");
    free(text);
}

/* `exec` counts launches, and says what happens at both places. */
TEST(page_of_a_program_shows_both_places)
{
    json_t *document = only_launch(check_document(), 0),
           *finding = json_at(document, "launches/0/findings/0");
    char *text;

    json_put(document, "command", "\"exec\"");
    json_put(finding, "evidence/0/race", NULL);
    json_put(finding, "evidence/0/about", "\"data\"");
    json_put(finding, "evidence/0/does", "[\"one reads\", \"another writes\"]");
    json_put(finding, "evidence/0/notes", "[\"in two streams\"]");
    json_put(finding, "consequences", "[]");
    json_save(json_incref(document), one);
    text = page_of(one, NULL);
    shows(text, "<p class=\"soft\">n = 0..4096 (38 of 1536 launches), ");
    shows(text, "</code> data race on data</h3>\n<p><b>one reads</b></p>\n");
    shows(text, "<p><b>another writes</b></p>\n<p class=\"where\"><code>blur.cu:5</code></p>");
    shows(text, "<b>note</b>: in two streams</p>");
    free(text);
    json_put(finding, "evidence", "[]"); /* as nothing writes it: there is nothing to show */
    json_save(document, one);
    text = page_of(one, NULL);
    shows(text, "<p class=\"soft\">n = 0..4096 (38 of 1536 launches), ");
    shows_not(text, "</code> data race");
    free(text);
}

/* ---- Maps ---- */

/* The map of a run contains what the run has counted. */
TEST(run_map_contains_the_counted_cases)
{
    json_t *document = json_read(snapshot), *row = row_of(document, "reduceNeighbored", "original"),
           *corrected = row_of(document, "reduceNeighbored", "corrected"), *line;
    char text[4096] = ";";
    size_t l;

    json_array_foreach(json_object_get(row, "map"), l, line)
    {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s;", json_string_value(line));
    }
    shows(text, ";16 8");   /* size 0 is wrong: outside */
    shows(text, ";17-31 "); /* 24 is not a power of two */
    shows(text, ";64 8");
    json_array_foreach(json_object_get(corrected, "map"), l, line)
    {
        const char *digits = strchr(json_string_value(line), ' ') + 1;
        assert_int_equal(strspn(digits, "01"), strlen(digits)); /* right wherever it was tried */
    }
    json_decref(document);
}

/* Counts the cells of a row's map that have the bits in `bits` and none of those in `others`. */
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

/* A map on a page shows what the file contains, including a seeded cell. Engines with the same map
 * share it. */
TEST(run_map_is_shown_on_the_page)
{
    json_t *document = json_read(snapshot), *row = row_of(document, "reduceNeighbored", "original");
    char words[256], *text;

    json_array_append_new(json_object_get(row, "map"), json_string("1024 0000000000000000002459"));
    snprintf(words, sizeof words,
             "%d cells right inside the domain; %d cells right inside the domain, wrong outside; "
             "%d cells wrong outside the domain; 1 cells right outside the domain; 1 cells "
             "wrong inside the domain;\">",
             cells_of(row, 1, 14), cells_of(row, 1, 2) - cells_of(row, 1, 14), cells_of(row, 8, 3));
    row = json_deep_copy(row);
    json_put(row, "engine", "\"cuda\"");
    json_array_append_new(json_at(document, "run/results"), row);
    json_save(document, one);
    text = page_of(one, NULL);
    shows(text, words);
    assert_int_equal(count_of(text, "<figcaption>sim, cuda</figcaption>"), 1);
    /* The last of five rows: its cell that is right outside the domain. */
    shows(text, "<path class=\"lucky\" d=\"M230 45h10\"/>");
    shows(text, "<path class=\"wrong\" d=\"M220 45h10\"/>");
    /* Powers of four have labels. */
    shows(text, "text-anchor=\"end\">1k</text>");
    shows_not(text, "text-anchor=\"end\">2</text>");
    free(text);
}

TEST(pages_are_kept_for_the_browser_test)
{
    json_t *document = failing_document();
    char *text;

    add_parts(document);
    json_save(document, one);
    text = page_of(snapshot, one);
    shows_not(text, "http:");
    shows_not(text, "https:");
    shows_not(text, "url(");
    free(text);
    assert_int_equal(rename(page, PAGES "/all.html"), 0);
}

TEST_MAIN("report", pages_set_up, folder_remove)
