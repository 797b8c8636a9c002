/* SPDX-License-Identifier: MIT
 *
 * A sequence of launches over memory that persists, as programs on the CUDA runtime use it. Only
 * the simulator has this interface, in addition to engine.h.
 *
 * Each launch ends before the next one starts, as in one stream. Faults and races are detected
 * within a launch. Memory that any launch or the host wrote stays written.
 */
#ifndef SIMTCHECK_ENGINE_LAUNCHES_H
#define SIMTCHECK_ENGINE_LAUNCHES_H

#include "engine.h"

#include <stdbool.h>

/* How launches are run. The members mean the same as those of struct engine_job. */
struct launch_rules {
    enum model model;
    struct schedule schedule;
    struct race *races; /* null: do not detect races; each launch overwrites it */
    size_t race_capacity;
};

struct launch {
    const char *kernel;
    struct extent grid, block;
    uint32_t shared_bytes;  /* dynamic */
    void *const *arguments; /* as for cudaLaunchKernel, valid during the call only */
};

/* Starts a sequence of launches, without buffers and with the modules' variables at their initial
 * values. Returns false if there is no room for them. `rules` belongs to the caller and must stay
 * valid until launches_end(). */
bool launches_start(struct engine *engine, const struct launch_rules *rules);
/* Ends the sequence and forgets the buffers. */
void launches_end(void);

/* Returns a new buffer in which nothing is written, or null if there is no room. `name` is for
 * reports; it must stay valid, and the caller owns it. */
void *launches_allocate(const char *name, size_t count, size_t element_bytes);

/* These functions copy from the host to a buffer, fill a buffer, and copy from a buffer to the
 * host. They return false if the range is not `bytes` bytes of a buffer, or if a byte to be read
 * was not written. */
bool launches_copy_in(void *to, const void *from, size_t bytes);
bool launches_fill(void *to, int byte, size_t bytes);
bool launches_copy_out(void *to, const void *from, size_t bytes);

/* Launches a kernel and waits for it, as engine_run() does for one job. */
enum engine_status launches_run(const struct launch *launch, struct engine_outcome *outcome);

/* Reports the static shared memory of a kernel from PTX, in bytes. Returns false if there is no
 * such kernel. */
bool launches_static_shared(const char *kernel, uint32_t *bytes);

#endif
