/* SPDX-License-Identifier: MIT
 *
 * Resident blocks, and the choice of the block that runs next.
 */
#ifndef SIMTCHECK_SIM_DISPATCH_H
#define SIMTCHECK_SIM_DISPATCH_H

#include "machine.h"

/* A grid that the host launches. Grid k begins when the grids in launch->after are complete, which
 * are among the first k. */
struct host_grid {
    const struct function_code *code;
    const struct host_launch *launch;
    uint32_t keep;             /* name for race_retire(); 0: none */
    struct extent cluster;     /* 0, 0, 0: none */
    unsigned char *parameters; /* owned by the caller */
};

/* Runs grids that the host launches, and all grids launched from them. The others may run at the
 * same time. Returns false if memory runs out. */
bool dispatch_grids(const struct host_grid *starts, uint32_t count, uint64_t seed);
void dispatch_close(void);

#endif
