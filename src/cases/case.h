/* SPDX-License-Identifier: MIT
 *
 * A case: one kernel variant at one shape, with values, model and schedule. Everything that a run
 * of it depends on is in the struct, and in the token that names it (token.h).
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
    enum profile profile; /* of nested launches, on the host engine */
};

enum outcome_kind {
    OUTCOME_PASS,
    OUTCOME_MISMATCH, /* it ran, and the result is not the oracle's */
    OUTCOME_FAULT,    /* it did not run to its end, or broke a rule on the way */
};

struct outcome {
    enum outcome_kind kind;
    struct fault fault;           /* OUTCOME_FAULT */
    struct difference difference; /* OUTCOME_MISMATCH */
    uint64_t digest;              /* of all outputs, where it was asked for; not after a fault */
    uint64_t points;              /* host: scheduling points, likewise */
    /* host, where races were looked for: pairs of places in the source that race; of strong
     * accesses that nothing orders; and accesses looked at */
    uint64_t races, unordered, checked;
    uint64_t same_value; /* of the pairs that race: those of writes that all write the same */
    uint64_t unclaimed;  /* of those pairs, the ones that the variant's finding does not name */
};

/* Do both fail, and in the same way: both mismatches, or both the same kind of fault? */
bool outcome_same_kind(const struct outcome *a, const struct outcome *b);

/* Does the outcome say nothing of a kernel that need not take the values? So it is of a fault; but
 * what it leaves unwritten is seen at its end, to which it has come with them. */
bool outcome_is_foreign(const struct outcome *outcome);

/* Does the variant's finding name these accesses? */
bool race_is_claimed(const struct variant *variant, const struct race *race);

/* One sentence part: what came out. */
void outcome_text(const struct outcome *outcome, char *text, size_t size);

#endif
