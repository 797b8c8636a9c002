/* SPDX-License-Identifier: MIT
 *
 * What a switch between the threads of a block costs in the host engine's barrier, beside glibc's
 * swapcontext() over as many stacks, in turn. Medians, in nanoseconds. Exit status 1 when the
 * engine's is over a third of the other: nanoseconds by themselves tell of who else uses the
 * machine.
 */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { THREADS = 1024, ROUNDS = 200, RUNS = 31, STACK = 16384 };

static const double MAX_RATIO = 1.0 / 3;

static ucontext_t contexts[THREADS], main_context;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Passes on to the next context, ROUNDS times. */
static void ring(int self)
{
    for (int round = 0; round < ROUNDS; round++)
        swapcontext(&contexts[self], &contexts[(self + 1) % THREADS]);
}

static double time_swapcontext(char *stacks)
{
    double start;

    for (int i = 0; i < THREADS; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + (size_t)i * (STACK + 192);
        contexts[i].uc_stack.ss_size = STACK;
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))ring, 1, i);
    }
    start = now();
    swapcontext(&main_context, &contexts[0]); /* back when the first of them is done */
    return (now() - start) * 1e9 / ((double)THREADS * ROUNDS);
}

static double time_barrier(struct engine *engine)
{
    static const struct invocation invocation = {
        .kernel = "barriers",
        .grid = {1, 1, 1},
        .block = {THREADS, 1, 1},
        .buffer_count = 2,
        .buffers = {{.name = "in", .role = ROLE_INOUT, .element = ELEMENT_I32, .count = 1},
                    {.name = "out", .role = ROLE_OUTPUT, .element = ELEMENT_I32, .count = 1}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_VALUE, ROUNDS}},
    };
    struct engine_job job = {.invocation = &invocation, .model = MODEL_INDEPENDENT};
    struct engine_outcome outcome;
    double start = now();

    if (engine_run(engine, &job, 1, &outcome) != ENGINE_OK || outcome.fault.kind != FAULT_NONE) {
        fprintf(stderr, "bench_switch: %s\n", outcome.fault.text);
        exit(3);
    }
    return (now() - start) * 1e9 / ((double)THREADS * ROUNDS);
}

static int ascending(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

static double median(double *values)
{
    qsort(values, RUNS, sizeof *values, ascending);
    return values[RUNS / 2];
}

int main(void)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    struct engine *engine;
    char reason[256], *stacks = malloc((size_t)THREADS * (STACK + 192));
    double barrier[RUNS], swap[RUNS], ratios[RUNS];

    if (stacks == NULL || engine_open(&limits, &engine, reason, sizeof reason) != ENGINE_OK)
        return 3;
    for (int run = 0; run < RUNS; run++) {
        barrier[run] = time_barrier(engine);
        swap[run] = time_swapcontext(stacks);
        ratios[run] = barrier[run] / swap[run];
    }
    engine_close(engine);
    free(stacks);
    double ratio = median(ratios);
    printf(
        "switch at a barrier of %d threads: %.1f ns; swapcontext: %.1f ns; ratio %.3f (medians of "
        "%d)\n",
        THREADS, median(barrier), median(swap), ratio, RUNS);
    return ratio <= MAX_RATIO ? 0 : 1;
}
