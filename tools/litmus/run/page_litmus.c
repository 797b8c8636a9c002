/* SPDX-License-Identifier: MIT
 *
 * The section of a page on litmus tests.
 */
#include "litmus_wing.h"
#include "record_litmus.h"

/* Returns whether an outcome of the row has that verdict. */
static bool has_outcome(const json_t *row, const char *verdict)
{
    for (struct each k = {.rows = json_object_get(row, "outcomes")}; each_next(&k);)
        if (page_is(k.row, "verdict", verdict))
            return true;
    return false;
}

static bool is_wrong(const json_t *row)
{
    return has_outcome(row, "forbidden");
}

static bool has_failed(const json_t *row)
{
    return json_is_string(json_object_get(row, "error"));
}

static bool is_weak(const json_t *row)
{
    return has_outcome(row, "weak");
}

static bool is_skipped(const json_t *row)
{
    return json_is_string(json_object_get(row, "skipped"));
}

static const struct page_column columns[] = {
    PAGE_COLUMN("test", struct litmus_row, test),
    PAGE_COLUMN("compiler", struct litmus_row, compiler),
    PAGE_COLUMN("outcome", struct litmus_row, outcomes, .markup = "{outcome}" PAGE_KNOWN_DEVIATION),
    PAGE_COLUMN("times", struct litmus_row, launches, .markup = "{#count}"),
    PAGE_COLUMN("instances", struct litmus_row, instances),
    PAGE_COLUMN("scopes", struct litmus_row, scopes),
    PAGE_COLUMN("threads", struct litmus_row, threads),
    {.head = NULL},
};

/* Writes the outcomes with that verdict, each with the members of its row. */
static void write_outcomes(FILE *to, const json_t *page, const char *verdict, const char *caption)
{
    const struct page_part table = {NULL, NULL, caption, ".", &litmus_row_table, columns};
    json_t *outcomes = json_array(), *row, *outcome;
    size_t r, o;

    json_array_foreach(json_object_get(page, "litmus"), r, row)
    {
        json_array_foreach(json_object_get(row, "outcomes"), o, outcome)
        {
            if (!page_is(outcome, "verdict", verdict))
                continue;
            outcome = json_copy(outcome);
            json_object_update_missing(outcome, row);
            json_array_append_new(outcomes, outcome);
        }
    }
    if (json_array_size(outcomes) > 0)
        page_table(to, &table, outcomes);
    json_decref(outcomes);
}

static void write_forbidden(FILE *to, const json_t *page)
{
    write_outcomes(to, page, "forbidden", "Outcomes that the memory model forbids");
}

static void write_weak(FILE *to, const json_t *page)
{
    write_outcomes(to, page, "weak", "Weak outcomes, which the model allows");
}

/* Writes how many tests ran, and what came of them. */
static void write_counts(FILE *to, const json_t *page)
{
    const json_t *rows = json_object_get(page, "litmus");
    const size_t count = json_array_size(rows), weak = page_count(rows, is_weak),
                 skipped = page_count(rows, is_skipped), failed = page_count(rows, has_failed);

    fprintf(to,
            "<p>%zu combinations of test and compiler: %zu ran, %zu had a weak outcome, %zu were "
            "skipped, %zu failed to run.</p>\n",
            count, count - skipped - failed, weak, skipped, failed);
}

static const struct page_part parts[] = {{.name = "counts", .write = write_counts},
                                         {.name = "forbidden", .write = write_forbidden},
                                         {.name = "weak", .write = write_weak},
                                         {.name = NULL}};

/* The tests that did not run, each with its reason in that member. */
#define REASONS(member)                                                                            \
    "{?litmus:" member "}<ul class=\"plain\">\n{*litmus:" member                                   \
    "}<li><b>{test}</b>, {compiler}: {" member "}</li>\n{/}</ul>\n{/}"

static const char markup[] = "{?litmus}{@counts}{@forbidden}" REASONS(
    "error") "<details class=\"card\"><summary>Weak and "
             "skipped</summary>\n{@weak}" REASONS("skipped") "</details>\n{/}";

static const struct page_line lines[] = {
    {false, "litmus", NULL, is_wrong, "litmus test had an outcome that the memory model forbids",
     "litmus tests had outcomes that the memory model forbids"},
    {true, "litmus", NULL, has_failed, "litmus test failed to run", "litmus tests failed to run"},
    {.rows = NULL},
};

const struct page_section litmus_sections[] = {
    {"litmus", "Litmus tests", markup, parts, lines, litmus_rows, NULL},
    {.id = NULL},
};
