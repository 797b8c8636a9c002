/* SPDX-License-Identifier: MIT
 *
 * The files of `report`: the command that wrote each of them, and their contents.
 */
#include "page.h"

#include "difference.h"
#include "error_report.h"
#include "kinds.h"
#include "members.h"
#include "parts.h"

#include <stdarg.h>
#include <string.h>

/* ---- Incomplete runs ---- */

static bool litmus_is_partial(const struct litmus_record *litmus)
{
    return litmus != NULL && litmus->skipped == NULL && !litmus->complete;
}

/* Returns how many incomplete runs a file has, at most one per snapshot. Both snapshots of a
 * comparison count. */
static size_t count_partial(const struct table *table, const union results_record *record)
{
    const struct run_record *run = table == &snapshot_table ? record->snapshot.run : &record->run;

    if (table == &comparison_table)
        return !record->comparison.old_complete + (size_t)!record->comparison.new_complete;
    if (table == &snapshot_table &&
        (!record->snapshot.complete || litmus_is_partial(record->snapshot.litmus)))
        return 1;
    if (table == &litmus_table)
        return litmus_is_partial(&record->litmus);
    if (table == &snapshot_table || table == &run_table)
        return run != NULL && !run->complete;
    if (table == &compilers_table)
        return !record->compilers.complete;
    return table == &race_record_table && races_are_partial(&record->races);
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
static bool is_requested(const struct snapshot_record *snapshot, enum part part)
{
    bool named = false, some = false;

    for (size_t k = 0; k < snapshot->options.count; k++) {
        const char *value = value_at(&snapshot->options, &k, "--part");
        some = some || value != NULL;
        named = named || (value != NULL && strcmp(value, part_names[part]) == 0);
    }
    return some ? named : part == PART_RUN;
}

__attribute__((format(printf, 2, 3))) static void note(json_t *notes, const char *format, ...)
{
    va_list arguments;
    json_t *text;

    va_start(arguments, format);
    text = json_vsprintf(format, arguments);
    va_end(arguments);
    json_array_append_new(notes,
                          text != NULL ? text : json_string("a name that is not valid UTF-8"));
}

/* Returns the number of rows of an engine, or of all engines if `name` is null. */
static size_t row_count(const struct list *engines, const char *name)
{
    const struct engine_rows *entries = engines->items;
    size_t count = 0;

    for (size_t e = 0; e < engines->count; e++)
        if (name == NULL || strcmp(entries[e].engine, name) == 0)
            count += entries[e].rows.count;
    return count;
}

/* Notes the engines that the user named and that have no throughput. */
static void note_engines(struct page *page, const struct snapshot_record *snapshot,
                         const char *path)
{
    for (size_t k = 0; k < snapshot->options.count; k++) {
        const char *name = value_at(&snapshot->options, &k, "--engine");
        if (name != NULL && row_count(&snapshot->throughput, name) == 0)
            note(page->lacks, "%s: throughput on %s", path, name);
    }
}

/* Returns whether the snapshot has results of the part. */
static bool has_part(const struct snapshot_record *snapshot, enum part part)
{
    switch (part) {
    case PART_RUN:
        return snapshot->run != NULL && snapshot->run->results.count > 0;
    case PART_RACES:
        return row_count(&snapshot->races, NULL) > 0;
    case PART_COUNTERS:
        return row_count(&snapshot->counters, NULL) > 0;
    case PART_THROUGHPUT:
        return row_count(&snapshot->throughput, NULL) > 0;
    case PART_CODE:
        return snapshot->code != NULL && snapshot->code->skipped == NULL;
    case PART_COMPILERS:
        return snapshot->compilers != NULL && snapshot->compilers->stages.count > 0;
    case PART_BENCHMARK:
        return snapshot->benchmark.count > 0;
    case PART_LITMUS:
        return snapshot->litmus != NULL && snapshot->litmus->rows.count > 0;
    case PARTS:
        break;
    }
    return true;
}

/* Notes the modules that an assembler rejects, from a snapshot or from `compilers`. */
static void note_code(struct page *page, const struct code_record *code, const char *path)
{
    const struct failure_record *failures = code != NULL ? code->failures.items : NULL;

    for (size_t f = 0; code != NULL && f < code->failures.count; f++)
        note(page->wrongs, "%s: ptxas %s rejects %s: %s", path, failures[f].ptxas,
             failures[f].module, failures[f].reason);
}

static void note_snapshot(struct page *page, const struct snapshot_record *snapshot,
                          const char *path)
{
    for (int p = 0; p < PARTS; p++) {
        enum part part = (enum part)p;
        if (!is_requested(snapshot, part))
            continue;
        if (!has_part(snapshot, part))
            note(page->lacks, "%s: %s", path, part_names[part]);
        else if (part == PART_THROUGHPUT)
            note_engines(page, snapshot, path);
    }
    note_code(page, snapshot->code, path);
}

/* ---- Other files ---- */

static void note_compilers(struct page *page, const struct compilers_record *compilers,
                           const char *path)
{
    if (compilers->stages.count == 0)
        note(page->lacks, "%s: any compiler", path);
    note_code(page, compilers->code, path);
}

/* Notes what was not measured, because its sum is wrong or the GPU is too small. */
static void note_benchmark(struct page *page, const struct benchmark_record *benchmark,
                           const char *path)
{
    const struct left_out_record *left_out = benchmark->left_out.items;

    if (benchmark->benchmark.count == 0)
        note(page->lacks, "%s: any row of the benchmark", path);
    for (size_t r = 0; r < benchmark->left_out.count; r++) {
        bool all = strcmp(left_out[r].kernel, "all") == 0;
        note(all ? page->lacks : page->wrongs, "%s: the benchmark at %llu elements, %s: %s", path,
             (unsigned long long)left_out[r].elements, left_out[r].kernel, left_out[r].reason);
    }
}

static void note_empty(struct page *page, const struct list *rows, const char *path)
{
    if (rows->count == 0)
        note(page->lacks, "%s: any row", path);
}

/* ---- Reading a file ---- */

/* A file of results that matches its table. */
struct file {
    const char *path;
    json_t *document;
    union results_record record;
};

#define PART(document, table, structure, member)                                                   \
    model_member(MEMBER_OF(table, structure, member), document)

/* Adds the rows of a part of a snapshot, each with its engine, as compare sees them. */
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

/* Adds the parts of the newest snapshot. */
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
    add_rows_of(page->litmus, "litmus", snapshot);
    if (record.compilers != NULL) {
        note_compilers(page, record.compilers, path);
        json_array_append(page->compilers, compilers);
    }
    memory_free(&memory);
}

