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
enum engine_status counters_report(struct supervisor *supervisor, const struct engine_kind *engine,
                                   const struct test_case *test, struct outcome *outcome,
                                   json_t **report, char *reason, size_t reason_size);

struct counters_request {
    struct selection selection; /* of one kernel, one block and one size */
    struct engine_list engines; /* one that simulates; none: the host engine */
    bool by_barrier;            /* a table of intervals too */
};

/* Counts, saves and reports one case. Returns the exit status. */
int counters_check(const struct counters_request *request, struct session *session);

#endif
