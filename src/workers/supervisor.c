/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include "clock.h"
#include "installation.h"
#include "supervisor_answers.h"
#include "supervisor_failures.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MIN_CHUNK = 64,
    CHUNKS_AHEAD = 4, /* chunks created ahead, for each worker */
    MAX_FAILED_STARTS = 3,
};

static const double LOOK_UP_SECONDS = 0.5;

/* ---- Workers ---- */

static enum engine_status start(struct supervisor *supervisor, struct process *process)
{
    struct introduction introduction = {0};
    enum engine_status status =
        process_start(process, supervisor->program, &supervisor->limits, supervisor->stopped,
                      &introduction, supervisor->reason, sizeof supervisor->reason);

    process->chunk = process->queued = NULL;
    process->ending = false;
    process->call[0] = '\0';
    supervisor->lost += status == ENGINE_LOST;
    if (status != ENGINE_OK)
        return status;
    supervisor->introduction = introduction;
    supervisor->chunk_size = introduction.batch > MIN_CHUNK ? introduction.batch : MIN_CHUNK;
    return ENGINE_OK;
}

void supervisor_use(struct supervisor *supervisor, const char *code, const char *programs)
{
    supervisor_forget_kernels(supervisor);
    supervisor->code.number++;
    snprintf(supervisor->code.path, sizeof supervisor->code.path, "%s", code);
    snprintf(supervisor->code.programs, sizeof supervisor->code.programs, "%s", programs);
}

const char *supervisor_lacks(const struct supervisor *supervisor, enum need need)
{
    return supervisor->introduction.lacks[need][0] != '\0' ? supervisor->introduction.lacks[need]
                                                           : NULL;
}

/* ---- The run ---- */

static bool add_chunks(struct supervisor *supervisor, uint64_t *made, uint64_t count,
                       supervisor_source *source, void *context)
{
    while (*made < count && supervisor->chunks.count < CHUNKS_AHEAD * supervisor->jobs) {
        uint64_t left = count - *made;
        uint32_t size = (uint32_t)(left < supervisor->chunk_size ? left : supervisor->chunk_size);
        struct chunk *chunk = chunk_append(&supervisor->chunks, *made, size);
        if (chunk == NULL)
            return false;
        for (uint32_t i = 0; i < size; i++)
            source(context, *made + i, &chunk->cases[i]);
        *made += size;
    }
    return true;
}

/* Starts a worker. Returns false when it cannot. The run goes on while other workers run, because a
 * limit on processes or files may allow only some. */
static bool start_another(struct supervisor *supervisor, unsigned int p)
{
    enum engine_status status = start(supervisor, &supervisor->processes[p]);
    bool alone = true;

    if (status == ENGINE_OK) {
        supervisor->failed_starts = 0;
        return true;
    }
    for (unsigned int other = 0; other < supervisor->jobs; other++)
        alone = alone && supervisor->processes[other].pid == 0;
    if (!alone)
        supervisor->retired[p] = true;
    else if (++supervisor->failed_starts == MAX_FAILED_STARTS || status == ENGINE_STOPPED)
        supervisor_stop_run(supervisor, status == ENGINE_LOST ? ENGINE_ERROR : status,
                            supervisor->reason);
    return false;
}

/* Returns true if that worker runs, or can be started and is worth its start. */
static bool is_there(struct supervisor *supervisor, unsigned int p)
{
    if (supervisor->processes[p].pid != 0)
        return true;
    return !supervisor->retired[p] && (p == 0 || supervisor->cases >= supervisor->least) &&
           start_another(supervisor, p);
}

/* Gives every idle worker a chunk and starts workers that are not running. With `ahead`, gives
 * every busy worker its next chunk, so that it need not wait for it. */
static void assign_chunks(struct supervisor *supervisor, bool ahead)
{
    struct chunk *chunk = supervisor->chunks.first;

    for (unsigned int p = 0; p < supervisor->jobs && supervisor->status == ENGINE_OK; p++) {
        struct process *process = &supervisor->processes[p];
        if (ahead ? process->chunk == NULL || process->queued != NULL : process->chunk != NULL)
            continue;
        while (chunk != NULL && chunk->state != CHUNK_WAITING)
            chunk = chunk->next;
        if (chunk == NULL)
            return;
        if (!is_there(supervisor, p))
            continue;
        if (!supervisor_send(supervisor, process, chunk))
            supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    }
}

