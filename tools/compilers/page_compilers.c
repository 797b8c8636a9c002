/* SPDX-License-Identifier: MIT
 *
 * The section of a page on compilers.
 */
#include "compilers_wing.h"
#include "html.h"
#include "members.h"

#include <stdio.h>

enum { MAX_SAME_CODE = 24 };

/* A program in a template of page_fill(). */
#define PROGRAM(name)                                                                              \
    "<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Program\">{" name          \
    "}</pre>\n"

/* True if a stage generates wrong code, or the same code for two different programs. */
static bool stage_is_wrong(const json_t *stage)
{
    return number_in(stage, "wrong") > 0 || number_in(stage, "same_code_pairs") > 0 ||
           json_array_size(json_object_get(stage, "kernels_wrong")) > 0;
}

/* True if a stage did not try all programs and kernels. */
static bool stage_is_untried(const json_t *stage)
{
    return !page_is(stage, "skipped", "") || !page_is(stage, "kernels_skipped", "");
}

static void write_stages(FILE *to, const json_t *compilers)
{
    char caption[64];

    snprintf(caption, sizeof caption, "Stages, %lld programs", number_in(compilers, "programs"));
    page_table(to, caption,
               (const char *const[]){"stage", "programs", "wrong", "same-code pairs", "kernels",
                                     "remarks", NULL});
    for (struct each k = {.rows = json_object_get(compilers, "stages")}; each_next(&k);) {
        page_fill(to, k.row,
                  "<tr><th scope=\"row\">{stage}</th><td class=\"number\">{#programs}</td>");
        html(to, "<td class=\"number%s\">", stage_is_wrong(k.row) ? " bad" : "");
        page_fill(to, k.row,
                  "{#wrong}</td><td class=\"number\">{#same_code_pairs}</td>"
                  "<td class=\"number\">{#kernels}</td><td>{skipped}"
                  "{?kernels_skipped}<span class=\"detail\">Kernels of the catalogue: "
                  "{kernels_skipped}</span>{/}{*kernels_wrong}<span class=\"detail\">"
                  "<b>{id}</b> {variant}: {outcome}</span>{/}</td></tr>\n");
    }
    page_table_end(to);
}

static void write_family(FILE *to, const json_t *family)
{
    page_fill(to, family,
              "<details class=\"card\"><summary><code>{shape}</code> <span class=\"sign bad\">"
              "{cause}</span> <span class=\"soft\">{#members} program");
    html(to, number_in(family, "members") == 1 ? "" : "s");
    page_fill(
        to, family,
        "</span></summary>\n<p>Smallest program:</p>\n" PROGRAM(
            "program") "<p>{place}: expected <code>{expected}</code>, got <code>{got}</code></p>\n"
                       "<p>Wrong stages:</p><ul "
                       "class=\"plain\">{*wrong}<li>{.}</li>{/}</ul></details>\n");
}

static void write_same_code(FILE *to, const json_t *compilers)
{
    const json_t *pairs = json_object_get(compilers, "same_code");
    size_t count = json_array_size(pairs);

    page_fill(to, compilers,
              "{?same_code_pairs}<p>Pairs of programs with the same machine code: "
              "{#same_code_pairs}.</p>\n{/}");
    if (count == 0)
        return;
    html(to,
         "<details class=\"card\"><summary>Same machine code for two programs that differ in "
         "meaning <span class=\"soft\">%zu</span></summary>\n<ul class=\"plain\">\n",
         count);
    for (struct each k = {.rows = pairs}; k.next < MAX_SAME_CODE && each_next(&k);)
        page_fill(to, k.row, "<li>ptxas {ptxas}" PROGRAM("one") PROGRAM("other") "</li>\n");
    html(to, "</ul>\n");
    if (count > MAX_SAME_CODE)
        html(to, "<p class=\"note\">And %zu more in the file.</p>\n", count - MAX_SAME_CODE);
    html(to, "</details>\n");
}

/* Writes that no program is wrong, if that is so. */
static void write_all_right(FILE *to, const json_t *compilers)
{
    const json_t *stages = json_object_get(compilers, "stages");

    if (json_array_size(json_object_get(compilers, "families")) > 0 ||
        json_array_size(json_object_get(compilers, "unsteady")) > 0 ||
        json_array_size(json_object_get(compilers, "same_code")) > 0 ||
        number_in(compilers, "same_code_pairs") > 0 || page_count(stages, stage_is_wrong) > 0)
        return;
    if (json_array_size(stages) == 0 || number_in(compilers, "programs") == 0)
        html(to, "<p>No program was tested.</p>\n");
    else
        html(to, "<p>No program was miscompiled%s.</p>\n",
             page_count(stages, stage_is_untried) > 0 ? " in the stages that ran" : "");
}

void page_compilers(FILE *to, const struct page *page)
{
    for (struct each t = {.rows = page_rows(page, "compilers")}; each_next(&t);) {
        write_stages(to, t.row);
        write_all_right(to, t.row);
        for (struct each k = {.rows = json_object_get(t.row, "families")}; each_next(&k);)
            write_family(to, k.row);
        write_same_code(to, t.row);
        page_fill(to, t.row,
                  "{*unsteady}<p class=\"note\"><b class=\"alarm\">{.}</b> generates different "
                  "code for the same source the second time.</p>\n{/}");
    }
}

/* ---- The headline ---- */

/* Returns how many entries the lists of that name have; those that pass the test, if there is one.
 */
static size_t total(const struct page *page, const char *list, page_test *is)
{
    size_t sum = 0;

    for (struct each k = {.rows = page_rows(page, "compilers")}; each_next(&k);) {
        const json_t *entries = json_object_get(k.row, list);
        sum += is != NULL ? page_count(entries, is) : json_array_size(entries);
    }
    return sum;
}

static size_t count_wrong(const struct page *page)
{
    return total(page, "stages", stage_is_wrong);
}

static size_t count_untried(const struct page *page)
{
    return total(page, "stages", stage_is_untried);
}

static size_t count_families(const struct page *page)
{
    return total(page, "families", NULL);
}

static size_t count_pairs(const struct page *page)
{
    size_t sum = 0;

    for (struct each k = {.rows = page_rows(page, "compilers")}; each_next(&k);)
        sum += (size_t)number_in(k.row, "same_code_pairs");
    return sum;
}

static size_t count_unsteady(const struct page *page)
{
    return total(page, "unsteady", NULL);
}

const struct page_line page_compilers_lines[] = {
    {false, count_wrong, "compiler stage generates wrong code",
     "compiler stages generate wrong code"},
    {false, count_families, "family of programs is miscompiled",
     "families of programs are miscompiled"},
    {false, count_pairs, "pair of different programs has the same machine code",
     "pairs of different programs have the same machine code"},
    {false, count_unsteady, "compiler generates different code for the same source the second time",
     "compilers generate different code for the same source the second time"},
    {true, count_untried, "compiler stage was skipped completely or in part",
     "compiler stages were skipped completely or in part"},
    {.count = NULL},
};
