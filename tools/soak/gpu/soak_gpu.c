/* SPDX-License-Identifier: MIT
 *
 * GPUs by the driver API.
 */
#include "driver_functions.h"
#include "soak_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether an error is one of the hardware, or of a kernel that ran: uncorrectable errors of
 * memory and NVLink, errors of a launch, and an unknown error (CUresult, cuda.h). */
static bool is_failure(CUresult status)
{
    enum { ECC = 214, NVLINK = 220, LAUNCHES = 700, STREAMS = 800, UNKNOWN = 999 };

    return status == ECC || status == NVLINK || (status >= LAUNCHES && status < STREAMS) ||
           status == UNKNOWN;
}

/* Returns whether a call succeeded. Otherwise writes what failed. */
static bool good(struct soak_device *device, CUresult status, const char *what, char *reason)
{
    const char *text = NULL;

    if (status == 0)
        return true;
    device->failed = is_failure(status);
    driver.cuGetErrorString(status, &text);
    snprintf(reason, SOAK_REASON, "%s: %s (CUDA error %d)", what,
             text != NULL ? text : "unknown error", status);
    return false;
}

int soak_gpu_count(char *reason)
{
    static const char names[] =
        "cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetName "
        "cuDeviceGetUuid_v2 cuDeviceGetAttribute cuDevicePrimaryCtxRetain cuCtxSetCurrent "
        "cuModuleLoadDataEx cuLinkCreate_v2 cuLinkAddData_v2 cuLinkComplete cuLinkDestroy "
        "cuModuleGetFunction cuMemAlloc_v2 cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuLaunchKernel "
        "cuGetErrorString";
    struct soak_device none;
    int count = 0;

    if (driver_load(names) != NULL) {
        snprintf(reason, SOAK_REASON, "there is no CUDA driver (libcuda.so.1), or it is too old");
        return 0;
    }
    if (!good(&none, driver.cuInit(0), "cannot start the CUDA driver", reason) ||
        !good(&none, driver.cuDeviceGetCount(&count), "cannot count the GPUs", reason))
        return 0;
    if (count == 0)
        snprintf(reason, SOAK_REASON, "there is no GPU");
    return count;
}

/* ---- Operations ---- */

static bool load(struct soak_device *device, const struct soak_module *module, const void *code,
                 void **loaded, char *reason)
{
    char *text = code == NULL ? soak_module_text(module, "%smid") : NULL;
    bool is_good;

    if (code == NULL && text == NULL) {
        snprintf(reason, SOAK_REASON, "out of memory");
        return false;
    }
    is_good =
        good(device, driver.cuModuleLoadDataEx(loaded, text != NULL ? text : code, 0, NULL, NULL),
             "cannot load the kernels", reason);
    free(text);
    return is_good;
}

bool soak_gpu_compile(struct soak_device *device, const struct soak_module *module, int file,
                      char *reason)
{
    enum { PTX = 1 }; /* CU_JIT_INPUT_PTX */
    char *text = soak_module_text(module, "%smid");
    CUlinkState link;
    void *code;
    size_t size;
    bool is_good = text != NULL && good(device, driver.cuLinkCreate_v2(0, NULL, NULL, &link),
                                        "cannot start the driver's compiler", reason);

    if (is_good) {
        is_good = good(device,
                       driver.cuLinkAddData_v2(link, PTX, text, strlen(text) + 1, module->name, 0,
                                               NULL, NULL),
                       "cannot compile the kernels", reason) &&
                  good(device, driver.cuLinkComplete(link, &code, &size),
                       "cannot compile the kernels", reason) &&
                  pwrite(file, code, size, 0) == (ssize_t)size;
        driver.cuLinkDestroy(link);
    }
    free(text);
    return is_good;
}

static bool allocate(struct soak_device *device, size_t bytes, uint64_t *address, char *reason)
{
    CUdeviceptr made = 0;
    bool is_good = good(device, driver.cuMemAlloc_v2(&made, bytes),
                        "cannot allocate memory of the GPU", reason);

    *address = made;
    return is_good;
}

static bool copy_in(struct soak_device *device, uint64_t to, const void *from, size_t bytes,
                    char *reason)
{
    return good(device, driver.cuMemcpyHtoD_v2(to, from, bytes), "cannot copy to the GPU", reason);
}

