/* SPDX-License-Identifier: MIT
 *
 * The results on machine code.
 */
#ifndef SIMTCHECK_MODEL_RECORD_CODE_H
#define SIMTCHECK_MODEL_RECORD_CODE_H

#include "field.h"

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

extern const struct table kernel_record_table, failure_table, code_table;

#endif
