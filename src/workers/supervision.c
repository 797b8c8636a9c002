/* SPDX-License-Identifier: MIT */
#include "supervision.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
    MAX_CRASHES = 2, /* of fresh workers at one case, before the case is blamed */
    MAX_KILLS = 3,   /* from outside, likewise before the run ends */
};

void supervision_stop(struct supervisor *supervisor, enum engine_status status, const char *reason)
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
    *fault = (struct fault){.kind = failure == FELL_SILENT ? FAULT_TIMEOUT : FAULT_CRASH};
    if (failure == FELL_SILENT)
        snprintf(fault->text, sizeof fault->text,
                 "the worker gave no sign of life and was ended, past the deadline of %g s",
                 supervisor->limits.deadline_seconds);
    else if (failure == BABBLED)
        snprintf(fault->text, sizeof fault->text,
                 "the worker answered what is no answer, and was ended");
    else if (WIFSIGNALED(status))
        snprintf(fault->text, sizeof fault->text, "the worker died: %s",
                 strsignal(WTERMSIG(status)));
    else
        snprintf(fault->text, sizeof fault->text, "the worker ended by itself, with status %d",
                 WEXITSTATUS(status));
}

/* Killed from outside: the case is not to blame, and is run again. */
static void worker_killed(struct supervisor *supervisor, struct chunk *chunk, int number)
{
    char reason[512], limit[128];

    if (++chunk->kills < MAX_KILLS)
        return;
    process_memory_limit(limit, sizeof limit);
    snprintf(reason, sizeof reason, "workers are killed from outside, %u at one case (%s): %s%s",
             chunk->kills, chunk->cases[0].variant->id, strsignal(number), limit);
    supervision_stop(supervisor, ENGINE_ERROR, reason);
}

void supervision_explain(struct supervisor *supervisor, const struct chunk *chunk)
{
    if (chunk->split == supervisor->last_explained)
        return;
    supervisor->last_explained = chunk->split;
    supervisor->explained++;
}

/* What becomes of a chunk of one case, whose worker has failed: a fresh worker runs it again,
 * unless that has been tried. */
static void bisect(struct supervisor *supervisor, struct chunk *chunk, enum failure failure,
                   int status)
{
    struct outcome outcome = {.kind = OUTCOME_FAULT};

    chunk->losses++;
    chunk->state = CHUNK_WAITING;
    chunk->told_count = 0;
    supervisor->race_count = 0;
    if (failure == KILLED) {
        worker_killed(supervisor, chunk, WTERMSIG(status));
        return;
    }
    if (failure != FELL_SILENT && chunk->losses - chunk->kills < MAX_CRASHES)
        return;
    describe_failure(supervisor, failure, status, &outcome.fault);
    supervisor->lost += chunk->kills;
    supervision_explain(supervisor, chunk);
    if (!chunk_tell(chunk, 0, &outcome))
        supervision_stop(supervisor, ENGINE_ERROR, "out of memory");
    chunk->state = CHUNK_DONE;
}

void supervision_failed(struct supervisor *supervisor, struct process *process,
                        enum failure failure)
{
    struct chunk *chunk = process->chunk;
    bool at_once = failure != ENDED || process->ending;
    int status = process_reap(process, at_once ? 0 : WORKER_END_SECONDS);

    if (!process->put_down && failure == ENDED && process_was_killed(status))
        failure = KILLED;
    process->chunk = NULL;
    if (process->queued != NULL)
        process->queued->state = CHUNK_WAITING;
    process->queued = NULL;
    if (chunk == NULL)
        return;
    if (chunk->count == 1) {
        bisect(supervisor, chunk, failure, status);
        return;
    }
    supervisor->lost += failure == KILLED;
    chunk->split = failure == KILLED ? 0 : ++supervisor->splits;
    if (!chunk_split(&supervisor->chunks, chunk))
        supervision_stop(supervisor, ENGINE_ERROR, "out of memory");
}

/* Those of the run whose chunk was split, and of which no case was to blame. */
void supervision_count_lost(struct supervisor *supervisor)
{
    if (supervisor->status == ENGINE_OK && supervisor->splits > supervisor->explained)
        supervisor->lost += supervisor->splits - supervisor->explained;
    supervisor->splits = supervisor->explained = supervisor->last_explained = 0;
}
