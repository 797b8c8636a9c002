/* SPDX-License-Identifier: MIT
 *
 * The files of `report`: the command that wrote each of them, and their contents.
 */
#include "page.h"

#include "difference.h"
#include "error_report.h"
#include "kinds.h"
#include "members.h"
#include "part.h"
#include "wing.h"

#include <stdarg.h>
#include <string.h>

/* A file of results that matches its table. */
struct file {
    const char *path;
    json_t *document;
    const void *record;
};

/* ---- Incomplete runs ---- */

/* Returns how many incomplete runs a file has, at most one per snapshot. Both snapshots of a
 * comparison count. */
static size_t count_partial(const struct results_kind *kind, const void *record)
{
    const struct comparison_record *comparison = record;
    const struct part *part;
    bool is_partial = kind->is_partial != NULL && kind->is_partial(record);

    if (kind->table == &comparison_table)
        return !comparison->old_complete + (size_t)!comparison->new_complete;
    for (size_t k = 0; kind->table == &snapshot_table && (part = part_at(k)) != NULL; k++)
        is_partial = is_partial || (part->is_partial != NULL && part->is_partial(record));
    return is_partial;
}

/* ---- Requested parts ---- */

/* Returns the value of the option if the word at *k is that option, and null otherwise. Like
 * getopt_long(), it accepts "--part run", "--part=run" and "--par run". Advances *k to the value.
 */
static const char *value_at(const struct list *words, size_t *k, const char *option)
{
    enum { MIN_LENGTH = 4 }; /* "--pa", "--en": shorter ones are ambiguous */
    const char *const *all = words->items, *word = all[*k];
    size_t length = strcspn(word, "=");

    if (length < MIN_LENGTH || length > strlen(option) || strncmp(word, option, length) != 0)
        return NULL;
    if (word[length] == '=')
        return word + length + 1;
    return ++*k < words->count ? all[*k] : NULL;
}

/* Returns whether the user requested the part. Without --part, only `run` counts as requested, so a
 * missing tool for another part does not matter. */
static bool is_requested(const struct snapshot_record *snapshot, const struct part *part)
{
    bool named = false, some = false;

    for (size_t k = 0; k < snapshot->options.count; k++) {
        const char *value = value_at(&snapshot->options, &k, "--part");
        some = some || value != NULL;
        named = named || (value != NULL && strcmp(value, part->name) == 0);
    }
    return some ? named : part == core_parts;
}

void page_note(json_t *notes, const char *format, ...)
{
    va_list arguments;
    json_t *text;

    va_start(arguments, format);
    text = json_vsprintf(format, arguments);
    va_end(arguments);
    json_array_append_new(notes,
                          text != NULL ? text : json_string("a name that is not valid UTF-8"));
}

/* Returns the number of rows that the snapshot has for a part; on an engine, if `engine` is not
 * null. */
static size_t row_count(const struct part *part, const json_t *snapshot, const char *engine)
{
    size_t count = 0;

    for (const struct part_rows *rows = part->rows; rows->name != NULL; rows++) {
        json_t *all = difference_rows(rows, snapshot, snapshot), *row;
        size_t r;
        json_array_foreach(all, r, row)
        {
            count += engine == NULL || strcmp(text_in(row, "engine"), engine) == 0;
        }
        json_decref(all);
    }
    return count;
}

/* Notes the engines that the user named and that have no rows of the part. */
static void note_engines(struct page *page, const struct part *part, const struct file *file)
{
    const struct list *options = &((const struct snapshot_record *)file->record)->options;

    for (size_t k = 0; k < options->count; k++) {
        const char *name = value_at(options, &k, "--engine");
        if (name != NULL && row_count(part, file->document, name) == 0)
            page_note(page->lacks, "%s: %s on %s", file->path, part->name, name);
    }
}

void page_note_code(struct page *page, const struct code_record *code, const char *path)
{
    const struct failure_record *failures = code != NULL ? code->failures.items : NULL;

    for (size_t f = 0; code != NULL && f < code->failures.count; f++)
        page_note(page->wrongs, "%s: ptxas %s rejects %s: %s", path, failures[f].ptxas,
                  failures[f].module, failures[f].reason);
}

