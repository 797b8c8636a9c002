/* SPDX-License-Identifier: MIT
 *
 * Launches: checks of their configuration, their parameters, and their outcome.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_Y = 65535, MOST_Z_THREADS = 64 };

static uint64_t launches, skipped;

static int wrong_configuration(const struct exec_launch *launch, const char *what)
{
    const struct exec_site site = launch->site != NULL ? *launch->site : exec_site();

    report("invalid-call", &site, "the launch of %s is invalid: %s", launch->function->name, what);
    return EXEC_INVALID_CONFIGURATION;
}

/* CUDA C++ Programming Guide, compute capability 9.0: the limit is 48 KiB of static and dynamic
 * shared memory by default, and 227 KiB at most. */
static int wrong_shared_bytes(const struct exec_launch *launch, uint32_t most)
{
    char text[256];

    snprintf(text, sizeof text,
             "%u bytes of dynamic shared memory are more than its limit of %u: "
             "cudaFuncSetAttribute() with cudaFuncAttributeMaxDynamicSharedMemorySize raises it",
             launch->shared_bytes, most);
    wrong_configuration(launch, text);
    return EXEC_INVALID_VALUE;
}

static int check_cooperative(const struct exec_launch *launch)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2],
             blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int resident, sms;

    if (!launch->is_cooperative)
        return EXEC_SUCCESS;
    exec_occupancy(launch->function, (int)threads, launch->shared_bytes, &resident);
    exec_attribute(16, &sms);
    return blocks > (uint64_t)resident * (uint64_t)sms ? EXEC_COOPERATIVE_TOO_LARGE : EXEC_SUCCESS;
}

int launch_check(const struct exec_launch *launch)
{
    struct exec_function_facts facts;
    uint64_t threads = 1;

    for (int d = 0; d < 3; d++) {
        if (launch->grid[d] == 0 || launch->block[d] == 0)
            return wrong_configuration(launch, "a dimension is 0");
        if (launch->grid[d] > (d == 0 ? INT32_MAX : MOST_Y))
            return wrong_configuration(launch, "the grid is too large");
        threads *= launch->block[d];
    }
    exec_function_facts(launch->function, &facts);
    if (threads > MOST_THREADS || launch->block[2] > MOST_Z_THREADS)
        return wrong_configuration(launch, "a block has more than 1024 threads");
    if (threads > facts.max_threads)
        return wrong_configuration(launch,
                                   "a block has more threads than __launch_bounds__ allows");
    if (launch->shared_bytes > facts.max_dynamic_shared)
        return wrong_shared_bytes(launch, facts.max_dynamic_shared);
    return check_cooperative(launch);
}

/* ---- Parameters ---- */

int launch_bind(struct work *work, void *const *arguments, const void *buffer, size_t bytes)
{
    struct launch_kernel_facts facts;
    size_t offset, size;

    launches_kernel_facts(work->launch.function->kernel, &facts);
    work->argument_bytes = facts.parameter_bytes;
    work->arguments = calloc(1, facts.parameter_bytes + 1);
    if (work->arguments == NULL)
        return EXEC_OUT_OF_MEMORY;
    if (arguments == NULL && buffer != NULL)
        memcpy(work->arguments, buffer,
               bytes < facts.parameter_bytes ? bytes : facts.parameter_bytes);
    for (size_t p = 0; arguments != NULL && p < facts.parameter_count; p++)
        if (exec_parameter(work->launch.function, p, &offset, &size))
            memcpy(work->arguments + offset, arguments[p], size);
    return EXEC_SUCCESS;
}

int exec_take_attributes(const struct exec_launch_attribute *attributes, unsigned int count,
                         struct exec_launch *launch)
{
    int error = EXEC_SUCCESS;

    for (unsigned int a = 0; error == EXEC_SUCCESS && a < count; a++) {
        const struct exec_launch_attribute *one = &attributes[a];
        error = exec_feature(FEATURE_LAUNCH_ATTRIBUTE, one->id, &one->value);
        if (one->id == EXEC_COOPERATIVE) {
            launch->is_cooperative = one->value.number != 0;
        } else if (one->id == EXEC_CLUSTER) {
            memcpy(launch->cluster, one->value.dimension, sizeof launch->cluster);
        } else if (one->id == EXEC_PROGRAM_EVENT || one->id == EXEC_COMPLETION_EVENT) {
            launch->events[one->id == EXEC_COMPLETION_EVENT] = one->value.record.event;
            error = one->value.record.event == NULL
                        ? EXEC_INVALID_VALUE
                        : exec_flags(FEATURE_RECORD_FLAG, (unsigned int)one->value.record.flags);
        }
    }
    return error;
}

