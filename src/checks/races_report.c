/* SPDX-License-Identifier: MIT */
#include "races_report.h"
#include "replay_line.h"
#include "report.h"

#include "token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const char *verdict_word(enum race_verdict verdict)
{
    static const char *const words[] = {
        [RACE_FREE] = "race-free",
        [RACE] = "race",
        [ORDER_DEPENDENT] = "order-dependent",
        [RACE_OF_SAME] = "same-value race",
        [RACE_FAULT] = "fault",
        [RACE_UNAVAILABLE] = "unavailable",
    };
    _Static_assert(sizeof words / sizeof *words == RACE_UNAVAILABLE + 1, "a word for each");
    return words[verdict];
}

static const char *verdict_of(const struct race_row *row)
{
    return verdict_word(races_verdict(row));
}

enum race_verdict races_verdict(const struct race_row *row)
{
    return row->unavailable != NULL             ? RACE_UNAVAILABLE
           : row->racing > 0                    ? RACE
           : row->faults > 0                    ? RACE_FAULT
           : row->searched && row->search.wrong ? ORDER_DEPENDENT
           : row->same_value > 0                ? RACE_OF_SAME
                                                : RACE_FREE;
}

enum race_verdict races_claim(const struct race_row *row)
{
    const struct finding *finding = row->variant->finding;

    if (finding != NULL && (finding->races >> row->model & 1))
        return RACE;
    return finding != NULL && (finding->order >> row->model & 1) ? ORDER_DEPENDENT : RACE_FREE;
}

/* ---- JSON ---- */

static json_t *side_json(const struct race_side *side)
{
    json_t *object = json_pack("{s:s, s:I, s:[i, i, i], s:[i, i, i], s:s, s:i, s:s, s:b}", "kernel",
                               side->kernel, "grid", (json_int_t)side->grid, "block",
                               (int)side->block.x, (int)side->block.y, (int)side->block.z, "thread",
                               (int)side->thread.x, (int)side->thread.y, (int)side->thread.z,
                               "file", side->file, "line", side->line, "access",
                               side->access & ACCESS_ATOMIC  ? "atomic"
                               : side->access & ACCESS_WRITE ? "write"
                                                             : "read",
                               "volatile", (side->access & ACCESS_VOLATILE) != 0);
    if (side->outer[0] != '\0')
        json_object_set_new(object, "inlined_at", json_string(side->outer));
    if (side->ptx_line != 0)
        json_object_set_new(object, "ptx_line", json_integer(side->ptx_line));
    if (side->scope[0] != '\0')
        json_object_set_new(object, "scope", json_string(side->scope));
    if (side->before_known)
        json_object_set_new(object, "old", json_integer((json_int_t)side->before));
    if (side->after_known)
        json_object_set_new(object, side->access & ACCESS_WRITE ? "new" : "value",
                            json_integer((json_int_t)side->after));
    return object;
}

/* What came out under the schedule that was found. */
static void witness_text(const struct delay_search *search, char *text, size_t size)
{
    if (search->other)
        snprintf(text, size, "other bits than under schedule sequential");
    else
        outcome_text(&search->witness.outcome, text, size);
}

static json_t *search_json(const struct race_row *row)
{
    char token[TOKEN_SIZE], text[512], block[WORD_SIZE], size[WORD_SIZE];
    const struct delay_search *search = &row->search;
    json_t *object;

    if (!row->searched)
        return json_null();
    block_format(&search->test.shape.block, block);
    size_format(&search->test.shape, size);
    object = json_pack("{s:s, s:s, s:I, s:I, s:b}", "block", block, "size", size, "delays",
                       (json_int_t)search->delays, "schedules", (json_int_t)search->schedules,
                       "wrong", search->wrong);
    if (search->wrong) {
        token_format(&search->witness.test, row->engine, token);
        witness_text(search, text, sizeof text);
        json_object_set_new(object, "outcome", json_string(text));
        json_object_set_new(object, "token", json_string(token));
    }
    return object;
}

