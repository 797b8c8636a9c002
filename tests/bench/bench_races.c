/* SPDX-License-Identifier: MIT
 *
 * Measures the cost of race checking in the simulator. Runs the corrected variants that add n
 * elements with and without race checking, in turn, on one core. Prints checked accesses per second
 * and the ratio of the times for each case and model. Exit status 1 when a model's median ratio is
 * above 5. The rates depend on the machine and its load; nothing checks them.
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

static bool bench_model(struct engine *engine, enum model model, uint64_t elements)
{
    static const uint32_t blocks[] = {32, 128, 512, 1024};
    static double rates[MAX_CASES], ratios[MAX_CASES];
    size_t cases = 0;
    struct race races[1];

    for (size_t v = 0; v < simtcheck_catalogue.count; v++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks && cases < MAX_CASES; b++) {
            const struct variant *variant = &simtcheck_catalogue.variants[v];
            struct shape shape = {{blocks[b], 1, 1}, {elements, 1}, 0, 0, {0, 0}};
            struct invocation invocation;
            double plain[RUNS], checked[RUNS];
            uint64_t steps = 0;
            struct engine_job job = {
                .invocation = &invocation, .values = {VALUES_HASH, 1}, .model = model};
            if (variant->kind != VARIANT_CORRECTED || variant->contract != CONTRACT_SUM ||
                variant->block_dimensions != 1 || variant->launches != LAUNCHES_NOTHING)
                continue;
            variant->invoke(variant, &shape, &invocation);
            for (int run = 0; run < RUNS; run++) {
                job.races = NULL;
                plain[run] = time_job(engine, &job, &steps);
                job.races = races;
                checked[run] = time_job(engine, &job, &steps);
            }
            rates[cases] = (double)steps / median(checked, RUNS);
            ratios[cases] = median(checked, RUNS) / median(plain, RUNS);
            printf("%-9s %-40s block %4u  %6.1f million accesses/s  %4.2f times plain\n",
                   model_name(model), variant->kernel, blocks[b], rates[cases] * 1e-6,
                   ratios[cases]);
            cases++;
        }
    double rate = median(rates, cases), ratio = median(ratios, cases);
    printf("%s: median %.1f million accesses/s, %.2f times plain\n", model_name(model), rate * 1e-6,
           ratio);
    return ratio <= MAX_RATIO;
}

int main(int argc, char **argv)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    uint64_t elements = argc > 1 ? strtoull(argv[1], NULL, 10) : 1 << 16;
    struct engine *engine;
    char reason[256];
    bool good = true;

    if (engine_open(&limits, &engine, reason, sizeof reason) != ENGINE_OK) {
        fprintf(stderr, "%s\n", reason);
        return 3;
    }
    for (int m = 0; m < MODELS; m++)
        good = bench_model(engine, (enum model)m, elements) && good;
    engine_close(engine);
    return good ? 0 : 1;
}
