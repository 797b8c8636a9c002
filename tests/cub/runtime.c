/* SPDX-License-Identifier: MIT */
#include "runtime.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_KERNELS = 256,
    PROCESSORS = 16, /* SMs */
    PROCESSOR_SHARED_BYTES = 228 << 10,
    BLOCK_SHARED_BYTES = 48 << 10,
    OPT_IN_SHARED_BYTES = 227 << 10, /* cudaFuncSetAttribute() is missing */
};

static struct {
    /* Host functions and the entries that they launch, as registered before main(). */
    struct {
        const void *function;
        const char *entry;
    } kernels[MAX_KERNELS];
    uint32_t kernel_count;
    struct {
        dim3 grid, block;
        size_t shared_bytes;
        cudaStream_t stream;
    } configuration; /* between <<< and >>> */
    const struct launch_rules *rules;
    struct runtime_report report;
    cudaError_t error;
} runtime;

_Noreturn static void unsupported(const char *what)
{
    fprintf(stderr, "the stand-in for the CUDA runtime does not support: %s\n", what);
    abort();
}

static cudaError_t note(cudaError_t error)
{
    if (error != cudaSuccess)
        runtime.error = error;
    return error;
}

bool runtime_start(struct engine *engine, const struct launch_rules *rules)
{
    runtime.rules = rules;
    runtime.report = (struct runtime_report){0};
    runtime.error = cudaSuccess;
    return launches_start(engine, rules);
}

void runtime_end(void)
{
    launches_end();
}

const struct runtime_report *runtime_report(void)
{
    return &runtime.report;
}

void *runtime_allocate(const char *name, size_t count, size_t element_bytes)
{
    return launches_allocate(name, count, element_bytes);
}

/* ---- Called by nvcc's host code before main() and in a launch ---- */

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterVar(void **handle, char *variable, char *address, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterFunction(void **handle, const char *function, char *device_function,
                            const char *name, int threads, uint3 *thread, uint3 *block,
                            dim3 *block_extent, dim3 *grid_extent, int *warp_size);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                         cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
/* CUDA 13 and later call this instead of cudaLaunchKernel(). */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);

void **__cudaRegisterFatBinary(void *image)
{
    static void *handle;

    (void)image;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

/* Does nothing: no host code asks for the address of a variable. */
void __cudaRegisterVar(void **handle, char *variable, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)variable, (void)address, (void)name;
    (void)ext, (void)size, (void)constant, (void)global;
}

void __cudaRegisterFunction(void **handle, const char *function, char *device_function,
                            const char *name, int threads, uint3 *thread, uint3 *block,
                            dim3 *block_extent, dim3 *grid_extent, int *warp_size)
{
    (void)handle, (void)device_function, (void)threads, (void)thread, (void)block;
    (void)block_extent, (void)grid_extent, (void)warp_size;
    if (runtime.kernel_count == MAX_KERNELS)
        unsupported("so many kernels");
    runtime.kernels[runtime.kernel_count].function = function;
    runtime.kernels[runtime.kernel_count++].entry = name;
}

static const struct launch_kernel *kernel_of(const void *function)
{
    for (uint32_t k = 0; k < runtime.kernel_count; k++)
        if (runtime.kernels[k].function == function)
            return launches_kernel(NULL, runtime.kernels[k].entry);
    unsupported("a kernel with that host function");
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                         cudaStream_t stream)
{
    runtime.configuration.grid = grid;
    runtime.configuration.block = block;
    runtime.configuration.shared_bytes = shared_bytes;
    runtime.configuration.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    *grid = runtime.configuration.grid;
    *block = runtime.configuration.block;
    *shared_bytes = runtime.configuration.shared_bytes;
    memcpy(stream, &runtime.configuration.stream, sizeof runtime.configuration.stream);
    return cudaSuccess;
}

/* ---- Launches ---- */

