/* SPDX-License-Identifier: MIT
 *
 * What one case costs, as a profiler counts it.
 */
#ifndef SIMTCHECK_COMMANDS_COUNTERS_H
#define SIMTCHECK_COMMANDS_COUNTERS_H

#include "session.h"

/* Runs a case on an engine that simulates, under lockstep, and counts. *report is the object that
 * `counters --json` writes, the caller's; null where the case ends in a fault, or the status is not
 * ENGINE_OK. Statuses as for supervisor_count(). */
enum engine_status counters_report(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, json_t **report);

#endif
