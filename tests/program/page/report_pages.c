/* SPDX-License-Identifier: MIT */
#include "report_pages.h"

#include <sys/stat.h>
#include <unistd.h>

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

/* Takes the document over. */
void save(json_t *document, const char *path)
{
    assert_int_equal(json_dump_file(document, path, 0), 0);
    json_decref(document);
}

void write_text(const char *path, const char *text, size_t size)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_int_equal(fwrite(text, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

struct ended report(const char *file, const char *second, const char *to)
{
    const char *const arguments[] = {SIMTCHECK, "report", "--html", to, file, second, NULL};
    return program_run(arguments);
}

/* The caller's. */
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

/* The page of one file or two; the caller's. */
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

json_t *row_of(json_t *document, const char *id, const char *form)
{
    json_t *row = report_find(json_object_get(document, "run"), id, form);
    assert_non_null(row);
    return row;
}

/* As the ladder has it; its rates are the same in each run. */
json_t *rung_of(const char *kernel, json_int_t elements, double rate, double to_copy, double to_cub)
{
    return json_pack("{s:s, s:n, s:I, s:n, s:f, s:f, s:f, s:{s:[f, f], s:[f, f], s:[f, f]}, s:[f], "
                     "s:n}",
                     "kernel", kernel, "form", "elements", elements, "block", "bytes_per_second",
                     rate, "ratio_to_copy", to_copy, "ratio_to_cub", to_cub, "spread",
                     "bytes_per_second", 0.99 * rate, 1.01 * rate, "ratio_to_copy", to_copy,
                     to_copy, "ratio_to_cub", to_cub, to_cub, "samples", rate, "document");
}

/* Parts that need a toolkit or a GPU, as they are written where there is one. */
void add_parts(json_t *document)
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
    json_object_set_new(document, "ladder",
                        json_pack("[o, o, o]",
                                  rung_of("reduceModern", 1 << 28, 4.05e12, 1.012, 1.038),
                                  rung_of("reduceModern", 1 << 20, 2.5e12, 0.9, 1.001),
                                  rung_of("copy", 1 << 28, 4e12, 1, 1.1)));
}

/* A row that fails, with a case, a line and two accesses. */
void plant_failure(json_t *document)
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
