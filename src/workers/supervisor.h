/* SPDX-License-Identifier: MIT
 *
 * Runs cases in worker processes. When a worker dies or hangs, fresh workers run its cases again
 * one by one to find the case at fault. That case gets a fault, and every other case still gets
 * its outcome.
 */
#ifndef SIMTCHECK_WORKERS_SUPERVISOR_H
#define SIMTCHECK_WORKERS_SUPERVISOR_H

#include "case.h"
#include "wire.h"

struct supervisor_options {
    const struct engine_kind *engine;
    unsigned int jobs; /* worker processes; 0: one for each core, or one for a GPU */
    struct engine_limits limits;
    bool (*stopped)(void); /* returns true to end a run at once; null: never */
    enum request request;  /* what workers do with cases */
};

struct supervisor;

/* Starts the first worker: the program "<this program>-worker-<engine>" beside this one. Returns
 * ENGINE_UNAVAILABLE when the program does not exist or the machine lacks the engine; `reason` says
 * which. */
enum engine_status supervisor_open(const struct supervisor_options *options,
                                   struct supervisor **supervisor, char *reason,
                                   size_t reason_size);
/* Ends the workers and waits for them. */
void supervisor_close(struct supervisor *supervisor);

const struct engine_kind *supervisor_engine(const struct supervisor *supervisor);

/* Returns the engine's line for reports. The supervisor owns it. */
const char *supervisor_description(const struct supervisor *supervisor);

/* Returns how many workers were lost through no fault of a case. Other workers ran their cases
 * again. */
uint64_t supervisor_lost(const struct supervisor *supervisor);

/* Returns which allowances excused something since the last call, as in struct outcome. */
uint64_t supervisor_excused(struct supervisor *supervisor);
/* The same for the remark about barriers, the first by its letters, or "". */
void supervisor_barriers(struct supervisor *supervisor, char text[BARRIERS_TEXT]);

/* Returns the processor time in seconds that the worker has used. The supervisor must have one
 * job. */
double supervisor_worker_seconds(const struct supervisor *supervisor);

/* Returns why kernels with that need cannot run on the engine; null if they can. */
const char *supervisor_lacks(const struct supervisor *supervisor, enum need need);

/* Fills in case `index` of a run. */
typedef void supervisor_source(void *context, uint64_t index, struct test_case *test);

/* Receives an outcome. Called once for each case, in order of index, whichever worker was faster.
 * Returns false to end the run. */
typedef bool supervisor_sink(void *context, uint64_t index, const struct test_case *test,
                             const struct outcome *outcome);

/* Runs cases 0 to count-1. On a status other than ENGINE_OK, supervisor_reason() says why the run
 * ended early. The outcomes passed on before that are valid. */
enum engine_status supervisor_run(struct supervisor *supervisor, uint64_t count,
                                  supervisor_source *source, supervisor_sink *sink, void *context);

/* Returns why the last run did not end with ENGINE_OK. */
const char *supervisor_reason(const struct supervisor *supervisor);

/* Makes "out of memory" the reason and returns ENGINE_ERROR. */
enum engine_status supervisor_out_of_memory(struct supervisor *supervisor);

/* As supervisor_run(), for an array of cases. The caller owns outcomes[0..count). They are
 * undefined on a status other than ENGINE_OK. */
enum engine_status supervisor_run_array(struct supervisor *supervisor,
                                        const struct test_case *cases, size_t count,
                                        struct outcome *outcomes);

/* From now on, workers load their kernels from the file `code` (engine_load()), and their catalogue
 * from the file `programs`. With `programs` "" they use their own catalogue. A run ends with
 * ENGINE_ERROR if a worker cannot load the files. */
void supervisor_use(struct supervisor *supervisor, const char *code, const char *programs);

/* Adds the source coverage of the cases since the last call to `coverage`, or discards it if
 * `coverage` is null. Returns false when memory runs out. */
bool supervisor_take_coverage(struct supervisor *supervisor, struct coverage *coverage);

/* Sets what workers do with cases from now on. With REQUEST_RACE, outcomes say whether cases
 * race. */
void supervisor_ask(struct supervisor *supervisor, enum request request);

/* Runs one case on the simulator and describes up to `capacity` of its races. Returns the statuses
 * of supervisor_run(). */
enum engine_status supervisor_race(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, struct race *races, size_t capacity,
                                   size_t *count);

/* Explains a failing case on the simulator. Returns the statuses of supervisor_run(). */
enum engine_status supervisor_explain_case(struct supervisor *supervisor,
                                           const struct test_case *test,
                                           struct explanation *explanation);

/* Runs two cases of one shape with the same values. Sets *outcome to the failure of the first case,
 * or else to the outcome of the second: if its outputs differ from the first's, that is the first
 * difference. Returns the statuses of supervisor_run(). */
enum engine_status supervisor_compare(struct supervisor *supervisor,
                                      const struct test_case cases[2], struct outcome *outcome);

/* Runs one case on the simulator under lockstep and counts its accesses. Returns the statuses of
 * supervisor_run(). */
enum engine_status supervisor_count(struct supervisor *supervisor, const struct test_case *test,
                                    struct outcome *outcome, struct engine_counters *counters);

#endif
