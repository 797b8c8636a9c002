/* SPDX-License-Identifier: MIT
 *
 * Running cases on an engine and holding the results to the oracle. This is what a worker process
 * does; it knows nothing of domains.
 */
#ifndef SIMTCHECK_WORKERS_CHECKER_H
#define SIMTCHECK_WORKERS_CHECKER_H

#include "case.h"

struct checker;

/* Opens an engine and an oracle. On failure *checker is null and `reason` says why. */
enum engine_status checker_open(const struct engine_limits *limits, struct checker **checker,
                                char *reason, size_t reason_size);
void checker_close(struct checker *checker);

struct engine *checker_engine(struct checker *checker);

/* Runs the cases and fills in an outcome for each, with a digest of what came out if it is
 * `digested`. Statuses are those of engine_run(). */
enum engine_status checker_run(struct checker *checker, const struct test_case *cases, size_t count,
                               bool digested, struct outcome *outcomes);

/* Runs one case and looks for races. Describes up to `capacity` of them; the outcome has how many
 * there are. The simulator only. */
enum engine_status checker_race(struct checker *checker, const struct test_case *test,
                                struct outcome *outcome, struct race *races, size_t capacity);

/* Runs one case, under lockstep, and counts what its accesses to global memory cost. The host
 * engine only. */
enum engine_status checker_count(struct checker *checker, const struct test_case *test,
                                 struct outcome *outcome, struct engine_counters *counters);

/* What the last case executed of its kernels' source, where the engine runs cases one by one and
 * knows; it is the engine's. Returns of how many kernels. */
size_t checker_coverage(const struct checker *checker, const struct kernel_coverage **coverage);

/* From now on what kernels print, this process's standard output, is kept in memory. Returns false
 * with errno set on error. */
bool output_keep(void);

/* Takes what was printed since the last call, up to size - 1 bytes of it. Returns how many there
 * were. */
size_t output_take(char *text, size_t size);

#endif
