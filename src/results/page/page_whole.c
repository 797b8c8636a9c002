/* SPDX-License-Identifier: MIT
 *
 * Is all there that a file was to hold? A page is green of nothing else.
 */
#include "page_file.h"

#include "engines.h"
#include "members.h"
#include "parts.h"

#include <stdarg.h>
#include <string.h>

/* ---- Commands that ended too early ---- */

static bool is_true(const json_t *document, const char *name)
{
    return json_is_true(json_object_get(document, name));
}

size_t page_never_partial(const json_t *document)
{
    (void)document;
    return 0;
}

size_t page_run_partial(const json_t *document)
{
    return !is_true(document, "complete");
}

size_t page_toolchain_partial(const json_t *document)
{
    return !is_true(document, "complete");
}

size_t page_snapshot_partial(const json_t *document)
{
    const json_t *run = json_object_get(document, "run");

    return !is_true(document, "complete") || (json_is_object(run) && !is_true(run, "complete"));
}

size_t page_comparison_partial(const json_t *document)
{
    return !is_true(document, "old_complete") + (size_t)!is_true(document, "new_complete");
}

/* Each row says how many there are to be. */
size_t page_races_partial(const json_t *document)
{
    size_t count = json_array_size(document), r;
    const json_t *row;

    json_array_foreach(document, r, row)
    {
        if (number_in(row, "all_rows") != (json_int_t)count)
            return 1;
    }
    return count == 0;
}

/* ---- What was asked for ---- */

/* The value of that option, where the words have it at *k, which moves to the value: getopt_long()
 * takes "--part run" as "--part=run" and "--par run". Else null. */
static const char *value_at(const json_t *words, size_t *k, const char *option)
{
    enum { LEAST = 4 }; /* "--pa", "--en": fewer would be several options */
    const char *word = json_string_value(json_array_get(words, *k));
    size_t length = word != NULL ? strcspn(word, "=") : 0;

    if (length < LEAST || length > strlen(option) || strncmp(word, option, length) != 0)
        return NULL;
    return word[length] == '=' ? word + length + 1 : json_string_value(json_array_get(words, ++*k));
}

/* Was the part named? Without a name `run` alone is asked for: that there is no tool for another
 * changes nothing. */
static bool is_asked_for(const json_t *snapshot, enum part part)
{
    const json_t *words = json_object_get(snapshot, "options");
    bool named = false, some = false;

    for (size_t k = 0; k < json_array_size(words); k++) {
        const char *value = value_at(words, &k, "--part");
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

/* The engines that were named and of which the part has nothing; it is looked at by each that
 * simulates, or by all. */
static void note_engines(struct page *page, const json_t *snapshot, enum part part,
                         const char *path)
{
    const json_t *words = json_object_get(snapshot, "options"),
                 *rows = json_object_get(snapshot, part_names[part]);

    for (size_t k = 0; k < json_array_size(words); k++) {
        const char *name = value_at(words, &k, "--engine");
        const struct engine_kind *engine = name != NULL ? engine_kind_find(name) : NULL;
        if (engine != NULL && (engine->simulates || part == PART_RATES) &&
            json_array_size(json_object_get(rows, name)) == 0)
            note(page->lacks, "%s: %s on %s", path, part_names[part], name);
    }
}

/* Has a part with an array for each engine any row? */
static bool has_rows(json_t *part)
{
    const char *engine;
    json_t *rows;

    json_object_foreach(part, engine, rows)
    {
        if (json_array_size(rows) > 0)
            return true;
    }
    return false;
}

/* Has it what the part is for? */
static bool has_part(const json_t *snapshot, enum part part)
{
    json_t *value = json_object_get(snapshot, part_names[part]);

    switch (part) {
    case PART_RUN:
        return json_array_size(json_object_get(value, "results")) > 0;
    case PART_RACES:
    case PART_COUNTERS:
    case PART_RATES:
        return has_rows(value);
    case PART_CODE:
        return json_is_object(value) && !json_is_string(json_object_get(value, "unavailable"));
    case PART_TOOLCHAIN:
        return json_array_size(json_object_get(value, "stages")) > 0;
    case PART_LADDER:
        return json_array_size(value) > 0;
    case PARTS:
        break;
    }
    return true;
}

/* Modules that an assembler refuses, by a snapshot or by what toolchain writes. */
static void note_code(struct page *page, const json_t *document, const char *path)
{
    const json_t *code = json_object_get(document, "code");
    json_t *failure;
    size_t f;

    json_array_foreach(json_object_get(code, "failures"), f, failure)
    {
        note(page->wrongs, "%s: ptxas %s refuses %s: %s", path, text_in(failure, "ptxas"),
             text_in(failure, "module"), text_in(failure, "reason"));
    }
}

void page_note_snapshot(struct page *page, const json_t *snapshot, const char *path)
{
    for (int p = 0; p < PARTS; p++) {
        enum part part = (enum part)p;
        if (!is_asked_for(snapshot, part))
            continue;
        if (!has_part(snapshot, part))
            note(page->lacks, "%s: %s", path, part_names[part]);
        else if (part == PART_RACES || part == PART_COUNTERS || part == PART_RATES)
            note_engines(page, snapshot, part, path);
    }
    note_code(page, snapshot, path);
}

/* ---- Other files ---- */

void page_note_toolchain(struct page *page, const json_t *toolchain, const char *path)
{
    if (json_array_size(json_object_get(toolchain, "stages")) == 0)
        note(page->lacks, "%s: any compiler", path);
    note_code(page, toolchain, path);
}

/* What has no time, because its sum is wrong or the GPU too small for all. */
void page_note_ladder(struct page *page, const json_t *document, const char *path)
{
    json_t *row;
    size_t r;

    if (json_array_size(json_object_get(document, "ladder")) == 0)
        note(page->lacks, "%s: any rung of the ladder", path);
    json_array_foreach(json_object_get(document, "left_out"), r, row)
    {
        bool all = strcmp(text_in(row, "kernel"), "all") == 0;
        note(all ? page->lacks : page->wrongs, "%s: the ladder at %lld elements, %s: %s", path,
             number_in(row, "elements"), text_in(row, "kernel"), text_in(row, "reason"));
    }
}

void page_note_empty(struct page *page, const json_t *rows, const char *path)
{
    if (json_array_size(rows) == 0)
        note(page->lacks, "%s: any row", path);
}
