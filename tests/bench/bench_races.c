/* SPDX-License-Identifier: MIT
 *
 * Measures the cost of race checking in the simulator. Runs the corrected variants that add n
 * elements plainly, with the quick check (one run decides), and with the exact check, on one
 * core. Each run has values of its own, because the simulator remembers cases that one run has
 * decided. Prints checked accesses per second and the ratio of the times. Exit status 1 when a
 * model's median ratio of the exact check is above 5. The rates depend on the machine and its load.
 */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, MAX_CASES = 512 };

static const double MAX_RATIO = 5;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

enum way { PLAIN, QUICK, EXACT, WAYS };

static const char *const way_names[] = {"plain", "quick", "exact"};

static struct engine *open_engine(enum way way)
{
    const struct engine_limits limits = {.deadline_seconds = 60, .every_schedule = way != QUICK};
    struct engine *engine;
    char reason[256];

    if (engine_open(&limits, &engine, reason, sizeof reason) != ENGINE_OK) {
        fprintf(stderr, "%s\n", reason);
        exit(3);
    }
    return engine;
}

static double time_job(struct engine *engine, const struct engine_job *job, uint64_t *steps)
{
    struct engine_outcome outcome;
    double start = now();

    if (engine_run(engine, job, 1, &outcome) != ENGINE_OK || outcome.fault.kind != FAULT_NONE ||
        outcome.race_count > 0) {
        fprintf(stderr, "%s: %s\n", job->invocation->kernel, outcome.fault.text);
        exit(3);
    }
    *steps = outcome.steps;
    return now() - start;
}

static bool bench_model(enum model model, uint64_t elements)
{
    static const uint32_t blocks[] = {32, 128, 512, 1024};
    static double rates[WAYS][MAX_CASES], ratios[WAYS][MAX_CASES];
    size_t cases = 0;
    struct race races[1];

    for (size_t v = 0; v < simtcheck_catalogue.count; v++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks && cases < MAX_CASES; b++) {
            const struct variant *variant = &simtcheck_catalogue.variants[v];
            struct shape shape = {{blocks[b], 1, 1}, {elements, 1}, 0, 0, {0, 0}};
            struct invocation invocation;
            double seconds[WAYS][RUNS], plain;
            uint64_t steps = 0;
            struct engine_job job = {.invocation = &invocation, .model = model};
            if (variant->kind != VARIANT_CORRECTED || variant->contract != CONTRACT_SUM ||
                variant->block_dimensions != 1 || variant->launches != LAUNCHES_NOTHING)
                continue;
            variant->invoke(variant, &shape, &invocation);
            for (int way = 0; way < WAYS; way++) {
                struct engine *engine = open_engine((enum way)way);
                job.races = way == PLAIN ? NULL : races;
                for (int run = 0; run < RUNS; run++) {
                    job.values = (struct values){VALUES_HASH, (uint64_t)run};
                    seconds[way][run] = time_job(engine, &job, &steps);
                }
                engine_close(engine);
            }
            plain = median(seconds[PLAIN], RUNS);
            printf("%-11s %-40s block %4u", model_name(model), variant->kernel, blocks[b]);
            for (int way = QUICK; way < WAYS; way++) {
                rates[way][cases] = (double)steps / median(seconds[way], RUNS);
                ratios[way][cases] = median(seconds[way], RUNS) / plain;
                printf("  %s: %6.1f million accesses/s, %4.2f times plain", way_names[way],
                       rates[way][cases] * 1e-6, ratios[way][cases]);
            }
            puts("");
            cases++;
        }
    for (int way = QUICK; way < WAYS; way++)
        printf("%s: %s, median %.1f million accesses/s, %.2f times plain\n", model_name(model),
               way_names[way], median(rates[way], cases) * 1e-6, median(ratios[way], cases));
    return median(ratios[EXACT], cases) <= MAX_RATIO;
}

int main(int argc, char **argv)
{
    uint64_t elements = argc > 1 ? strtoull(argv[1], NULL, 10) : 1 << 16;
    bool good = true;

    for (int m = 0; m < MODELS; m++)
        good = bench_model((enum model)m, elements) && good;
    return good ? 0 : 1;
}
