/* SPDX-License-Identifier: MIT
 *
 * Which thread of a block runs next. A thread that must stop (barrier, exit, pre-emption, the next
 * step of its warp) picks its successor itself and switches to it directly.
 *
 * its: threads run in the schedule's order until they wait; a random schedule also pre-empts them.
 *
 * lockstep: every thread stops before each access. The lanes of a warp that stand at the lowest
 * code address make that access together, then all run on to their next one. The lowest address
 * lets lanes that fell behind in a branch catch up with the others.
 *
 * A delay holds a thread (lockstep: a warp) back until nothing else can run: the others of its
 * block first, then other blocks and grids.
 */
#ifndef SIMTCHECK_HOST_SCHEDULE_H
#define SIMTCHECK_HOST_SCHEDULE_H

#include "block.h"

/* Makes the block ready for the first step of its threads. */
void schedule_start(struct resident_block *block);
/* Runs threads of the block until none can go on, one gives way to another block, or there is a
 * fault. */
void schedule_run(struct resident_block *block);
/* After a job: nobody runs. */
void schedule_forget(void);
bool schedule_is_done(const struct resident_block *block);
bool schedule_can_run(const struct resident_block *block);
/* The current thread waits until schedule_wake(), for child grids or at a barrier with a number;
 * that lets all such threads of the block go on, who look whether to wait again. */
void schedule_wait(void);
void schedule_wake(struct resident_block *block);

/* Called when the span of steps is over, before the access that ended it. */
void schedule_event(uintptr_t address, size_t size, unsigned int access, const void *code);
/* Something other than an access that lanes in lockstep do together, as they do those. */
void schedule_step(const void *code);
/* The current thread waits at a collective, until its lane is released, ahead of other threads. */
void schedule_meet(const struct simt_site *site);
/* The current thread waits in a loop, there: others go first. */
void schedule_spin(const void *code, const struct simt_site *site);
/* The current thread gives way to other blocks. */
void schedule_yield(void);

#endif
