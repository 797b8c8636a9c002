/* SPDX-License-Identifier: MIT
 *
 * Instructions at which threads meet: collectives of a warp, and barriers of a block.
 */
#ifndef SIMTCHECK_SIM_COLLECTIVE_H
#define SIMTCHECK_SIM_COLLECTIVE_H

#include "machine.h"

/* These return true if the party waits. */
bool meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
bool come_to_barrier(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
void exit_lanes(struct warp *warp, uint32_t lanes);

void report_waiting(struct block *block);

#endif
