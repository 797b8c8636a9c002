/* SPDX-License-Identifier: MIT
 *
 * Is a file of results as its command writes it? What is not would be shown as less than it is, or
 * not at all.
 */
#include "page_file.h"

#include "complain.h"
#include "difference.h"
#include "members.h"

#include <stdarg.h>
#include <string.h>

/* Is the value as that format of json_unpack() has it? False with a sentence part. */
#define FITS(value, error, ...) (json_unpack_ex(value, error, JSON_VALIDATE_ONLY, __VA_ARGS__) == 0)

__attribute__((format(printf, 2, 3))) static bool refuse(json_error_t *error, const char *format,
                                                         ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_there(const json_t *part)
{
    return part != NULL && !json_is_null(part);
}

/* Is none of these counts less than nothing? */
static bool are_counts(const json_t *row, const char *const names[], json_error_t *error)
{
    for (; *names != NULL; names++)
        if (number_in(row, *names) < 0)
            return refuse(error, "%s is negative", *names);
    return true;
}

static bool are_texts(const json_t *array, const char *name, json_error_t *error)
{
    const json_t *item;
    size_t k;

    json_array_foreach(array, k, item)
    {
        if (!json_is_string(item))
            return refuse(error, "%s has what is no text", name);
    }
    return true;
}

/* ---- Rows of verdicts ---- */

static bool is_right(const char *verdict)
{
    return strcmp(verdict, "conforms") == 0 || strcmp(verdict, "conforms-in-domain") == 0 ||
           strcmp(verdict, "finding") == 0;
}

bool page_fits_run(json_t *row, json_error_t *error)
{
    static const char *const counts[] = {"cases", "mismatches", NULL};
    const char *verdict;

    if (!FITS(row, error, "{s:s, s:s, s:s, s:I, s:I, s:s, s:[]}", "id", "form", "engine", "cases",
              "mismatches", "verdict", "boundaries") ||
        !are_counts(row, counts, error))
        return false;
    verdict = text_in(row, "verdict");
    if ((is_right(verdict) || strcmp(verdict, "unavailable") == 0) &&
        number_in(row, "mismatches") > 0)
        return refuse(error, "%.60s is called %s, and %lld of its cases are wrong",
                      text_in(row, "id"), verdict, number_in(row, "mismatches"));
    if (is_right(verdict) && number_in(row, "cases") == 0)
        return refuse(error, "%.60s is called %s, and has no case", text_in(row, "id"), verdict);
    return true;
}

bool page_fits_races(json_t *row, json_error_t *error)
{
    static const char *const counts[] = {"cases", "racing", "unclaimed", "faults", NULL};
    bool free_of_races, as_claimed;

    if (!FITS(row, error, "{s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:[]}", "id", "form",
              "model", "verdict", "as_claimed", "cases", "racing", "unclaimed", "faults",
              "pairs") ||
        !are_counts(row, counts, error))
        return false;
    free_of_races = strcmp(text_in(row, "verdict"), "race-free") == 0;
    as_claimed = json_is_true(json_object_get(row, "as_claimed"));
    if (free_of_races && (number_in(row, "racing") > 0 || number_in(row, "faults") > 0 ||
                          json_is_true(json_object_get(json_object_get(row, "search"), "wrong"))))
        return refuse(error, "%.60s is called race-free, and has a case that is not",
                      text_in(row, "id"));
    if (as_claimed && (number_in(row, "unclaimed") > 0 || number_in(row, "faults") > 0))
        return refuse(error, "%.60s is as claimed, and has a race or a fault that is not",
                      text_in(row, "id"));
    return true;
}

/* ---- Other rows ---- */

bool page_fits_counters(json_t *row, json_error_t *error)
{
    return FITS(row, error, "{s:s, s:s, s:[III], s:[III], s:[I]}", "id", "form", "grid", "block",
                "size");
}

bool page_fits_ladder(json_t *row, json_error_t *error)
{
    return FITS(row, error, "{s:s, s:F, s:F}", "kernel", "elements", "bytes_per_second");
}

/* ---- Compilers ---- */

static bool fits_stage(json_t *stage, json_error_t *error)
{
    static const char *const counts[] = {"programs", "wrong", "same_code_pairs", "kernels", NULL};

    return FITS(stage, error, "{s:s, s:I, s:I, s:I, s:s, s:I, s:[], s:s}", "stage", "programs",
                "wrong", "same_code_pairs", "unavailable", "kernels", "kernels_wrong",
                "kernels_unavailable") &&
           are_counts(stage, counts, error);
}

static bool fits_family(json_t *family, json_error_t *error)
{
    return FITS(family, error, "{s:s, s:s, s:I, s:s, s:[]}", "shape", "program", "members",
                "blamed", "wrong") &&
           are_texts(json_object_get(family, "wrong"), "wrong", error);
}

/* Of a snapshot, or of what toolchain writes: modules that an assembler has refused, and why there
 * is nothing. */
static bool fits_code(const json_t *document, json_error_t *error)
{
    json_t *code = json_object_get(document, "code"), *why = json_object_get(code, "unavailable");

    if (!is_there(code))
        return true;
    if (!FITS(code, error, "{s:[], s:[]}", "failures", "kernels"))
        return false;
    return json_is_null(why) || json_is_string(why) ||
           refuse(error, "unavailable is neither null nor a text");
}

bool page_fits_toolchain(json_t *document, json_error_t *error)
{
    static const char *const counts[] = {"programs", "same_code_pairs", NULL};
    json_t *row;
    size_t r;

    if (!FITS(document, error, "{s:I, s:[], s:[], s:[], s:I, s:[]}", "programs", "stages",
              "families", "same_code", "same_code_pairs", "unsteady") ||
        !are_counts(document, counts, error) ||
        !are_texts(json_object_get(document, "unsteady"), "unsteady", error) ||
        !fits_code(document, error))
        return false;
    json_array_foreach(json_object_get(document, "stages"), r, row)
    {
        if (!fits_stage(row, error))
            return false;
    }
    json_array_foreach(json_object_get(document, "families"), r, row)
    {
        if (!fits_family(row, error))
            return false;
    }
    return true;
}

/* ---- Comparisons ---- */

static bool fits_change(json_t *row, json_error_t *error)
{
    return FITS(row, error, "{s:s, s:s, s:s, s:[]}", "change", "part", "row", "details") &&
           are_texts(json_object_get(row, "details"), "details", error);
}

/* The change of that name; CHANGES: there is none. */
static int change_of(const char *name)
{
    int change = 0;

    while (change < CHANGES && strcmp(change_name((enum change)change), name) != 0)
        change++;
    return change;
}

/* Are there as many rows of each word as `counts` says? */
static bool agree_counts(const json_t *document, const json_int_t rows[CHANGES],
                         json_error_t *error)
{
    const json_t *counts = json_object_get(document, "counts");

    for (int change = 0; change < CHANGES; change++) {
        const char *name = change_name((enum change)change);
        if (!json_is_integer(json_object_get(counts, name)))
            return refuse(error, "counts: %s is no whole number", name);
        if (number_in(counts, name) != rows[change])
            return refuse(error, "counts: %s is %lld, and the rows have %lld", name,
                          number_in(counts, name), rows[change]);
    }
    return true;
}

bool page_fits_comparison(json_t *document, json_error_t *error)
{
    json_int_t counts[CHANGES + 1] = {0};
    json_error_t of_row;
    json_t *row, *share;
    const char *engine;
    size_t r;

    if (!FITS(document, error, "{s:s, s:s, s:[], s?{}, s:{}, s:[]}", "old", "new", "environment",
              "machine", "counts", "rows"))
        return false;
    json_object_foreach(json_object_get(document, "machine"), engine, share)
    {
        if (!(json_number_value(share) > 0))
            return refuse(error, "machine: %.60s is no number above 0", engine);
    }
    json_array_foreach(json_object_get(document, "rows"), r, row)
    {
        if (!fits_change(row, &of_row))
            return refuse(error, "rows, row %zu: %.120s", r + 1, of_row.text);
        counts[change_of(text_in(row, "change"))]++;
        if (counts[CHANGES] > 0)
            return refuse(error, "rows, row %zu: %.60s is no word of compare", r + 1,
                          text_in(row, "change"));
    }
    return agree_counts(document, counts, error);
}

/* ---- All rows ---- */

bool page_fit_rows(const json_t *rows, page_fits *fits, const char *path, const char *what)
{
    json_error_t error;
    json_t *row;
    size_t r;

    if (!json_is_array(rows))
        return complain("%s: %s is no array", path, what);
    json_array_foreach(rows, r, row)
    {
        if (!fits(row, &error))
            return complain("%s: %s, row %zu: %s", path, what, r + 1, error.text);
    }
    return true;
}

/* ---- Snapshots ---- */

json_t *page_rows_of(const json_t *snapshot, const char *name)
{
    for (const struct part_rows *part = part_rows; part->name != NULL; part++)
        if (strcmp(part->name, name) == 0)
            return part->rows(snapshot, snapshot);
    return json_array();
}

/* Is it an object, or not there? */
static bool is_part(const json_t *snapshot, const char *name, const char *path)
{
    const json_t *part = json_object_get(snapshot, name);

    return !is_there(part) || json_is_object(part) || complain("%s: %s is no object", path, name);
}

/* Has it an array for each engine? */
static bool is_by_engine(const json_t *snapshot, const char *name, const char *path)
{
    const char *engine;
    json_t *rows;

    if (!is_part(snapshot, name, path))
        return false;
    json_object_foreach(json_object_get(snapshot, name), engine, rows)
    {
        if (!json_is_array(rows))
            return complain("%s: %s: %s is no array", path, name, engine);
    }
    return true;
}

static bool fits_part_rows(const json_t *snapshot, const char *name, page_fits *fits,
                           const char *path)
{
    json_t *rows = page_rows_of(snapshot, name);
    bool good = page_fit_rows(rows, fits, path, name);

    json_decref(rows);
    return good;
}

static bool fits_verdicts(const json_t *snapshot, const char *path)
{
    const json_t *run = json_object_get(snapshot, "run");

    return is_part(snapshot, "run", path) &&
           (!is_there(run) || json_is_array(json_object_get(run, "results")) ||
            complain("%s: run: results is no array", path)) &&
           fits_part_rows(snapshot, "run", page_fits_run, path);
}

static bool fits_options(const json_t *snapshot, const char *path)
{
    const json_t *options = json_object_get(snapshot, "options");
    json_error_t error;

    return !is_there(options) ||
           (json_is_array(options) && are_texts(options, "options", &error)) ||
           complain("%s: options is no array of texts", path);
}

bool page_fit_snapshot(const json_t *snapshot, const char *path)
{
    json_t *toolchain = json_object_get(snapshot, "toolchain"),
           *ladder = json_object_get(snapshot, "ladder");
    json_error_t error;

    return fits_options(snapshot, path) && fits_verdicts(snapshot, path) &&
           is_by_engine(snapshot, "races", path) &&
           fits_part_rows(snapshot, "races", page_fits_races, path) &&
           is_by_engine(snapshot, "counters", path) &&
           fits_part_rows(snapshot, "counters", page_fits_counters, path) &&
           is_by_engine(snapshot, "rates", path) && is_part(snapshot, "code", path) &&
           (fits_code(snapshot, &error) || complain("%s: code: %s", path, error.text)) &&
           (!is_there(toolchain) || page_fits_toolchain(toolchain, &error) ||
            complain("%s: toolchain: %s", path, error.text)) &&
           (!is_there(ladder) || page_fit_rows(ladder, page_fits_ladder, path, "ladder"));
}
