/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the CUDA runtime library. Host code that nvcc has compiled is linked with it, and
 * the simulator runs its launches, copies and fills. It stands in for one GPU of 16 SMs. A missing
 * function is a link error. An unknown argument ends the program.
 */
#ifndef SIMTCHECK_TESTS_PTX_RUNTIME_H
#define SIMTCHECK_TESTS_PTX_RUNTIME_H

#include "launches.h"

/* Sums up the launches since runtime_start(). */
struct runtime_report {
    uint64_t launches, blocks;
    uint64_t checked;               /* accesses that were checked for races */
    uint64_t race_count, unordered; /* members of struct engine_outcome, summed over the launches */
    struct race race;               /* the first race, if there is one */
    bool failed;                    /* the last launch had a fault; later launches do nothing */
    struct fault fault;
};

/* Starts without buffers. Returns false if there is no memory for the modules' variables. */
bool runtime_start(struct engine *engine, const struct launch_rules *rules);
void runtime_end(void);
const struct runtime_report *runtime_report(void);

/* Allocates like cudaMalloc(). `name` is the buffer's name in reports. */
void *runtime_allocate(const char *name, size_t count, size_t element_bytes);

#endif
