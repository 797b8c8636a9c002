/* SPDX-License-Identifier: MIT
 *
 * Tries a barrier between the two accesses of a race.
 */
#ifndef SIMTCHECK_CHECKS_BARRIERS_H
#define SIMTCHECK_CHECKS_BARRIERS_H

#include "plan.h"
#include "session.h"

/* Inserts __syncwarp() or __syncthreads() into the PTX before lines between the accesses and near
 * them, and runs the case again, and cases of the plan. A thread that has returned counts as
 * missing there. Returns which barrier makes all of them right, in `memory`, or null if none was
 * found. */
const char *barriers_search(const struct session *session, enum engine_id engine,
                            const struct test_case *test, const struct plan *plan,
                            const struct race *race, struct memory *memory);

#endif
