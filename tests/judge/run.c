/* SPDX-License-Identifier: MIT
 *
 * judge_run [exact]: runs kernels of PTX in this process. With `exact`, each job runs as requested,
 * even if one run decides for all schedules. Reads commands from standard input:
 *
 *     load FILE
 *     run KERNEL BLOCKS THREADS CLUSTER WORDS RESULTS MODEL SCHEDULE TRACE
 *
 * KERNEL may be several: a+b launches b after a, and a,b at the same time. A kernel has two
 * arguments: an array of WORDS 32-bit integers, zeros at first, and one of RESULTS. TRACE: 1 writes
 * the trace of record.c before the answer. The answer is
 *
 *     race LINE THREAD LINE THREAD STRONG PLACE     for each pair of lines of the PTX
 *     fault KIND TEXT                               if there was one
 *     memory mK=WORD ... rK=WORD ...                what is not 0 after the run, hexadecimal
 *     answer DECIDED POINTS CHECKED RACES UNORDERED
 */
#include "case_id.h"
#include "engine.h"
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 320, MAX_RACES = 32 };

struct request {
    char kernel[128], model[16], schedule[48];
    uint32_t blocks, threads, cluster, words, results;
    int traced;
};

static struct buffer array(const char *name, uint32_t count)
{
    static const uint32_t zeros[MAX_WORDS];

    return (struct buffer){.name = name,
                           .role = ROLE_INOUT,
                           .element = ELEMENT_I32,
                           .count = count,
                           .fill = FILL_DATA,
                           .data = zeros,
                           .data_count = count};
}

static void write_races(const struct race *races, size_t count)
{
    for (size_t k = 0; k < count && k < MAX_RACES; k++) {
        const struct race_side *a = &races[k].first, *b = &races[k].second;
        printf("race %d %u:%u %d %u:%u %d %s\n", a->ptx_line, a->block.x, a->number, b->ptx_line,
               b->block.x, b->number, races[k].strong, races[k].place);
    }
}

/* Writes the elements that are not 0. */
static void write_array(char name, const uint32_t *elements, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (elements[k] != 0)
            printf(" %c%" PRIu32 "=%" PRIx32, name, k, elements[k]);
}

/* Adds the launches of the kernels after the first one. Ends their names in the request. */
static void add_launches(struct invocation *invocation, char *names)
{
    for (char *at = strpbrk(names, "+,"); at != NULL; at = strpbrk(at, "+,")) {
        const uint32_t after = *at == '+' ? (UINT32_C(2) << invocation->more_count) - 1 : 0;
        *at++ = '\0';
        invocation->more[invocation->more_count++] =
            (struct host_launch){.kernel = at,
                                 .grid = invocation->grid,
                                 .block = invocation->block,
                                 .cluster = invocation->cluster,
                                 .argument_count = 2,
                                 .after = after};
    }
}

static void run(struct engine *engine, struct request *request)
{
    static struct race races[MAX_RACES];
    uint32_t memory[MAX_WORDS], results[MAX_WORDS];
    struct invocation invocation = {
        .kernel = request->kernel,
        .grid = {request->blocks, 1, 1},
        .block = {request->threads, 1, 1},
        .cluster = {request->cluster, 1, 1},
        .buffer_count = 2,
        .buffers = {array("m", request->words), array("r", request->results)},
        .argument_count = 2,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}},
    };
    struct engine_job job = {.invocation = &invocation,
                             .model = strcmp(request->model, model_name(MODEL_LOCKSTEP)) == 0
                                          ? MODEL_LOCKSTEP
                                          : MODEL_INDEPENDENT,
                             .races = races,
                             .race_capacity = MAX_RACES,
                             .results = {memory, results}};
    struct engine_outcome outcome;

    add_launches(&invocation, request->kernel);
    if (!schedule_parse(request->schedule, &job.schedule)) {
        printf("error no schedule %s\n", request->schedule);
        return;
    }
    trace = request->traced ? stdout : NULL;
    if (engine_run(engine, &job, 1, &outcome) != ENGINE_OK) {
        printf("error %s\n", outcome.fault.text);
        return;
    }
    write_races(races, outcome.race_count + outcome.unordered_count);
    if (outcome.fault.kind != FAULT_NONE) {
        printf("fault %d %s\n", (int)outcome.fault.kind, outcome.fault.text);
    } else {
        printf("memory");
        write_array('m', memory, request->words);
        write_array('r', results, request->results);
        printf("\n");
    }
    printf("answer %d %" PRIu64 " %" PRIu64 " %zu %zu\n", outcome.points == 0, outcome.points,
           outcome.checked, outcome.race_count, outcome.unordered_count);
}

int main(int argc, char **argv)
{
    const struct engine_limits limits = {
        .deadline_seconds = 10, .every_schedule = argc > 1 && strcmp(argv[1], "exact") == 0};
    struct engine *engine;
    char reason[512], line[4096], path[4096];

    if (engine_open(&limits, &engine, reason, sizeof reason) != ENGINE_OK) {
        fprintf(stderr, "judge_run: %s\n", reason);
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct request request;
        if (sscanf(line, "load %4095s", path) == 1) {
            if (engine_load(path, reason, sizeof reason))
                printf("loaded\n");
            else
                printf("error %s\n", reason);
        } else if (sscanf(line, "run %127s %u %u %u %u %u %15s %47s %d", request.kernel,
                          &request.blocks, &request.threads, &request.cluster, &request.words,
                          &request.results, request.model, request.schedule,
                          &request.traced) == 9 &&
                   request.words <= MAX_WORDS && request.results <= MAX_WORDS) {
            run(engine, &request);
        } else {
            printf("error what is %s", line);
        }
        fflush(stdout);
    }
    engine_close(engine);
    return 0;
}
