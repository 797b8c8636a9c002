/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_MBARRIER_STEPS_H
#define SIMTCHECK_SIM_MBARRIER_STEPS_H

#include "machine.h"

/* Executes an instruction on mbarrier objects. */
void use_mbarrier(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);

#endif
