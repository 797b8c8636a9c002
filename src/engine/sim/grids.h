/* SPDX-License-Identifier: MIT
 *
 * Grids, their resident blocks, and the choice of the block that runs next.
 */
#ifndef SIMTCHECK_SIM_GRIDS_H
#define SIMTCHECK_SIM_GRIDS_H

#include "machine.h"

struct grid_totals {
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest;
};

enum { HOST_GRIDS = 32 }; /* at most this many in one run */

/* A grid that the host launches. Grid k begins when the grids in launch->after are complete, which
 * are among the first k. */
struct host_grid {
    const struct function_code *code;
    const struct host_launch *launch;
    struct extent cluster;     /* 0, 0, 0: none */
    unsigned char *parameters; /* owned by the caller */
};

/* Runs grids that the host launches, and all grids launched from them. The others may run at the
 * same time. Returns false if memory runs out. */
bool grids_run(const struct host_grid *starts, uint32_t count, uint64_t seed);
/* grids_totals() returns the totals after a run. grids_release() then frees the grids, which the
 * descriptions of races use. */
const struct grid_totals *grids_totals(void);
void grids_release(void);
void grids_close(void);

/* Handles of streams in device code (cuda_runtime). A block may create more. */
enum { STREAM_TAIL = 3, STREAM_FIRE_AND_FORGET = 4, FIRST_CREATED_STREAM = 16 };
/* Returns the handle of a new stream. */
uint64_t grids_create_stream(void);
/* Launches a child grid from a lane. Returns the error, as the runtime numbers it. */
int grids_launch(struct warp *warp, uint32_t lane, const struct child *child, uint64_t stream);

#endif