int exec_launch(const struct exec_launch *launch, void *const *arguments, const void *buffer,
                size_t buffer_bytes, struct exec_stream *stream)
{
    struct work work = {.kind = WORK_LAUNCH, .launch = *launch};
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        error = exec_sticky();
    if (error == EXEC_SUCCESS)
        error = launch_check(launch);
    if (error == EXEC_SUCCESS)
        error = launch_bind(&work, arguments, buffer, buffer_bytes);
    if (error != EXEC_SUCCESS)
        return error;
    work.site = launch->site != NULL ? *launch->site : exec_site();
    error = enqueue(stream, &work);
    for (int e = 0; e < 2 && error == EXEC_SUCCESS; e++)
        if (launch->events[e] != NULL)
            error = exec_event_record(launch->events[e], stream);
    return error;
}

/* ---- Running ---- */

static int error_of(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_OUT_OF_BOUNDS_READ:
    case FAULT_OUT_OF_BOUNDS_WRITE:
    case FAULT_READ_ONLY:
    case FAULT_USE_AFTER_FREE:
        return EXEC_ILLEGAL_ADDRESS;
    case FAULT_MISALIGNED:
        return EXEC_MISALIGNED;
    case FAULT_TRAP:
        return EXEC_ASSERT;
    case FAULT_DEADLOCK:
    case FAULT_STEP_LIMIT:
    case FAULT_TIMEOUT:
        return EXEC_TIMEOUT;
    case FAULT_UNSUPPORTED:
        return EXEC_NOT_SUPPORTED;
    default:
        return EXEC_LAUNCH_FAILURE;
    }
}

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
        .arguments = pointers,
        .after = one->after,
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
    const struct race *races = races_of_launch();

    for (size_t k = 0; k < outcome->race_count && k < MAX_RACES; k++) {
        const struct work *first = all[races[k].first.launch].work,
                          *second = all[races[k].second.launch].work;
        if (races[k].strong || (races[k].same_value && options.allows_same_value))
            continue;
        report_race(&races[k], first, second);
        note_race(first);
        note_race(second);
    }
}

static int run_simulated(struct batched *all, uint32_t count, void **pointers)
{
    struct launch made[LAUNCHES_TOGETHER];
    struct engine_outcome outcome;
    const struct work *work;

    for (uint32_t k = 0; k < count; k++)
        made[k] = simulated(&all[k], pointers + k * MAX_ARGUMENT_COUNT);
    if (launches_run(made, count, &outcome) != ENGINE_OK) {
        report("crash", &all[0].work->site, "the simulator cannot run the launch: %s",
               outcome.fault.text);
        return stay_failed(EXEC_OUT_OF_MEMORY);
    }
    report_races(&outcome, all);
    if (outcome.fault.kind == FAULT_NONE)
        return EXEC_SUCCESS;
    work = all[outcome.fault.launch].work;
    report_fault(&outcome.fault,
                 work->kind == WORK_LAUNCH ? work->launch.function->name : work->site.name,
                 &work->site);
    return stay_failed(error_of(outcome.fault.kind));
}

int launch_batch(struct batched *all, uint32_t count)
{
    void **pointers = malloc(count * MAX_ARGUMENT_COUNT * sizeof *pointers);
    int error = pointers != NULL ? exec_sticky() : stay_failed(EXEC_OUT_OF_MEMORY);

    for (uint32_t k = 0; k < count; k++) {
        launches += all[k].work->kind == WORK_LAUNCH && error == EXEC_SUCCESS;
        skipped += all[k].work->kind == WORK_LAUNCH && error != EXEC_SUCCESS;
    }
    fflush(stdout);
    if (error == EXEC_SUCCESS)
        error = run_simulated(all, count, pointers);
    for (uint32_t k = 0; k < count; k++)
        if (all[k].work->kind != WORK_LAUNCH)
            transfer_end(&all[k].transfer, all[k].work);
    fflush(stdout);
    free(pointers);
    return error;
}

void launch_end(void)
{
    report_end(launches, skipped);
}
