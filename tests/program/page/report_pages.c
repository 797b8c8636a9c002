/* SPDX-License-Identifier: MIT */
#include "report_pages.h"

#include <sys/stat.h>
#include <unistd.h>

#define DATA SOURCE_FOLDER "/tests/program/page/"

char snapshot[64], races[64], one[64], other[64], page[64];

int pages_set_up(void **state)
{
    if (folder_make(state) != 0 || chdir(folder) != 0)
        return -1;
    mkdir(PAGES, 0777);
    snprintf(snapshot, sizeof snapshot, "%s/snapshot.json", folder);
    snprintf(races, sizeof races, "%s/races.json", folder);
    snprintf(one, sizeof one, "%s/one.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    expect_run(
        0, "conforms",
        "snapshot --out %s --engine sim --kernel reduceNeighbored --kernel reduceInterleaved2 "
        "--kernel gpuRecursiveReduce2 --block 2,16,24,64 --part run --part counters --part "
        "races",
        snapshot);
    expect_run(0, "race", "races --kernel reduceInterleaved2 --block 2 --json %s", races);
    return 0;
}

/* ---- Pages ---- */

struct ended report(const char *file, const char *second, const char *to)
{
    return run_line("report --html %s %s %s", to, file, second != NULL ? second : "");
}

char *page_of(const char *file, const char *second)
{
    struct ended ended = report(file, second, page);
    assert_string_equal(ended.output, "");
    expect_ended(ended, 0, "");
    return text_read(page);
}

void shows(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        print_error("the page has no '%s'\n", words);
    assert_non_null(strstr(text, words));
}

void shows_not(const char *text, const char *words)
{
    const char *place = strstr(text, words);

    if (place != NULL)
        print_error("the page has '%.80s'\n", place);
    assert_null(place);
}

void begins(const char *text, const char *class, const char *words)
{
    const char *start = strstr(text, "class=\"headline "), *end;
    char line[512];

    assert_non_null(start);
    end = strchr(start, '\n');
    snprintf(line, sizeof line, "%.*s", (int)(end - start), start);
    shows(line, class);
    shows(line, words);
}

/* ---- Documents ---- */

json_t *run_document(void)
{
    json_t *document = json_read(snapshot), *run = json_incref(json_at(document, "run"));

    json_decref(document);
    return run;
}

json_t *compilers_document(void)
{
    return json_read(DATA "compilers.json");
}

json_t *check_document(void)
{
    return json_read(DATA "check.json");
}

json_t *failing_document(void)
{
    json_t *document = json_read(snapshot),
           *row = row_of(document, "reduceNeighbored", "corrected"),
           *original = row_of(document, "reduceNeighbored", "original"), *race, *pair = NULL;
    size_t r;

    json_array_foreach(json_at(document, "races/sim"), r, race)
    {
        pair = pair != NULL ? pair : json_array_get(json_object_get(race, "pairs"), 0);
    }
    json_put(row, "verdict", "\"fault\"");
    json_put(row, "mismatches", "7");
    json_object_set(row, "counterexample", json_at(original, "boundaries/1/counterexample"));
    json_object_set(row, "race", pair);
    return document;
}

json_t *comparison_document(void)
{

    json_save(failing_document(), one);
    expect_run(1, "1 REGRESSION", "compare --json %s %s %s", other, snapshot, one);
    return json_read(other);
}

json_t *row_of(json_t *document, const char *id, const char *kind)
{
    json_t *row = report_find(json_object_get(document, "run"), id, kind);
    assert_non_null(row);
    return row;
}

void add_parts(json_t *document)
{
    json_t *parts = json_read(DATA "parts.json");

    json_object_update(document, parts);
    json_decref(parts);
}
