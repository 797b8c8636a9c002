/* SPDX-License-Identifier: MIT
 *
 * The results of measurements of speed: throughput and the benchmark of reductions.
 */
#ifndef SIMTCHECK_BENCH_RECORD_SPEED_H
#define SIMTCHECK_BENCH_RECORD_SPEED_H

#include "catalogue.h"
#include "engines.h"
#include "field.h"

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

extern const struct table throughput_table, benchmark_row_table, benchmark_table;

#endif
