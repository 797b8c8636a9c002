/* SPDX-License-Identifier: MIT
 *
 * The program opens the driver by name, because it must also start without one.
 */
#include "gpu_functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The parts of the driver API in use (CUDA driver API, cuda.h). */
typedef int result;
typedef void *handle;
typedef unsigned long long address;

static struct {
    result (*init)(unsigned int);
    result (*device_get)(int *, int);
    result (*context_retain)(handle *, int);
    result (*context_set)(handle);
    result (*load)(handle *, const void *, unsigned int, int *, void **);
    result (*unload)(handle);
    result (*function)(handle *, handle, const char *);
    result (*allocate)(address *, size_t);
    result (*to_device)(address, const void *, size_t);
    result (*from_device)(void *, address, size_t);
    result (*launch)(handle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                     unsigned int, unsigned int, handle, void **, void **);
    handle module;
    address tuples, results;
    size_t tuple_bytes, result_bytes;
} gpu;

static bool find_all(handle library)
{
    static const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"cuInit", &gpu.init},
        {"cuDeviceGet", &gpu.device_get},
        {"cuDevicePrimaryCtxRetain", &gpu.context_retain},
        {"cuCtxSetCurrent", &gpu.context_set},
        {"cuModuleLoadDataEx", &gpu.load},
        {"cuModuleUnload", &gpu.unload},
        {"cuModuleGetFunction", &gpu.function},
        {"cuMemAlloc_v2", &gpu.allocate},
        {"cuMemcpyHtoD_v2", &gpu.to_device},
        {"cuMemcpyDtoH_v2", &gpu.from_device},
        {"cuLaunchKernel", &gpu.launch},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(library, wanted[i].name);
        if (found == NULL)
            return false;
        memcpy(wanted[i].slot, &found, sizeof found);
    }
    return true;
}

bool gpu_open(char *reason, size_t size)
{
    handle library = dlopen("libcuda.so.1", RTLD_NOW), context;
    int device;

    if (library == NULL || !find_all(library) || gpu.init(0) != 0 ||
        gpu.device_get(&device, 0) != 0 || gpu.context_retain(&context, device) != 0 ||
        gpu.context_set(context) != 0) {
        snprintf(reason, size, "there is no CUDA driver, or no GPU");
        return false;
    }
    return true;
}

bool gpu_load(const char *text, bool optimise)
{
    enum { OPTIMIZATION_LEVEL = 7 }; /* CU_JIT_OPTIMIZATION_LEVEL */
    int options[] = {OPTIMIZATION_LEVEL};
    void *values[] = {(void *)(uintptr_t)(optimise ? 4 : 0)};
    result status;

    if (gpu.module != NULL)
        gpu.unload(gpu.module);
    gpu.module = NULL;
    status = gpu.load(&gpu.module, text, 1, options, values);
    if (status != 0)
        printf("the driver's compiler gives error %d\n", status);
    return status == 0;
}

/* Makes a buffer at least that large. */
static bool make_room(address *buffer, size_t *room, size_t bytes)
{
    if (*room >= bytes)
        return true;
    *room = bytes; /* the smaller one stays until the program ends */
    return gpu.allocate(buffer, bytes) == 0;
}

bool gpu_run(const char *entry, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count, uint32_t threads)
{
    handle function;
    void *arguments[] = {&gpu.tuples, &gpu.results, &count};

    return make_room(&gpu.tuples, &gpu.tuple_bytes, tuple_bytes) &&
           make_room(&gpu.results, &gpu.result_bytes, result_bytes) &&
           gpu.function(&function, gpu.module, entry) == 0 &&
           gpu.to_device(gpu.tuples, tuples, tuple_bytes) == 0 &&
           gpu.to_device(gpu.results, results, result_bytes) == 0 &&
           gpu.launch(function, (count + threads - 1) / threads, 1, 1, threads, 1, 1, 0, NULL,
                      arguments, NULL) == 0 &&
           gpu.from_device(results, gpu.results, result_bytes) == 0;
}
