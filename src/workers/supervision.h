/* SPDX-License-Identifier: MIT
 *
 * A supervisor from within, and what becomes of workers that fail.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISION_H
#define SIMTCHECK_WORKERS_SUPERVISION_H

#include "chunk.h"
#include "process.h"
#include "supervisor.h"

enum { MAX_WORKERS = 64 };

/* Until a worker that has been told to end is killed. */
#define WORKER_END_SECONDS 20.0

struct supervisor {
    const struct engine_kind *engine;
    char program[4096];
    struct engine_limits limits;
    bool (*stopped)(void);
    enum request request;
    struct engine_counters *counters; /* REQUEST_COUNT: where to */
    struct race *races;               /* REQUEST_RACE: likewise, of a lone case; or null */
    size_t race_count, race_capacity;
    unsigned int jobs;
    size_t chunk_size;
    struct introduction introduction; /* of the worker that started last */
    struct process processes[MAX_WORKERS];
    bool retired[MAX_WORKERS]; /* could not be started, and others can */
    uint64_t cases, least;     /* of this run; and of one that a second worker is started for */
    struct code code;          /* that workers are to use */
    uint64_t lost;             /* workers, whose cases others have run since */
    uint64_t requests;         /* so many sent */
    uint64_t splits, explained,
        last_explained; /* of chunks; by a case to blame; the last of them */
    double looked;      /* when it last looked after its workers */
    /* The run in progress. */
    struct chunk_list chunks;
    unsigned int failed_starts;
    enum engine_status status;
    char reason[512];
};

/* The run ends with that status, of the first who says so. */
void supervision_stop(struct supervisor *supervisor, enum engine_status status, const char *reason);

/* How a worker fails while it runs its chunk; KILLED: from outside, or stopped and then killed. */
enum failure { FELL_SILENT, BABBLED, ENDED, KILLED };

/* Ends the worker and has its cases run again, one by one; a case that has cost its worker each
 * time gets a fault. */
void supervision_failed(struct supervisor *supervisor, struct process *process,
                        enum failure failure);

/* A case of the chunk is why its worker failed. */
void supervision_explain(struct supervisor *supervisor, const struct chunk *chunk);

/* At the end of a run: adds the workers that failed for no case. */
void supervision_count_lost(struct supervisor *supervisor);

#endif
