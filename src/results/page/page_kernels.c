/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on kernels: failures, verdicts, domains and races.
 */
#include "html.h"
#include "members.h"
#include "page.h"
#include "verdict_words.h"

#include <string.h>

/* ---- Failures ---- */

static bool fails(const json_t *row)
{
    return strcmp(page_class(text_in(row, "verdict")), "bad") == 0;
}

/* Writes a case, its outcome, and the command that runs it again. */
static void write_counterexample(FILE *to, const json_t *counterexample)
{
    const json_t *fault = json_object_get(counterexample, "fault");

    page_fill(
        to, counterexample,
        "<p>block <b>{block}</b>, size <b>{size}</b>, values {values}, {model}, {schedule}: ");
    page_outcome(to, counterexample);
    page_fill(to, counterexample, "{?smallest}. No smaller shape fails in this way{/}</p>\n");
    if (json_object_get(fault, "line") != NULL)
        page_code(to, text_in(fault, "file"), number_in(fault, "line"));
    page_replay(to, text_in(counterexample, "case"));
}

void page_failures(FILE *to, const struct page *page)
{
    for (struct each k = {.rows = page->results}; each_next(&k);) {
        if (!fails(k.row))
            continue;
        html(to, "<details class=\"card\" id=\"failure-%zu\" open>", k.next - 1);
        page_fill(to, k.row,
                  "<summary><b>{id}</b> {variant} on {engine} {=verdict}</summary>\n"
                  "<p>{#mismatches} of {#cases} cases are wrong.</p>\n"
                  "{?note}<p class=\"note\">{note}</p>\n{/}" PAGE_KNOWN_DEVIATION);
        if (json_is_object(json_object_get(k.row, "counterexample")))
            write_counterexample(to, json_object_get(k.row, "counterexample"));
        if (json_is_object(json_object_get(k.row, "race")))
            page_pair(to, json_object_get(k.row, "race"));
        html(to, "</details>\n");
    }
}

/* ---- Groups: the rows of a kernel and variant on all engines ---- */

static size_t group_of(const json_t *row)
{
    return (size_t)number_in(row, "group");
}

/* True if a row shows more than that everything is right. */
static bool is_notable(const json_t *row)
{
    return page_map_is_mixed(json_object_get(row, "map")) ||
           json_array_size(json_object_get(row, "boundaries")) > 0 ||
           json_is_object(json_object_get(row, "known_defect_counterexample"));
}

/* True if a group starts at that row and has a part "domain-<group>" in the section of domains. */
static bool has_domain(const struct page *page, size_t group)
{
    bool has = false;

    for (struct each k = {.rows = page->results}; each_next(&k);)
        has = has || (group_of(k.row) == group && is_notable(k.row));
    return has;
}

/* ---- The matrix of verdicts ---- */

enum { MAX_COLUMNS = 16 };

/* The variants and engines that rows have, original variants first. */
struct columns {
    const json_t *rows[MAX_COLUMNS]; /* the first row of each column */
    size_t count;
};

static bool is_of_column(const json_t *row, const json_t *column)
{
    return page_is_alike(row, column, "variant") && page_is_alike(row, column, "engine");
}

static void add_columns(const struct page *page, bool original, struct columns *columns)
{
    for (struct each k = {.rows = page->results}; each_next(&k);) {
        size_t c = 0;
        while (c < columns->count && !is_of_column(k.row, columns->rows[c]))
            c++;
        if (page_is(k.row, "variant", "original") == original && c == columns->count &&
            c < MAX_COLUMNS)
            columns->rows[columns->count++] = k.row;
    }
}

static void write_matrix_head(FILE *to, const struct columns *columns)
{
    html(to, "<thead><tr><th scope=\"col\" rowspan=\"2\">kernel</th>");
    for (size_t c = 0, end; c < columns->count; c = end) {
        end = c + 1;
        while (end < columns->count &&
               page_is_alike(columns->rows[end], columns->rows[c], "variant"))
            end++;
        html(to, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", end - c,
             text_in(columns->rows[c], "variant"));
    }
    html(to, "<th scope=\"col\" rowspan=\"2\" class=\"words\">original variant is right "
             "where</th></tr>\n<tr>");
    for (size_t c = 0; c < columns->count; c++)
        page_fill(to, columns->rows[c],
                  "<th scope=\"col\" class=\"engine\"><span>{engine}</span></th>");
    html(to, "</tr></thead>\n");
}