json_t *races_pair_json(const struct race *race)
{
    return json_pack("{s:o, s:o, s:s, s:s, s:I, s:b, s:b}", "first", side_json(&race->first),
                     "second", side_json(&race->second), "place", race->place, "missing",
                     race->missing, "count", (json_int_t)race->count, "strong", race->strong,
                     "same_value", race->same_value);
}

json_t *races_json(const struct race_row *row)
{
    json_t *pairs = json_array(), *object;
    char token[TOKEN_SIZE];

    for (size_t p = 0; p < row->pair_count; p++)
        json_array_append_new(pairs, races_pair_json(&row->pairs[p]));
    object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
                       "id", row->variant->id, "form", form_name(row->variant->form), "model",
                       model_name(row->model), "verdict", verdict_of(row), "claimed",
                       verdict_word(races_claim(row)), "as_claimed", row->as_claimed, "cases",
                       (json_int_t)row->cases, "racing", (json_int_t)row->racing, "unordered",
                       (json_int_t)row->unordered, "checked", (json_int_t)row->checked, "unclaimed",
                       (json_int_t)row->unclaimed, "faults", (json_int_t)row->faults, "pairs",
                       pairs, "search", search_json(row));
    if (row->kept > 0) {
        token_format(&row->smallest[0], row->engine, token);
        json_object_set_new(object, "smallest", json_string(token));
    }
    return object;
}

void races_number(json_t *entries, size_t all_rows)
{
    json_t *entry;
    size_t e;

    json_array_foreach(entries, e, entry)
    {
        json_object_set_new(entry, "all_rows", json_integer((json_int_t)all_rows));
    }
}

/* ---- Text ---- */

static void print_side(const struct race_side *side, const char *lead)
{
    const char *verb = side->access & ACCESS_ATOMIC  ? "updates"
                       : side->access & ACCESS_WRITE ? "writes"
                                                     : "reads";

    printf("        %s thread %u of block (%u,%u,%u)", lead, side->number, side->block.x,
           side->block.y, side->block.z);
    if (side->grid > 0)
        printf(" of grid %" PRIu64, side->grid);
    printf(" %s it", verb);
    if (side->access & ACCESS_ATOMIC)
        printf(" atomically, in the scope of its %s", side->scope);
    else if (side->access & ACCESS_VOLATILE)
        printf(" (volatile)");
    if (side->before_known && side->after_known)
        printf(", %" PRIi32 " to %" PRIi32, (int32_t)side->before, (int32_t)side->after);
    else if (side->after_known)
        printf(", %" PRIi32, (int32_t)side->after);
    printf(": %s, %s:%d%s%s\n", side->kernel, side->file, side->line,
           side->outer[0] != '\0' ? ", inlined at " : "", side->outer);
}

void races_print_pair(const struct race *race)
{
    printf("    %s\n", race->place);
    print_side(&race->first, "first");
    print_side(&race->second, "then ");
    printf("        %s%s", race->missing,
           race->strong ? "; both are strong: no race, but their order may matter" : "");
    if (race->same_value)
        printf("; both write %" PRIi32, (int32_t)race->second.after);
    putchar('\n');
}

static bool is_same_lines(const struct race *a, const struct race *b)
{
    return a->first.line == b->first.line && a->second.line == b->second.line &&
           a->first.access == b->first.access && a->second.access == b->second.access;
}

static void print_pairs(const struct race_row *row)
{
    enum { MOST_STRONG = 3 };
    size_t strong = 0;

    for (size_t p = 0; p < row->pair_count; p++) {
        const struct race *race = &row->pairs[p];
        size_t told = 0;
        while (told < p && !is_same_lines(&row->pairs[told], race))
            told++;
        if (told < p || (race->strong && ++strong > MOST_STRONG))
            continue;
        races_print_pair(race);
    }
    if (strong > MOST_STRONG)
        printf("    and %zu more such pairs\n", strong - MOST_STRONG);
}

bool races_has_oracle(const struct race_row *row)
{
    return row->variant->contract != CONTRACT_NONE && !row->variant->may_abstain;
}

