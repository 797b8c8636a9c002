/* SPDX-License-Identifier: MIT
 *
 * The throughput of the catalogue's reductions on the local GPU, in bytes per second.
 */
#ifndef SIMTCHECK_BENCHMARK_H
#define SIMTCHECK_BENCHMARK_H

#include "catalogue.h"
#include "selection.h"

#include <jansson.h>

/* Runs the program simtcheck-benchmark. Sets *rows to its rows for the selected variants and for
 * the references. The caller owns *rows; it is null on failure. Returns an exit status, after an
 * error message unless that is EXIT_CONFORMS. */
int benchmark_measure(const struct selection *selection, const struct catalogue *catalogue,
                      json_t **rows);

#endif