static void add_up(const struct engine_outcome *outcome, const struct launch *launch)
{
    struct runtime_report *report = &runtime.report;

    if (outcome->race_count > 0 && report->race_count == 0 && runtime.rules->race_capacity > 0)
        report->race = runtime.rules->races[0];
    report->launches++;
    report->blocks += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    report->checked += outcome->checked;
    report->race_count += outcome->race_count;
    report->unordered += outcome->unordered_count;
    report->failed = outcome->fault.kind != FAULT_NONE;
    report->fault = outcome->fault;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream)
{
    const struct launch launch = {.kernel = kernel_of(function),
                                  .grid = {grid.x, grid.y, grid.z},
                                  .block = {block.x, block.y, block.z},
                                  .shared_bytes = (uint32_t)shared_bytes,
                                  .arguments = arguments};
    struct engine_outcome outcome;

    if (stream != NULL)
        unsupported("streams but the null stream");
    if (runtime.report.failed)
        return note(cudaErrorLaunchFailure);
    if (launches_run(&launch, 1, &outcome) != ENGINE_OK)
        unsupported("the memory for that launch");
    add_up(&outcome, &launch);
    return note(runtime.report.failed ? cudaErrorLaunchFailure : cudaSuccess);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    memcpy(kernel, &function, sizeof *kernel);
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

/* Programmatic early starts have no effect here: each grid ends before the next one starts. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments)
{
    for (unsigned int a = 0; a < config->numAttrs; a++)
        if (config->attrs[a].id != cudaLaunchAttributeProgrammaticStreamSerialization)
            unsupported("that launch attribute");
    return cudaLaunchKernel(function, config->gridDim, config->blockDim, arguments,
                            config->dynamicSmemBytes, config->stream);
}

/* ---- Memory ---- */

cudaError_t cudaMalloc(void **address, size_t size)
{
    *address = runtime_allocate("memory of cudaMalloc()", size, 1);
    return note(*address != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    enum memory_status status;

    switch (kind) {
    case cudaMemcpyHostToDevice:
        status = launches_copy_in(to, from, size);
        break;
    case cudaMemcpyDeviceToDevice:
        status = launches_copy(to, from, size);
        break;
    case cudaMemcpyDeviceToHost:
        status = launches_copy_out(to, from, size, NULL);
        break;
    default:
        unsupported("that kind of copy");
    }
    return note(status == MEMORY_OK ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (stream != NULL)
        unsupported("streams but the null stream");
    return cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t stream)
{
    if (stream != NULL)
        unsupported("streams but the null stream");
    return note(launches_fill(to, byte, size) == MEMORY_OK ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Errors ---- */

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = runtime.error;

    runtime.error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return runtime.error;
}

/* ---- Properties of the GPU ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = COMPUTE_CAPABILITY / 10;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = COMPUTE_CAPABILITY % 10;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = PROCESSORS;
        return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
        *value = INT32_MAX;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = BLOCK_SHARED_BYTES;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = OPT_IN_SHARED_BYTES;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = PROCESSOR_SHARED_BYTES;
        return cudaSuccess;
    default:
        fprintf(stderr, "device attribute %d\n", (int)attribute);
        unsupported("that device attribute");
    }
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    struct launch_kernel_facts facts;

    launches_kernel_facts(kernel_of(function), &facts);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = facts.shared_bytes,
        .constSizeBytes = facts.constant_bytes,
        .localSizeBytes = facts.local_bytes,
        .maxThreadsPerBlock = (int)facts.most_threads,
        .ptxVersion = COMPUTE_CAPABILITY,
        .binaryVersion = COMPUTE_CAPABILITY,
    };
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned int flags)
{
    (void)flags;
    if (threads <= 0 || threads > SIMT_BLOCK_THREADS)
        return note(cudaErrorInvalidValue);
    *blocks =
        (int)launches_resident(kernel_of(function), (uint32_t)threads, (uint32_t)shared_bytes);
    return cudaSuccess;
}
