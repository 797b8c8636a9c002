/* SPDX-License-Identifier: MIT
 *
 * The results of `soak`.
 */
#ifndef SIMTCHECK_SOAK_RECORD_SOAK_H
#define SIMTCHECK_SOAK_RECORD_SOAK_H

#include "field.h"

/* Wrong results of an instruction on an SM. The members from `operands` on describe the first. */
struct soak_wrong_record {
    uint64_t sm;
    const char *instruction;
    uint64_t count; /* wrong words of 64 bits, in all rounds */
    const char *operands;
    uint64_t word;
    const char *expected, *computed; /* hexadecimal */
};

struct soak_sm_record {
    uint64_t sm;           /* %smid */
    uint64_t instructions; /* that ran on it */
    uint64_t tuples;       /* whose results were compared */
};

/* What the GPU does not have, or the build. */
struct soak_skip_record {
    const char *cases, *reason; /* cases: such as "wgmma instructions" */
    struct list instructions;   /* texts */
};

struct soak_gpu_record {
    uint64_t index;
    const char *name, *uuid, *capability, *driver;
    uint64_t sms, instructions, rounds;
    double prepare_seconds; /* to compile the kernels and to copy the operands */
    bool failed;            /* the GPU itself: `error` says how */
    const char *error;      /* why the GPU was not checked, or not to the end; null: it was */
    struct list skipped;    /* of struct soak_skip_record */
    struct list covered;    /* of struct soak_sm_record */
    struct list wrong;      /* of struct soak_wrong_record */
};

struct soak_record {
    const char *simtcheck, *mode;
    const char *build;                /* build_identity; null in the file of the worker */
    uint64_t status;                  /* exit status */
    double seconds, expected_seconds; /* expected_seconds: to compute the expected results */
    const char *error;                /* why no GPU was checked, or null */
    struct list gpus;                 /* of struct soak_gpu_record */
};

extern const struct table soak_gpu_table, soak_table;

#endif
