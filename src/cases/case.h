/* SPDX-License-Identifier: MIT
 *
 * A case: one kernel variant at one shape, with values, model and schedule. Everything that a run
 * of it depends on is in the struct, and in the case ID that names it (case ID.h).
 */
#ifndef SIMTCHECK_CASES_CASE_H
#define SIMTCHECK_CASES_CASE_H

#include "catalogue.h"
#include "engine.h"
#include "judge.h"

struct test_case {
    const struct variant *variant;
    struct shape shape;
    struct values values;
    enum model model; /* on a GPU there is no choice of model and schedule */
    struct schedule schedule;
    enum profile profile; /* of nested launches, on the simulator */
};

/* Do both fail, and in the same way: both mismatches, or both the same kind of fault? */
bool outcome_same_kind(const struct outcome *a, const struct outcome *b);

/* Does the outcome say nothing of a kernel that need not take the values? So it is of a fault; but
 * what it leaves unwritten is seen at its end, to which it has come with them. */
bool outcome_is_foreign(const struct outcome *outcome);

/* Does the variant's known defect name these accesses? */
bool race_is_expected(const struct variant *variant, const struct race *race);

/* One sentence part: what came out. */
void outcome_text(const struct outcome *outcome, char *text, size_t size);

#endif
