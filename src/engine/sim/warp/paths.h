/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_PATHS_H
#define SIMTCHECK_SIM_PATHS_H

#include "machine.h"

/* path_step() records a step of lanes. Call paths_restart() when a block starts, or its
 * threads have met at a barrier. */
void path_step(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void paths_restart(struct block *block);
/* Records a fault of a thread that bypassed a barrier at which others wait. `of_all`: a barrier of
 * the whole block. Otherwise it is an aligned barrier with a thread count, where others of its warp
 * wait. Returns true if there is such a thread. */
bool paths_bypass(struct block *block, bool of_all);

#endif
