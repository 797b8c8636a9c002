/* SPDX-License-Identifier: MIT
 *
 * GPUs by the driver API, which is opened by name, because the program must also start without a
 * driver.
 */
#include "error_report.h"
#include "soak_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parts of the driver API in use (CUDA driver API, cuda.h). */
typedef int result;
typedef void *handle;

static struct {
    result (*init)(unsigned int);
    result (*version)(int *);
    result (*device_count)(int *);
    result (*device_get)(int *, int);
    result (*device_name)(char *, int, int);
    result (*device_uuid)(unsigned char[16], int);
    result (*attribute)(int *, int, int);
    result (*context_retain)(handle *, int);
    result (*context_set)(handle);
    result (*load)(handle *, const void *, unsigned int, int *, void **);
    result (*link_start)(unsigned int, int *, void **, handle *);
    result (*link_add)(handle, int, void *, size_t, const char *, unsigned int, int *, void **);
    result (*link_end)(handle, void **, size_t *);
    result (*link_free)(handle);
    result (*function)(handle *, handle, const char *);
    result (*allocate)(uint64_t *, size_t);
    result (*to_device)(uint64_t, const void *, size_t);
    result (*from_device)(void *, uint64_t, size_t);
    result (*launch)(handle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                     unsigned int, unsigned int, handle, void **, void **);
    result (*error_text)(result, const char **);
} driver;

static bool find_all(handle library)
{
    static const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"cuInit", &driver.init},
        {"cuDriverGetVersion", &driver.version},
        {"cuDeviceGetCount", &driver.device_count},
        {"cuDeviceGet", &driver.device_get},
        {"cuDeviceGetName", &driver.device_name},
        {"cuDeviceGetUuid_v2", &driver.device_uuid},
        {"cuDeviceGetAttribute", &driver.attribute},
        {"cuDevicePrimaryCtxRetain", &driver.context_retain},
        {"cuCtxSetCurrent", &driver.context_set},
        {"cuModuleLoadDataEx", &driver.load},
        {"cuLinkCreate_v2", &driver.link_start},
        {"cuLinkAddData_v2", &driver.link_add},
        {"cuLinkComplete", &driver.link_end},
        {"cuLinkDestroy", &driver.link_free},
        {"cuModuleGetFunction", &driver.function},
        {"cuMemAlloc_v2", &driver.allocate},
        {"cuMemcpyHtoD_v2", &driver.to_device},
        {"cuMemcpyDtoH_v2", &driver.from_device},
        {"cuLaunchKernel", &driver.launch},
        {"cuGetErrorString", &driver.error_text},
    };

    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *found = dlsym(library, wanted[k].name);
        if (found == NULL)
            return false;
        memcpy(wanted[k].slot, &found, sizeof found);
    }
    return true;
}

/* Returns whether an error is one of the hardware, or of a kernel that ran: uncorrectable errors of
 * memory and NVLink, errors of a launch, and an unknown error (CUresult, cuda.h). */
static bool is_failure(result status)
{
    enum { ECC = 214, NVLINK = 220, LAUNCHES = 700, STREAMS = 800, UNKNOWN = 999 };

    return status == ECC || status == NVLINK || (status >= LAUNCHES && status < STREAMS) ||
           status == UNKNOWN;
}

/* Returns whether a call succeeded. Otherwise writes what failed. */
static bool good(struct soak_device *device, result status, const char *what, char *reason)
{
    const char *text = NULL;

    if (status == 0)
        return true;
    device->failed = is_failure(status);
    driver.error_text(status, &text);
    snprintf(reason, SOAK_REASON, "%s: %s (CUDA error %d)", what,
             text != NULL ? text : "unknown error", status);
    return false;
}

int soak_gpu_count(char *reason)
{
    handle library = dlopen("libcuda.so.1", RTLD_NOW);
    struct soak_device none;
    int count = 0;

    if (library == NULL || !find_all(library)) {
        snprintf(reason, SOAK_REASON, "there is no CUDA driver (libcuda.so.1), or it is too old");
        return 0;
    }
    if (!good(&none, driver.init(0), "cannot start the CUDA driver", reason) ||
        !good(&none, driver.device_count(&count), "cannot count the GPUs", reason))
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
    is_good = good(device, driver.load(loaded, text != NULL ? text : code, 0, NULL, NULL),
                   "cannot load the kernels", reason);
    free(text);
    return is_good;
}

