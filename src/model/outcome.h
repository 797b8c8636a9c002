/* SPDX-License-Identifier: MIT
 *
 * What comes of a case: it passes, differs from the oracle, or ends in a fault; and the races in
 * it. Workers, checks and results all speak these types.
 */
#ifndef SIMTCHECK_MODEL_OUTCOME_H
#define SIMTCHECK_MODEL_OUTCOME_H

#include "simt.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the simulator promises a kernel about the lanes of a warp. The CUDA engine runs what the
 * GPU is, and takes no notice of model and schedule. */
enum model {
    MODEL_LOCKSTEP,    /* lanes at one instruction step together, as before Volta */
    MODEL_INDEPENDENT, /* independent thread scheduling: nothing orders lanes but synchronisation */
};

enum { MODELS = MODEL_INDEPENDENT + 1 };

const char *model_name(enum model model);

enum fault_kind {
    FAULT_NONE,
    FAULT_OUT_OF_BOUNDS_READ,   /* a read outside every buffer, or in a guard zone */
    FAULT_OUT_OF_BOUNDS_WRITE,  /* likewise a write; on the GPU, a guard zone found changed */
    FAULT_READ_ONLY,            /* a write to an input */
    FAULT_UNINITIALIZED_READ,   /* a read of memory that nothing wrote */
    FAULT_UNWRITTEN_OUTPUT,     /* an output element that the kernel left unwritten */
    FAULT_DIVERGENT_BARRIER,    /* threads of one block wait at different __syncthreads() */
    FAULT_DEADLOCK,             /* threads wait in loops for what nobody can do */
    FAULT_STEP_LIMIT,           /* more steps than engine_limits.steps */
    FAULT_TIMEOUT,              /* longer than engine_limits.deadline_seconds */
    FAULT_LAUNCH,               /* the launch itself was refused */
    FAULT_CHILD_LAUNCH,         /* a kernel's own launch failed */
    FAULT_RUNAWAY,              /* more child grids than the case may have by far */
    FAULT_UNEXPECTED_OUTPUT,    /* it printed what nobody asked for, or too much */
    FAULT_DIVISION,             /* a quotient by zero was used */
    FAULT_LOCAL_POINTER_ESCAPE, /* a child grid was given a pointer to local or shared memory
                                 */
    FAULT_STACK,                /* a thread overran its stack */
    FAULT_MISALIGNED,           /* an access at no multiple of its size */
    FAULT_TRAP,                 /* a trap, or an assertion that failed */
    FAULT_USE_AFTER_FREE,       /* an access to memory that free() took back */
    FAULT_INVALID_FREE,         /* free() of memory that malloc() did not give, or twice */
    FAULT_MEMORY_LEAK,          /* memory of malloc() that nothing has freed at the end */
    FAULT_UNSUPPORTED,          /* the kernel asked for what the engine does not have */
    FAULT_CRASH,                /* GPU error, or a worker process that died */
};

enum { FAULT_KINDS = FAULT_CRASH + 1 };

/* The word for reports and JSON, such as "out-of-bounds-read". */
const char *fault_name(enum fault_kind kind);

/* What went wrong, with its place where the engine knows it. `text` is a full sentence part that
 * names access, buffer, thread and source line. */
struct fault {
    enum fault_kind kind;
    struct extent block, thread;
    int line;      /* 0: not known */
    char file[96]; /* as the compiler was given it, shortened from the left */
    char text[320];
};

/* The first thing in which a result differs. `place` is the element, such as "out[3]", or empty for
 * the whole sum. */
struct difference {
    char place[56], expected[48], got[48];
};

enum outcome_kind {
    OUTCOME_PASS,
    OUTCOME_MISMATCH, /* it ran, and the result is not the oracle's */
    OUTCOME_FAULT,    /* it did not run to its end, or broke a rule on the way */
};

const char *outcome_name(enum outcome_kind kind);

struct outcome {
    enum outcome_kind kind;
    struct fault fault;           /* OUTCOME_FAULT */
    struct difference difference; /* OUTCOME_MISMATCH */
    uint64_t digest;              /* of all outputs, where it was asked for; not after a fault */
    uint64_t points;              /* scheduling points, likewise */
    /* host, where races were looked for: pairs of places in the source that race; of strong
     * accesses that nothing orders; and accesses looked at */
    uint64_t races, unordered, checked;
    uint64_t same_value; /* of the pairs that race: those of writes that all write the same */
    uint64_t
        unexpected; /* of those pairs, the ones that the variant's known defect does not name */
    /* the place, "my.cu:12", of an __activemask() that it has executed; "": of none */
    char active_mask[112];
#ifdef SIMTCHECK_EXTRA_MEMBER
    uint64_t extra; /* a test adds it here and in the table, and nowhere else */
#endif
};

/* What an access does, as bits. */
enum {
    ACCESS_READ = 0,
    ACCESS_WRITE = 1,
    ACCESS_VOLATILE = 2,
    ACCESS_ATOMIC = 4, /* reads and writes */
    /* A read that holds for as long as its grid runs: ld.global.nc. */
    ACCESS_CONSTANT = 64,
};

/* One of the two accesses of a race. */
struct race_side {
    char kernel[48];
    uint64_t grid; /* in order of launches; 0: launched by the host */
    struct extent block, thread;
    uint32_t number; /* of the thread in its block */
    unsigned int access;
    char scope[8]; /* of an atomic access: "block", "device" or "system" */
    char file[96];
    int line; /* 0: not known */
    /* ptx: where the compiler has inlined that, and the line of the PTX; "" and 0: nowhere. */
    char outer[104]; /* "file:12" */
    int ptx_line;
    /* The 32-bit word raced for, where known: as it was before a write, as it was written or read.
     */
    bool before_known, after_known;
    uint32_t before, after;
};

/* "atomic", "write" or "read". */
const char *race_access_word(const struct race_side *side);

/* Two accesses of one place, at least one of which writes, that nothing orders. `place` is such as
 * "in[3]"; `missing` says in words which order there is not. */
struct race {
    struct race_side first, second; /* in the order in which they happened to come */
    char place[48], missing[256];
    uint64_t count;  /* of all such races between the two places in the source */
    bool same_value; /* a race of writes, all of which write the same */
    bool strong;     /* no race: both are volatile or atomic, and each in the scope of the other */
};

#ifdef __cplusplus
}
#endif

#endif
