/* SPDX-License-Identifier: MIT
 *
 * The lines at the head of a page: what is wrong, what is not known, and the verdicts.
 */
#include "html.h"
#include "members.h"
#include "page.h"

#include <string.h>

/* ---- Counts ---- */

size_t page_count(const struct page *page, const char *class)
{
    json_t *row;
    size_t r, count = 0;

    json_array_foreach(page->results, r, row)
    {
        count += strcmp(page_class(text_in(row, "verdict")), class) == 0;
    }
    return count;
}

static size_t count_partial(const struct page *page)
{
    json_t *file;
    size_t f, count = 0;

    json_array_foreach(page->files, f, file)
    {
        count += (size_t)number_in(file, "partial");
    }
    return count;
}

static size_t count_races(const struct page *page, bool (*is)(const json_t *row))
{
    json_t *row;
    size_t r, count = 0;

    json_array_foreach(page->races, r, row)
    {
        count += is(row);
    }
    return count;
}

static bool is_unavailable(const json_t *row)
{
    return strcmp(page_class(text_in(row, "verdict")), "none") == 0;
}

static size_t count_stages(const struct page *page, bool (*is)(const json_t *stage))
{
    json_t *toolchain, *stage;
    size_t t, s, count = 0;

    json_array_foreach(page->toolchains, t, toolchain)
    {
        json_array_foreach(json_object_get(toolchain, "stages"), s, stage)
        {
            count += is(stage);
        }
    }
    return count;
}

/* Items of an array of all toolchains. */
static size_t count_items(const struct page *page, const char *name)
{
    json_t *toolchain;
    size_t t, count = 0;

    json_array_foreach(page->toolchains, t, toolchain)
    {
        count += json_array_size(json_object_get(toolchain, name));
    }
    return count;
}

static size_t count_pairs(const struct page *page)
{
    json_t *toolchain;
    size_t t, count = 0;

    json_array_foreach(page->toolchains, t, toolchain)
    {
        count += (size_t)number_in(toolchain, "same_code_pairs");
    }
    return count;
}

static size_t changed(const struct page *page, const char *word)
{
    return (size_t)number_in(json_object_get(page->difference, "counts"), word);
}

/* ---- Lines ---- */

/* How a line looks: without colour its mark says so. */
enum look { GOOD, LACK, BAD };

static void write_look(FILE *to, enum look look, const char *tag)
{
    static const struct {
        const char *class, *mark;
    } looks[] = {[GOOD] = {"good", "✓"}, [LACK] = {"lack", "!"}, [BAD] = {"bad", "✗"}};

    html(to, "<%s class=\"headline %s\"><span aria-hidden=\"true\">%s</span> ", tag,
         looks[look].class, looks[look].mark);
}

/* A line where there are any; returns whether there are. */
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
    enum { MOST = 12 };
    json_t *item;
    size_t k;

    if (json_array_size(items) == 0)
        return false;
    write_look(to, look, "div");
    html(to, "%s<ul class=\"plain\">\n", words);
    json_array_foreach(items, k, item)
    {
        if (k < MOST)
            html(to, "<li>%s</li>\n", json_string_value(item));
    }
    if (k > MOST)
        html(to, "<li>and %zu more</li>\n", k - MOST);
    html(to, "</ul></div>\n");
    return true;
}

/* What is wrong besides verdicts and changes. False: nothing is. */
static bool write_wrong(FILE *to, const struct page *page)
{
    bool some =
        write_count(to, BAD, count_partial(page), "file is partial: it ended before all was in it",
                    "files are partial: they ended before all was in them");

    some |= write_count(to, BAD, count_races(page, page_race_is_wrong),
                        "row of races is not as claimed", "rows of races are not as claimed");
    some |=
        write_count(to, BAD, count_stages(page, page_stage_is_wrong),
                    "stage of a compiler makes wrong code", "stages of compilers make wrong code");
    some |=
        write_count(to, BAD, count_items(page, "families"), "family of programs comes out wrong",
                    "families of programs come out wrong");
    some |= write_count(to, BAD, count_pairs(page), "pair of programs has one machine code",
                        "pairs of programs have one machine code");
    some |= write_count(to, BAD, count_items(page, "unsteady"),
                        "compiler gives other code of the same source the second time",
                        "compilers give other code of the same source the second time");
    some |= write_list(to, BAD, "Wrong besides:", page->wrongs);
    return some;
}

/* What is not known, for it could not be tried. False: all is. */
static bool write_unknown(FILE *to, const struct page *page)
{
    bool some = write_count(to, LACK, count_races(page, is_unavailable),
                            "row of races could not be run", "rows of races could not be run");

    some |= write_count(to, LACK, count_stages(page, page_stage_is_untried),
                        "stage of a compiler could not be tried, or not with all",
                        "stages of compilers could not be tried, or not with all");
    some |= write_list(to, LACK, "Asked for, and not there:", page->lacks);
    return some;
}

static void write_changes(FILE *to, const struct page *page, bool known)
{
    size_t worse = changed(page, "REGRESSION"), missing = changed(page, "MISSING");

    write_look(to, worse + missing > 0 ? BAD : known ? GOOD : LACK, "p");
    html(to, "%zu %s, %zu %s</p>\n", worse, worse == 1 ? "regression" : "regressions", missing,
         missing == 1 ? "row is missing" : "rows are missing");
}

static void write_verdicts(FILE *to, const struct page *page, bool known)
{
    size_t rows = json_array_size(page->results), wrong = page_count(page, "bad"),
           gone = page_count(page, "none");

    write_look(to, wrong > 0 ? BAD : known ? GOOD : LACK, "p");
    html(to, "%zu of %zu rows %s not conform", wrong, rows, wrong == 1 ? "does" : "do");
    if (gone == rows)
        html(to, ": none could be run");
    else if (gone > 0)
        html(to, "; %zu could not be run", gone);
    html(to, "</p>\n");
}

void page_headline(FILE *to, const struct page *page)
{
    bool wrong = write_wrong(to, page), unknown = write_unknown(to, page),
         known = !wrong && !unknown && page_count(page, "bad") == 0 &&
                 page_count(page, "none") == 0 &&
                 changed(page, "REGRESSION") + changed(page, "MISSING") == 0;

    if (page->difference != NULL)
        write_changes(to, page, known);
    if (json_array_size(page->results) > 0)
        write_verdicts(to, page, known);
}
