/* SPDX-License-Identifier: MIT
 *
 * The page: its sections, its headline, and what is around them.
 */
#include "page.h"

#include "members.h"
#include "wing.h"

#include <stdlib.h>

/* The text of page.css, which CMakeLists.txt compiles into the program. */
extern const char page_style[];

/* ---- Sections ---- */

static const struct page_line files_lines[] = {
    {false, "files", "partial", NULL, "file is partial: the run stopped early",
     "files are partial: the runs stopped early"},
    {.rows = NULL},
};

static const struct page_section files_sections[] = {
    {.id = "files",
     .title = "Files",
     .markup = "<ul class=\"plain\">\n{*files}<li><code>{path}</code>: {kind}{?note}, {note}{/}"
               "</li>\n{/}</ul>\n"},
    {.id = NULL},
};

/* Returns section *k of a list, or null after subtracting their number from *k. */
static const struct page_section *take_section(const struct page_section *list, size_t *k)
{
    for (; list != NULL && list->id != NULL; list++)
        if ((*k)-- == 0)
            return list;
    return NULL;
}

const struct page_section *page_section_at(size_t k)
{
    static const struct page_section *const core_sections[] = {
        page_finding_sections, page_change_sections, page_kernel_sections, page_launch_sections};
    const struct page_section *section = NULL;

    for (size_t l = 0; section == NULL && l < sizeof core_sections / sizeof *core_sections; l++)
        section = take_section(core_sections[l], &k);
    for (const struct wing *const *wing = wings; section == NULL && *wing != NULL; wing++)
        section = take_section((*wing)->sections, &k);
    return section != NULL ? section : take_section(files_sections, &k);
}

/* ---- The headline ---- */

/* Adds a line of a class of page.css; with a list of texts, unless `items` is null and if there are
 * any. */
static void add_line(json_t *lines, const char *class, json_t *text, json_t *items)
{
    json_t *line = json_pack("{s:s, s:s, s:o}", "tag", items != NULL ? "div" : "p", "class", class,
                             "text", text);

    json_object_set(line, "items", items);
    if (items == NULL || json_array_size(items) > 0)
        json_array_append(lines, line);
    json_decref(line);
}

static size_t count_of(const struct page_line *line, const json_t *page)
{
    json_t *rows = page_value(page, line->rows);
    size_t count = line->member == NULL ? page_count(rows, line->is) : 0;

    for (struct each k = {.rows = rows}; line->member != NULL && each_next(&k);)
        count += (size_t)number_in(k.row, line->member) +
                 page_count(json_object_get(k.row, line->member), line->is);
    json_decref(rows);
    return count;
}

/* Adds the lines that say what is missing, or else what is wrong. */
static void add_lines(json_t *lines, const json_t *page, const struct page_line *line, bool is_lack)
{
    for (; line != NULL && line->rows != NULL; line++) {
        size_t count = line->is_lack == is_lack ? count_of(line, page) : 0;
        if (count > 0)
            add_line(lines, is_lack ? "lack" : "bad",
                     json_sprintf("%zu %s", count, count == 1 ? line->one : line->many), NULL);
    }
}

/* Puts a verdict above the lines. It is green only if nothing on the whole page is wrong or
 * missing. Drops the verdict; null: there is none. */
static void add_verdict(json_t *lines, json_t *verdict, bool has_others)
{
    bool is_good = page_is(verdict, "class", "good");

    if (verdict != NULL)
        json_array_insert_new(
            lines, 0,
            json_pack("{s:s, s:s, s:o}", "tag", "p", "class",
                      is_good && has_others ? "lack" : text_in(verdict, "class"), "text",
                      json_sprintf("%s%s", text_in(verdict, "text"),
                                   is_good && has_others ? ", but see below" : "")));
    json_decref(verdict);
}

/* Returns the lines of the headline: the verdicts, what is wrong, and what is missing. Of two
 * snapshots, rows that are right need no verdict of their own. */
