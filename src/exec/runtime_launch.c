/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: what nvcc's host code calls before main() and in launches; functions and
 * symbols.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* A kernel or a variable that host code has registered. */
struct registered {
    const void *host; /* the function, or the variable */
    struct exec_module **module;
    const char *name;
    size_t bytes;
    void **managed;                 /* the host's pointer to a managed variable; null: no such */
    struct exec_function *function; /* null: not yet used */
};

struct registry {
    struct registered **all;
    size_t count, capacity;
};

static struct registry kernels, variables;

static _Thread_local struct {
    struct launch_config config;
    struct exec_site site;
} pushed;

/* ---- Registration ---- */

EXEC_PUBLIC void **__cudaRegisterFatBinary(void *wrapper);
EXEC_PUBLIC void __cudaRegisterFatBinaryEnd(void **handle);
EXEC_PUBLIC void __cudaUnregisterFatBinary(void **handle);
EXEC_PUBLIC char __cudaInitModule(void **handle);
EXEC_PUBLIC void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int threads, void *thread, void *block,
                                        void *block_extent, void *grid_extent, int *warp);
EXEC_PUBLIC void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int is_external, size_t bytes, int is_constant, int is_global);
EXEC_PUBLIC void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                          const char *name, int is_external, size_t bytes,
                                          int is_constant, int is_global);
EXEC_PUBLIC unsigned int __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block,
                                                     size_t shared_bytes, stream_t stream);

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct exec_module **handle = calloc(1, sizeof *handle);

    if (handle != NULL)
        exec_load(wrapper, handle);
    return (void **)handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Called after main(): the kernels must stay until all work has run. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

static struct registered *add(struct registry *registry, void **handle, const void *host,
                              const char *name, size_t bytes)
{
    struct registered *one = calloc(1, sizeof *one);

    if (one == NULL)
        abort();
    if (registry->count == registry->capacity) {
        registry->capacity = 2 * registry->capacity + 64;
        registry->all = realloc(registry->all, registry->capacity * sizeof(void *));
        if (registry->all == NULL)
            abort();
    }
    *one = (struct registered){
        .host = host, .module = (struct exec_module **)handle, .name = name, .bytes = bytes};
    registry->all[registry->count++] = one;
    return one;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *thread, void *block, void *block_extent,
                            void *grid_extent, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block;
    (void)block_extent, (void)grid_extent, (void)warp;
    add(&kernels, handle, host, name, 0);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_external,
                       size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    add(&variables, handle, host, name, bytes);
    exec_add_shadow(host, bytes);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int is_external, size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    add(&variables, handle, host, name, bytes)->managed = host;
}

/* Sets the host's pointers to managed variables. The compiler calls it before their first use. */
static void init_module(void **handle)
{
    size_t bytes;

    for (size_t k = 0; k < variables.count; k++) {
        struct registered *one = variables.all[k];
        if (one->managed == NULL || (void **)one->module != handle || *one->module == NULL)
            continue;
        if (exec_get_variable(*one->module, one->name, one->managed, &bytes) == EXEC_SUCCESS)
            one->host = *one->managed;
    }
}

char __cudaInitModule(void **handle)
{
    exec_enter(__func__, __builtin_return_address(0));
    init_module(handle);
    exec_leave();
    return 1;
}

static struct registered *find(const struct registry *registry, const void *handle)
{
    for (size_t k = registry->count; k-- > 0;)
        if (registry->all[k]->host == handle || registry->all[k] == handle)
            return registry->all[k];
    return NULL;
}

int runtime_function(const void *handle, struct exec_function **function)
{
    struct registered *one = find(&kernels, handle);
    int error;

    if (one == NULL)
        return EXEC_INVALID_FUNCTION;
    if (one->function == NULL) {
        error = *one->module != NULL ? exec_get_function(*one->module, one->name, &one->function)
                                     : EXEC_NO_IMAGE;
        if (error != EXEC_SUCCESS)
            return error == EXEC_NOT_FOUND ? EXEC_INVALID_FUNCTION : error;
    }
    *function = one->function;
    return EXEC_SUCCESS;
}

int runtime_symbol(const void *symbol, void **address, size_t *bytes)
{
    const struct registered *one = find(&variables, symbol);
    int error = one != NULL && *one->module != NULL
                    ? exec_get_variable(*one->module, one->name, address, bytes)
                    : EXEC_INVALID_SYMBOL;

    return error == EXEC_NOT_FOUND ? EXEC_INVALID_SYMBOL : error;
}

/* ---- Launches ---- */

