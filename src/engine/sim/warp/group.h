/* SPDX-License-Identifier: MIT
 *
 * wgmma: matrix instructions of a warpgroup.
 */
#ifndef SIMTCHECK_SIM_GROUP_H
#define SIMTCHECK_SIM_GROUP_H

#include "machine.h"

/* Executes a step of a warpgroup. */
void group_step(struct warp *warp, const struct op *op, char *const frames[LANES]);
/* Forgets the warp's state as a part of a warpgroup. */
void group_forget(struct warp *warp);

#endif
