/* SPDX-License-Identifier: MIT */
#include "failures.h"

#include "identity.h"
#include "interrupt.h"

#include <string.h>

enum { MAX_FAILURES = 32 };

/* Returns the failure with the identity of that outcome, or null. */
static struct failure *find(const struct row *row, const struct outcome *outcome)
{
    struct failure *failures = row->found_failures.items;

    for (size_t k = 0; k < row->found_failures.count; k++)
        if (outcome_same_finding(&failures[k].counterexample.outcome, outcome))
            return &failures[k];
    return NULL;
}

void failures_add(struct row_run *run, const struct test_case *test, const struct outcome *outcome)
{
    struct row *row = run->row;
    struct failure *known = find(row, outcome);

    if (outcome->kind == OUTCOME_PASS || outcome_is_unsupported(outcome) || run->session == NULL)
        return;
    if (known != NULL)
        known->cases++;
    else if (row->found_failures.count == MAX_FAILURES)
        row->more_failures++;
    else
        LIST_ADD(&run->session->findings.memory, &row->found_failures, struct failure) =
            (struct failure){.counterexample = {.test = *test, .outcome = *outcome}, .cases = 1};
}

/* ---- Explanations ---- */

static bool is_endless(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_FAULT &&
           (outcome->fault.kind == FAULT_DEADLOCK || outcome->fault.kind == FAULT_STEP_LIMIT);
}

static bool may_be_explained(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_MISMATCH || is_endless(outcome) ||
           (outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_UNINITIALIZED_READ);
}

/* Runs the case under several schedules and both models. Returns whether one gives the right
 * result. */
static bool is_right_once(struct supervisor *supervisor, const struct test_case *test)
{
    static const struct schedule schedules[] = {
        {SCHEDULE_SEQUENTIAL, 0, {0}}, {SCHEDULE_REVERSE, 0, {0}}, {SCHEDULE_RANDOM, 1, {0}},
        {SCHEDULE_RANDOM, 2, {0}},     {SCHEDULE_RANDOM, 3, {0}},
    };
    enum { SCHEDULES = sizeof schedules / sizeof *schedules };
    struct test_case tests[SCHEDULES * MODELS];
    static struct outcome outcomes[SCHEDULES * MODELS];

    for (int k = 0; k < SCHEDULES * MODELS; k++) {
        tests[k] = *test;
        tests[k].schedule = schedules[k % SCHEDULES];
        tests[k].model = (enum model)(k / SCHEDULES);
    }
    if (supervisor_run_array(supervisor, tests, SCHEDULES * MODELS, outcomes) != ENGINE_OK)
        return false;
    for (int k = 0; k < SCHEDULES * MODELS; k++)
        if (outcomes[k].kind == OUTCOME_PASS)
            return true;
    return false;
}

static bool is_at(const struct race_side *side, const struct fault *fault)
{
    return side->line == fault->line && strcmp(side->file, fault->file) == 0;
}

/* Returns whether the race explains the outcome without further runs. */
static bool is_cause(const struct race *race, const struct outcome *outcome)
{
    return race->shares || (is_endless(outcome) && (is_at(&race->first, &outcome->fault) ||
                                                    is_at(&race->second, &outcome->fault)));
}

/* Takes the races of an explanation. Those that the variant's known defect does not name come
 * first. */
static void take_races(struct supervisor *supervisor, const struct row *row,
                       struct failure *failure, const struct explanation *explanation)
{
    const struct outcome *outcome = &failure->counterexample.outcome;
    size_t chosen = 0, cause = 0;

    while (chosen + 1 < explanation->race_count &&
           race_is_expected(row->variant, &explanation->races[chosen]))
        chosen++;
    while (cause < explanation->race_count && !is_cause(&explanation->races[cause], outcome))
        cause++;
    if (cause == explanation->race_count && outcome->kind == OUTCOME_MISMATCH &&
        explanation->race_count > 0 && is_right_once(supervisor, &failure->counterexample.test))
        cause = chosen;
    failure->has_cause = cause < explanation->race_count;
    if (failure->has_cause)
        failure->cause = explanation->races[cause];
}

/* Gives a wrong result the place of its last store. Adds a failure for each other place. */
static void take_differences(struct row_run *run, size_t k, const struct explanation *explanation)
{
    struct row *row = run->row;
    struct failure failure = ((struct failure *)row->found_failures.items)[k];

    for (size_t d = 0; d < explanation->difference_count; d++) {
        struct failure *known;
        failure.counterexample.outcome.difference = explanation->differences[d];
        known = find(row, &failure.counterexample.outcome);
        if (d == 0)
            ((struct failure *)row->found_failures.items)[k] = failure;
        else if (known == NULL && row->found_failures.count < MAX_FAILURES)
            LIST_ADD(&run->session->findings.memory, &row->found_failures, struct failure) =
                failure;
    }
}

enum engine_status failures_explain(struct row_run *run, struct supervisor *supervisor)
{
    static struct explanation explanation;
    struct row *row = run->row;
    size_t count = row->found_failures.count;
    enum engine_status status = ENGINE_OK;

    if (!row->has_counterexample)
        return ENGINE_OK;
    if (count > 0)
        ((struct failure *)row->found_failures.items)->counterexample = row->counterexample;
    for (size_t k = 0;
         k < count && row->engine->simulates && status == ENGINE_OK && !interrupt_came(); k++) {
        struct failure *failure = (struct failure *)row->found_failures.items + k;
        if (!may_be_explained(&failure->counterexample.outcome))
            continue;
        status = supervisor_explain_case(supervisor, &failure->counterexample.test, &explanation);
        if (status != ENGINE_OK)
            break;
        take_races(supervisor, row, failure, &explanation);
        if (k == 0 && failure->counterexample.outcome.kind == OUTCOME_MISMATCH &&
            explanation.race_count > 0) {
            row->has_race = true;
            row->race = failure->has_cause ? failure->cause : explanation.races[0];
        }
        take_differences(run, k, &explanation);
    }
    return ENGINE_OK; /* without an explanation the failure does not change */
}
