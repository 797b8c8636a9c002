/* SPDX-License-Identifier: MIT
 *
 * The files of `report`: which command has written each, and what is in them.
 */
#include "page_file.h"

#include "difference.h"
#include "error_report.h"
#include "members.h"

#include <string.h>

/* ---- Taking a file in ---- */

/* A file of results, which is as its table says. */
struct file {
    const char *path;
    json_t *document;
    union page_record record;
};

#define PART(document, table, structure, member)                                                   \
    model_member(MEMBER_OF(table, structure, member), document)

/* The rows of a part of a snapshot, each with its engine, as compare sees them. */
static void add_rows_of(json_t *all, const char *name, const json_t *snapshot)
{
    const struct part_rows *part = part_rows;
    json_t *rows;

    while (strcmp(part->name, name) != 0)
        part++;
    rows = difference_rows(part, snapshot, snapshot);
    json_array_extend(all, rows);
    json_decref(rows);
}

/* The parts of the snapshot that is newest. */
static void add_parts(struct page *page, json_t *snapshot, const char *path)
{
    json_t *compilers = PART(snapshot, snapshot_table, struct snapshot_record, compilers),
           *environment = PART(snapshot, snapshot_table, struct snapshot_record, environment);
    struct memory memory = {NULL};
    struct snapshot_record record;

    model_read(&snapshot_table, snapshot, &record, &memory, NULL, 0);
    page->environment = json_incref(environment);
    add_rows_of(page->results, "run", snapshot);
    add_rows_of(page->races, "races", snapshot);
    add_rows_of(page->counters, "counters", snapshot);
    add_rows_of(page->benchmark, "benchmark", snapshot);
    if (record.compilers != NULL) {
        page_note_compilers(page, record.compilers, path);
        json_array_append(page->toolchains, compilers);
    }
    memory_free(&memory);
}

static bool add_snapshot(struct page *page, struct file *file)
{
    if (page->before != NULL)
        return error_report("%s: this is a third snapshot: give one, or two, the older one first",
                            file->path);
    page_note_snapshot(page, &file->record.snapshot, file->path);
    page->before = page->after;
    page->after = json_incref(file->document);
    return true;
}

static bool add_comparison(struct page *page, struct file *file)
{
    if (page->difference != NULL)
        return error_report("%s: this is a second comparison: give one", file->path);
    page_note_empty(page, &file->record.comparison.rows, file->path);
    page->difference = json_incref(file->document);
    return true;
}

static bool add_run(struct page *page, struct file *file)
{
    page_note_empty(page, &file->record.run.results, file->path);
    json_array_extend(page->results, PART(file->document, run_table, struct run_record, results));
    return true;
}

static bool add_races(struct page *page, struct file *file)
{
    json_array_extend(page->races, file->document);
    return true;
}

static bool add_counters(struct page *page, struct file *file)
{
    json_array_append(page->counters, file->document);
    return true;
}

static bool add_compilers(struct page *page, struct file *file)
{
    page_note_compilers(page, &file->record.compilers, file->path);
    json_array_append(page->toolchains, file->document);
    return true;
}

static bool add_benchmark(struct page *page, struct file *file)
{
    page_note_benchmark(page, &file->record.benchmark, file->path);
    json_array_extend(page->benchmark,
                      PART(file->document, benchmark_table, struct benchmark_record, benchmark));
    return true;
}