/* Writes the verdict of row r of the results. It links to the failure or the domain. */
static void write_cell(FILE *to, const struct page *page, const json_t *row, size_t r)
{
    const char *verdict = text_in(row, "verdict");
    bool leads = true;

    html(to, "<td class=\"%s\">", page_class(verdict));
    if (fails(row))
        html(to, "<a href=\"#failure-%zu\">", r);
    else if (has_domain(page, group_of(row)))
        html(to, "<a href=\"#domain-%zu\">", group_of(row));
    else
        leads = false;
    html(to, "<span aria-hidden=\"true\">%s</span><span class=\"hidden\">%s</span>",
         page_mark(verdict), verdict);
    html(to, leads ? "</a></td>" : "</td>");
}

static void write_kernel(FILE *to, const struct page *page, const struct columns *columns,
                         const json_t *kernel)
{
    page_fill(to, kernel, "<tr><th scope=\"row\">{id}</th>");
    for (size_t c = 0; c < columns->count; c++) {
        struct each k = {.rows = page->results};
        while (each_next(&k) &&
               (!page_is_alike(k.row, kernel, "id") || !is_of_column(k.row, columns->rows[c])))
            ;
        if (k.row != NULL)
            write_cell(to, page, k.row, k.next - 1);
        else
            html(to, "<td></td>");
    }
    html(to, "<td class=\"words\">%s</td></tr>\n",
         page_is(kernel, "variant", "original") ? text_in(kernel, "domain") : "");
}

static void write_matrix(FILE *to, const struct page *page)
{
    struct columns columns = {.count = 0};
    json_t *seen = json_object();

    add_columns(page, true, &columns);
    add_columns(page, false, &columns);
    html(to, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Verdicts\">"
             "<table class=\"matrix\"><caption>Verdict by kernel, variant and engine</caption>\n");
    write_matrix_head(to, &columns);
    html(to, "<tbody>\n");
    for (struct each k = {.rows = page->results}; each_next(&k);) {
        if (json_object_get(seen, text_in(k.row, "id")) == NULL)
            write_kernel(to, page, &columns, k.row);
        json_object_set_new(seen, text_in(k.row, "id"), json_true());
    }
    page_table_end(to);
    json_decref(seen);
}

void page_verdicts(FILE *to, const struct page *page)
{
    json_t *legend = json_array();

    for (int v = 0; v < VERDICT_PARTIAL; v++)
        json_array_append_new(legend, json_string(verdict_name((enum verdict)v)));
    if (json_array_size(page->results) > 0) {
        page_fill(to, legend, "<p class=\"key\">{*.}{=.} {/}</p>\n");
        write_matrix(to, page);
    }
    json_decref(legend);
}

/* ---- Domains ---- */

/* Writes each different map once, with the engines that have it. */
static void write_maps(FILE *to, const struct page *page, size_t group)
{
    html(to, "<div class=\"maps\">");
    for (struct each k = {.rows = page->results}; each_next(&k);) {
        const json_t *map = json_object_get(k.row, "map");
        char engines[128] = "";
        bool first = true;
        if (group_of(k.row) != group || json_array_size(map) == 0)
            continue;
        for (struct each other = {.rows = page->results}; each_next(&other);) {
            size_t used = strlen(engines);
            if (group_of(other.row) != group || !json_equal(json_object_get(other.row, "map"), map))
                continue;
            first = first && (used > 0 || other.row == k.row);
            snprintf(engines + used, sizeof engines - used, "%s%s", used > 0 ? ", " : "",
                     text_in(other.row, "engine"));
        }
        if (first)
            page_map(to, map, engines);
    }
    html(to, "</div>\n");
}

