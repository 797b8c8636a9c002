/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on kernels: failures, verdicts, domains and races.
 */
#include "error_report.h"
#include "members.h"
#include "page.h"
#include "record_run.h"

/* ---- Cases and accesses ---- */

/* Markup of the outcome of a counterexample in words. */
#define OUTCOME                                                                                    \
    "{?fault}<b>{fault.kind}</b>: {fault.text}{/}{!fault}{?expected}<code>{place}</code>: "        \
    "expected <code>{expected}</code>, got <code>{got}</code>{/}{!expected}{outcome}{/}{/}"

/* The command that runs a case again. */
#define REPLAY                                                                                     \
    "{?case}<pre class=\"command\" tabindex=\"0\" role=\"region\" "                                \
    "aria-label=\"Command\">simtcheck replay {case}</pre>\n{/}"

/* Two unordered accesses. Their format is race_table of outcome_tables.h. */
#define SIDE(name, lead)                                                                           \
    "{*" name "}<div class=\"side\"><p><b>" lead                                                   \
    "</b> thread ({#thread.0},{#thread.1},{#thread.2}) of block "                                  \
    "({#block.0},{#block.1},{#block.2}){?grid} of grid {#grid}{/} "                                \
    "{?access=atomic}<b>updates</b> it atomically with {scope} scope{/}"                           \
    "{!access=atomic}<b>{?access=write}writes{/}{!access=write}reads{/}</b> it"                    \
    "{?volatile} (volatile){/}{/}{@values}, in <code>{kernel}</code></p>\n{@code}"                 \
    "{?inlined_at}<p class=\"where\">inlined at <code>{inlined_at}</code></p>\n{/}</div>\n{/}"
#define PAIR                                                                                       \
    "<div class=\"pair\"><p><b>{place}</b></p>\n<div class=\"sides\">\n" SIDE("first", "first")    \
        SIDE("second", "then") "</div>\n<p class=\"soft\">{missing}"                               \
                               "{?strong}; both are strong: no race, but their order may matter"   \
                               "{/}</p></div>\n"

/* ---- Failures ---- */

const char page_failures[] =
    "{*run}{?class=bad}<details class=\"card\" id=\"failure-{#at}\" open>"
    "<summary><b>{id}</b> {variant} on {engine} {=verdict}</summary>\n"
    "<p>{#mismatches} of {#cases} cases are wrong.</p>\n"
    "{?note}<p class=\"note\">{note}</p>\n{/}" PAGE_KNOWN_DEVIATION
    "{*counterexample}<p>block <b>{block}</b>, size <b>{size}</b>, values {values}, {model}, "
    "{schedule}: " OUTCOME "{?smallest}. No smaller shape fails in this way{/}</p>\n"
    "{*fault}{?line}{@code}{/}{/}" REPLAY "{/}{*race}" PAIR "{/}</details>\n{/}{/}";

/* ---- Links between rows ---- */

/* True if a row shows more than that everything is right. */
static bool is_notable(const json_t *row)
{
    return page_map_is_mixed(json_object_get(row, "map")) ||
           json_array_size(json_object_get(row, "boundaries")) > 0 ||
           json_is_object(json_object_get(row, "known_defect_counterexample"));
}

/* Links the rows of a kernel and variant. A failure has a part of its own, and rows that are
 * notable share one. */
static void link_group(json_t *group)
{
    json_t *first = json_object_get(json_array_get(group, 0), "at"), *row;
    bool is_notable_here = page_count(group, is_notable) > 0;
    size_t r;

    json_array_foreach(group, r, row)
    {
        json_object_set(row, "group", first);
        if (page_is(row, "class", "bad"))
            json_object_set_new(row, "link", json_sprintf("failure-%lld", number_in(row, "at")));
        else if (is_notable_here)
            json_object_set_new(row, "link",
                                json_sprintf("domain-%lld", json_integer_value(first)));
    }
}

bool page_link_rows(json_t *page)
{
    json_t *rows = json_object_get(page, "run"), *groups, *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_object_set_new(row, "at", json_integer((json_int_t)r));
    }
    groups = page_groups(rows, "{id} {variant}");
    json_object_set_new(page, "kernels", groups);
    json_array_foreach(groups, r, row)
    {
        link_group(row);
    }
    groups = page_groups(rows, "{id} {variant} on {engine}");
    for (r = 0; r < json_array_size(groups) && json_array_size(json_array_get(groups, r)) == 1; r++)
        ;
    row = json_array_get(json_array_get(groups, r), 0);
    if (row != NULL)
        error_report("the row %s %s on %s appears twice: make a separate page for each file",
                     text_in(row, "id"), text_in(row, "variant"), text_in(row, "engine"));
    json_decref(groups);
    return row == NULL;
}

/* ---- The matrix of verdicts ---- */

static bool is_original(const json_t *row)
{
    return page_is(row, "variant", variant_kind_name(VARIANT_ORIGINAL));
}

