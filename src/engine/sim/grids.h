/* SPDX-License-Identifier: MIT
 *
 * Grids, the blocks of them that have started, and which block goes next.
 */
#ifndef SIMTCHECK_SIM_GRIDS_H
#define SIMTCHECK_SIM_GRIDS_H

#include "machine.h"

struct grid_totals {
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest;
};

/* Runs a grid that the host launches, and all that its kernels launch. False: out of memory. */
bool grids_run(const struct function_code *code, const struct host_launch *launch,
               unsigned char *parameters, uint64_t seed);
/* Afterwards: what there was; and forgets the grids, which races are described by. */
const struct grid_totals *grids_totals(void);
void grids_release(void);
void grids_close(void);

/* A lane launches a child grid: the error, as the runtime numbers it. */
int grids_launch(struct warp *warp, uint32_t lane, const struct child *child,
                 enum simt_stream stream);

#endif
