/* SPDX-License-Identifier: MIT
 *
 * The scheduler: which lane and warp of a block runs next.
 *
 * - lockstep: the lanes of a warp that are at the lowest instruction run together.
 * - independent: each lane is a party of its own.
 */
#ifndef SIMTCHECK_SIM_SCHEDULE_H
#define SIMTCHECK_SIM_SCHEDULE_H

#include "machine.h"

/* Runs the block until no party of it can run, or it yields to others. */
void schedule_run(struct block *block);
bool schedule_can_run(const struct block *block);
/* Returns true if a party of the block waits in a loop or is tired. */
bool schedule_waits(const struct block *block);
/* Returns true if a thread of the block polls, maybe for one of a block that has not started. */
bool schedule_polls(const struct block *block);

#endif
