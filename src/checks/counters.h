/* SPDX-License-Identifier: MIT
 *
 * The cost of one case, counted as a profiler does.
 */
#ifndef SIMTCHECK_CHECKS_COUNTERS_H
#define SIMTCHECK_CHECKS_COUNTERS_H

#include "session.h"

/* Runs a case under lockstep on an engine that simulates, and counts. Sets *report to the object
 * that `counters --json` writes; the caller owns it. *report is null if the case ends in a fault or
 * the status is not ENGINE_OK. Returns statuses as supervisor_count() does. */
enum engine_status counters_report(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, json_t **report);

#endif
