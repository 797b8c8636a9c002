/* SPDX-License-Identifier: MIT
 *
 * The page: its sections, its headline, and what is around them.
 */
#include "page.h"

#include "difference.h"
#include "members.h"
#include "wing.h"

#include <stdlib.h>

/* The text of page.css, which CMakeLists.txt compiles into the program. */
extern const char page_style[];

static const struct page_line files_lines[] = {
    {false, "files", "partial", NULL, "file is partial: the run stopped early",
     "files are partial: the runs stopped early"},
    {.rows = NULL},
};

static const struct page_line races_lines[] = {
    {false, "races", NULL, page_race_is_wrong, "race result is not as expected",
     "race results are not as expected"},
    {true, "races", NULL, page_race_is_gone, "race check could not be run",
     "race checks could not be run"},
    {.rows = NULL},
};

static const struct page_section core_sections[] = {
    {.id = "changes", .title = "What changed", .write = page_changes},
    {.id = "environment", .title = "Environment", .write = page_environment},
    {.id = "failures", .title = "What does not conform", .markup = page_failures},
    {.id = "verdicts", .title = "Verdicts", .write = page_verdicts, .rows = rows_of_run},
    {.id = "domains", .title = "Domains", .write = page_domains},
    {.id = "races",
     .title = "Races",
     .write = page_races,
     .lines = races_lines,
     .rows = rows_of_races},
    {.id = "launches",
     .title = "Nested launches",
     .write = page_launches,
     .rows = rows_of_counters},
    {.id = NULL},
};
static const struct page_section files_section[] = {
    {.id = "files", .title = "Files", .markup = page_files},
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
    const struct page_section *section = take_section(core_sections, &k);

    for (const struct wing *const *wing = wings; section == NULL && *wing != NULL; wing++)
        section = take_section((*wing)->sections, &k);
    return section != NULL ? section : take_section(files_section, &k);
}

/* ---- Headlines ---- */

/* How a line looks. Its mark has the same meaning without color. */
enum look { GOOD, LACK, BAD };

static void write_look(FILE *to, enum look look, const char *tag)
{
    static const struct {
        const char *class, *mark;
    } looks[] = {[GOOD] = {"good", "✓"}, [LACK] = {"lack", "!"}, [BAD] = {"bad", "✗"}};

    fprintf(to, "<%s class=\"headline %s\"><span aria-hidden=\"true\">%s</span> ", tag,
            looks[look].class, looks[look].mark);
}

/* Writes a line if the count is not 0. Returns whether it wrote one. */
static bool write_count(FILE *to, enum look look, size_t count, const char *one, const char *many)
{
    if (count == 0)
        return false;
    write_look(to, look, "p");
    fprintf(to, "%zu %s</p>\n", count, count == 1 ? one : many);
    return true;
}

static bool write_list(FILE *to, enum look look, const char *words, const json_t *items)
{
    enum { MAX_SHOWN = 12 };
    size_t count = json_array_size(items);

    if (count == 0)
        return false;
    write_look(to, look, "div");
    fprintf(to, "%s<ul class=\"plain\">\n", words);
    for (struct each k = {.rows = items}; k.next < MAX_SHOWN && each_next(&k);)
        page_fill(to, k.row, "<li>{.}</li>\n");
    if (count > MAX_SHOWN)
        fprintf(to, "<li>and %zu more</li>\n", count - MAX_SHOWN);
    fputs("</ul></div>\n", to);
    return true;
}

static size_t count_of(const struct page_line *line, const json_t *page)
{
    size_t count = 0;

    if (line->member == NULL)
        return page_count(json_object_get(page, line->rows), line->is);
    for (struct each k = {.rows = json_object_get(page, line->rows)}; each_next(&k);)
        count += (size_t)number_in(k.row, line->member) +
                 page_count(json_object_get(k.row, line->member), line->is);
    return count;
}

/* Writes the lines that say what is missing, or else what is wrong. */
static bool write_lines(FILE *to, const json_t *page, const struct page_line *line, bool of_lacks)
{
    bool some = false;

    for (; line != NULL && line->rows != NULL; line++)
        if (line->is_lack == of_lacks)
            some |=
                write_count(to, of_lacks ? LACK : BAD, count_of(line, page), line->one, line->many);
    return some;
}

/* Writes what is wrong or unknown besides verdicts and changes. Returns false if there is nothing.
 */
