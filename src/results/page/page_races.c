/* SPDX-License-Identifier: MIT
 *
 * Sections of a page: accesses that nothing orders, and nested launches.
 */
#include "html.h"
#include "members.h"
#include "page.h"
#include "verdict_words.h"

#include <string.h>

/* ---- Races ---- */

enum { MOST_PAIRS = 3 };

static bool has_races(const struct page *page)
{
    return json_array_size(page->races) > 0;
}

static bool is_alike(const json_t *a, const json_t *b)
{
    return strcmp(text_in(a, "id"), text_in(b, "id")) == 0 &&
           strcmp(text_in(a, "form"), text_in(b, "form")) == 0;
}

static bool is_free(const json_t *row)
{
    return strcmp(text_in(row, "verdict"), race_verdict_name(RACE_FREE)) == 0 &&
           !json_is_false(json_object_get(row, "as_claimed"));
}

bool page_race_is_wrong(const json_t *row)
{
    return !json_is_true(json_object_get(row, "as_claimed")) ||
           strcmp(page_class(text_in(row, "verdict")), "bad") == 0;
}

/* Is it the first of its kernel and form that is not free of races? */
static bool is_first(const struct page *page, size_t r)
{
    const json_t *row = json_array_get(page->races, r);

    for (size_t k = 0; k < r; k++)
        if (is_alike(json_array_get(page->races, k), row) &&
            !is_free(json_array_get(page->races, k)))
            return false;
    return !is_free(row);
}

/* What a search through schedules has found. */
static void write_search(FILE *to, const json_t *search)
{
    html(to, ". Block %s, size %s: ", text_in(search, "block"), text_in(search, "size"));
    if (json_is_true(json_object_get(search, "wrong"))) {
        html(to, "%s", text_in(search, "outcome"));
        page_replay(to, text_in(search, "token"));
    } else {
        html(to, "right in all %lld schedules with up to %lld delays",
             number_in(search, "schedules"), number_in(search, "delays"));
    }
}

static void write_model(FILE *to, const json_t *row)
{
    html(to, "<li><b>%s%s%s</b> ", text_in(row, "model"),
         text_in(row, "engine")[0] != '\0' ? ", " : "", text_in(row, "engine"));
    page_verdict(to, text_in(row, "verdict"));
    if (json_is_false(json_object_get(row, "as_claimed")))
        html(to, " <b class=\"alarm\">not as claimed: %s</b>", text_in(row, "claimed"));
    if (strcmp(text_in(row, "verdict"), race_verdict_name(RACE_UNAVAILABLE)) == 0) {
        html(to, "</li>\n");
        return;
    }
    html(to, " %lld of %lld cases race", number_in(row, "racing"), number_in(row, "cases"));
    if (number_in(row, "unclaimed") > 0)
        html(to, "; %lld where its finding names none", number_in(row, "unclaimed"));
    if (number_in(row, "faults") > 0)
        html(to, "; %lld end in a fault", number_in(row, "faults"));
    if (json_is_object(json_object_get(row, "search")))
        write_search(to, json_object_get(row, "search"));
    html(to, "</li>\n");
}

/* What tells pairs apart: lines and kinds of both accesses. */
static void key_of(const json_t *pair, char *key, size_t size)
{
    const json_t *first = json_object_get(pair, "first"), *second = json_object_get(pair, "second");

    snprintf(key, size, "%s:%lld %s %s:%lld %s", text_in(first, "file"), number_in(first, "line"),
             text_in(first, "access"), text_in(second, "file"), number_in(second, "line"),
             text_in(second, "access"));
}

/* The accesses of a row that have not been told for the same kernel. */
static void write_pairs(FILE *to, const json_t *row, json_t *told)
{
    json_t *pair;
    size_t p;

    json_array_foreach(json_object_get(row, "pairs"), p, pair)
    {
        char key[640];
        key_of(pair, key, sizeof key);
        if (json_object_get(told, key) != NULL)
            continue;
        json_object_set_new_nocheck(told, key, json_true());
        if (json_object_size(told) <= MOST_PAIRS)
            page_pair(to, pair);
    }
}

static void write_racing(FILE *to, const struct page *page, size_t first)
{
    const json_t *kernel = json_array_get(page->races, first);
    json_t *row, *told = json_object();
    size_t r;

    html(to, "<details class=\"card\"><summary><b>%s</b> %s ", text_in(kernel, "id"),
         text_in(kernel, "form"));
    page_verdict(to, text_in(kernel, "verdict"));
    html(to, "</summary>\n<ul class=\"changes\">\n");
    json_array_foreach(page->races, r, row)
    {
        if (is_alike(row, kernel))
            write_model(to, row);
    }
    html(to, "</ul>\n");
    json_array_foreach(page->races, r, row)
    {
        if (is_alike(row, kernel))
            write_pairs(to, row, told);
    }
    if (json_object_size(told) > MOST_PAIRS)
        html(to, "<p class=\"note\">And %zu more pairs of lines.</p>\n",
             json_object_size(told) - MOST_PAIRS);
    html(to, "</details>\n");
    json_decref(told);
}

