/* SPDX-License-Identifier: MIT
 *
 * Runs the race checker on all shapes of a plan.
 */
#ifndef SIMTCHECK_CHECKS_RACES_SWEEP_H
#define SIMTCHECK_CHECKS_RACES_SWEEP_H

#include "races_row.h"

/* Runs the plan's cases with random values and adds their outcomes to the row. The accesses of a
 * launch line may depend on memory contents, so its shapes also run with other sets of values.
 * These runs use random schedules, or those of the request. They are omitted if the row has failed
 * already. Other values that cause a fault are left out, because the kernel may reject them.
 *
 * races->failures_left decreases with each case that races unexpectedly or ends in a fault. At 0
 * the sweep ends. Returns statuses as supervisor_run() does. */
enum engine_status races_sweep(struct supervisor *supervisor, const struct plan *plan,
                               struct race_row *row, struct races *races);

#endif
