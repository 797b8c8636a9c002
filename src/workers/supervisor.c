/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include "chunk.h"
#include "clock.h"
#include "installation.h"
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_WORKERS = 64,
    MIN_CHUNK = 64,
    CHUNKS_AHEAD = 4, /* chunks created ahead, for each worker */
    MAX_FAILED_STARTS = 3,
    MAX_CRASHES = 2, /* of fresh workers at one case, before the case gets a fault */
    MAX_KILLS = 3,   /* kills from outside at one case, before the run ends */
    MAX_EXTRA_ANSWERS = MAX_RACES_REPORTED + MAX_INTERVALS + 2, /* besides one for each case */
};

/* A worker keeps its own deadline; on the simulator it counts processor time, and SIGPROF ends a
 * worker that does not notice it. The supervisor's deadline is for a worker that cannot. On the
 * simulator it is FAR times as long, because the machine may be busy; but a worker that uses no
 * processor time at all has no such excuse. */
static const double GRACE_SECONDS = 3, FAR = 10, FAR_SECONDS = 10, LOOK_UP_SECONDS = 0.5;

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
    uint64_t excused;  /* as in struct outcome */
    uint64_t lost;     /* lost workers; others have run their cases again */
    uint64_t requests; /* requests sent */
    uint64_t splits, explained,
        last_explained; /* splits of chunks; those with a case at fault; the last of those */
    double looked;      /* when it last checked its workers */
    /* The run in progress. */
    struct chunk_list chunks;
    unsigned int failed_starts;
    enum engine_status status;
    char reason[512];
};

/* ---- Workers that fail ---- */

/* How a worker fails while it runs its chunk. IDLE: it neither answers nor works. KILLED: from
 * outside, or stopped and then killed. */
enum failure { UNRESPONSIVE, IDLE, MALFORMED_ANSWER, ENDED, KILLED };

/* Ends the run with that status. The first call determines the status and the reason. */
static void stop_run(struct supervisor *supervisor, enum engine_status status, const char *reason)
{
    if (supervisor->status != ENGINE_OK)
        return;
    supervisor->status = status;
    if (reason != supervisor->reason)
        snprintf(supervisor->reason, sizeof supervisor->reason, "%.500s", reason);
}

static void describe_failure(const struct supervisor *supervisor, enum failure failure, int status,
                             struct fault *fault)
{
    *fault = (struct fault){.kind = failure <= IDLE ? FAULT_TIMEOUT : FAULT_CRASH};
    if (failure == IDLE)
        snprintf(fault->text, sizeof fault->text,
                 "the worker used no processor time for longer than the deadline of %g s "
                 "(--deadline), and was killed",
                 supervisor->limits.deadline_seconds);
    else if (failure == UNRESPONSIVE)
        snprintf(
            fault->text, sizeof fault->text,
            "the worker did not respond and was killed, past the deadline of %g s (--deadline)",
            supervisor->limits.deadline_seconds);
    else if (failure == MALFORMED_ANSWER)
        snprintf(fault->text, sizeof fault->text,
                 "the worker sent a malformed answer and was killed");
    else if (WIFSIGNALED(status))
        snprintf(fault->text, sizeof fault->text, "the worker died: %s",
                 strsignal(WTERMSIG(status)));
    else
        snprintf(fault->text, sizeof fault->text, "the worker exited with status %d",
                 WEXITSTATUS(status));
}

/* Handles a kill from outside. The case is not at fault and runs again. */
static void worker_killed(struct supervisor *supervisor, struct chunk *chunk, int number)
{
    char reason[512], limit[128];

    if (++chunk->kills < MAX_KILLS)
        return;
    process_memory_limit(limit, sizeof limit);
    snprintf(reason, sizeof reason,
             "%u workers were killed from outside at the same case of %s: %s%s", chunk->kills,
             chunk->cases[0].variant->id, strsignal(number), limit);
    stop_run(supervisor, ENGINE_ERROR, reason);
}

/* Records that a case of the chunk made its worker fail. */
static void explain(struct supervisor *supervisor, const struct chunk *chunk)
{
    if (chunk->split == supervisor->last_explained)
        return;
    supervisor->last_explained = chunk->split;
    supervisor->explained++;
}

/* Handles a chunk of one case whose worker has failed. A fresh worker runs the case again; after
 * the last attempt the case gets a fault. */
