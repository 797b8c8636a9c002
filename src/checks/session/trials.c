/* SPDX-License-Identifier: MIT */
#include "trials.h"

void trials_add(struct trials *trials, const struct test_case *test)
{
    if (trials->count == trials->room) {
        struct trials old = *trials;
        trials->room = old.room > 0 ? 2 * old.room : 64;
        trials->cases = memory_take(&trials->memory, trials->room * sizeof *trials->cases);
        trials->outcomes = memory_take(&trials->memory, trials->room * sizeof *trials->outcomes);
        for (size_t k = 0; k < old.count; k++) {
            trials->cases[k] = old.cases[k];
            trials->outcomes[k] = old.outcomes[k];
        }
    }
    trials->cases[trials->count++] = *test;
}

enum engine_status trials_run(struct trials *trials, struct supervisor *supervisor)
{
    return trials_run_from(trials, 0, supervisor);
}

enum engine_status trials_run_from(struct trials *trials, size_t first,
                                   struct supervisor *supervisor)
{
    if (first == trials->count)
        return ENGINE_OK;
    return supervisor_run_array(supervisor, trials->cases + first, trials->count - first,
                                trials->outcomes + first);
}

size_t trials_failures(const struct trials *trials, size_t *first)
{
    size_t failures = 0;

    for (size_t k = 0; k < trials->count; k++)
        if (trials->outcomes[k].kind != OUTCOME_PASS && failures++ == 0)
            *first = k;
    return failures;
}

bool outcomes_are_same(const struct outcome *one, const struct outcome *other)
{
    return one->kind != OUTCOME_FAULT && other->kind != OUTCOME_FAULT &&
           one->digest == other->digest;
}

void trials_move(struct trials *trials, size_t to, size_t from)
{
    trials->cases[to] = trials->cases[from];
    trials->outcomes[to] = trials->outcomes[from];
}

void trials_clear(struct trials *trials)
{
    trials->count = 0;
}

void trials_free(struct trials *trials)
{
    memory_free(&trials->memory);
    *trials = (struct trials){.cases = NULL};
}