unsigned int __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                         stream_t stream)
{
    int error;

    exec_enter("kernel launch", __builtin_return_address(0));
    error = exec_refused();
    exec_leave();
    pushed.config = (struct launch_config){grid, block, shared_bytes, stream, NULL, 0};
    pushed.site = exec_site_of("kernel launch", __builtin_return_address(0));
    return (unsigned int)runtime_note(error);
}

API(__cudaPopCallConfiguration, struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
    stream_t *stream)
{
    *grid = pushed.config.grid;
    *block = pushed.config.block;
    *shared_bytes = pushed.config.shared_bytes;
    *stream = pushed.config.stream;
    return EXEC_SUCCESS;
}

int runtime_config(const struct launch_config *config, const void *function,
                   struct exec_launch *launch)
{
    int error;

    *launch = (struct exec_launch){
        .grid = {config->grid.x, config->grid.y, config->grid.z},
        .block = {config->block.x, config->block.y, config->block.z},
        .shared_bytes = (uint32_t)config->shared_bytes,
    };
    error = runtime_function(function, &launch->function);
    return error == EXEC_SUCCESS
               ? exec_take_attributes(config->attributes, config->attribute_count, launch)
               : error;
}

int runtime_launch(const struct launch_config *config, const void *function, void **arguments,
                   const struct exec_site *site)
{
    struct exec_launch launch;
    int error = runtime_config(config, function, &launch);

    launch.site = site;
    if (error == EXEC_INVALID_FUNCTION)
        return exec_invalid(site, error, "what it launches is no kernel");
    return error == EXEC_SUCCESS ? exec_launch(&launch, arguments, NULL, 0, config->stream) : error;
}

/* Returns where the program launches: at the <<<>>>, if there is one. */
static const struct exec_site *launch_site(void)
{
    static _Thread_local struct exec_site site;

    site = pushed.site;
    pushed.site.name = NULL;
    return site.name != NULL ? &site : NULL;
}

API(cudaLaunchKernel, const void *function, struct dim3 grid, struct dim3 block, void **arguments,
    size_t shared_bytes, stream_t stream)
{
    const struct launch_config config = {grid, block, shared_bytes, stream, NULL, 0};

    return RUNTIME_CALL(runtime_launch(&config, function, arguments, launch_site()));
}

API(__cudaLaunchKernel, void *kernel, struct dim3 grid, struct dim3 block, void **arguments,
    size_t shared_bytes, stream_t stream)
{
    const struct launch_config config = {grid, block, shared_bytes, stream, NULL, 0};

    return RUNTIME_CALL(runtime_launch(&config, kernel, arguments, launch_site()));
}

API(cudaLaunchKernelExC, const struct launch_config *config, const void *function, void **arguments)
{
    return RUNTIME_CALL(runtime_launch(config, function, arguments, NULL));
}

API(cudaLaunchCooperativeKernel, const void *function, struct dim3 grid, struct dim3 block,
    void **arguments, size_t shared_bytes, stream_t stream)
{
    const struct exec_launch_attribute attribute = {.id = EXEC_COOPERATIVE, .value.number = 1};
    const struct launch_config config = {grid, block, shared_bytes, stream, &attribute, 1};

    return RUNTIME_CALL(runtime_launch(&config, function, arguments, NULL));
}

static int get_kernel(void **kernel, const void *function)
{
    *kernel = find(&kernels, function);
    return *kernel != NULL ? EXEC_SUCCESS : EXEC_INVALID_FUNCTION;
}

API(__cudaGetKernel, void **kernel, const void *function)
{
    return RUNTIME_CALL(get_kernel(kernel, function));
}

API(cudaGetKernel, void **kernel, const void *function)
{
    return RUNTIME_CALL(get_kernel(kernel, function));
}

API(cudaGetFuncBySymbol, void **made, const void *symbol)
{
    return RUNTIME_CALL(runtime_function(symbol, (struct exec_function **)made));
}

/* ---- Functions ---- */

struct function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared;
    int carveout;
#if RUNTIME_VERSION >= 12
    int needs_cluster, cluster_width, cluster_height, cluster_depth;
    int cluster_policy, nonportable_cluster;
    int reserved[16];
#endif
};
_Static_assert(sizeof(struct function_attributes) == (RUNTIME_VERSION >= 12 ? 144 : 56),
               "as in the toolkit of that version");