static bool any_running(const struct supervisor *supervisor)
{
    for (unsigned int p = 0; p < supervisor->jobs; p++)
        if (supervisor->processes[p].chunk != NULL)
            return true;
    return false;
}

/* Extends the deadlines after a stop of the supervisor or a sleep of the machine, since its workers
 * stopped, too. */
static void forgive_sleep(struct supervisor *supervisor)
{
    double now = clock_seconds(), slept = now - supervisor->looked - LOOK_UP_SECONDS;

    for (unsigned int p = 0; p < supervisor->jobs && slept > LOOK_UP_SECONDS; p++) {
        supervisor->processes[p].deadline += slept;
        supervisor->processes[p].busy += slept;
    }
    supervisor->looked = now;
}

/* Waits until a worker answers, ends or passes its deadline, and handles that. */
static void wait_for_answers(struct supervisor *supervisor)
{
    struct pollfd ready[MAX_WORKERS];
    struct process *polled[MAX_WORKERS];
    nfds_t count = 0;
    double first_deadline = clock_seconds() + LOOK_UP_SECONDS;

    forgive_sleep(supervisor);
    for (unsigned int p = 0; p < supervisor->jobs; p++) {
        struct process *process = &supervisor->processes[p];
        if (process->chunk == NULL)
            continue;
        polled[count] = process;
        ready[count++] = (struct pollfd){.fd = process->answers, .events = POLLIN};
        if (process->deadline < first_deadline)
            first_deadline = process->deadline;
    }
    if (process_wait(ready, count, first_deadline - clock_seconds(), supervisor->stopped) < 0)
        return;
    forgive_sleep(supervisor);
    for (nfds_t i = 0; i < count; i++) {
        if (ready[i].revents != 0)
            supervisor_take_answers(supervisor, polled[i]);
        else
            supervisor_look_after(supervisor, polled[i]);
    }
}

static bool is_stopped(const struct supervisor *supervisor)
{
    return supervisor->stopped != NULL && supervisor->stopped();
}

/* Ends the busy workers without waiting for their answers. */
static void end_running(struct supervisor *supervisor)
{
    for (unsigned int p = 0; p < supervisor->jobs; p++) {
        struct process *process = &supervisor->processes[p];
        if (process->chunk == NULL)
            continue;
        process_reap(process, 0);
        process->chunk = process->queued = NULL;
    }
}

/* Passes on the outcomes of finished chunks at the head of the list. Returns false to end the
 * run. */
static bool commit(struct supervisor *supervisor, supervisor_sink *sink, void *context)
{
    static const struct outcome pass = {.kind = OUTCOME_PASS};
    struct chunk_list *chunks = &supervisor->chunks;
    bool goes_on = true;

    while (goes_on && chunks->first != NULL && chunks->first->state == CHUNK_DONE) {
        struct chunk *chunk = chunks->first;
        uint32_t next_reported = 0;
        size_t next_reached = 0;
        chunk_sort(chunk);
        for (uint32_t i = 0; i < chunk->count && goes_on; i++) {
            bool is_reported =
                next_reported < chunk->reported_count && chunk->reported[next_reported].index == i;
            goes_on = sink(context, chunk->first + i, &chunk->cases[i],
                           is_reported ? &chunk->reported[next_reported].outcome : &pass);
            next_reported += is_reported;
            next_reached = supervisor_count_reached(supervisor, chunk, next_reached, i);
        }
        chunk_remove_first(chunks);
    }
    return goes_on;
}

