/* SPDX-License-Identifier: MIT
 *
 * The files of `report`: which command has written each, and what is in them.
 */
#include "page_file.h"

#include "complain.h"
#include "difference.h"
#include "members.h"

#include <string.h>

/* ---- What each kind of file has ---- */

static bool is_object_of(const json_t *document, const char *one, const char *other)
{
    return json_object_get(document, one) != NULL && json_object_get(document, other) != NULL;
}

static bool is_snapshot(const json_t *document)
{
    return json_object_get(document, "simtcheck_snapshot") != NULL;
}

static bool is_comparison(const json_t *document)
{
    return is_object_of(document, "counts", "rows");
}

static bool is_run(const json_t *document)
{
    return is_object_of(document, "results", "cases");
}

static bool is_races(const json_t *document)
{
    return json_is_array(document) && (json_array_size(document) == 0 ||
                                       is_object_of(json_array_get(document, 0), "pairs", "model"));
}

static bool is_counters(const json_t *document)
{
    return is_object_of(document, "gld_requests", "id");
}

static bool is_toolchain(const json_t *document)
{
    return is_object_of(document, "stages", "families");
}

static bool is_ladder(const json_t *document)
{
    return json_object_get(document, "ladder") != NULL;
}

/* ---- Taking one in ---- */

/* Puts rows, which it takes over, behind others. */
static bool add_rows(json_t *all, json_t *rows, page_fits *fits, const char *path, const char *what)
{
    bool good = page_fit_rows(rows, fits, path, what);

    if (good)
        json_array_extend(all, rows);
    json_decref(rows);
    return good;
}

static bool add_toolchain(struct page *page, json_t *document, const char *path)
{
    json_error_t error;

    if (!page_fits_toolchain(document, &error))
        return complain("%s: toolchain: %s", path, error.text);
    page_note_toolchain(page, document, path);
    json_array_append(page->toolchains, document);
    return true;
}

static bool add_ladder(struct page *page, const json_t *document, const char *path)
{
    json_t *ladder = json_object_get(document, "ladder");

    return ladder == NULL || json_is_null(ladder) ||
           add_rows(page->ladder, json_incref(ladder), page_fits_ladder, path, "ladder");
}

static bool add_difference(struct page *page, json_t *document, const char *path)
{
    json_error_t error;

    if (!page_fits_comparison(document, &error))
        return complain("%s: %s", path, error.text);
    if (page->difference != NULL)
        return complain("%s: this is a second comparison: give one", path);
    page_note_empty(page, json_object_get(document, "rows"), path);
    page->difference = json_incref(document);
    return true;
}

/* The parts of the snapshot that is newest. */
static bool add_parts(struct page *page, const json_t *snapshot, const char *path)
{
    json_t *toolchain = json_object_get(snapshot, "toolchain");

    page->environment = json_incref(json_object_get(snapshot, "environment"));
    return add_rows(page->results, page_rows_of(snapshot, "run"), page_fits_run, path, "run") &&
           add_rows(page->races, page_rows_of(snapshot, "races"), page_fits_races, path, "races") &&
           add_rows(page->counters, page_rows_of(snapshot, "counters"), page_fits_counters, path,
                    "counters") &&
           (toolchain == NULL || json_is_null(toolchain) || add_toolchain(page, toolchain, path)) &&
           add_ladder(page, snapshot, path);
}

static bool add_snapshot(struct page *page, json_t *document, const char *path)
{
    char why[256];

    if (!difference_fits(document, why, sizeof why))
        return complain("%s: %s", path, why);
    if (page->before != NULL)
        return complain("%s: this is a third snapshot: give one, or two, the older one first",
                        path);
    if (!page_fit_snapshot(document, path))
        return false;
    page_note_snapshot(page, document, path);
    page->before = page->after;
    page->after = json_incref(document);
    return true;
}

static bool add_run(struct page *page, json_t *document, const char *path)
{
    page_note_empty(page, json_object_get(document, "results"), path);
    return add_rows(page->results, json_incref(json_object_get(document, "results")), page_fits_run,
                    path, "results");
}

static bool add_races(struct page *page, json_t *document, const char *path)
{
    return add_rows(page->races, json_incref(document), page_fits_races, path, "races");
}

static bool add_counters(struct page *page, json_t *document, const char *path)
{
    return add_rows(page->counters, json_pack("[O]", document), page_fits_counters, path,
                    "counters");
}

static bool add_ladder_file(struct page *page, json_t *document, const char *path)
{
    page_note_ladder(page, document, path);
    return add_ladder(page, document, path);
}

