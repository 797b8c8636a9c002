/* SPDX-License-Identifier: MIT
 *
 * The race checker on all shapes of a plan.
 */
#ifndef SIMTCHECK_COMMANDS_RACES_SWEEP_H
#define SIMTCHECK_COMMANDS_RACES_SWEEP_H

#include "plan.h"
#include "races.h"
#include "races_report.h"
#include "supervisor.h"

enum { RACES_SEED = 1 }; /* of random values */

/* Runs the plan's cases under random values and adds what comes to the row. Of a launch line, whose
 * accesses may depend on what is in memory, its shapes under other sets of values too, unless it
 * has failed by then: in random order, or under the schedules of the request. It need not
 * take those: where they are a fault, they are left out.
 *
 * *failures_left goes down with each case that races and should not, or ends in a fault, and ends
 * the sweep at 0. Not ENGINE_OK: with the reason. */
enum engine_status races_sweep(struct supervisor *supervisor, const struct plan *plan,
                               struct race_row *row, const struct races_request *request,
                               uint64_t *failures_left, char *reason, size_t reason_size);

/* Is the row's verdict one that fails, whatever else is found? */
bool races_have_failed(const struct race_row *row);

#endif
