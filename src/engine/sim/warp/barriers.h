/* SPDX-License-Identifier: MIT
 *
 * Barriers of a block, and threads that exit.
 */
#ifndef SIMTCHECK_SIM_BARRIERS_H
#define SIMTCHECK_SIM_BARRIERS_H

#include "machine.h"

/* Executes a barrier for these lanes of the party. Returns true if the party waits. */
bool come_to_barrier(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);

/* Ends these lanes, and completes what waits for no other lanes. */
void exit_lanes(struct warp *warp, uint32_t lanes);

/* Reports a thread of the block that waits for threads that do not arrive. */
void report_waiting(struct block *block);

#endif
