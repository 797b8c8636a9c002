/* SPDX-License-Identifier: MIT
 */
#include "page.h"

#include "atomic_file.h"
#include "exit_status.h"
#include "html.h"
#include "members.h"
#include "wing.h"

#include <stdlib.h>

/* The text of page.css, which CMakeLists.txt compiles into the program. */
extern const char page_style[];

static const struct page_section core_sections[] = {
    {.id = "changes", .title = "What changed", .write = page_changes},
    {.id = "environment", .title = "Environment", .write = page_environment},
    {.id = "failures", .title = "What does not conform", .write = page_failures},
    {.id = "verdicts", .title = "Verdicts", .write = page_verdicts},
    {.id = "domains", .title = "Domains", .write = page_domains},
    {.id = "races", .title = "Races", .write = page_races},
    {.id = "launches", .title = "Nested launches", .write = page_launches},
    {.id = NULL},
};
static const struct page_section files_section[] = {
    {.id = "files", .title = "Files", .write = page_files},
    {.id = NULL},
};

enum { MAX_SECTIONS = 32 };

static size_t add_sections(const struct page_section *from, const struct page_section **all,
                           size_t count)
{
    for (; from != NULL && from->id != NULL && count < MAX_SECTIONS; from++)
        all[count++] = from;
    if (from != NULL && from->id != NULL)
        abort(); /* raise MAX_SECTIONS */
    return count;
}

/* Lists the sections of the core and of the wings. Returns their number. */
static size_t list_sections(const struct page_section *all[MAX_SECTIONS])
{
    size_t count = add_sections(core_sections, all, 0);

    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        count = add_sections((*wing)->sections, all, count);
    return add_sections(files_section, all, count);
}

/* ---- Headlines ---- */

/* How a line looks. Its mark has the same meaning without color. */
enum look { GOOD, LACK, BAD };

static void write_look(FILE *to, enum look look, const char *tag)
{
    static const struct {
        const char *class, *mark;
    } looks[] = {[GOOD] = {"good", "✓"}, [LACK] = {"lack", "!"}, [BAD] = {"bad", "✗"}};

    html(to, "<%s class=\"headline %s\"><span aria-hidden=\"true\">%s</span> ", tag,
         looks[look].class, looks[look].mark);
}

/* Writes a line if the count is not 0. Returns whether it wrote one. */
static bool write_count(FILE *to, enum look look, size_t count, const char *one, const char *many)
{
    if (count == 0)
        return false;
    write_look(to, look, "p");
    html(to, "%zu %s</p>\n", count, count == 1 ? one : many);
    return true;
}

static bool write_list(FILE *to, enum look look, const char *words, const json_t *items)
{
    enum { MAX_SHOWN = 12 };
    size_t count = json_array_size(items);

    if (count == 0)
        return false;
    write_look(to, look, "div");
    html(to, "%s<ul class=\"plain\">\n", words);
    for (struct each k = {.rows = items}; k.next < MAX_SHOWN && each_next(&k);)
        page_fill(to, k.row, "<li>{.}</li>\n");
    if (count > MAX_SHOWN)
        html(to, "<li>and %zu more</li>\n", count - MAX_SHOWN);
    html(to, "</ul></div>\n");
    return true;
}

/* Writes the lines of wings that say what is missing, or else what is wrong. */
static bool write_lines(FILE *to, const struct page *page, bool of_lacks)
{
    const struct page_section *sections[MAX_SECTIONS];
    size_t count = list_sections(sections);
    bool some = false;

    for (size_t s = 0; s < count; s++)
        for (const struct page_line *line = sections[s]->lines; line != NULL && line->count != NULL;
             line++)
            if (line->is_lack == of_lacks)
                some |= write_count(to, of_lacks ? LACK : BAD, line->count(page), line->one,
                                    line->many);
    return some;
}

/* Writes what is wrong or unknown besides verdicts and changes. Returns false if there is nothing.
 */
static bool write_faults(FILE *to, const struct page *page)
{
    size_t partial = 0;
    bool some;

    for (struct each k = {.rows = page->files}; each_next(&k);)
        partial += (size_t)number_in(k.row, "partial");
    some = write_count(to, BAD, partial, "file is partial: the run stopped early",
                       "files are partial: the runs stopped early");
    some |= write_count(to, BAD, page_count(page->races, page_race_is_wrong),
                        "race result is not as expected", "race results are not as expected");
    some |= write_lines(to, page, false);
    some |= write_list(to, BAD, "Also wrong:", page->wrongs);
    some |= write_count(to, LACK, page_count_class(page->races, "none"),
                        "race check could not be run", "race checks could not be run");
    some |= write_lines(to, page, true);
    some |= write_list(to, LACK, "Requested, but missing:", page->lacks);
    return some;
}

