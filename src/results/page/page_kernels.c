/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on kernels: failures, verdicts, domains and races.
 */
#include "difference.h"
#include "error_report.h"
#include "members.h"
#include "page.h"

/* ---- Markup of cases and accesses ---- */

/* The outcome of a counterexample in words, and the command that runs a case again. */
#define OUTCOME                                                                                    \
    "{?fault}<b>{fault.kind}</b>: {fault.text}{/}{!fault}{?expected}<code>{place}</code>: "        \
    "expected <code>{expected}</code>, got <code>{got}</code>{/}{!expected}{outcome}{/}{/}"
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

/* Writes the values of an access as 32-bit numbers. */
static void write_values(FILE *to, const json_t *side)
{
    const json_t *before = json_object_get(side, "old"), *after = json_object_get(side, "new"),
                 *value = json_object_get(side, "value");

    if (before != NULL && after != NULL)
        fprintf(to, ", %d to %d", (int)json_integer_value(before), (int)json_integer_value(after));
    else if (after != NULL || value != NULL)
        fprintf(to, ", %d", (int)json_integer_value(after != NULL ? after : value));
}

/* ---- The verdict ---- */

/* True if a row of `races` differs from what the catalogue declares, or ends in a fault, and that
 * is not a known deviation. */
static bool is_wrong_race(const json_t *row)
{
    return (!json_is_true(json_object_get(row, "as_expected")) || page_is(row, "class", "bad")) &&
           !page_is(row, "class", "none") &&
           !json_is_object(json_object_get(row, "known_deviation"));
}

static bool is_wrong_run(const json_t *row)
{
    return page_is(row, "class", "bad") && !json_is_object(json_object_get(row, "known_deviation"));
}

static bool is_not_run(const json_t *row)
{
    return page_is(row, "class", "none");
}

json_t *page_row_verdict(const json_t *page, bool fails, bool has_others)
{
    const json_t *run = json_object_get(page, "run"), *races = json_object_get(page, "races");
    size_t rows = json_array_size(run) + json_array_size(races),
           wrong = page_count(run, is_wrong_run) + page_count(races, is_wrong_race),
           gone = page_count(run, is_not_run) + page_count(races, is_not_run),
           right = rows - wrong - gone;
    const char *word = wrong > 0 || fails       ? "FAIL"
                       : gone == rows           ? "SKIPPED"
                       : gone > 0 || has_others ? "PARTIAL"
                                                : "PASS";
    char skipped[64] = "";
    json_t *text;

    if (rows == 0)
        return NULL;
    if (gone > 0)
        snprintf(skipped, sizeof skipped, ", %zu skipped", gone);
    text = wrong > 0
               ? json_sprintf("%s: %zu of %zu rows %s%s", word, wrong, rows,
                              wrong == 1 ? "is not as it should be" : "are not as they should be",
                              skipped)
           : right < rows ? json_sprintf("%s: %zu of %zu rows are as they should be%s", word, right,
                                         rows, skipped)
           : rows == 1    ? json_sprintf("%s: the row is as it should be", word)
                          : json_sprintf("%s: all %zu rows are as they should be", word, rows);
    return json_pack("{s:s, s:o}", "class",
                     wrong > 0                ? "bad"
                     : gone > 0 || has_others ? "lack"
                                              : "good",
                     "text", text);
}

/* ---- Failures ---- */

static const char failures[] =
    "{*run:class=bad}<details class=\"card\" id=\"failure-{#at}\" open>"
    "<summary><b>{id}</b> {variant} on {engine} {=verdict}</summary>\n"
    "<p>{#mismatches} of {#cases} cases are wrong.</p>\n"
    "{?note}<p class=\"note\">{note}</p>\n{/}" PAGE_KNOWN_DEVIATION
    "{*counterexample}{@title}<p><b>{?fault}{fault.text}{/}{!fault}" OUTCOME "{/}</b></p>\n"
    "{*fault}{?line}{@code}{/}{/}<p class=\"note\"><b>case</b>: block {block}, size {size}, values "
    "{values}, {model}, {schedule}{?smallest}; no smaller shape fails in this way{/}</p>\n" REPLAY
    "</div>\n{/}{*race}" PAIR "{/}</details>\n{/}";