static bool add_snapshot(struct page *page, struct file *file)
{
    if (page->before != NULL)
        return error_report(
            "%s: this is a third snapshot: give one snapshot, or two with the older one first",
            file->path);
    note_snapshot(page, &file->record.snapshot, file->path);
    page->before = page->after;
    page->after = json_incref(file->document);
    return true;
}

static bool add_comparison(struct page *page, struct file *file)
{
    if (page->difference != NULL)
        return error_report("%s: this is a second comparison: give only one", file->path);
    note_empty(page, &file->record.comparison.rows, file->path);
    page->difference = json_incref(file->document);
    return true;
}

static bool add_run(struct page *page, struct file *file)
{
    note_empty(page, &file->record.run.results, file->path);
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
    note_compilers(page, &file->record.compilers, file->path);
    json_array_append(page->compilers, file->document);
    return true;
}

static bool add_benchmark(struct page *page, struct file *file)
{
    note_benchmark(page, &file->record.benchmark, file->path);
    json_array_extend(page->benchmark,
                      PART(file->document, benchmark_table, struct benchmark_record, benchmark));
    return true;
}

static bool add_litmus(struct page *page, struct file *file)
{
    note_empty(page, &file->record.litmus.rows, file->path);
    json_array_extend(page->litmus, PART(file->document, litmus_table, struct litmus_record, rows));
    return true;
}

/* Indexed by enum results_id. Null: the page has no section for it. */
static bool (*const adders[RESULTS_KINDS])(struct page *page, struct file *file) = {
    [RESULTS_SNAPSHOT] = add_snapshot,
    [RESULTS_COMPARE] = add_comparison,
    [RESULTS_RUN] = add_run,
    [RESULTS_COMPILERS] = add_compilers,
    [RESULTS_COUNTERS] = add_counters,
    [RESULTS_RACES] = add_races,
    [RESULTS_BENCHMARK] = add_benchmark,
    [RESULTS_LITMUS] = add_litmus,
};

/* Reads the record. Returns false after an error message that names the wrong member. */
static bool read_record(struct file *file, const struct results_kind *kind, struct memory *memory)
{
    char why[512];

    return results_read(kind, file->document, &file->record, memory, why, sizeof why) ||
           error_report("%s: malformed results of %s: %s", file->path, kind->name, why);
}

/* ---- All files ---- */

static void note_file(struct page *page, const struct file *file, const struct results_kind *kind)
{
    json_int_t partial = (json_int_t)count_partial(kind->table, &file->record);
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
    if (kind == NULL || adders[kind - results_kinds] == NULL)
        return error_report("%s: this is not a file of snapshot, run, races, counters, compilers, "
                            "litmus, compare or ci/bench",
                            file->path);
    if (kind->table == &snapshot_table && !difference_fits(file->document, why, sizeof why))
        return error_report("%s: %s", file->path, why);
    good = read_record(file, kind, &memory) && adders[kind - results_kinds](page, file);
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

bool page_read(struct page *page, const char *const *paths, size_t count)
{
    *page = (struct page){.files = json_array(),
                          .results = json_array(),
                          .races = json_array(),
                          .counters = json_array(),
                          .compilers = json_array(),
                          .benchmark = json_array(),
                          .litmus = json_array(),
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
                json_array_size(page->counters) + json_array_size(page->compilers) +
                json_array_size(page->benchmark) + json_array_size(page->litmus) ==
            0)
        return error_report("%s: the file has no results to show", paths[0]);
    return group_rows(page);
}

void page_free(struct page *page)
{
    json_t *const members[] = {page->files,       page->before,    page->after,  page->difference,
                               page->environment, page->results,   page->races,  page->counters,
                               page->compilers,   page->benchmark, page->litmus, page->lacks,
                               page->wrongs};

    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        json_decref(members[k]);
}