static void print_search(const struct race_row *row)
{
    const struct delay_search *search = &row->search;
    char block[WORD_SIZE], size[WORD_SIZE], schedule[WORD_SIZE], text[512], token[TOKEN_SIZE];

    if (!row->searched)
        return;
    block_format(&search->test.shape.block, block);
    size_format(&search->test.shape, size);
    if (search->wrong) {
        const struct test_case *test = &search->witness.test;
        schedule_format(test->schedule, schedule);
        witness_text(search, text, sizeof text);
        token_format(test, row->engine, token);
        printf("    wrong with block %s, size %s, schedule %s: %s\n", block, size, schedule, text);
        replay_line_print(token);
        if (search->other) { /* and what it is other than */
            struct test_case base = *test;
            base.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
            token_format(&base, row->engine, token);
            replay_line_print(token);
        }
    } else if (row->racing > 0 || row->unordered > 0) {
        printf("    block %s, size %s: %s in all %" PRIu64 " schedules with up to %u delays\n",
               block, size,
               races_has_oracle(row) ? "the result is right"
               : search->held        ? "no fault, and the same bits,"
                                     : "no fault",
               search->schedules, search->delays);
    }
}

void races_print_details(const struct race_row *row)
{
    char block[WORD_SIZE], size[WORD_SIZE], text[512], token[TOKEN_SIZE], values[WORD_SIZE];

    if (row->left_out > 0) {
        printf("\n%s %s, %s: %" PRIu64 " cases of values that are not random are not judged: a "
               "fault, or alike\n",
               row->variant->id, form_name(row->variant->form), model_name(row->model),
               row->left_out);
        report_case("the first:", &row->first_left_out, row->engine);
    }
    if (row->as_claimed && races_verdict(row) == RACE_FREE && row->unordered == 0)
        return;
    printf("\n%s %s, %s: %s", row->variant->id, form_name(row->variant->form),
           model_name(row->model), verdict_of(row));
    if (row->kept > 0) {
        block_format(&row->smallest[0].shape.block, block);
        size_format(&row->smallest[0].shape, size);
        printf(", at block %s, size %s", block, size);
        values_format(row->smallest[0].values, values);
        if (row->smallest[0].values.pattern != VALUES_HASH)
            printf(", values %s", values);
    }
    if (row->unavailable != NULL)
        printf(": %s", row->unavailable);
    printf("%s\n",
           row->as_claimed || row->variant->launch != NULL ? "" : "; NOT as its descriptor claims");
    if (row->unclaimed > 0)
        printf("    in %" PRIu64 " cases accesses race that its finding does not name\n",
               row->unclaimed);
    if (row->faults > 0) {
        token_format(&row->fault_test, row->engine, token);
        outcome_text(&row->fault, text, sizeof text);
        printf("    %" PRIu64 " cases end with a fault, such as: %s\n", row->faults, text);
        replay_line_print(token);
    }
    print_pairs(row);
    print_search(row);
}

void races_print_head(void)
{
    printf("%-39s %-8s %-9s %6s %6s %14s %-6s %s\n", "kernel", "form", "model", "cases", "racing",
           "schedules", "result", "verdict");
}

void races_print_row(const struct race_row *row)
{
    char searched[48] = "-", result[32] = "-";

    if (row->searched)
        snprintf(searched, sizeof searched, "%" PRIu64 " (%u)", row->search.schedules,
                 row->search.delays);
    if (row->searched && races_has_oracle(row))
        snprintf(result, sizeof result, "%s", row->search.wrong ? "wrong" : "right");
    else if (row->searched && row->search.held && row->search.schedules > 1)
        snprintf(result, sizeof result, "%s", row->search.wrong ? "other" : "same");
    printf("%-39s %-8s %-9s %6" PRIu64 " %6" PRIu64 " %14s %-6s %s%s\n", row->variant->id,
           form_name(row->variant->form), model_name(row->model), row->cases, row->racing, searched,
           result, verdict_of(row), row->as_claimed ? "" : " (!)");
    fflush(stdout);
}
