/* SPDX-License-Identifier: MIT
 *
 * The state of a supervisor, which its files share.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_STATE_H
#define SIMTCHECK_WORKERS_SUPERVISOR_STATE_H

#include "chunk.h"
#include "process.h"
#include "supervisor.h"

enum { MAX_WORKERS = 64 };

/* Seconds until a worker that should end is killed. */
static const double END_SECONDS = 20;

struct supervisor {
    const struct engine_kind *engine;
    char program[4096];
    struct engine_limits limits;
    bool (*stopped)(void);
    enum request request;
    struct engine_counters *counters; /* REQUEST_COUNT: receives the counters */
    struct race *races;               /* REQUEST_RACE: receives the races of a lone case; or null */
    size_t race_count, race_capacity;
    struct explanation *explanation; /* REQUEST_EXPLAIN */
    unsigned int jobs;
    size_t chunk_size;
    struct introduction introduction; /* of the worker that started last */
    struct process processes[MAX_WORKERS];
    bool retired[MAX_WORKERS]; /* the worker cannot be started, and others can */
    uint64_t cases, least;     /* of this run; minimum for a second worker */
    struct code code;          /* the code that workers use */
    struct known_kernel {      /* a kernel of that code */
        uint32_t kernel;
        bool was_launched;        /* by a case whose outcome was passed on */
        struct coverage coverage; /* its points, in their order */
    } * kernels;
    size_t kernel_count;
    uint64_t excused;             /* as in struct outcome */
    char barriers[BARRIERS_TEXT]; /* the same, of the outcomes that have one: the first by its
                                     letters */
    uint64_t lost;                /* lost workers; others have run their cases again */
    uint64_t requests;            /* requests sent */
    uint64_t splits, explained,
        last_explained; /* splits of chunks; those with a case at fault; the last of those */
    double looked;      /* when it last checked its workers */
    /* The run in progress. */
    struct chunk_list chunks;
    unsigned int failed_starts;
    enum engine_status status;
    char reason[512];
};

#endif
