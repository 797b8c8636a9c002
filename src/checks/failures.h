/* SPDX-License-Identifier: MIT
 *
 * The failures of a row by their identities, and what explains them.
 */
#ifndef SIMTCHECK_CHECKS_FAILURES_H
#define SIMTCHECK_CHECKS_FAILURES_H

#include "verdict.h"

/* Adds a case that fails. */
void failures_add(struct row_run *run, const struct test_case *test, const struct outcome *outcome);

/* Looks for the races that explain the failures, on an engine that simulates. A race explains
 * - a use of unwritten memory, or a wrong result, if it is on the same bytes in the same case
 * - a wrong result, if the case is right under another schedule
 * - an endless wait, if one of its accesses is where a thread waits
 *
 * It also finds the last stores to wrong elements. Several wrong stores are several failures.
 * Returns statuses as supervisor_run() does. */
enum engine_status failures_explain(struct row_run *run, struct supervisor *supervisor);

#endif
