/* SPDX-License-Identifier: MIT
 *
 * Cases that are run together, and what came of each. A check that compares runs the same cases
 * twice, on two engines or in two ways, and looks at where the outcomes differ.
 */
#ifndef SIMTCHECK_CHECKS_TRIALS_H
#define SIMTCHECK_CHECKS_TRIALS_H

#include "json_model.h"
#include "supervisor.h"

struct trials {
    struct test_case *cases;
    struct outcome *outcomes;
    size_t count, room;
    struct memory memory; /* of both */
};

/* Adds a case. */
void trials_add(struct trials *trials, const struct test_case *test);

/* Runs all cases, or those from one on. Statuses as for supervisor_run(). */
enum engine_status trials_run(struct trials *trials, struct supervisor *supervisor);
enum engine_status trials_run_from(struct trials *trials, size_t first,
                                   struct supervisor *supervisor);

/* The first failure and how many there are. */
size_t trials_failures(const struct trials *trials, size_t *first);

/* Did two runs give the same results, bit for bit, and no fault? */
bool outcomes_are_same(const struct outcome *one, const struct outcome *other);

/* Moves a case and what came of it to another place. */
void trials_move(struct trials *trials, size_t to, size_t from);

/* Removes all cases and keeps the room. */
void trials_clear(struct trials *trials);
void trials_free(struct trials *trials);

#endif
