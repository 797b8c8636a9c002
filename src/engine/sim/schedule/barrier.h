/* SPDX-License-Identifier: MIT
 *
 * Barriers in divergent code. By the CUDA C++ Programming Guide, synchronization functions, all
 * threads of a block come to a __syncthreads() or none; one that has returned before is not missed.
 */
#ifndef SIMTCHECK_HOST_BARRIER_H
#define SIMTCHECK_HOST_BARRIER_H

#include "block.h"

/* All threads of the block that have not exited wait at one barrier: did none that exited since the
 * last pass it by? False after a fault. */
bool barrier_all_came(struct resident_block *block);

/* The same of a barrier that gives what the threads have voted: did all that have exited return? */
bool barrier_nobody_passed(struct resident_block *block, const struct simt_site *barrier);

/* A thread exits, while one may have passed by a barrier and then returned (scheduler->passer): it
 * has if those that came through that barrier get to the same `return`. */
void barrier_exit(struct resident_block *block, const struct thread *thread);

/* Has the thread, which has exited, returned, be it from a function that the kernel called last?
 * Then no warp operation misses it. */
bool barrier_is_excused(const struct thread *thread, const struct resident_block *block);

/* Barriers with numbers, translated.c: a thread has exited, for which others may wait; a fault of a
 * thread that waits for others in vain. */
void numbered_barriers_exit(struct resident_block *block);
void numbered_barriers_blame(const struct resident_block *block);

#endif
