/* SPDX-License-Identifier: MIT
 *
 * Runs grids, from start to end. jobs.c uses it for the jobs of engine.h, and launches.c for the
 * launches of programs.
 */
#ifndef SIMTCHECK_SIM_RUN_H
#define SIMTCHECK_SIM_RUN_H

#include "dispatch.h"

/* Sets the limits of the user, for all runs. */
void run_set_limits(const struct engine_limits *chosen);
/* Returns true if runs are as requested, even if one run decides for all schedules. */
bool run_every_schedule(void);
/* Forgets the places of remarks of earlier jobs and launches, whose code may be unloaded. */
void run_forget_remarks(void);
/* Starts a run: no fault yet, no steps yet. `step_limit` is used if the user has set none. */
void run_start(const struct engine_job *job, uint64_t schedule_seed, uint64_t step_limit);
/* Checks the limits of a launch, and sets its cluster. Returns false after a fault. */
bool run_check_limits(struct host_grid *start, const char *name);
/* Runs grids that may run at the same time, and adds what happened to the outcome. */
enum engine_status run_grids(const struct engine_job *job, const struct host_grid *starts,
                             uint32_t count, struct engine_outcome *outcome);
/* Writes the faults, and places of order, to the outcome of a run. */
void run_finish(struct engine_outcome *outcome);

#endif
