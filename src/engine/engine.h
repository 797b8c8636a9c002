/* SPDX-License-Identifier: MIT
 *
 * The interface of an engine: something that runs kernels and says what happened. engine/host/
 * runs them on a CPU and checks every access; engine/cuda/ runs them on a GPU. A program is linked
 * with one of them at the most.
 *
 * Both put guard zones around every buffer, fill inputs from (pattern, parameter) where the kernel
 * runs, and tell an output that was written from one that was not.
 */
#ifndef SIMTCHECK_ENGINE_ENGINE_H
#define SIMTCHECK_ENGINE_ENGINE_H

#include "catalogue.h"
#include "coverage.h"
#include "engines.h"
#include "input_values.h"
#include "instructions.h"
#include "outcome.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum schedule_kind {
    SCHEDULE_SEQUENTIAL, /* lowest thread (lockstep: warp) that can run, till it must wait */
    SCHEDULE_REVERSE,    /* the highest instead */
    SCHEDULE_RANDOM,     /* a seeded random one, pre-empted at random accesses */
    SCHEDULE_DELAYS,     /* sequential, but for a few delays */
};

enum { MAX_DELAYS = 3 };

/* A delay holds back the thread (lockstep: the warp) that is to make the scheduling point of that
 * number, from 1 on, until everything else waits. its: an access or barrier is a scheduling point;
 * lockstep: a step of a warp. */
struct schedule {
    enum schedule_kind kind;
    uint64_t seed;               /* SCHEDULE_RANDOM only */
    uint32_t delays[MAX_DELAYS]; /* SCHEDULE_DELAYS only: ascending, then zeros */
};

/* What a profiler counts of global memory, for loads and atomic instructions (0) and for stores
 * (1). One request is one access instruction of one warp. */
struct access_counters {
    uint64_t requests;
    uint64_t lanes;   /* that took part, over all requests */
    uint64_t bytes;   /* that they asked for */
    uint64_t lines;   /* 128-byte lines touched, over all requests: Kepler's load transactions */
    uint64_t sectors; /* 32-byte sectors touched, likewise: Volta's transactions */
    /* Kepler's store transactions: of each line, the least aligned 1, 2 or 4 sectors that hold what
     * is touched. */
    uint64_t by_size[3];
};

/* What blocks do between two barriers. All members are of one type: wire.c sends them in a row. */
struct interval_counters {
    struct access_counters access[2];
    struct {
        uint64_t requests, lanes;
    } shared[2];
    uint64_t warps;  /* that have made an access */
    uint64_t split;  /* of those, in an access of which not all lanes that live took part */
    uint64_t blocks; /* that have passed the barrier at its end */
    /* Instructions executed by warps, and by lanes, by class; conditional branches that warps come
     * to, and those at which lanes part. */
    uint64_t instructions[SIMT_CLASSES], lane_instructions[SIMT_CLASSES];
    uint64_t branches, divergent_branches;
};

enum { MAX_INTERVALS = 64 };

struct engine_counters {
    struct interval_counters all;
    uint64_t children, child_threads; /* grids that kernels have launched, and their threads */
    /* By how many barriers the block has passed; the last has what comes after it, too. */
    struct interval_counters intervals[MAX_INTERVALS];
    uint64_t interval_count;
};

/* What nested launches are held to: CUDA dynamic parallelism as it was to CUDA 11, and as it is. */
enum profile {
    PROFILE_CDP2, /* tail launches, fire-and-forget; no wait on the device, no limit of depth */
    PROFILE_CDP1, /* the null stream alone, and waiting on the device */
};

/* Limits of nested launches; 0 is the default. */
struct nesting {
    enum profile profile;
    uint32_t pending;    /* launches that have not started, of every kind */
    uint32_t wait_depth; /* CDP1: depth from which a thread cannot wait any more */
    uint32_t depth;      /* CDP1: deepest grid */
    uint32_t children;   /* grids, after which it is FAULT_RUNAWAY; 0: no limit */
};

enum { DEFAULT_PENDING = 2048, DEFAULT_WAIT_DEPTH = 2, DEFAULT_DEPTH = 24 };

