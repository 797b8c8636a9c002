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

/* ---- Incomplete runs ---- */

/* Returns whether a file of that table says whether its run ended. */
static bool has_end(const struct table *table)
{
    for (size_t k = 0; k < table->count; k++)
        if (table->fields[k].name != NULL && strcmp(table->fields[k].name, "complete") == 0)
            return true;
    return false;
}

/* Returns how many incomplete runs a file has, at most one per snapshot. Both snapshots of a
 * comparison count. A part that was skipped as a whole did not stop early. */
static json_int_t count_partial(const struct results_kind *kind, json_t *document)
{
    json_t *part;
    const char *name;
    bool is_partial = has_end(kind->table) &&
                      !json_is_true(json_object_get(document, "complete")) &&
                      !json_is_string(json_object_get(document, "skipped"));

    if (kind->table == &comparison_table)
        return !json_is_true(json_object_get(document, "old_complete")) +
               !json_is_true(json_object_get(document, "new_complete"));
    for (struct each k = {.rows = document}; each_next(&k);)
        is_partial =
            is_partial || number_in(k.row, "all_rows") != (json_int_t)json_array_size(document);
    json_object_foreach(document, name, part)
    {
        is_partial = is_partial || (json_is_false(json_object_get(part, "complete")) &&
                                    !json_is_string(json_object_get(part, "skipped")));
    }
    return is_partial || (kind->is_list && json_array_size(document) == 0);
}

/* ---- Requested parts ---- */

/* Returns the values of an option, as in "--part run" and "--part=run". The caller owns the array.
 */
static json_t *values_of(const json_t *words, const char *option)
{
    json_t *values = json_array();

    for (struct each k = {.rows = words}; each_next(&k);) {
        const char *word = json_string_value(k.row);
        size_t length = strcspn(word, "=");
        if (length != strlen(option) || strncmp(word, option, length) != 0)
            continue;
        if (word[length] == '=')
            json_array_append_new(values, json_string(word + length + 1));
        else if (each_next(&k))
            json_array_append(values, (json_t *)(uintptr_t)k.row);
    }
    return values;
}

/* Returns the rows that the snapshot has for a part. The caller owns the array. */
static json_t *rows_of(const struct part *part, const json_t *snapshot)
{
    json_t *all = json_array();

    for (const struct part_rows *rows = part->rows; rows->name != NULL; rows++) {
        json_t *some = difference_rows(rows, snapshot, snapshot);
        json_array_extend(all, some);
        json_decref(some);
    }
    return all;
}

/* Notes a part without rows, unless it says that nothing was skipped; and the engines that the user
 * named and that have no rows of it. */
static void note_part(json_t *page, const char *path, const struct part *part,
                      const json_t *snapshot, const json_t *engines)
{
    json_t *rows = rows_of(part, snapshot);
    bool is_missing =
        json_array_size(rows) == 0 &&
        !json_is_null(json_object_get(json_object_get(snapshot, part->name), "skipped"));

    if (is_missing)
        page_note(page, "lacks", "%s: %s", path, part->name);
    for (struct each k = {.rows = engines};
         part->engines == PART_EACH && !is_missing && each_next(&k);) {
        const char *engine = json_string_value(k.row);
        size_t count = 0;
        for (struct each row = {.rows = rows}; each_next(&row);)
            count += page_is(row.row, "engine", engine);
        if (count == 0)
            page_note(page, "lacks", "%s: %s on %s", path, part->name, engine);
    }
    json_decref(rows);
}

/* Notes what the user requested and the snapshot lacks. Without --part, only `run` counts as
 * requested, so a missing tool for another part does not matter. */
static void note_snapshot(json_t *page, const char *path, const json_t *snapshot)
{
    json_t *parts = values_of(PART(snapshot, options), "--part"),
           *engines = values_of(PART(snapshot, options), "--engine");
    const struct part *part;
    const char *name;

    if (json_array_size(parts) == 0)
        json_array_append_new(parts, json_string(core_parts[0].name));
    for (size_t k = 0; (part = part_at(k)) != NULL; k++) {
        struct each word = {.rows = parts};
        while (each_next(&word) && strcmp(json_string_value(word.row), part->name) != 0)
            ;
        if (word.row != NULL)
            note_part(page, path, part, snapshot, engines);
    }
    for (size_t k = 0; (name = part_unknown(snapshot, k)) != NULL; k++)
        page_note(page, "lacks", "%s: the part %s: this program was built without it", path, name);
    page_note_code(page, PART(snapshot, code), path);
    json_decref(parts);
    json_decref(engines);
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
static void add_parts(json_t *page, const json_t *snapshot, const char *path)
{
    const struct page_section *section;

    json_object_set(page, "environment", PART(snapshot, environment));
    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL) {
            json_t *rows = difference_rows(section->rows, snapshot, snapshot);
            add_rows(page, section, path, json_object_get(snapshot, section->rows->member), rows);
            json_decref(rows);
        }
}

/* Returns the section that shows files of that kind, except snapshots, or null. */
static const struct page_section *section_of(const struct results_kind *kind)
{
    const struct page_section *section;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL && (section->rows->table == kind->table ||
                                      table_inner(kind->table, section->rows->table) != NULL))
            return section;
    return NULL;
}

