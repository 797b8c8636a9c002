/* SPDX-License-Identifier: MIT
 *
 * The results of `compilers`, which are also a part of snapshots.
 */
#ifndef SIMTCHECK_COMPILERS_RECORD_COMPILERS_H
#define SIMTCHECK_COMPILERS_RECORD_COMPILERS_H

#include "catalogue.h"
#include "outcome_tables.h"
#include "record_code.h"

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

extern const struct table stage_table, family_table, twins_table, compilers_table;

#endif