static const struct kind {
    const char *name;
    bool (*is)(const json_t *document);
    bool (*add)(struct page *page, json_t *document, const char *path);
    page_partial *partial;
} kinds[] = {
    {"snapshot", is_snapshot, add_snapshot, page_snapshot_partial},
    {"compare", is_comparison, add_difference, page_comparison_partial},
    {"run", is_run, add_run, page_run_partial},
    {"toolchain", is_toolchain, add_toolchain, page_toolchain_partial},
    {"counters", is_counters, add_counters, page_never_partial},
    {"races", is_races, add_races, page_races_partial},
    {"ci/bench", is_ladder, add_ladder_file, page_never_partial},
};

/* ---- All of them ---- */

static void note_file(struct page *page, const char *path, const struct kind *kind,
                      const json_t *document)
{
    json_int_t partial = (json_int_t)kind->partial(document);
    json_t *name = json_string(path);

    json_array_append_new(page->files,
                          json_pack("{s:o, s:s, s:s, s:I}", "path",
                                    name != NULL ? name : json_string("a name that is no UTF-8"),
                                    "kind", kind->name, "note",
                                    partial == 0 ? ""
                                    : kind->partial == page_comparison_partial
                                        ? "of what ended before all was in it"
                                        : "partial: ended before all was in it",
                                    "partial", partial));
}

static bool read_one(struct page *page, const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    size_t k = 0;
    bool good;

    if (document == NULL && error.line > 0)
        return complain("%s:%d:%d: this is no whole file of results: %s", path, error.line,
                        error.column, error.text);
    if (document == NULL)
        return complain("%s", error.text);
    while (k < sizeof kinds / sizeof *kinds && !kinds[k].is(document))
        k++;
    if (json_object_get(document, "simtcheck_shard") != NULL)
        good =
            complain("%s: this is a shard: 'simtcheck merge' makes one file of all of them", path);
    else if (k == sizeof kinds / sizeof *kinds)
        good = complain("%s: this is nothing that snapshot, run, races, counters, toolchain, "
                        "compare or ci/bench writes",
                        path);
    else
        good = kinds[k].add(page, document, path);
    if (good)
        note_file(page, path, &kinds[k], document);
    json_decref(document);
    return good;
}

/* The path of the snapshot that came first, or last. */
static const char *snapshot_path(const struct page *page, bool last)
{
    const char *path = "";
    json_t *file;
    size_t f;

    json_array_foreach(page->files, f, file)
    {
        if (strcmp(text_in(file, "kind"), "snapshot") == 0 && (last || *path == '\0'))
            path = text_in(file, "path");
    }
    return path;
}

/* Notes with each row of verdicts which was the first of its kernel and form, for page_group().
 * Which of two verdicts of one row is to be believed, no page can tell. */
static bool group_rows(struct page *page)
{
    json_t *seen = json_object(), *row;
    bool good = true;
    size_t r;

    json_array_foreach(page->results, r, row)
    {
        char group[256], key[512];
        snprintf(group, sizeof group, "%s %s", text_in(row, "id"), text_in(row, "form"));
        snprintf(key, sizeof key, "%s on %s", group, text_in(row, "engine"));
        if (json_object_get(seen, group) == NULL)
            json_object_set_new_nocheck(seen, group, json_integer((json_int_t)r));
        json_object_set(row, "group", json_object_get(seen, group));
        good = json_object_get(seen, key) == NULL;
        if (!good) {
            complain("the row %s is there twice: make a page of each file", key);
            break;
        }
        json_object_set_new_nocheck(seen, key, json_true());
    }
    json_decref(seen);
    return good;
}

bool page_read(struct page *page, const char *const *paths, size_t count)
{
    *page = (struct page){.files = json_array(),
                          .results = json_array(),
                          .races = json_array(),
                          .counters = json_array(),
                          .toolchains = json_array(),
                          .ladder = json_array(),
                          .lacks = json_array(),
                          .wrongs = json_array()};
    for (size_t f = 0; f < count; f++)
        if (!read_one(page, paths[f]))
            return false;
    if (page->after != NULL && !add_parts(page, page->after, snapshot_path(page, true)))
        return false;
    if (page->before != NULL && page->difference != NULL)
        return complain("two snapshots and a comparison: give the ones or the other");
    if (page->before != NULL)
        page->difference = difference_report(snapshot_path(page, false), page->before,
                                             snapshot_path(page, true), page->after);
    if (page->environment == NULL && page->difference == NULL &&
        json_array_size(page->results) + json_array_size(page->races) +
                json_array_size(page->counters) + json_array_size(page->toolchains) +
                json_array_size(page->ladder) ==
            0)
        return complain("%s: there is nothing to show", paths[0]);
    return group_rows(page);
}

void page_free(struct page *page)
{
    json_t *const members[] = {page->files,       page->before,  page->after, page->difference,
                               page->environment, page->results, page->races, page->counters,
                               page->toolchains,  page->ladder,  page->lacks, page->wrongs};

    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        json_decref(members[k]);
}
