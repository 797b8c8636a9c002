/* SPDX-License-Identifier: MIT
 *
 * The driver API: modules, functions, launches, streams and events.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exec_module *module_t;
typedef struct exec_function *function_t;
typedef struct exec_event *event_t;

/* ---- Modules and libraries ---- */

API(cuModuleLoadData, module_t *module, const void *image)
{
    return EXEC_CALL(exec_load(image, module));
}

API(cuModuleLoadDataEx, module_t *module, const void *image, unsigned int count, int *options,
    void **values)
{
    (void)count, (void)options, (void)values;
    return EXEC_CALL(exec_load(image, module));
}

API(cuModuleLoadFatBinary, module_t *module, const void *image)
{
    return EXEC_CALL(exec_load(image, module));
}

char *driver_read_file(const char *path, size_t *bytes)
{
    FILE *from = fopen(path, "rbe");
    char *contents = NULL;
    FILE *to = from != NULL ? open_memstream(&contents, bytes) : NULL;
    int c;

    while (to != NULL && (c = fgetc(from)) != EOF)
        fputc(c, to);
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        fclose(to);
    return contents;
}

static int load_file(module_t *module, const char *path)
{
    size_t bytes;
    char *contents = driver_read_file(path, &bytes);
    int error = contents != NULL ? exec_load(contents, module) : EXEC_FILE_NOT_FOUND;

    free(contents); /* exec_load() copies images that are not part of the program. */
    return error;
}

API(cuModuleLoad, module_t *module, const char *path)
{
    return EXEC_CALL(load_file(module, path));
}

API(cuModuleUnload, module_t module)
{
    return EXEC_CALL(exec_unload(module));
}

API(cuModuleGetFunction, function_t *function, module_t module, const char *name)
{
    return EXEC_CALL(exec_get_function(module, name, function));
}

static int get_global(device_pointer *address, size_t *bytes, module_t module, const char *name)
{
    void *found;
    size_t size;
    int error = exec_get_variable(module, name, &found, &size);

    if (error == EXEC_SUCCESS && address != NULL)
        *address = (uintptr_t)found;
    if (error == EXEC_SUCCESS && bytes != NULL)
        *bytes = size;
    return error;
}

API(cuModuleGetGlobal_v2, device_pointer *address, size_t *bytes, module_t module, const char *name)
{
    return EXEC_CALL(get_global(address, bytes, module, name));
}

API(cuModuleGetLoadingMode, int *mode)
{
    *mode = 2; /* lazy */
    return EXEC_SUCCESS;
}

API(cuLibraryLoadData, module_t *module, const void *image, int *jit, void **jit_values,
    unsigned int jit_count, int *options, void **values, unsigned int count)
{
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return EXEC_CALL(exec_load(image, module));
}

API(cuLibraryUnload, module_t module)
{
    return EXEC_CALL(exec_unload(module));
}

API(cuLibraryGetModule, module_t *made, module_t module)
{
    *made = module;
    return EXEC_SUCCESS;
}

API(cuLibraryGetKernel, function_t *function, module_t module, const char *name)
{
    return EXEC_CALL(exec_get_function(module, name, function));
}

API(cuLibraryGetGlobal, device_pointer *address, size_t *bytes, module_t module, const char *name)
{
    return EXEC_CALL(get_global(address, bytes, module, name));
}

API(cuKernelGetFunction, function_t *made, function_t function)
{
    *made = function;
    return EXEC_SUCCESS;
}

/* ---- Functions ---- */

static int get_attribute(int *value, int attribute, function_t function)
{
    struct exec_function_facts facts;
    int error = exec_function_facts(function, &facts);

    if (error != EXEC_SUCCESS)
        return error;
    const int values[] = {(int)facts.max_threads,
                          (int)facts.static_shared,
                          (int)facts.constant_bytes,
                          (int)facts.local_bytes,
                          32,
                          (int)facts.target,
                          90,
                          0,
                          (int)facts.max_dynamic_shared,
                          -1,
                          facts.needs_cluster};
    if (attribute < 0 || attribute > 15)
        return EXEC_INVALID_VALUE;
    *value = attribute < (int)(sizeof values / sizeof *values) ? values[attribute] : 0;
    return EXEC_SUCCESS;
}

