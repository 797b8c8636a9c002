/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the CUDA runtime library: host code that nvcc has compiled is linked with it, and
 * its launches, copies and fills are done by the simulator. It plays one GPU of 16 SMs. What it
 * does not have does not link; an argument that it does not know ends the program.
 */
#ifndef SIMTCHECK_TESTS_PTX_RUNTIME_H
#define SIMTCHECK_TESTS_PTX_RUNTIME_H

#include "launches.h"

/* What has come of the launches since runtime_start(). */
struct runtime_report {
    uint64_t launches, blocks;
    uint64_t checked;               /* accesses that were held against others */
    uint64_t race_count, unordered; /* as of struct engine_outcome, summed over the launches */
    struct race race;               /* the first, if there is one */
    bool failed;                    /* the last launch had a fault: no other is made */
    struct fault fault;
};

/* Starts without buffers. False when there is no room for the modules' variables. */
bool runtime_start(struct engine *engine, const struct launch_rules *rules);
void runtime_end(void);
const struct runtime_report *runtime_report(void);

/* cudaMalloc() of a buffer that has a name in reports. */
void *runtime_allocate(const char *name, size_t count, size_t element_bytes);

#endif
