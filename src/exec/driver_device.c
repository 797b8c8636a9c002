/* SPDX-License-Identifier: MIT
 *
 * The driver API: initialization, the device, contexts, errors and entry points.
 */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

API(cuInit, unsigned int flags)
{
    (void)flags;
    return EXEC_CALL(exec_start());
}

API(cuDriverGetVersion, int *version)
{
    *version = 13000;
    return EXEC_SUCCESS;
}

/* ---- Errors ---- */

static const struct {
    int error;
    const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

API(cuGetErrorName, int error, const char **name)
{
    *name = NULL;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error)
            *name = errors[k].name;
    return *name != NULL ? EXEC_SUCCESS : EXEC_INVALID_VALUE;
}

API(cuGetErrorString, int error, const char **text)
{
    *text = NULL;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error)
            *text = errors[k].text;
    return *text != NULL ? EXEC_SUCCESS : EXEC_INVALID_VALUE;
}

/* ---- Entry points ---- */

enum { PER_THREAD = 2 }; /* a flag: stream 0 is the default stream of the thread */

/* Functions with variants of other parameters, and the version of CUDA from which on a variant has
 * the name without a suffix. */
static const struct {
    const char *name;
    int since;
    const char *suffix;
} variants[] = {
    {"cuCtxCreate", 12050, "_v4"},
    {"cuCtxCreate", 11040, "_v3"},
    {"cuCtxGetDevice", 13000, "_v2"},
    {"cuCtxGetDevice", 0, ""},
    {"cuCtxSynchronize", 13000, "_v2"},
    {"cuCtxSynchronize", 0, ""},
    {"cuEventElapsedTime", 12080, "_v2"},
    {"cuEventElapsedTime", 0, ""},
    {"cuGetProcAddress", 12000, "_v2"},
    {"cuGetProcAddress", 0, ""},
    {"cuMemAdvise", 12020, "_v2"},
    {"cuMemAdvise", 0, ""},
    {"cuMemPrefetchAsync", 12020, "_v2"},
    {"cuMemPrefetchAsync", 0, ""},
    {"cuStreamGetCaptureInfo", 12030, "_v3"},
    {"cuStreamGetCaptureInfo", 11030, "_v2"},
    {"cuStreamGetCaptureInfo", 0, ""},
};

static void *find_symbol(const char *name, const char *suffix, const char *ending)
{
    char full[256];

    snprintf(full, sizeof full, "%s%s%s", name, suffix, ending);
    return dlsym(RTLD_DEFAULT, full);
}

/* Finds a function by its name without a version, as cuGetProcAddress() takes it. */
static void *find_entry(const char *name, int version, uint64_t flags)
{
    static const char *const endings[] = {"_ptsz", "_ptds", ""};
    const char *suffix = find_symbol(name, "_v2", "") != NULL ? "_v2" : "";
    void *found = NULL;

    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        if (strcmp(variants[k].name, name) == 0 && version >= variants[k].since) {
            suffix = variants[k].suffix;
            break;
        }
    for (size_t k = flags & PER_THREAD ? 0 : 2; found == NULL && k < 3; k++)
        found = find_symbol(name, suffix, endings[k]);
    return found;
}

API(cuGetProcAddress_v2, const char *name, void **found, int version, uint64_t flags, int *status)
{
    *found = find_entry(name, version, flags);
    if (status != NULL)
        *status = *found != NULL ? 0 : 1;
    return *found != NULL ? EXEC_SUCCESS : EXEC_NOT_FOUND;
}

API(cuGetProcAddress, const char *name, void **found, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, found, version, flags, NULL);
}

/* NVRTC asks for a table, and does without it. A CUDA runtime needs tables. */
static int export_table(const void *caller)
{
    Dl_info info;

    if (dladdr(caller, &info) != 0 && strstr(info.dli_fname, "/libnvrtc") != NULL)
        return EXEC_NOT_SUPPORTED;
    exec_report_runtime(caller);
    return EXEC_NOT_SUPPORTED;
}

API(cuGetExportTable, const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return EXEC_CALL(export_table(__builtin_return_address(0)));
}

/* ---- The device ---- */

static int device_zero(int device)
{
    return device == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE;
}

API(cuDeviceGetCount, int *count)
{
    *count = 1;
    return EXEC_SUCCESS;
}

API(cuDeviceGet, int *device, int number)
{
    *device = 0;
    return device_zero(number);
}

API(cuDeviceGetName, char *name, int size, int device)
{
    snprintf(name, (size_t)size, "%s", exec_device_name);
    return device_zero(device);
}

API(cuDeviceGetUuid_v2, void *uuid, int device)
{
    memset(uuid, 0, 16);
    return device_zero(device);
}

