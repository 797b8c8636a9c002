/* SPDX-License-Identifier: MIT
 *
 * The parts of snapshots as rows, and what makes a row better or worse. The field tables define
 * most of it. This file has the rest.
 */
#include "difference.h"
#include "engines.h"
#include "members.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Members ---- */

/* Notes a difference that is neither better nor worse. */
static void note_changed(struct row_pair *pair, const char *shown, const json_t *before,
                         const json_t *after)
{
    if (before != NULL && after != NULL && !json_equal(before, after))
        pair_note(pair, CHANGE_CHANGED, "%s %s -> %s", shown, memory_json(pair->memory, before),
                  memory_json(pair->memory, after));
}

/* Notes a difference between numbers. The two changes apply to a larger and to a smaller new
 * number. */
static void note_number(struct row_pair *pair, const char *shown, double before, double after,
                        enum change when_more, enum change when_less)
{
    if (after > before)
        pair_note(pair, when_more, "%s %.15g -> %.15g", shown, before, after);
    else if (after < before)
        pair_note(pair, when_less, "%s %.15g -> %.15g", shown, before, after);
}

/* Compares a number, or the length of a list. Any other difference is a change. */
static void note_more(struct row_pair *pair, const struct field *field, const char *shown,
                      const json_t *before, const json_t *after)
{
    bool less_is_worse = field->compare == COMPARE_LESS_IS_WORSE;
    enum change when_more = less_is_worse ? CHANGE_CHANGED : CHANGE_REGRESSION,
                when_less = less_is_worse ? CHANGE_REGRESSION : CHANGE_FIX;

    if (field->type == FIELD_LIST)
        note_number(pair, shown, (double)json_array_size(before), (double)json_array_size(after),
                    when_more, when_less);
    else if (json_is_number(before) && json_is_number(after))
        note_number(pair, shown, json_number_value(before), json_number_value(after), when_more,
                    when_less);
    else
        note_changed(pair, shown, before, after);
}

static void note_lack(struct row_pair *pair, const json_t *before, const json_t *after)
{
    const char *old_reason = json_is_string(before) ? json_string_value(before) : "",
               *new_reason = json_is_string(after) ? json_string_value(after) : "";

    if (old_reason[0] == '\0' && new_reason[0] != '\0')
        pair_note(pair, CHANGE_REGRESSION, "now skipped: %s", new_reason);
    else if (old_reason[0] != '\0' && new_reason[0] == '\0')
        pair_note(pair, CHANGE_FIX, "no longer skipped");
}

static void note_claim(struct row_pair *pair, const char *shown, const json_t *before,
                       const json_t *after)
{
    if (json_is_true(before) && !json_is_true(after))
        pair_note(pair, CHANGE_REGRESSION, "no longer %s", shown);
    else if (!json_is_true(before) && json_is_true(after))
        pair_note(pair, CHANGE_FIX, "%s now", shown);
}

static void compare_members(struct row_pair *pair, const struct table *table, const json_t *old_row,
                            const json_t *new_row);

static void compare_member(struct row_pair *pair, const struct field *field, const json_t *old_row,
                           const json_t *new_row)
{
    bool flat = field->type == FIELD_MEMBERS;
    const json_t *before = flat ? old_row : model_member(field, old_row),
                 *after = flat ? new_row : model_member(field, new_row);
    const char *shown = field->shown != NULL ? field->shown : field->name;

    switch (field->compare) {
    case COMPARE_NOTHING:
        if (field->table != NULL && json_is_object(before) && json_is_object(after))
            compare_members(pair, field->table, before, after);
        break;
    case COMPARE_KEY:
        break;
    case COMPARE_CHANGED:
        note_changed(pair, shown, before, after);
        break;
    case COMPARE_MORE_IS_WORSE:
    case COMPARE_LESS_IS_WORSE:
        note_more(pair, field, shown, before, after);
        break;
    case COMPARE_LACK:
        note_lack(pair, before, after);
        break;
    case COMPARE_CLAIM:
        note_claim(pair, shown, before, after);
        break;
    }
}

