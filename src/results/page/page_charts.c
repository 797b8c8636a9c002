/* SPDX-License-Identifier: MIT
 *
 * The drawings of a page: maps of where kernels are right, and nested launches.
 */
#include "difference.h"
#include "domain_map.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Maps of blocks and sizes ---- */

enum { CELL = 10, MARGIN = 40, FOOT = 18, LABELLED = 4, ENLARGED = 3 /* halves */ };

/* The meaning of a cell. domain_map.h has the bits. */
enum shade { NOTHING, RIGHT, EDGE, FAILS, LUCKY, WRONG, SHADES };

static const struct {
    const char *class, *words;
} shades[SHADES] = {
    [RIGHT] = {"right", "right inside the domain"},
    [EDGE] = {"edge", "right inside the domain, wrong outside"},
    [FAILS] = {"fails", "wrong outside the domain"},
    [LUCKY] = {"lucky", "right outside the domain"},
    [WRONG] = {"wrong", "wrong inside the domain"},
};

static enum shade shade_of(char digit)
{
    unsigned long seen = strtoul((const char[]){digit, '\0'}, NULL, 16);

    return seen & MAP_WRONG_INSIDE    ? WRONG
           : seen == MAP_RIGHT_INSIDE ? RIGHT
           : seen & MAP_RIGHT_INSIDE  ? EDGE
           : seen & MAP_WRONG_OUTSIDE ? FAILS
           : seen & MAP_RIGHT_OUTSIDE ? LUCKY
                                      : NOTHING;
}

/* Returns the digits of a row of a map, or "" if the row is malformed. */
static const char *digits_of(const json_t *line)
{
    const char *text = json_string_value(line), *space = text != NULL ? strchr(text, ' ') : NULL;

    return space != NULL && strlen(space + 1) <= MAP_SIZES ? space + 1 : "";
}

/* Counts the cells of each shade. Returns the number of cells of the longest row. */
static size_t count_cells(const json_t *map, size_t counts[SHADES])
{
    size_t width = 0;

    memset(counts, 0, SHADES * sizeof *counts);
    for (struct each line = {.rows = map}; each_next(&line);) {
        const char *digits = digits_of(line.row);
        width = strlen(digits) > width ? strlen(digits) : width;
        for (; *digits != '\0'; digits++)
            counts[shade_of(*digits)]++;
    }
    return width;
}

bool page_map_is_mixed(const json_t *map)
{
    size_t counts[SHADES];

    count_cells(map, counts);
    return counts[EDGE] + counts[FAILS] + counts[LUCKY] + counts[WRONG] > 0;
}

/* Draws the cells of one shade. Adjacent cells are one line. */
static void write_shade(FILE *to, const json_t *map, enum shade shade)
{
    fprintf(to, "<path class=\"%s\" d=\"", shades[shade].class);
    for (struct each line = {.rows = map}; each_next(&line);) {
        const char *digits = digits_of(line.row);
        for (size_t k = 0, end; digits[k] != '\0'; k = end) {
            end = k + 1;
            if (shade_of(digits[k]) != shade)
                continue;
            while (digits[end] != '\0' && shade_of(digits[end]) == shade)
                end++;
            fprintf(to, "M%zu %zuh%zu", MARGIN + CELL * k, CELL * line.next - CELL / 2,
                    CELL * (end - k));
        }
    }
    fputs("\"/>", to);
}

/* Draws the lines between cells. */
static void write_grid(FILE *to, size_t width, size_t height)
{
    fputs("<path class=\"grid\" d=\"", to);
    for (size_t k = 0; k <= width; k++)
        fprintf(to, "M%zu 0v%zu", MARGIN + CELL * k, CELL * height);
    for (size_t l = 0; l <= height; l++)
        fprintf(to, "M%d %zuh%zu", MARGIN, CELL * l, CELL * width);
    fputs("\"/>", to);
}

