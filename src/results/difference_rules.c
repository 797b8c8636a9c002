/* SPDX-License-Identifier: MIT
 *
 * What makes a row of a snapshot better or worse than it was: one rule for each part.
 */
#include "difference_rates.h"
#include "engines.h"
#include "members.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members of rows ---- */

/* A member that is neither better nor worse. */
static void note_member(struct row_pair *pair, const char *name, const char *shown)
{
    json_t *before = json_object_get(pair->old_row, name),
           *after = json_object_get(pair->new_row, name);
    char *one, *other;

    if (before == NULL || after == NULL || json_equal(before, after))
        return;
    one = json_dumps(before, JSON_ENCODE_ANY | JSON_COMPACT);
    other = json_dumps(after, JSON_ENCODE_ANY | JSON_COMPACT);
    pair_note(pair, CHANGE_CHANGED, "%s %s -> %s", shown, one != NULL ? one : "",
              other != NULL ? other : "");
    free(one);
    free(other);
}

/* A number of which more is worse, or less is. */
static void note_number(struct row_pair *pair, const char *name, const char *shown,
                        enum change when_more, enum change when_less)
{
    json_t *before_value = json_object_get(pair->old_row, name),
           *after_value = json_object_get(pair->new_row, name);
    double before = json_number_value(before_value), after = json_number_value(after_value);

    if (!json_is_number(before_value) || !json_is_number(after_value)) {
        note_member(pair, name, shown);
        return;
    }
    if (after > before)
        pair_note(pair, when_more, "%s %.15g -> %.15g", shown, before, after);
    else if (after < before)
        pair_note(pair, when_less, "%s %.15g -> %.15g", shown, before, after);
}

json_t *rows_by_engine(json_t *part)
{
    json_t *all = json_array(), *rows, *row;
    const char *engine;
    size_t r;

    json_object_foreach(part, engine, rows)
    {
        json_array_foreach(rows, r, row)
        {
            json_t *copy = json_copy(row);
            json_object_set_new(copy, "engine", json_string(engine));
            json_array_append_new(all, copy);
        }
    }
    return all;
}

static json_t *array_of(json_t *rows)
{
    return json_is_array(rows) ? json_incref(rows) : json_array();
}

bool is_steady(const json_t *row)
{
    const struct engine_kind *engine = engine_kind_find(text_in(row, "engine"));
    return engine != NULL && engine->simulates;
}

/* ---- Verdicts ---- */

/* A verdict, and how bad it is. */
struct rank {
    const char *word;
    int rank;
};

enum { FAILS = 10, NOT_THERE = 9 };

static int rank_of(const struct rank *ranks, const char *word)
{
    while (ranks->word != NULL && strcmp(ranks->word, word) != 0)
        ranks++;
    return ranks->rank;
}

static void note_verdict(struct row_pair *pair, const struct rank *ranks)
{
    const char *before = text_in(pair->old_row, "verdict"),
               *after = text_in(pair->new_row, "verdict");
    int old_rank = rank_of(ranks, before), new_rank = rank_of(ranks, after);
    enum change change = new_rank > old_rank   ? CHANGE_REGRESSION
                         : new_rank < old_rank ? CHANGE_FIX
                                               : CHANGE_CHANGED;

    if (strcmp(before, after) == 0)
        return;
    if (old_rank == NOT_THERE && new_rank < NOT_THERE)
        change = CHANGE_NEW;
    if (new_rank == NOT_THERE && old_rank < NOT_THERE)
        change = CHANGE_MISSING;
    if (new_rank == NOT_THERE && old_rank > NOT_THERE)
        change = CHANGE_CHANGED;
    pair_note(pair, change, "verdict %s -> %s", before, after);
}

/* ---- run ---- */

static json_t *run_rows(const json_t *snapshot, const json_t *other)
{
    (void)other;
    return array_of(json_object_get(json_object_get(snapshot, "run"), "results"));
}

static bool has_condition(const json_t *row, const char *condition)
{
    json_t *boundary;
    size_t k;

    json_array_foreach(json_object_get(row, "boundaries"), k, boundary)
    {
        if (strcmp(text_in(boundary, "condition"), condition) == 0)
            return true;
    }
    return false;
}

/* Has `a` a condition that `b` has not? */
static bool asks_more(const json_t *a, const json_t *b)
{
    json_t *boundary;
    size_t k;

    json_array_foreach(json_object_get(a, "boundaries"), k, boundary)
    {
        if (!has_condition(b, text_in(boundary, "condition")))
            return true;
    }
    return false;
}

