/* SPDX-License-Identifier: MIT */
#include "launches.h"

#include "fault.h"
#include "limits.h"
#include "memory.h"
#include "modules.h"
#include "run.h"

#include <string.h>

static const struct launch_rules *policy_of_all;

void launches_end(void)
{
    memory_release();
    memory_start();
}

bool launches_start(struct engine *engine, const struct launch_rules *rules)
{
    (void)engine;
    policy_of_all = rules;
    launches_end();
    return memory_place_variables(NULL);
}

void *launches_allocate(const char *name, size_t count, size_t element_bytes)
{
    return memory_allocate(name, count, element_bytes);
}

bool launches_copy_in(void *to, const void *from, size_t bytes)
{
    if (!memory_host_writes(to, bytes))
        return false;
    memcpy(to, from, bytes);
    return true;
}

bool launches_fill(void *to, int byte, size_t bytes)
{
    if (!memory_host_writes(to, bytes))
        return false;
    memset(to, byte, bytes);
    return true;
}

bool launches_copy_out(void *to, const void *from, size_t bytes)
{
    if (!memory_host_reads(from, bytes))
        return false;
    memcpy(to, from, bytes);
    return true;
}

enum engine_status launches_run(const struct launch *launch, struct engine_outcome *outcome)
{
    const struct engine_job job = {
        .model = policy_of_all->model,
        .schedule = policy_of_all->schedule,
        .races = policy_of_all->races,
        .race_capacity = policy_of_all->race_capacity,
    };
    const struct first_grid first = {simt_kernel_find(launch->kernel), launch->grid, launch->block,
                                     launch->shared_bytes, launch->arguments};
    const char *error = limits_error(&launch->grid, &launch->block, launch->shared_bytes);
    enum engine_status status = ENGINE_OK;

    *outcome = (struct engine_outcome){0};
    run_start(&job, limits_steps(&launch->grid, &launch->block, memory_used()));
    if (error != NULL || first.kernel == NULL)
        fault_record(FAULT_LAUNCH, "%s",
                     error != NULL ? error : "this program has no kernel of that name");
    else
        status = run_grid(&job, &first, outcome);
    run_finish(outcome);
    return status;
}

bool launches_static_shared(const char *kernel, uint32_t *bytes)
{
    const struct simt_kernel *found = simt_kernel_find(kernel);
    const struct simt_entry *entry =
        found != NULL ? modules_entry((void (*)(void))(uintptr_t)found->function) : NULL;

    if (entry == NULL)
        return false;
    *bytes = entry->shared_bytes;
    return true;
}
