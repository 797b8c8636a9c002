/* SPDX-License-Identifier: MIT */
#include "report_pages.h"

#include <sys/stat.h>
#include <unistd.h>

#define DATA SOURCE_FOLDER "/tests/program/page/"

char folder[] = "/tmp/simtcheck-report-XXXXXX";
char snapshot[64], races[64], one[64], other[64], page[64];

/* Takes over what a program has printed and exited with. */
void ends_with(struct ended ended, int status, const char *text)
{
    if (ended.status != status || strstr(ended.output, text) == NULL)
        print_error("status %d: %s", ended.status, ended.output);
    assert_int_equal(ended.status, status);
    assert_non_null(strstr(ended.output, text));
    free(ended.output);
}

int pages_set_up(void **state)
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

int pages_tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

void save(json_t *document, const char *path)
{
    assert_int_equal(json_dump_file(document, path, 0), 0);
    json_decref(document);
}

char *read_text(const char *path)
{
    FILE *from = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(from);
    assert_true(getdelim(&text, &size, '\0', from) > 0);
    fclose(from);
    return text;
}

/* ---- Pages ---- */

struct ended report(const char *file, const char *second, const char *to)
{
    const char *const arguments[] = {SIMTCHECK, "report", "--html", to, file, second, NULL};
    return program_run(arguments);
}

char *page_of(const char *file, const char *second)
{
    struct ended ended = report(file, second, page);

    if (ended.status != 0)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, 0);
    assert_string_equal(ended.output, "");
    free(ended.output);
    return read_text(page);
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

/* ---- Documents ---- */

json_t *run_document(void)
{
    json_t *document = json_read(snapshot), *run = json_incref(at(document, "run"));

    json_decref(document);
    return run;
}

json_t *compilers_document(void)
{
    return json_read(DATA "compilers.json");
}

json_t *failing_document(void)
{
    json_t *document = json_read(snapshot),
           *row = row_of(document, "reduceNeighbored", "corrected"),
           *printed = row_of(document, "reduceNeighbored", "original"), *race, *pair = NULL;
    size_t r;

    json_array_foreach(at(document, "races/host"), r, race)
    {
        pair = pair != NULL ? pair : json_array_get(json_object_get(race, "pairs"), 0);
    }
    put(row, "verdict", "\"fault\"");
    put(row, "mismatches", "7");
    json_object_set(row, "counterexample", at(printed, "boundaries/1/counterexample"));
    json_object_set(row, "race", pair);
    return document;
}

json_t *comparison_document(void)
{
    const char *const compare[] = {SIMTCHECK, "compare", "--json", other, snapshot, one, NULL};

    save(failing_document(), one);
    ends_with(program_run(compare), 1, "1 REGRESSION");
    return json_read(other);
}

json_t *row_of(json_t *document, const char *id, const char *kind)
{
    json_t *row = report_find(json_object_get(document, "run"), id, kind);
    assert_non_null(row);
    return row;
}

/* The item or member of that name. */
static json_t *step_to(json_t *value, const char *step)
{
    return json_is_array(value) ? json_array_get(value, (size_t)atoi(step))
                                : json_object_get(value, step);
}

json_t *at(json_t *document, const char *path)
{
    char steps[128], *rest = steps;

    snprintf(steps, sizeof steps, "%s", path);
    while (rest != NULL && steps[0] != '\0')
        document = step_to(document, strsep(&rest, "/"));
    assert_non_null(document);
    return document;
}

void put(json_t *document, const char *path, const char *value)
{
    const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
    char above[128];

    snprintf(above, sizeof above, "%.*s", slash != NULL ? (int)(slash - path) : 0, path);
    document = at(document, above);
    if (value != NULL)
        assert_int_equal(
            json_object_set_new(document, last, json_loads(value, JSON_DECODE_ANY, NULL)), 0);
    else if (json_is_array(document))
        assert_int_equal(json_array_remove(document, (size_t)atoi(last)), 0);
    else
        assert_int_equal(json_object_del(document, last), 0);
}

void add_parts(json_t *document)
{
    json_t *parts = json_read(DATA "parts.json");

    json_object_update(document, parts);
    json_decref(parts);
}
