/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include "chunk.h"
#include "clock.h"
#include "process.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_WORKERS = 64,
    LEAST_CHUNK = 64,
    CHUNKS_AHEAD = 4, /* chunks in the making, for each worker */
    MAX_FAILED_STARTS = 3,
};

/* A worker has its own deadline; this one is for a worker that cannot keep it. A fresh GPU context
 * can take a minute. */
static const double GRACE_SECONDS = 3, LOOK_UP_SECONDS = 0.5, START_SECONDS = 120, END_SECONDS = 20;

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
    char description[256], lacks[NEEDS_TAIL_LAUNCH + 1][128];
    struct process processes[MAX_WORKERS];
    /* The run in progress. */
    struct chunk_list chunks;
    unsigned int failed_starts;
    enum engine_status status;
    char reason[512];
};

/* Takes a "lacks" line; false when it is another. */
static bool take_lack(struct supervisor *supervisor, const char *line)
{
    int need, text = 0;

    if (sscanf(line, "lacks\t%d\t%n", &need, &text) != 1 || text == 0 || need < 0 ||
        need > NEEDS_TAIL_LAUNCH)
        return false;
    snprintf(supervisor->lacks[need], sizeof supervisor->lacks[need], "%s", line + text);
    return true;
}

/* Starts a worker and waits until it is ready. */
static enum engine_status start(struct supervisor *supervisor, struct process *process)
{
    double limit = clock_seconds() + START_SECONDS;
    size_t batch, taken = 0;
    char *line = NULL;
    int end = 0;

    if (!process_spawn(process, supervisor->program, &supervisor->limits)) {
        snprintf(supervisor->reason, sizeof supervisor->reason, "cannot start a worker: %s",
                 strerror(errno));
        return ENGINE_ERROR;
    }
    process->chunk = process->queued = NULL;
    process->ending = false;
    do
        line = process_take_line(process, &taken);
    while (line != NULL ? take_lack(supervisor, line)
                        : process_wait_readable(process, limit) && process_receive(process));
    if (line != NULL &&
        sscanf(line, "ready\t%zu\t%255[^\n]", &batch, supervisor->description) == 2) {
        supervisor->chunk_size = batch > LEAST_CHUNK ? batch : LEAST_CHUNK;
        process_drop_taken(process, taken);
        return ENGINE_OK;
    }
    if (line != NULL && strchr(line, '\t') != NULL) {
        bool unavailable = strncmp(line, "unavailable\t", 12) == 0;
        snprintf(supervisor->reason, sizeof supervisor->reason, "%.500s", strchr(line, '\t') + 1);
        process_reap(process, END_SECONDS);
        return unavailable ? ENGINE_UNAVAILABLE : ENGINE_ERROR;
    }
    end = process_reap(process, 0);
    snprintf(supervisor->reason, sizeof supervisor->reason,
             "the worker '%.300s' %s before it was ready", supervisor->program,
             WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "ended");
    return ENGINE_ERROR;
}

/* ---- Workers that fail ---- */

static void stop_with(struct supervisor *supervisor, enum engine_status status, const char *reason)
{
    if (supervisor->status != ENGINE_OK)
        return;
    supervisor->status = status;
    if (reason != supervisor->reason)
        snprintf(supervisor->reason, sizeof supervisor->reason, "%.500s", reason);
}