static bool write_faults(FILE *to, const json_t *page)
{
    const struct page_section *section;
    bool some = write_lines(to, page, files_lines, false);

    for (int of_lacks = 0; of_lacks < 2; of_lacks++) {
        for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
            some |= write_lines(to, page, section->lines, of_lacks);
        some |= of_lacks ? write_list(to, LACK,
                                      "Requested, but missing:", json_object_get(page, "lacks"))
                         : write_list(to, BAD, "Also wrong:", json_object_get(page, "wrongs"));
    }
    return some;
}

/* Writes the headline. A line is green only if nothing on the whole page is wrong or missing. */
static void write_headline(FILE *to, const json_t *page)
{
    const json_t *results = json_object_get(page, "run"),
                 *difference = json_object_get(page, "difference"),
                 *counts = json_object_get(difference, "counts");
    json_int_t worse = number_in(counts, "REGRESSION"), missing = number_in(counts, "MISSING");
    size_t rows = json_array_size(results), wrong = page_count_class(results, "bad"),
           gone = page_count_class(results, "none");
    bool faults = write_faults(to, page);
    enum look best = !faults && wrong + gone == 0 && worse + missing == 0 ? GOOD : LACK;

    if (difference != NULL) {
        write_look(to, worse + missing > 0 ? BAD : best, "p");
        fprintf(to, "%lld %s, %lld %s</p>\n", worse, worse == 1 ? "regression" : "regressions",
                missing, missing == 1 ? "row is missing" : "rows are missing");
    }
    if (rows == 0)
        return;
    write_look(to, wrong > 0 ? BAD : best, "p");
    fprintf(to, "%zu of %zu rows %s not conform", wrong, rows, wrong == 1 ? "does" : "do");
    if (gone == rows)
        fputs(": none could be run", to);
    else if (gone > 0)
        fprintf(to, "; %zu could not be run", gone);
    fputs("</p>\n", to);
}

/* ---- The head ---- */

/* Writes the head. Its policy forbids scripts and network requests, in case something is not
 * escaped. */
static void write_head(FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>simtcheck report</title>\n<style>\n",
          to);
    fputs(page_style, to);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content"
          "</a>\n",
          to);
}

static void write_summary(FILE *to, const json_t *page)
{
    static const struct {
        const char *class, *words;
    } tiles[] = {{"good", "conform"},
                 {"domain", "conform inside their domain"},
                 {"known_defect", "known defects, as expected"},
                 {"bad", "do not conform"},
                 {"none", "skipped"}};

    fputs("<header>\n<p class=\"brand\">simtcheck</p>\n<h1>Conformance of CUDA kernels</h1>\n", to);
    page_fill(to, page,
              "{*environment}<p class=\"soft\">{*gpus}{name} · {/}{!gpus}no GPU · {/}"
              "{?driver}driver {driver} · {/}{*toolkit}nvcc {.} · {/}"
              "{processor} · simtcheck {simtcheck}</p>\n{/}");
    write_headline(to, page);
    fputs("<ul class=\"tiles\">\n", to);
    for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
        size_t count = page_count_class(json_object_get(page, "run"), tiles[k].class);
        if (count > 0)
            fprintf(to, "<li class=\"%s\"><b>%zu</b> %s</li>\n", tiles[k].class, count,
                    tiles[k].words);
    }
    fputs("</ul>\n</header>\n", to);
}

/* ---- The page ---- */

static void write_section(FILE *to, const struct page_section *section, const char *text)
{
    const char *id = section->id;

    fprintf(to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
            id, id, id, section->title);
    fputs(text, to);
    fputs("</section>\n", to);
}

bool page_write(const void *page, FILE *to)
{
    const struct page_section *section;
    char *texts = NULL;
    size_t size;
    FILE *content = open_memstream(&texts, &size);

    if (content == NULL)
        return false;
    write_head(to);
    write_summary(to, page);
    fputs("<nav aria-label=\"Sections\"><ul>\n", to);
    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++) {
        char *text = page_text(section->write, section->markup, page);
        if (text[0] != '\0') {
            fprintf(to, "<li><a href=\"#%s\">%s</a></li>\n", section->id, section->title);
            write_section(content, section, text);
        }
        free(text);
    }
    fputs("</ul></nav>\n<main id=\"content\">\n", to);
    if (fclose(content) == 0)
        fputs(texts, to);
    fprintf(to,
            "</main>\n<footer><p>Written by simtcheck %s from the files named above.</p></footer>\n"
            "</body>\n</html>\n",
            SIMTCHECK_VERSION);
    free(texts);
    return fflush(to) == 0 && !ferror(to);
}
