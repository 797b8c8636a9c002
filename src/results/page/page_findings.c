/* SPDX-License-Identifier: MIT
 *
 * The section of a page on launches that `check`, `gate`, `exec` and `mutate` judged: the messages
 * of their texts, with source lines.
 */
#include "difference.h"
#include "findings.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Messages ---- */

static const struct page_part code_parts[] = {{.name = "code", .write = page_code}, {.name = NULL}};

/* Writes a tag, a text, and the end of the tag. */
static void put(FILE *to, const char *start, const char *text, const char *end)
{
    fputs(start, to);
    html_text(to, text);
    fputs(end, to);
}

static void put_title(FILE *to, const char *file, uint64_t line, const char *level,
                      const char *text)
{
    fprintf(to, "<div class=\"pair\">\n<h3><span class=\"sign %s\">",
            strcmp(level, "error") == 0 ? "bad" : "known_defect");
    put(to, "", level, "</span> ");
    if (file != NULL)
        put(to, "<code>", file, "");
    if (file != NULL && line > 0)
        fprintf(to, ":%llu", (unsigned long long)line);
    put(to, file != NULL ? "</code> " : "", text, "</h3>\n");
}

static void put_place(FILE *to, const char *file, uint64_t line, const char *text)
{
    json_t *place = json_pack("{s:s, s:I}", "file", file, "line", (json_int_t)line);

    put(to, "<p><b>", text, "</b></p>\n");
    page_fill(to, code_parts, "{?line}{@code}{/}", place);
    json_decref(place);
}

static void put_note(FILE *to, const char *word, const char *text)
{
    put(to, "<p class=\"note\"><b>", word, "</b>: ");
    put(to, "", text, "</p>\n");
}

static void put_end(FILE *to)
{
    fputs("</div>\n", to);
}

const struct message_form page_message_form = {put_title, put_place, put_note, put_end};

/* Returns the messages of a launch as HTML, which the caller frees; null: out of memory. */
static char *messages_of(const struct findings *findings, const struct launch_record *launch)
{
    char *text = NULL;
    size_t size;
    const struct printer printer = {.to = open_memstream(&text, &size), .form = &page_message_form};

    if (printer.to == NULL)
        return NULL;
    findings_print_messages(findings, launch, &printer);
    return fclose(printer.to) == 0 ? text : NULL;
}

/* ---- Launches ---- */

/* A launch that passes is folded. */
static const char markup[] =
    "{*judged}<details class=\"card\"{!class=good} open{/}><summary><b>{name}</b> "
    "<span class=\"sign {class}\">{word}</span> {about}</summary>\n"
    "{?launch}<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Launch\">{launch}"
    "</pre>\n{/}<p class=\"soft\">{facts}</p>\n{-text}</details>\n{/}"
    "{?messages}<ul class=\"plain\">\n{*messages}<li>{.}</li>\n{/}</ul>\n{/}";

static const char *class_of(const char *word)
{
    return strcmp(word, "PASS") == 0 ? "good" : strcmp(word, "FAIL") == 0 ? "bad" : "lack";
}

/* A file may have been edited. Returns whether each finding has evidence. */
static bool have_evidence(const struct list *list)
{
    const struct finding_record *findings = list->items;
    bool have = true;

    for (size_t k = 0; k < list->count; k++)
        have = have && findings[k].evidence.count > 0 && have_evidence(&findings[k].consequences);
    return have;
}

static void add_launch(json_t *page, const struct findings *findings,
                       const struct launch_record *launch)
{
    struct memory memory = {NULL};
    const struct launch_verdict verdict = findings_verdict(findings, launch, &memory);
    char *text = have_evidence(&launch->findings) ? messages_of(findings, launch) : NULL;

    json_array_append_new(json_object_get(page, "judged"),
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s*, s:s*}", "name", verdict.name,
                                    "word", verdict.word, "class", class_of(verdict.word), "about",
                                    verdict.about, "facts", verdict.facts, "launch", launch->launch,
                                    "text", text));
    free(text);
    memory_free(&memory);
}

/* Adds the launches of a file to "judged", and its error messages to "messages". */
static void note(json_t *page, const char *path, const json_t *document)
{
    struct memory memory = {NULL};
    struct check_results results;
    struct findings findings = {.command = NULL};
    const struct launch_record *launches;

    (void)path;
    if (!model_read(&check_results_table, document, &results, &memory, NULL, 0))
        return;
    findings.command = results.command;
    findings.unit = strcmp(results.command, "exec") == 0 ? "launch" : NULL;
    launches = results.launches.items;
    for (size_t k = 0; k < results.launches.count; k++)
        add_launch(page, &findings, &launches[k]);
    json_array_extend(json_object_get(page, "messages"), json_object_get(document, "messages"));
    memory_free(&memory);
}

json_t *page_launch_verdict(const json_t *page)
{
    static const char *const words[] = {"FAIL", "ERROR", "PARTIAL", "SKIPPED", "PASS"};
    const json_t *judged = json_object_get(page, "judged"), *first = json_array_get(judged, 0);
    const char *worst = NULL;
    char counts[128] = "", name[32];

    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        json_t *rows;
        snprintf(name, sizeof name, "judged:word=%s", words[w]);
        rows = page_value(page, name);
        if (json_array_size(rows) > 0) {
            size_t used = strlen(counts);
            snprintf(counts + used, sizeof counts - used, "%s%zu %s", used > 0 ? ", " : "",
                     json_array_size(rows), words[w]);
            worst = worst != NULL ? worst : words[w];
        }
        json_decref(rows);
    }
    if (worst == NULL)
        return NULL;
    return json_pack(
        "{s:s, s:o}", "class", class_of(worst), "text",
        json_array_size(judged) > 1
            ? json_sprintf("%s: %zu launches: %s", worst, json_array_size(judged), counts)
            : json_sprintf("%s: %s%s%s", worst, text_in(first, "name"),
                           text_in(first, "about")[0] != '\0' ? ": " : "",
                           text_in(first, "about")));
}

static const struct part_rows rows[] = {
    {"check", "check", .table = &launch_table},
    {.name = NULL},
};

const struct page_section page_finding_sections[] = {
    {"launched", "Launches", markup, NULL, NULL, rows, note},
    {.id = NULL},
};
