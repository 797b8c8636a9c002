/* SPDX-License-Identifier: MIT
 *
 * The configuration of a launch, and its parameters.
 */
#include "internal.h"

#include "source_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_Y = 65535, MOST_Z_THREADS = 64 };

static int wrong_configuration(const struct exec_launch *launch, const char *what)
{
    const struct exec_site site = launch->site != NULL ? *launch->site : exec_site();

    char name[128];

    source_function(launch->function->name, name, sizeof name);
    report("invalid-call", &site, "the launch of %s is invalid: %s", name, what);
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
    char text[128];

    if (!launch->is_cooperative)
        return EXEC_SUCCESS;
    exec_occupancy(launch->function, (int)threads, launch->shared_bytes, &resident);
    exec_attribute(16, &sms);
    if (blocks <= (uint64_t)resident * (uint64_t)sms)
        return EXEC_SUCCESS;
    snprintf(text, sizeof text,
             "it is cooperative and has %" PRIu64 " blocks, of which only %d fit at once on %d SMs",
             blocks, resident * sms, sms);
    wrong_configuration(launch, text);
    return EXEC_COOPERATIVE_TOO_LARGE;
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

int launch_bind(struct work *work, void *const *arguments, const void *buffer, size_t bytes)
{
    struct launch_kernel_facts facts;
    size_t offset, size;

    launches_kernel_facts(work->launch.function->kernel, &facts);
    work->argument_bytes = facts.parameter_bytes;
    work->arguments = calloc(1, facts.parameter_bytes + 1);
    if (work->arguments == NULL)
        return EXEC_OUT_OF_MEMORY;
    if (facts.parameter_count > 0 && arguments == NULL &&
        (buffer == NULL || bytes < facts.parameter_bytes)) {
        char text[128];
        snprintf(text, sizeof text, "its arguments have %zu bytes, and the parameters %zu",
                 buffer != NULL ? bytes : 0, (size_t)facts.parameter_bytes);
        free(work->arguments);
        wrong_configuration(&work->launch, text);
        return EXEC_INVALID_VALUE;
    }
    if (arguments == NULL && buffer != NULL)
        memcpy(work->arguments, buffer,
               bytes < facts.parameter_bytes ? bytes : facts.parameter_bytes);
    for (size_t p = 0; arguments != NULL && p < facts.parameter_count; p++)
        if (exec_parameter(work->launch.function, p, &offset, &size))
            memcpy(work->arguments + offset, arguments[p], size);
    return EXEC_SUCCESS;
}
