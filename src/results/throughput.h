/* SPDX-License-Identifier: MIT
 *
 * How fast an engine runs the kernels that are selected: of each, one case over and over.
 */
#ifndef SIMTCHECK_RESULTS_THROUGHPUT_H
#define SIMTCHECK_RESULTS_THROUGHPUT_H

#include "session.h"

/* The case of a variant that is timed and counted: that of the largest shape inside its domain
 * which the selection plans. False when there is none, or memory runs out. */
bool throughput_case(const struct selection *selection, const struct variant *variant,
                     bool simulated, struct test_case *test);

/* Times the selected variants on an engine, in rounds, each with a worker of its own, so that
 * what changes from process to process and from second to second is in the spread of a row's
 * samples. After each round the session saves the rows so far, an array: "id",
 * "variant", "engine", "case", "copies", "unit", "samples", and "pace", how fast this program did a
 * fixed piece of work just before and after each sample. Seconds are those of the worker's
 * processor time where the engine simulates, else of the clock. A case that does not pass is left
 * out. Returns an exit status, after a sentence where that is not EXIT_CONFORMS. */
int throughput_measure(const struct selection *selection, const struct engine_kind *engine,
                       struct session *session);

#endif
