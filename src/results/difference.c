/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include "error_report.h"
#include "part.h"
#include "wing.h"

#include <stdio.h>
#include <string.h>

/* The JSON value of a member of a snapshot. */
#define PART(snapshot, member)                                                                     \
    model_member(MEMBER_OF(snapshot_table, struct snapshot_record, member), snapshot)

bool difference_fits(const json_t *document, char *why, size_t size)
{
    const json_t *version = PART(document, version);

    if (!json_is_integer(version) || !json_is_object(PART(document, environment)))
        return error_write(why, size,
                           "this is not a snapshot: 'simtcheck snapshot --out FILE' writes one");
    if (json_integer_value(version) == SNAPSHOT_VERSION)
        return true;
    return error_write(why, size,
                       "snapshot version %" JSON_INTEGER_FORMAT
                       " is not supported: this program reads version %d",
                       json_integer_value(version), SNAPSHOT_VERSION);
}

/* ---- Environment ---- */

static void add_fact(struct list *facts, struct memory *memory, const char *key,
                     const json_t *before, const json_t *after)
{
    LIST_ADD(memory, facts, struct fact_record) =
        (struct fact_record){memory_copy(memory, key), before != NULL ? before : json_null(),
                             after != NULL ? after : json_null()};
}

/* Returns whether the name is a fact of the environment. Readings and reasons are not, because they
 * vary between runs on one machine. */
static bool is_fact(const char *name)
{
    const struct field *reasons = MEMBER_OF(environment_table, struct environment_record, reasons),
                       *readings = table_inner(&environment_table, &readings_table);

    return strcmp(name, reasons->name) != 0 && strcmp(name, readings->name) != 0;
}

/* Adds the facts that differ or exist on one side only. Members of objects are compared one by one:
 * "engines.sim". */
static void add_facts(struct list *facts, struct memory *memory, const char *prefix,
                      json_t *old_facts, json_t *new_facts)
{
    json_t *both = json_copy(old_facts), *value;
    const char *name;
    char key[256];

    json_object_update_missing(both, new_facts);
    json_object_foreach(both, name, value)
    {
        json_t *before = json_object_get(old_facts, name),
               *after = json_object_get(new_facts, name);
        if (!is_fact(name) || (before != NULL && after != NULL && json_equal(before, after)))
            continue;
        snprintf(key, sizeof key, "%s%s", prefix, name);
        if (json_is_object(before) && json_is_object(after)) {
            snprintf(key, sizeof key, "%s%s.", prefix, name);
            add_facts(facts, memory, key, before, after);
        } else {
            add_fact(facts, memory, key, before, after);
        }
    }
    json_decref(both);
}

static struct list compare_environments(const json_t *old_snapshot, const json_t *new_snapshot,
                                        struct memory *memory)
{
    const struct field *options = MEMBER_OF(snapshot_table, struct snapshot_record, options);
    struct list facts = list_take(memory, 0, sizeof(struct fact_record));
    json_t *old_options = model_member(options, old_snapshot),
           *new_options = model_member(options, new_snapshot);

    add_facts(&facts, memory, "", PART(old_snapshot, environment), PART(new_snapshot, environment));
    if (old_options != NULL && new_options != NULL && !json_equal(old_options, new_options))
        add_fact(&facts, memory, options->name, old_options, new_options);
    return facts;
}

/* ---- Rows ---- */

/* Writes the key of a row, such as "reduceNeighbored original sim". */
static void key_of(const struct part_rows *part, const json_t *row, char *key, size_t size)
{
    size_t used = 0;

    snprintf(key, size, "%s", part->only != NULL ? part->only : "");
    if (part->table == NULL)
        snprintf(key, size, "%s", json_is_string(row) ? json_string_value(row) : "?");
    for (size_t k = 0; part->table != NULL && k < part->table->count; k++) {
        const struct field *field = &part->table->fields[k];
        const json_t *value = model_member(field, row);
        const char *lead = used > 0 ? " " : "";
        if (field->compare != COMPARE_KEY || used >= size)
            continue;
        if (json_is_integer(value))
            used += (size_t)snprintf(key + used, size - used, "%s%" JSON_INTEGER_FORMAT, lead,
                                     json_integer_value(value));
        else
            used += (size_t)snprintf(key + used, size - used, "%s%s", lead,
                                     json_is_string(value) ? json_string_value(value) : "?");
    }
}

/* Returns the rows by their keys, and releases the array. If a key repeats, a number such as " #2"
 * is appended. */