static void bisect(struct supervisor *supervisor, struct chunk *chunk, enum failure failure,
                   int status)
{
    struct outcome outcome = {.kind = OUTCOME_FAULT};

    chunk->losses++;
    chunk->state = CHUNK_WAITING;
    chunk_forget(chunk);
    supervisor->race_count = 0;
    if (failure == KILLED) {
        worker_killed(supervisor, chunk, WTERMSIG(status));
        return;
    }
    if (failure > IDLE && chunk->losses - chunk->kills < MAX_CRASHES)
        return;
    describe_failure(supervisor, failure, status, &outcome.fault);
    supervisor->lost += chunk->kills;
    explain(supervisor, chunk);
    if (!chunk_report(chunk, 0, &outcome))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
    chunk->state = CHUNK_DONE;
}

/* Ends the worker and has its cases run again, one by one. A case that fails its worker each time
 * gets a fault, unless the worker was in code of the user. */
static void worker_failed(struct supervisor *supervisor, struct process *process,
                          enum failure failure)
{
    struct chunk *chunk = process->chunk;
    bool at_once = failure != ENDED || process->ending;
    int status = process_reap(process, at_once ? 0 : END_SECONDS);
    struct fault fault;
    char reason[512];

    if (failure == ENDED && WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        failure = UNRESPONSIVE;
    else if (!process->put_down && failure == ENDED && process_was_killed(status))
        failure = KILLED;
    process->chunk = NULL;
    if (process->queued != NULL)
        process->queued->state = CHUNK_WAITING;
    process->queued = NULL;
    if (chunk == NULL)
        return;
    if (process->call[0] != '\0' && failure != KILLED) {
        describe_failure(supervisor, failure, status, &fault);
        snprintf(reason, sizeof reason, "%s: %.200s", process->call, fault.text);
        stop_run(supervisor, ENGINE_ERROR, reason);
        chunk->state = CHUNK_WAITING;
        return;
    }
    if (chunk->count == 1) {
        bisect(supervisor, chunk, failure, status);
        return;
    }
    supervisor->lost += failure == KILLED;
    chunk->split = failure == KILLED ? 0 : ++supervisor->splits;
    if (!chunk_split(&supervisor->chunks, chunk))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
}

/* At the end of a run, counts the lost workers whose chunk was split without finding a case at
 * fault. */
static void count_lost(struct supervisor *supervisor)
{
    if (supervisor->status == ENGINE_OK && supervisor->splits > supervisor->explained)
        supervisor->lost += supervisor->splits - supervisor->explained;
    supervisor->splits = supervisor->explained = supervisor->last_explained = 0;
}

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

static void forget_kernels(struct supervisor *supervisor)
{
    for (size_t k = 0; k < supervisor->kernel_count; k++)
        coverage_free(&supervisor->kernels[k].coverage);
    free(supervisor->kernels);
    supervisor->kernels = NULL;
    supervisor->kernel_count = 0;
}

void supervisor_use(struct supervisor *supervisor, const char *code, const char *programs)
{
    forget_kernels(supervisor);
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

/* Returns the seconds of silence that a worker is granted. */
static double patience(const struct supervisor *supervisor)
{
    double deadline = supervisor->limits.deadline_seconds;

    return supervisor->engine->simulates ? FAR * deadline + FAR_SECONDS : deadline + GRACE_SECONDS;
}

/* Writes the chunk to the worker. If the worker is busy, writes only what the pipe accepts at once;
 * otherwise supervisor and worker could wait for each other. A worker that has died is noticed when
 * its answers end. */
static bool dispatch(struct supervisor *supervisor, struct process *process, struct chunk *chunk)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (stream == NULL)
        return false;
    if (process->use != supervisor->code.number)
        fprintf(stream, "use\t%s\t%s\n", supervisor->code.path, supervisor->code.programs);
    chunk->request = ++supervisor->requests;
    fprintf(stream, "%s %u %" PRIu64 "\n", request_names[supervisor->request], chunk->count,
            chunk->request);
    for (uint32_t i = 0; i < chunk->count; i++)
        wire_write_case(stream, &chunk->cases[i]);
    fclose(stream);
    if (process->chunk == NULL || length <= process->pipe_bytes) {
        chunk->state = CHUNK_RUNNING;
        if (process->chunk != NULL) {
            process->queued = chunk;
        } else {
            process->chunk = chunk;
            process->answered = 0;
            process->deadline = clock_seconds() + patience(supervisor);
            process->busy = clock_seconds();
        }
        process->use = supervisor->code.number;
        process_send(process, text, length, supervisor->stopped);
    }
    free(text);
    return true;
}

/* Reads the outcome of a case of the chunk. Outcomes arrive in order, each once. */
static bool take_outcome(struct supervisor *supervisor, struct chunk *chunk, char *line)
{
    struct outcome outcome;
    const char *word = strsep(&line, "\t");
    unsigned long index = strtoul(word, NULL, 10);

    if (line == NULL || chunk == NULL || !wire_read_outcome(line, &outcome) ||
        index >= chunk->count ||
        (chunk->reported_count > 0 && index <= chunk->reported[chunk->reported_count - 1].index))
        return false;
    supervisor->excused |= outcome.excused;
    if (!chunk_report(chunk, (uint32_t)index, &outcome))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

static struct known_kernel *find_kernel(struct supervisor *supervisor, uint32_t kernel)
{
    for (size_t k = 0; k < supervisor->kernel_count; k++)
        if (supervisor->kernels[k].kernel == kernel)
            return &supervisor->kernels[k];
    return NULL;
}

static struct known_kernel *add_kernel(struct supervisor *supervisor, uint32_t kernel)
{
    struct known_kernel *grown =
        realloc(supervisor->kernels, (supervisor->kernel_count + 1) * sizeof *grown);

    if (grown == NULL)
        return NULL;
    supervisor->kernels = grown;
    grown[supervisor->kernel_count] = (struct known_kernel){.kernel = kernel};
    return &grown[supervisor->kernel_count++];
}

/* Reads a point of a kernel. Each worker reports the same points in the same order. */
static bool take_point(struct supervisor *supervisor, char *line)
{
    struct source_point point;
    struct known_kernel *known;
    uint32_t kernel;
    size_t number;

    if (line == NULL || !wire_read_point(line, &kernel, &number, &point) || number >= MAX_POINTS)
        return false;
    known = find_kernel(supervisor, kernel);
    if (known == NULL)
        known = add_kernel(supervisor, kernel);
    if (known != NULL && number > known->coverage.count)
        return false;
    if (known == NULL ||
        (number == known->coverage.count && !coverage_add(&known->coverage, &point)))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

/* Reads a point that a case of the chunk has reached. */
static bool take_reached(struct supervisor *supervisor, struct chunk *chunk, const char *line)
{
    const struct known_kernel *known;
    struct reached reached;

    if (line == NULL || chunk == NULL || !wire_read_reached(line, &reached) ||
        reached.index >= chunk->count ||
        (chunk->reached_count > 0 &&
         reached.index < chunk->reached[chunk->reached_count - 1].index))
        return false;
    known = find_kernel(supervisor, reached.kernel);
    if (known == NULL || reached.point >= known->coverage.count)
        return false;
    if (!chunk_reach(chunk, &reached))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

/* Handles the end of an answer: the first cases of the chunk, or all, have run. */
static bool take_end(struct supervisor *supervisor, struct process *process, const char *line,
                     bool ends)
{
    struct chunk *chunk = process->chunk;
    uint64_t request = 0;
    uint32_t ran = 0;

    if (chunk == NULL || line == NULL ||
        sscanf(line, "%" SCNu32 "\t%" SCNu64, &ran, &request) != 2 || ran == 0 ||
        ran > chunk->count || request != chunk->request)
        return false;
    if (!chunk_cut(&supervisor->chunks, chunk, ran))
        stop_run(supervisor, ENGINE_ERROR, "out of memory");
    if (ends)
        explain(supervisor, chunk);
    else
        supervisor->lost += chunk->losses; /* This worker is not lost. */
    chunk->state = CHUNK_DONE;
    process->ending = ends;
    if (ends && process->queued != NULL) {
        process->queued->state = CHUNK_WAITING; /* The worker ends before it runs that chunk. */
        process->queued = NULL;
    }
    process->chunk = process->queued;
    process->queued = NULL;
    process->answered = 0;
    return true;
}

/* Handles a line from a worker. Returns false when the line is not a valid answer. */
static bool take_answer(struct supervisor *supervisor, struct process *process, char *line)
{
    const char *kind = strsep(&line, "\t");

    if (strcmp(kind, "point") == 0)
        return take_point(supervisor, line);
    if (strcmp(kind, "reached") == 0)
        return take_reached(supervisor, process->chunk, line);
    if (strcmp(kind, "calls") == 0 && line != NULL)
        return snprintf(process->call, sizeof process->call, "%s", line) >= 0;

    if (++process->answered >
        MAX_EXTRA_ANSWERS + (process->chunk != NULL ? process->chunk->count : 0))
        return false;
    process->deadline = clock_seconds() + patience(supervisor);
    process->busy = clock_seconds();
    if (strcmp(kind, "error") == 0) {
        stop_run(supervisor, ENGINE_ERROR, line != NULL ? line : "a worker failed");
        return true;
    }
    if (strcmp(kind, "case") == 0)
        return take_outcome(supervisor, process->chunk, line);
    if (strcmp(kind, "done") == 0 || strcmp(kind, "end") == 0)
        return take_end(supervisor, process, line, kind[0] == 'e');
    if (strcmp(kind, "counters") == 0 || strcmp(kind, "interval") == 0)
        return supervisor->counters != NULL && line != NULL &&
               wire_read_counters(kind[0] == 'i', line, supervisor->counters);
    if (strcmp(kind, "race") == 0)
        return line != NULL && supervisor->request == REQUEST_RACE &&
               (supervisor->race_count == supervisor->race_capacity ||
                wire_read_race(line, &supervisor->races[supervisor->race_count++]));
    if (strcmp(kind, "lost") == 0)
        process->ending = true; /* Its chunk will be split. */
    return process->ending;
}

static void take_answers(struct supervisor *supervisor, struct process *process)
{
    bool open = process_receive(process);
    size_t taken = 0;
    char *line;

    while ((line = process_take_line(process, &taken)) != NULL)
        if (!take_answer(supervisor, process, line)) {
            worker_failed(supervisor, process, MALFORMED_ANSWER);
            return;
        }
    process_drop_taken(process, taken);
    if (!open || process->ending)
        worker_failed(supervisor, process, ENDED);
}

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
        stop_run(supervisor, status == ENGINE_LOST ? ENGINE_ERROR : status, supervisor->reason);
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
        if (!dispatch(supervisor, process, chunk))
            stop_run(supervisor, ENGINE_ERROR, "out of memory");
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

/* Checks a worker that has not answered. */
static void look_after(struct supervisor *supervisor, struct process *process)
{
    double now = clock_seconds(), heard = process->deadline - patience(supervisor),
           used = process_seconds(process);

    if (used != process->used_seconds)
        process->busy = now;
    process->used_seconds = used;
    if (now > heard + GRACE_SECONDS && process_is_stopped(process))
        worker_failed(supervisor, process, KILLED);
    else if (now > process->deadline)
        worker_failed(supervisor, process, UNRESPONSIVE);
    else if (supervisor->engine->simulates &&
             now > process->busy + supervisor->limits.deadline_seconds + GRACE_SECONDS)
        worker_failed(supervisor, process, IDLE);
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
            take_answers(supervisor, polled[i]);
        else
            look_after(supervisor, polled[i]);
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

/* Adds the points that cases up to this one have reached, from `next` on, to the coverage. Returns
 * the next index. */
static size_t count_reached(struct supervisor *supervisor, const struct chunk *chunk, size_t next,
                            uint32_t index)
{
    for (; next < chunk->reached_count && chunk->reached[next].index <= index; next++) {
        const struct reached *reached = &chunk->reached[next];
        struct known_kernel *known = find_kernel(supervisor, reached->kernel);
        known->was_launched = true;
        known->coverage.points[reached->point].reached = true;
    }
    return next;
}

bool supervisor_take_coverage(struct supervisor *supervisor, struct coverage *coverage)
{
    bool good = true;

    for (size_t k = 0; k < supervisor->kernel_count; k++) {
        struct known_kernel *known = &supervisor->kernels[k];
        if (coverage != NULL && known->was_launched)
            good = good && coverage_merge(coverage, &known->coverage);
        known->was_launched = false;
        for (size_t p = 0; p < known->coverage.count; p++)
            known->coverage.points[p].reached = false;
    }
    return good;
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
            next_reached = count_reached(supervisor, chunk, next_reached, i);
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
            stop_run(supervisor, ENGINE_ERROR, "out of memory");
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
    count_lost(supervisor);
    if (is_stopped(supervisor) && (made < count || supervisor->chunks.first != NULL))
        stop_run(supervisor, ENGINE_STOPPED, "interrupted before all cases had run");
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
    forget_kernels(supervisor);
    free(supervisor);
}

uint64_t supervisor_excused(struct supervisor *supervisor)
{
    uint64_t excused = supervisor->excused;

    supervisor->excused = 0;
    return excused;
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