enum engine_status supervisor_run(struct supervisor *supervisor, uint64_t count,
                                  supervisor_source *source, supervisor_sink *sink, void *context)
{
    uint64_t made = 0;
    bool goes_on = true;

    supervisor->status = ENGINE_OK;
    supervisor->failed_starts = 0;
    supervisor->cases = count;
    supervisor->looked = clock_seconds();
    while (goes_on && supervisor->status == ENGINE_OK && !is_stopped(supervisor)) {
        if (!add_chunks(supervisor, &made, count, source, context))
            supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
        if (supervisor->chunks.first == NULL)
            break;
        assign_chunks(supervisor, false);
        assign_chunks(supervisor, true);
        if (any_running(supervisor))
            wait_for_answers(supervisor);
        goes_on = commit(supervisor, sink, context);
    }
    while (any_running(supervisor) && !is_stopped(supervisor))
        wait_for_answers(supervisor); /* Requests in progress finish, and their answers are
                                         discarded. */
    end_running(supervisor);
    supervisor_count_lost(supervisor);
    if (is_stopped(supervisor) && (made < count || supervisor->chunks.first != NULL))
        supervisor_stop_run(supervisor, ENGINE_STOPPED, "interrupted before all cases had run");
    chunk_clear(&supervisor->chunks);
    return supervisor->status;
}

const char *supervisor_reason(const struct supervisor *supervisor)
{
    return supervisor->reason;
}

enum engine_status supervisor_out_of_memory(struct supervisor *supervisor)
{
    snprintf(supervisor->reason, sizeof supervisor->reason, "out of memory");
    return ENGINE_ERROR;
}

/* ---- Runs of an array, and of one case ---- */

struct case_array {
    const struct test_case *cases;
    struct outcome *outcomes;
};

static void source_array(void *context, uint64_t index, struct test_case *test)
{
    const struct case_array *array = context;
    *test = array->cases[index];
}

static bool sink_array(void *context, uint64_t index, const struct test_case *test,
                       const struct outcome *outcome)
{
    struct case_array *array = context;
    (void)test;
    array->outcomes[index] = *outcome;
    return true;
}

enum engine_status supervisor_run_array(struct supervisor *supervisor,
                                        const struct test_case *cases, size_t count,
                                        struct outcome *outcomes)
{
    struct case_array array = {cases, outcomes};

    return supervisor_run(supervisor, count, source_array, sink_array, &array);
}

/* Runs one case with that request. */
static enum engine_status run_one(struct supervisor *supervisor, enum request request,
                                  const struct test_case *test, struct outcome *outcome)
{
    enum request before = supervisor->request;
    enum engine_status status;

    supervisor->request = request;
    status = supervisor_run_array(supervisor, test, 1, outcome);
    supervisor->request = before;
    return status;
}

enum engine_status supervisor_count(struct supervisor *supervisor, const struct test_case *test,
                                    struct outcome *outcome, struct engine_counters *counters)
{
    enum engine_status status;

    *counters = (struct engine_counters){.interval_count = 0};
    supervisor->counters = counters;
    status = run_one(supervisor, REQUEST_COUNT, test, outcome);
    supervisor->counters = NULL;
    return status;
}

enum engine_status supervisor_compare(struct supervisor *supervisor,
                                      const struct test_case cases[2], struct outcome *outcome)
{
    enum request before = supervisor->request;
    struct outcome outcomes[2];
    enum engine_status status;

    supervisor->request = REQUEST_COMPARE;
    status = supervisor_run_array(supervisor, cases, 2, outcomes);
    supervisor->request = before;
    if (status == ENGINE_OK)
        *outcome = outcomes[outcomes[0].kind == OUTCOME_PASS];
    return status;
}

void supervisor_ask(struct supervisor *supervisor, enum request request)
{
    supervisor->request = request;
}

enum engine_status supervisor_race(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, struct race *races, size_t capacity,
                                   size_t *count)
{
    enum engine_status status;

    supervisor->races = races;
    supervisor->race_capacity = capacity;
    supervisor->race_count = 0;
    status = run_one(supervisor, REQUEST_RACE, test, outcome);
    *count = supervisor->race_count;
    supervisor->race_capacity = supervisor->race_count = 0;
    return status;
}

enum engine_status supervisor_explain_case(struct supervisor *supervisor,
                                           const struct test_case *test,
                                           struct explanation *explanation)
{
    enum engine_status status;

    *explanation = (struct explanation){.race_count = 0};
    supervisor->explanation = explanation;
    supervisor->races = explanation->races;
    supervisor->race_capacity = MAX_RACES_REPORTED;
    supervisor->race_count = 0;
    status = run_one(supervisor, REQUEST_EXPLAIN, test, &explanation->outcome);
    explanation->race_count = supervisor->race_count;
    supervisor->race_capacity = supervisor->race_count = 0;
    supervisor->explanation = NULL;
    return status;
}

