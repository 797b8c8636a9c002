/* SPDX-License-Identifier: MIT
 *
 * Which thread goes on in an execution of executions.h.
 */
#ifndef SIMTCHECK_SIM_PICKS_H
#define SIMTCHECK_SIM_PICKS_H

#include "machine.h"

/* Picks the thread that goes on. Threads before their next choice go first. Returns its block.
 * picked_party() then returns its party, once. */
struct block *pick_block(struct block *const *blocks, uint32_t count);
struct party *picked_party(struct warp **warp);
void picks_start(void);

#endif
