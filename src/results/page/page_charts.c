/* SPDX-License-Identifier: MIT
 *
 * What a page draws: where kernels are right, nested launches, and rates of the ladder.
 */
#include "domain_map.h"
#include "html.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Where a kernel is right: a map of blocks and sizes ---- */

enum { CELL = 10, MARGIN = 40, FOOT = 18, LABELLED = 4, ENLARGED = 3 /* halves */ };

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
    unsigned long seen = strtoul((const char[]){digit, '\0'}, NULL, 16);

    return seen & MAP_WRONG_INSIDE    ? WRONG
           : seen == MAP_RIGHT_INSIDE ? RIGHT
           : seen & MAP_RIGHT_INSIDE  ? EDGE
           : seen & MAP_WRONG_OUTSIDE ? FAILS
           : seen & MAP_RIGHT_OUTSIDE ? LUCKY
                                      : NOTHING;
}

/* The digits of a row of a map; "" for what is none. */
static const char *digits_of(const json_t *line)
{
    const char *text = json_string_value(line), *space = text != NULL ? strchr(text, ' ') : NULL;

    return space != NULL && strlen(space + 1) <= MAP_SIZES ? space + 1 : "";
}

/* Counts the cells of each shade; returns how many cells the longest row has. */
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

/* The cells of one shade: lines through those that stand side by side. */
static void write_shade(FILE *to, const json_t *map, enum shade shade)
{
    html(to, "<path class=\"%s\" d=\"", shades[shade].class);
    for (struct each line = {.rows = map}; each_next(&line);) {
        const char *digits = digits_of(line.row);
        for (size_t k = 0, end; digits[k] != '\0'; k = end) {
            end = k + 1;
            if (shade_of(digits[k]) != shade)
                continue;
            while (digits[end] != '\0' && shade_of(digits[end]) == shade)
                end++;
            html(to, "M%zu %zuh%zu", MARGIN + CELL * k, CELL * line.next - CELL / 2,
                 CELL * (end - k));
        }
    }
    html(to, "\"/>");
}

/* Lines between cells. */
static void write_grid(FILE *to, size_t width, size_t height)
{
    html(to, "<path class=\"grid\" d=\"");
    for (size_t k = 0; k <= width; k++)
        html(to, "M%zu 0v%zu", MARGIN + CELL * k, CELL * height);
    for (size_t l = 0; l <= height; l++)
        html(to, "M%d %zuh%zu", MARGIN, CELL * l, CELL * width);
    html(to, "\"/>");
}

