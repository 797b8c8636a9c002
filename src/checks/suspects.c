/* SPDX-License-Identifier: MIT */
#include "suspects.h"

#include <stdio.h>
#include <stdlib.h>

/* The suspects that are still to be explained, and a run of each. */
struct lineup {
    struct supervisor *supervisor;
    const struct witness *suspects;
    size_t count;
    const char **why;
    struct test_case *trials;
    struct outcome *outcomes;
    size_t *places; /* of each trial: its suspect's */
    size_t trial_count;
    char *reason;
    size_t reason_size;
};

static enum engine_status run_trials(struct lineup *lineup)
{
    return supervisor_run_array(lineup->supervisor, lineup->trials, lineup->trial_count,
                                lineup->outcomes, lineup->reason, lineup->reason_size);
}

static struct test_case *add_trial(struct lineup *lineup, size_t suspect)
{
    lineup->places[lineup->trial_count] = suspect;
    lineup->trials[lineup->trial_count] = lineup->suspects[suspect].test;
    return &lineup->trials[lineup->trial_count++];
}

static enum engine_status try_zeros(struct lineup *lineup)
{
    enum engine_status status;

    lineup->trial_count = 0;
    for (size_t i = 0; i < lineup->count; i++)
        add_trial(lineup, i)->values = (struct values){VALUES_ZEROS, 0};
    status = run_trials(lineup);
    for (size_t t = 0; status == ENGINE_OK && t < lineup->trial_count; t++)
        if (lineup->outcomes[t].kind != OUTCOME_PASS)
            lineup->why[lineup->places[t]] =
                "zeros, whose sum no order of accesses can change, come out wrong there";
    return status;
}

static enum engine_status try_races(struct lineup *lineup)
{
    enum engine_status status;

    lineup->trial_count = 0;
    for (size_t i = 0; i < lineup->count; i++)
        if (lineup->why[i] == NULL)
            add_trial(lineup, i);
    supervisor_ask(lineup->supervisor, REQUEST_RACE);
    status = run_trials(lineup);
    supervisor_ask(lineup->supervisor, REQUEST_RUN);
    for (size_t t = 0; status == ENGINE_OK && t < lineup->trial_count; t++) {
        const struct outcome *outcome = &lineup->outcomes[t];
        uint64_t found = outcome->races + outcome->unordered;
        if (found == outcome->unclaimed)
            lineup->why[lineup->places[t]] = "the accesses that it names do not race there";
        else if (outcome->unclaimed > 0)
            lineup->why[lineup->places[t]] = "other accesses race there than it names";
    }
    return status;
}

/* Schedules of either model, the suspect's own first, until one gives the right result. Of a kernel
 * whose racing values the compiler keeps in registers none need give it. */
static enum engine_status try_schedules(struct lineup *lineup, bool is_compiled, bool *right)
{
    static const struct schedule schedules[] = {
        {SCHEDULE_SEQUENTIAL, 0, {0}}, {SCHEDULE_REVERSE, 0, {0}}, {SCHEDULE_RANDOM, 1, {0}},
        {SCHEDULE_RANDOM, 2, {0}},     {SCHEDULE_RANDOM, 3, {0}},
    };
    enum { SCHEDULES = sizeof schedules / sizeof *schedules };
    enum engine_status status = ENGINE_OK;

    for (size_t i = 0; i < lineup->count; i++)
        right[i] = is_compiled && lineup->suspects[i].test.variant->finding->in_registers;
    for (size_t k = 0; status == ENGINE_OK && k < SCHEDULES * MODELS; k++) {
        lineup->trial_count = 0;
        for (size_t i = 0; i < lineup->count; i++) {
            if (lineup->why[i] != NULL || right[i])
                continue;
            struct test_case *trial = add_trial(lineup, i);
            trial->schedule = schedules[k % SCHEDULES];
            trial->model = (enum model)((trial->model + k / SCHEDULES) % MODELS);
        }
        status = run_trials(lineup);
        for (size_t t = 0; status == ENGINE_OK && t < lineup->trial_count; t++)
            right[lineup->places[t]] = lineup->outcomes[t].kind == OUTCOME_PASS;
    }
    for (size_t i = 0; status == ENGINE_OK && i < lineup->count; i++)
        if (lineup->why[i] == NULL && !right[i])
            lineup->why[i] = "no schedule tried gives the right result there";
    return status;
}

enum engine_status suspects_hold(struct supervisor *supervisor, const struct engine_kind *engine,
                                 const struct witness *suspects, size_t count, const char **why,
                                 char *reason, size_t reason_size)
{
    struct lineup lineup = {
        .supervisor = supervisor,
        .suspects = suspects,
        .count = count,
        .why = why,
        .trials = calloc(count + 1, sizeof *lineup.trials),
        .outcomes = calloc(count + 1, sizeof *lineup.outcomes),
        .places = calloc(count + 1, sizeof *lineup.places),
        .reason = reason,
        .reason_size = reason_size,
    };
    bool *right = calloc(count + 1, sizeof *right);
    enum engine_status status = ENGINE_ERROR;

    for (size_t i = 0; i < count; i++)
        why[i] = NULL;
    snprintf(reason, reason_size, "out of memory");
    if (lineup.trials != NULL && lineup.outcomes != NULL && lineup.places != NULL && right != NULL)
        status = try_zeros(&lineup);
    if (status == ENGINE_OK && engine->simulates)
        status = try_races(&lineup);
    if (status == ENGINE_OK && engine->simulates)
        status = try_schedules(&lineup, engine->is_compiled, right);
    free(lineup.trials);
    free(lineup.outcomes);
    free(lineup.places);
    free(right);
    return status;
}