/* A worker ended or went silent while it ran its chunk. */
static void worker_failed(struct supervisor *supervisor, struct process *process, bool hung)
{
    struct chunk *chunk = process->chunk;
    struct outcome outcome = {.kind = OUTCOME_FAULT};
    struct fault *fault = &outcome.fault;
    bool ending = process->ending;
    int status = process_reap(process, hung ? 0 : process->ending ? 0 : END_SECONDS);

    process->chunk = NULL;
    if (process->queued != NULL)
        process->queued->state = CHUNK_WAITING;
    process->queued = NULL;
    if (chunk == NULL)
        return;
    fault->kind = hung ? FAULT_DEADLINE : FAULT_CRASH;
    if (hung)
        snprintf(fault->text, sizeof fault->text,
                 "the worker gave no sign of life and was ended, past the deadline of %g s",
                 supervisor->limits.deadline_seconds);
    else if (WIFSIGNALED(status))
        snprintf(fault->text, sizeof fault->text, "the worker died: %s",
                 strsignal(WTERMSIG(status)));
    else if (!ending)
        stop_with(supervisor, ENGINE_ERROR, "a worker ended in the middle of its work");
    if (chunk->count > 1 ? !chunk_split(&supervisor->chunks, chunk)
                         : !chunk_tell(chunk, 0, &outcome))
        stop_with(supervisor, ENGINE_ERROR, "out of memory");
    else if (chunk->told_count > 0)
        chunk->state = CHUNK_DONE;
}

const char *supervisor_lacks(const struct supervisor *supervisor, enum need need)
{
    return supervisor->lacks[need][0] != '\0' ? supervisor->lacks[need] : NULL;
}

/* ---- The run ---- */

static bool send_text(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = write(fd, text, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* Writes the chunk to the worker, which may be at work on another: then only if the pipe takes it
 * at once, or supervisor and worker could wait for each other. A worker that has died is noticed
 * when its answers end. */
static bool dispatch(struct supervisor *supervisor, struct process *process, struct chunk *chunk)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (stream == NULL)
        return false;
    fprintf(stream, "%s %u\n", request_names[supervisor->request], chunk->count);
    for (uint32_t i = 0; i < chunk->count; i++)
        wire_write_case(stream, &chunk->cases[i]);
    fclose(stream);
    if (process->chunk == NULL || length <= process->pipe_bytes) {
        chunk->state = CHUNK_RUNNING;
        if (process->chunk != NULL) {
            process->queued = chunk;
        } else {
            process->chunk = chunk;
            process->deadline =
                clock_seconds() + supervisor->limits.deadline_seconds + GRACE_SECONDS;
        }
        send_text(process->requests, text, length);
    }
    free(text);
    return true;
}

static void take_answer(struct supervisor *supervisor, struct process *process, char *line)
{
    struct chunk *chunk = process->chunk;
    char *kind = strsep(&line, "\t");

    process->deadline = clock_seconds() + supervisor->limits.deadline_seconds + GRACE_SECONDS;
    if (strcmp(kind, "error") == 0) {
        stop_with(supervisor, ENGINE_ERROR, line != NULL ? line : "a worker failed");
    } else if (strcmp(kind, "case") == 0 && chunk != NULL && line != NULL) {
        struct outcome outcome;
        const char *index = strsep(&line, "\t");
        if (line == NULL || !wire_read_outcome(line, &outcome) ||
            !chunk_tell(chunk, (uint32_t)strtoul(index, NULL, 10), &outcome))
            stop_with(supervisor, ENGINE_ERROR, "a worker's answer cannot be read");
    } else if ((strcmp(kind, "done") == 0 || strcmp(kind, "end") == 0) && chunk != NULL) {
        uint32_t ran = line != NULL ? (uint32_t)strtoul(line, NULL, 10) : 0;
        if (ran == 0 || ran > chunk->count || !chunk_cut(&supervisor->chunks, chunk, ran))
            stop_with(supervisor, ENGINE_ERROR, "a worker's answer cannot be taken");
        chunk->state = CHUNK_DONE;
        process->ending = kind[0] == 'e';
        if (process->ending && process->queued != NULL) {
            process->queued->state = CHUNK_WAITING; /* it will not get to that */
            process->queued = NULL;
        }
        process->chunk = process->queued;
        process->queued = NULL;
    } else if (strcmp(kind, "counters") == 0 && supervisor->counters != NULL && line != NULL) {
        if (!wire_read_counters(line, supervisor->counters))
            stop_with(supervisor, ENGINE_ERROR, "a worker's counters cannot be read");
    } else if (strcmp(kind, "race") == 0 && line != NULL) {
        if (supervisor->race_count < supervisor->race_capacity &&
            !wire_read_race(line, &supervisor->races[supervisor->race_count++]))
            stop_with(supervisor, ENGINE_ERROR, "a worker's races cannot be read");
    } else if (strcmp(kind, "lost") == 0) {
        process->ending = true; /* and its chunk will be split */
    }
}

static void take_answers(struct supervisor *supervisor, struct process *process)
{
    bool open = process_receive(process);
    size_t taken = 0;
    char *line;

    while ((line = process_take_line(process, &taken)) != NULL)
        take_answer(supervisor, process, line);
    process_drop_taken(process, taken);
    if (!open || process->ending)
        worker_failed(supervisor, process, false);
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

/* Gives every idle worker a chunk (`ahead`: every busy worker another one, so that it need not wait
 * for it), and starts workers that are not running. */
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
        if (process->pid == 0) {
            enum engine_status status = start(supervisor, process);
            supervisor->failed_starts = status == ENGINE_OK ? 0 : supervisor->failed_starts + 1;
            if (supervisor->failed_starts == MAX_FAILED_STARTS)
                stop_with(supervisor, status, supervisor->reason);
            if (status != ENGINE_OK)
                continue;
        }
        if (!dispatch(supervisor, process, chunk))
            stop_with(supervisor, ENGINE_ERROR, "out of memory");
    }
}