/* ---- Opening and closing ---- */

/* A GPU gets few workers on any number of cores, but one process alone does not keep it busy.
 * Delays apply to the kernels of one process. The second process takes a second to start, or longer
 * where the driver compiles its kernels, so it is not worth it for few cases. */
enum { MIN_CASES = 1 << 15 };

static unsigned int default_jobs(const struct engine_kind *engine, long cores)
{
    enum { CORES_OF_A_PROCESS = 8, MAX_OF_A_GPU = 2 };

    if (cores < 1)
        return 1;
    if (!engine->uses_a_gpu)
        return (unsigned int)cores;
    return engine->id == ENGINE_CUDA && cores >= MAX_OF_A_GPU * CORES_OF_A_PROCESS ? MAX_OF_A_GPU
                                                                                   : 1;
}

enum engine_status supervisor_open(const struct supervisor_options *options,
                                   struct supervisor **result, char *reason, size_t reason_size)
{
    struct supervisor *supervisor = calloc(1, sizeof *supervisor);
    enum engine_status status;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    *result = NULL;
    if (supervisor == NULL) {
        snprintf(reason, reason_size, "out of memory");
        return ENGINE_ERROR;
    }
    for (int p = 0; p < MAX_WORKERS; p++)
        supervisor->processes[p].requests = supervisor->processes[p].answers = -1;
    supervisor->engine = options->engine;
    supervisor->limits = options->limits;
    supervisor->stopped = options->stopped;
    supervisor->request = options->request;
    supervisor->jobs = options->jobs;
    if (supervisor->jobs == 0)
        supervisor->jobs = default_jobs(options->engine, cores);
    if (options->jobs == 0 && options->engine->uses_a_gpu)
        supervisor->least = MIN_CASES;
    if (supervisor->jobs > MAX_WORKERS)
        supervisor->jobs = MAX_WORKERS;
    signal(SIGPIPE, SIG_IGN); /* A dead worker must not end the supervisor. */
    if (!installation_worker(supervisor->engine->name, supervisor->program,
                             sizeof supervisor->program, reason, reason_size)) {
        status = supervisor->program[0] == '\0' ? ENGINE_ERROR : ENGINE_UNAVAILABLE;
        free(supervisor);
        return status;
    }
    do
        status = start(supervisor, &supervisor->processes[0]);
    while (status == ENGINE_LOST && supervisor->lost < MAX_FAILED_STARTS);
    if (status != ENGINE_OK) {
        snprintf(reason, reason_size, "%s", supervisor->reason);
        free(supervisor);
        return status == ENGINE_LOST ? ENGINE_ERROR : status;
    }
    *result = supervisor;
    return ENGINE_OK;
}

void supervisor_close(struct supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    for (unsigned int p = 0; p < supervisor->jobs; p++)
        if (supervisor->processes[p].pid != 0)
            process_close_pipes(&supervisor->processes[p]);
    for (unsigned int p = 0; p < supervisor->jobs; p++)
        if (supervisor->processes[p].pid != 0)
            process_reap(&supervisor->processes[p], END_SECONDS);
    supervisor_forget_kernels(supervisor);
    free(supervisor);
}

uint64_t supervisor_excused(struct supervisor *supervisor)
{
    uint64_t excused = supervisor->excused;

    supervisor->excused = 0;
    return excused;
}

void supervisor_barriers(struct supervisor *supervisor, char text[BARRIERS_TEXT])
{
    memcpy(text, supervisor->barriers, BARRIERS_TEXT);
    supervisor->barriers[0] = '\0';
}

uint64_t supervisor_lost(const struct supervisor *supervisor)
{
    return supervisor->lost;
}

const struct engine_kind *supervisor_engine(const struct supervisor *supervisor)
{
    return supervisor->engine;
}

const char *supervisor_description(const struct supervisor *supervisor)
{
    return supervisor->introduction.description;
}

double supervisor_worker_seconds(const struct supervisor *supervisor)
{
    return process_seconds(&supervisor->processes[0]);
}
