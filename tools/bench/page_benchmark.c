/* SPDX-License-Identifier: MIT
 *
 * The section of a page on the benchmark: bars, lines and tables.
 */
#include "bench_wing.h"
#include "members.h"
#include "record_speed.h"

/* ---- Sizes ---- */

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

static json_int_t size_of(const json_t *rows)
{
    return number_in(json_array_get(rows, 0), "elements");
}

/* Returns lists of the rows of each size, in ascending order. Notes in each row the largest
 * throughput of all, as "most". The caller owns the array. */
static json_t *sizes_of(const json_t *rows)
{
    json_t *sizes = json_array(), *groups = page_groups(rows, "{#elements}"), *row;
    double most = most_of(rows, "bytes_per_second");
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_object_set_new(row, "most", json_real(most));
    }
    json_array_foreach(groups, r, row)
    {
        size_t at = 0;
        while (at < json_array_size(sizes) && size_of(json_array_get(sizes, at)) < size_of(row))
            at++;
        json_array_insert(sizes, at, row);
    }
    json_decref(groups);
    return sizes;
}

/* ---- Lines ---- */

enum { WIDTH = 640, HEIGHT = 300, LEFT = 56, AFTER = 32, TOP = 12, BELOW = 30, BAR = 1000 };

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

static double across(const struct scale *scale, const json_t *row)
{
    double span = scale->last > scale->first ? scale->last - scale->first : 1;
    return LEFT +
           (WIDTH - LEFT - AFTER) * (halvings(real_in(row, "elements")) - scale->first) / span;
}

static double up(const struct scale *scale, double speed)
{
    return HEIGHT - BELOW - (HEIGHT - TOP - BELOW) * (scale->most > 0 ? speed / scale->most : 0);
}

/* Draws the line of a row's kernel, starting at its smallest size. */
static void write_line(FILE *to, const json_t *sizes, const json_t *row, const struct scale *scale,
                       const char *class)
{
    bool begun = false;

    fprintf(to, "<path class=\"%s\" d=\"", class);
    for (struct each size = {.rows = sizes}; each_next(&size);)
        for (struct each k = {.rows = size.row}; each_next(&k);)
            if (page_is(k.row, "kernel", text_in(row, "kernel"))) {
                fprintf(to, begun ? "L%.1f %.1f" : "M%.1f %.1f", across(scale, k.row),
                        up(scale, real_in(k.row, "bytes_per_second")));
                begun = true;
            }
    page_fill(to, NULL, "\"><title>{kernel}</title></path>", row);
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

static void write_axes(FILE *to, const json_t *sizes, const struct scale *scale)
{
    double step = round_step(scale->most / 1e9) * 1e9;

    for (double speed = 0; speed <= scale->most; speed += step)
        fprintf(to,
                "<path class=\"axis\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.0f</text>",
                LEFT, up(scale, speed), WIDTH - LEFT - AFTER, LEFT - 6, up(scale, speed) + 4,
                speed / 1e9);
    for (struct each k = {.rows = sizes}; each_next(&k);)
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">2^%.0f</text>",
                across(scale, json_array_get(k.row, 0)), HEIGHT - 10,
                halvings((double)size_of(k.row)));
}

/* Returns the fastest of the rows. */
static const json_t *fastest(const json_t *rows)
{
    double most = most_of(rows, "bytes_per_second");
    struct each k = {.rows = rows};

    while (each_next(&k) && real_in(k.row, "bytes_per_second") < most)
        ;
    return k.row;
}