static void note_snapshot(struct page *page, const struct file *file)
{
    const struct snapshot_record *snapshot = file->record;
    const struct part *part;
    const char *name;

    for (size_t k = 0; (part = part_at(k)) != NULL; k++) {
        if (!is_requested(snapshot, part))
            continue;
        if (part->has != NULL ? !part->has(snapshot) : row_count(part, file->document, NULL) == 0)
            page_note(page->lacks, "%s: %s", file->path, part->name);
        else if (part->engines == PART_EACH)
            note_engines(page, part, file);
    }
    for (size_t k = 0; (name = part_unknown(file->document, k)) != NULL; k++)
        page_note(page->lacks, "%s: the part %s: this program was built without it", file->path,
                  name);
    page_note_code(page, snapshot->code, file->path);
}

/* ---- Other files ---- */

void page_note_empty(struct page *page, const struct list *rows, const char *path)
{
    if (rows->count == 0)
        page_note(page->lacks, "%s: any row", path);
}

/* ---- Reading a file ---- */

#define PART(document, table, structure, member)                                                   \
    model_member(MEMBER_OF(table, structure, member), document)

/* ---- Rows ---- */

const json_t *page_rows(const struct page *page, const char *wing)
{
    return json_object_get(page->of_wings, wing);
}

void page_add_rows(struct page *page, const char *wing, const json_t *rows)
{
    json_t *all = json_object_get(page->of_wings, wing);

    if (all == NULL) {
        all = json_array();
        json_object_set_new(page->of_wings, wing, all);
    }
    json_array_extend(all, (json_t *)(uintptr_t)rows);
}

void page_add_part(struct page *page, const char *wing, const struct part_rows *part,
                   const json_t *snapshot)
{
    json_t *rows = difference_rows(part, snapshot, snapshot);

    page_add_rows(page, wing, rows);
    json_decref(rows);
}

/* Adds the rows of a part of a snapshot, each with its engine, as compare sees them. */
static void add_rows_of(json_t *all, const struct part_rows *part, const json_t *snapshot)
{
    json_t *rows = difference_rows(part, snapshot, snapshot);

    json_array_extend(all, rows);
    json_decref(rows);
}

/* Adds the parts of the newest snapshot. */
static void add_parts(struct page *page, json_t *snapshot, const char *path)
{
    page->environment =
        json_incref(PART(snapshot, snapshot_table, struct snapshot_record, environment));
    add_rows_of(page->results, rows_of_run, snapshot);
    add_rows_of(page->races, rows_of_races, snapshot);
    add_rows_of(page->counters, rows_of_counters, snapshot);
    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        for (const struct page_section *section = (*wing)->sections;
             section != NULL && section->id != NULL; section++)
            if (section->take != NULL)
                section->take(page, snapshot, path);
}

static bool add_snapshot(struct page *page, struct file *file)
{
    if (page->before != NULL)
        return error_report(
            "%s: this is a third snapshot: give one snapshot, or two with the older one first",
            file->path);
    note_snapshot(page, file);
    page->before = page->after;
    page->after = json_incref(file->document);
    return true;
}

static bool add_comparison(struct page *page, struct file *file)
{
    if (page->difference != NULL)
        return error_report("%s: this is a second comparison: give only one", file->path);
    page_note_empty(page, &((const struct comparison_record *)file->record)->rows, file->path);
    page->difference = json_incref(file->document);
    return true;
}

