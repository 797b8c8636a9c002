/* SPDX-License-Identifier: MIT
 *
 * What mutants are run on: the cases of a kernel, from few and small ones to all, and what the
 * kernel itself makes of them.
 */
#ifndef SIMTCHECK_COMMANDS_MUTANT_RUN_H
#define SIMTCHECK_COMMANDS_MUTANT_RUN_H

#include "batch.h"
#include "json_model.h"
#include "plan.h"
#include "supervisor.h"

/* Cases that are run in one go. */
struct mutant_sweep {
    enum request request;
    struct test_case *cases;
    size_t count, per_shape; /* so many after each other are of one shape and its values */
    uint64_t *digests;       /* what the kernel's own results are, where there is no oracle */
};

enum { MUTANT_SWEEPS = 4 };

/* A kernel that mutants are to show in. */
struct mutant_target {
    const struct variant *variant;
    const char *kernels[MAX_KERNELS]; /* that its launches name */
    size_t kernel_count;
    struct mutant_sweep sweeps[MUTANT_SWEEPS];
};

enum mutant_kind {
    MUTANT_UNDECIDED,
    MUTANT_KILLED,       /* something goes wrong that the suite, or the user's check, looks at */
    MUTANT_DIFFERS,      /* nothing does, but the results are not those of the kernel itself */
    MUTANT_EQUIVALENT,   /* the same code */
    MUTANT_NOT_COMPILED, /* no program */
    MUTANT_SURVIVED,
};

struct mutant_verdict {
    enum mutant_kind kind;
    char how[256]; /* what went wrong, in which case */
};

/* Plans a kernel's cases, in that memory, by what is asked for. Returns false when memory runs out
 * or its launches name too many kernels. */
bool mutant_target_make(const struct plan_request *asked, const struct variant *variant,
                        struct memory *memory, struct mutant_target *target);

/* Runs the supervisor's code until something goes wrong: MUTANT_KILLED, MUTANT_DIFFERS or
 * MUTANT_SURVIVED. `learns`: it is the kernel itself, whose results are remembered. */
enum engine_status mutant_target_run(const struct mutant_target *target,
                                     struct supervisor *supervisor, bool learns,
                                     struct mutant_verdict *verdict);

#endif