static void compare_members(struct row_pair *pair, const struct table *table, const json_t *old_row,
                            const json_t *new_row)
{
    for (size_t k = 0; k < table->count; k++)
        if (pair->is_steady || !(table->fields[k].flags & FIELD_STEADY_ONLY))
            compare_member(pair, &table->fields[k], old_row, new_row);
}

void difference_members(struct row_pair *pair, const struct table *table)
{
    compare_members(pair, table, pair->old_row, pair->new_row);
}

/* ---- Verdicts ---- */

/* Reads both rows as records. Missing or wrong members become zero. */
#define READ_BOTH(pair, table, before, after)                                                      \
    (model_read(&(table), (pair)->old_row, (before), (pair)->memory, NULL, 0),                     \
     model_read(&(table), (pair)->new_row, (after), (pair)->memory, NULL, 0))

/* Compares two verdicts by their ranks. An unknown word counts as a failure. */
static void note_verdict(struct row_pair *pair, const struct field *verdict, int (*rank)(int))
{
    const char *before = text_in(pair->old_row, verdict->name),
               *after = text_in(pair->new_row, verdict->name);
    int old_rank = rank((int)words_value(verdict->words, before)),
        new_rank = rank((int)words_value(verdict->words, after));
    enum change change = new_rank > old_rank   ? CHANGE_REGRESSION
                         : new_rank < old_rank ? CHANGE_FIX
                                               : CHANGE_CHANGED;

    if (strcmp(before, after) == 0)
        return;
    if (old_rank == RANK_UNAVAILABLE && new_rank < RANK_UNAVAILABLE)
        change = CHANGE_NEW;
    if (new_rank == RANK_UNAVAILABLE && old_rank < RANK_UNAVAILABLE)
        change = CHANGE_MISSING;
    if (new_rank == RANK_UNAVAILABLE && old_rank > RANK_UNAVAILABLE)
        change = CHANGE_CHANGED;
    pair_note(pair, change, "verdict %s -> %s", before, after);
}

/* Notes that a failure became a known deviation, or stopped being one. */
static void note_known(struct row_pair *pair, const struct known_deviation *before,
                       const struct known_deviation *after, bool fails)
{
    if (before == NULL && after != NULL)
        pair_note(pair, CHANGE_CHANGED, "known deviation now: %s", after->link);
    else if (before != NULL && after == NULL && fails)
        pair_note(pair, CHANGE_REGRESSION, "no longer a known deviation: %s", before->link);
}

/* ---- run ---- */

static int run_rank(int verdict)
{
    return verdict_rank((enum verdict)verdict);
}

/* Returns whether `a` has a condition that `b` lacks. */
static bool asks_more(const struct run_row *a, const struct run_row *b)
{
    const struct boundary_record *ours = a->boundaries.items, *theirs = b->boundaries.items;

    for (size_t k = 0; k < a->boundaries.count; k++) {
        size_t other = 0;
        while (other < b->boundaries.count &&
               strcmp(theirs[other].condition, ours[k].condition) != 0)
            other++;
        if (other == b->boundaries.count)
            return true;
    }
    return false;
}

static void note_domain(struct row_pair *pair, const struct run_row *before,
                        const struct run_row *after)
{
    bool narrower = asks_more(after, before), wider = asks_more(before, after);

    if (strcmp(before->domain, after->domain) == 0)
        return;
    pair_note(pair,
              narrower && !wider   ? CHANGE_REGRESSION
              : wider && !narrower ? CHANGE_FIX
                                   : CHANGE_CHANGED,
              "domain \"%s\" -> \"%s\"", before->domain, after->domain);
}

