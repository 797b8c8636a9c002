/* SPDX-License-Identifier: MIT
 *
 * Sections of a page: rows that do not conform, and the matrix of verdicts.
 */
#include "html.h"
#include "members.h"
#include "page.h"
#include "verdict_words.h"

#include <string.h>

static bool is_alike(const json_t *a, const json_t *b, const char *member)
{
    return strcmp(text_in(a, member), text_in(b, member)) == 0;
}

size_t page_group(const json_t *rows, size_t r)
{
    return (size_t)number_in(json_array_get(rows, r), "group");
}

/* ---- Failures ---- */

static bool fails(const json_t *row)
{
    return strcmp(page_class(text_in(row, "verdict")), "bad") == 0;
}

static bool has_failures(const struct page *page)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        if (fails(row))
            return true;
    }
    return false;
}

/* A case, what came of it, and how to run it again. */
static void write_witness(FILE *to, const json_t *witness)
{
    const json_t *fault = json_object_get(witness, "fault");

    html(to, "<p>block <b>%s</b>, size <b>%s</b>, values %s, %s, %s: ", text_in(witness, "block"),
         text_in(witness, "size"), text_in(witness, "values"), text_in(witness, "model"),
         text_in(witness, "schedule"));
    page_outcome(to, witness);
    html(to, "%s</p>\n",
         json_is_true(json_object_get(witness, "smallest")) ? ". No smaller shape fails in this way"
                                                            : "");
    if (json_object_get(fault, "line") != NULL)
        page_code(to, text_in(fault, "file"), number_in(fault, "line"));
    page_replay(to, text_in(witness, "token"));
}

static void write_failures(FILE *to, const struct page *page)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        if (!fails(row))
            continue;
        html(to, "<details class=\"card\" id=\"failure-%zu\" open><summary><b>%s</b> %s on %s ", r,
             text_in(row, "id"), text_in(row, "form"), text_in(row, "engine"));
        page_verdict(to, text_in(row, "verdict"));
        html(to, "</summary>\n<p>%lld of %lld cases are wrong.</p>\n", number_in(row, "mismatches"),
             number_in(row, "cases"));
        if (text_in(row, "note")[0] != '\0')
            html(to, "<p class=\"note\">%s</p>\n", text_in(row, "note"));
        if (json_is_object(json_object_get(row, "witness")))
            write_witness(to, json_object_get(row, "witness"));
        if (json_is_object(json_object_get(row, "race")))
            page_pair(to, json_object_get(row, "race"));
        html(to, "</details>\n");
    }
}

const struct page_section page_failures = {"failures", "What does not conform", has_failures,
                                           write_failures};

/* ---- The matrix ---- */

enum { MOST_COLUMNS = 16 };

/* Columns of the matrix: the forms and engines that rows have, printed forms first. */
struct columns {
    const json_t *rows[MOST_COLUMNS]; /* one that stands for it */
    size_t count;
};

static bool is_of_column(const json_t *row, const json_t *column)
{
    return is_alike(row, column, "form") && is_alike(row, column, "engine");
}

static void add_columns(const struct page *page, const char *form, struct columns *columns)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        size_t c = 0;
        if ((strcmp(text_in(row, "form"), "printed") == 0) != (strcmp(form, "printed") == 0))
            continue;
        while (c < columns->count && !is_of_column(row, columns->rows[c]))
            c++;
        if (c == columns->count && c < MOST_COLUMNS)
            columns->rows[columns->count++] = row;
    }
}

static bool has_results(const struct page *page)
{
    return json_array_size(page->results) > 0;
}

/* How many columns from c on are of one form. */
static size_t columns_of_form(const struct columns *columns, size_t c)
{
    size_t end = c;

    while (end < columns->count && is_alike(columns->rows[end], columns->rows[c], "form"))
        end++;
    return end - c;
}

static void write_matrix_head(FILE *to, const struct columns *columns)
{
    html(to, "<thead><tr><th scope=\"col\" rowspan=\"2\">kernel</th>");
    for (size_t c = 0; c < columns->count; c += columns_of_form(columns, c))
        html(to, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", columns_of_form(columns, c),
             text_in(columns->rows[c], "form"));
    html(to, "<th scope=\"col\" rowspan=\"2\" class=\"words\">printed form is right "
             "where</th></tr>\n<tr>");
    for (size_t c = 0; c < columns->count; c++)
        html(to, "<th scope=\"col\" class=\"engine\"><span>%s</span></th>",
             text_in(columns->rows[c], "engine"));
    html(to, "</tr></thead>\n");
}

static void write_cell(FILE *to, const struct page *page, size_t r)
{
    const json_t *row = json_array_get(page->results, r);
    const char *verdict = text_in(row, "verdict");
    size_t group = page_group(page->results, r);

    html(to, "<td class=\"%s\">", page_class(verdict));
    if (fails(row))
        html(to, "<a href=\"#failure-%zu\">", r);
    else if (page_has_domain(page, group))
        html(to, "<a href=\"#domain-%zu\">", group);
    html(to, "<span aria-hidden=\"true\">%s</span><span class=\"hidden\">%s</span>",
         page_mark(verdict), verdict);
    if (fails(row) || page_has_domain(page, group))
        html(to, "</a>");
    html(to, "</td>");
}

static void write_kernel(FILE *to, const struct page *page, const struct columns *columns,
                         const json_t *kernel)
{
    html(to, "<tr><th scope=\"row\">%s</th>", text_in(kernel, "id"));
    for (size_t c = 0; c < columns->count; c++) {
        size_t r = 0;
        while (r < json_array_size(page->results) &&
               (!is_alike(json_array_get(page->results, r), kernel, "id") ||
                !is_of_column(json_array_get(page->results, r), columns->rows[c])))
            r++;
        if (r < json_array_size(page->results))
            write_cell(to, page, r);
        else
            html(to, "<td></td>");
    }
    html(to, "<td class=\"words\">%s</td></tr>\n",
         strcmp(text_in(kernel, "form"), "printed") == 0 ? text_in(kernel, "domain") : "");
}

static void write_legend(FILE *to)
{
    html(to, "<p class=\"legend\">");
    for (int v = 0; v < VERDICT_PARTIAL; v++) {
        page_verdict(to, verdict_name((enum verdict)v));
        html(to, " ");
    }
    html(to, "</p>\n");
}

static void write_verdicts(FILE *to, const struct page *page)
{
    struct columns columns = {.count = 0};
    json_t *row, *seen = json_object();
    size_t r;

    add_columns(page, "printed", &columns);
    add_columns(page, "total", &columns);
    write_legend(to);
    html(to, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Verdicts\">"
             "<table class=\"matrix\"><caption>Verdict by kernel, form and engine</caption>\n");
    write_matrix_head(to, &columns);
    html(to, "<tbody>\n");
    json_array_foreach(page->results, r, row)
    {
        if (json_object_get(seen, text_in(row, "id")) != NULL)
            continue;
        json_object_set_new(seen, text_in(row, "id"), json_true());
        write_kernel(to, page, &columns, row);
    }
    html(to, "</tbody></table></div>\n");
    json_decref(seen);
}

const struct page_section page_verdicts = {"verdicts", "Verdicts", has_results, write_verdicts};