/* cuda-stress: how accesses are delayed; 0 stands for a default. */
struct delays {
    uint32_t seed;
    uint32_t per_cent;   /* of the accesses, about */
    uint32_t longest_ns; /* the default is taken from what a child launch takes */
};

struct engine_limits {
    double deadline_seconds; /* for one job */
    uint64_t steps;          /* sim: instructions of one job, of all threads together;
                                0: far more than a launch of that many threads should need */
    struct delays delays;
    bool strict_barriers; /* a thread that has returned does not come to a barrier, either */
    bool warp_barriers;   /* sim: whole warps may meet at different barriers of a block */
    bool
        every_schedule; /* sim: run a job as it was asked for, even where one run decides for all */
};

/* One launch to run. `results[k]`, where not null, receives the contents of buffer k after a run
 * without fault: invocation->buffers[k].count elements, owned by the caller. */
struct engine_job {
    const struct invocation *invocation;
    struct values values;
    enum model model;
    struct schedule schedule;
    struct nesting nesting;
    struct engine_counters *counters; /* sim, MODEL_LOCKSTEP: count; null: do not */
    /* look for races, and describe up to so many here, one for each pair of places in the
     * source; null: do not look */
    struct race *races;
    size_t race_capacity;
    void *results[MAX_BUFFERS];
};

struct engine_outcome {
    struct fault fault;
    uint64_t steps;   /* checked memory accesses and barriers */
    uint64_t points;  /* scheduling points; 0 where one run decides for every schedule */
    uint64_t checked; /* accesses that were held against others, where races were looked for */
    /* pairs of places in the source where strong accesses are ordered by nothing, which is no
     * race: an order of them may still change the result. They come after the races. */
    size_t unordered_count;
    size_t same_count; /* of the races: pairs of writes that all write the same */
    size_t race_count; /* pairs of places in the source, of which the job's `races` has the first */
    /* Nested launches: child grids, all their blocks and threads, launches that failed, depth of
     * the deepest grid (host). */
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest;
    /* sim: of each kernel that the host launched. They are the engine's, until its next job. */
    const struct kernel_coverage *coverage;
    size_t coverage_count;
    char active_mask[112]; /* as in struct outcome */
};

enum engine_status {
    ENGINE_OK,
    ENGINE_UNAVAILABLE, /* no such engine on this machine */
    ENGINE_LOST,        /* a job broke the engine: close it, or end the process */
    ENGINE_ERROR,       /* out of memory or the like; nothing is known of the jobs */
    ENGINE_STOPPED,     /* a run in workers: the user has ended it before all was done */
};

struct engine;

/* The engine that this program is linked with. */
const struct engine_kind *engine_kind(void);

/* How many engines of one process can run at once, each on a thread of its own. */
unsigned int engine_threads(void);

/* Opens an engine. On failure *engine is null and `reason` says why in one sentence. */
enum engine_status engine_open(const struct engine_limits *limits, struct engine **engine,
                               char *reason, size_t reason_size);
void engine_close(struct engine *engine);

/* One line for reports: what runs the kernels, and the versions that matter. */
void engine_describe(struct engine *engine, char *text, size_t size);

/* From now on kernels are those of the file, and no others. cuda: of machine code, a fat binary or
 * PTX, with no cases in flight; sim: of PTX, or of the files *.ptx of a folder. False, with a
 * sentence. */
bool engine_load(const char *path, char *reason, size_t reason_size);

/* Why kernels with that need cannot run on this engine; null: they can. */
const char *engine_lacks(const struct engine *engine, enum need need);

/* How many jobs one engine_run() should be given for best speed. */
size_t engine_batch(const struct engine *engine);

/* Runs the jobs, which do not depend on each other, and waits for them. Every fault is in its
 * job's outcome and the return value is ENGINE_OK. On ENGINE_LOST only outcomes[0] of a call with
 * one job is valid; of a larger batch nothing is known. On ENGINE_ERROR and ENGINE_LOST,
 * outcomes[0].fault.text says what happened. */
enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes);

#ifdef __cplusplus
}
#endif

#endif
