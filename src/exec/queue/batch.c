/* SPDX-License-Identifier: MIT
 *
 * Launches, copies and fills that run together in the simulator, and their outcome.
 */
#include "guards.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

static uint64_t skipped; /* launches after a kernel that failed */

/* What a program gets for a fault of its kernel. */
static const int errors[FAULT_KINDS] = {
#define ERROR(name, word, meaning, error, ...) [FAULT_##name] = EXEC_##error,
    FAULT_KIND_ROWS(ERROR)
#undef ERROR
};

enum { MAX_ARGUMENT_COUNT = 1024 };

/* A launch for the simulator. `pointers` gets the addresses of its parameters. */
static struct launch simulated(struct batched *one, void **pointers)
{
    const struct exec_launch *launch = &one->work->launch;
    struct launch made;
    size_t offset, bytes;

    if (one->work->kind != WORK_LAUNCH) {
        made = transfer_launch(&one->transfer);
        made.after = one->after;
        made.keep = one->name;
        return made;
    }
    for (size_t p = 0;
         p < MAX_ARGUMENT_COUNT && exec_parameter(launch->function, p, &offset, &bytes); p++)
        pointers[p] = one->work->arguments + offset;
    return (struct launch){
        .kernel = launch->function->kernel,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
        .shared_bytes = launch->shared_bytes,
        .opts_in = launch->function->max_dynamic_shared > 0,
        .is_cooperative = launch->is_cooperative,
        .is_nonportable = launch->function->is_nonportable,
        .skips_races = launch->function->has_race,
        .is_unchecked = !kernels_is_checked(one->use),
        .arguments = pointers,
        .after = one->after,
        .keep = one->name,
    };
}

/* Later launches of such a kernel are not checked for races, because that is slow. */
static void note_race(const struct work *work)
{
    if (work->kind == WORK_LAUNCH)
        work->launch.function->has_race = true;
}

static void report_races(const struct engine_outcome *outcome, const struct batched *all)
{
    const struct race *races = device.races;

    for (size_t k = 0; k < outcome->race_count && k < MAX_RACES; k++) {
        uint32_t earlier = races[k].first.launch;
        const struct batched *second = &all[races[k].second.launch],
                             *first = earlier < LAUNCHES_TOGETHER ? &all[earlier]
                                                                  : overlap_find(earlier);
        if (races[k].strong || (races[k].same_value && options.allows_same_value) ||
            first == NULL || (!kernels_is_checked(first->use) && !kernels_is_checked(second->use)))
            continue;
        if (first->work->kind == WORK_HOST) {
            if (!guards.has_looked && !(races[k].second.access & ACCESS_VOLATILE) &&
                strcmp(races[k].second.scope, "system") != 0)
                report_access(&second->work->site,
                              races[k].second.access & (ACCESS_WRITE | ACCESS_ATOMIC),
                              &first->work->site, true);
            continue;
        }
        if (overlap_heard(earlier, second)) {
            report_partial("work that races with earlier work, unless the program has waited for a "
                           "host function between them",
                           &second->work->site);
            continue;
        }
        report_race(&races[k], first->work, second->work);
        note_race(first->work);
        note_race(second->work);
    }
}

static void report_one(const struct fault *fault, const struct batched *all)
{
    const struct batched *at = &all[fault->launch];

    if (fault->kind != FAULT_NONE)
        report_fault(fault,
                     at->work->kind == WORK_LAUNCH ? at->work->launch.function->name
                                                   : at->work->site.name,
                     &at->work->site, kernels_is_checked(at->use));
}

static struct batched *running;

static void copied(uint32_t launch)
{
    transfer_complete(&running[launch].transfer, running[launch].work);
}

static int run_simulated(struct batched *all, uint32_t count, void **pointers)
{
    struct launch made[LAUNCHES_TOGETHER];
    struct engine_outcome outcome;

    running = all;
    device.rules.copied = copied;
    for (uint32_t k = 0; k < count; k++)
        made[k] = simulated(&all[k], pointers + k * MAX_ARGUMENT_COUNT);
    if (launches_run(made, count, &outcome) != ENGINE_OK) {
        report("crash", &all[0].work->site, "the simulator cannot run the launch: %s",
               outcome.fault.text);
        return stay_failed(EXEC_OUT_OF_MEMORY);
    }
    report_races(&outcome, all);
    report_one(&outcome.passed, all);
    report_one(&outcome.fault, all);
    return outcome.fault.kind == FAULT_NONE ? EXEC_SUCCESS
                                            : stay_failed(errors[outcome.fault.kind]);
}

int launch_batch(struct batched *all, uint32_t count)
{
    void **pointers = malloc(count * MAX_ARGUMENT_COUNT * sizeof *pointers);
    int error = pointers != NULL ? exec_sticky() : stay_failed(EXEC_OUT_OF_MEMORY);
    const double start = clock_seconds();
    double share;

    for (uint32_t k = 0; k < count; k++) {
        bool is_launch = all[k].work->kind == WORK_LAUNCH;
        if (is_launch && error == EXEC_SUCCESS)
            all[k].use = kernels_take(&all[k].work->launch);
        skipped += is_launch && error != EXEC_SUCCESS;
    }
    fflush(stdout);
    if (error == EXEC_SUCCESS)
        error = run_simulated(all, count, pointers);
    share = (clock_seconds() - start) / count;
    for (uint32_t k = 0; k < count; k++) {
        if (all[k].work->kind != WORK_LAUNCH)
            transfer_end(&all[k].transfer, all[k].work);
        kernels_add_time(all[k].use, share);
    }
    if (error != EXEC_SUCCESS) /* The program may end by abort(). */
        kernels_report();
    fflush(stdout);
    free(pointers);
    return error;
}

void launch_end(void)
{
    kernels_report();
    report_end(skipped);
}
