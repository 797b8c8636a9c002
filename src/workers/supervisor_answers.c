/* SPDX-License-Identifier: MIT */
#include "supervisor_answers.h"

#include "clock.h"
#include "supervisor_failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_EXTRA_ANSWERS =
        MAX_RACES_REPORTED + MAX_DIFFERENCES + MAX_INTERVALS + 2, /* besides one for each case */
    MAX_COVERED = 2 * MAX_POINTS,                                 /* lines about coverage */
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
            process->answered = process->covered = 0;
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
    if (outcome.barriers[0] != '\0' &&
        (supervisor->barriers[0] == '\0' || strcmp(outcome.barriers, supervisor->barriers) < 0))
        memcpy(supervisor->barriers, outcome.barriers, sizeof supervisor->barriers);
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
    process->answered = process->covered = 0;
    return true;
}

/* ---- Source coverage ---- */

void supervisor_forget_kernels(struct supervisor *supervisor)
{
    for (size_t k = 0; k < supervisor->kernel_count; k++)
        coverage_free(&supervisor->kernels[k].coverage);
    free(supervisor->kernels);
    supervisor->kernels = NULL;
    supervisor->kernel_count = 0;
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

/* Reads a point of a kernel. Each worker reports the same points in the same order. Returns false
 * when the line is not valid. */
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
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

/* Reads points that a case of the chunk has reached. Returns false when the line is not valid. */
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
    if (known == NULL || reached.first >= known->coverage.count ||
        reached.count > known->coverage.count - reached.first)
        return false;
    if (!chunk_reach(chunk, &reached))
        supervisor_stop_run(supervisor, ENGINE_ERROR, "out of memory");
    return true;
}

size_t supervisor_count_reached(struct supervisor *supervisor, const struct chunk *chunk,
                                size_t next, uint32_t index)
{
    for (; next < chunk->reached_count && chunk->reached[next].index <= index; next++) {
        const struct reached *reached = &chunk->reached[next];
        struct known_kernel *known = find_kernel(supervisor, reached->kernel);
        known->was_launched = true;
        for (uint32_t p = 0; p < reached->count; p++)
            known->coverage.points[reached->first + p].reached = true;
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

/* ---- Lines ---- */

/* Handles a line from a worker. Returns false when the line is not a valid answer. */
static bool take_answer(struct supervisor *supervisor, struct process *process, char *line)
{
    const char *kind = strsep(&line, "\t");

    if (strcmp(kind, "point") == 0)
        return ++process->covered <= MAX_COVERED && take_point(supervisor, line);
    if (strcmp(kind, "reached") == 0)
        return ++process->covered <= MAX_COVERED && take_reached(supervisor, process->chunk, line);
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
