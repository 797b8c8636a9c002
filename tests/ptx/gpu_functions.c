/* SPDX-License-Identifier: MIT */
#include "gpu_functions.h"

#include "driver_functions.h"

#include <stdio.h>

static struct {
    CUmodule module;
    CUdeviceptr tuples, results;
    size_t tuple_bytes, result_bytes;
} gpu;

bool gpu_open(char *reason, size_t size)
{
    static const char names[] =
        "cuInit cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuModuleLoadDataEx "
        "cuModuleUnload cuModuleGetFunction cuMemAlloc_v2 cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 "
        "cuLaunchKernel";
    CUcontext context;
    CUdevice device;

    if (driver_load(names) != NULL || driver.cuInit(0) != 0 ||
        driver.cuDeviceGet(&device, 0) != 0 ||
        driver.cuDevicePrimaryCtxRetain(&context, device) != 0 ||
        driver.cuCtxSetCurrent(context) != 0) {
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
    CUresult status;

    if (gpu.module != NULL)
        driver.cuModuleUnload(gpu.module);
    gpu.module = NULL;
    status = driver.cuModuleLoadDataEx(&gpu.module, text, 1, options, values);
    if (status != 0)
        printf("the driver's compiler gives error %d\n", status);
    return status == 0;
}

/* Makes a buffer at least that large. */
static bool make_room(CUdeviceptr *buffer, size_t *room, size_t bytes)
{
    if (*room >= bytes)
        return true;
    *room = bytes; /* the smaller one stays until the program ends */
    return driver.cuMemAlloc_v2(buffer, bytes) == 0;
}

bool gpu_run(const char *entry, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count, uint32_t threads)
{
    CUfunction function;
    void *arguments[] = {&gpu.tuples, &gpu.results, &count};

    return make_room(&gpu.tuples, &gpu.tuple_bytes, tuple_bytes) &&
           make_room(&gpu.results, &gpu.result_bytes, result_bytes) &&
           driver.cuModuleGetFunction(&function, gpu.module, entry) == 0 &&
           driver.cuMemcpyHtoD_v2(gpu.tuples, tuples, tuple_bytes) == 0 &&
           driver.cuMemcpyHtoD_v2(gpu.results, results, result_bytes) == 0 &&
           driver.cuLaunchKernel(function, (count + threads - 1) / threads, 1, 1, threads, 1, 1, 0,
                                 NULL, arguments, NULL) == 0 &&
           driver.cuMemcpyDtoH_v2(results, gpu.results, result_bytes) == 0;
}