static void note_domain(struct row_pair *pair)
{
    bool narrower = asks_more(pair->new_row, pair->old_row),
         wider = asks_more(pair->old_row, pair->new_row);
    const char *before = text_in(pair->old_row, "domain"),
               *after = text_in(pair->new_row, "domain");

    if (strcmp(before, after) == 0)
        return;
    pair_note(pair,
              narrower && !wider   ? CHANGE_REGRESSION
              : wider && !narrower ? CHANGE_FIX
                                   : CHANGE_CHANGED,
              "domain \"%s\" -> \"%s\"", before, after);
}

static void judge_run(struct row_pair *pair)
{
    static const struct rank steady[] = {
        {"conforms", 0},     {"conforms-in-domain", 1}, {"finding", 2}, {"unavailable", NOT_THERE},
        {"mismatch", FAILS}, {"fault", FAILS},          {NULL, FAILS}};
    static const struct rank by_luck[] = {
        {"conforms", 0},     {"conforms-in-domain", 1}, {"finding", 1}, {"unavailable", NOT_THERE},
        {"mismatch", FAILS}, {"fault", FAILS},          {NULL, FAILS}};
    bool both_claim = json_is_string(json_object_get(pair->old_row, "finding")) &&
                      json_is_string(json_object_get(pair->new_row, "finding"));
    const char *before = text_in(pair->old_row, "verdict"),
               *after = text_in(pair->new_row, "verdict");
    bool luck = !is_steady(pair->new_row) && both_claim && rank_of(by_luck, before) == 1 &&
                rank_of(by_luck, after) == 1;

    if (!luck)
        note_verdict(pair, steady);
    note_domain(pair);
    note_member(pair, "cases", "cases");
    note_member(pair, "inside", "cases inside the domain");
    note_member(pair, "finding", "claimed finding");
    if (!is_steady(pair->new_row))
        return;
    note_number(pair, "mismatches", "wrong cases", CHANGE_REGRESSION, CHANGE_FIX);
    note_number(pair, "found", "wrong cases by the finding", CHANGE_REGRESSION, CHANGE_FIX);
}

/* ---- races ---- */

static json_t *race_rows(const json_t *snapshot, const json_t *other)
{
    (void)other;
    return rows_by_engine(json_object_get(snapshot, "races"));
}

static void describe_side(const json_t *side, char *text, size_t size)
{
    const char *file = strrchr(text_in(side, "file"), '/');

    snprintf(text, size, "%s %s:%d", text_in(side, "access"),
             file != NULL ? file + 1 : text_in(side, "file"), (int)number_in(side, "line"));
}

/* Where accesses race: place, lines and kinds of both. */
static json_t *places_of(const json_t *row)
{
    json_t *places = json_object(), *pair;
    size_t p;

    json_array_foreach(json_object_get(row, "pairs"), p, pair)
    {
        char first[160], second[160], place[512];
        describe_side(json_object_get(pair, "first"), first, sizeof first);
        describe_side(json_object_get(pair, "second"), second, sizeof second);
        snprintf(place, sizeof place, "%s, %s", first, second);
        json_object_set_new(places, place, json_true());
    }
    return places;
}

/* Of those of `places` that are not among the others. */
static void note_places(struct row_pair *pair, json_t *places, const json_t *others,
                        enum change change, const char *lead)
{
    const char *place;
    json_t *value;

    json_object_foreach(places, place, value)
    {
        if (json_object_get(others, place) == NULL)
            pair_note(pair, change, "%s: %s", lead, place);
    }
}

static void note_claim(struct row_pair *pair)
{
    bool before = json_is_true(json_object_get(pair->old_row, "as_claimed")),
         after = json_is_true(json_object_get(pair->new_row, "as_claimed"));

    if (before && !after)
        pair_note(pair, CHANGE_REGRESSION, "no longer as its descriptor claims");
    else if (!before && after)
        pair_note(pair, CHANGE_FIX, "as its descriptor claims now");
}

static void note_wrong_by_schedule(struct row_pair *pair)
{
    const json_t *old_search = json_object_get(pair->old_row, "search"),
                 *new_search = json_object_get(pair->new_row, "search");
    bool before = json_is_true(json_object_get(old_search, "wrong")),
         after = json_is_true(json_object_get(new_search, "wrong"));

    if (!before && after)
        pair_note(pair, CHANGE_REGRESSION, "a schedule makes the result wrong: %s",
                  text_in(new_search, "outcome"));
    else if (before && !after)
        pair_note(pair, CHANGE_FIX, "no schedule that was tried makes the result wrong");
}

