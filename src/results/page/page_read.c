/* SPDX-License-Identifier: MIT
 *
 * The files of `report`: the command that wrote each of them, and their contents.
 */
#include "page.h"

#include "atomic_file.h"
#include "difference.h"
#include "error_report.h"
#include "exit_status.h"
#include "kinds.h"
#include "members.h"
#include "part.h"

#include <string.h>

/* The JSON value of a member of a snapshot. */
#define PART(snapshot, member)                                                                     \
    model_member(MEMBER_OF(snapshot_table, struct snapshot_record, member), snapshot)

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
static void note_engines(json_t *page, const struct part *part, const struct file *file)
{
    const struct list *options = &((const struct snapshot_record *)file->record)->options;

    for (size_t k = 0; k < options->count; k++) {
        const char *name = value_at(options, &k, "--engine");
        if (name != NULL && row_count(part, file->document, name) == 0)
            page_note(page, "lacks", "%s: %s on %s", file->path, part->name, name);
    }
}

static void note_snapshot(json_t *page, const struct file *file)
{
    const struct snapshot_record *snapshot = file->record;
    const struct part *part;
    const char *name;

    for (size_t k = 0; (part = part_at(k)) != NULL; k++) {
        if (!is_requested(snapshot, part))
            continue;
        if (part->has != NULL ? !part->has(snapshot) : row_count(part, file->document, NULL) == 0)
            page_note(page, "lacks", "%s: %s", file->path, part->name);
        else if (part->lists_engines)
            note_engines(page, part, file);
    }
    for (size_t k = 0; (name = part_unknown(file->document, k)) != NULL; k++)
        page_note(page, "lacks", "%s: the part %s: this program was built without it", file->path,
                  name);
    page_note_code(page, PART(file->document, code), file->path);
}

/* ---- Rows ---- */

/* Adds the rows of a section, and notes what else the document says that has them. */
static void add_rows(json_t *page, const struct page_section *section, const char *path,
                     const json_t *document, json_t *rows)
{
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        page_add_sign(row);
    }
    json_array_extend(json_object_get(page, section->rows->name), rows);
    if (section->note != NULL && json_is_object(document))
        section->note(page, path, document);
}

/* Adds the parts of the newest snapshot. Each row has its engine, as compare sees it. */
static void add_parts(json_t *page, json_t *snapshot, const char *path)
{
    const struct page_section *section;

    json_object_set(page, "environment", PART(snapshot, environment));
    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL) {
            json_t *rows = difference_rows(section->rows, snapshot, snapshot);
            add_rows(page, section, path,
                     model_member(table_field(&snapshot_table, section->rows->offset), snapshot),
                     rows);
            json_decref(rows);
        }
}

/* Returns the list of such rows in files of that kind, or null if they have none. */
static const struct field *list_in(const struct results_kind *kind, const struct table *rows)
{
    for (size_t k = 0; k < kind->table->count; k++)
        if (kind->table->fields[k].table == rows)
            return &kind->table->fields[k];
    return NULL;
}

/* Returns the section that shows files of that kind, except snapshots, or null. */
static const struct page_section *section_of(const struct results_kind *kind)
{
    const struct page_section *section;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL &&
            (section->rows->table == kind->table || list_in(kind, section->rows->table) != NULL))
            return section;
    return NULL;
}

/* ---- Reading a file ---- */

static bool add_snapshot(json_t *page, struct file *file)
{
    if (json_object_get(page, "before") != NULL)
        return error_report(
            "%s: this is a third snapshot: give one snapshot, or two with the older one first",
            file->path);
    note_snapshot(page, file);
    json_object_set(page, "before", json_object_get(page, "after"));
    json_object_set(page, "after", file->document);
    return true;
}

static bool add_comparison(json_t *page, struct file *file)
{
    if (json_object_get(page, "difference") != NULL)
        return error_report("%s: this is a second comparison: give only one", file->path);
    if (((const struct comparison_record *)file->record)->rows.count == 0)
        page_note(page, "lacks", "%s: any row", file->path);
    json_object_set(page, "difference", file->document);
    return true;
}

/* Adds the rows of a file: it is a row, a list of rows, or has that list as a member. An empty list
 * is incomplete, which the page says anyway. */
