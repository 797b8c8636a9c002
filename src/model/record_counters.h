/* SPDX-License-Identifier: MIT
 *
 * The results of `counters`.
 */
#ifndef SIMTCHECK_MODEL_RECORD_COUNTERS_H
#define SIMTCHECK_MODEL_RECORD_COUNTERS_H

#include "catalogue.h"
#include "field.h"
#include "instructions.h"

/* The number of grids, blocks and threads at one depth. */
struct level_record {
    uint64_t grids, blocks, threads;
};

/* The cost of one case. The name of a transaction counter gives its size: 128-byte lines, as Kepler
 * counts, or 32-byte sectors, as Volta does. */
struct counter_record {
    const char *id;
    enum variant_kind kind;
    const char *engine;
    struct extent grid, block;
    uint64_t size[2];
    bool has_depth;
    uint32_t max_depth;
    uint64_t gld_transactions_128B, gst_transactions_128B, gld_transactions_32B,
        gst_transactions_32B, gst_transactions_of_1_sector, gst_transactions_of_2_sectors,
        gst_transactions_of_4_sectors;
    double gld_efficiency_32B, gst_efficiency_32B, gld_efficiency_128B; /* per cent */
    uint64_t gld_requests, gst_requests, gld_bytes, gst_bytes;
    double lane_efficiency;
    uint64_t barriers, child_grids, child_threads;
    /* Instructions that warps executed, and the sum over their lanes. */
    uint64_t inst_executed, thread_inst_executed;
    double inst_per_warp, inst_per_lane, warp_execution_efficiency;
    uint64_t branches, divergent_branches;
    uint64_t instructions[SIMT_CLASSES];
    struct list launches; /* of struct level_record; empty if no grid launches another */
};

extern const struct table counter_table;

#endif