/* Writes the title of a counterexample, as in the text of a command: its place and the rule. */
static void write_title(FILE *to, const json_t *counterexample)
{
    const json_t *fault = json_object_get(counterexample, "fault");
    const char *rule = text_in(fault, "kind");
    char title[RULE_TITLE];

    page_message_form.title(
        to, text_in(fault, "file")[0] != '\0' ? text_in(fault, "file") : NULL,
        (uint64_t)number_in(fault, "line"), "error",
        rule_title(rule[0] != '\0' ? rule : verdict_name(VERDICT_MISMATCH), title));
}

/* ---- The matrix of verdicts ---- */

/* A verdict links to the failure or the domain. */
static const char verdicts[] =
    "{*matrix}<p class=\"key\">{*legend}{=.} {/}</p>\n"
    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Verdicts\">"
    "<table class=\"matrix{?columns:>6} dense{/}\"><caption>Verdict by kernel, variant and "
    "engine</caption>\n"
    "<thead><tr><th scope=\"col\" rowspan=\"2\">kernel</th>"
    "{*variants}<th scope=\"colgroup\" colspan=\"{#.}\">{0.0.variant}</th>{/}"
    "<th scope=\"col\" rowspan=\"2\" class=\"words\">original variant is right where</th></tr>\n"
    "<tr>{*columns}<th scope=\"col\" class=\"engine\"><span>{0.engine}</span></th>{/}"
    "</tr></thead>\n<tbody>\n"
    "{*kernels}<tr><th scope=\"row\">{id}</th>"
    "{*cells}{!id}<td></td>{/}{?id}<td class=\"{class}\">{?link}<a href=\"#{link}\">{/}"
    "<span aria-hidden=\"true\">{mark}</span><span class=\"hidden\">{verdict}</span>"
    "{?link}</a>{/}</td>{/}{/}"
    "<td class=\"words\">{?variant=original}{domain}{/}</td></tr>\n{/}</tbody></table></div>\n{/}";

/* Returns the first row of a kernel, with its row of each column as "cells", or an empty one. */
static json_t *kernel_of(const json_t *rows, const json_t *columns)
{
    json_t *cells = json_array(), *kernel = json_copy(json_array_get(rows, 0));
    char name[64];

    for (struct each k = {.rows = columns}; each_next(&k);) {
        const json_t *column = json_array_get(k.row, 0);
        json_t *found;
        snprintf(name, sizeof name, ".:variant=%s:engine=%s", text_in(column, "variant"),
                 text_in(column, "engine"));
        found = page_value(rows, name);
        json_array_append_new(cells, json_array_size(found) > 0
                                         ? json_copy(json_array_get(found, 0))
                                         : json_object());
        json_decref(found);
    }
    json_object_set_new(kernel, "cells", cells);
    return kernel;
}

/* Returns the columns of the matrix, those of original variants first; its kernels; and all
 * verdicts. */
static json_t *matrix_of(const json_t *rows)
{
    json_t *ordered = page_value(rows, ".:variant=original"),
           *others = page_value(rows, ".:variant=corrected"), *groups = page_groups(rows, "{id}"),
           *legend = json_array(), *kernels = json_array(), *columns;

    json_array_extend(ordered, others);
    columns = page_groups(ordered, "{variant} {engine}");
    for (int v = 0; v < VERDICT_PARTIAL; v++)
        json_array_append_new(legend, json_string(verdict_name((enum verdict)v)));
    for (struct each k = {.rows = groups}; each_next(&k);)
        json_array_append_new(kernels, kernel_of(k.row, columns));
    json_decref(ordered);
    json_decref(others);
    json_decref(groups);
    return json_pack("{s:o, s:o, s:o, s:o}", "legend", legend, "kernels", kernels, "variants",
                     page_groups(columns, "{0.variant}"), "columns", columns);
}

