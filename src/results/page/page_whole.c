/* SPDX-License-Identifier: MIT
 *
 * Is all there that a file was to hold? A page is green of nothing else.
 */
#include "page_file.h"

#include "engines.h"
#include "parts.h"

#include <stdarg.h>
#include <string.h>

/* ---- Commands that ended too early ---- */

size_t page_never_partial(const union page_record *record)
{
    (void)record;
    return 0;
}

size_t page_run_partial(const union page_record *record)
{
    return !record->run.complete;
}

size_t page_compilers_partial(const union page_record *record)
{
    return !record->compilers.complete;
}

size_t page_snapshot_partial(const union page_record *record)
{
    const struct snapshot_record *snapshot = &record->snapshot;

    return !snapshot->complete || (snapshot->run != NULL && !snapshot->run->complete);
}

size_t page_comparison_partial(const union page_record *record)
{
    return !record->comparison.old_complete + (size_t)!record->comparison.new_complete;
}

/* Each row says how many there are to be. */
size_t page_races_partial(const union page_record *record)
{
    const struct race_record *rows = record->races.items;

    for (size_t r = 0; r < record->races.count; r++)
        if (rows[r].all_rows != record->races.count)
            return 1;
    return record->races.count == 0;
}

/* ---- What was asked for ---- */

/* The value of that option, where the words have it at *k, which moves to the value: getopt_long()
 * takes "--part run" as "--part=run" and "--par run". Else null. */
static const char *value_at(const struct list *words, size_t *k, const char *option)
{
    enum { LEAST = 4 }; /* "--pa", "--en": fewer would be several options */
    const char *const *all = words->items, *word = all[*k];
    size_t length = strcspn(word, "=");

    if (length < LEAST || length > strlen(option) || strncmp(word, option, length) != 0)
        return NULL;
    if (word[length] == '=')
        return word + length + 1;
    return ++*k < words->count ? all[*k] : NULL;
}

/* Was the part named? Without a name `run` alone is asked for: that there is no tool for another
 * changes nothing. */
static bool is_asked_for(const struct snapshot_record *snapshot, enum part part)
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
    json_array_append_new(notes, text != NULL ? text : json_string("a name that is no UTF-8"));
}

/* The engines' rows of such a part. */
static const struct list *engines_of(const struct snapshot_record *snapshot, enum part part)
{
    return part == PART_RACES      ? &snapshot->races
           : part == PART_COUNTERS ? &snapshot->counters
                                   : &snapshot->rates;
}

/* How many rows there are of that engine; of all engines for null. */
static size_t row_count(const struct list *engines, const char *name)
{
    const struct engine_rows *entries = engines->items;
    size_t count = 0;

    for (size_t e = 0; e < engines->count; e++)
        if (name == NULL || strcmp(entries[e].engine, name) == 0)
            count += entries[e].rows.count;
    return count;
}

/* The engines that were named and of which the part has nothing; it is looked at by each that
 * simulates, or by all. */
static void note_engines(struct page *page, const struct snapshot_record *snapshot, enum part part,
                         const char *path)
{
    for (size_t k = 0; k < snapshot->options.count; k++) {
        const char *name = value_at(&snapshot->options, &k, "--engine");
        const struct engine_kind *engine = name != NULL ? engine_kind_find(name) : NULL;
        if (engine != NULL && (engine->simulates || part == PART_THROUGHPUT) &&
            row_count(engines_of(snapshot, part), name) == 0)
            note(page->lacks, "%s: %s on %s", path, part_names[part], name);
    }
}

/* Has it what the part is for? */
static bool has_part(const struct snapshot_record *snapshot, enum part part)
{
    switch (part) {
    case PART_RUN:
        return snapshot->run != NULL && snapshot->run->results.count > 0;
    case PART_RACES:
    case PART_COUNTERS:
    case PART_THROUGHPUT:
        return row_count(engines_of(snapshot, part), NULL) > 0;
    case PART_CODE:
        return snapshot->code != NULL && snapshot->code->skipped == NULL;
    case PART_COMPILERS:
        return snapshot->compilers != NULL && snapshot->compilers->stages.count > 0;
    case PART_BENCHMARK:
        return snapshot->benchmark.count > 0;
    case PARTS:
        break;
    }
    return true;
}

/* Modules that an assembler refuses, by a snapshot or by what compilers writes. */
static void note_code(struct page *page, const struct code_record *code, const char *path)
{
    const struct failure_record *failures = code != NULL ? code->failures.items : NULL;

    for (size_t f = 0; code != NULL && f < code->failures.count; f++)
        note(page->wrongs, "%s: ptxas %s refuses %s: %s", path, failures[f].ptxas,
             failures[f].module, failures[f].reason);
}

void page_note_snapshot(struct page *page, const struct snapshot_record *snapshot, const char *path)
{
    for (int p = 0; p < PARTS; p++) {
        enum part part = (enum part)p;
        if (!is_asked_for(snapshot, part))
            continue;
        if (!has_part(snapshot, part))
            note(page->lacks, "%s: %s", path, part_names[part]);
        else if (part == PART_RACES || part == PART_COUNTERS || part == PART_THROUGHPUT)
            note_engines(page, snapshot, part, path);
    }
    note_code(page, snapshot->code, path);
}

/* ---- Other files ---- */

void page_note_compilers(struct page *page, const struct compilers_record *compilers,
                         const char *path)
{
    if (compilers->stages.count == 0)
        note(page->lacks, "%s: any compiler", path);
    note_code(page, compilers->code, path);
}

/* What has no time, because its sum is wrong or the GPU too small for all. */
void page_note_benchmark(struct page *page, const struct benchmark_record *benchmark,
                         const char *path)
{
    const struct left_out_record *left_out = benchmark->left_out.items;

    if (benchmark->benchmark.count == 0)
        note(page->lacks, "%s: any rung of the benchmark", path);
    for (size_t r = 0; r < benchmark->left_out.count; r++) {
        bool all = strcmp(left_out[r].kernel, "all") == 0;
        note(all ? page->lacks : page->wrongs, "%s: the benchmark at %llu elements, %s: %s", path,
             (unsigned long long)left_out[r].elements, left_out[r].kernel, left_out[r].reason);
    }
}

void page_note_empty(struct page *page, const struct list *rows, const char *path)
{
    if (rows->count == 0)
        note(page->lacks, "%s: any row", path);
}