/* A label such as "64", "4k" or "1M". */
static void write_label(FILE *to, size_t x, size_t y, const char *anchor, unsigned long long number)
{
    static const char units[][2] = {"", "k", "M", "G", "T"};
    size_t unit = 0;

    for (; number >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1024;
    html(to, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"%s\">%lld%s</text>", x, y, anchor,
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

/* For who sees it and for who does not. */
void page_map(FILE *to, const json_t *map, const char *engines)
{
    size_t counts[SHADES], width = count_cells(map, counts), height = json_array_size(map),
                           across = MARGIN + CELL * width + 4;

    html(to,
         "<figure class=\"map\"><figcaption>%s</figcaption><svg viewBox=\"0 0 %zu %zu\" "
         "style=\"max-width:%zupx\" role=\"img\" aria-label=\"Map of threads a block by elements "
         "on %s:",
         engines, across, CELL * height + FOOT, ENLARGED * across / 2, engines);
    for (int shade = RIGHT; shade < SHADES; shade++)
        if (counts[shade] > 0)
            html(to, " %zu cells %s;", counts[shade], shades[shade].words);
    html(to, "\"><rect x=\"%d\" width=\"%zu\" height=\"%zu\"/>", MARGIN, CELL * width,
         CELL * height);
    for (int shade = RIGHT; shade < SHADES; shade++)
        if (counts[shade] > 0)
            write_shade(to, map, (enum shade)shade);
    write_grid(to, width, height);
    write_labels(to, map, width);
    html(to, "</svg></figure>\n");
}

void page_map_legend(FILE *to)
{
    html(to,
         "<p>Maps show threads a block, downwards, by elements, to the right, between powers of "
         "two: 0, 1, 2, 3, 4, 5 to 7, 8, 9 to 15 and so on. A cell that is empty was not "
         "tried.</p>\n<ul class=\"key\">");
    for (int shade = RIGHT; shade < SHADES; shade++)
        html(to,
             "<li><svg width=\"14\" height=\"14\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
             "<path class=\"%s\" d=\"M0 5h10\"/></svg> %s</li>",
             shades[shade].class, shades[shade].words);
    html(to, "</ul>\n");
}

/* ---- Nested launches ---- */

enum { MOST_GRIDS = 256 /* that are drawn one by one */, TREE = 1024, TALL = 16, LOW = 3 };

/* How often the threads of a grid can be halved. */
int page_level_height(const json_t *level)
{
    json_int_t threads = number_in(level, "blocks") * number_in(level, "threads");
    int count = 0;

    for (; threads > 1; threads /= 2)
        count++;
    return count;
}

static void write_amount(FILE *to, json_int_t amount, const char *what)
{
    html(to, "%lld %s%s", amount, what, amount == 1 ? "" : "s");
}

/* Side by side, over the whole width: those that a grid has launched lie beneath it. */
void page_grids(FILE *to, const json_t *level, size_t depth, int most)
{
    json_int_t grids = number_in(level, "grids");
    int height = LOW + (most > 0 ? (TALL - LOW) * page_level_height(level) / most : 0);

    html(to,
         "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
         "<rect y=\"%d\" width=\"%d\" height=\"%d\"/><path d=\"",
         TREE, TALL, TALL - height, TREE, height);
    for (json_int_t k = 1; k < grids && grids <= MOST_GRIDS; k++)
        html(to, "M%.1f 0v%d", (double)TREE * (double)k / (double)grids, TALL);
    html(to, "\"/></svg><span><b>depth %zu</b>: ", depth);
    write_amount(to, grids, "grid");
    html(to, grids > MOST_GRIDS ? " (too many to draw apart) of " : " of ");
    write_amount(to, number_in(level, "blocks"), "block");
    html(to, " of ");
    write_amount(to, number_in(level, "threads"), "thread");
    html(to, "</span>");
}

/* ---- Rates of the ladder ---- */

enum { WIDTH = 640, HEIGHT = 300, LEFT = 56, AFTER = 32, TOP = 12, BELOW = 30, BAR = 1000 };

double page_real(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

double page_most(const json_t *rows, const char *name)
{
    double most = 0;

    for (struct each k = {.rows = rows}; each_next(&k);)
        most = page_real(k.row, name) > most ? page_real(k.row, name) : most;
    return most;
}

double page_next_size(const json_t *rows, double above)
{
    double least = 0;

    for (struct each k = {.rows = rows}; each_next(&k);) {
        double elements = page_real(k.row, "elements");
        if (elements > above && (least == 0 || elements < least))
            least = elements;
    }
    return least;
}

double page_quartile(const json_t *rung, size_t which)
{
    const json_t *quartiles = json_object_get(json_object_get(rung, "spread"), "bytes_per_second"),
                 *quartile = json_array_get(quartiles, which);

    return json_is_number(quartile) ? json_number_value(quartile)
                                    : page_real(rung, "bytes_per_second");
}

/* With a line between the quartiles. */
void page_bar(FILE *to, const json_t *rung, double most)
{
    double scale = most > 0 ? BAR / most : 0;

    html(to,
         "<svg class=\"bar\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" "
         "aria-hidden=\"true\">"
         "<rect width=\"%.1f\" height=\"16\"/><path d=\"M%.1f 8H%.1f\"/></svg>",
         scale * page_real(rung, "bytes_per_second"), scale * page_quartile(rung, 0),
         scale * page_quartile(rung, 1));
}

/* How often an amount can be halved down to 1, with what is left as a share. */
static double halvings(double amount)
{
    double count = 0;

    for (; amount >= 2; count++)
        amount /= 2;
    return amount >= 1 ? count + amount - 1 : count;
}

struct scale {
    double first, last, most; /* of sizes in halvings; of bytes a second */
};

static double across(const struct scale *scale, double elements)
{
    double span = scale->last > scale->first ? scale->last - scale->first : 1;
    return LEFT + (WIDTH - LEFT - AFTER) * (halvings(elements) - scale->first) / span;
}

static double up(const struct scale *scale, double rate)
{
    return HEIGHT - BELOW - (HEIGHT - TOP - BELOW) * (scale->most > 0 ? rate / scale->most : 0);
}

/* The line of a kernel, from its smallest size on. */
static void write_line(FILE *to, const json_t *rungs, const char *kernel, const struct scale *scale,
                       const char *class)
{
    bool begun = false;

    html(to, "<path class=\"%s\" d=\"", class);
    for (double size = page_next_size(rungs, 0); size > 0; size = page_next_size(rungs, size))
        for (struct each k = {.rows = rungs}; each_next(&k);) {
            if (!page_is(k.row, "kernel", kernel) || page_real(k.row, "elements") > size ||
                page_real(k.row, "elements") < size)
                continue;
            html(to, begun ? "L%.1f %.1f" : "M%.1f %.1f", across(scale, size),
                 up(scale, page_real(k.row, "bytes_per_second")));
            begun = true;
        }
    html(to, "\"><title>%s</title></path>", kernel);
}

/* 1, 2 or 5 and zeros, of which no more than five make up the amount. */
static double round_step(double amount)
{
    static const double factors[] = {2, 2.5, 2};
    double step = 1;

    for (int k = 0; step * 5 < amount; k++)
        step *= factors[k % 3];
    return step;
}

static void write_axes(FILE *to, const json_t *rungs, const struct scale *scale)
{
    double step = round_step(scale->most / 1e9) * 1e9;

    for (double rate = 0; rate <= scale->most; rate += step)
        html(to,
             "<path class=\"axis\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
             "text-anchor=\"end\">%.0f</text>",
             LEFT, up(scale, rate), WIDTH - LEFT - AFTER, LEFT - 6, up(scale, rate) + 4,
             rate / 1e9);
    for (double size = page_next_size(rungs, 0); size > 0; size = page_next_size(rungs, size))
        html(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">2^%.0f</text>",
             across(scale, size), HEIGHT - 10, halvings(size));
}

/* The kernel that is fastest at the largest size. */
static const char *fastest(const json_t *rungs)
{
    double size = page_most(rungs, "elements"), most = 0;
    const char *kernel = "";

    for (struct each k = {.rows = rungs}; each_next(&k);) {
        if (page_real(k.row, "elements") < size || page_real(k.row, "bytes_per_second") <= most)
            continue;
        most = page_real(k.row, "bytes_per_second");
        kernel = text_in(k.row, "kernel");
    }
    return kernel;
}

void page_lines(FILE *to, const json_t *rungs)
{
    struct scale scale = {halvings(page_next_size(rungs, 0)),
                          halvings(page_most(rungs, "elements")),
                          page_most(rungs, "bytes_per_second")};
    json_t *drawn = json_object();

    html(to,
         "<figure class=\"chart\"><figcaption>GB/s by elements; the thick line is <b>%s</b>, the "
         "fastest at the largest size</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" "
         "aria-label=\"Bytes a second of each kernel by elements; the tables have the numbers\">",
         fastest(rungs), WIDTH, HEIGHT);
    write_axes(to, rungs, &scale);
    for (struct each k = {.rows = rungs}; each_next(&k);) {
        const char *kernel = text_in(k.row, "kernel");
        if (json_object_get(drawn, kernel) == NULL)
            write_line(to, rungs, kernel, &scale, "line");
        json_object_set_new(drawn, kernel, json_true());
    }
    write_line(to, rungs, fastest(rungs), &scale, "line best");
    html(to, "</svg></figure>\n");
    json_decref(drawn);
}