API(cuFuncGetAttribute, int *value, int attribute, function_t function)
{
    return EXEC_CALL(get_attribute(value, attribute, function));
}

static int set_attribute(function_t function, int attribute, int value)
{
    int error = function != NULL
                    ? exec_feature(FEATURE_FUNCTION_ATTRIBUTE, (uint32_t)attribute, &value)
                    : EXEC_INVALID_HANDLE;

    if (error == EXEC_SUCCESS && attribute == 8)
        return exec_set_dynamic_shared(function, value);
    if (error == EXEC_SUCCESS && attribute == 14)
        return exec_allow_large_clusters(function, value != 0);
    return error;
}

API(cuFuncSetAttribute, function_t function, int attribute, int value)
{
    return EXEC_CALL(set_attribute(function, attribute, value));
}

API(cuFuncSetCacheConfig, function_t function, int config)
{
    (void)function, (void)config;
    return EXEC_SUCCESS;
}

API(cuFuncGetName, const char **name, function_t function)
{
    *name = exec_function_name(function);
    return EXEC_SUCCESS;
}

API(cuFuncGetParamInfo, function_t function, size_t number, size_t *offset, size_t *bytes)
{
    return EXEC_CALL(exec_parameter(function, number, offset, bytes) ? EXEC_SUCCESS
                                                                     : EXEC_INVALID_VALUE);
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, function_t function, int threads,
    size_t shared_bytes)
{
    return EXEC_CALL(exec_occupancy(function, threads, shared_bytes, blocks));
}

API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, function_t function,
    int threads, size_t shared_bytes, unsigned int flags)
{
    (void)flags;
    return EXEC_CALL(exec_occupancy(function, threads, shared_bytes, blocks));
}

/* Finds the block size with most threads on an SM. */
static int best_block(int *grid, int *block, function_t function, size_t (*shared_of)(int threads),
                      size_t shared_bytes, int limit)
{
    enum { STEP = 32, MOST = 1024 };
    int best = 0, sms;

    exec_attribute(16, &sms);
    for (int threads = STEP; threads <= (limit > 0 && limit < MOST ? limit : MOST);
         threads += STEP) {
        size_t shared = shared_of != NULL ? shared_of(threads) : shared_bytes;
        int blocks, error = exec_occupancy(function, threads, shared, &blocks);
        if (error != EXEC_SUCCESS)
            return error;
        if (blocks * threads >= best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * sms;
        }
    }
    return EXEC_SUCCESS;
}

API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, function_t function,
    size_t (*shared_of)(int), size_t shared_bytes, int limit)
{
    return EXEC_CALL(best_block(grid, block, function, shared_of, shared_bytes, limit));
}

/* ---- Launches ---- */

/* The words of the list of `extra`, which ends with 0. */
enum { EXTRA_BUFFER = 1, EXTRA_SIZE = 2 };

static int launch(const struct exec_launch *one, void **arguments, void **extra, stream_t stream)
{
    const void *buffer = NULL;
    size_t bytes = 0;

    if (one->function == NULL)
        return exec_invalid(one->site, EXEC_INVALID_HANDLE, "what it launches is no kernel");
    for (size_t k = 0; extra != NULL && extra[k] != NULL; k += 2)
        if (extra[k] == (void *)EXTRA_BUFFER)
            buffer = extra[k + 1];
        else if (extra[k] == (void *)EXTRA_SIZE)
            bytes = *(size_t *)extra[k + 1];
        else
            return exec_unsupported("%p in the list 'extra' of a launch", extra[k]);
    return exec_launch(one, arguments, buffer, bytes, stream);
}

