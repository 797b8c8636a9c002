/* SPDX-License-Identifier: MIT
 *
 * What the steps of lockstep warps cost in global memory, as a profiler counts it: a request
 * touches so many 128-byte lines and 32-byte sectors (CUDA C++ Programming Guide, device memory
 * accesses).
 */
#ifndef SIMTCHECK_HOST_COUNTERS_H
#define SIMTCHECK_HOST_COUNTERS_H

#include "block.h"

extern bool counters_on;

/* A job starts whose accesses are to be counted there; null: they are not. */
void counters_start(struct engine_counters *counters);
/* An access of the current thread, which goes together with others of its warp up to
 * counters_flush(). */
void counters_add(uintptr_t address, size_t size, unsigned int access);
void counters_flush(void);
/* The current block passes a barrier. */
void counters_barrier(void);
/* All intervals together, when the job has ended. */
void counters_finish(uint64_t children, uint64_t child_threads);

#endif
