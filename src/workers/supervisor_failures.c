/* SPDX-License-Identifier: MIT */
#include "supervisor_failures.h"

#include "clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
    MAX_CRASHES = 2, /* of fresh workers at one case, before the case gets a fault */
    MAX_KILLS = 3,   /* kills from outside at one case, before the run ends */
};

/* A worker keeps its own deadline; on the simulator it counts processor time, and SIGPROF ends a
 * worker that does not notice it. The supervisor's deadline is for a worker that cannot. On the
 * simulator it is FAR times as long, because the machine may be busy; but a worker that uses no
 * processor time at all has no such excuse. */
static const double GRACE_SECONDS = 3, FAR = 10, FAR_SECONDS = 10;

void supervisor_stop_run(struct supervisor *supervisor, enum engine_status status,
                         const char *reason)
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
    double deadline = supervisor->limits.deadline_seconds;

    if (failure == IDLE)
        fault_set(fault, FAULT_TIMEOUT,
                  "the worker used no processor time for longer than the deadline of %g s "
                  "(--deadline), and was killed",
                  deadline);
    else if (failure == UNRESPONSIVE)
        fault_set(fault, FAULT_TIMEOUT,
                  "the worker did not respond and was killed, past the deadline of %g s "
                  "(--deadline)",
                  deadline);
    else if (failure == MALFORMED_ANSWER)
        fault_set(fault, FAULT_CRASH, "the worker sent a malformed answer and was killed");
    else if (WIFSIGNALED(status))
        fault_set(fault, FAULT_CRASH, "the worker died: %s", strsignal(WTERMSIG(status)));
    else
        fault_set(fault, FAULT_CRASH, "the worker exited with status %d", WEXITSTATUS(status));
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
    supervisor_stop_run(supervisor, ENGINE_ERROR, reason);
}

void supervisor_explain(struct supervisor *supervisor, const struct chunk *chunk)
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
    supervisor_explain(supervisor, chunk);
    if (!chunk_report(chunk, 0, &outcome))
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    chunk->state = CHUNK_DONE;
}

void supervisor_worker_failed(struct supervisor *supervisor, struct process *process,
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
        supervisor_stop_run(supervisor, ENGINE_ERROR, reason);
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
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
}

void supervisor_count_lost(struct supervisor *supervisor)
{
    if (supervisor->status == ENGINE_OK && supervisor->splits > supervisor->explained)
        supervisor->lost += supervisor->splits - supervisor->explained;
    supervisor->splits = supervisor->explained = supervisor->last_explained = 0;
}

double supervisor_patience(const struct supervisor *supervisor)
{
    double deadline = supervisor->limits.deadline_seconds;

    return supervisor->engine->simulates ? FAR * deadline + FAR_SECONDS : deadline + GRACE_SECONDS;
}

void supervisor_look_after(struct supervisor *supervisor, struct process *process)
{
    double now = clock_seconds(), heard = process->deadline - supervisor_patience(supervisor),
           used = process_seconds(process);

    if (used != process->used_seconds)
        process->busy = now;
    process->used_seconds = used;
    if (now > heard + GRACE_SECONDS && process_is_stopped(process))
        supervisor_worker_failed(supervisor, process, KILLED);
    else if (now > process->deadline)
        supervisor_worker_failed(supervisor, process, UNRESPONSIVE);
    else if (supervisor->engine->simulates &&
             now > process->busy + supervisor->limits.deadline_seconds + GRACE_SECONDS)
        supervisor_worker_failed(supervisor, process, IDLE);
}
