/* SPDX-License-Identifier: MIT
 *
 * The trial of a compilers: programs, as kernels in PTX, through every stage there is, held to what
 * they mean.
 */
#ifndef SIMTCHECK_COMPILERS_TRIAL_H
#define SIMTCHECK_COMPILERS_TRIAL_H

#include "build.h"
#include "case.h"
#include "program.h"
#include "shrink.h"

struct supervisor;

enum stage_kind {
    STAGE_SIM,         /* the PTX on the simulator */
    STAGE_FRONT_END,   /* the PTX that an nvcc or a clang makes of CUDA C++, on the simulator */
    STAGE_UNOPTIMISED, /* machine code by ptxas -O0, on the GPU */
    STAGE_OPTIMISED,   /* by ptxas -O3 */
    STAGE_DRIVER,      /* by the driver's compiler */
};

struct stage {
    enum stage_kind kind;
    const struct compiler *compiler; /* of a front end or of machine code */
    struct supervisor *supervisor;   /* null: nothing runs it here, it is only built */
    char name[48];                   /* "ptxas 13.0.88 -O3" */
    char skipped[256];               /* why it takes part no longer; empty: it does */
    uint64_t run, wrong;             /* programs */
    uint64_t rows, rows_wrong;       /* of the catalogue */
    char rows_skipped[256];          /* why it cannot run those; empty: it does */
    uint64_t same_code;              /* STAGE_OPTIMISED: pairs of programs, as struct twins */
};

enum { MAX_STAGES = 3 * MAX_COMPILERS + 2, MAX_FAILURES = 512 };

/* Programs whose results are wrong in the same way: their simplest. */
struct family {
    struct program program;
    char shape[256];
    uint64_t members;       /* programs that came down to it */
    bool wrong[MAX_STAGES]; /* by stage */
    struct outcome outcome; /* in the first of those stages */
    struct values values;
    uint64_t when; /* trial_number() when it was found */
};

/* Two programs of different meaning of which some ptxas made the same code. */
struct twins {
    struct program one, other;
    bool by[MAX_STAGES]; /* stages whose ptxas did */
    uint64_t element;    /* of the values, at which they differ */
    uint64_t expected[2];
    uint32_t bytes; /* of the first one's code */
    uint64_t when;  /* trial_number() when they were found */
};

/* An assembler that gave other code for the same PTX, or a front end, other PTX. */
struct unsteady {
    const struct compiler *compiler;
    const char *tool, *how; /* "ptxas", "in another process" */
};

/* A kernel of the catalogue that a stage makes wrong. */
struct wrong_row {
    const struct stage *stage;
    struct counterexample counterexample; /* the first case of those tried */
};

enum { MAX_FAMILIES = 64, MAX_TWINS = 64, MAX_WRONG_ROWS = 64 };

struct trial {
    /* Given. */
    const char *folder;       /* for files */
    const char *architecture; /* "sm_90" */
    uint64_t seed;
    struct stage stages[MAX_STAGES];
    size_t stage_count;
    bool (*stopped)(void);
    uint64_t skipped; /* programs before these that other shards try */
    /* What came. */
    uint64_t programs;
    struct family families[MAX_FAMILIES];
    size_t family_count;
    struct twins twins[MAX_TWINS]; /* the smallest first */
    size_t twin_count, twins_seen;
    struct wrong_row wrong_rows[MAX_WRONG_ROWS];
    size_t wrong_row_count;
    struct unsteady unsteady[2 * MAX_COMPILERS];
    size_t unsteady_count;
    bool steady;     /* that has been looked at */
    char error[512]; /* why it could not go on */
};

/* How many programs were tried before, here and by other shards: what comes next has its values
 * from that, whoever tries it. */
uint64_t trial_number(const struct trial *trial);

/* So many programs are for another shard, which also looks whether compilers are steady. */
void trial_skip(struct trial *trial, uint64_t count);

/* Likewise the idioms. */
void trial_skip_idioms(struct trial *trial);

/* Runs programs in every stage, and shrinks what is wrong to families. False when the trial cannot
 * go on: `error` says why. */
bool trial_of_programs(struct trial *trial, const struct program *programs, size_t count);

/* Draws `count` programs from number `first` on, and tries those likewise. */
bool trial_run(struct trial *trial, uint64_t first, size_t count);

/* Runs the families' programs in every stage once more, in which others may have come down to them:
 * afterwards it is known of each stage whether it is wrong. False as for trial_run(). */
bool trial_settle(struct trial *trial);

/* Assembles programs, and those beside them, by every ptxas that has an optimised stage, and looks
 * for twins; the first of all three times, in two processes and under two names, and their code is
 * to be the same. Needs no GPU. */
bool trial_twins_of(struct trial *trial, const struct program *programs, size_t count);

/* Likewise of `count` programs that are drawn, from number `first` on. */
bool trial_twins(struct trial *trial, uint64_t first, size_t count);

/* Tries the idioms (idioms.h) in every stage, and looks for twins of them. */
bool trial_idioms(struct trial *trial);

/* Puts corrected variants of the catalogue through every stage that compiles, a case a block size
 * around powers of two. Kernels that launch are left out: their machine code would have to be
 * linked with the device's runtime. Nothing is tried where the build has no PTX of its kernels.
 * False as for trial_run(). */
bool trial_kernels(struct trial *trial, const struct catalogue *catalogue);

/* What came of one case in every stage: outcomes[stage], which is a pass where the stage could not
 * run it and has a reason in `skipped`. A kernel that launches is run by engines alone. False
 * as for trial_run(). */
bool trial_case(struct trial *trial, const struct test_case *test,
                struct outcome outcomes[MAX_STAGES]);

#endif
