/* SPDX-License-Identifier: MIT */
#include "difference_rates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

const char *change_name(enum change change)
{
    static const char *const names[] = {
        [CHANGE_SAME] = "SAME", [CHANGE_CHANGED] = "CHANGED", [CHANGE_NEW] = "NEW",
        [CHANGE_FIX] = "FIX",   [CHANGE_MISSING] = "MISSING", [CHANGE_REGRESSION] = "REGRESSION",
    };
    _Static_assert(sizeof names / sizeof *names == CHANGES, "a name for each");
    return names[change];
}

void pair_note(struct row_pair *pair, enum change change, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(pair->details, json_string(text));
    if (change > pair->change)
        pair->change = change;
}

bool difference_fits(const json_t *document, char *why, size_t size)
{
    const json_t *version = json_object_get(document, "simtcheck_snapshot");

    if (!json_is_integer(version) || !json_is_object(json_object_get(document, "environment"))) {
        snprintf(why, size, "it is no snapshot: 'simtcheck snapshot --out FILE' writes one");
        return false;
    }
    if (json_integer_value(version) == VERSION)
        return true;
    snprintf(why, size, "its version is %" JSON_INTEGER_FORMAT ", and this program knows %d",
             json_integer_value(version), VERSION);
    return false;
}

/* ---- Environment ---- */

static json_t *fact_json(const char *key, json_t *old_fact, json_t *new_fact)
{
    return json_pack("{s:s, s:O, s:O}", "key", key, "old", old_fact, "new", new_fact);
}

/* Facts that differ, and those of one side alone. Objects within are looked into: "engines.host".
 */
static void add_facts(json_t *facts, const char *prefix, json_t *old_facts, json_t *new_facts)
{
    json_t *both = json_copy(old_facts), *value;
    const char *name;
    char key[256];

    json_object_update_missing(both, new_facts);
    json_object_foreach(both, name, value)
    {
        json_t *before = json_object_get(old_facts, name),
               *after = json_object_get(new_facts, name);
        if (strcmp(name, "readings") == 0 || strcmp(name, "reasons") == 0 ||
            (before != NULL && after != NULL && json_equal(before, after)))
            continue;
        snprintf(key, sizeof key, "%s%s", prefix, name);
        if (json_is_object(before) && json_is_object(after)) {
            snprintf(key, sizeof key, "%s%s.", prefix, name);
            add_facts(facts, key, before, after);
        } else {
            json_t *none = json_null();
            json_array_append_new(facts, fact_json(key, before != NULL ? before : none,
                                                   after != NULL ? after : none));
        }
    }
    json_decref(both);
}

/* An array of objects "key", "old", "new". */
static json_t *compare_environments(const json_t *old_snapshot, const json_t *new_snapshot)
{
    json_t *facts = json_array();
    json_t *old_options = json_object_get(old_snapshot, "options"),
           *new_options = json_object_get(new_snapshot, "options");

    add_facts(facts, "", json_object_get(old_snapshot, "environment"),
              json_object_get(new_snapshot, "environment"));
    if (old_options != NULL && new_options != NULL && !json_equal(old_options, new_options))
        json_array_append_new(facts, fact_json("options", old_options, new_options));
    return facts;
}

/* ---- Rows ---- */

/* "reduceNeighbored printed host". */
static void key_of(const struct part_rows *part, const json_t *row, char *key, size_t size)
{
    size_t used = 0;

    key[0] = '\0';
    for (size_t k = 0; k < sizeof part->keys / sizeof *part->keys && part->keys[k] != NULL; k++) {
        const char *word = json_string_value(json_object_get(row, part->keys[k]));
        if (used < size)
            used += (size_t)snprintf(key + used, size - used, "%s%s", k > 0 ? " " : "",
                                     word != NULL ? word : "?");
    }
}

/* Rows by their keys; a second row of a key gets a number behind it. Takes the array over. */
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

static void add_row(json_t *entries, size_t counts[CHANGES], const struct part_rows *part,
                    const char *key, struct row_pair *pair)
{
    counts[pair->change]++;
    json_array_append_new(entries,
                          json_pack("{s:s, s:s, s:s, s:o}", "change", change_name(pair->change),
                                    "part", part->name, "row", key, "details", pair->details));
}

static bool is_complete(const json_t *snapshot)
{
    return json_is_true(json_object_get(snapshot, "complete"));
}

/* Has the snapshot all rows of the part? */
static bool has_all(const struct part_rows *part, const json_t *snapshot)
{
    const json_t *member = json_object_get(snapshot, part->member);
    return member != NULL && !json_is_null(member) && is_complete(snapshot);
}

/* What a row of one snapshot alone is, where the other has been looked into for it. */
static enum change change_of_one(const struct part_rows *part, const json_t *other, bool is_new)
{
    if (part->is_wrong && has_all(part, other))
        return is_new ? CHANGE_REGRESSION : CHANGE_FIX;
    return is_new ? CHANGE_NEW : CHANGE_MISSING;
}

static void compare_part(const struct part_rows *part, const json_t *old_snapshot,
                         const json_t *new_snapshot, json_t *entries, size_t counts[CHANGES])
{
    json_t *before = by_key(part, part->rows(old_snapshot, new_snapshot)),
           *after = by_key(part, part->rows(new_snapshot, old_snapshot)), *row;
    const char *key;

    json_object_foreach(before, key, row)
    {
        struct row_pair pair = {row, json_object_get(after, key), CHANGE_SAME, json_array()};
        if (pair.new_row == NULL)
            pair.change = change_of_one(part, new_snapshot, false);
        else
            part->judge(&pair);
        add_row(entries, counts, part, key, &pair);
    }
    json_object_foreach(after, key, row)
    {
        struct row_pair pair = {NULL, row, change_of_one(part, old_snapshot, true), json_array()};
        if (json_object_get(before, key) == NULL)
            add_row(entries, counts, part, key, &pair);
        else
            json_decref(pair.details);
    }
    json_decref(before);
    json_decref(after);
}

/* An array of objects "change", "part", "row", "details"; counts[] by change. */
static json_t *compare_rows(const json_t *old_snapshot, const json_t *new_snapshot,
                            size_t counts[CHANGES])
{
    json_t *entries = json_array();

    memset(counts, 0, CHANGES * sizeof *counts);
    for (const struct part_rows *part = part_rows; part->name != NULL; part++)
        compare_part(part, old_snapshot, new_snapshot, entries, counts);
    return entries;
}

static json_t *counts_json(const size_t counts[CHANGES])
{
    json_t *object = json_object();

    for (int change = CHANGES - 1; change >= 0; change--)
        json_object_set_new(object, change_name((enum change)change),
                            json_integer((json_int_t)counts[change]));
    return object;
}

json_t *difference_report(const char *old_path, const json_t *old_snapshot, const char *new_path,
                          const json_t *new_snapshot)
{
    size_t counts[CHANGES];
    json_t *environment = compare_environments(old_snapshot, new_snapshot),
           *rows = compare_rows(old_snapshot, new_snapshot, counts);

    return json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o}", "old", old_path, "new", new_path,
                     "old_complete", is_complete(old_snapshot), "new_complete",
                     is_complete(new_snapshot), "environment", environment, "machine",
                     rates_machine(old_snapshot, new_snapshot), "counts", counts_json(counts),
                     "rows", rows);
}
