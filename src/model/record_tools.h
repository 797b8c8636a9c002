/* SPDX-License-Identifier: MIT
 *
 * The results on machine code and on compilers.
 */
#ifndef SIMTCHECK_MODEL_RECORD_TOOLS_H
#define SIMTCHECK_MODEL_RECORD_TOOLS_H

#include "catalogue.h"
#include "outcome_tables.h"

/* The machine code of a kernel, as a ptxas generates it. */
struct kernel_record {
    const char *kernel, *module, *ptxas, *arch;
    uint64_t registers;
    uint64_t spill_store_bytes, spill_load_bytes;
    bool has_spills; /* the spill sizes are known */
    uint64_t stack_bytes, shared_bytes, constant_bytes, code_bytes;
    const char *digest;
};

/* A module that a ptxas rejects. */
struct failure_record {
    const char *module, *ptxas, *reason;
};

struct code_record {
    const char *skipped;  /* why there are no results; null: there are */
    struct list failures; /* of struct failure_record */
    struct list kernels;  /* of struct kernel_record */
};

struct wrong_kernel_record {
    const char *id;
    enum variant_kind kind;
    const char *outcome;
};

struct stage_record {
    const char *stage;
    uint64_t programs, wrong, same_code_pairs;
    const char *skipped; /* why the stage is skipped; empty: it takes part */
    uint64_t kernels;
    struct list kernels_wrong; /* of struct wrong_kernel_record */
    const char *kernels_skipped;
};

struct family_record {
    const char *shape, *program;
    uint64_t members;
    const char *cause;
    struct list wrong; /* names of stages */
    struct difference difference;
};

/* Two programs with different meaning for which a ptxas generates the same code. */
struct twins_record {
    const char *one, *other, *ptxas;
};

/* A pair in a shard, with a row for each ptxas, and when it was found. */
struct pair_record {
    uint64_t when;
    struct list rows; /* of struct twins_record */
};

struct compilers_origin {
    struct list families; /* of uint64_t: when each was found */
    struct list pairs;    /* of struct pair_record */
};

struct compilers_record {
    uint64_t seed, programs;
    struct list stages;    /* of struct stage_record */
    struct list families;  /* of struct family_record */
    struct list same_code; /* of struct twins_record */
    uint64_t same_code_pairs;
    struct list unsteady; /* texts */
    bool has_complete, complete;
    struct code_record *code;
    struct compilers_origin *origin; /* set in the file of a shard */
};

extern const struct table kernel_record_table, failure_table, code_table, stage_table, family_table,
    twins_table, pair_record_table, compilers_table;

#endif