static json_t *headline_of(const json_t *page)
{
    const struct page_section *section;
    json_t *lines = json_array(), *rows, *changes = page_change_verdict(page);
    bool fails, has_others;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        add_lines(lines, page, section->lines, false);
    add_line(lines, "bad", json_string("Also wrong:"), json_object_get(page, "wrongs"));
    fails = json_array_size(lines) > 0;
    add_lines(lines, page, files_lines, false);
    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        add_lines(lines, page, section->lines, true);
    add_line(lines, "lack", json_string("Requested, but missing:"), json_object_get(page, "lacks"));
    has_others = json_array_size(lines) > 0;
    rows = page_row_verdict(page, fails, has_others);
    if (changes != NULL && page_is(rows, "class", "good")) {
        json_decref(rows);
        rows = NULL;
    }
    has_others = has_others || (rows != NULL && !page_is(rows, "class", "good"));
    add_verdict(lines, rows, false);
    add_verdict(lines, changes, has_others);
    add_verdict(lines, page_launch_verdict(page), has_others);
    return lines;
}

/* ---- The page ---- */

#define TILE(class, words)                                                                         \
    "{?run:class=" class "}<li class=\"" class "\"><b>{#run:class=" class "}</b> " words           \
                                                                          "</li>\n{/}"

#define TILES                                                                                      \
    TILE("good", "conform")                                                                        \
    TILE("domain", "conform inside their domain")                                                  \
    TILE("known_defect", "known defects, as expected")                                             \
    TILE("bad", "do not conform")                                                                  \
    TILE("none", "could not be run")

/* The policy in the head forbids scripts and network requests, in case something is not escaped. */
static const char whole[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>simtcheck report</title>\n<style>\n{-style}"
    "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
    "<header>\n<p class=\"brand\">simtcheck</p>\n<h1>{?judged}Checks{/}{!judged}Conformance{/} of "
    "CUDA kernels</h1>\n"
    "{*environment}<p class=\"soft\">{*gpus}{name} · {/}{!gpus}no GPU · {/}"
    "{?driver}driver {driver} · {/}{*toolkit}nvcc {.} · {/}"
    "{processor} · simtcheck {simtcheck}</p>\n{/}"
    "{*headline}<{tag} class=\"headline {class}\"><span aria-hidden=\"true\">"
    "{?class=good}✓{/}{?class=lack}!{/}{?class=bad}✗{/}</span> {text}"
    "{?items}<ul class=\"plain\">\n{*items:<12}<li>{.}</li>\n{/}"
    "{?items:>12}<li>and {#items:>12} more</li>\n{/}</ul>{/}</{tag}>\n{/}"
    "<ul class=\"tiles\">\n" TILES "</ul>\n</header>\n"
    "<nav aria-label=\"Sections\"><ul>\n"
    "{*sections:text}<li><a href=\"#{id}\">{title}</a></li>\n{/}</ul></nav>\n"
    "<main id=\"content\">\n"
    "{*sections:text}<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n"
    "<h2 id=\"{id}-title\">{title}</h2>\n{-text}</section>\n{/}"
    "</main>\n<footer><p>Written by simtcheck " SIMTCHECK_VERSION
    " from the files named above.</p></footer>\n</body>\n</html>\n";

bool page_write(const void *what, FILE *to)
{
    json_t *page = json_copy((json_t *)(uintptr_t)what), *sections = json_array();
    const struct page_section *section;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++) {
        char *text = page_text(section->parts, section->markup, page);
        json_array_append_new(sections, json_pack("{s:s, s:s, s:s}", "id", section->id, "title",
                                                  section->title, "text", text));
        free(text);
    }
    json_object_set_new(page, "sections", sections);
    json_object_set_new(page, "style", json_string(page_style));
    json_object_set_new(page, "headline", headline_of(page));
    page_fill(to, NULL, whole, page);
    json_decref(page);
    return fflush(to) == 0 && !ferror(to);
}
