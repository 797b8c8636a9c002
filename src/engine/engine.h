/* SPDX-License-Identifier: MIT
 *
 * The interface of an engine, which runs kernels and reports what happened. engine/sim/ runs them
 * on a CPU and checks every access. engine/cuda/ runs them on a GPU. A program is linked with at
 * most one engine.
 *
 * Both engines put guard zones around every buffer. They fill inputs from (pattern, parameter) on
 * the device that runs the kernel. They distinguish an output that was written from one that was
 * not.
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
    SCHEDULE_SEQUENTIAL, /* the lowest thread (lockstep: warp) that can run, until it must wait */
    SCHEDULE_REVERSE,    /* the highest instead of the lowest */
    SCHEDULE_RANDOM,     /* a seeded random one, pre-empted at random accesses */
    SCHEDULE_DELAYS,     /* sequential, except for a few delays */
    SCHEDULE_WEAK,       /* independent: random, under weak memory */
    SCHEDULE_EXECUTION,  /* independent: one of all executions under weak memory */
};

enum { MAX_DELAYS = 3 };

/* A delay holds back one thread (lockstep: one warp): the one that reaches the scheduling point
 * with that number. Points are numbered from 1. The delay lasts until everything else waits. Under
 * independent, an access or a barrier is a scheduling point. Under lockstep, a step of a warp is
 * one. */
struct schedule {
    enum schedule_kind kind;
    uint64_t seed; /* SCHEDULE_RANDOM, SCHEDULE_WEAK; SCHEDULE_EXECUTION: its number, from 0 */
    uint32_t delays[MAX_DELAYS]; /* SCHEDULE_DELAYS only: ascending, then zeros */
};

/* What a profiler counts of global memory: [0] for loads and atomic instructions, [1] for stores.
 * One request is one access instruction of one warp. */
struct access_counters {
    uint64_t requests;
    uint64_t lanes;   /* lanes that took part, over all requests */
    uint64_t bytes;   /* bytes that these lanes requested */
    uint64_t lines;   /* 128-byte lines touched, over all requests: Kepler's load transactions */
    uint64_t sectors; /* 32-byte sectors touched, over all requests: Volta's transactions */
    /* Kepler's store transactions. Each is the smallest aligned group of 1, 2 or 4 sectors of a
     * line that holds the touched sectors. */
    uint64_t by_size[3];
};

/* What blocks do between two barriers. All members have one type, because wire.c sends them as an
 * array. */
struct interval_counters {
    struct access_counters access[2];
    struct {
        uint64_t requests, lanes;
    } shared[2];
    uint64_t warps;  /* warps that made an access */
    uint64_t split;  /* of those, warps with an access in which some live lanes took no part */
    uint64_t blocks; /* blocks that passed the barrier at the end of the interval */
    /* Instructions executed, by class: of warps, and of lanes. Then the conditional branches that
     * warps execute, and those at which lanes diverge. */
    uint64_t instructions[SIMT_CLASSES], lane_instructions[SIMT_CLASSES];
    uint64_t branches, divergent_branches;
    uint64_t lane_numbers; /* instructions that read %laneid */
};

enum { MAX_INTERVALS = 64 };

struct engine_counters {
    struct interval_counters all;
    uint64_t children, child_threads; /* grids that kernels launched, and their threads */
    /* Indexed by the number of barriers that the block has passed. The last element also counts all
     * later intervals. */
    struct interval_counters intervals[MAX_INTERVALS];
    uint64_t interval_count;
};

/* The rules for nested launches: CUDA dynamic parallelism up to CUDA 11 (CDP1), and the current one
 * (CDP2). */
enum profile {
    PROFILE_CDP2, /* tail launches, fire-and-forget; no device-side wait, no depth limit */
    PROFILE_CDP1, /* only the null stream, and device-side wait */
};

/* Limits of nested launches. 0 selects the default. */
struct nesting {
    enum profile profile;
    uint32_t pending;    /* CDP2: launches of every kind that are not complete; CDP1 has a buffer
                            for more */
    uint32_t wait_depth; /* CDP1: depth from which a thread can no longer wait */
    uint32_t depth;      /* CDP1: greatest depth of a grid */
    uint32_t children;   /* child grids after which a job ends with FAULT_RUNAWAY; 0: no limit */
};

enum { DEFAULT_PENDING = 2048, DEFAULT_WAIT_DEPTH = 2, DEFAULT_DEPTH = 24 };

/* cuda-stress: how accesses are delayed. 0 selects a default. */
struct delays {
    uint32_t seed;
    uint32_t per_cent;   /* approximate share of the accesses that are delayed */
    uint32_t longest_ns; /* the default is derived from the duration of a child launch */
};

/* What floats are on the simulator. */
enum float_kind {
    FLOATS_OF_PTX,
    FLOATS_EXACT,             /* elements of a prime field */
    FLOATS_BOUNDED,           /* doubles, each with a bound of what rounding to floats changes */
    FLOATS_BOUNDED_ANY_ORDER, /* the same, if sums may also be added in any order */
};

struct engine_limits {
    double deadline_seconds; /* for one job */
    double killed_seconds;   /* sim: SIGPROF ends the process when one run of a job has used so much
                                processor time and has not noticed its deadline; 0: never */
    uint64_t steps;          /* sim: instructions of one job, of all threads together;
                                0: far more than a launch of that many threads should need */
    struct delays delays;
    bool strict_barriers;   /* a thread that has returned still counts as missing at a barrier */
    bool warp_barriers;     /* sim: whole warps may meet at different barriers of a block */
    enum float_kind floats; /* sim */
    bool
        every_schedule; /* sim: run a job as requested, even if one run decides for all schedules */
};

