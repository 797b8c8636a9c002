/* SPDX-License-Identifier: MIT
 *
 * What orders accesses: atomics, fences, barriers, and launches. They change what comes before a
 * thread's next access.
 */
#ifndef SIMTCHECK_RACE_SYNCHRONIZATION_H
#define SIMTCHECK_RACE_SYNCHRONIZATION_H

#include "order.h"

/* Returns all that comes before the next access of these lanes, including their own accesses. */
const struct happens_before *order_all_before(struct race_block *block, uint32_t warp,
                                              uint32_t lanes);

/* Adds facts to those that come before the thread's next access. */
void order_learn(struct race_block *block, struct race_thread *thread,
                 const struct happens_before *before);

/* Returns what comes before the end of a block, all of whose threads have exited. */
const struct happens_before *order_before_end(const struct race_block *block);

/* Call after a strong access of that kind. A write releases facts, and a read acquires them. */
void order_strong(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                  unsigned int kind, enum simt_order order);

/* Starts a block and sets its serial number. Returns false if memory runs out. */
bool order_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                       uint32_t thread_count);
void order_end_block(struct race_block *block);
void order_free_block(struct race_block *block);

/* Ends the keeping of grids before which no later launch begins. */
void order_review(void);
void order_start(void);
void order_forget(void);
void order_close(void);

#endif