static bool add_section(json_t *page, struct file *file, const struct results_kind *kind)
{
    const struct page_section *section = section_of(kind);
    const struct field *list = list_in(kind, section->rows->table);
    json_t *rows = list != NULL    ? json_incref(model_member(list, file->document))
                   : kind->is_list ? json_incref(file->document)
                                   : json_pack("[O]", file->document);

    if (json_array_size(rows) == 0 && !kind->is_list)
        page_note(page, "lacks", "%s: any row", file->path);
    add_rows(page, section, file->path, file->document, rows);
    json_decref(rows);
    return true;
}

static bool is_shown(const struct results_kind *kind)
{
    return kind->table == &snapshot_table || kind->table == &comparison_table ||
           section_of(kind) != NULL;
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
static bool show(json_t *page, struct file *file, const struct results_kind *kind,
                 struct memory *memory)
{
    char why[512];

    file->record = results_read(kind, file->document, memory, why, sizeof why);
    if (file->record == NULL)
        return error_report("%s: malformed results of %s: %s", file->path, kind->name, why);
    if (kind->table == &snapshot_table)
        return add_snapshot(page, file);
    return kind->table == &comparison_table ? add_comparison(page, file)
                                            : add_section(page, file, kind);
}

/* ---- All files ---- */

static void note_file(json_t *page, const struct file *file, const struct results_kind *kind)
{
    json_int_t partial = (json_int_t)count_partial(kind, file->record);
    json_t *name = json_string(file->path);

    json_array_append_new(
        json_object_get(page, "files"),
        json_pack("{s:o, s:s, s:s, s:I}", "path",
                  name != NULL ? name : json_string("a name that is not valid UTF-8"), "kind",
                  kind->name, "note",
                  partial == 0                       ? ""
                  : kind->table == &comparison_table ? "compares partial snapshots"
                                                     : "partial: the run stopped early",
                  "partial", partial));
}

static bool add_file(json_t *page, struct file *file)
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

static bool read_one(json_t *page, const char *path)
{
    struct file file = {.path = path, .document = results_load(path, "file of results")};
    bool good = file.document != NULL && add_file(page, &file);

    json_decref(file.document);
    return good;
}

/* Returns the path of the first or the last snapshot. */
static const char *snapshot_path(const json_t *page, bool last)
{
    const char *path = "";
    json_t *file;
    size_t f;

    json_array_foreach(json_object_get(page, "files"), f, file)
    {
        if (strcmp(text_in(file, "kind"), "snapshot") == 0 && (last || *path == '\0'))
            path = text_in(file, "path");
    }
    return path;
}

/* Returns a page without contents. */
static json_t *empty_page(void)
{
    json_t *page = json_pack("{s:[], s:[], s:[]}", "files", "lacks", "wrongs");
    const struct page_section *section;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL)
            json_object_set_new(page, section->rows->name, json_array());
    return page;
}

static bool has_results(const json_t *page)
{
    const struct page_section *section;
    bool has =
        json_object_get(page, "environment") != NULL || json_object_get(page, "difference") != NULL;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        has = has || (section->rows != NULL &&
                      json_array_size(json_object_get(page, section->rows->name)) > 0);
    return has;
}

/* Adds what follows from all files. Returns false after an error message. */
static bool complete(json_t *page, const char *path)
{
    json_t *before = json_object_get(page, "before"), *after = json_object_get(page, "after");

    if (before != NULL && json_object_get(page, "difference") != NULL)
        return error_report("two snapshots and a comparison are too much: give either the "
                            "snapshots or the comparison");
    if (before != NULL)
        json_object_set_new(page, "difference",
                            difference_report(snapshot_path(page, false), before,
                                              snapshot_path(page, true), after));
    if (after != NULL)
        add_parts(page, after, snapshot_path(page, true));
    if (!has_results(page))
        return error_report("%s: the file has no results to show", path);
    return page_link_rows(page);
}

int page_make(const char *html, const char *const *paths, size_t count)
{
    json_t *page = empty_page();
    bool good = true;
    int status = EXIT_USAGE;

    for (size_t f = 0; f < count && good; f++)
        good = read_one(page, paths[f]);
    if (good && complete(page, paths[0]))
        status = file_write(page_write, page, html) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
    json_decref(page);
    return status;
}
