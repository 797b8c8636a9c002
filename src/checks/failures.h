/* SPDX-License-Identifier: MIT
 *
 * Failures by their identities, and what explains them.
 */
#ifndef SIMTCHECK_CHECKS_FAILURES_H
#define SIMTCHECK_CHECKS_FAILURES_H

#include "field.h"
#include "json_model.h"
#include "shrink.h"
#include "supervisor.h"

/* Failures with one identity: the first case, or the smallest one that was found. */
struct failure {
    struct counterexample counterexample;
    uint64_t cases;
    bool is_examined; /* by failure_explain() */
    bool has_cause;   /* this race explains it */
    struct race cause;
    const char *with; /* a change with which it stays although nothing races; null: none */
};

/* Adds a case that fails to a list of struct failure in that memory. Returns false if the list is
 * full. */
bool failures_add(struct memory *memory, struct list *failures, const struct test_case *test,
                  const struct outcome *outcome);

/* Looks for the race that explains a failure, on an engine that simulates. A race explains
 * - a use of unwritten memory, or a wrong result, if it is on the same bytes in the same case
 * - a wrong result, if the case is right under another schedule
 *
 * *explanation gets all races of the case. Races that the variant's known defect does not name come
 * first. Returns whether the failure may have an explanation, and has been run. */
bool failure_explain(struct supervisor *supervisor, struct failure *failure,
                     struct explanation *explanation);

/* Gives failure k the place of the last store to its wrong element. Adds a failure for each other
 * place. */
void failures_take_stores(struct memory *memory, struct list *failures, size_t k,
                          const struct explanation *explanation);

#endif
