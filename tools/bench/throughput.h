/* SPDX-License-Identifier: MIT
 *
 * The throughput of an engine on the selected kernels. Each kernel runs one case repeatedly.
 */
#ifndef SIMTCHECK_BENCH_THROUGHPUT_H
#define SIMTCHECK_BENCH_THROUGHPUT_H

#include "session.h"

/* Times the selected variants on an engine. Each round has a new worker, so a row's samples vary
 * with processes and over time. After each round the session saves the rows so far as an array.
 * Cases that fail are left out.
 *
 * The members of a row are "id", "variant", "engine", "case", "copies", "unit", "samples" and
 * "pace". The last one is the speed of this program on a fixed piece of work, just before and after
 * each sample. Seconds are processor time of the worker if the engine simulates, and elapsed time
 * otherwise.
 *
 * Returns an exit status, after an error message unless that is EXIT_CONFORMS. */
int throughput_measure(const struct selection *selection, const struct engine_kind *engine,
                       const struct session *session);

#endif
