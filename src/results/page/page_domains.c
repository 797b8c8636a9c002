/* SPDX-License-Identifier: MIT
 *
 * The section of a page that shows where a kernel is right: conditions, what breaks without each,
 * and a map of blocks and sizes.
 */
#include "domain_map.h"
#include "html.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Maps ---- */

enum { CELL = 10, LEFT = 40, BELOW = 18, LABELLED = 4, ENLARGED = 3 /* halves */ };

/* What a cell shows, of the bits of domain_map.h. */
enum shade { NOTHING, RIGHT, EDGE, FAILS, LUCKY, WRONG, SHADES };

static const struct {
    const char *class, *words;
} shades[SHADES] = {
    [RIGHT] = {"right", "right, inside the domain"},
    [EDGE] = {"edge", "right inside, and wrong outside of it"},
    [FAILS] = {"fails", "outside, and wrong there"},
    [LUCKY] = {"lucky", "outside, and right all the same"},
    [WRONG] = {"wrong", "wrong inside"},
};

static enum shade shade_of(char digit)
{
    const char text[] = {digit, '\0'};
    unsigned long seen = strtoul(text, NULL, 16);

    return seen & MAP_WRONG_INSIDE                               ? WRONG
           : seen & MAP_RIGHT_INSIDE && seen != MAP_RIGHT_INSIDE ? EDGE
           : seen & MAP_RIGHT_INSIDE                             ? RIGHT
           : seen & MAP_WRONG_OUTSIDE                            ? FAILS
           : seen & MAP_RIGHT_OUTSIDE                            ? LUCKY
                                                                 : NOTHING;
}

/* The digits of a row of a map; "" for what is none. */
static const char *digits_of(const json_t *line)
{
    const char *text = json_string_value(line), *space = text != NULL ? strchr(text, ' ') : NULL;

    return space != NULL && strlen(space + 1) <= MAP_SIZES ? space + 1 : "";
}

static size_t width_of(const json_t *map)
{
    size_t width = 0, l;
    json_t *line;

    json_array_foreach(map, l, line)
    {
        width = strlen(digits_of(line)) > width ? strlen(digits_of(line)) : width;
    }
    return width;
}

/* The cells of one shade: lines through those that stand side by side. Returns their number. */
static size_t write_shade(FILE *to, const json_t *map, enum shade shade)
{
    size_t cells = 0, l;
    json_t *line;

    json_array_foreach(map, l, line)
    {
        const char *digits = digits_of(line);
        for (size_t k = 0, length; digits[k] != '\0'; k += length) {
            for (length = 0; digits[k + length] != '\0' && shade_of(digits[k + length]) == shade;)
                length++;
            if (length == 0) {
                length = 1;
                continue;
            }
            if (cells == 0)
                html(to, "<path class=\"%s\" d=\"", shades[shade].class);
            html(to, "M%zu %zuh%zu", LEFT + CELL * k, CELL * l + CELL / 2, CELL * length);
            cells += length;
        }
    }
    if (cells > 0)
        html(to, "\"/>");
    return cells;
}

static size_t count_shade(const json_t *map, enum shade shade)
{
    size_t cells = 0, l;
    json_t *line;

    json_array_foreach(map, l, line)
    {
        for (const char *digit = digits_of(line); *digit != '\0'; digit++)
            cells += shade_of(*digit) == shade;
    }
    return cells;
}

/* Lines between cells. */
static void write_grid(FILE *to, size_t width, size_t height)
{
    html(to, "<path class=\"grid\" d=\"");
    for (size_t k = 0; k <= width; k++)
        html(to, "M%zu 0v%zu", LEFT + CELL * k, CELL * height);
    for (size_t l = 0; l <= height; l++)
        html(to, "M%d %zuh%zu", LEFT, CELL * l, CELL * width);
    html(to, "\"/>");
}

/* "64", "4k", "1M". */
static void short_number(unsigned long long number, char *text, size_t size)
{
    static const char units[] = " kMGT";
    size_t unit = 0;

    while (number >= 1024 && units[unit + 1] != '\0') {
        number /= 1024;
        unit++;
    }
    snprintf(text, size, "%llu%.*s", number, unit > 0, &units[unit]);
}

