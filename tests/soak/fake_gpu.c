/* SPDX-License-Identifier: MIT
 *
 * A driver for `soak` (libcuda.so.1, libnvidia-ml.so.1) of a GPU with two MIG instances. A process
 * sees the one that CUDA_VISIBLE_DEVICES names. Kernels do nothing. Waiting for one of them gives
 * the error that FAKE_GPU_ERROR names.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 2, INVALID = 1, NOT_FOUND = 6 };

#define VISIBLE __attribute__((visibility("default")))

/* Functions that succeed without any effect. */
#define NOTHING(name, ...)                                                                         \
    VISIBLE int name(__VA_ARGS__);                                                                 \
    int name(__VA_ARGS__)                                                                          \
    {                                                                                              \
        return 0;                                                                                  \
    }

#define FUNCTION(name, ...)                                                                        \
    VISIBLE int name(__VA_ARGS__);                                                                 \
    int name(__VA_ARGS__)

/* ---- CUDA ---- */

#define UNUSED __attribute__((unused))

NOTHING(cuInit, unsigned int flags UNUSED)
NOTHING(cuCtxSetCurrent, void *context UNUSED)
NOTHING(cuDevicePrimaryCtxRetain, void **context UNUSED, int device UNUSED)
NOTHING(cuModuleGetFunction, void **function UNUSED, void *module UNUSED, const char *name UNUSED)
NOTHING(cuLaunchKernel, void *function UNUSED)

NOTHING(cuLinkCreate_v2, void)
NOTHING(cuLinkAddData_v2, void)
NOTHING(cuLinkDestroy, void)

FUNCTION(cuLinkComplete, void *link UNUSED, const void **code, size_t *size)
{
    *code = "machine code";
    *size = sizeof "machine code";
    return 0;
}

FUNCTION(cuModuleLoadDataEx, void **module)
{
    *module = module;
    return 0;
}

FUNCTION(cuDriverGetVersion, int *version)
{
    *version = 13000;
    return 0;
}

FUNCTION(cuDeviceGetCount, int *count)
{
    *count = 1;
    return 0;
}

FUNCTION(cuDeviceGet, int *device, int number)
{
    *device = number;
    return number == 0 ? 0 : INVALID;
}

FUNCTION(cuDeviceGetName, char *name, int size)
{
    snprintf(name, (size_t)size, "Fake MIG 1g");
    return 0;
}

/* The last byte is that of the instance's name. */
FUNCTION(cuDeviceGetUuid_v2, unsigned char uuid[16])
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    memset(uuid, 0, 16);
    uuid[15] = visible != NULL ? (unsigned char)visible[strlen(visible) - 1] : 0;
    return 0;
}

FUNCTION(cuDeviceGetAttribute, int *value, int attribute)
{
    *value = attribute == 16 ? SMS : attribute == 75 ? 9 : 0;
    return 0;
}

FUNCTION(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
    *address = (uintptr_t)calloc(1, bytes);
    return 0;
}

FUNCTION(cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

/* The first call asks how many numbers of SMs there are. */
FUNCTION(cuMemcpyDtoH_v2, void *to)
{
    static int calls;
    const int numbers = SMS;

    if (calls++ > 0)
        return atoi(getenv("FAKE_GPU_ERROR"));
    memcpy(to, &numbers, sizeof numbers);
    return 0;
}

FUNCTION(cuGetErrorString, int error, const char **text)
{
    *text = error == 0 ? "no error" : "as asked for";
    return 0;
}

/* ---- NVML ---- */

NOTHING(nvmlInit_v2, void)

FUNCTION(nvmlDeviceGetCount_v2, unsigned int *count)
{
    *count = 1;
    return 0;
}

FUNCTION(nvmlDeviceGetHandleByIndex_v2, unsigned int index, const char **device)
{
    *device = "GPU-0";
    return index == 0 ? 0 : INVALID;
}

FUNCTION(nvmlDeviceGetMaxMigDeviceCount, const char *device, unsigned int *count)
{
    *count = 7;
    return device != NULL ? 0 : INVALID;
}

/* Instances 1 and 4 of 7 exist. */
FUNCTION(nvmlDeviceGetMigDeviceHandleByIndex, const char *device, unsigned int index,
         const char **instance)
{
    *instance = index == 1 ? "MIG-a" : "MIG-b";
    return device != NULL && (index == 1 || index == 4) ? 0 : NOT_FOUND;
}

FUNCTION(nvmlDeviceGetUUID, const char *device, char *uuid, unsigned int size)
{
    snprintf(uuid, size, "%s", device);
    return 0;
}
