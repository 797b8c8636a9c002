/* SPDX-License-Identifier: MIT
 *
 * Runs cases on an engine and compares the results with the oracle. This is what a worker process
 * does. It knows nothing of domains.
 */
#ifndef SIMTCHECK_WORKERS_CHECKER_H
#define SIMTCHECK_WORKERS_CHECKER_H

#include "wire.h"

struct checker;

/* Opens an engine and an oracle. On failure *checker is null and `reason` says why. */
enum engine_status checker_open(const struct engine_limits *limits, struct checker **checker,
                                char *reason, size_t reason_size);
void checker_close(struct checker *checker);

struct engine *checker_engine(struct checker *checker);

/* Runs the cases and fills in an outcome for each. With `digested`, an outcome has a digest of the
 * case's outputs. Returns the statuses of engine_run(). */
enum engine_status checker_run(struct checker *checker, const struct test_case *cases, size_t count,
                               bool digested, struct outcome *outcomes);

/* Runs one case and looks for races. Describes up to `capacity` of them; the outcome has their
 * number and a digest. Only the simulator supports it. */
enum engine_status checker_race(struct checker *checker, const struct test_case *test,
                                struct outcome *outcome, struct race *races, size_t capacity);

/* Runs a case, and again to explain its failure. Only the simulator supports it. */
enum engine_status checker_explain(struct checker *checker, const struct test_case *test,
                                   struct explanation *explanation);

/* Runs two cases of one shape with the same values. If both pass, and the second one has other
 * outputs than the first, its outcome is the first difference from those. */
enum engine_status checker_compare(struct checker *checker, const struct test_case cases[2],
                                   struct outcome outcomes[2]);

/* Runs one case under lockstep and counts what its accesses to global memory cost. Only the
 * simulator supports it. */
enum engine_status checker_count(struct checker *checker, const struct test_case *test,
                                 struct outcome *outcome, struct engine_counters *counters);

/* Gets the coverage of the kernels' source by the last case, if the engine runs cases one by one
 * and records it. The engine owns the coverage. Returns the number of kernels. */
size_t checker_coverage(const struct checker *checker, const struct kernel_coverage **coverage);

/* From now on, keeps in memory what kernels print to this process's standard output. Returns false
 * with errno set on error. */
bool output_keep(void);

/* Moves what the process prints to standard error, away from what output_keep() keeps; or back. */
void output_divert(bool away);

/* Takes the text printed since the last call, up to size - 1 bytes. Returns the number of bytes
 * printed. */
size_t output_take(char *text, size_t size);

#endif
