/* SPDX-License-Identifier: MIT
 *
 * Cases that run together, and their outcomes. A check that compares runs the same cases twice, on
 * two engines or in two ways, and looks for outcomes that differ.
 */
#ifndef SIMTCHECK_CHECKS_TRIALS_H
#define SIMTCHECK_CHECKS_TRIALS_H

#include "json_model.h"
#include "supervisor.h"

struct trials {
    struct test_case *cases;
    struct outcome *outcomes;
    size_t count, room;
    struct memory memory; /* holds both arrays */
};

/* Adds a case. */
void trials_add(struct trials *trials, const struct test_case *test);

/* Run all cases, or those from index `first` on. They return statuses as supervisor_run() does. */
enum engine_status trials_run(struct trials *trials, struct supervisor *supervisor);
enum engine_status trials_run_from(struct trials *trials, size_t first,
                                   struct supervisor *supervisor);

/* Returns the number of failures, and sets *first to the index of the first one. */
size_t trials_failures(const struct trials *trials, size_t *first);

/* Returns whether two runs gave bit-identical results and no fault. */
bool outcomes_are_same(const struct outcome *one, const struct outcome *other);

/* Moves a case and its outcome to another index. */
void trials_move(struct trials *trials, size_t to, size_t from);

/* Removes all cases and keeps the allocated memory. */
void trials_clear(struct trials *trials);
void trials_free(struct trials *trials);

#endif
