/* SPDX-License-Identifier: MIT
 *
 * Making a resident block's threads ready for a kernel.
 */
#ifndef SIMTCHECK_HOST_THREADS_H
#define SIMTCHECK_HOST_THREADS_H

#include "block.h"

/* Of a block of that extent, which is one that can be launched. */
uint32_t threads_of(const struct extent *block);

/* Gives the threads of the block their index, and a stack on which `entry` runs, unless they have
 * one already that waits for another kernel. */
void threads_prepare(struct resident_block *block, void (*entry)(void));

/* After a job: a fault where a thread has overrun its stack. */
void threads_check_stacks(struct resident_block *block);

/* Behind that. After a fault, stacks were left in the middle of a kernel: those of the threads that
 * have run in the job are made anew, and all where the last of them wrote beyond its own. */
void threads_finish(struct resident_block *block, bool faulted);

#endif
