/* SPDX-License-Identifier: MIT
 *
 * Workers that die, hang or send a malformed answer: how they are noticed, and what happens to
 * their cases.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_FAILURES_H
#define SIMTCHECK_WORKERS_SUPERVISOR_FAILURES_H

#include "supervisor_state.h"

/* How a worker fails while it runs its chunk. IDLE: it neither answers nor works. KILLED: from
 * outside, or stopped and then killed. */
enum failure { UNRESPONSIVE, IDLE, MALFORMED_ANSWER, ENDED, KILLED };

/* Ends the run with that status. The first call determines the status and the reason. */
void supervisor_stop_run(struct supervisor *supervisor, enum engine_status status,
                         const char *reason);

/* Records that a case of the chunk made its worker fail. */
void supervisor_explain(struct supervisor *supervisor, const struct chunk *chunk);

/* Ends the worker and has its cases run again, one by one. A case that fails its worker each time
 * gets a fault, unless the worker was in code of the user. */
void supervisor_worker_failed(struct supervisor *supervisor, struct process *process,
                              enum failure failure);

/* At the end of a run, counts the lost workers whose chunk was split without finding a case at
 * fault. */
void supervisor_count_lost(struct supervisor *supervisor);

/* Returns the seconds of silence that a worker is granted. */
double supervisor_patience(const struct supervisor *supervisor);

/* Checks a worker that has not answered. */
void supervisor_look_after(struct supervisor *supervisor, struct process *process);

#endif
