/* SPDX-License-Identifier: MIT
 *
 * The section of a page on the benchmark: bars, lines and tables.
 */
#include "bench_wing.h"
#include "html.h"
#include "members.h"

#include <stdlib.h>

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
    const json_t *rows = page_rows(page, "benchmark");
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
