/* SPDX-License-Identifier: MIT
 *
 * Grids, the blocks of each, and the launches of kernels by kernels.
 *
 * A block that has started is resident and has fibers. The dispatcher, on the stack of
 * engine_run(), lets one resident block run until it is done, waits for its children, or gives way;
 * then it chooses again among those that can run and the grids that have blocks to start:
 *
 *   sequential   the oldest grid: children run late, when the blocks of their parents are done
 *   reverse      the youngest: a child runs at once, before its parent goes on
 *   random       any
 *   delays       as sequential, but a block whose threads are all held back goes last
 *
 * What orders grids is what the CUDA C++ Programming Guide says of dynamic parallelism: the null
 * stream of a block is in order and different blocks are free of each other; a fire-and-forget
 * launch waits for nothing; tail launches run one after the other once the blocks of their parent
 * and all its other children are complete; a grid is complete when its blocks and all its children
 * are.
 */
#ifndef SIMTCHECK_HOST_GRIDS_H
#define SIMTCHECK_HOST_GRIDS_H

#include "block.h"

/* Of the nested launches of a job. */
struct grid_totals {
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest; /* grid */
};

/* What the host launches. */
struct first_grid {
    const struct simt_kernel *kernel;
    struct extent grid, block;
    uint32_t shared_bytes;  /* dynamic */
    void *const *arguments; /* one for each parameter, valid while the grid runs */
};

/* Runs that grid, and all that its kernel launches, by the rules of the schedule, whose seed that
 * is. False when memory runs out. */
bool grids_run(const struct first_grid *first, uint64_t seed);

/* Of the last run. */
const struct grid_totals *grids_totals(void);

/* Forgets the grids of the last run, and gives all memory back. */
void grids_release(void);
void grids_close(void);

#endif
