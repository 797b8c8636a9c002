/* SPDX-License-Identifier: MIT
 *
 * Reduces a failing case to the smallest one with the same finding.
 */
#ifndef SIMTCHECK_CASES_SHRINK_H
#define SIMTCHECK_CASES_SHRINK_H

#include "case.h"

/* Runs cases, on any engine. The caller owns the array of outcomes. */
typedef enum engine_status shrink_run(void *context, const struct test_case *cases, size_t count,
                                      struct outcome *outcomes);

/* Orders counterexamples by threads of a block, then by elements. */
bool shape_is_smaller(const struct shape *a, const struct shape *b);

struct shrink_bounds {
    uint64_t threads, elements; /* maxima of block and size; at most those of the failing case */
    bool inside_domain;         /* stay inside the variant's domain */
    bool keeps_values;          /* do not look for simpler values */
    const struct shape *sizes;  /* the only sizes and depths to try; null: all */
    size_t size_count;
    uint64_t race;   /* cases must have this race, by the hash of its identity; 0: none */
    uint64_t budget; /* instructions to execute; a case costs CASE_COST more */
};

enum { CASE_COST = 100000 };

struct counterexample {
    struct test_case test;
    struct outcome outcome;
    uint64_t place;  /* of the case that it was shrunk from: see plan_place() */
    uint64_t tried;  /* number of cases run to find it */
    bool exhaustive; /* every smaller shape within the bounds ran with these values and does not
                        have the finding */
};

/* Looks for the smallest case: smallest block first, then smallest size, then simplest schedule and
 * values. `failing` must fail with `outcome`. On a status other than ENGINE_OK the counterexample
 * is the smallest failing case found so far. */
enum engine_status shrink(const struct test_case *failing, const struct outcome *outcome,
                          const struct shrink_bounds *bounds, shrink_run *run, void *context,
                          struct counterexample *counterexample);

#endif
