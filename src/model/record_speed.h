/* SPDX-License-Identifier: MIT
 *
 * The results of cost measurements: counters, throughput and the benchmark of reductions.
 */
#ifndef SIMTCHECK_MODEL_RECORD_SPEED_H
#define SIMTCHECK_MODEL_RECORD_SPEED_H

#include "catalogue.h"
#include "engines.h"
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

struct throughput_record {
    const char *id;
    enum variant_kind kind;
    enum engine_id engine;
    const char *case_id; /* the case that ran */
    uint64_t copies;
    enum { CASES_PER_SECOND } unit;
    struct list samples, pace; /* of double */
};

/* The lower and the upper quartile of the samples. */
struct spread_record {
    double bytes_per_second[2], ratio_to_copy[2], ratio_to_cub[2];
};

struct published_record {
    const char *gpu, *first;
    double bytes_per_second;
};

/* A kernel of the benchmark, or a reference for it, at one size. */
struct benchmark_row {
    const char *kernel;
    enum variant_kind kind; /* VARIANT_CORRECTED + 1: none */
    uint64_t elements, block;
    bool has_block;
    double bytes_per_second, ratio_to_copy, ratio_to_cub;
    struct spread_record spread;
    struct list samples; /* of double */
    struct published_record *published;
};

/* What was not measured, and why. */
struct left_out_record {
    const char *kernel;
    uint64_t elements;
    const char *reason;
};

struct benchmark_record {
    const char *gpu;
    uint64_t runs;
    struct list benchmark; /* of struct benchmark_row */
    struct list left_out;  /* of struct left_out_record */
};

extern const struct table counter_table, throughput_table, benchmark_row_table, benchmark_table;

#endif
