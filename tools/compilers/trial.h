/* SPDX-License-Identifier: MIT
 *
 * A trial runs programs, as kernels in PTX, through every available stage and compares the results
 * with the programs' meaning.
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
    STAGE_OPTIMISED,   /* machine code by ptxas -O3, on the GPU */
    STAGE_DRIVER,      /* machine code by the driver's compiler, on the GPU */
};

struct stage {
    enum stage_kind kind;
    const struct compiler *compiler; /* of a front end or of machine code */
    struct supervisor *supervisor;   /* null: the stage is only built here, not run */
    char name[48];                   /* "ptxas 13.0.88 -O3" */
    char skipped[256];               /* why it has dropped out; empty: it has not */
    uint64_t run, wrong;             /* programs */
    uint64_t rows, rows_wrong;       /* rows of the catalogue */
    char rows_skipped[256];          /* why it cannot run those; empty: it can */
    uint64_t same_code;              /* STAGE_OPTIMISED: pairs of programs, as struct twins */
};

enum { MAX_STAGES = 3 * MAX_COMPILERS + 2 };

/* Programs whose results are wrong in the same way, with the simplest of them. */
struct family {
    struct program program;
    char shape[256];
    uint64_t members;       /* programs that shrink to it */
    bool wrong[MAX_STAGES]; /* by stage */
    struct outcome outcome; /* in the first of those stages */
    struct values values;
    uint64_t when; /* trial_number() when it was found */
};

/* Two programs of different meaning for which some ptxas made the same code. */
struct twins {
    struct program one, other;
    bool by[MAX_STAGES]; /* stages whose ptxas did so */
    uint64_t element;    /* index of the values at which they differ */
    uint64_t expected[2];
    uint32_t bytes; /* of the first one's code */
    uint64_t when;  /* trial_number() when they were found */
};

/* A compiler whose output is not reproducible: an assembler that made different code from the same
 * PTX, or a front end that made different PTX. */
struct unsteady {
    const struct compiler *compiler;
    const char *tool, *how; /* "ptxas", "in another process" */
};

/* A kernel of the catalogue that is wrong in a stage. */
struct wrong_row {
    const struct stage *stage;
    struct counterexample counterexample; /* the first wrong case */
};

enum { MAX_FAMILIES = 64, MAX_TWINS = 64, MAX_WRONG_ROWS = 64 };

struct trial {
    /* Inputs. */
    const char *folder;       /* for files */
    const char *architecture; /* "sm_90" */
    uint64_t seed;
    struct stage stages[MAX_STAGES];
    size_t stage_count;
    bool (*stopped)(void);
    uint64_t skipped; /* earlier programs that other shards test */
    /* Results. */
    uint64_t programs;
    struct family families[MAX_FAMILIES];
    size_t family_count;
    struct twins twins[MAX_TWINS]; /* the smallest first */
    size_t twin_count, twins_seen;
    struct wrong_row wrong_rows[MAX_WRONG_ROWS];
    size_t wrong_row_count;
    struct unsteady unsteady[2 * MAX_COMPILERS];
    size_t unsteady_count;
    bool steady;     /* reproducibility has been checked */
    char error[512]; /* why it could not go on */
};

/* Returns how many programs were tested before, here and by other shards. The values of the next
 * programs depend only on this number, not on the shard that tests them. */
static inline uint64_t trial_number(const struct trial *trial)
{
    return trial->programs + trial->skipped;
}

/* Skips `count` programs of another shard. That shard also checks that compilers are
 * reproducible. */
void trial_skip(struct trial *trial, uint64_t count);

/* Skips the idioms in the same way. */
void trial_skip_idioms(struct trial *trial);

/* Runs programs in every stage, and shrinks failures to families. Returns false when the trial
 * cannot go on; `error` says why. */
bool trial_of_programs(struct trial *trial, const struct program *programs, size_t count);

/* Draws `count` programs from number `first` on and runs them as trial_of_programs() does. */
bool trial_run(struct trial *trial, uint64_t first, size_t count);

/* Runs the families' programs once more in every stage, because other programs may have shrunk to
 * them. Afterwards each stage is known to be right or wrong for each family. Returns false as
 * trial_run() does. */
bool trial_settle(struct trial *trial);

/* Assembles programs and their neighbours by every ptxas that has an optimised stage, and looks for
 * twins. Assembles the first ones three times, in two processes and under two names; their code
 * must be the same. Needs no GPU. */
bool trial_twins_of(struct trial *trial, const struct program *programs, size_t count);

/* As trial_twins_of(), for `count` drawn programs from number `first` on. */
bool trial_twins(struct trial *trial, uint64_t first, size_t count);

/* Runs the idioms (idioms.h) in every stage, and looks for their twins. */
bool trial_idioms(struct trial *trial);

/* Runs corrected variants of the catalogue through every stage that compiles, one case for each
 * block size around powers of two. Skips kernels that launch: their machine code must be linked
 * with the device runtime. Does nothing if the build has no PTX of its kernels. Returns false as
 * trial_run() does. */
bool trial_kernels(struct trial *trial, const struct catalogue *catalogue);

/* Runs one case in every stage. outcomes[stage] is a pass if the stage cannot run it and has a
 * reason in `skipped`. Only engines run a kernel that launches. Returns false as trial_run()
 * does. */
bool trial_case(struct trial *trial, const struct test_case *test,
                struct outcome outcomes[MAX_STAGES]);

#endif
