/* SPDX-License-Identifier: MIT */
#include "races_row.h"

#include "launch_text.h"
#include "shrink.h"

#include <string.h>

bool race_row_has_failed(const struct race_row *row)
{
    return row->record.faults > 0 || row->record.unexpected > 0 ||
           (row->variant->known_defect == NULL && row->record.racing > 0);
}

/* Returns whether both shapes launch the same. Those of a launch without a size do. */
static bool is_same_launch(const struct variant *variant, const struct shape *a,
                           const struct shape *b)
{
    return memcmp(a, b, sizeof *a) == 0 ||
           (variant->launch != NULL && variant->block_dimensions == 0 &&
            !launch_has_size(variant->launch));
}

void race_row_keep(struct race_row *row, const struct test_case *test)
{
    size_t place = row->kept;

    for (size_t k = 0; k < row->kept; k++)
        if (is_same_launch(row->variant, &row->smallest[k].shape, &test->shape)) {
            if (shape_is_smaller(&test->shape, &row->smallest[k].shape))
                row->smallest[k] = *test;
            return;
        }
    while (place > 0 && shape_is_smaller(&test->shape, &row->smallest[place - 1].shape))
        place--;
    if (place == SHAPES_KEPT)
        return;
    if (row->kept < SHAPES_KEPT)
        row->kept++;
    memmove(&row->smallest[place + 1], &row->smallest[place],
            (row->kept - 1 - place) * sizeof row->smallest[0]);
    row->smallest[place] = *test;
}

/* Keeps the smallest case of each race, and counts the cases with further races. */
static void keep_races(struct race_row *row, const struct test_case *test,
                       const struct outcome *outcome)
{
    bool has_more = outcome->races > RACE_IDENTITIES;

    for (int i = 0; i < RACE_IDENTITIES && outcome->race_identities[i] != 0; i++) {
        struct known_race *known = row->known_races;
        while (known < row->known_races + row->race_count &&
               known->identity != outcome->race_identities[i])
            known++;
        if (known == row->known_races + MAX_RACES_REPORTED) {
            has_more = true;
            continue;
        }
        if (known == row->known_races + row->race_count)
            row->race_count++;
        else if (!shape_is_smaller(&test->shape, &known->test.shape))
            continue;
        *known = (struct known_race){outcome->race_identities[i], *test};
    }
    row->more_races += has_more;
}

void race_row_take(struct race_row *row, const struct test_case *test,
                   const struct outcome *outcome, uint64_t allowed)
{
    bool races = outcome->races > allowed, unordered = outcome->unordered > 0;
    bool same = !races && allowed > 0;
    bool unexpected = row->variant->known_defect != NULL && outcome->unexpected > 0;
    bool first = (unexpected && row->record.unexpected == 0) ||
                 (races && row->record.racing == 0 && row->record.unexpected == 0);
    bool significant = unexpected || (row->record.unexpected == 0 &&
                                      (races || ((unordered || same) && row->record.racing == 0)));

    if (first)
        row->kept = 0;
    if (significant)
        race_row_keep(row, test);
    keep_races(row, test, outcome);
    row->record.unexpected += unexpected;
    row->record.racing += races;
    row->record.unordered += !races && unordered;
    row->same_value += same;
}

bool races_compare_digests(const struct variant *variant)
{
    return variant->launch != NULL && variant->ulps == 0 && !variant->has_bounds &&
           (variant->contract == CONTRACT_NONE || variant->may_abstain);
}

static bool is_same_input(const struct test_case *a, const struct test_case *b)
{
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           values_key(a->values) == values_key(b->values);
}

void race_row_compare(struct race_row *row, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct delay_search *orders = &row->orders;
    const struct counterexample this = {.test = *test, .outcome = *outcome}, *first = &orders->base;
    bool is_first = orders->schedules == 0 || !is_same_input(&first->test, test);

    if (orders->wrong || outcome->kind == OUTCOME_FAULT)
        return;
    orders->schedules++;
    orders->by_digest = races_compare_digests(test->variant);
    if (is_first) {
        orders->base = this;
        return;
    }
    if (orders->by_digest)
        orders->excused |= outcome_orders(outcome, &first->outcome);
    orders->wrong = orders->by_digest ? outcome->digest != first->outcome.digest ||
                                            outcome->printed != first->outcome.printed
                                      : outcome->kind != first->outcome.kind;
    orders->other = outcome->kind == OUTCOME_PASS && first->outcome.kind == OUTCOME_PASS;
    orders->counterexample = outcome->kind == OUTCOME_PASS && !orders->other ? *first : this;
    orders->test = orders->counterexample.test;
}

void race_row_take_fault(struct race_row *row, const struct test_case *test,
                         const struct outcome *outcome)
{
    row->more_races += !failures_add(row->memory, &row->found_faults, test, outcome);
    row->fault_kinds |= 1ull << outcome->fault.kind;
    if (row->record.faults++ == 0)
        row->fault_test = *test;
}
