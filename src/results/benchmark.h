/* SPDX-License-Identifier: MIT
 *
 * How many bytes a second the catalogue's reductions read on the GPU at hand.
 */
#ifndef SIMTCHECK_COMMANDS_BENCHMARK_H
#define SIMTCHECK_COMMANDS_BENCHMARK_H

#include "catalogue.h"
#include "selection.h"

#include <jansson.h>

/* Has the program simtcheck-benchmark measure, and gives *rows those of its rows that are of
 * selected variants or of none, the caller's; null when there are none to be had. Returns an exit
 * status, after a sentence where that is not EXIT_CONFORMS. */
int benchmark_measure(const struct selection *selection, const struct catalogue *catalogue,
                      json_t **rows);

#endif
