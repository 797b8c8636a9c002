/* SPDX-License-Identifier: MIT */
#include "suspects.h"

#include "trials.h"

/* The suspects that are not explained yet, and a run of each. */
struct lineup {
    struct supervisor *supervisor;
    const struct counterexample *suspects;
    size_t count;
    const char **why;
    struct trials trials;
    size_t *places; /* for each trial, the index of its suspect */
    bool *right;    /* some schedule gives the suspect the right result */
};

static void add_trial(struct lineup *lineup, size_t suspect, const struct test_case *test)
{
    lineup->places[lineup->trials.count] = suspect;
    trials_add(&lineup->trials, test);
}

static enum engine_status try_zeros(struct lineup *lineup)
{
    enum engine_status status;

    trials_clear(&lineup->trials);
    for (size_t i = 0; i < lineup->count; i++) {
        struct test_case test = lineup->suspects[i].test;
        test.values = (struct values){VALUES_ZEROS, 0};
        add_trial(lineup, i, &test);
    }
    status = trials_run(&lineup->trials, lineup->supervisor);
    for (size_t t = 0; status == ENGINE_OK && t < lineup->trials.count; t++)
        if (lineup->trials.outcomes[t].kind != OUTCOME_PASS)
            lineup->why[lineup->places[t]] = "the result is wrong for zeros too, although no order "
                                             "of accesses can change their sum";
    return status;
}

static enum engine_status try_races(struct lineup *lineup)
{
    enum engine_status status;

    trials_clear(&lineup->trials);
    for (size_t i = 0; i < lineup->count; i++)
        if (lineup->why[i] == NULL)
            add_trial(lineup, i, &lineup->suspects[i].test);
    supervisor_ask(lineup->supervisor, REQUEST_RACE);
    status = trials_run(&lineup->trials, lineup->supervisor);
    supervisor_ask(lineup->supervisor, REQUEST_RUN);
    for (size_t t = 0; status == ENGINE_OK && t < lineup->trials.count; t++) {
        const struct outcome *outcome = &lineup->trials.outcomes[t];
        uint64_t found = outcome->races + outcome->unordered;
        if (found == outcome->unexpected)
            lineup->why[lineup->places[t]] = "the accesses that it names do not race in this case";
        else if (outcome->unexpected > 0)
            lineup->why[lineup->places[t]] = "accesses that it does not name race in this case";
    }
    return status;
}

/* Tries schedules under both models until one gives the right result. The suspect's own model comes
 * first. If the compiler keeps the racing values in registers, no schedule has to give it. */
static enum engine_status try_schedules(struct lineup *lineup)
{
    static const struct schedule schedules[] = {
        {SCHEDULE_SEQUENTIAL, 0, {0}}, {SCHEDULE_REVERSE, 0, {0}}, {SCHEDULE_RANDOM, 1, {0}},
        {SCHEDULE_RANDOM, 2, {0}},     {SCHEDULE_RANDOM, 3, {0}},
    };
    enum { SCHEDULES = sizeof schedules / sizeof *schedules };
    enum engine_status status = ENGINE_OK;
    bool *right = lineup->right;

    for (size_t i = 0; i < lineup->count; i++)
        right[i] = lineup->suspects[i].test.variant->known_defect->in_registers;
    for (size_t k = 0; status == ENGINE_OK && k < SCHEDULES * MODELS; k++) {
        trials_clear(&lineup->trials);
        for (size_t i = 0; i < lineup->count; i++) {
            if (lineup->why[i] != NULL || right[i])
                continue;
            struct test_case test = lineup->suspects[i].test;
            test.schedule = schedules[k % SCHEDULES];
            test.model = (enum model)((test.model + k / SCHEDULES) % MODELS);
            add_trial(lineup, i, &test);
        }
        status = trials_run(&lineup->trials, lineup->supervisor);
        for (size_t t = 0; status == ENGINE_OK && t < lineup->trials.count; t++)
            right[lineup->places[t]] = lineup->trials.outcomes[t].kind == OUTCOME_PASS;
    }
    for (size_t i = 0; status == ENGINE_OK && i < lineup->count; i++)
        if (lineup->why[i] == NULL && !right[i])
            lineup->why[i] = "no schedule tried gives the right result for this case";
    return status;
}

enum engine_status suspects_judge(struct supervisor *supervisor, const struct engine_kind *engine,
                                  const struct counterexample *suspects, size_t count,
                                  const char **why)
{
    struct lineup lineup = {
        .supervisor = supervisor,
        .suspects = suspects,
        .count = count,
        .why = why,
    };
    enum engine_status status;

    lineup.places = memory_take(&lineup.trials.memory, count * sizeof *lineup.places);
    lineup.right = memory_take(&lineup.trials.memory, count * sizeof *lineup.right);
    for (size_t i = 0; i < count; i++)
        why[i] = NULL;
    status = try_zeros(&lineup);
    if (status == ENGINE_OK && engine->simulates)
        status = try_races(&lineup);
    if (status == ENGINE_OK && engine->simulates)
        status = try_schedules(&lineup);
    trials_free(&lineup.trials);
    return status;
}