/* Powers of four. */
static void write_labels(FILE *to, const json_t *map, size_t width)
{
    char text[32], *end;
    json_t *line;
    size_t l;

    json_array_foreach(map, l, line)
    {
        const char *range = json_string_value(line) != NULL ? json_string_value(line) : "";
        unsigned long long first = strtoull(range, &end, 10);
        if (*end != ' ' || first == 0 || (first & (first - 1)) != 0 ||
            (first & 0x5555555555555555u) == 0)
            continue;
        short_number(first, text, sizeof text);
        html(to, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%s</text>", LEFT - 4,
             CELL * l + CELL - 1, text);
    }
    for (size_t k = 0; k < width; k += LABELLED) {
        short_number(k > 0 ? 1ull << k / 2 : 0, text, sizeof text);
        html(to, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">%s</text>",
             LEFT + CELL * k + CELL / 2, CELL * json_array_size(map) + BELOW - 5, text);
    }
}

/* A map, for who sees it and for who does not. */
static void write_map(FILE *to, const json_t *map, const char *engines)
{
    size_t width = width_of(map), height = json_array_size(map);

    html(to,
         "<figure class=\"map\"><figcaption>%s</figcaption><svg viewBox=\"0 0 %zu %zu\" "
         "style=\"max-width:%zupx\" role=\"img\" aria-label=\"Map of threads a block by elements "
         "on %s:",
         engines, LEFT + CELL * width + 4, CELL * height + BELOW,
         ENLARGED * (LEFT + CELL * width + 4) / 2, engines);
    for (int shade = RIGHT; shade < SHADES; shade++)
        if (count_shade(map, (enum shade)shade) > 0)
            html(to, " %zu cells %s;", count_shade(map, (enum shade)shade), shades[shade].words);
    html(to, "\"><rect x=\"%d\" width=\"%zu\" height=\"%zu\"/>", LEFT, CELL * width, CELL * height);
    for (int shade = RIGHT; shade < SHADES; shade++)
        write_shade(to, map, (enum shade)shade);
    write_grid(to, width, height);
    write_labels(to, map, width);
    html(to, "</svg></figure>\n");
}

/* ---- Groups of rows ---- */

static bool is_telling(const json_t *row)
{
    const json_t *map = json_object_get(row, "map");
    bool mixed = false;

    for (int shade = EDGE; shade < SHADES; shade++)
        mixed = mixed || count_shade(map, (enum shade)shade) > 0;
    return mixed || json_array_size(json_object_get(row, "boundaries")) > 0 ||
           json_is_object(json_object_get(row, "finding_witness"));
}

bool page_has_domain(const struct page *page, size_t group)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        if (page_group(page->results, r) == group && is_telling(row))
            return true;
    }
    return false;
}

static bool has_domains(const struct page *page)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        if (is_telling(row))
            return true;
    }
    return false;
}

/* Is it the first row of its group, from `group` on, with its map? */
static bool is_first_with_map(const struct page *page, size_t group, size_t r)
{
    const json_t *map = json_object_get(json_array_get(page->results, r), "map");

    for (size_t k = group; k < r; k++)
        if (page_group(page->results, k) == group &&
            json_equal(json_object_get(json_array_get(page->results, k), "map"), map))
            return false;
    return true;
}

/* A map for each that differs, with the engines that have it. */
static void write_maps(FILE *to, const struct page *page, size_t group)
{
    json_t *row, *other;
    size_t r, k;

    html(to, "<div class=\"maps\">");
    json_array_foreach(page->results, r, row)
    {
        const json_t *map = json_object_get(row, "map");
        char engines[128] = "";
        if (page_group(page->results, r) != group || json_array_size(map) == 0 ||
            !is_first_with_map(page, group, r))
            continue;
        json_array_foreach(page->results, k, other)
        {
            size_t used = strlen(engines);
            if (page_group(page->results, k) == group &&
                json_equal(json_object_get(other, "map"), map))
                snprintf(engines + used, sizeof engines - used, "%s%s", used > 0 ? ", " : "",
                         text_in(other, "engine"));
        }
        write_map(to, map, engines);
    }
    html(to, "</div>\n");
}

/* ---- Conditions ---- */

