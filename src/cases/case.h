/* SPDX-License-Identifier: MIT
 *
 * A case: one kernel variant at one shape, with values, model and schedule. The struct contains
 * everything that a run of it depends on, and so does the case ID that names it (case_id.h).
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
    enum model model; /* not applicable to a GPU, as the schedule */
    struct schedule schedule;
    enum profile profile; /* for nested launches on the simulator */
    bool default_limits;  /* nested launches at CUDA's default limits; else at limits that a right
                             case does not reach */
};

/* The names of a case's sizes, in the order of the sizes. None: n, or nx and ny. */
struct size_names {
    uint32_t count;
    char name[MAX_SIZES][32];
};

/* Returns whether the case needs what the engine does not have: it was not checked. */
bool outcome_is_unsupported(const struct outcome *outcome);

/* Returns whether the case was ended because it took too long. */
bool outcome_hangs(const struct outcome *outcome);

/* Returns whether both fail, and with one finding (identity.h). */
bool outcome_same_finding(const struct outcome *a, const struct outcome *b);

/* True for a failure that does not count against a kernel that may reject these values: any fault
 * but an unwritten output. A kernel with an unwritten output has run to its end with the values. */
bool outcome_is_foreign(const struct outcome *outcome);

/* Returns whether the variant's known defect names these accesses. */
bool race_is_expected(const struct variant *variant, const struct race *race);

/* Returns the allowance for such races at the array or at one of the lines, or MAX_ALLOWED. */
uint32_t race_allowance(const struct allowance_list *allowed, const struct race *race);

/* Writes the outcome as a clause. */
void outcome_text(const struct outcome *outcome, char *text, size_t size);

#endif