/* Returns the rows by variant and engine, those of original variants first. */
static json_t *columns_of(const json_t *rows)
{
    json_t *ordered = json_array(), *columns;

    for (int pass = 0; pass < 2; pass++)
        for (struct each k = {.rows = rows}; each_next(&k);)
            if (is_original(k.row) == (pass == 0))
                json_array_append(ordered, (json_t *)(uintptr_t)k.row);
    columns = page_groups(ordered, "{variant} {engine}");
    json_decref(ordered);
    return columns;
}

/* Writes the row of a kernel. A verdict links to the failure or the domain. */
static void write_kernel(FILE *to, const json_t *rows, const json_t *columns)
{
    page_fill(to, rows, "<tr><th scope=\"row\">{0.id}</th>");
    for (struct each c = {.rows = columns}; each_next(&c);) {
        const json_t *column = json_array_get(c.row, 0);
        struct each k = {.rows = rows};
        while (each_next(&k) && (!page_is_alike(k.row, column, "variant") ||
                                 !page_is_alike(k.row, column, "engine")))
            ;
        page_fill(to, k.row,
                  k.row == NULL
                      ? "<td></td>"
                      : "<td class=\"{class}\">{?link}<a href=\"#{link}\">{/}"
                        "<span aria-hidden=\"true\">{mark}</span><span class=\"hidden\">{verdict}"
                        "</span>{?link}</a>{/}</td>");
    }
    page_fill(to, json_array_get(rows, 0), "<td class=\"words\">");
    if (is_original(json_array_get(rows, 0)))
        page_fill(to, rows, "{0.domain}");
    fputs("</td></tr>\n", to);
}

static void write_matrix(FILE *to, const json_t *rows)
{
    json_t *columns = columns_of(rows), *kernels = page_groups(rows, "{id}"),
           *head = json_pack("{s:O, s:o}", "columns", columns, "variants",
                             page_groups(columns, "{0.variant}"));

    page_fill(to, head,
              "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Verdicts\">"
              "<table class=\"matrix\"><caption>Verdict by kernel, variant and engine</caption>\n"
              "<thead><tr><th scope=\"col\" rowspan=\"2\">kernel</th>"
              "{*variants}<th scope=\"colgroup\" colspan=\"{#.}\">{0.0.variant}</th>{/}"
              "<th scope=\"col\" rowspan=\"2\" class=\"words\">original variant is right where</th>"
              "</tr>\n<tr>"
              "{*columns}<th scope=\"col\" class=\"engine\"><span>{0.engine}</span></th>{/}"
              "</tr></thead>\n<tbody>\n");
    for (struct each k = {.rows = kernels}; each_next(&k);)
        write_kernel(to, k.row, columns);
    fputs("</tbody></table></div>\n", to);
    json_decref(columns);
    json_decref(kernels);
    json_decref(head);
}

void page_verdicts(FILE *to, const json_t *page)
{
    json_t *legend = json_array();

    for (int v = 0; v < VERDICT_PARTIAL; v++)
        json_array_append_new(legend, json_string(verdict_name((enum verdict)v)));
    if (json_array_size(json_object_get(page, "run")) > 0) {
        page_fill(to, legend, "<p class=\"key\">{*.}{=.} {/}</p>\n");
        write_matrix(to, json_object_get(page, "run"));
    }
    json_decref(legend);
}

/* ---- Domains ---- */

static const struct page_column boundary_columns[] = {
    PAGE_COLUMN("condition", struct boundary_record, condition),
    PAGE_COLUMN(
        "if violated", struct boundary_record, counterexample,
        .markup =
            "{*counterexample}block {block}, size {size}: " OUTCOME
            "<br><code class=\"soft\">{case}</code>{/}{!counterexample}"
            "{?cases}no failing case on this engine{/}{!cases}no case that violates it{/}{/}"),
    {.head = NULL},
};
static const struct page_table boundaries = {"{engine}: right where all of these hold",
                                             "boundaries", &boundary_table, boundary_columns};

/* Writes each different map once, with the engines that have it. */
static void write_maps(FILE *to, const json_t *group)
{
    json_t *maps = page_groups(group, "{*map}{.};{/}");

    fputs("<div class=\"maps\">", to);
    for (struct each k = {.rows = maps}; each_next(&k);)
        if (json_array_size(json_object_get(json_array_get(k.row, 0), "map")) > 0)
            page_map(to, k.row);
    fputs("</div>\n", to);
    json_decref(maps);
}

