/* SPDX-License-Identifier: MIT
 *
 * The section of a page on compilers: stages, families of programs that are compiled wrong with the
 * smallest of each, programs of one code.
 */
#include "html.h"
#include "members.h"
#include "page.h"

enum { MOST_SAME_CODE = 24 };

static bool has_toolchain(const struct page *page)
{
    return json_array_size(page->toolchains) > 0;
}

bool page_stage_is_wrong(const json_t *stage)
{
    return number_in(stage, "wrong") > 0 || number_in(stage, "same_code_pairs") > 0 ||
           json_array_size(json_object_get(stage, "kernels_wrong")) > 0;
}

bool page_stage_is_untried(const json_t *stage)
{
    return text_in(stage, "unavailable")[0] != '\0' ||
           text_in(stage, "kernels_unavailable")[0] != '\0';
}

/* What a stage came to besides its numbers. */
static void write_remarks(FILE *to, const json_t *stage)
{
    json_t *kernel;
    size_t k;

    html(to, "%s", text_in(stage, "unavailable"));
    if (text_in(stage, "kernels_unavailable")[0] != '\0')
        html(to, "<span class=\"detail\">Kernels of the catalogue: %s</span>",
             text_in(stage, "kernels_unavailable"));
    json_array_foreach(json_object_get(stage, "kernels_wrong"), k, kernel)
    {
        html(to, "<span class=\"detail\"><b>%s</b> %s: %s</span>", text_in(kernel, "id"),
             text_in(kernel, "form"), text_in(kernel, "outcome"));
    }
}

static void write_stages(FILE *to, const json_t *toolchain)
{
    json_t *stage;
    size_t s;

    html(to,
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Stages\"><table "
         "class=\"stages\">"
         "<caption>Stages, %lld programs</caption><thead><tr><th scope=\"col\">stage</th>"
         "<th scope=\"col\">programs</th><th scope=\"col\">wrong</th><th scope=\"col\">pairs of "
         "one code</th>"
         "<th scope=\"col\">kernels</th><th scope=\"col\">remarks</th></tr></thead><tbody>\n",
         number_in(toolchain, "programs"));
    json_array_foreach(json_object_get(toolchain, "stages"), s, stage)
    {
        html(to,
             "<tr><th scope=\"row\">%s</th><td class=\"number\">%lld</td>"
             "<td class=\"number %s\">%lld</td><td class=\"number\">%lld</td>"
             "<td class=\"number\">%lld</td><td>",
             text_in(stage, "stage"), number_in(stage, "programs"),
             page_stage_is_wrong(stage) ? "bad" : "", number_in(stage, "wrong"),
             number_in(stage, "same_code_pairs"), number_in(stage, "kernels"));
        write_remarks(to, stage);
        html(to, "</td></tr>\n");
    }
    html(to, "</tbody></table></div>\n");
}

static void write_program(FILE *to, const char *text)
{
    html(to,
         "<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Program\">%s</pre>\n",
         text);
}

static void write_family(FILE *to, const json_t *family)
{
    json_t *stage;
    size_t s;

    html(to,
         "<details class=\"card\"><summary><code>%s</code> <span class=\"sign bad\">%s</span> "
         "<span class=\"count\">%lld program%s</span></summary>\n<p>The smallest:</p>\n",
         text_in(family, "shape"), text_in(family, "blamed"), number_in(family, "members"),
         number_in(family, "members") == 1 ? "" : "s");
    write_program(to, text_in(family, "program"));
    html(to,
         "<p>%s: expected <code>%s</code>, got <code>%s</code></p>\n<p>Wrong:</p><ul "
         "class=\"plain\">",
         text_in(family, "place"), text_in(family, "expected"), text_in(family, "got"));
    json_array_foreach(json_object_get(family, "wrong"), s, stage)
    {
        html(to, "<li>%s</li>", json_string_value(stage));
    }
    html(to, "</ul></details>\n");
}

static void write_same_code(FILE *to, const json_t *toolchain)
{
    const json_t *pairs = json_object_get(toolchain, "same_code");
    json_t *pair;
    size_t p;

    if (number_in(toolchain, "same_code_pairs") > 0)
        html(to, "<p>Pairs of programs with the same machine code: %lld.</p>\n",
             number_in(toolchain, "same_code_pairs"));
    if (json_array_size(pairs) == 0)
        return;
    html(to,
         "<details class=\"card\"><summary>Same machine code for two programs that differ in "
         "meaning "
         "<span class=\"count\">%zu</span></summary>\n<ul class=\"plain\">\n",
         json_array_size(pairs));
    json_array_foreach(pairs, p, pair)
    {
        if (p == MOST_SAME_CODE)
            break;
        html(to, "<li>ptxas %s", text_in(pair, "ptxas"));
        write_program(to, text_in(pair, "one"));
        write_program(to, text_in(pair, "other"));
        html(to, "</li>\n");
    }
    html(to, "</ul>\n");
    if (json_array_size(pairs) > MOST_SAME_CODE)
        html(to, "<p class=\"note\">And %zu more in the file.</p>\n",
             json_array_size(pairs) - MOST_SAME_CODE);
    html(to, "</details>\n");
}

static size_t count_stages(const json_t *toolchain, bool (*is)(const json_t *stage))
{
    json_t *stage;
    size_t s, count = 0;

    json_array_foreach(json_object_get(toolchain, "stages"), s, stage)
    {
        count += is(stage);
    }
    return count;
}

/* That all is right says the page only where nothing speaks against it. */
static void write_all_right(FILE *to, const json_t *toolchain)
{
    if (json_array_size(json_object_get(toolchain, "families")) > 0 ||
        json_array_size(json_object_get(toolchain, "unsteady")) > 0 ||
        json_array_size(json_object_get(toolchain, "same_code")) > 0 ||
        number_in(toolchain, "same_code_pairs") > 0 ||
        count_stages(toolchain, page_stage_is_wrong) > 0)
        return;
    if (json_array_size(json_object_get(toolchain, "stages")) == 0 ||
        number_in(toolchain, "programs") == 0)
        html(to, "<p>No program was tried.</p>\n");
    else if (count_stages(toolchain, page_stage_is_untried) > 0)
        html(to, "<p>No program came out wrong where it could be tried.</p>\n");
    else
        html(to, "<p>No program came out wrong.</p>\n");
}

static void write_toolchain(FILE *to, const struct page *page)
{
    json_t *toolchain, *item;
    size_t t, k;

    json_array_foreach(page->toolchains, t, toolchain)
    {
        write_stages(to, toolchain);
        write_all_right(to, toolchain);
        json_array_foreach(json_object_get(toolchain, "families"), k, item)
        {
            write_family(to, item);
        }
        write_same_code(to, toolchain);
        json_array_foreach(json_object_get(toolchain, "unsteady"), k, item)
        {
            html(to,
                 "<p class=\"note\"><b class=\"alarm\">%s</b> gives other code of the same source "
                 "the second time.</p>\n",
                 json_string_value(item));
        }
    }
}

const struct page_section page_toolchain = {"toolchain", "Compilers", has_toolchain,
                                            write_toolchain};
