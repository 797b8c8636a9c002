/* SPDX-License-Identifier: MIT
 *
 * From a failing case to the smallest one that fails in the same way.
 */
#ifndef SIMTCHECK_CASES_SHRINK_H
#define SIMTCHECK_CASES_SHRINK_H

#include "case.h"

/* Runs cases, in any way; the outcomes are the caller's array. */
typedef enum engine_status shrink_run(void *context, const struct test_case *cases, size_t count,
                                      struct outcome *outcomes);

/* The order of counterexamples: by threads of a block, then by elements. */
bool shape_is_smaller(const struct shape *a, const struct shape *b);

struct shrink_bounds {
    uint64_t threads, elements; /* of the largest block and size to look at; at most the failing
                                   case's own */
    bool inside_domain;         /* stay where the variant's domain holds */
    uint64_t budget;            /* most cases to run */
};

struct counterexample {
    struct test_case test;
    struct outcome outcome;
    uint64_t tried;  /* cases run to find it */
    bool exhaustive; /* every smaller shape within the bounds was run with its values, and does not
                        fail in this way */
};

/* Looks for the smallest case: smallest block first, then smallest size, then simplest schedule and
 * values. `failing` must fail with `outcome`. On a status other than ENGINE_OK the counterexample
 * is the smallest case found until then; it is always a failing case. */
enum engine_status shrink(const struct test_case *failing, const struct outcome *outcome,
                          const struct shrink_bounds *bounds, shrink_run *run, void *context,
                          struct counterexample *counterexample);

#endif