/* ---- Domains ---- */

/* The conditions and the known defect of a kernel's first row are open. */
static const char domains[] =
    "{?run:notable}{@legend}{/}"
    "{*kernels:0.notable}<details class=\"card\" id=\"domain-{#0.at}\">"
    "<summary><b>{0.id}</b> {0.variant} {*.}<span class=\"sign {class}\">"
    "<span aria-hidden=\"true\">{mark}</span> {engine}<span class=\"hidden\">: {verdict}</span>"
    "</span> {/}</summary>\n<p>Domain: <b>{0.domain}</b></p>\n<div class=\"maps\">{@maps}</div>\n"
    "{*.}{!first}<details><summary>On {engine}</summary>\n{/}{?boundaries}{@boundaries}{/}"
    "{?known_defect_counterexample}<p class=\"known_defect note\"><b>Known defect on {engine}</b>: "
    "{known_defect}. Of {#inside} cases inside the domain, {#found} are wrong, for example "
    "{*known_defect_counterexample}block {block}, size {size}, {model}, {schedule}: " OUTCOME
    "</p>\n" REPLAY "{/}{/}{?note}<p class=\"note\">{engine}: {note}</p>\n{/}"
    "{?default_limits}<p class=\"note\">{engine}: {default_limits}</p>\n{/}"
    "{!first}</details>\n{/}{/}</details>\n{/}";

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

/* True if a row shows more than that everything is right. */
static bool is_notable(const json_t *row)
{
    return page_map_is_mixed(json_object_get(row, "map")) ||
           json_array_size(json_object_get(row, "boundaries")) > 0 ||
           json_is_string(json_object_get(row, "default_limits")) ||
           json_is_object(json_object_get(row, "known_defect_counterexample"));
}

/* Links the rows of a kernel and variant. A failure has a part of its own, and if a row is notable,
 * the others share one with it. */
static void link_rows(json_t *rows)
{
    bool notable = page_count(rows, is_notable) > 0;
    json_int_t first = number_in(json_array_get(rows, 0), "at");
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_object_set_new(row, "first", json_boolean(r == 0));
        json_object_set_new(row, "notable", json_boolean(notable));
        json_object_set_new(row, "link",
                            page_is(row, "class", "bad")
                                ? json_sprintf("failure-%lld", number_in(row, "at"))
                            : notable ? json_sprintf("domain-%lld", first)
                                      : json_null());
    }
}

/* ---- Races ---- */

/* Rows that end in a fault or did not run have no race either, so they are counted separately. */
static const char races[] =
    "{?races}<p>{#races:class=good:as_expected} of {#races} rows, one for each model and engine, "
    "are race-free.{?races:verdict=fault} {#races:verdict=fault} end in a fault.{/}"
    "{?races:class=none} {#races:class=none} could not be run.{/}"
    "{?races:pairs} {#races:pairs} have pairs of accesses that the CUDA model does not order.{/}"
    "</p>\n{/}"
    "{*racing}<details class=\"card\"{?open} open{/}><summary><b>{id}</b> {variant} "
    "{=verdict}</summary>\n"
    "<ul class=\"changes\">\n"
    "{*rows}<li><b>{model}{?engine}, {engine}{/}</b> {=verdict}{!as_expected} <b class=\"alarm\">"
    "but {expected} is expected</b>{/}" PAGE_KNOWN_DEVIATION
    "{!class=none} {#racing} of {#cases} cases race"
    "{?unexpected}; {#unexpected} have a race that its known defect does not name{/}"
    "{?faults}; {#faults} end in a fault{/}"
    "{*search}. Block {block}, size {size}: {?wrong}{outcome}" REPLAY "{/}"
    "{!wrong}right in all {#schedules} schedules with up to {#delays} delays{/}{/}{/}</li>\n{/}"
    "</ul>\n{*pairs:<3}{*0}" PAIR "{/}{/}"
    "{?pairs:>3}<p class=\"note\">And {#pairs:>3} more pairs of lines.</p>\n{/}</details>\n{/}";