static void judge_races(struct row_pair *pair)
{
    static const struct rank ranks[] = {{"race-free", 0}, {"order-dependent", 1},
                                        {"race", 2},      {"unavailable", NOT_THERE},
                                        {"fault", FAILS}, {NULL, FAILS}};
    json_t *before = places_of(pair->old_row), *after = places_of(pair->new_row);

    note_verdict(pair, ranks);
    note_claim(pair);
    note_wrong_by_schedule(pair);
    note_number(pair, "unclaimed", "cases with a race that is not claimed", CHANGE_REGRESSION,
                CHANGE_FIX);
    note_number(pair, "faults", "cases that end in a fault", CHANGE_REGRESSION, CHANGE_FIX);
    note_member(pair, "cases", "cases");
    note_member(pair, "racing", "cases that race");
    note_places(pair, after, before, CHANGE_CHANGED, "other pair now");
    note_places(pair, before, after, CHANGE_CHANGED, "pair no more");
    json_decref(before);
    json_decref(after);
}

/* ---- counters and limits ---- */

static json_t *counter_rows(const json_t *snapshot, const json_t *other)
{
    (void)other;
    return rows_by_engine(json_object_get(snapshot, "counters"));
}

static void judge_counters(struct row_pair *pair)
{
    const char *name;
    json_t *value;

    json_object_foreach(pair->old_row, name, value)
    {
        note_member(pair, name, name);
    }
}

static json_t *limit_rows(const json_t *snapshot, const json_t *other)
{
    json_t *limits = json_object_get(snapshot, "limits"), *rows;
    (void)other;

    if (!json_is_object(limits))
        return json_array();
    rows = json_copy(json_object_get(limits, "rows"));
    json_array_insert_new(rows, 0,
                          json_pack("{s:s, s:s, s:s, s:O}", "id", "every", "form", "case", "engine",
                                    "-", "deadline_seconds",
                                    json_object_get(limits, "deadline_seconds")));
    return rows;
}

static void judge_limits(struct row_pair *pair)
{
    static const char *const names[][2] = {{"deadline_seconds", "deadline in seconds"},
                                           {"largest_block", "largest block"},
                                           {"largest_grid", "largest grid"},
                                           {"largest_size", "largest size"},
                                           {"blocks", "blocks tried"}};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        note_number(pair, names[k][0], names[k][1], CHANGE_CHANGED, CHANGE_REGRESSION);
    note_member(pair, "all_blocks", "blocks that there are");
}

/* ---- Versions ---- */

/* A name with its numbers of version left out: "ptxas * -O3" of "ptxas 13.0.88 -O3". */
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

/* How many names there are that are alike but for the version, in an array of rows. */
static size_t names_like(const json_t *rows, const char *member, const char *pattern)
{
    char text[256];
    json_t *row, *seen = json_object();
    size_t r, count;

    json_array_foreach(rows, r, row)
    {
        without_version(text_in(row, member), text, sizeof text);
        if (strcmp(text, pattern) == 0)
            json_object_set_new(seen, text_in(row, member), json_true());
    }
    count = json_object_size(seen);
    json_decref(seen);
    return count;
}

/* Where each snapshot has but one compiler of a kind, they are compared whatever their versions. */
static void name_row(json_t *row, const char *member, const json_t *rows, const json_t *other_rows)
{
    char text[256];

    without_version(text_in(row, member), text, sizeof text);
    if (names_like(rows, member, text) <= 1 && names_like(other_rows, member, text) <= 1)
        json_object_set_new(row, member, json_string(text));
}

/* Copies of rows, so named. */
static json_t *named_rows(const json_t *rows, const json_t *other_rows, const char *member)
{
    json_t *named = json_array(), *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        json_t *copy = json_copy(row);
        name_row(copy, member, rows, other_rows);
        json_array_append_new(named, copy);
    }
    return named;
}

/* ---- code ---- */

static json_t *code_rows(const json_t *snapshot, const json_t *other)
{
    return named_rows(json_object_get(json_object_get(snapshot, "code"), "kernels"),
                      json_object_get(json_object_get(other, "code"), "kernels"), "ptxas");
}