static void write_condition(FILE *to, const json_t *boundary)
{
    const json_t *counterexample = json_object_get(boundary, "counterexample");

    page_fill(to, boundary, "<tr><th scope=\"row\">{condition}</th><td>");
    if (json_is_object(counterexample)) {
        page_fill(to, counterexample, "block {block}, size {size}: ");
        page_outcome(to, counterexample);
        page_fill(to, counterexample, "<br><code class=\"soft\">{case}</code>");
    } else {
        page_fill(to, boundary,
                  "{?cases}no failing case on this engine{/}{!cases}no case that violates it{/}");
    }
    html(to, "</td></tr>\n");
}

static void write_boundaries(FILE *to, const json_t *row)
{
    char caption[256];

    snprintf(caption, sizeof caption, "%s: right where all of these hold", text_in(row, "engine"));
    page_table(to, caption, (const char *const[]){"condition", "if violated", NULL});
    for (struct each k = {.rows = json_object_get(row, "boundaries")}; each_next(&k);)
        write_condition(to, k.row);
    page_table_end(to);
}

static void write_known_defect(FILE *to, const json_t *row)
{
    const json_t *counterexample = json_object_get(row, "known_defect_counterexample");

    page_fill(to, row,
              "<p class=\"known_defect note\"><b>Known defect on {engine}</b>: {known_defect}. Of "
              "{#inside} cases inside the domain, {#found} are wrong, for example block "
              "{known_defect_counterexample.block}, size "
              "{known_defect_counterexample.size}, {known_defect_counterexample.model}, "
              "{known_defect_counterexample.schedule}: ");
    page_outcome(to, counterexample);
    html(to, "</p>\n");
    page_replay(to, text_in(counterexample, "case"));
}

/* Writes the conditions and the known defect of a row. Those of a group's first row are open. */
static void write_evidence(FILE *to, const json_t *row, bool folded)
{
    page_fill(to, row, folded ? "<details><summary>On {engine}</summary>\n" : "");
    if (json_array_size(json_object_get(row, "boundaries")) > 0)
        write_boundaries(to, row);
    if (json_is_object(json_object_get(row, "known_defect_counterexample")))
        write_known_defect(to, row);
    page_fill(to, row, "{?note}<p class=\"note\">{engine}: {note}</p>\n{/}");
    html(to, folded ? "</details>\n" : "");
}

static void write_group(FILE *to, const struct page *page, const json_t *first)
{
    size_t group = group_of(first);

    html(to, "<details class=\"card\" id=\"domain-%zu\">", group);
    page_fill(to, first, "<summary><b>{id}</b> {variant} ");
    for (struct each k = {.rows = page->results}; each_next(&k);) {
        const char *verdict = text_in(k.row, "verdict");
        if (group_of(k.row) == group)
            html(to,
                 "<span class=\"sign %s\"><span aria-hidden=\"true\">%s</span> %s<span "
                 "class=\"hidden\">: %s</span></span> ",
                 page_class(verdict), page_mark(verdict), text_in(k.row, "engine"), verdict);
    }
    page_fill(to, first, "</summary>\n<p>Domain: <b>{domain}</b></p>\n");
    write_maps(to, page, group);
    for (struct each k = {.rows = page->results}; each_next(&k);)
        if (group_of(k.row) == group)
            write_evidence(to, k.row, k.row != first);
    html(to, "</details>\n");
}

void page_domains(FILE *to, const struct page *page)
{
    if (page_count(page->results, is_notable) > 0)
        page_map_legend(to);
    for (struct each k = {.rows = page->results}; each_next(&k);)
        if (has_domain(page, k.next - 1))
            write_group(to, page, k.row);
}

/* ---- Races ---- */

enum { MAX_PAIRS = 3 };

static bool is_free(const json_t *row)
{
    return page_is(row, "verdict", race_verdict_name(RACE_FREE)) &&
           !json_is_false(json_object_get(row, "as_expected"));
}

static bool is_fault(const json_t *row)
{
    return page_is(row, "verdict", race_verdict_name(RACE_FAULT));
}

static bool has_pairs(const json_t *row)
{
    return json_array_size(json_object_get(row, "pairs")) > 0;
}

bool page_race_is_wrong(const json_t *row)
{
    return !json_is_true(json_object_get(row, "as_expected")) || fails(row);
}