static json_t *by_key(const struct part_rows *part, json_t *rows)
{
    json_t *map = json_object(), *row;
    char key[1024], numbered[1040];
    size_t r;

    json_array_foreach(rows, r, row)
    {
        key_of(part, row, key, sizeof key);
        snprintf(numbered, sizeof numbered, "%s", key);
        for (int k = 2; json_object_get(map, numbered) != NULL; k++)
            snprintf(numbered, sizeof numbered, "%s #%d", key, k);
        json_object_set(map, numbered, row);
    }
    json_decref(rows);
    return map;
}

static bool is_complete(const json_t *snapshot)
{
    return json_is_true(PART(snapshot, complete));
}

/* Returns whether the snapshot has all rows of the part. */
static bool has_all(const struct part_rows *part, const json_t *snapshot)
{
    const json_t *member = json_object_get(snapshot, part->member);
    return member != NULL && !json_is_null(member) && is_complete(snapshot);
}

/* Returns the change of a row that only one snapshot has. `other` is the snapshot without it. */
static enum change change_of_one(const struct part_rows *part, const json_t *other, bool is_new)
{
    if (part->is_wrong && has_all(part, other))
        return is_new ? CHANGE_REGRESSION : CHANGE_FIX;
    return is_new ? CHANGE_NEW : CHANGE_MISSING;
}

/* Returns the engine of a row, or "" if it has none. */
static const char *engine_of(const struct part_rows *part, const json_t *row)
{
    for (size_t k = 0; part->table != NULL && k < part->table->count; k++) {
        const struct field *field = &part->table->fields[k];
        const json_t *value = model_member(field, row);
        if ((field->words == &engine_words || (field->flags & FIELD_FROM_PLACE)) &&
            json_is_string(value))
            return json_string_value(value);
    }
    return "";
}

static void judge(const struct part_rows *part, struct row_pair *pair)
{
    pair->is_steady = engine_is_steady(engine_of(part, pair->new_row));
    if (part->judge != NULL)
        part->judge(pair);
    if (part->table != NULL)
        difference_members(pair, part->table);
}

static void add_row(struct comparison_record *record, const struct part_rows *part, const char *key,
                    const struct row_pair *pair)
{
    record->counts[pair->change]++;
    LIST_ADD(pair->memory, &record->rows, struct change_record) = (struct change_record){
        pair->change, part->name, memory_copy(pair->memory, key), pair->details};
}

static void compare_part(struct comparison_record *record, const struct part_rows *part,
                         const json_t *old_snapshot, const json_t *new_snapshot,
                         struct memory *memory)
{
    json_t *before = by_key(part, difference_rows(part, old_snapshot, new_snapshot)),
           *after = by_key(part, difference_rows(part, new_snapshot, old_snapshot)), *row;
    const char *key;

    json_object_foreach(before, key, row)
    {
        struct row_pair pair = {.old_row = row,
                                .new_row = json_object_get(after, key),
                                .memory = memory,
                                .machine = &record->machine};
        if (pair.new_row == NULL)
            pair.change = change_of_one(part, new_snapshot, false);
        else
            judge(part, &pair);
        add_row(record, part, key, &pair);
    }
    json_object_foreach(after, key, row)
    {
        struct row_pair pair = {
            .new_row = row, .change = change_of_one(part, old_snapshot, true), .memory = memory};
        if (json_object_get(before, key) != NULL)
            continue;
        if (part->judge_new != NULL)
            part->judge_new(&pair);
        add_row(record, part, key, &pair);
    }
    json_decref(before);
    json_decref(after);
}

struct comparison_record difference_record(const char *old_path, const json_t *old_snapshot,
                                           const char *new_path, const json_t *new_snapshot,
                                           struct memory *memory)
{
    struct comparison_record record = {
        .before = old_path,
        .after = new_path,
        .has_old_complete = true,
        .old_complete = is_complete(old_snapshot),
        .has_new_complete = true,
        .new_complete = is_complete(new_snapshot),
        .environment = compare_environments(old_snapshot, new_snapshot, memory),
    };
    const struct part_rows *rows;

    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        if ((*wing)->machine != NULL)
            record.machine = (*wing)->machine(old_snapshot, new_snapshot, memory);
    for (size_t k = 0; (rows = part_rows_at(k)) != NULL; k++)
        compare_part(&record, rows, old_snapshot, new_snapshot, memory);
    return record;
}

json_t *difference_report(const char *old_path, const json_t *old_snapshot, const char *new_path,
                          const json_t *new_snapshot)
{
    struct memory memory = {NULL};
    struct comparison_record record =
        difference_record(old_path, old_snapshot, new_path, new_snapshot, &memory);
    json_t *report = model_json(&comparison_table, &record);

    memory_free(&memory);
    return report;
}
