/* SPDX-License-Identifier: MIT
 *
 * Mutants of one source, compiled together. Each is a copy of the source in a namespace of its own.
 * Copy 0 is the source itself; copy k + 1 has mutant k.
 */
#ifndef SIMTCHECK_MUTATION_BATCH_H
#define SIMTCHECK_MUTATION_BATCH_H

#include "build.h"
#include "machine_code.h"
#include "mutant_run.h"
#include "ptx_pieces.h"
#include "tool.h"

#include <stdatomic.h>

enum { BATCH_PATH = 512, MAX_IN_BATCH = 32 };

/* Compilers, and a folder for their files. */
struct build_tools {
    struct compiler compiler, ptxas; /* compiler: an nvcc or a clang */
    bool has_ptxas;
    const char *architecture; /* for ptxas, such as "sm_90" */
    char folder[TOOL_FOLDER];
    atomic_size_t batches; /* compiled so far; names their files */
};

/* A file of CUDA C++, its kernels, and how to compile it. The caller owns all of it. */
struct mutated_source {
    const char *path;
    struct source source;
    struct source_function *functions;
    size_t function_count;
    bool *reached;          /* by function: some target needs it; null: unknown, all stay */
    const char *expression; /* of the kernel, in C++; null: the file has an EXPORT_KERNEL() */
    struct mutant_target *targets;
    size_t target_count;
    struct build_tools *tools;
    const char *const *flags; /* for the compiler */
    size_t flag_count;
};

struct batch {
    const struct mutated_source *of;
    const struct mutant *mutants[MAX_IN_BATCH]; /* null, once built: the compiler rejects it */
    size_t count;
    /* Results. */
    bool is_whole;     /* copies have all functions: without some of them they do not compile */
    bool cannot_write; /* The files cannot be written; the compiler has rejected nothing. */
    char *said;        /* output of the compiler, or the reason of another failure */
    size_t number;     /* names its files; unique for each batch */
    char *ptx;         /* of all copies */
    struct ptx_pieces pieces;
    struct kernel_code *codes; /* machine code of all copies, if ptxas accepts them */
    size_t code_count;
    struct memory memory;
};

/* Compiles the source and the mutants that the compiler accepts. Returns false if that fails, also
 * without the mutants that error messages name. Some other mutant, or the source itself, is then at
 * fault, and batch->said says why. Call batch_close() in either case. */
bool batch_build(struct batch *batch);

/* Removes its files, and frees the results. */
void batch_close(struct batch *batch);

/* Marks the functions that the target's kernels need, in target->reached. Returns false with
 * batch->said if the source has no such kernel. */
bool batch_reach(struct batch *batch, struct mutant_target *target);

/* Compares the target's kernels in a copy with those of the source. The verdict is
 * MUTANT_EQUIVALENT, with the proof, or MUTANT_UNDECIDED. It is MUTANT_NOT_COMPILED if the copy
 * has no such kernel. */
struct mutant_verdict batch_compare(const struct batch *batch, size_t copy,
                                    const struct mutant_target *target);

/* Writes a module of the target's kernels in a copy, under their own names. The caller removes the
 * file. Returns false with errno set if it cannot be written. */
bool batch_write_module(const struct batch *batch, size_t copy, const struct mutant_target *target,
                        char path[BATCH_PATH]);

#endif
