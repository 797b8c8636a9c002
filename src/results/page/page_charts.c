/* SPDX-License-Identifier: MIT
 *
 * The drawings of a page: maps of where kernels are right, nested launches, and the benchmark.
 */
#include "domain_map.h"
#include "html.h"
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

/* Draws the lines between cells. */
static void write_grid(FILE *to, size_t width, size_t height)
{
    html(to, "<path class=\"grid\" d=\"");
    for (size_t k = 0; k <= width; k++)
        html(to, "M%zu 0v%zu", MARGIN + CELL * k, CELL * height);
    for (size_t l = 0; l <= height; l++)
        html(to, "M%d %zuh%zu", MARGIN, CELL * l, CELL * width);
    html(to, "\"/>");
}

/* Writes a label such as "64", "4k" or "1M". */
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

/* The label of the picture has the same content in words. */
void page_map(FILE *to, const json_t *map, const char *engines)
{
    size_t counts[SHADES], width = count_cells(map, counts), height = json_array_size(map),
                           across = MARGIN + CELL * width + 4;

    html(to,
         "<figure class=\"map\"><figcaption>%s</figcaption><svg viewBox=\"0 0 %zu %zu\" "
         "style=\"max-width:%zupx\" role=\"img\" aria-label=\"Map of threads per block by "
         "elements on %s:",
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
         "<p>In a map, threads per block grow downwards, and elements grow to the right. A row or "
         "column is a power of two, or all numbers between two of them: 0, 1, 2, 3, 4, 5 to 7, 8, "
         "9 to 15 and so on. An empty cell was not tested.</p>\n<ul class=\"key\">");
    for (int shade = RIGHT; shade < SHADES; shade++)
        html(to,
             "<li><svg width=\"14\" height=\"14\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
             "<path class=\"%s\" d=\"M0 5h10\"/></svg> %s</li>",
             shades[shade].class, shades[shade].words);
    html(to, "</ul>\n");
}

/* ---- Nested launches ---- */

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

static void write_amount(FILE *to, json_int_t amount, const char *what)
{
    html(to, "%lld %s%s", amount, what, amount == 1 ? "" : "s");
}

/* Draws the grids of a depth side by side over the whole width. The grids that a grid launched are
 * then below it. `most` is the largest height_of() of all depths. */
static void write_grids(FILE *to, const json_t *level, size_t depth, int most)
{
    json_int_t grids = number_in(level, "grids");
    int height = LOW + (most > 0 ? (TALL - LOW) * height_of(level) / most : 0);

    html(to,
         "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
         "<rect y=\"%d\" width=\"%d\" height=\"%d\"/><path d=\"",
         TREE, TALL, TALL - height, TREE, height);
    for (json_int_t k = 1; k < grids && grids <= MAX_GRIDS; k++)
        html(to, "M%.1f 0v%d", (double)TREE * (double)k / (double)grids, TALL);
    html(to, "\"/></svg><span><b>depth %zu</b>: ", depth);
    write_amount(to, grids, "grid");
    html(to, grids > MAX_GRIDS ? " (too many to draw separately) of " : " of ");
    write_amount(to, number_in(level, "blocks"), "block");
    html(to, " of ");
    write_amount(to, number_in(level, "threads"), "thread");
    html(to, "</span>");
}

static bool launches(const json_t *row)
{
    return json_array_size(json_object_get(row, "launches")) > 0;
}

static void write_tree(FILE *to, const json_t *row)
{
    const json_t *levels = json_object_get(row, "launches");
    int most = 0;

    for (struct each k = {.rows = levels}; each_next(&k);)
        most = height_of(k.row) > most ? height_of(k.row) : most;
    page_fill(to, row,
              "<details class=\"card\"><summary><b>{id}</b> {variant}{?engine} on {engine}{/} "
              "<span class=\"soft\">{#child_grids} child grids</span></summary>\n"
              "<p>Block {#block.0}, size {#size.0}");
    if (number_at(row, "size", 1) > 1)
        page_fill(to, row, ", {#size.1}");
    html(to, ". Grids that the host launches have depth 0.</p>\n<ol class=\"tree\">\n");
    for (struct each k = {.rows = levels}; each_next(&k);) {
        html(to, "<li>");
        write_grids(to, k.row, k.next - 1, most);
        html(to, "</li>\n");
    }
    html(to, "</ol></details>\n");
}