static bool copy_out(struct soak_device *device, void *to, uint64_t from, size_t bytes,
                     char *reason)
{
    return good(device, driver.cuMemcpyDtoH_v2(to, from, bytes), "a kernel failed", reason);
}

static bool launch(struct soak_device *device, void *loaded, size_t kernel, uint32_t blocks,
                   const struct soak_parameters *parameters, char *reason)
{
    struct soak_parameters p = *parameters;
    void *arguments[] = {&p.tuples,     &p.expected, &p.scratch, &p.report, &p.first,
                         &p.block_step, &p.stride,   &p.tally,   &p.number, &p.planted};
    CUfunction function;
    char name[32];

    soak_kernel_name(kernel, name);
    return good(device, driver.cuModuleGetFunction(&function, loaded, name), "cannot find a kernel",
                reason) &&
           good(device,
                driver.cuLaunchKernel(function, blocks, 1, 1, SOAK_BLOCK, 1, 1, 0, NULL, arguments,
                                      NULL),
                "cannot launch a kernel", reason);
}

static const struct soak_operations operations = {load, allocate, copy_in, copy_out, launch};

/* ---- Facts ---- */

static uint32_t attribute_of(int device, int attribute)
{
    int value = 0;

    driver.cuDeviceGetAttribute(&value, attribute, device);
    return (uint32_t)value;
}

/* Reads %nsmid, below which the numbers of SMs are. There may be more of them than SMs. */
static bool read_sm_numbers(struct soak_device *device, char *reason)
{
    static const char text[] =
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry numbers(.param .u64 out)\n"
        "{\n\t.reg .b64 o;\n\t.reg .b32 n;\n\tld.param.u64 o, [out];\n\tmov.u32 n, %nsmid;\n"
        "\tst.global.u32 [o], n;\n\tret;\n}\n";
    CUmodule module;
    CUfunction function;
    uint64_t address;
    void *arguments[] = {&address};

    return good(device, driver.cuModuleLoadDataEx(&module, text, 0, NULL, NULL),
                "cannot compile a kernel", reason) &&
           good(device, driver.cuModuleGetFunction(&function, module, "numbers"),
                "cannot find a kernel", reason) &&
           allocate(device, sizeof(uint32_t), &address, reason) &&
           good(device, driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
                "cannot launch a kernel", reason) &&
           copy_out(device, &device->facts.sm_numbers, address, sizeof(uint32_t), reason);
}

/* Writes the UUID as nvidia-smi does. */
static void write_uuid(const unsigned char bytes[16], struct soak_facts *facts)
{
    char *at = facts->uuid;

    at += sprintf(at, "%s-", strstr(facts->name, " MIG ") != NULL ? "MIG" : "GPU");
    for (int k = 0; k < 16; k++)
        at += sprintf(at, "%s%02x", k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", bytes[k]);
}

bool soak_gpu_open(struct soak_device *device, char *reason)
{
    enum { PROCESSORS = 16, MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_... */
    struct soak_facts *facts = &device->facts;
    unsigned char uuid[16] = {0};
    int number, version = 0;
    CUcontext context;

    *device = (struct soak_device){.operations = &operations};
    if (soak_gpu_count(reason) == 0)
        return false;
    driver.cuDriverGetVersion(&version);
    facts->driver = (uint32_t)version;
    if (!good(device, driver.cuDeviceGet(&number, 0), "cannot open the GPU", reason))
        return false;
    driver.cuDeviceGetName(facts->name, sizeof facts->name, number);
    driver.cuDeviceGetUuid_v2(uuid, number);
    write_uuid(uuid, facts);
    facts->sms = attribute_of(number, PROCESSORS);
    facts->major = attribute_of(number, MAJOR);
    facts->minor = attribute_of(number, MINOR);
    if (facts->major < 9) {
        snprintf(reason, SOAK_REASON, "compute capability %u.%u; soak needs 9.0 or newer",
                 facts->major, facts->minor);
        return false;
    }
    return good(device, driver.cuDevicePrimaryCtxRetain(&context, number), "cannot open the GPU",
                reason) &&
           good(device, driver.cuCtxSetCurrent(context), "cannot use the GPU", reason) &&
           read_sm_numbers(device, reason);
}
