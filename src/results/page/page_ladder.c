/* SPDX-License-Identifier: MIT
 *
 * The section of a page that shows how fast each reduction is: the ladder of ci/bench.
 */
#include "html.h"
#include "members.h"
#include "page.h"

#include <string.h>

enum { WIDTH = 640, HEIGHT = 300, LEFT = 56, RIGHT = 32, TOP = 12, BELOW = 30, BAR = 1000 };

static double real_in(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

static bool has_ladder(const struct page *page)
{
    return json_array_size(page->ladder) > 0;
}

/* The largest value of a member. */
static double most_of(const json_t *rows, const char *name)
{
    double most = 0;
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        most = real_in(row, name) > most ? real_in(row, name) : most;
    }
    return most;
}

/* The smallest that is more than `above`; 0: there is none. */
static double next_size(const json_t *rows, double above)
{
    double least = 0;
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        double elements = real_in(row, "elements");
        if (elements > above && (least == 0 || elements < least))
            least = elements;
    }
    return least;
}

/* ---- Bars ---- */

/* A quartile of the runs' rates: the first, 0, or the third, 1. Without any, the rate itself. */
static double quartile_in(const json_t *row, size_t which)
{
    const json_t *quartiles = json_object_get(json_object_get(row, "spread"), "bytes_per_second");
    const json_t *quartile = json_array_get(quartiles, which);

    return json_is_number(quartile) ? json_number_value(quartile)
                                    : real_in(row, "bytes_per_second");
}

/* A bar, with a line between the quartiles. */
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

static void write_ratio(FILE *to, const json_t *row, const char *name)
{
    if (json_is_number(json_object_get(row, name)))
        html(to, "<td class=\"number\">%.3f</td>", real_in(row, name));
    else
        html(to, "<td class=\"number\">–</td>");
}

static void write_table(FILE *to, const json_t *rows, double elements, double most)
{
    json_t *row;
    size_t r;

    html(
        to,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Ladder at %.0f elements\">"
        "<table class=\"ladder\"><caption>%.0f elements</caption><thead><tr><th "
        "scope=\"col\">kernel</th>"
        "<th scope=\"col\">GB/s</th><th scope=\"col\">of copy</th><th scope=\"col\">of CUB</th>"
        "<th scope=\"col\">quartiles</th></tr></thead><tbody>\n",
        elements, elements);
    json_array_foreach(rows, r, row)
    {
        if (real_in(row, "elements") < elements || real_in(row, "elements") > elements)
            continue;
        html(to, "<tr><th scope=\"row\">%s", text_in(row, "kernel"));
        write_bar(to, row, most);
        html(to, "</th><td class=\"number\">%.1f</td>", real_in(row, "bytes_per_second") / 1e9);
        write_ratio(to, row, "ratio_to_copy");
        write_ratio(to, row, "ratio_to_cub");
        if (json_is_object(json_object_get(row, "spread")))
            html(to, "<td class=\"number\">%.1f to %.1f</td>", quartile_in(row, 0) / 1e9,
                 quartile_in(row, 1) / 1e9);
        else
            html(to, "<td class=\"number\">–</td>");
        html(to, "</tr>\n");
    }
    html(to, "</tbody></table></div>\n");
}

/* ---- Lines over sizes ---- */

/* How often an amount can be halved down to 1, with what is left as a share. */
static double halvings(double amount)
{
    double count = 0;

    while (amount >= 2) {
        amount /= 2;
        count++;
    }
    return amount >= 1 ? count + amount - 1 : count;
}

struct scale {
    double first, last, most; /* of sizes in halvings; of bytes a second */
};

static double across(const struct scale *scale, double elements)
{
    double span = scale->last > scale->first ? scale->last - scale->first : 1;
    return LEFT + (WIDTH - LEFT - RIGHT) * (halvings(elements) - scale->first) / span;
}

static double up(const struct scale *scale, double rate)
{
    return HEIGHT - BELOW - (HEIGHT - TOP - BELOW) * (scale->most > 0 ? rate / scale->most : 0);
}

/* The line of a kernel, from its smallest size on. */
static void write_line(FILE *to, const json_t *rows, const char *kernel, const struct scale *scale,
                       const char *class)
{
    bool begun = false;
    json_t *row;
    size_t r;

    html(to, "<path class=\"%s\" d=\"", class);
    for (double size = next_size(rows, 0); size > 0; size = next_size(rows, size)) {
        json_array_foreach(rows, r, row)
        {
            if (strcmp(text_in(row, "kernel"), kernel) != 0 || real_in(row, "elements") > size ||
                real_in(row, "elements") < size)
                continue;
            html(to, begun ? "L%.1f %.1f" : "M%.1f %.1f", across(scale, size),
                 up(scale, real_in(row, "bytes_per_second")));
            begun = true;
        }
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

static void write_axes(FILE *to, const json_t *rows, const struct scale *scale)
{
    double step = round_step(scale->most / 1e9) * 1e9;

    for (double rate = 0; rate <= scale->most; rate += step)
        html(to,
             "<path class=\"axis\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
             "text-anchor=\"end\">%.0f</text>",
             LEFT, up(scale, rate), WIDTH - LEFT - RIGHT, LEFT - 6, up(scale, rate) + 4,
             rate / 1e9);
    for (double size = next_size(rows, 0); size > 0; size = next_size(rows, size))
        html(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">2^%.0f</text>",
             across(scale, size), HEIGHT - 10, halvings(size));
}

/* The kernel that is fastest at the largest size. */
static const char *fastest(const json_t *rows)
{
    double size = most_of(rows, "elements"), most = 0;
    const char *kernel = "";
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        if (real_in(row, "elements") < size || real_in(row, "bytes_per_second") <= most)
            continue;
        most = real_in(row, "bytes_per_second");
        kernel = text_in(row, "kernel");
    }
    return kernel;
}

static void write_lines(FILE *to, const json_t *rows)
{
    struct scale scale = {halvings(next_size(rows, 0)), halvings(most_of(rows, "elements")),
                          most_of(rows, "bytes_per_second")};
    json_t *row, *drawn = json_object();
    size_t r;

    html(to,
         "<figure class=\"chart\"><figcaption>GB/s by elements; the thick line is <b>%s</b>, the "
         "fastest "
         "at the largest size</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" "
         "aria-label=\"Bytes a second of each kernel by elements; the tables have the numbers\">",
         fastest(rows), WIDTH, HEIGHT);
    write_axes(to, rows, &scale);
    json_array_foreach(rows, r, row)
    {
        if (json_object_get(drawn, text_in(row, "kernel")) != NULL)
            continue;
        json_object_set_new(drawn, text_in(row, "kernel"), json_true());
        write_line(to, rows, text_in(row, "kernel"), &scale, "line");
    }
    write_line(to, rows, fastest(rows), &scale, "line best");
    html(to, "</svg></figure>\n");
    json_decref(drawn);
}

static void write_ladder(FILE *to, const struct page *page)
{
    double largest = most_of(page->ladder, "elements"),
           most = most_of(page->ladder, "bytes_per_second");

    if (next_size(page->ladder, 0) < largest)
        write_lines(to, page->ladder);
    write_table(to, page->ladder, largest, most);
    if (next_size(page->ladder, 0) >= largest)
        return;
    html(to, "<details class=\"card\"><summary>Smaller sizes</summary>\n");
    for (double size = next_size(page->ladder, 0); size > 0 && size < largest;
         size = next_size(page->ladder, size))
        write_table(to, page->ladder, size, most);
    html(to, "</details>\n");
}

const struct page_section page_ladder = {"ladder", "Ladder", has_ladder, write_ladder};
