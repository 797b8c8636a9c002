/* SPDX-License-Identifier: MIT
 *
 * Mutants of one source, built together: each is a copy of the source in a namespace of its own,
 * and the first copy is the source itself.
 */
#ifndef SIMTCHECK_MUTATION_BATCH_H
#define SIMTCHECK_MUTATION_BATCH_H

#include "build.h"
#include "mutant.h"

#include <stdint.h>

enum { BATCH_PATH = 512, MAX_KERNELS = 16, TAG_SIZE = 16 };

/* A file of CUDA C++, and how it is compiled. All is the caller's. */
struct mutated_source {
    const char *path;
    struct source source;
    struct source_function *functions;
    size_t function_count;
    const bool *reached;    /* by function: its kernels need it; null: not known, and all stay */
    const char *expression; /* of the kernel, as C++ has it; null: it has its own EXPORT_KERNEL() */
    struct compiler compiler, ptxas; /* compiler: an nvcc or a clang */
    bool has_ptxas;
    const char *architecture; /* for ptxas, such as "sm_90" */
    const char *const *flags; /* for it */
    size_t flag_count;
    const char *folder; /* for files */
};

enum build_state {
    BUILD_RUNS,         /* its code is in the batch's module */
    BUILD_SAME_PTX,     /* its kernels are the source's, by the PTX */
    BUILD_SAME_CODE,    /* likewise by the machine code */
    BUILD_NOT_COMPILED, /* the compiler refuses it */
    BUILD_NO_CODE,      /* the simulator cannot run its PTX: `error` says why */
};

struct batch {
    const struct mutated_source *of;
    size_t number;                       /* names its files: one of each */
    const struct mutant *const *mutants; /* the caller's */
    size_t count;
    const char *kernels[MAX_KERNELS]; /* that are to be built, by the names of EXPORT_KERNEL() */
    size_t kernel_count;
    bool is_whole; /* copies have all functions: without some of them they do not compile */
    /* What came of it. */
    bool cannot_write; /* its files: that is no refusal of the compiler's */
    enum build_state *states;
    char module[BATCH_PATH]; /* PTX of those that are to run; "": none is */
    char error[1024];
};

/* What the kernels of copy k are called in the module before their own names: "m00007_"; copy 0 is
 * the source, and k + 1 has mutant k. */
void batch_prefix(size_t copy, char prefix[TAG_SIZE]);

/* The path of its PTX ("ptx"), or of another of its files. */
void batch_path(const struct batch *batch, const char *end, char path[BATCH_PATH]);

/* Builds it. False, with `error`, when the source itself cannot be built: then nothing is known of
 * its mutants. `with_source`: it is in the module, too. */
bool batch_build(struct batch *batch, bool with_source);

/* Removes its files and forgets its states. */
void batch_close(struct batch *batch);

/* Marks the functions of which the source's kernels need code. False with `error`, likewise. */
bool batch_reach(struct batch *batch, bool *reached);

#endif