/* How many rows are of that verdict. */
static size_t count_verdict(const struct page *page, const char *verdict)
{
    size_t r, count = 0;
    json_t *row;

    json_array_foreach(page->races, r, row)
    {
        count += strcmp(text_in(row, "verdict"), verdict) == 0;
    }
    return count;
}

/* What no race was found in, though not for lack of one, stands apart from what is free of them. */
static void write_counts(FILE *to, const struct page *page)
{
    size_t faults = count_verdict(page, race_verdict_name(RACE_FAULT)),
           gone = count_verdict(page, race_verdict_name(RACE_UNAVAILABLE)), free_rows = 0,
           pairs = 0, r;
    json_t *row;

    json_array_foreach(page->races, r, row)
    {
        free_rows += is_free(row);
        pairs += json_array_size(json_object_get(row, "pairs")) > 0;
    }
    html(to, "<p>%zu of %zu rows, by model and engine, are free of races.", free_rows,
         json_array_size(page->races));
    if (faults > 0)
        html(to, " %zu end in a fault.", faults);
    if (gone > 0)
        html(to, " %zu could not be run.", gone);
    if (pairs > 0)
        html(
            to,
            " Of %zu, two accesses each, that nothing in the CUDA model puts one before the other.",
            pairs);
    html(to, "</p>\n");
}

static void write_races(FILE *to, const struct page *page)
{
    json_t *row;
    size_t r;

    write_counts(to, page);
    json_array_foreach(page->races, r, row)
    {
        if (is_first(page, r))
            write_racing(to, page, r);
    }
}

const struct page_section page_races = {"races", "Races", has_races, write_races};

/* ---- Nested launches ---- */

enum { MOST_GRIDS = 256 /* that are drawn one by one */, TREE = 1024, TALL = 16, LOW = 3 };

static bool launches(const json_t *row)
{
    return json_array_size(json_object_get(row, "launches")) > 0;
}

static bool has_launches(const struct page *page)
{
    json_t *row;
    size_t r;

    json_array_foreach(page->counters, r, row)
    {
        if (launches(row))
            return true;
    }
    return false;
}

/* How often a number can be halved. */
static int halvings(json_int_t number)
{
    int count = 0;

    for (; number > 1; number /= 2)
        count++;
    return count;
}

static json_int_t threads_of(const json_t *level)
{
    return number_in(level, "blocks") * number_in(level, "threads");
}

/* The grids of a depth, side by side, over the whole width: those that a grid has launched lie
 * beneath it. They are as tall as the logarithm of their threads; `most` is that of the largest. */
static void write_grids(FILE *to, const json_t *level, int most)
{
    json_int_t grids = number_in(level, "grids");
    int height = LOW + (most > 0 ? (TALL - LOW) * halvings(threads_of(level)) / most : 0);

    html(to,
         "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
         "<rect y=\"%d\" width=\"%d\" height=\"%d\"/><path d=\"",
         TREE, TALL, TALL - height, TREE, height);
    for (json_int_t k = 1; k < grids && grids <= MOST_GRIDS; k++)
        html(to, "M%.1f 0v%d", (double)TREE * (double)k / (double)grids, TALL);
    html(to, "\"/></svg>");
}

static void write_level(FILE *to, const json_t *level, size_t depth, int most)
{
    json_int_t grids = number_in(level, "grids"), blocks = number_in(level, "blocks"),
               threads = number_in(level, "threads");

    html(to, "<li>");
    write_grids(to, level, most);
    html(to, "<span><b>depth %zu</b>: %lld grid%s%s of %lld block%s of %lld thread%s</span></li>\n",
         depth, grids, grids == 1 ? "" : "s", grids > MOST_GRIDS ? " (too many to draw apart)" : "",
         blocks, blocks == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

static void write_tree(FILE *to, const json_t *row)
{
    const json_t *levels = json_object_get(row, "launches");
    json_t *level;
    size_t depth;
    int most = 0;

    json_array_foreach(levels, depth, level)
    {
        most = halvings(threads_of(level)) > most ? halvings(threads_of(level)) : most;
    }
    html(to,
         "<details class=\"card\"><summary><b>%s</b> %s%s%s <span class=\"count\">%lld child "
         "grids</span></summary>\n<p>Block %lld, size %lld",
         text_in(row, "id"), text_in(row, "form"), text_in(row, "engine")[0] != '\0' ? " on " : "",
         text_in(row, "engine"), number_in(row, "child_grids"), number_at(row, "block", 0),
         number_at(row, "size", 0));
    if (number_at(row, "size", 1) > 1)
        html(to, ", %lld", number_at(row, "size", 1));
    html(to, ". What the host launches is depth 0.</p>\n<ol class=\"tree\">\n");
    json_array_foreach(levels, depth, level)
    {
        write_level(to, level, depth, most);
    }
    html(to, "</ol></details>\n");
}

static void write_launches(FILE *to, const struct page *page)
{
    json_t *row;
    size_t r;

    html(to, "<p>Grids by depth: those that a grid has launched stand beneath it, and a grid is as "
             "tall as "
             "the logarithm of its threads.</p>\n");
    json_array_foreach(page->counters, r, row)
    {
        if (launches(row))
            write_tree(to, row);
    }
}

const struct page_section page_launches = {"launches", "Nested launches", has_launches,
                                           write_launches};
