/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_LIBRARY_H
#define SIMTCHECK_SIM_LIBRARY_H

#include "machine.h"

/* Calls a function of the CUDA runtime. Returns true if the party waits. */
bool call_library(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);

#endif