static bool is_free(const json_t *row)
{
    return page_is(row, "class", "good") && json_is_true(json_object_get(row, "as_expected"));
}

/* Returns the first row that is not race-free, with all "rows" of its kernel, and their pairs as
 * "pairs", lists of those of the same lines. Returns null if all rows are race-free. */
static json_t *racing_of(const json_t *rows)
{
    struct each first = {.rows = rows};
    json_t *pairs = json_array(), *racing;

    while (each_next(&first) && is_free(first.row))
        ;
    for (struct each k = {.rows = rows}; each_next(&k);)
        json_array_extend(pairs, json_object_get(k.row, "pairs"));
    racing = json_copy((json_t *)(uintptr_t)first.row);
    json_object_set(racing, "rows", (json_t *)(uintptr_t)rows);
    json_object_set_new(racing, "open", json_boolean(page_count(rows, is_wrong_race) > 0));
    json_object_set_new(racing, "pairs",
                        page_groups(pairs, "{*first}{file}:{#line} {access}{/} "
                                           "{*second}{file}:{#line} {access}{/}"));
    json_decref(pairs);
    return racing;
}

/* ---- All of them ---- */

static const struct page_part parts[] = {
    {.name = "code", .write = page_code},
    {.name = "title", .write = write_title},
    {.name = "values", .write = write_values},
    {.name = "maps", .write = page_maps},
    {.name = "legend", .write = page_map_legend},
    {"boundaries", NULL, "{engine}: right where all of these hold", "boundaries", &boundary_table,
     boundary_columns},
    {.name = NULL},
};

static const struct page_line races_lines[] = {
    {false, "races", NULL, is_wrong_race, "race result is not as expected",
     "race results are not as expected"},
    {true, "races:class=none", NULL, NULL, "race check could not be run",
     "race checks could not be run"},
    {.rows = NULL},
};

const struct page_section page_kernel_sections[] = {
    {"failures", "What does not conform", failures, parts, NULL, NULL, NULL},
    {"verdicts", "Verdicts", verdicts, NULL, NULL, rows_of_run, NULL},
    {"domains", "Domains", domains, parts, NULL, NULL, NULL},
    {"races", "Races", races, parts, races_lines, rows_of_races, NULL},
    {.id = NULL},
};

/* Returns whether each row has one verdict, or false after an error message. */
static bool are_unique(const json_t *rows)
{
    json_t *groups = page_groups(rows, "{id} {variant} {engine}");
    struct each k = {.rows = groups};
    const json_t *row;

    while (each_next(&k) && json_array_size(k.row) == 1)
        ;
    row = json_array_get(k.row, 0);
    if (row != NULL)
        error_report("the row %s %s on %s appears twice: make a separate page for each file",
                     text_in(row, "id"), text_in(row, "variant"), text_in(row, "engine"));
    json_decref(groups);
    return row == NULL;
}

bool page_add_kernels(json_t *page)
{
    json_t *rows = json_object_get(page, "run"), *racing = json_array(), *groups, *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_object_set_new(row, "at", json_integer((json_int_t)r));
    }
    groups = page_groups(rows, "{id} {variant}");
    json_array_foreach(groups, r, row)
    {
        link_rows(row);
    }
    json_object_set_new(page, "kernels", groups);
    if (json_array_size(rows) > 0)
        json_object_set_new(page, "matrix", matrix_of(rows));
    groups = page_groups(json_object_get(page, "races"), "{id} {variant}");
    for (struct each k = {.rows = groups}; each_next(&k);)
        json_array_append_new(racing, racing_of(k.row));
    json_object_set_new(page, "racing", racing);
    json_decref(groups);
    return are_unique(rows);
}
