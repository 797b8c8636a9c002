/* SPDX-License-Identifier: MIT
 *
 * The cases on which mutants run, from few and small ones to all, and the kernel's own results for
 * them.
 */
#ifndef SIMTCHECK_MUTATION_MUTANT_RUN_H
#define SIMTCHECK_MUTATION_MUTANT_RUN_H

#include "counters.h"
#include "mutant.h"
#include "plan.h"
#include "supervisor.h"

/* Cases that run together. */
struct mutant_sweep {
    enum request request;
    struct test_case *cases;
    size_t count, per_shape; /* consecutive cases with the same shape and values */
    uint64_t *digests;       /* digests of the kernel's own results if it has no oracle */
};

enum { MUTANT_SWEEPS = 4, MAX_KERNELS = 16 };

/* A kernel whose cases can kill mutants. */
struct mutant_target {
    const struct variant *variant;
    const char *kernels[MAX_KERNELS]; /* the kernels that its launches name */
    size_t kernel_count;
    bool *reached; /* by function of the source: the kernels need it */
    struct mutant_sweep sweeps[MUTANT_SWEEPS];
    struct case_cost *costs; /* of the first sweep's shapes; null: not compared */
};

/* Plans a kernel's cases in `memory`. Returns false when memory runs out or the kernel's launches
 * name too many kernels. */
bool mutant_target_make(const struct plan_request *chosen, const struct variant *variant,
                        struct memory *memory, struct mutant_target *target);

/* Runs the supervisor's code until a case fails. The verdict is MUTANT_KILLED, MUTANT_DIFFERS or
 * MUTANT_SURVIVED. With `learns`, the code is the kernel itself, and its results are stored. */
enum engine_status mutant_target_run(const struct mutant_target *target,
                                     struct supervisor *supervisor, bool learns,
                                     struct mutant_verdict *verdict);

#endif