bool soak_gpu_compile(struct soak_device *device, const struct soak_module *module, int file,
                      char *reason)
{
    enum { PTX = 1 }; /* CU_JIT_INPUT_PTX */
    char *text = soak_module_text(module, "%smid");
    handle link;
    void *code;
    size_t size;
    bool is_good = text != NULL && good(device, driver.link_start(0, NULL, NULL, &link),
                                        "cannot start the driver's compiler", reason);

    if (is_good) {
        is_good =
            good(device,
                 driver.link_add(link, PTX, text, strlen(text) + 1, module->name, 0, NULL, NULL),
                 "cannot compile the kernels", reason) &&
            good(device, driver.link_end(link, &code, &size), "cannot compile the kernels",
                 reason) &&
            pwrite(file, code, size, 0) == (ssize_t)size;
        driver.link_free(link);
    }
    free(text);
    return is_good;
}

static bool allocate(struct soak_device *device, size_t bytes, uint64_t *address, char *reason)
{
    return good(device, driver.allocate(address, bytes), "cannot allocate memory of the GPU",
                reason);
}

static bool copy_in(struct soak_device *device, uint64_t to, const void *from, size_t bytes,
                    char *reason)
{
    return good(device, driver.to_device(to, from, bytes), "cannot copy to the GPU", reason);
}

static bool copy_out(struct soak_device *device, void *to, uint64_t from, size_t bytes,
                     char *reason)
{
    return good(device, driver.from_device(to, from, bytes), "a kernel failed", reason);
}

static bool launch(struct soak_device *device, void *loaded, size_t kernel, uint32_t blocks,
                   const struct soak_parameters *parameters, char *reason)
{
    struct soak_parameters p = *parameters;
    void *arguments[] = {&p.tuples,     &p.expected, &p.scratch, &p.report, &p.first,
                         &p.block_step, &p.stride,   &p.tally,   &p.number, &p.planted};
    handle function;
    char name[32];

    soak_kernel_name(kernel, name);
    return good(device, driver.function(&function, loaded, name), "cannot find a kernel", reason) &&
           good(device,
                driver.launch(function, blocks, 1, 1, SOAK_BLOCK, 1, 1, 0, NULL, arguments, NULL),
                "cannot launch a kernel", reason);
}

static const struct soak_operations operations = {load, allocate, copy_in, copy_out, launch};

/* ---- Facts ---- */

static uint32_t attribute_of(int device, int attribute)
{
    int value = 0;

    driver.attribute(&value, attribute, device);
    return (uint32_t)value;
}

/* Reads %nsmid, below which the numbers of SMs are. There may be more of them than SMs. */
static bool read_sm_numbers(struct soak_device *device, char *reason)
{
    static const char text[] =
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry numbers(.param .u64 out)\n"
        "{\n\t.reg .b64 o;\n\t.reg .b32 n;\n\tld.param.u64 o, [out];\n\tmov.u32 n, %nsmid;\n"
        "\tst.global.u32 [o], n;\n\tret;\n}\n";
    handle module, function;
    uint64_t address;
    void *arguments[] = {&address};

    return good(device, driver.load(&module, text, 0, NULL, NULL), "cannot compile a kernel",
                reason) &&
           good(device, driver.function(&function, module, "numbers"), "cannot find a kernel",
                reason) &&
           allocate(device, sizeof(uint32_t), &address, reason) &&
           good(device, driver.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
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
    handle context;

    *device = (struct soak_device){.operations = &operations};
    if (soak_gpu_count(reason) == 0)
        return false;
    driver.version(&version);
    facts->driver = (uint32_t)version;
    if (!good(device, driver.device_get(&number, 0), "cannot open the GPU", reason))
        return false;
    driver.device_name(facts->name, sizeof facts->name, number);
    driver.device_uuid(uuid, number);
    write_uuid(uuid, facts);
    facts->sms = attribute_of(number, PROCESSORS);
    facts->major = attribute_of(number, MAJOR);
    facts->minor = attribute_of(number, MINOR);
    if (facts->major < 9) {
        snprintf(reason, SOAK_REASON, "compute capability %u.%u; soak needs 9.0 or newer",
                 facts->major, facts->minor);
        return false;
    }
    return good(device, driver.context_retain(&context, number), "cannot open the GPU", reason) &&
           good(device, driver.context_set(context), "cannot use the GPU", reason) &&
           read_sm_numbers(device, reason);
}