static int get_attributes(struct function_attributes *attributes, const void *handle)
{
    struct exec_function *function;
    struct exec_function_facts facts;
    int error = runtime_function(handle, &function);

    if (error == EXEC_SUCCESS)
        error = exec_function_facts(function, &facts);
    if (error == EXEC_SUCCESS)
        *attributes = (struct function_attributes){
            .shared_bytes = facts.static_shared,
            .constant_bytes = facts.constant_bytes,
            .local_bytes = facts.local_bytes,
            .max_threads = (int)facts.max_threads,
            .registers = 32,
            .ptx_version = (int)facts.target,
            .binary_version = 90,
            .max_dynamic_shared = (int)facts.max_dynamic_shared,
#if RUNTIME_VERSION >= 12
            .needs_cluster = facts.needs_cluster,
#endif
        };
    return error;
}

API(cudaFuncGetAttributes, struct function_attributes *attributes, const void *function)
{
    return RUNTIME_CALL(get_attributes(attributes, function));
}

static int set_attribute(const void *handle, int attribute, int value)
{
    struct exec_function *function;
    int error = runtime_function(handle, &function);

    if (error == EXEC_SUCCESS)
        error = exec_feature(FEATURE_FUNCTION_ATTRIBUTE, (uint32_t)attribute, &value);
    if (error == EXEC_SUCCESS && attribute == 8)
        return exec_set_dynamic_shared(function, value);
    if (error == EXEC_SUCCESS && attribute == 14)
        return exec_allow_large_clusters(function, value != 0);
    return error;
}

API(cudaFuncSetAttribute, const void *function, int attribute, int value)
{
    return RUNTIME_CALL(set_attribute(function, attribute, value));
}

API(cudaFuncSetCacheConfig, const void *function, int config)
{
    (void)function, (void)config;
    return EXEC_SUCCESS;
}

API(cudaFuncSetSharedMemConfig, const void *function, int config)
{
    (void)function, (void)config;
    return EXEC_SUCCESS;
}

static int get_name(const char **name, const void *handle)
{
    struct exec_function *function;
    int error = runtime_function(handle, &function);

    if (error == EXEC_SUCCESS)
        *name = exec_function_name(function);
    return error;
}

API(cudaFuncGetName, const char **name, const void *function)
{
    return RUNTIME_CALL(get_name(name, function));
}

static int get_parameter(const void *handle, size_t number, size_t *offset, size_t *bytes)
{
    struct exec_function *function;
    int error = runtime_function(handle, &function);

    if (error != EXEC_SUCCESS)
        return error;
    return exec_parameter(function, number, offset, bytes) ? EXEC_SUCCESS : EXEC_INVALID_VALUE;
}

API(cudaFuncGetParamInfo, const void *function, size_t number, size_t *offset, size_t *bytes)
{
    return RUNTIME_CALL(get_parameter(function, number, offset, bytes));
}

/* ---- Occupancy ---- */

static int occupancy(int *blocks, const void *handle, int threads, size_t shared_bytes)
{
    struct exec_function *function;
    int error = runtime_function(handle, &function);

    return error == EXEC_SUCCESS ? exec_occupancy(function, threads, shared_bytes, blocks) : error;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function, int threads,
    size_t shared_bytes)
{
    return RUNTIME_CALL(occupancy(blocks, function, threads, shared_bytes));
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *function,
    int threads, size_t shared_bytes, unsigned int flags)
{
    (void)flags;
    return RUNTIME_CALL(occupancy(blocks, function, threads, shared_bytes));
}

static int available_shared(size_t *bytes, const void *handle, int blocks, int threads)
{
    enum { SM_SHARED = 228 << 10, BLOCK_SHARED = 227 << 10, RESERVED = 1 << 10 };
    struct exec_function *function;
    int error = runtime_function(handle, &function);

    (void)threads;
    if (error == EXEC_SUCCESS && blocks <= 0)
        error = EXEC_INVALID_VALUE;
    if (error != EXEC_SUCCESS)
        return error;
    *bytes = (size_t)SM_SHARED / (size_t)blocks;
    *bytes = *bytes > RESERVED ? *bytes - RESERVED : 0;
    *bytes = *bytes < BLOCK_SHARED ? *bytes : BLOCK_SHARED;
    return EXEC_SUCCESS;
}

API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *function, int blocks,
    int threads)
{
    return RUNTIME_CALL(available_shared(bytes, function, blocks, threads));
}

static int max_cluster(int *size, const void *handle)
{
    struct exec_function *function;

    *size = 8;
    return runtime_function(handle, &function);
}

API(cudaOccupancyMaxPotentialClusterSize, int *size, const void *function,
    const struct launch_config *config)
{
    (void)config;
    return RUNTIME_CALL(max_cluster(size, function));
}

API(cudaOccupancyMaxActiveClusters, int *clusters, const void *function,
    const struct launch_config *config)
{
    (void)config;
    *clusters = 16;
    return RUNTIME_CALL(max_cluster(&(int){0}, function));
}
