/* SPDX-License-Identifier: MIT
 *
 * Computes how many blocks of a kernel are resident on one streaming multiprocessor (SM).
 */
#ifndef SIMTCHECK_TESTS_RESIDENCY_H
#define SIMTCHECK_TESTS_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The resources of an SM, and how it allocates them. */
struct sm_limits {
    int major, minor;                /* compute capability */
    uint32_t processors;             /* cores for 32-bit floats, of an SM */
    uint32_t block_threads;          /* most threads of one block */
    uint32_t blocks, warps, threads; /* most of them resident on an SM */
    uint32_t registers;              /* of an SM, 32 bits each */
    uint32_t block_registers;        /* most for one block */
    uint32_t register_unit;          /* registers are allocated in multiples of this */
    bool registers_by_block;         /* allocated to a block as a whole; else to each warp */
    uint32_t partitions;             /* parts of an SM, with equal shares of warps and registers */
    uint32_t shared, shared_unit;    /* bytes of shared memory; allocated in multiples of the
                                        unit */
    uint32_t shared_reserved;        /* bytes of it that the system reserves for each block */
    uint32_t block_shared;           /* most for one block, without the reserved bytes */
};

/* Compute capability 1.0 to 5.3. Sources: CUDA C Programming Guide, technical specifications per
 * compute capability; CUDA occupancy calculator, for the allocation of registers and shared
 * memory. */
extern const struct sm_limits sm_limits_table[];
extern const size_t sm_limits_count;

/* Returns null if the table does not have that compute capability. */
const struct sm_limits *sm_limits_of(int major, int minor);

struct residency {
    uint32_t blocks, warps, threads; /* resident at once; all 0 if such a block cannot run */
};

/* Returns the resident warps over the maximum. A partial last warp counts as a whole warp. */
double oracle_occupancy(const struct sm_limits *limits, const struct residency *residency);

/* Little's law: returns the operations, or bytes, that must be in flight to keep a unit busy. The
 * unit starts `throughput` of them in each cycle, and each takes `latency` cycles. */
double oracle_concurrency(double latency, double throughput);

/* Returns the residency of a kernel with that many registers for each thread and bytes of shared
 * memory for each block. */
struct residency oracle_residency(const struct sm_limits *limits, uint32_t block_threads,
                                  uint32_t registers, uint32_t shared);

#endif
