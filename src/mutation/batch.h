/* SPDX-License-Identifier: MIT
 *
 * Mutants of one source, built together. Each is a copy of the source in a namespace of its own;
 * the first copy is the source itself.
 */
#ifndef SIMTCHECK_MUTATION_BATCH_H
#define SIMTCHECK_MUTATION_BATCH_H

#include "build.h"
#include "mutant.h"

#include <stdint.h>

enum { BATCH_PATH = 512, MAX_KERNELS = 16, TAG_SIZE = 16 };

/* A file of CUDA C++, and how to compile it. The caller owns all of it. */
struct mutated_source {
    const char *path;
    struct source source;
    struct source_function *functions;
    size_t function_count;
    const bool *reached;    /* by function: its kernels need it; null: unknown, all stay */
    const char *expression; /* of the kernel, in C++; null: the file has an EXPORT_KERNEL() */
    struct compiler compiler, ptxas; /* compiler: an nvcc or a clang */
    bool has_ptxas;
    const char *architecture; /* for ptxas, such as "sm_90" */
    const char *const *flags; /* for the compiler */
    size_t flag_count;
    const char *folder; /* for files */
};

enum build_state {
    BUILD_RUNS,         /* its code is in the batch's module */
    BUILD_SAME_PTX,     /* its kernels have the same PTX as the source's */
    BUILD_SAME_CODE,    /* its kernels have the same machine code as the source's */
    BUILD_NOT_COMPILED, /* the compiler rejects it */
    BUILD_NO_CODE,      /* the simulator cannot run its PTX: `error` says why */
};

struct batch {
    const struct mutated_source *of;
    size_t number;                       /* names its files; unique for each batch */
    const struct mutant *const *mutants; /* owned by the caller */
    size_t count;
    const char *kernels[MAX_KERNELS]; /* kernels to build, by the names of EXPORT_KERNEL() */
    size_t kernel_count;
    bool is_whole; /* copies have all functions: without some of them they do not compile */
    /* Results. */
    bool cannot_write; /* The files cannot be written; the compiler has rejected nothing. */
    enum build_state *states;
    char module[BATCH_PATH]; /* PTX of the copies to run; "": none */
    char error[1024];
};

/* Writes the prefix of the kernels of copy k in the module, such as "m00007_". Copy 0 is the
 * source; copy k + 1 has mutant k. */
void batch_prefix(size_t copy, char prefix[TAG_SIZE]);

/* Writes the path of its PTX ("ptx"), or of another of its files. */
void batch_path(const struct batch *batch, const char *end, char path[BATCH_PATH]);

/* Builds the batch. With `with_source`, the module also has the source. Returns false with `error`
 * when the source itself cannot be built; the states of the mutants are then unknown. */
bool batch_build(struct batch *batch, bool with_source);

/* Removes its files and frees its states. */
void batch_close(struct batch *batch);

/* Marks the functions that the source's kernels need. Returns false with `error` when the source
 * cannot be built. */
bool batch_reach(struct batch *batch, bool *reached);

#endif
