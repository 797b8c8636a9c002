/* SPDX-License-Identifier: MIT
 *
 * The cost of a row's kernel, compared with what its source asserts: variant.cost.
 */
#ifndef SIMTCHECK_CHECKS_ROW_COSTS_H
#define SIMTCHECK_CHECKS_ROW_COSTS_H

#include "shrink.h"
#include "supervisor.h"

/* Runs the kernel of a row under lockstep, in blocks of 32, 64 ... 1024 threads, on an engine that
 * simulates. Sets *found to the first case that costs more, and writes which counter and how much
 * to `why`. Else `why` becomes empty. A case that ends in a fault is not compared. Returns statuses
 * as supervisor_run() does. */
enum engine_status row_costs_check(struct supervisor *supervisor, const struct variant *variant,
                                   struct counterexample *found, char *why, size_t size);

#endif
