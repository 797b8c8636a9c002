/* SPDX-License-Identifier: MIT
 *
 * What the steps of lockstep warps cost in global memory, as a profiler counts it: a request
 * touches so many 128-byte lines and 32-byte sectors (CUDA C++ Programming Guide, device memory
 * accesses).
 */
#ifndef SIMTCHECK_HOST_COUNTERS_H
#define SIMTCHECK_HOST_COUNTERS_H

#include "engine.h"

extern bool counters_on;

/* A job starts whose accesses are, or are not, to be counted. */
void counters_start(bool on);
/* An access of a lane that goes together with the others up to counters_flush(). */
void counters_add(uintptr_t address, size_t size, unsigned int access);
void counters_flush(void);
/* A block has passed a barrier; counted always. */
void counters_barrier(void);
/* Of the job. */
const struct engine_counters *counters_total(void);

#endif
