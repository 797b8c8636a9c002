/* SPDX-License-Identifier: MIT
 *
 * What a job of engine.h and a launch of launches.h have in common.
 */
#ifndef SIMTCHECK_HOST_RUN_H
#define SIMTCHECK_HOST_RUN_H

#include "grids.h"

/* A job starts: no fault yet, its rules, and how many steps it may make where the engine's limits
 * do not say. */
void run_start(const struct engine_job *job, uint64_t most_steps);

/* Runs the grid over the memory as it is, and looks for races if the job asks for it; `first` may
 * be null: there is none. Releases the grids, and leaves memory as it is then. */
enum engine_status run_grid(const struct engine_job *job, const struct first_grid *first,
                            struct engine_outcome *outcome);

/* The job is over: its fault and its steps. */
void run_finish(struct engine_outcome *outcome);

#endif