static void write_lines(FILE *to, const json_t *rows, const json_t *sizes)
{
    const json_t *largest = json_array_get(sizes, json_array_size(sizes) - 1),
                 *best = fastest(largest);
    struct scale scale = {halvings((double)size_of(json_array_get(sizes, 0))),
                          halvings((double)size_of(largest)), most_of(rows, "bytes_per_second")};
    json_t *kernels = page_groups(rows, "{kernel}");

    page_fill(to, NULL,
              "<figure class=\"chart\"><figcaption>GB/s by elements; the thick line is "
              "<b>{kernel}</b>, the fastest at the largest size</figcaption>",
              best);
    fprintf(to,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Bytes per second of each kernel "
            "by elements; the tables have the numbers\">",
            WIDTH, HEIGHT);
    write_axes(to, sizes, &scale);
    for (struct each k = {.rows = kernels}; each_next(&k);)
        write_line(to, sizes, json_array_get(k.row, 0), &scale, "line");
    write_line(to, sizes, best, &scale, "line best");
    fputs("</svg></figure>\n", to);
    json_decref(kernels);
}

/* ---- Tables ---- */

static double quartile_in(const json_t *row, size_t which)
{
    return json_number_value(
        json_array_get(json_object_get(json_object_get(row, "spread"), "bytes_per_second"), which));
}

/* Draws a throughput as a bar, with a line between its quartiles. */
static void write_kernel(FILE *to, const json_t *row)
{
    double scale = BAR / real_in(row, "most");

    page_fill(to, NULL, "{kernel}", row);
    fprintf(to,
            "<svg class=\"bar\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">"
            "<rect width=\"%.1f\" height=\"16\"/><path d=\"M%.1f 8H%.1f\"/></svg>",
            scale * real_in(row, "bytes_per_second"), scale * quartile_in(row, 0),
            scale * quartile_in(row, 1));
}

static void write_speed(FILE *to, const json_t *row)
{
    fprintf(to, "%.1f", real_in(row, "bytes_per_second") / 1e9);
}

static void write_quartiles(FILE *to, const json_t *row)
{
    fprintf(to, "%.1f to %.1f", quartile_in(row, 0) / 1e9, quartile_in(row, 1) / 1e9);
}

static const struct page_column columns[] = {
    PAGE_COLUMN("kernel", struct benchmark_row, kernel, .write = write_kernel),
    PAGE_COLUMN("GB/s", struct benchmark_row, bytes_per_second, .write = write_speed),
    PAGE_COLUMN("ratio to copy", struct benchmark_row, ratio_to_copy),
    PAGE_COLUMN("ratio to CUB", struct benchmark_row, ratio_to_cub),
    PAGE_COLUMN("quartiles", struct benchmark_row, bytes_per_second, .write = write_quartiles),
    {.head = NULL},
};
static const struct page_part table = {.caption = "Benchmark at {#0.elements} elements",
                                       .rows = ".",
                                       .fields = &benchmark_row_table,
                                       .columns = columns};

static void write_benchmark(FILE *to, const json_t *page)
{
    const json_t *rows = json_object_get(page, "benchmark");
    json_t *sizes = sizes_of(rows);
    size_t count = json_array_size(sizes);

    if (count > 1)
        write_lines(to, rows, sizes);
    if (count > 0)
        page_table(to, &table, json_array_get(sizes, count - 1));
    fputs(count > 1 ? "<details class=\"card\"><summary>Smaller sizes</summary>\n" : "", to);
    for (size_t k = 0; k + 1 < count; k++)
        page_table(to, &table, json_array_get(sizes, k));
    fputs(count > 1 ? "</details>\n" : "", to);
    json_decref(sizes);
}

static const struct page_part parts[] = {{.name = "benchmark", .write = write_benchmark},
                                         {.name = NULL}};

/* Notes what was not measured, because its sum is wrong or the GPU is too small. */
static void note(json_t *page, const char *path, const json_t *benchmark)
{
    for (struct each k = {.rows = json_object_get(benchmark, "left_out")}; each_next(&k);)
        page_note(page, page_is(k.row, "kernel", "all") ? "lacks" : "wrongs",
                  "%s: the benchmark at %lld elements, %s: %s", path, number_in(k.row, "elements"),
                  text_in(k.row, "kernel"), text_in(k.row, "reason"));
}

const struct page_section bench_sections[] = {
    {"benchmark", "Benchmark", "{@benchmark}", parts, NULL, benchmark_rows, note},
    {.id = NULL},
};
