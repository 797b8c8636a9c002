/* SPDX-License-Identifier: MIT
 *
 * The source coverage of the kernels that workers run.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_COVERAGE_H
#define SIMTCHECK_WORKERS_SUPERVISOR_COVERAGE_H

#include "supervisor_state.h"

/* Forgets all kernels, because workers will use other code. */
void supervisor_forget_kernels(struct supervisor *supervisor);

/* Reads a point of a kernel. Each worker reports the same points in the same order. Returns false
 * when the line is not valid. */
bool supervisor_take_point(struct supervisor *supervisor, char *line);

/* Reads a point that a case of the chunk has reached. Returns false when the line is not valid. */
bool supervisor_take_reached(struct supervisor *supervisor, struct chunk *chunk, const char *line);

/* Adds the points that cases up to this one have reached, from `next` on, to the coverage. Returns
 * the next index. */
size_t supervisor_count_reached(struct supervisor *supervisor, const struct chunk *chunk,
                                size_t next, uint32_t index);

#endif
