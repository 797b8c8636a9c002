/* SPDX-License-Identifier: MIT
 *
 * What run.c, which runs jobs, shares with launches.c.
 */
#ifndef SIMTCHECK_SIM_RUN_H
#define SIMTCHECK_SIM_RUN_H

#include "dispatch.h"

/* Initializes memory: the engine's own variables, and the heap if kernels allocate. Forgets all
 * other arrays, modules and views. Returns false if there is no room. */
bool run_start_memory(void);
/* Returns true if runs are as requested, even if one run decides for all schedules. */
bool run_every_schedule(void);
/* Starts a run: no fault yet, no steps yet. `step_limit` is used if the user has set none. */
void run_start(const struct engine_job *job, uint64_t schedule_seed, uint64_t step_limit);
/* Checks the limits of a launch, and sets its cluster. Returns false after a fault. */
bool run_check(struct host_grid *start, const char *name);
/* Runs grids that may run at the same time, and adds what happened to the outcome. */
enum engine_status run_grids(const struct engine_job *job, const struct host_grid *starts,
                             uint32_t count, struct engine_outcome *outcome);
/* Writes the faults, and places of order, to the outcome of a run. */
void run_finish(struct engine_outcome *outcome);

/* Sets all bytes of an array to written. */
void run_set_written(struct region *region);

#endif
