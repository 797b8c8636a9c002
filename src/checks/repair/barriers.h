/* SPDX-License-Identifier: MIT
 *
 * Tries barriers that order the accesses of races.
 */
#ifndef SIMTCHECK_CHECKS_BARRIERS_H
#define SIMTCHECK_CHECKS_BARRIERS_H

#include "plan.h"
#include "session.h"
#include "shrink.h"

/* A use of unwritten memory that stays where barriers order all races, so that no race explains
 * it. */
struct staying {
    struct counterexample fault;
    const char *with; /* the barriers */
};

/* The races of a kernel, and a case of each. */
struct racing {
    const struct race *races;
    const struct test_case *tests;
    size_t count;
    const struct plan *plan;
};

/* Inserts __syncwarp() or __syncthreads() into the PTX before statements between the accesses and
 * near them, and runs the cases again, and some of the plan. A thread that has returned counts as
 * missing there. Sets help[k], in `memory`, if no case then has race k, a new race or a fault.
 * Returns a list of struct staying. */
struct list barriers_search(const struct session *session, enum engine_id engine,
                            const struct racing *racing, const char **help, struct memory *memory);

#endif
