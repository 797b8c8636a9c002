/* SPDX-License-Identifier: MIT
 *
 * The section of a page on litmus tests.
 */
#include "html.h"
#include "litmus_wing.h"

/* Returns whether an outcome of the row has that verdict. */
static bool has_outcome(const json_t *row, const char *verdict)
{
    for (struct each k = {.rows = json_object_get(row, "outcomes")}; each_next(&k);)
        if (page_is(k.row, "verdict", verdict))
            return true;
    return false;
}

bool page_litmus_is_wrong(const json_t *row)
{
    return has_outcome(row, "forbidden");
}

bool page_litmus_has_failed(const json_t *row)
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

static void write_outcomes(FILE *to, const json_t *rows, const char *verdict, const char *caption)
{
    page_table(to, caption,
               (const char *const[]){"test", "compiler", "outcome", "times", "instances", "scopes",
                                     "threads", NULL});
    for (struct each k = {.rows = rows}; each_next(&k);)
        for (struct each o = {.rows = json_object_get(k.row, "outcomes")}; each_next(&o);) {
            if (!page_is(o.row, "verdict", verdict))
                continue;
            page_fill(to, k.row, "<tr><th scope=\"row\">{test}</th><td>{compiler}</td>");
            page_fill(to, o.row,
                      "<td>{outcome}" PAGE_KNOWN_DEVIATION
                      "</td><td class=\"number\">{#count}</td>");
            page_fill(to, k.row,
                      "<td class=\"number\">{#instances}</td><td>{scopes}</td><td>{threads}</td>"
                      "</tr>\n");
        }
    page_table_end(to);
}

/* Writes the tests that did not run, each with its reason in that member. */
static void write_reasons(FILE *to, const json_t *rows, page_test *is, const char *markup)
{
    if (page_count(rows, is) == 0)
        return;
    html(to, "<ul class=\"plain\">\n");
    for (struct each k = {.rows = rows}; each_next(&k);)
        if (is(k.row))
            page_fill(to, k.row, markup);
    html(to, "</ul>\n");
}

void page_litmus(FILE *to, const struct page *page)
{
    const json_t *rows = page_rows(page, "litmus");
    const size_t count = json_array_size(rows), weak = page_count(rows, is_weak),
                 skipped = page_count(rows, is_skipped),
                 failed = page_count(rows, page_litmus_has_failed);

    if (count == 0)
        return;
    html(to,
         "<p>%zu combinations of test and compiler: %zu ran, %zu had a weak outcome, %zu were "
         "skipped, %zu failed to run.</p>\n",
         count, count - skipped - failed, weak, skipped, failed);
    if (page_count(rows, page_litmus_is_wrong) > 0)
        write_outcomes(to, rows, "forbidden", "Outcomes that the memory model forbids");
    write_reasons(to, rows, page_litmus_has_failed,
                  "<li><b>{test}</b>, {compiler}: {error}</li>\n");
    html(to, "<details class=\"card\"><summary>Weak and skipped</summary>\n");
    if (weak > 0)
        write_outcomes(to, rows, "weak", "Weak outcomes, which the model allows");
    write_reasons(to, rows, is_skipped, "<li><b>{test}</b>, {compiler}: {skipped}</li>\n");
    html(to, "</details>\n");
}
