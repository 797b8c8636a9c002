/* SPDX-License-Identifier: MIT
 *
 * Threads that wait in a loop. A thread that looks at a word again and again by strong accesses,
 * and finds what it found there before, waits for another: it lets others run (schedule.c), other
 * blocks included (grids.c), fairly. With independent threads that is legal.
 */
#ifndef SIMTCHECK_SIM_BUSY_WAIT_H
#define SIMTCHECK_SIM_BUSY_WAIT_H

#include "block.h"

/* A job starts. */
void busy_wait_start(void);

/* Before a strong access of the current thread that reads: does the thread wait? */
bool busy_wait_waits(uintptr_t address, size_t size);

/* A warp operation of the current thread: is it part of a wait, for its warp looks at the words
 * together until each lane has found what it waits for (decoupled look-back)? */
bool busy_wait_meets(void);

/* It has let others run, and now makes the access, or the warp operation: no more than waiting. */
void busy_wait_waited(void);

/* A strong write: it does not. */
void busy_wait_forget(void);

/* A number that grows with all that threads do but wait. */
uint64_t busy_wait_progress(void);

/* Says of the waiting threads of a block what they wait at: the first of them is the fault's. */
void busy_wait_blame(struct resident_block *const blocks[], uint32_t count);

#endif