static void write_condition(FILE *to, const json_t *boundary)
{
    const json_t *witness = json_object_get(boundary, "witness");

    html(to, "<tr><th scope=\"row\">%s</th><td>", text_in(boundary, "condition"));
    if (json_is_object(witness)) {
        html(to, "block %s, size %s: ", text_in(witness, "block"), text_in(witness, "size"));
        page_outcome(to, witness);
        html(to, "<br><code class=\"token\">%s</code>", text_in(witness, "token"));
    } else {
        html(to, "%s",
             number_in(boundary, "cases") == 0 ? "not tried without"
                                               : "else right on this engine, by luck");
    }
    html(to, "</td></tr>\n");
}

static void write_boundaries(FILE *to, const json_t *row)
{
    json_t *boundary;
    size_t k;

    html(to,
         "<table class=\"conditions\"><caption>%s: right where all of these hold</caption>"
         "<thead><tr><th scope=\"col\">condition</th><th "
         "scope=\"col\">else</th></tr></thead><tbody>\n",
         text_in(row, "engine"));
    json_array_foreach(json_object_get(row, "boundaries"), k, boundary)
    {
        write_condition(to, boundary);
    }
    html(to, "</tbody></table>\n");
}

static void write_finding(FILE *to, const json_t *row)
{
    const json_t *witness = json_object_get(row, "finding_witness");

    html(
        to,
        "<p class=\"finding note\"><b>Finding on %s</b>: %s. Of %lld cases inside, %lld are wrong, "
        "such as block %s, size %s, %s, %s: ",
        text_in(row, "engine"), text_in(row, "finding"), number_in(row, "inside"),
        number_in(row, "found"), text_in(witness, "block"), text_in(witness, "size"),
        text_in(witness, "model"), text_in(witness, "schedule"));
    page_outcome(to, witness);
    html(to, "</p>\n");
    page_replay(to, text_in(witness, "token"));
}

/* Of the group's first row open, of those on other engines folded. */
static void write_evidence(FILE *to, const json_t *row, bool folded)
{
    if (folded)
        html(to, "<details><summary>On %s</summary>\n", text_in(row, "engine"));
    if (json_array_size(json_object_get(row, "boundaries")) > 0)
        write_boundaries(to, row);
    if (json_is_object(json_object_get(row, "finding_witness")))
        write_finding(to, row);
    if (text_in(row, "note")[0] != '\0')
        html(to, "<p class=\"note\">%s: %s</p>\n", text_in(row, "engine"), text_in(row, "note"));
    html(to, folded ? "</details>\n" : "");
}

/* ---- The section ---- */

static void write_legend(FILE *to)
{
    html(to,
         "<p>Maps show threads a block, downwards, by elements, to the right, between powers of "
         "two: "
         "0, 1, 2, 3, 4, 5 to 7, 8, 9 to 15 and so on. A cell that is empty was not tried.</p>\n"
         "<ul class=\"key\">");
    for (int shade = RIGHT; shade < SHADES; shade++)
        html(to,
             "<li><svg width=\"14\" height=\"14\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
             "<path class=\"%s\" d=\"M0 5h10\"/></svg> %s</li>",
             shades[shade].class, shades[shade].words);
    html(to, "</ul>\n");
}

static void write_group(FILE *to, const struct page *page, size_t group)
{
    const json_t *first = json_array_get(page->results, group);
    json_t *row;
    size_t r;

    html(to, "<details class=\"card\" id=\"domain-%zu\"><summary><b>%s</b> %s ", group,
         text_in(first, "id"), text_in(first, "form"));
    json_array_foreach(page->results, r, row)
    {
        if (page_group(page->results, r) == group)
            html(to,
                 "<span class=\"sign %s\"><span aria-hidden=\"true\">%s</span> %s<span "
                 "class=\"hidden\">: %s</span></span> ",
                 page_class(text_in(row, "verdict")), page_mark(text_in(row, "verdict")),
                 text_in(row, "engine"), text_in(row, "verdict"));
    }
    html(to, "</summary>\n<p>Domain: <b>%s</b></p>\n", text_in(first, "domain"));
    write_maps(to, page, group);
    json_array_foreach(page->results, r, row)
    {
        if (page_group(page->results, r) == group)
            write_evidence(to, row, r > group);
    }
    html(to, "</details>\n");
}

static void write_domains(FILE *to, const struct page *page)
{
    json_t *row;
    size_t r;

    write_legend(to);
    json_array_foreach(page->results, r, row)
    {
        if (page_group(page->results, r) == r && page_has_domain(page, r))
            write_group(to, page, r);
    }
}

const struct page_section page_domains = {"domains", "Domains", has_domains, write_domains};