/* Returns whether chance decides if the row's declared known defect shows, as on a GPU. */
static bool is_luck(const struct row_pair *pair, const struct run_row *row)
{
    return !pair->is_steady && row->known_defect != NULL &&
           (row->verdict == VERDICT_CONFORMS_IN_DOMAIN || row->verdict == VERDICT_KNOWN_DEFECT);
}

static void judge_run(struct row_pair *pair)
{
    struct run_row before, after;

    READ_BOTH(pair, run_row_table, &before, &after);
    if (!is_luck(pair, &before) || !is_luck(pair, &after))
        note_verdict(pair, MEMBER_OF(run_row_table, struct run_row, verdict), run_rank);
    note_domain(pair, &before, &after);
    note_known(pair, before.known_deviation, after.known_deviation,
               verdict_rank(after.verdict) >= RANK_FAILS);
}

/* ---- races ---- */

static int race_rank(int verdict)
{
    return race_verdict_rank((enum race_verdict)verdict);
}

static void describe_side(const struct race_side *side, char *text, size_t size)
{
    const char *file = strrchr(side->file, '/');

    snprintf(text, size, "%s %s:%d", race_access_word(side), file != NULL ? file + 1 : side->file,
             side->line);
}

/* Describes where accesses race: the location, and the lines and kinds of both accesses. */
static void describe_place(const struct race *race, char *text, size_t size)
{
    char first[SOURCE_LINE + 16], second[SOURCE_LINE + 16];

    describe_side(&race->first, first, sizeof first);
    describe_side(&race->second, second, sizeof second);
    snprintf(text, size, "%s, %s", first, second);
}

/* Returns whether one of the first `count` pairs has that description. */
static bool has_place(const struct list *pairs, size_t count, const char *place)
{
    char text[2 * SOURCE_LINE + 48];

    for (size_t k = 0; k < count; k++) {
        describe_place((const struct race *)pairs->items + k, text, sizeof text);
        if (strcmp(text, place) == 0)
            return true;
    }
    return false;
}

/* Notes each place once that is not among the others. */
static void note_places(struct row_pair *pair, const struct list *pairs, const struct list *others,
                        const char *lead)
{
    char place[2 * SOURCE_LINE + 48];

    for (size_t k = 0; k < pairs->count; k++) {
        describe_place((const struct race *)pairs->items + k, place, sizeof place);
        if (!has_place(pairs, k, place) && !has_place(others, others->count, place))
            pair_note(pair, CHANGE_CHANGED, "%s: %s", lead, place);
    }
}

static void note_wrong_by_schedule(struct row_pair *pair, const struct race_record *before,
                                   const struct race_record *after)
{
    if (!before->wrong && after->wrong)
        pair_note(pair, CHANGE_REGRESSION, "a schedule makes the result wrong: %s",
                  after->outcome != NULL ? after->outcome : "");
    else if (before->wrong && !after->wrong)
        pair_note(pair, CHANGE_FIX, "no tested schedule makes the result wrong");
}

static void judge_races(struct row_pair *pair)
{
    struct race_record before, after;

    READ_BOTH(pair, race_record_table, &before, &after);
    note_verdict(pair, MEMBER_OF(race_record_table, struct race_record, verdict), race_rank);
    note_wrong_by_schedule(pair, &before, &after);
    note_places(pair, &after.pairs, &before.pairs, "new pair");
    note_places(pair, &before.pairs, &after.pairs, "pair gone");
    note_known(pair, before.known_deviation, after.known_deviation, !after.as_expected);
}

/* ---- Versions ---- */

/* Replaces the version numbers in a name: "ptxas 13.0.88 -O3" becomes "ptxas * -O3". */
static void without_version(const char *name, char *text, size_t size)
{
    size_t used = 0;

    while (*name != '\0' && used + 2 < size) {
        bool starts = isdigit((unsigned char)*name) && (used == 0 || text[used - 1] == ' ');
        text[used++] = starts ? '*' : *name;
        name += starts ? strspn(name, "0123456789.") : 1;
    }
    text[used] = '\0';
}