/* More spills cost; more registers, or other code, need not. */
static void judge_code(struct row_pair *pair)
{
    note_number(pair, "spill_store_bytes", "bytes of spill stores", CHANGE_REGRESSION, CHANGE_FIX);
    note_number(pair, "spill_load_bytes", "bytes of spill loads", CHANGE_REGRESSION, CHANGE_FIX);
    note_member(pair, "registers", "registers");
    note_member(pair, "stack_bytes", "bytes of stack");
    note_member(pair, "shared_bytes", "bytes of shared memory");
    note_member(pair, "constant_bytes", "bytes of constants");
    note_member(pair, "code_bytes", "bytes of code");
    note_member(pair, "digest", "code");
}

/* Modules that a ptxas refuses. */
static json_t *refusal_rows(const json_t *snapshot, const json_t *other)
{
    return named_rows(json_object_get(json_object_get(snapshot, "code"), "failures"),
                      json_object_get(json_object_get(other, "code"), "failures"), "ptxas");
}

static void judge_nothing(struct row_pair *pair)
{
    (void)pair;
}

/* ---- toolchain ---- */

static json_t *toolchain_of(const json_t *snapshot, const char *name)
{
    return json_object_get(json_object_get(snapshot, "toolchain"), name);
}

static json_t *stage_rows(const json_t *snapshot, const json_t *other)
{
    return named_rows(toolchain_of(snapshot, "stages"), toolchain_of(other, "stages"), "stage");
}

/* How long a list is of what is wrong. */
static void note_length(struct row_pair *pair, const char *name, const char *shown)
{
    size_t before = json_array_size(json_object_get(pair->old_row, name)),
           after = json_array_size(json_object_get(pair->new_row, name));

    if (after != before)
        pair_note(pair, after > before ? CHANGE_REGRESSION : CHANGE_FIX, "%s %zu -> %zu", shown,
                  before, after);
}

static void judge_stage(struct row_pair *pair)
{
    const char *before = text_in(pair->old_row, "unavailable"),
               *after = text_in(pair->new_row, "unavailable");

    note_number(pair, "wrong", "wrong programs", CHANGE_REGRESSION, CHANGE_FIX);
    note_length(pair, "kernels_wrong", "wrong kernels of the catalogue");
    note_member(pair, "programs", "programs");
    if (before[0] == '\0' && after[0] != '\0')
        pair_note(pair, CHANGE_REGRESSION, "takes part no longer: %s", after);
    else if (before[0] != '\0' && after[0] == '\0')
        pair_note(pair, CHANGE_FIX, "takes part again");
}

static json_t *family_rows(const json_t *snapshot, const json_t *other)
{
    (void)other;
    return array_of(toolchain_of(snapshot, "families"));
}

static void judge_family(struct row_pair *pair)
{
    note_length(pair, "wrong", "wrong in stages");
    note_member(pair, "blamed", "blamed");
    note_member(pair, "members", "programs of the family");
}

static json_t *twin_rows(const json_t *snapshot, const json_t *other)
{
    return named_rows(toolchain_of(snapshot, "same_code"), toolchain_of(other, "same_code"),
                      "ptxas");
}

/* Versions that gave other code for the same PTX. */
static json_t *unsteady_rows(const json_t *snapshot, const json_t *other)
{
    json_t *rows = json_array(), *version;
    size_t k;
    (void)other;

    json_array_foreach(toolchain_of(snapshot, "unsteady"), k, version)
    {
        json_array_append_new(rows, json_pack("{s:O}", "ptxas", version));
    }
    return rows;
}

const struct part_rows part_rows[] = {
    {"run", "run", {"id", "form", "engine"}, run_rows, judge_run, false},
    {"races", "races", {"id", "form", "engine", "model"}, race_rows, judge_races, false},
    {"counters", "counters", {"id", "form", "engine"}, counter_rows, judge_counters, false},
    {"code", "code", {"kernel", "ptxas", "arch"}, code_rows, judge_code, false},
    {"refused", "code", {"module", "ptxas"}, refusal_rows, judge_nothing, true},
    {"toolchain", "toolchain", {"stage"}, stage_rows, judge_stage, false},
    {"idioms", "toolchain", {"shape"}, family_rows, judge_family, true},
    {"same-code", "toolchain", {"one", "other", "ptxas"}, twin_rows, judge_nothing, true},
    {"unsteady", "toolchain", {"ptxas"}, unsteady_rows, judge_nothing, true},
    {"rates", "rates", {"id", "form", "engine"}, rate_rows, judge_rate, false},
    {"ladder", "ladder", {"kernel", "size"}, ladder_rows, judge_rung, false},
    {"limits", "limits", {"id", "form", "engine"}, limit_rows, judge_limits, false},
    {0},
};