/* One launch to run. If `results[k]` is not null, it receives the contents of buffer k after a run
 * without fault: invocation->buffers[k].count elements. The caller owns this memory. */
struct engine_job {
    const struct invocation *invocation;
    struct values values;
    enum model model;
    struct schedule schedule;
    struct nesting nesting;
    struct engine_counters *counters; /* sim, MODEL_LOCKSTEP: count into this; null: do not count */
    /* detect races, and describe at most `race_capacity` here, one for each pair of source
     * locations; null: do not detect races */
    struct race *races;
    size_t race_capacity;
    bool other_clocks; /* sim: clocks show other values, to find the results that depend on them */
    /* sim: explain a failure. Reads of unwritten memory are no faults, races that involve this
     * element say so (`shares` in struct race), and engine_last_store() has an answer. Null: do
     * not. */
    const struct array_element *focus;
    void *results[MAX_BUFFERS];
};

#define NO_EXECUTION UINT64_MAX

struct engine_outcome {
    struct fault fault;
    struct fault passed; /* launches_run(): the first after which a launch went on */
    uint64_t steps;        /* checked memory accesses and barriers */
    uint64_t instructions; /* sim: of all threads */
    uint64_t points;       /* scheduling points; 0 if one run decides for every schedule.
                              SCHEDULE_EXECUTION: the number of the next execution; 0 after the last,
                              NO_EXECUTION if there are too many to number them */
    uint64_t checked; /* accesses compared with others, when races are detected; without one, the
                         number of barriers and of calls of the CUDA runtime */
    /* pairs of source locations with strong accesses that nothing orders. They are not races, but
     * their order may change the result. They follow the races. */
    size_t unordered_count;
    size_t same_count; /* races in which all writes store the same value */
    size_t race_count; /* pairs of source locations; the job's `races` has the first of them */
    /* Nested launches: child grids, all their blocks and threads, launches that failed, and the
     * depth of the deepest grid (sim). */
    uint64_t children, child_blocks, child_threads, failed_launches;
    uint32_t deepest;
    /* sim: the lines, or "", of the first launch for whose child no thread waited; of the first
     * after whose wait the block passed no barrier; and of the first wait. */
    char unwaited[SOURCE_LINE], unjoined[SOURCE_LINE], waited[SOURCE_LINE];
    /* sim: coverage of each kernel that the host launched. The engine owns it until its next
     * job. */
    const struct kernel_coverage *coverage;
    size_t coverage_count;
    /* sim, FLOATS_BOUNDED: error bounds of the elements of each buffer; null: the buffer has none.
     * The engine owns them until its next job. */
    const double *bounds[MAX_BUFFERS];
    uint64_t excused; /* bit k: allowance k of the invocation excused something */
    /* as in struct outcome */
    char active_mask[SOURCE_LINE], atomic[SOURCE_LINE], inexact[SOURCE_LINE], clock[SOURCE_LINE];
    char barriers[BARRIERS_TEXT], prints[SOURCE_LINE];
    uint64_t printed[MAX_ALLOWED + 1]; /* by what an allowance covers, and the rest */
};

enum engine_status {
    ENGINE_OK,
    ENGINE_UNAVAILABLE, /* this machine has no such engine */
    ENGINE_LOST,        /* a job broke the engine: close it, or end the process */
    ENGINE_ERROR,       /* out of memory or a similar error; the jobs' outcomes are unknown */
    ENGINE_STOPPED,     /* a run in workers: the user ended it before all jobs were done */
};

struct engine;

/* Returns the engine that this program is linked with. */
const struct engine_kind *engine_kind(void);

/* Returns how many engines one process can run at once, each on its own thread. */
unsigned int engine_threads(void);

/* Opens an engine. On failure sets *engine to null and writes the reason to `reason`, as one
 * sentence. */
enum engine_status engine_open(const struct engine_limits *limits, struct engine **engine,
                               char *reason, size_t reason_size);
void engine_close(struct engine *engine);

/* Writes one line for reports: what runs the kernels, and the relevant versions. */
void engine_describe(struct engine *engine, char *text, size_t size);

/* Replaces the kernels with those of the file. cuda: machine code, a fat binary or PTX; no case may
 * be in flight. sim: PTX, or a folder's files *.ptx. Returns false on error, with a sentence in
 * `reason`. */
bool engine_load(const char *path, char *reason, size_t reason_size);

/* Returns why this engine cannot run kernels with that need, or null if it can. */
const char *engine_lacks(const struct engine *engine, enum need need);

/* Returns how many jobs one engine_run() should get for best speed. */
size_t engine_batch(const struct engine *engine);

/* Returns the place of the last store to an element of a buffer in the last job, which had a
 * `focus`. Returns false if none is known. */
bool engine_last_store(uint32_t buffer, uint64_t index, struct fault_place *place);

/* Runs the jobs, which do not depend on each other, and waits for them. A fault of a job is in the
 * job's outcome, and the return value is ENGINE_OK. After ENGINE_LOST, outcomes[0] is valid if the
 * call had one job; nothing is known of a larger batch. After ENGINE_ERROR and ENGINE_LOST,
 * outcomes[0].fault.text says what happened. */
enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes);

#ifdef __cplusplus
}
#endif

#endif