API(cuLaunchKernel, function_t function, unsigned int gx, unsigned int gy, unsigned int gz,
    unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes, stream_t stream,
    void **arguments, void **extra)
{
    const struct exec_launch one = {.function = function,
                                    .grid = {gx, gy, gz},
                                    .block = {bx, by, bz},
                                    .shared_bytes = shared_bytes};

    return EXEC_CALL(launch(&one, arguments, extra, stream));
}

API(cuLaunchCooperativeKernel, function_t function, unsigned int gx, unsigned int gy,
    unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
    stream_t stream, void **arguments)
{
    const struct exec_launch one = {.function = function,
                                    .grid = {gx, gy, gz},
                                    .block = {bx, by, bz},
                                    .shared_bytes = shared_bytes,
                                    .is_cooperative = true};

    return EXEC_CALL(launch(&one, arguments, NULL, stream));
}

struct config {
    unsigned int grid[3], block[3], shared_bytes;
    stream_t stream;
    const struct exec_launch_attribute *attributes;
    unsigned int attribute_count;
};

static int launch_config(const struct config *config, function_t function, void **arguments,
                         void **extra)
{
    struct exec_launch one = {.function = function, .shared_bytes = config->shared_bytes};
    int error;

    memcpy(one.grid, config->grid, sizeof one.grid);
    memcpy(one.block, config->block, sizeof one.block);
    error = exec_take_attributes(config->attributes, config->attribute_count, &one);
    return error == EXEC_SUCCESS ? launch(&one, arguments, extra, config->stream) : error;
}

API(cuLaunchKernelEx, const struct config *config, function_t function, void **arguments,
    void **extra)
{
    return EXEC_CALL(launch_config(config, function, arguments, extra));
}

API(cuLaunchHostFunc, stream_t stream, void (*function)(void *), void *data)
{
    return EXEC_CALL(exec_host_function(stream, function, data));
}

/* ---- Streams ---- */

API(cuStreamCreate, stream_t *stream, unsigned int flags)
{
    return EXEC_CALL(exec_stream_create(flags, 0, stream));
}

API(cuStreamCreateWithPriority, stream_t *stream, unsigned int flags, int priority)
{
    return EXEC_CALL(exec_stream_create(flags, priority, stream));
}

API(cuStreamDestroy_v2, stream_t stream)
{
    return EXEC_CALL(exec_stream_destroy(stream));
}

API(cuStreamSynchronize, stream_t stream)
{
    return EXEC_CALL(exec_synchronize(stream));
}

API(cuStreamQuery, stream_t stream)
{
    return EXEC_CALL(exec_stream_query(stream));
}

API(cuStreamWaitEvent, stream_t stream, event_t event, unsigned int flags)
{
    return EXEC_CALL(exec_record_flags(stream, flags) ?: exec_stream_wait(stream, event));
}

API(cuStreamIsCapturing, stream_t stream, int *status)
{
    return EXEC_CALL(exec_capture_info(stream, status, NULL, NULL, NULL, NULL));
}

/* ---- Events ---- */

API(cuEventCreate, event_t *event, unsigned int flags)
{
    return EXEC_CALL(exec_event_create(flags, event));
}

API(cuEventDestroy_v2, event_t event)
{
    return EXEC_CALL(exec_event_destroy(event));
}

API(cuEventRecord, event_t event, stream_t stream)
{
    return EXEC_CALL(exec_event_record(event, stream));
}

API(cuEventQuery, event_t event)
{
    return EXEC_CALL(exec_event_query(event));
}

API(cuEventSynchronize, event_t event)
{
    return EXEC_CALL(exec_event_synchronize(event));
}

API(cuEventElapsedTime, float *ms, event_t start, event_t end)
{
    return EXEC_CALL(exec_event_elapsed(start, end, ms));
}

API(cuEventElapsedTime_v2, float *ms, event_t start, event_t end)
{
    return EXEC_CALL(exec_event_elapsed(start, end, ms));
}