/* Adds the rows of a file: it is a row, a list of rows, or has that list as a member. An empty list
 * is incomplete, which the page says anyway. */
static void add_section(json_t *page, const char *path, const struct results_kind *kind,
                        json_t *document)
{
    const struct page_section *section = section_of(kind);
    const struct field *list = table_inner(kind->table, section->rows->table);
    json_t *rows = list != NULL    ? json_incref(model_member(list, document))
                   : kind->is_list ? json_incref(document)
                                   : json_pack("[O]", document);

    if (json_array_size(rows) == 0 && !kind->is_list)
        page_note(page, "lacks", "%s: any row", path);
    add_rows(page, section, path, document, rows);
    json_decref(rows);
}

/* ---- Reading a file ---- */

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

/* Checks that a file is of a kind that the page can show, and that it matches its table. Returns
 * false after an error message. */
static bool is_valid(const char *path, const struct results_kind *kind, const json_t *document)
{
    struct memory memory = {NULL};
    char why[512];
    bool good = false;

    if (model_is_marked(&shard_table, document))
        error_report("%s: this is a shard: merge all shards with 'simtcheck merge' first", path);
    else if (kind == NULL || !is_shown(kind))
        error_report("%s: this is not a file of %s", path, shown_names(&memory));
    else if (kind->table == &snapshot_table && !difference_fits(document, why, sizeof why))
        error_report("%s: %s", path, why);
    else if (results_read(kind, document, &memory, why, sizeof why) == NULL)
        error_report("%s: malformed results of %s: %s", path, kind->name, why);
    else
        good = true;
    memory_free(&memory);
    return good;
}

/* Returns an entry of "files". */
static json_t *entry_of(const char *path, const struct results_kind *kind, json_t *document)
{
    json_int_t partial = count_partial(kind, document);
    json_t *name = json_string(path);

    return json_pack("{s:o, s:s, s:O, s:s, s:I}", "path",
                     name != NULL ? name : json_string(PAGE_NO_NAME), "kind", kind->name,
                     "document", document, "note",
                     partial == 0                       ? ""
                     : kind->table == &comparison_table ? "compares partial snapshots"
                                                        : "partial: the run stopped early",
                     "partial", partial);
}

/* Adds a valid file. Returns false after an error message. */
static bool add_file(json_t *page, const char *path, const struct results_kind *kind,
                     json_t *document)
{
    json_t *entry = entry_of(path, kind, document);

    json_array_append_new(json_object_get(page, "files"), entry);
    if (kind->table == &snapshot_table) {
        if (json_object_get(page, "before") != NULL)
            return error_report("%s: this is a third snapshot: give one snapshot, or two with the "
                                "older one first",
                                path);
        json_object_set(page, "before", json_object_get(page, "after"));
        json_object_set(page, "after", entry);
        note_snapshot(page, path, document);
    } else if (kind->table == &comparison_table) {
        if (json_object_get(page, "difference") != NULL)
            return error_report("%s: this is a second comparison: give only one", path);
        json_object_set(page, "difference", document);
        if (json_array_size(json_object_get(document, "rows")) == 0)
            page_note(page, "lacks", "%s: any row", path);
    } else {
        add_section(page, path, kind, document);
    }
    return true;
}

static bool read_one(json_t *page, const char *path)
{
    json_t *document = results_load(path, "file of results");
    const struct results_kind *kind = document != NULL ? results_kind_of(document) : NULL;
    bool good =
        document != NULL && is_valid(path, kind, document) && add_file(page, path, kind, document);

    json_decref(document);
    return good;
}

/* ---- All files ---- */

/* Adds what follows from all files. Returns false after an error message. */
static bool complete(json_t *page, const char *first_path)
{
    const json_t *before = json_object_get(page, "before"), *after = json_object_get(page, "after");
    const struct page_section *section;
    bool is_empty = after == NULL && json_object_get(page, "difference") == NULL;

    if (before != NULL && json_object_get(page, "difference") != NULL)
        return error_report("two snapshots and a comparison are too much: give either the "
                            "snapshots or the comparison");
    if (before != NULL)
        json_object_set_new(
            page, "difference",
            difference_report(text_in(before, "path"), json_object_get(before, "document"),
                              text_in(after, "path"), json_object_get(after, "document")));
    if (after != NULL)
        add_parts(page, json_object_get(after, "document"), text_in(after, "path"));
    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        is_empty = is_empty && (section->rows == NULL ||
                                json_array_size(json_object_get(page, section->rows->name)) == 0);
    if (is_empty)
        return error_report("%s: the file has no results to show", first_path);
    page_add_changes(page);
    return page_add_kernels(page);
}

int page_make(const char *html, const char *const *paths, size_t count)
{
    json_t *page = json_pack("{s:[], s:[], s:[], s:[], s:[]}", "files", "lacks", "wrongs", "judged",
                             "messages");
    const struct page_section *section;
    bool good = true;
    int status = EXIT_USAGE;

    for (size_t k = 0; (section = page_section_at(k)) != NULL; k++)
        if (section->rows != NULL)
            json_object_set_new(page, section->rows->name, json_array());
    for (size_t f = 0; f < count && good; f++)
        good = read_one(page, paths[f]);
    if (good && complete(page, paths[0]))
        status = file_write(page_write, page, html) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
    json_decref(page);
    return status;
}
