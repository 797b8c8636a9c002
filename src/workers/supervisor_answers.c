/* SPDX-License-Identifier: MIT */
#include "supervisor_answers.h"

#include "clock.h"
#include "supervisor_coverage.h"
#include "supervisor_failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_EXTRA_ANSWERS =
        MAX_RACES_REPORTED + MAX_DIFFERENCES + MAX_INTERVALS + 2, /* besides one for each case */
};

bool supervisor_send(struct supervisor *supervisor, struct process *process, struct chunk *chunk)
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
            process->deadline = clock_seconds() + supervisor_patience(supervisor);
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
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
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
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    if (ends)
        supervisor_explain(supervisor, chunk);
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
        return supervisor_take_point(supervisor, line);
    if (strcmp(kind, "reached") == 0)
        return supervisor_take_reached(supervisor, process->chunk, line);
    if (strcmp(kind, "calls") == 0 && line != NULL)
        return snprintf(process->call, sizeof process->call, "%s", line) >= 0;

    if (++process->answered >
        MAX_EXTRA_ANSWERS + (process->chunk != NULL ? process->chunk->count : 0))
        return false;
    process->deadline = clock_seconds() + supervisor_patience(supervisor);
    process->busy = clock_seconds();
    if (strcmp(kind, "error") == 0) {
        supervisor_stop_run(supervisor, ENGINE_ERROR, line != NULL ? line : "a worker failed");
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
        return line != NULL &&
               (supervisor->request == REQUEST_RACE || supervisor->request == REQUEST_EXPLAIN) &&
               (supervisor->race_count == supervisor->race_capacity ||
                wire_read_race(line, &supervisor->races[supervisor->race_count++]));
    if (strcmp(kind, "difference") == 0)
        return line != NULL && supervisor->explanation != NULL &&
               supervisor->explanation->difference_count < MAX_DIFFERENCES &&
               wire_read_difference(
                   line, &supervisor->explanation
                              ->differences[supervisor->explanation->difference_count++]);
    if (strcmp(kind, "lost") == 0)
        process->ending = true; /* Its chunk will be split. */
    return process->ending;
}

void supervisor_take_answers(struct supervisor *supervisor, struct process *process)
{
    bool open = process_receive(process);
    size_t taken = 0;
    char *line;

    while ((line = process_take_line(process, &taken)) != NULL)
        if (!take_answer(supervisor, process, line)) {
            supervisor_worker_failed(supervisor, process, MALFORMED_ANSWER);
            return;
        }
    process_drop_taken(process, taken);
    if (!open || process->ending)
        supervisor_worker_failed(supervisor, process, ENDED);
}
