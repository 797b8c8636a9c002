/* SPDX-License-Identifier: MIT
 *
 * The outcomes of a litmus test: all that the model allows, and those of sequential consistency.
 */
#ifndef SIMTCHECK_LITMUS_MODEL_H
#define SIMTCHECK_LITMUS_MODEL_H

#include "execution.h"

struct litmus_outcome {
    int values[LITMUS_TERMS]; /* of the terms of the test's condition */
    bool is_allowed;          /* by the model */
    bool is_sequential;       /* an interleaving of the threads has it */
    bool is_racy;             /* an execution with this outcome has a data race */
};

struct litmus_outcomes {
    struct litmus_outcome *list; /* ascending */
    size_t count;
    size_t executions; /* allowed executions */
};

/* Determines the allowed outcomes, exhaustively. AXIOMS_ALL is PTX's model; tests leave axioms out.
 * Returns false with a message in `error` if the test is too large. The caller frees the list. */
bool litmus_outcomes_of(const struct litmus_test *test, unsigned int axioms,
                        struct litmus_outcomes *outcomes, char *error, size_t size);

/* Adds an outcome, or finds it. Returns null without memory. */
struct litmus_outcome *litmus_outcome_add(const struct litmus_test *test,
                                          struct litmus_outcomes *outcomes, const int *values);

/* Marks the outcomes of all interleavings. Returns false if the test is too large. */
bool litmus_mark_sequential(const struct litmus_test *test, struct litmus_outcomes *outcomes);

/* Returns whether the model allows an outcome for which the condition holds. */
bool litmus_is_allowed(const struct litmus_test *test, const struct litmus_outcomes *outcomes);

/* Returns whether an interleaving has an outcome for which the condition holds. */
bool litmus_is_sequential(const struct litmus_test *test, const struct litmus_outcomes *outcomes);

#endif
