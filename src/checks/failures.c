/* SPDX-License-Identifier: MIT */
#include "failures.h"

#include "interrupt.h"

#include <string.h>

enum { MAX_FAILURES = 32 };

/* Returns the failure with the identity of that outcome, or null. */
static struct failure *find(const struct list *failures, const struct outcome *outcome)
{
    struct failure *all = failures->items;

    for (size_t k = 0; k < failures->count; k++)
        if (outcome_same_finding(&all[k].counterexample.outcome, outcome))
            return &all[k];
    return NULL;
}

bool failures_add(struct memory *memory, struct list *failures, const struct test_case *test,
                  const struct outcome *outcome)
{
    struct failure *known = find(failures, outcome);

    if (known != NULL)
        known->cases++;
    else if (failures->count == MAX_FAILURES)
        return false;
    else
        LIST_ADD(memory, failures, struct failure) =
            (struct failure){.counterexample = {.test = *test, .outcome = *outcome}, .cases = 1};
    return true;
}

/* ---- Explanations ---- */

static bool may_be_explained(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_MISMATCH ||
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
    struct outcome outcomes[SCHEDULES * MODELS];

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

bool failure_explain(struct supervisor *supervisor, struct failure *failure,
                     struct explanation *explanation)
{
    const struct outcome *outcome = &failure->counterexample.outcome;
    const struct test_case *test = &failure->counterexample.test;
    const struct race *races = explanation->races;
    size_t chosen = 0, cause = 0;

    explanation->race_count = explanation->difference_count = 0;
    if (!may_be_explained(outcome) || interrupt_came() ||
        supervisor_explain_case(supervisor, test, explanation) != ENGINE_OK)
        return false;
    while (chosen + 1 < explanation->race_count && race_is_expected(test->variant, &races[chosen]))
        chosen++;
    while (cause < explanation->race_count && !races[cause].shares)
        cause++;
    if (cause == explanation->race_count && outcome->kind == OUTCOME_MISMATCH && cause > 0 &&
        is_right_once(supervisor, test))
        cause = chosen;
    failure->is_examined = true;
    failure->has_cause = cause < explanation->race_count;
    if (failure->has_cause)
        failure->cause = races[cause];
    explanation->chosen = chosen;
    return true;
}

void failures_take_stores(struct memory *memory, struct list *failures, size_t k,
                          const struct explanation *explanation)
{
    struct failure failure = ((struct failure *)failures->items)[k];
    bool is_of_element = failure.has_cause && failure.cause.shares, has_element = false;
    size_t taken = 0;

    for (size_t d = 0; d < explanation->difference_count; d++)
        has_element = has_element || explanation->differences[d].element.unit != ELEMENT_NONE;
    for (size_t d = 0; d < explanation->difference_count; d++) {
        if (has_element && explanation->differences[d].element.unit == ELEMENT_NONE)
            continue; /* a wrong sum follows from wrong elements */
        failure.counterexample.outcome.difference = explanation->differences[d];
        failure.is_examined = failure.is_examined && !(taken > 0 && is_of_element);
        failure.has_cause = failure.has_cause && failure.is_examined;
        if (taken++ == 0)
            ((struct failure *)failures->items)[k] = failure;
        else if (find(failures, &failure.counterexample.outcome) == NULL &&
                 failures->count < MAX_FAILURES)
            LIST_ADD(memory, failures, struct failure) = failure;
    }
}
