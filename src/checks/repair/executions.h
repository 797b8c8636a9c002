/* SPDX-License-Identifier: MIT
 *
 * All executions of a case under weak memory.
 */
#ifndef SIMTCHECK_CHECKS_EXECUTIONS_H
#define SIMTCHECK_CHECKS_EXECUTIONS_H

#include "supervisor.h"

/* Gets the outcome of an execution. Returns false to end. */
typedef bool execution_sink(void *context, const struct test_case *test,
                            const struct outcome *outcome);

/* Runs executions of the case and looks for races, until the sink ends it, all have run, or there
 * are too many. *all is true if all have run. Returns statuses as supervisor_run() does. */
enum engine_status executions_run(struct supervisor *supervisor, struct test_case test,
                                  execution_sink *sink, void *context, bool *all);

#endif
