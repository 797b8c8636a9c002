/* SPDX-License-Identifier: MIT
 *
 * Sends requests to workers, and reads their answers.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_ANSWERS_H
#define SIMTCHECK_WORKERS_SUPERVISOR_ANSWERS_H

#include "supervisor_state.h"

/* Writes the chunk to the worker. If the worker is busy, writes only what the pipe accepts at once;
 * otherwise supervisor and worker could wait for each other. A worker that has died is noticed when
 * its answers end. Returns false when memory runs out. */
bool supervisor_send(struct supervisor *supervisor, struct process *process, struct chunk *chunk);

/* Reads what the worker has sent. Handles the end of a worker, and a line that is not a valid
 * answer. */
void supervisor_take_answers(struct supervisor *supervisor, struct process *process);

/* Forgets the points of all kernels, because workers will use other code. */
void supervisor_forget_kernels(struct supervisor *supervisor);

/* Adds the points that cases up to this one have reached, from `next` on, to the coverage. Returns
 * the next index. */
size_t supervisor_count_reached(struct supervisor *supervisor, const struct chunk *chunk,
                                size_t next, uint32_t index);

#endif