/* Writes the conditions and the known defect of a row. Those of a group's first row are open. */
static void write_evidence(FILE *to, const json_t *row)
{
    bool is_first = number_in(row, "at") == number_in(row, "group");

    page_fill(to, row, is_first ? "" : "<details><summary>On {engine}</summary>\n");
    if (json_array_size(json_object_get(row, "boundaries")) > 0)
        page_table(to, &boundaries, row);
    page_fill(to, row,
              "{?known_defect_counterexample}<p class=\"known_defect note\"><b>Known defect on "
              "{engine}</b>: {known_defect}. Of {#inside} cases inside the domain, {#found} are "
              "wrong, for example {*known_defect_counterexample}block {block}, size {size}, "
              "{model}, {schedule}: " OUTCOME "</p>\n" REPLAY "{/}{/}"
              "{?note}<p class=\"note\">{engine}: {note}</p>\n{/}");
    fputs(is_first ? "" : "</details>\n", to);
}

static void write_domain(FILE *to, const json_t *group)
{
    page_fill(to, group,
              "<details class=\"card\" id=\"domain-{#0.at}\"><summary><b>{0.id}</b> {0.variant} "
              "{*.}<span class=\"sign {class}\"><span aria-hidden=\"true\">{mark}</span> {engine}"
              "<span class=\"hidden\">: {verdict}</span></span> {/}</summary>\n"
              "<p>Domain: <b>{0.domain}</b></p>\n");
    write_maps(to, group);
    for (struct each k = {.rows = group}; each_next(&k);)
        write_evidence(to, k.row);
    fputs("</details>\n", to);
}

void page_domains(FILE *to, const json_t *page)
{
    if (page_count(json_object_get(page, "run"), is_notable) > 0)
        page_map_legend(to);
    for (struct each k = {.rows = json_object_get(page, "kernels")}; each_next(&k);)
        if (page_count(k.row, is_notable) > 0)
            write_domain(to, k.row);
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
    return !json_is_true(json_object_get(row, "as_expected")) || page_is(row, "class", "bad");
}

bool page_race_is_gone(const json_t *row)
{
    return page_is(row, "class", "none");
}

/* Writes the first pairs of the rows. Those of the same lines are one. */
static void write_pairs(FILE *to, const json_t *rows)
{
    json_t *all = json_array(), *groups;

    for (struct each k = {.rows = rows}; each_next(&k);)
        json_array_extend(all, json_object_get(k.row, "pairs"));
    groups = page_groups(all, "{*first}{file}:{#line} {access}{/} "
                              "{*second}{file}:{#line} {access}{/}");
    for (struct each k = {.rows = groups}; k.next < MAX_PAIRS && each_next(&k);)
        page_fill(to, json_array_get(k.row, 0), PAIR);
    if (json_array_size(groups) > MAX_PAIRS)
        fprintf(to, "<p class=\"note\">And %zu more pairs of lines.</p>\n",
                json_array_size(groups) - MAX_PAIRS);
    json_decref(all);
    json_decref(groups);
}

/* Writes the rows of a kernel, unless all are race-free. */
static void write_racing(FILE *to, const json_t *rows)
{
    struct each first = {.rows = rows};

    while (each_next(&first) && is_free(first.row))
        ;
    if (first.row == NULL)
        return;
    page_fill(to, first.row,
              "<details class=\"card\"><summary><b>{id}</b> {variant} {=verdict}</summary>\n");
    page_fill(
        to, rows,
        "<ul class=\"changes\">\n"
        "{*.}<li><b>{model}{?engine}, {engine}{/}</b> {=verdict}"
        "{!as_expected} <b class=\"alarm\">but {expected} is expected</b>{/}" PAGE_KNOWN_DEVIATION
        "{!class=none} {#racing} of {#cases} cases race"
        "{?unexpected}; {#unexpected} have a race that its known defect does not name{/}"
        "{?faults}; {#faults} end in a fault{/}"
        "{*search}. Block {block}, size {size}: {?wrong}{outcome}" REPLAY "{/}"
        "{!wrong}right in all {#schedules} schedules with up to {#delays} delays{/}{/}{/}"
        "</li>\n{/}</ul>\n");
    write_pairs(to, rows);
    fputs("</details>\n", to);
}

/* Writes the counts. Rows that end in a fault or did not run have no race either, so they are
 * counted separately. */
static void write_counts(FILE *to, const json_t *races)
{
    size_t faults = page_count(races, is_fault), gone = page_count_class(races, "none"),
           pairs = page_count(races, has_pairs);

    fprintf(to, "<p>%zu of %zu rows, one for each model and engine, are race-free.",
            page_count(races, is_free), json_array_size(races));
    if (faults > 0)
        fprintf(to, " %zu end in a fault.", faults);
    if (gone > 0)
        fprintf(to, " %zu could not be run.", gone);
    if (pairs > 0)
        fprintf(to, " %zu have pairs of accesses that the CUDA model does not order.", pairs);
    fputs("</p>\n", to);
}

void page_races(FILE *to, const json_t *page)
{
    const json_t *rows = json_object_get(page, "races");
    json_t *kernels = page_groups(rows, "{id} {variant}");

    if (json_array_size(rows) > 0)
        write_counts(to, rows);
    for (struct each k = {.rows = kernels}; each_next(&k);)
        write_racing(to, k.row);
    json_decref(kernels);
}
