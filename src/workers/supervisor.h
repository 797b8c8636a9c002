/* SPDX-License-Identifier: MIT
 *
 * Runs cases in worker processes. A case that kills or hangs its worker is found by running the
 * cases around it again one by one in fresh workers; it gets a fault, and every other case still
 * gets its outcome.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_H
#define SIMTCHECK_WORKERS_SUPERVISOR_H

#include "case.h"
#include "wire.h"

struct supervisor_options {
    const struct engine_kind *engine;
    unsigned int jobs; /* worker processes; 0: one a core, or one for a GPU */
    struct engine_limits limits;
    bool (*stopped)(void); /* true when a run is to end at once; null: never */
    enum request request;  /* what workers are asked to do */
};

struct supervisor;

/* Starts the first worker: the program "<this program>-worker-<engine>" beside this one.
 * ENGINE_UNAVAILABLE when there is none or its machine lacks the engine; `reason` says which. */
enum engine_status supervisor_open(const struct supervisor_options *options,
                                   struct supervisor **supervisor, char *reason,
                                   size_t reason_size);
/* Ends the workers and waits for them. */
void supervisor_close(struct supervisor *supervisor);

const struct engine_kind *supervisor_engine(const struct supervisor *supervisor);

/* The engine's line for reports; owned by the supervisor. */
const char *supervisor_description(const struct supervisor *supervisor);

/* Workers that were lost and not for a case: what they ran, others have run again. */
uint64_t supervisor_lost(const struct supervisor *supervisor);

/* Processor time that the worker of a supervisor of one job has used, in seconds. */
double supervisor_worker_seconds(const struct supervisor *supervisor);

/* Why kernels with that need cannot run there; null: they can. */
const char *supervisor_lacks(const struct supervisor *supervisor, enum need need);

/* Makes case `index` of a run. */
typedef void supervisor_source(void *context, uint64_t index, struct test_case *test);

/* Takes an outcome. Called once a case, in order of index, whichever worker was faster. False ends
 * the run. */
typedef bool supervisor_sink(void *context, uint64_t index, const struct test_case *test,
                             const struct outcome *outcome);

/* Runs cases 0 to count-1. On another status than ENGINE_OK supervisor_reason() says why the run
 * could not go on, or that it was stopped; the outcomes passed on before that are good.
 */
enum engine_status supervisor_run(struct supervisor *supervisor, uint64_t count,
                                  supervisor_source *source, supervisor_sink *sink, void *context);

/* Why the last run has not ended with ENGINE_OK. */
const char *supervisor_reason(const struct supervisor *supervisor);

/* Makes "out of memory" the reason and returns ENGINE_ERROR. */
enum engine_status supervisor_out_of_memory(struct supervisor *supervisor);

/* The same for an array of cases; outcomes[0..count) is the caller's, and on another status than
 * ENGINE_OK nothing is known of it. */
enum engine_status supervisor_run_array(struct supervisor *supervisor,
                                        const struct test_case *cases, size_t count,
                                        struct outcome *outcomes);

/* Workers take their kernels from that file from now on (engine_load()), and their catalogue from
 * that file of programs; it is their own where `programs` is "". A run of which a worker cannot
 * load them ends with ENGINE_ERROR. */
void supervisor_use(struct supervisor *supervisor, const char *code, const char *programs);

/* Adds what the cases since the last call have executed of their kernels' source, or forgets it
 * if there is no set. Returns false when memory runs out. */
bool supervisor_take_coverage(struct supervisor *supervisor, struct coverage *coverage);

/* What workers are asked to do from now on. REQUEST_RACE: outcomes say whether cases race. */
void supervisor_ask(struct supervisor *supervisor, enum request request);

/* Runs one case on the simulator and describes its races, up to `capacity`. Statuses as for
 * supervisor_run(). */
enum engine_status supervisor_race(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, struct race *races, size_t capacity,
                                   size_t *count);

/* Runs one case on the simulator, under lockstep, and counts. Statuses as for supervisor_run().
 */
enum engine_status supervisor_count(struct supervisor *supervisor, const struct test_case *test,
                                    struct outcome *outcome, struct engine_counters *counters);

#endif