static bool add_run(struct page *page, struct file *file)
{
    page_note_empty(page, &((const struct run_record *)file->record)->results, file->path);
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

/* Those of the core, indexed by enum results_id. Null: the page has no section for it. */
static bool (*const adders[RESULTS_KINDS])(struct page *page, struct file *file) = {
    [RESULTS_SNAPSHOT] = add_snapshot, [RESULTS_COMPARE] = add_comparison, [RESULTS_RUN] = add_run,
    [RESULTS_COUNTERS] = add_counters, [RESULTS_RACES] = add_races,
};

/* Returns whether the page can show files of that kind. */
static bool is_shown(const struct results_kind *kind)
{
    bool is_core = kind >= results_kinds && kind < results_kinds + RESULTS_KINDS;

    return is_core ? adders[kind - results_kinds] != NULL : kind->show != NULL;
}

/* Returns the names of the kinds that the page can show. */
static const char *shown_names(struct memory *memory)
{
    const struct results_kind *kind;
    const char *names = "", *last = NULL;

    for (size_t k = 0; (kind = results_kind(k)) != NULL; k++) {
        if (!is_shown(kind))
            continue;
        if (last != NULL)
            names = memory_text(memory, "%s%s%s", names, names[0] != '\0' ? ", " : "", last);
        last = kind->name;
    }
    return memory_text(memory, "%s or %s", names, last);
}

/* Reads the file's record, and adds it to the page. Returns false after an error message. */
static bool show(struct page *page, struct file *file, const struct results_kind *kind,
                 struct memory *memory)
{
    char why[512];

    file->record = results_read(kind, file->document, memory, why, sizeof why);
    if (file->record == NULL)
        return error_report("%s: malformed results of %s: %s", file->path, kind->name, why);
    return kind->show != NULL ? kind->show(page, file->path, file->document, file->record)
                              : adders[kind - results_kinds](page, file);
}

/* ---- All files ---- */

static void note_file(struct page *page, const struct file *file, const struct results_kind *kind)
{
    json_int_t partial = (json_int_t)count_partial(kind, file->record);
    json_t *name = json_string(file->path);

    json_array_append_new(
        page->files,
        json_pack("{s:o, s:s, s:s, s:I}", "path",
                  name != NULL ? name : json_string("a name that is not valid UTF-8"), "kind",
                  kind->name, "note",
                  partial == 0                       ? ""
                  : kind->table == &comparison_table ? "compares partial snapshots"
                                                     : "partial: the run stopped early",
                  "partial", partial));
}

static bool add_file(struct page *page, struct file *file)
{
    const struct results_kind *kind = results_kind_of(file->document);
    struct memory memory = {NULL};
    char why[256];
    bool good;

    if (model_is_marked(&shard_table, file->document))
        return error_report("%s: this is a shard: merge all shards with 'simtcheck merge' first",
                            file->path);
    if (kind == NULL || !is_shown(kind))
        good = error_report("%s: this is not a file of %s", file->path, shown_names(&memory));
    else if (kind->table == &snapshot_table && !difference_fits(file->document, why, sizeof why))
        good = error_report("%s: %s", file->path, why);
    else
        good = show(page, file, kind, &memory);
    if (good)
        note_file(page, file, kind);
    memory_free(&memory);
    return good;
}

static bool read_one(struct page *page, const char *path)
{
    struct file file = {.path = path, .document = results_load(path, "file of results")};
    bool good = file.document != NULL && add_file(page, &file);

    json_decref(file.document);
    return good;
}

/* Returns the path of the first or the last snapshot. */
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

/* Notes in each row of verdicts the first row of its kernel and variant, for page_group(). Two
 * verdicts for one row are an error, because the page cannot decide between them. Returns false
 * after an error message. */
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
            error_report("the row %s appears twice: make a separate page for each file", key);
            break;
        }
        json_object_set_new_nocheck(seen, key, json_true());
    }
    json_decref(seen);
    return good;
}

static size_t rows_of_wings(const struct page *page)
{
    size_t count = 0;
    const char *name;
    json_t *rows;

    json_object_foreach(page->of_wings, name, rows)
    {
        count += json_array_size(rows);
    }
    return count;
}

bool page_read(struct page *page, const char *const *paths, size_t count)
{
    *page = (struct page){.files = json_array(),
                          .results = json_array(),
                          .races = json_array(),
                          .counters = json_array(),
                          .of_wings = json_object(),
                          .lacks = json_array(),
                          .wrongs = json_array()};
    for (size_t f = 0; f < count; f++)
        if (!read_one(page, paths[f]))
            return false;
    if (page->after != NULL)
        add_parts(page, page->after, snapshot_path(page, true));
    if (page->before != NULL && page->difference != NULL)
        return error_report("two snapshots and a comparison are too much: give either the "
                            "snapshots or the comparison");
    if (page->before != NULL)
        page->difference = difference_report(snapshot_path(page, false), page->before,
                                             snapshot_path(page, true), page->after);
    if (page->environment == NULL && page->difference == NULL &&
        json_array_size(page->results) + json_array_size(page->races) +
                json_array_size(page->counters) + rows_of_wings(page) ==
            0)
        return error_report("%s: the file has no results to show", paths[0]);
    return group_rows(page);
}

void page_free(struct page *page)
{
    json_t *const members[] = {page->files,   page->before,   page->after,    page->difference,
                               page->results, page->races,    page->counters, page->environment,
                               page->lacks,   page->of_wings, page->wrongs};

    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        json_decref(members[k]);
}
