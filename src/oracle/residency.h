/* SPDX-License-Identifier: MIT
 *
 * How many blocks of a kernel are resident on one streaming multiprocessor (SM) at once.
 */
#ifndef SIMTCHECK_ORACLE_RESIDENCY_H
#define SIMTCHECK_ORACLE_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an SM has, and how it hands it out. */
struct sm_limits {
    int major, minor;                /* compute capability */
    uint32_t processors;             /* for 32-bit floats, of an SM */
    uint32_t block_threads;          /* most threads of one block */
    uint32_t blocks, warps, threads; /* most of them resident on an SM */
    uint32_t registers;              /* of an SM, 32 bits each */
    uint32_t block_registers;        /* most for one block */
    uint32_t register_unit;          /* registers are handed out in multiples of this */
    bool registers_by_block;         /* to a block as a whole; else to each warp */
    uint32_t partitions;             /* parts of an SM that share warps and registers alike */
    uint32_t shared, shared_unit;    /* bytes of shared memory, handed out in multiples of unit */
    uint32_t shared_reserved;        /* bytes the system takes of it for each block */
    uint32_t block_shared;           /* most for one block, without what is reserved */
};

/* Compute capability 1.0 to 5.3: CUDA C Programming Guide, technical specifications per compute
 * capability, and the CUDA occupancy calculator for how registers and shared memory are handed
 * out. */
extern const struct sm_limits sm_limits_table[];
extern const size_t sm_limits_count;

/* Null when the table does not have it. */
const struct sm_limits *sm_limits_of(int major, int minor);

struct residency {
    uint32_t blocks, warps, threads; /* resident at once; all 0 when such a block cannot run */
};

/* Warps that reside over the most that can: a last warp counts whole, idle lanes and all. */
double oracle_occupancy(const struct sm_limits *limits, const struct residency *residency);

/* Little's law: operations, or bytes, that must be in flight to keep a unit busy that starts
 * `throughput` of them a cycle and takes `latency` cycles for each. */
double oracle_concurrency(double latency, double throughput);

/* Of a kernel that uses so many registers a thread and so many bytes of shared memory a block. */
struct residency oracle_residency(const struct sm_limits *limits, uint32_t block_threads,
                                  uint32_t registers, uint32_t shared);

#endif