static bool is_same_kernel(const json_t *a, const json_t *b)
{
    return page_is_alike(a, b, "id") && page_is_alike(a, b, "variant");
}

/* Writes the result of the search through schedules. */
static void write_search(FILE *to, const json_t *search)
{
    page_fill(to, search,
              ". Block {block}, size {size}: {?wrong}{outcome}{/}{!wrong}right in all {#schedules} "
              "schedules with up to {#delays} delays{/}");
    if (json_is_true(json_object_get(search, "wrong")))
        page_replay(to, text_in(search, "case"));
}

static void write_model(FILE *to, const json_t *row)
{
    page_fill(
        to, row,
        "<li><b>{model}{?engine}, {engine}{/}</b> {=verdict}{!as_expected} <b class=\"alarm\">"
        "but {expected} is expected</b>{/}" PAGE_KNOWN_DEVIATION);
    if (!page_is(row, "verdict", race_verdict_name(RACE_SKIPPED))) {
        page_fill(to, row,
                  " {#racing} of {#cases} cases race"
                  "{?unexpected}; {#unexpected} have a race that its known defect does not name{/}"
                  "{?faults}; {#faults} end in a fault{/}");
        if (json_is_object(json_object_get(row, "search")))
            write_search(to, json_object_get(row, "search"));
    }
    html(to, "</li>\n");
}

/* Writes the accesses of a row. `written` lists what earlier rows wrote. */
static void write_pairs(FILE *to, const json_t *row, json_t *written)
{
    for (struct each k = {.rows = json_object_get(row, "pairs")}; each_next(&k);) {
        const json_t *first = json_object_get(k.row, "first"),
                     *second = json_object_get(k.row, "second");
        char key[640];
        snprintf(key, sizeof key, "%s:%lld %s %s:%lld %s", text_in(first, "file"),
                 number_in(first, "line"), text_in(first, "access"), text_in(second, "file"),
                 number_in(second, "line"), text_in(second, "access"));
        if (json_object_get(written, key) == NULL && json_object_size(written) < MAX_PAIRS)
            page_pair(to, k.row);
        json_object_set_new_nocheck(written, key, json_true());
    }
}

static void write_racing(FILE *to, const struct page *page, const json_t *kernel)
{
    json_t *written = json_object();

    page_fill(to, kernel,
              "<details class=\"card\"><summary><b>{id}</b> {variant} {=verdict}</summary>\n"
              "<ul class=\"changes\">\n");
    for (struct each k = {.rows = page->races}; each_next(&k);)
        if (is_same_kernel(k.row, kernel))
            write_model(to, k.row);
    html(to, "</ul>\n");
    for (struct each k = {.rows = page->races}; each_next(&k);)
        if (is_same_kernel(k.row, kernel))
            write_pairs(to, k.row, written);
    if (json_object_size(written) > MAX_PAIRS)
        html(to, "<p class=\"note\">And %zu more pairs of lines.</p>\n",
             json_object_size(written) - MAX_PAIRS);
    html(to, "</details>\n");
    json_decref(written);
}

/* Writes the counts. Rows that end in a fault or did not run have no race either, so they are
 * counted separately. */
static void write_counts(FILE *to, const json_t *races)
{
    size_t faults = page_count(races, is_fault), gone = page_count_class(races, "none"),
           pairs = page_count(races, has_pairs);

    html(to, "<p>%zu of %zu rows, one for each model and engine, are race-free.",
         page_count(races, is_free), json_array_size(races));
    if (faults > 0)
        html(to, " %zu end in a fault.", faults);
    if (gone > 0)
        html(to, " %zu could not be run.", gone);
    if (pairs > 0)
        html(to, " %zu have pairs of accesses that the CUDA model does not order.", pairs);
    html(to, "</p>\n");
}

void page_races(FILE *to, const struct page *page)
{
    if (json_array_size(page->races) > 0)
        write_counts(to, page->races);
    for (struct each k = {.rows = page->races}; each_next(&k);) {
        struct each first = {.rows = page->races};
        while (each_next(&first) && (is_free(first.row) || !is_same_kernel(first.row, k.row)))
            ;
        if (first.row == k.row)
            write_racing(to, page, k.row);
    }
}