static bool any_running(const struct supervisor *supervisor)
{
    for (unsigned int p = 0; p < supervisor->jobs; p++)
        if (supervisor->processes[p].chunk != NULL)
            return true;
    return false;
}

/* Waits until a worker answers, ends or is past its deadline, and handles that. */
static void wait_for_answers(struct supervisor *supervisor)
{
    struct pollfd ready[MAX_WORKERS];
    struct process *polled[MAX_WORKERS];
    nfds_t count = 0;
    double first_deadline = clock_seconds() + LOOK_UP_SECONDS;

    for (unsigned int p = 0; p < supervisor->jobs; p++) {
        struct process *process = &supervisor->processes[p];
        if (process->chunk == NULL)
            continue;
        polled[count] = process;
        ready[count++] = (struct pollfd){.fd = process->answers, .events = POLLIN};
        if (process->deadline < first_deadline)
            first_deadline = process->deadline;
    }
    double left = first_deadline - clock_seconds();
    if (poll(ready, count, left > 0 ? (int)(left * 1000) + 1 : 0) < 0)
        return;
    for (nfds_t i = 0; i < count; i++) {
        if (ready[i].revents != 0)
            take_answers(supervisor, polled[i]);
        else if (clock_seconds() > polled[i]->deadline)
            worker_failed(supervisor, polled[i], true);
    }
}

static bool is_stopped(const struct supervisor *supervisor)
{
    return supervisor->stopped != NULL && supervisor->stopped();
}

/* Does not wait for workers that are at work. */
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

/* Passes on the outcomes of finished chunks at the head of the list; false to end the run. */
static bool commit(struct supervisor *supervisor, supervisor_sink *sink, void *context)
{
    static const struct outcome pass = {.kind = OUTCOME_PASS};
    struct chunk_list *chunks = &supervisor->chunks;
    bool goes_on = true;

    while (goes_on && chunks->first != NULL && chunks->first->state == CHUNK_DONE) {
        struct chunk *chunk = chunks->first;
        uint32_t next_told = 0;
        chunk_sort(chunk);
        for (uint32_t i = 0; i < chunk->count && goes_on; i++) {
            bool is_told = next_told < chunk->told_count && chunk->told[next_told].index == i;
            goes_on = sink(context, chunk->first + i, &chunk->cases[i],
                           is_told ? &chunk->told[next_told].outcome : &pass);
            next_told += is_told;
        }
        chunk_remove_first(chunks);
    }
    return goes_on;
}

