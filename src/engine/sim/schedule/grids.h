/* SPDX-License-Identifier: MIT
 *
 * Grids, from their launch to their end.
 */
#ifndef SIMTCHECK_SIM_GRIDS_H
#define SIMTCHECK_SIM_GRIDS_H

#include "machine.h"

enum { HOST_GRIDS = 32 }; /* at most this many in one run */

struct grid_totals {
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest;
    const struct simt_place *waited; /* the first wait for child grids; null: there was none */
};

/* The grids of a run. */
extern struct grids {
    struct grid **ready; /* grids with blocks to start, in order: ready[ready_head..ready_tail) */
    uint32_t ready_head, ready_tail, ready_capacity;
    struct grid *last_created, *kept; /* kept: of earlier runs (race_keeps()) */
    struct launcher **launchers;      /* to be freed at the end */
    uint32_t launcher_count, launcher_capacity;
    uint64_t pending;          /* child grids that are not complete, apart from tail launches */
    uint64_t created, earlier; /* earlier: in earlier runs */
    uint64_t streams;          /* created by blocks */
    struct grid *hosts[HOST_GRIDS]; /* the grids that the host launches */
    uint32_t host_count;
    struct grid_totals totals;
} grids;

/* launches_run(): null, or called when a launch that copies is complete, by its number. */
extern void (*grids_copied)(uint32_t launch);

/* Returns a new grid, or null if memory runs out. `cluster` is 0, 0, 0 for none. */
struct grid *make_grid(const struct extent *extent, const struct extent *block,
                       const struct extent *cluster, uint64_t seed);
/* Lets the grid start its blocks. */
void make_ready(struct grid *grid);
/* Removes ready[index] from the list. The other grids keep their order. */
void take_ready(uint32_t index);
/* Completes the grid, or starts its tail launches, if all its blocks and child grids have ended. */
void check_complete(struct grid *grid);
void record_out_of_memory(void);

/* grids_totals() returns the totals after a run. grids_release() then frees the grids, which the
 * descriptions of races use. */
const struct grid_totals *grids_totals(void);
void grids_release(void);
void grids_close(void);

#endif