/* Returns how many names in an array of rows match the pattern without versions. */
static size_t names_like(const json_t *rows, const struct field *member, const char *pattern)
{
    char text[256];
    json_t *row, *seen = json_object();
    size_t r, count;

    json_array_foreach(rows, r, row)
    {
        without_version(text_in(row, member->name), text, sizeof text);
        if (strcmp(text, pattern) == 0)
            json_object_set_new(seen, text_in(row, member->name), json_true());
    }
    count = json_object_size(seen);
    json_decref(seen);
    return count;
}

/* Returns copies of rows. If each snapshot has only one compiler of a kind, the two are compared
 * regardless of version. */
static json_t *named_rows(const json_t *rows, const json_t *other_rows, const struct field *member)
{
    json_t *named = json_array(), *row;
    char text[256];
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_t *copy = json_copy(row);
        without_version(text_in(row, member->name), text, sizeof text);
        if (names_like(rows, member, text) <= 1 && names_like(other_rows, member, text) <= 1)
            json_object_set_new(copy, member->name, json_string(text));
        json_array_append_new(named, copy);
    }
    return named;
}

/* ---- Rows ---- */

/* Returns the JSON value of the part's member, or of the member within it. */
static json_t *value_of(const struct part_rows *part, const json_t *snapshot)
{
    json_t *value = json_object_get(snapshot, part->member);

    if (part->inner != NULL)
        value = model_member(table_field(part->inner, part->inner_offset), value);
    return value;
}

/* Returns the rows of an object of arrays by engine, each with its engine. */
static json_t *rows_by_engine(const struct part_rows *part, json_t *by_engine)
{
    json_t *all = json_array(), *rows, *row;
    const char *engine;
    size_t r;

    json_object_foreach(by_engine, engine, rows)
    {
        json_array_foreach(rows, r, row)
        {
            json_t *copy = json_copy(row);
            for (size_t k = 0; k < part->table->count; k++)
                if (part->table->fields[k].flags & FIELD_FROM_PLACE)
                    json_object_set_new(copy, part->table->fields[k].name, json_string(engine));
            json_array_append_new(all, copy);
        }
    }
    return all;
}

json_t *difference_rows(const struct part_rows *part, const json_t *snapshot, const json_t *other)
{
    json_t *value = value_of(part, snapshot);

    if (part->only != NULL)
        return json_is_object(value) ? json_pack("[O]", value) : json_array();
    if (part->has_version)
        return named_rows(value, value_of(part, other),
                          table_field(part->table, part->version_offset));
    if (part->inner == NULL && json_is_object(value))
        return rows_by_engine(part, value);
    return json_is_array(value) ? json_incref(value) : json_array();
}

const struct part_rows rows_of_run[] = {
    {"run", "run", WITHIN(run_table, struct run_record, results), .table = &run_row_table,
     .judge = judge_run},
    {.name = NULL},
};

const struct part_rows rows_of_races[] = {
    {"races", "races", .table = &race_record_table, .judge = judge_races},
    {.name = NULL},
};

const struct part_rows rows_of_counters[] = {
    {"counters", "counters", .table = &counter_table},
    {.name = NULL},
};

const struct part_rows rows_of_code[] = {
    {"code", "code", WITHIN(code_table, struct code_record, kernels), .table = &kernel_record_table,
     OF_VERSION(struct kernel_record, ptxas)},
    {"refused", "code", WITHIN(code_table, struct code_record, failures), .table = &failure_table,
     OF_VERSION(struct failure_record, ptxas), .is_wrong = true},
    {.name = NULL},
};

const struct part_rows rows_of_limits[] = {
    {"limits", "limits", .table = &limits_table, .only = "all cases"},
    {"limits", "limits", WITHIN(limits_table, struct snapshot_record, limits),
     .table = &limit_table},
    {.name = NULL},
};