/* Writes the headline. A line is green only if nothing on the whole page is wrong or missing. */
static void write_headline(FILE *to, const struct page *page)
{
    const json_t *counts = json_object_get(page->difference, "counts");
    json_int_t worse = number_in(counts, "REGRESSION"), missing = number_in(counts, "MISSING");
    size_t rows = json_array_size(page->results), wrong = page_count_class(page->results, "bad"),
           gone = page_count_class(page->results, "none");
    bool faults = write_faults(to, page);
    enum look best = !faults && wrong + gone == 0 && worse + missing == 0 ? GOOD : LACK;

    if (page->difference != NULL) {
        write_look(to, worse + missing > 0 ? BAD : best, "p");
        html(to, "%lld %s, %lld %s</p>\n", worse, worse == 1 ? "regression" : "regressions",
             missing, missing == 1 ? "row is missing" : "rows are missing");
    }
    if (rows == 0)
        return;
    write_look(to, wrong > 0 ? BAD : best, "p");
    html(to, "%zu of %zu rows %s not conform", wrong, rows, wrong == 1 ? "does" : "do");
    if (gone == rows)
        html(to, ": none could be run");
    else if (gone > 0)
        html(to, "; %zu could not be run", gone);
    html(to, "</p>\n");
}

/* ---- The head ---- */

/* Writes the head. Its policy forbids scripts and network requests, in case something is not
 * escaped. */
static void write_head(FILE *to)
{
    html(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" "
             "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>simtcheck report</title>\n<style>\n");
    fputs(page_style, to);
    html(to, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content"
             "</a>\n");
}

static void write_summary(FILE *to, const struct page *page)
{
    static const struct {
        const char *class, *words;
    } tiles[] = {{"good", "conform"},
                 {"domain", "conform inside their domain"},
                 {"known_defect", "known defects, as expected"},
                 {"bad", "do not conform"},
                 {"none", "skipped"}};

    html(to, "<header>\n<p class=\"brand\">simtcheck</p>\n<h1>Conformance of CUDA kernels</h1>\n");
    if (page->environment != NULL)
        page_fill(to, page->environment,
                  "<p class=\"soft\">{*gpus}{name} · {/}{!gpus}no GPU · {/}"
                  "{?driver}driver {driver} · {/}{*toolkit}nvcc {.} · {/}"
                  "{processor} · simtcheck {simtcheck}</p>\n");
    write_headline(to, page);
    html(to, "<ul class=\"tiles\">\n");
    for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
        size_t count = page_count_class(page->results, tiles[k].class);
        if (count > 0)
            html(to, "<li class=\"%s\"><b>%zu</b> %s</li>\n", tiles[k].class, count,
                 tiles[k].words);
    }
    html(to, "</ul>\n</header>\n");
}

/* ---- The page ---- */

/* Returns the text of a section, or null when memory runs out. The caller frees it. */
static char *section_text(page_writer *write, const struct page *page)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    write(to, page);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

static void write_section(FILE *to, const struct page_section *section, const char *text)
{
    const char *id = section->id;

    html(to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id,
         id, id, section->title);
    fputs(text, to);
    html(to, "</section>\n");
}

bool page_write(const void *what, FILE *to)
{
    const struct page *page = what;
    const struct page_section *sections[MAX_SECTIONS];
    size_t count = list_sections(sections);
    char *texts[MAX_SECTIONS];
    bool good = true;

    write_head(to);
    write_summary(to, page);
    html(to, "<nav aria-label=\"Sections\"><ul>\n");
    for (size_t s = 0; s < count; s++) {
        texts[s] = section_text(sections[s]->write, page);
        good = good && texts[s] != NULL;
        if (good && texts[s][0] != '\0')
            html(to, "<li><a href=\"#%s\">%s</a></li>\n", sections[s]->id, sections[s]->title);
    }
    html(to, "</ul></nav>\n<main id=\"content\">\n");
    for (size_t s = 0; s < count; s++) {
        if (good && texts[s][0] != '\0')
            write_section(to, sections[s], texts[s]);
        free(texts[s]);
    }
    html(to,
         "</main>\n<footer><p>Written by simtcheck %s from the files named above.</p></footer>\n"
         "</body>\n</html>\n",
         SIMTCHECK_VERSION);
    return good && fflush(to) == 0 && !ferror(to);
}

/* ---- The page ---- */

int page_make(const char *html, const char *const *paths, size_t count)
{
    struct page page;
    int status = EXIT_USAGE;

    if (page_read(&page, paths, count))
        status = file_write(page_write, &page, html) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
    page_free(&page);
    return status;
}
