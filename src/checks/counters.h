/* SPDX-License-Identifier: MIT
 *
 * The cost of one case, counted as a profiler does.
 */
#ifndef SIMTCHECK_CHECKS_COUNTERS_H
#define SIMTCHECK_CHECKS_COUNTERS_H

#include "checks.h"
#include "session.h"

/* Runs a case under lockstep on an engine that simulates, and counts. Sets *report to the object
 * that `counters --json` writes; the caller owns it. *report is null if the case ends in a fault or
 * the status is not ENGINE_OK. Returns statuses as supervisor_count() does. */
enum engine_status counters_report(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, json_t **report);

/* Compares what a row's kernel costs in blocks of 32, 64 ... 1024 threads with what its source
 * says: variant.cost. Sets *test to the first case that costs more, and writes which counter and
 * how much to `why`, or makes it empty. A case outside of the domain may end in a fault, and is
 * then not compared. Returns statuses as supervisor_count() does. */
enum engine_status counters_compare(struct supervisor *supervisor, const struct variant *variant,
                                    struct test_case *test, char *why, size_t size);

/* What a case costs: instructions of warps, and transactions of 32 bytes. */
struct case_cost {
    bool known; /* false if the case ends in a fault */
    uint64_t instructions, transactions;
};

/* Counts what a case costs. Returns statuses as supervisor_count() does. */
enum engine_status case_cost_count(struct supervisor *supervisor, const struct test_case *test,
                                   struct case_cost *cost);

/* Returns by how many per cent a number grows. */
double case_cost_growth(uint64_t before, uint64_t after);

/* Returns by how many per cent the cost grows more than is allowed. It is infinite if only the code
 * before is known to end without a fault. */
double case_cost_excess(const struct allowances *allow, const struct case_cost *before,
                        const struct case_cost *after);

#endif