enum engine_status supervisor_run(struct supervisor *supervisor, uint64_t count,
                                  supervisor_source *source, supervisor_sink *sink, void *context,
                                  char *reason, size_t reason_size)
{
    uint64_t made = 0;
    bool goes_on = true;

    supervisor->status = ENGINE_OK;
    supervisor->failed_starts = 0;
    while (goes_on && supervisor->status == ENGINE_OK && !is_stopped(supervisor)) {
        if (!add_chunks(supervisor, &made, count, source, context))
            stop_with(supervisor, ENGINE_ERROR, "out of memory");
        if (supervisor->chunks.first == NULL)
            break;
        assign_chunks(supervisor, false);
        assign_chunks(supervisor, true);
        if (any_running(supervisor))
            wait_for_answers(supervisor);
        goes_on = commit(supervisor, sink, context);
    }
    while (any_running(supervisor) && !is_stopped(supervisor))
        wait_for_answers(supervisor); /* what is under way ends, and is not wanted any more */
    end_running(supervisor);
    chunk_clear(&supervisor->chunks);
    if (supervisor->status != ENGINE_OK)
        snprintf(reason, reason_size, "%s", supervisor->reason);
    return supervisor->status;
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
                                        struct outcome *outcomes, char *reason, size_t reason_size)
{
    struct case_array array = {cases, outcomes};

    return supervisor_run(supervisor, count, source_array, sink_array, &array, reason, reason_size);
}

enum engine_status supervisor_count(struct supervisor *supervisor, const struct test_case *test,
                                    struct outcome *outcome, struct engine_counters *counters,
                                    char *reason, size_t reason_size)
{
    enum request before = supervisor->request;
    enum engine_status status;

    *counters = (struct engine_counters){0};
    supervisor->request = REQUEST_COUNT;
    supervisor->counters = counters;
    status = supervisor_run_array(supervisor, test, 1, outcome, reason, reason_size);
    supervisor->counters = NULL;
    supervisor->request = before;
    return status;
}

void supervisor_ask(struct supervisor *supervisor, enum request request)
{
    supervisor->request = request;
}

enum engine_status supervisor_race(struct supervisor *supervisor, const struct test_case *test,
                                   struct outcome *outcome, struct race *races, size_t capacity,
                                   size_t *count, char *reason, size_t reason_size)
{
    enum request before = supervisor->request;
    enum engine_status status;

    supervisor->request = REQUEST_RACE;
    supervisor->races = races;
    supervisor->race_capacity = capacity;
    supervisor->race_count = 0;
    status = supervisor_run_array(supervisor, test, 1, outcome, reason, reason_size);
    *count = supervisor->race_count;
    supervisor->race_capacity = supervisor->race_count = 0;
    supervisor->request = before;
    return status;
}

/* ---- Opening and closing ---- */

/* The worker program stands beside this one. */
static bool find_program(struct supervisor *supervisor)
{
    char self[3072];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    supervisor->program[0] = '\0';
    if (length < 0)
        return false;
    self[length] = '\0';
    snprintf(supervisor->program, sizeof supervisor->program, "%s-worker-%s", self,
             supervisor->engine->name);
    return access(supervisor->program, X_OK) == 0;
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
        supervisor->jobs = !options->engine->uses_a_gpu && cores > 0 ? (unsigned int)cores : 1;
    if (supervisor->jobs > MAX_WORKERS)
        supervisor->jobs = MAX_WORKERS;
    signal(SIGPIPE, SIG_IGN); /* a dead worker is an outcome, not the end */
    if (!find_program(supervisor)) {
        bool unknown = supervisor->program[0] == '\0';
        if (unknown)
            snprintf(reason, reason_size, "cannot tell where this program is: %s", strerror(errno));
        else
            snprintf(reason, reason_size, "this build has no engine '%s': %s is missing",
                     supervisor->engine->name, strrchr(supervisor->program, '/') + 1);
        free(supervisor);
        return unknown ? ENGINE_ERROR : ENGINE_UNAVAILABLE;
    }
    status = start(supervisor, &supervisor->processes[0]);
    if (status != ENGINE_OK) {
        snprintf(reason, reason_size, "%s", supervisor->reason);
        free(supervisor);
        return status;
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
    free(supervisor);
}

const char *supervisor_description(const struct supervisor *supervisor)
{
    return supervisor->description;
}