/* Writes a label such as "64", "4k" or "1M". */
static void write_label(FILE *to, size_t x, size_t y, const char *anchor, unsigned long long number)
{
    static const char units[][2] = {"", "k", "M", "G", "T"};
    size_t unit = 0;

    for (; number >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1024;
    fprintf(to, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"%s\">%lld%s</text>", x, y, anchor,
            (long long)number, units[unit]);
}

/* Labels the powers of four. */
static void write_labels(FILE *to, const json_t *map, size_t width)
{
    for (struct each line = {.rows = map}; each_next(&line);) {
        char *end = NULL;
        unsigned long long first =
            json_is_string(line.row) ? strtoull(json_string_value(line.row), &end, 10) : 0;
        if (first > 0 && *end == ' ' && (first & (first - 1)) == 0 &&
            (first & 0x5555555555555555u) != 0)
            write_label(to, MARGIN - 4, CELL * line.next - 1, "end", first);
    }
    for (size_t k = 0; k < width; k += LABELLED)
        write_label(to, MARGIN + CELL * k + CELL / 2, CELL * json_array_size(map) + FOOT - 5,
                    "middle", k > 0 ? 1ull << k / 2 : 0);
}

/* Draws the map that all rows of a list have. The label of the picture has the same content in
 * words. */
static void write_map(FILE *to, const json_t *rows)
{
    const json_t *map = json_object_get(json_array_get(rows, 0), "map");
    size_t counts[SHADES], width = count_cells(map, counts), height = json_array_size(map),
                           across = MARGIN + CELL * width + 4;

    page_fill(to, NULL, "<figure class=\"map\"><figcaption>{*.}{,}{engine}{/}</figcaption>", rows);
    fprintf(to, "<svg viewBox=\"0 0 %zu %zu\" style=\"max-width:%zupx\" role=\"img\"", across,
            CELL * height + FOOT, ENLARGED * across / 2);
    page_fill(to, NULL,
              " aria-label=\"Map of threads per block by elements on {*.}{,}{engine}{/}:", rows);
    for (int shade = RIGHT; shade < SHADES; shade++)
        if (counts[shade] > 0)
            fprintf(to, " %zu cells %s;", counts[shade], shades[shade].words);
    fprintf(to, "\"><rect x=\"%d\" width=\"%zu\" height=\"%zu\"/>", MARGIN, CELL * width,
            CELL * height);
    for (int shade = RIGHT; shade < SHADES; shade++)
        if (counts[shade] > 0)
            write_shade(to, map, (enum shade)shade);
    write_grid(to, width, height);
    write_labels(to, map, width);
    fputs("</svg></figure>\n", to);
}

void page_maps(FILE *to, const json_t *rows)
{
    json_t *maps = page_groups(rows, "{*map}{.};{/}");

    for (struct each k = {.rows = maps}; each_next(&k);)
        if (json_array_size(json_object_get(json_array_get(k.row, 0), "map")) > 0)
            write_map(to, k.row);
    json_decref(maps);
}

void page_map_legend(FILE *to, const json_t *row)
{
    (void)row;
    fputs("<p>In a map, threads per block grow downwards, and elements grow to the right. A row or "
          "column is a power of two, or all numbers between two of them: 0, 1, 2, 3, 4, 5 to 7, 8, "
          "9 to 15 and so on. An empty cell was not tested.</p>\n<ul class=\"key\">",
          to);
    for (int shade = RIGHT; shade < SHADES; shade++)
        fprintf(to,
                "<li><svg width=\"14\" height=\"14\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
                "<path class=\"%s\" d=\"M0 5h10\"/></svg> %s</li>",
                shades[shade].class, shades[shade].words);
    fputs("</ul>\n", to);
}

/* ---- Nested launches ---- */

static const char nested[] =
    "{?counters:launches}<p>Grids by depth. Child grids are below the grid that launched them. The "
    "height of a grid is the logarithm of its number of threads.</p>\n{/}"
    "{*counters:launches}<details class=\"card\"><summary><b>{id}</b> {variant}"
    "{?engine} on {engine}{/} <span class=\"soft\">{#child_grids} child grids</span></summary>\n"
    "<p>Block {#block.0}, size {#size.0}{!size.1=1}, {#size.1}{/}. Grids that the host launches "
    "have depth 0.</p>"
    "\n<ol class=\"tree\">\n{@grids}</ol></details>\n{/}";

/* Up to MAX_GRIDS grids are drawn one by one. */
enum { MAX_GRIDS = 256, TREE = 1024, TALL = 16, LOW = 3 };

/* Returns how often the number of threads of a grid can be halved. */
static int height_of(const json_t *level)
{
    json_int_t threads = number_in(level, "blocks") * number_in(level, "threads");
    int count = 0;

    for (; threads > 1; threads /= 2)
        count++;
    return count;
}

/* Draws the grids of a depth side by side over the whole width. The grids that a grid launched are
 * then below it. `most` is the largest height_of() of all depths. */
static void write_depth(FILE *to, const json_t *level, size_t depth, int most)
{
    json_int_t grids = number_in(level, "grids");
    int height = LOW + (most > 0 ? (TALL - LOW) * height_of(level) / most : 0);

    fprintf(to,
            "<li><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            "<rect y=\"%d\" width=\"%d\" height=\"%d\"/><path d=\"",
            TREE, TALL, TALL - height, TREE, height);
    for (json_int_t k = 1; k < grids && grids <= MAX_GRIDS; k++)
        fprintf(to, "M%.1f 0v%d", (double)TREE * (double)k / (double)grids, TALL);
    fprintf(to, "\"/></svg><span><b>depth %zu</b>: ", depth);
    page_fill(to, NULL, "{#grids} grid{~grids}", level);
    fputs(grids > MAX_GRIDS ? " (too many to draw separately)" : "", to);
    page_fill(to, NULL, " of {#blocks} block{~blocks} of {#threads} thread{~threads}</span></li>\n",
              level);
}

static void write_grids(FILE *to, const json_t *row)
{
    const json_t *levels = json_object_get(row, "launches");
    int most = 0;

    for (struct each k = {.rows = levels}; each_next(&k);)
        most = height_of(k.row) > most ? height_of(k.row) : most;
    for (struct each k = {.rows = levels}; each_next(&k);)
        write_depth(to, k.row, k.next - 1, most);
}

static const struct page_part parts[] = {{.name = "grids", .write = write_grids}, {.name = NULL}};

const struct page_section page_launch_sections[] = {
    {"launches", "Nested launches", nested, parts, NULL, rows_of_counters, NULL},
    {.id = NULL},
};
