/* SPDX-License-Identifier: MIT
 *
 * Launches in a row over memory that stays: what programs on the CUDA runtime do. The simulator
 * has it besides engine.h, and no other engine does.
 *
 * Each launch is over before the next one starts, as in one stream. Faults and races are looked for
 * within a launch. What was written, by whichever launch or by the host, stays written.
 */
#ifndef SIMTCHECK_ENGINE_LAUNCHES_H
#define SIMTCHECK_ENGINE_LAUNCHES_H

#include "engine.h"

#include <stdbool.h>

/* How launches are run; as the members of struct engine_job. */
struct launch_rules {
    enum model model;
    struct schedule schedule;
    struct race *races; /* null: do not look for races; written anew by each launch */
    size_t race_capacity;
};

struct launch {
    const char *kernel;
    struct extent grid, block;
    uint32_t shared_bytes;  /* dynamic */
    void *const *arguments; /* as for cudaLaunchKernel, valid during the call only */
};

/* Starts a row of launches: without buffers, and with the modules' variables as they are at first.
 * False when there is no room for them. `rules` are the caller's, and stay till launches_end(). */
bool launches_start(struct engine *engine, const struct launch_rules *rules);
/* Forgets the buffers. */
void launches_end(void);

/* A buffer of which nothing is written; null when there is no room. `name` is for reports and stays
 * the caller's. */
void *launches_allocate(const char *name, size_t count, size_t element_bytes);

/* The host copies to a buffer, fills one, copies out of one. False when those are not `bytes` of a
 * buffer, or not all written where they are read. */
bool launches_copy_in(void *to, const void *from, size_t bytes);
bool launches_fill(void *to, int byte, size_t bytes);
bool launches_copy_out(void *to, const void *from, size_t bytes);

/* Launches a kernel and waits for it. As engine_run() for one job. */
enum engine_status launches_run(const struct launch *launch, struct engine_outcome *outcome);

/* The static shared memory of a kernel from PTX, in bytes. False: there is no such kernel. */
bool launches_static_shared(const char *kernel, uint32_t *bytes);

#endif