API(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    *bytes = exec_device_bytes;
    return device_zero(device);
}

API(cuDeviceGetAttribute, int *value, int number, int device)
{
    if (device != 0)
        return EXEC_INVALID_DEVICE;
    return exec_attribute(number, value) ? EXEC_SUCCESS : EXEC_INVALID_VALUE;
}

API(cuDeviceComputeCapability, int *major, int *minor, int device)
{
    exec_attribute(75, major);
    exec_attribute(76, minor);
    return device_zero(device);
}

API(cuDeviceGetPCIBusId, char *text, int size, int device)
{
    snprintf(text, (size_t)size, "0000:01:00.0");
    return device_zero(device);
}

API(cuDeviceCanAccessPeer, int *can, int device, int peer)
{
    (void)peer;
    *can = 0;
    return device_zero(device);
}

/* ---- Contexts ---- */

static char only_context;
static _Thread_local uint32_t pushed = 1;

static int give_context(void **context)
{
    *context = &only_context;
    pushed = pushed > 0 ? pushed : 1;
    return exec_start();
}

API(cuCtxCreate_v2, void **context, unsigned int flags, int device)
{
    (void)flags, (void)device;
    return EXEC_CALL(give_context(context));
}

API(cuCtxCreate_v3, void **context, void *affinity, int count, unsigned int flags, int device)
{
    (void)affinity, (void)count, (void)flags, (void)device;
    return EXEC_CALL(give_context(context));
}

API(cuCtxCreate_v4, void **context, void *parameters, unsigned int flags, int device)
{
    (void)parameters, (void)flags, (void)device;
    return EXEC_CALL(give_context(context));
}

API(cuCtxDestroy_v2, void *context)
{
    (void)context;
    return EXEC_CALL(exec_synchronize_all());
}

API(cuDevicePrimaryCtxRetain, void **context, int device)
{
    (void)device;
    return EXEC_CALL(give_context(context));
}

API(cuDevicePrimaryCtxRelease_v2, int device)
{
    return device_zero(device);
}

API(cuDevicePrimaryCtxReset_v2, int device)
{
    (void)device;
    return EXEC_CALL(exec_reset());
}

API(cuDevicePrimaryCtxGetState, int device, unsigned int *flags, int *active)
{
    *flags = 0;
    *active = 1;
    return device_zero(device);
}

API(cuDevicePrimaryCtxSetFlags_v2, int device, unsigned int flags)
{
    (void)flags;
    return device_zero(device);
}

API(cuCtxGetCurrent, void **context)
{
    *context = pushed > 0 ? &only_context : NULL;
    return EXEC_SUCCESS;
}

API(cuCtxSetCurrent, void *context)
{
    pushed = context != NULL;
    return EXEC_SUCCESS;
}

API(cuCtxPushCurrent_v2, void *context)
{
    (void)context;
    pushed++;
    return EXEC_SUCCESS;
}

API(cuCtxPopCurrent_v2, void **context)
{
    if (context != NULL)
        *context = &only_context;
    if (pushed == 0)
        return EXEC_INVALID_CONTEXT;
    pushed--;
    return EXEC_SUCCESS;
}

API(cuCtxGetDevice, int *device)
{
    *device = 0;
    return EXEC_SUCCESS;
}

API(cuCtxGetDevice_v2, int *device, void *context)
{
    (void)context;
    *device = 0;
    return EXEC_SUCCESS;
}

API(cuCtxGetFlags, unsigned int *flags)
{
    *flags = 0;
    return EXEC_SUCCESS;
}

API(cuCtxGetApiVersion, void *context, unsigned int *version)
{
    (void)context;
    *version = 13000;
    return EXEC_SUCCESS;
}

API(cuCtxSynchronize, void)
{
    return EXEC_CALL(exec_synchronize_all());
}

API(cuCtxSynchronize_v2, void *context)
{
    (void)context;
    return EXEC_CALL(exec_synchronize_all());
}

API(cuCtxSetLimit, int limit, size_t value)
{
    (void)limit, (void)value;
    return EXEC_SUCCESS;
}

API(cuCtxGetLimit, size_t *value, int limit)
{
    static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128};

    if (limit < 0 || limit >= (int)(sizeof limits / sizeof *limits))
        return EXEC_INVALID_VALUE;
    *value = limits[limit];
    return EXEC_SUCCESS;
}

API(cuCtxSetCacheConfig, int config)
{
    (void)config;
    return EXEC_SUCCESS;
}

API(cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return EXEC_SUCCESS;
}

API(cuProfilerStart, void)
{
    return EXEC_SUCCESS;
}

API(cuProfilerStop, void)
{
    return EXEC_SUCCESS;
}
