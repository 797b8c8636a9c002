/* SPDX-License-Identifier: MIT */
#include "trials.h"

#include <stdlib.h>

static bool make_room(struct trials *trials)
{
    size_t room = trials->room > 0 ? 2 * trials->room : 64;
    struct test_case *cases = realloc(trials->cases, room * sizeof *cases);
    struct outcome *outcomes = realloc(trials->outcomes, room * sizeof *outcomes);

    trials->cases = cases != NULL ? cases : trials->cases;
    trials->outcomes = outcomes != NULL ? outcomes : trials->outcomes;
    trials->out_of_memory = cases == NULL || outcomes == NULL;
    if (!trials->out_of_memory)
        trials->room = room;
    return !trials->out_of_memory;
}

void trials_add(struct trials *trials, const struct test_case *test)
{
    if (trials->count < trials->room || make_room(trials))
        trials->cases[trials->count++] = *test;
}

enum engine_status trials_run(struct trials *trials, struct supervisor *supervisor)
{
    return trials_run_from(trials, 0, supervisor);
}

enum engine_status trials_run_from(struct trials *trials, size_t first,
                                   struct supervisor *supervisor)
{
    if (trials->out_of_memory)
        return supervisor_out_of_memory(supervisor);
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
    trials->out_of_memory = false;
}

void trials_free(struct trials *trials)
{
    free(trials->cases);
    free(trials->outcomes);
    *trials = (struct trials){.cases = NULL};
}
