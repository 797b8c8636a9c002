/* SPDX-License-Identifier: MIT
 */
#include "page.h"

#include "atomic_file.h"
#include "exit_status.h"
#include "html.h"
#include "members.h"

#include <stdlib.h>

/* The text of page.css, which CMakeLists.txt compiles into the program. */
extern const char page_style[];

static const struct {
    const char *id, *title;
    page_section *write;
} sections[] = {
    {"changes", "What changed", page_changes},
    {"environment", "Environment", page_environment},
    {"failures", "What does not conform", page_failures},
    {"verdicts", "Verdicts", page_verdicts},
    {"domains", "Domains", page_domains},
    {"races", "Races", page_races},
    {"launches", "Nested launches", page_launches},
    {"benchmark", "Benchmark", page_benchmark},
    {"compilers", "Compilers", page_compilers},
    {"litmus", "Litmus tests", page_litmus},
    {"files", "Files", page_files},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

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

/* Sums over all compilers. */
struct compilers {
    size_t wrong, untried, families, pairs, unsteady;
};

static struct compilers count_compilers(const json_t *compilers)
{
    struct compilers sum = {0};

    for (struct each k = {.rows = compilers}; each_next(&k);) {
        const json_t *stages = json_object_get(k.row, "stages");
        sum.wrong += page_count(stages, page_stage_is_wrong);
        sum.untried += page_count(stages, page_stage_is_untried);
        sum.families += json_array_size(json_object_get(k.row, "families"));
        sum.pairs += (size_t)number_in(k.row, "same_code_pairs");
        sum.unsteady += json_array_size(json_object_get(k.row, "unsteady"));
    }
    return sum;
}

/* Writes what is wrong or unknown besides verdicts and changes. Returns false if there is nothing.
 */
static bool write_faults(FILE *to, const struct page *page)
{
    struct compilers sum = count_compilers(page->compilers);
    size_t partial = 0;
    bool some;

    for (struct each k = {.rows = page->files}; each_next(&k);)
        partial += (size_t)number_in(k.row, "partial");
    some = write_count(to, BAD, partial, "file is partial: the run stopped early",
                       "files are partial: the runs stopped early");
    some |= write_count(to, BAD, page_count(page->races, page_race_is_wrong),
                        "race result is not as expected", "race results are not as expected");
    some |= write_count(to, BAD, sum.wrong, "compiler stage generates wrong code",
                        "compiler stages generate wrong code");
    some |= write_count(to, BAD, sum.families, "family of programs is miscompiled",
                        "families of programs are miscompiled");
    some |= write_count(to, BAD, sum.pairs, "pair of different programs has the same machine code",
                        "pairs of different programs have the same machine code");
    some |= write_count(to, BAD, sum.unsteady,
                        "compiler generates different code for the same source the second time",
                        "compilers generate different code for the same source the second time");
    some |= write_count(to, BAD, page_count(page->litmus, page_litmus_is_wrong),
                        "litmus test had an outcome that the memory model forbids",
                        "litmus tests had outcomes that the memory model forbids");
    some |= write_list(to, BAD, "Also wrong:", page->wrongs);
    some |= write_count(to, LACK, page_count_class(page->races, "none"),
                        "race check could not be run", "race checks could not be run");
    some |= write_count(to, LACK, sum.untried, "compiler stage was skipped completely or in part",
                        "compiler stages were skipped completely or in part");
    some |= write_count(to, LACK, page_count(page->litmus, page_litmus_has_failed),
                        "litmus test failed to run", "litmus tests failed to run");
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
static char *section_text(page_section *write, const struct page *page)
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

static void write_section(FILE *to, size_t s, const char *text)
{
    const char *id = sections[s].id;

    html(to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id,
         id, id, sections[s].title);
    fputs(text, to);
    html(to, "</section>\n");
}

bool page_write(const void *what, FILE *to)
{
    const struct page *page = what;
    char *texts[SECTIONS];
    bool good = true;

    write_head(to);
    write_summary(to, page);
    html(to, "<nav aria-label=\"Sections\"><ul>\n");
    for (size_t s = 0; s < SECTIONS; s++) {
        texts[s] = section_text(sections[s].write, page);
        good = good && texts[s] != NULL;
        if (good && texts[s][0] != '\0')
            html(to, "<li><a href=\"#%s\">%s</a></li>\n", sections[s].id, sections[s].title);
    }
    html(to, "</ul></nav>\n<main id=\"content\">\n");
    for (size_t s = 0; s < SECTIONS; s++) {
        if (good && texts[s][0] != '\0')
            write_section(to, s, texts[s]);
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