void page_launches(FILE *to, const struct page *page)
{
    if (page_count(page->counters, launches) > 0)
        html(to, "<p>Grids by depth. Child grids are below the grid that launched them. The height "
                 "of a grid is the logarithm of its number of threads.</p>\n");
    for (struct each k = {.rows = page->counters}; each_next(&k);)
        if (launches(k.row))
            write_tree(to, k.row);
}

/* ---- Bars and lines of the benchmark ---- */

enum { WIDTH = 640, HEIGHT = 300, LEFT = 56, AFTER = 32, TOP = 12, BELOW = 30, BAR = 1000 };

static double real_in(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

static double most_of(const json_t *rows, const char *name)
{
    double most = 0;

    for (struct each k = {.rows = rows}; each_next(&k);)
        most = real_in(k.row, name) > most ? real_in(k.row, name) : most;
    return most;
}

static double next_size(const json_t *rows, double above)
{
    double least = 0;

    for (struct each k = {.rows = rows}; each_next(&k);) {
        double elements = real_in(k.row, "elements");
        if (elements > above && (least == 0 || elements < least))
            least = elements;
    }
    return least;
}

static double quartile_in(const json_t *row, size_t which)
{
    const json_t *quartiles = json_object_get(json_object_get(row, "spread"), "bytes_per_second"),
                 *quartile = json_array_get(quartiles, which);

    return json_is_number(quartile) ? json_number_value(quartile)
                                    : real_in(row, "bytes_per_second");
}

/* Draws a throughput as a bar, with a line between its quartiles. */
static void write_bar(FILE *to, const json_t *row, double most)
{
    double scale = most > 0 ? BAR / most : 0;

    html(to,
         "<svg class=\"bar\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" "
         "aria-hidden=\"true\">"
         "<rect width=\"%.1f\" height=\"16\"/><path d=\"M%.1f 8H%.1f\"/></svg>",
         scale * real_in(row, "bytes_per_second"), scale * quartile_in(row, 0),
         scale * quartile_in(row, 1));
}

/* Returns how often an amount can be halved down to 1, with the remainder as a fraction. */
static double halvings(double amount)
{
    double count = 0;

    for (; amount >= 2; count++)
        amount /= 2;
    return amount >= 1 ? count + amount - 1 : count;
}

struct scale {
    double first, last; /* sizes, as halvings() */
    double most;        /* bytes per second */
};

static double across(const struct scale *scale, double elements)
{
    double span = scale->last > scale->first ? scale->last - scale->first : 1;
    return LEFT + (WIDTH - LEFT - AFTER) * (halvings(elements) - scale->first) / span;
}

static double up(const struct scale *scale, double speed)
{
    return HEIGHT - BELOW - (HEIGHT - TOP - BELOW) * (scale->most > 0 ? speed / scale->most : 0);
}

/* Draws the line of a kernel, starting at its smallest size. */
static void write_line(FILE *to, const json_t *rows, const char *kernel, const struct scale *scale,
                       const char *class)
{
    bool begun = false;

    html(to, "<path class=\"%s\" d=\"", class);
    for (double size = next_size(rows, 0); size > 0; size = next_size(rows, size))
        for (struct each k = {.rows = rows}; each_next(&k);) {
            if (!page_is(k.row, "kernel", kernel) || real_in(k.row, "elements") > size ||
                real_in(k.row, "elements") < size)
                continue;
            html(to, begun ? "L%.1f %.1f" : "M%.1f %.1f", across(scale, size),
                 up(scale, real_in(k.row, "bytes_per_second")));
            begun = true;
        }
    html(to, "\"><title>%s</title></path>", kernel);
}

/* Returns 1, 2 or 5 times a power of ten, so that at most five steps make up the amount. */
static double round_step(double amount)
{
    static const double factors[] = {2, 2.5, 2};
    double step = 1;

    for (int k = 0; step * 5 < amount; k++)
        step *= factors[k % 3];
    return step;
}

static void write_axes(FILE *to, const json_t *rows, const struct scale *scale)
{
    double step = round_step(scale->most / 1e9) * 1e9;

    for (double speed = 0; speed <= scale->most; speed += step)
        html(to,
             "<path class=\"axis\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
             "text-anchor=\"end\">%.0f</text>",
             LEFT, up(scale, speed), WIDTH - LEFT - AFTER, LEFT - 6, up(scale, speed) + 4,
             speed / 1e9);
    for (double size = next_size(rows, 0); size > 0; size = next_size(rows, size))
        html(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">2^%.0f</text>",
             across(scale, size), HEIGHT - 10, halvings(size));
}

/* Returns the kernel that is fastest at the largest size. */
static const char *fastest(const json_t *rows)
{
    double size = most_of(rows, "elements"), most = 0;
    const char *kernel = "";

    for (struct each k = {.rows = rows}; each_next(&k);) {
        if (real_in(k.row, "elements") < size || real_in(k.row, "bytes_per_second") <= most)
            continue;
        most = real_in(k.row, "bytes_per_second");
        kernel = text_in(k.row, "kernel");
    }
    return kernel;
}

static void write_lines(FILE *to, const json_t *rows)
{
    struct scale scale = {halvings(next_size(rows, 0)), halvings(most_of(rows, "elements")),
                          most_of(rows, "bytes_per_second")};
    json_t *drawn = json_object();

    html(to,
         "<figure class=\"chart\"><figcaption>GB/s by elements; the thick line is <b>%s</b>, the "
         "fastest at the largest size</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" "
         "aria-label=\"Bytes per second of each kernel by elements; the tables have the numbers\">",
         fastest(rows), WIDTH, HEIGHT);
    write_axes(to, rows, &scale);
    for (struct each k = {.rows = rows}; each_next(&k);) {
        const char *kernel = text_in(k.row, "kernel");
        if (json_object_get(drawn, kernel) == NULL)
            write_line(to, rows, kernel, &scale, "line");
        json_object_set_new(drawn, kernel, json_true());
    }
    write_line(to, rows, fastest(rows), &scale, "line best");
    html(to, "</svg></figure>\n");
    json_decref(drawn);
}

/* ---- Tables of the benchmark ---- */

static void write_ratio(FILE *to, const json_t *row, const char *name)
{
    if (json_is_number(json_object_get(row, name)))
        html(to, "<td class=\"number\">%.3f</td>", real_in(row, name));
    else
        html(to, "<td class=\"number\">–</td>");
}

static void write_row(FILE *to, const json_t *row, double most)
{
    page_fill(to, row, "<tr><th scope=\"row\">{kernel}");
    write_bar(to, row, most);
    html(to, "</th><td class=\"number\">%.1f</td>", real_in(row, "bytes_per_second") / 1e9);
    write_ratio(to, row, "ratio_to_copy");
    write_ratio(to, row, "ratio_to_cub");
    if (json_is_object(json_object_get(row, "spread")))
        html(to, "<td class=\"number\">%.1f to %.1f</td></tr>\n", quartile_in(row, 0) / 1e9,
             quartile_in(row, 1) / 1e9);
    else
        html(to, "<td class=\"number\">–</td></tr>\n");
}

static void write_rows(FILE *to, const json_t *rows, double elements, double most)
{
    char caption[64];

    snprintf(caption, sizeof caption, "Benchmark at %.0f elements", elements);
    page_table(to, caption,
               (const char *const[]){"kernel", "GB/s", "ratio to copy", "ratio to CUB", "quartiles",
                                     NULL});
    for (struct each k = {.rows = rows}; each_next(&k);)
        if (real_in(k.row, "elements") >= elements && real_in(k.row, "elements") <= elements)
            write_row(to, k.row, most);
    page_table_end(to);
}

void page_benchmark(FILE *to, const struct page *page)
{
    const json_t *rows = page->benchmark;
    double size = next_size(rows, 0), largest = most_of(rows, "elements"),
           most = most_of(rows, "bytes_per_second");

    if (json_array_size(rows) == 0)
        return;
    if (size < largest)
        write_lines(to, rows);
    write_rows(to, rows, largest, most);
    if (size >= largest)
        return;
    html(to, "<details class=\"card\"><summary>Smaller sizes</summary>\n");
    for (; size > 0 && size < largest; size = next_size(rows, size))
        write_rows(to, rows, size, most);
    html(to, "</details>\n");
}