static const struct kind {
    const char *name;
    const struct table *table; /* of the file, or of its rows */
    bool is_list;
    bool (*add)(struct page *page, struct file *file);
    page_partial *partial;
} kinds[] = {
    {"snapshot", &snapshot_table, false, add_snapshot, page_snapshot_partial},
    {"compare", &comparison_table, false, add_comparison, page_comparison_partial},
    {"run", &run_table, false, add_run, page_run_partial},
    {"compilers", &compilers_table, false, add_compilers, page_compilers_partial},
    {"counters", &counter_table, false, add_counters, page_never_partial},
    {"races", &race_record_table, true, add_races, page_races_partial},
    {"ci/bench", &benchmark_table, false, add_benchmark, page_never_partial},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of a file; null: no command writes it. */
static const struct kind *kind_of(const json_t *document)
{
    for (size_t k = 0; k < KINDS; k++)
        if (kinds[k].is_list ? json_is_array(document) &&
                                   (json_array_size(document) == 0 ||
                                    model_is_marked(kinds[k].table, json_array_get(document, 0)))
                             : model_is_marked(kinds[k].table, document))
            return &kinds[k];
    return NULL;
}

/* Reads the record. False after one sentence that names the member that is wrong. */
static bool read_record(struct file *file, const struct kind *kind, struct memory *memory)
{
    char why[512];

    if (kind->is_list
            ? model_read_list(kind->table, file->document, &file->record.races, memory, why,
                              sizeof why)
            : model_read(kind->table, file->document, &file->record, memory, why, sizeof why))
        return true;
    return error_report("%s: this is not as %s writes it: %s", file->path, kind->name, why);
}

/* ---- All of them ---- */

static void note_file(struct page *page, const struct file *file, const struct kind *kind)
{
    json_int_t partial = (json_int_t)kind->partial(&file->record);
    json_t *name = json_string(file->path);

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

static bool add_file(struct page *page, struct file *file)
{
    const struct kind *kind = kind_of(file->document);
    struct memory memory = {NULL};
    char why[256];
    bool good;

    if (model_is_marked(&shard_table, file->document))
        return error_report("%s: this is a shard: 'simtcheck merge' makes one file of all of them",
                            file->path);
    if (kind == NULL)
        return error_report("%s: this is nothing that snapshot, run, races, counters, compilers, "
                            "compare or ci/bench writes",
                            file->path);
    if (kind->table == &snapshot_table && !difference_fits(file->document, why, sizeof why))
        return error_report("%s: %s", file->path, why);
    good = read_record(file, kind, &memory) && kind->add(page, file);
    if (good)
        note_file(page, file, kind);
    memory_free(&memory);
    return good;
}

static bool read_one(struct page *page, const char *path)
{
    json_error_t error;
    struct file file = {.path = path,
                        .document = json_load_file(path, JSON_REJECT_DUPLICATES, &error)};
    bool good;

    if (file.document == NULL && error.line > 0)
        return error_report("%s:%d:%d: this is no whole file of results: %s", path, error.line,
                            error.column, error.text);
    if (file.document == NULL)
        return error_report("%s", error.text);
    good = add_file(page, &file);
    json_decref(file.document);
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
        snprintf(group, sizeof group, "%s %s", text_in(row, "id"), text_in(row, "variant"));
        snprintf(key, sizeof key, "%s on %s", group, text_in(row, "engine"));
        if (json_object_get(seen, group) == NULL)
            json_object_set_new_nocheck(seen, group, json_integer((json_int_t)r));
        json_object_set(row, "group", json_object_get(seen, group));
        good = json_object_get(seen, key) == NULL;
        if (!good) {
            error_report("the row %s is there twice: make a page of each file", key);
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
                          .benchmark = json_array(),
                          .lacks = json_array(),
                          .wrongs = json_array()};
    for (size_t f = 0; f < count; f++)
        if (!read_one(page, paths[f]))
            return false;
    if (page->after != NULL)
        add_parts(page, page->after, snapshot_path(page, true));
    if (page->before != NULL && page->difference != NULL)
        return error_report("two snapshots and a comparison: give the ones or the other");
    if (page->before != NULL)
        page->difference = difference_report(snapshot_path(page, false), page->before,
                                             snapshot_path(page, true), page->after);
    if (page->environment == NULL && page->difference == NULL &&
        json_array_size(page->results) + json_array_size(page->races) +
                json_array_size(page->counters) + json_array_size(page->toolchains) +
                json_array_size(page->benchmark) ==
            0)
        return error_report("%s: there is nothing to show", paths[0]);
    return group_rows(page);
}

void page_free(struct page *page)
{
    json_t *const members[] = {page->files,       page->before,    page->after, page->difference,
                               page->environment, page->results,   page->races, page->counters,
                               page->toolchains,  page->benchmark, page->lacks, page->wrongs};

    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        json_decref(members[k]);
}
