/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SUITE_AGREE_H
#define SIMTCHECK_SUITE_AGREE_H

#include "options.h"

/* `agree`: looks for shapes outside the domain of each selected printed form where the kernel still
 * has one defined result, and holds the GPU to it. Returns the exit status.
 *
 * A result is taken for defined when the kernel makes no fault and its outputs are the same, bit
 * for bit, under lockstep and, with independent threads, under `sequential`, `reverse` and five
 * random schedules; and likewise with random values instead of the case's. */
int agree_command(const struct options *options, const struct catalogue *catalogue);

#endif
