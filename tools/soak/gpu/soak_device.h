/* SPDX-License-Identifier: MIT
 *
 * What runs the kernels of `soak`: a GPU, by the driver API, or the simulator. The simulator
 * computes the expected results. In tests it also stands in for a GPU, and each block has an SM of
 * its own.
 */
#ifndef SIMTCHECK_SOAK_DEVICE_H
#define SIMTCHECK_SOAK_DEVICE_H

#include "soak_cases.h"

enum { SOAK_REASON = 256 };

struct soak_facts {
    char name[256], uuid[64];
    uint32_t sms, sm_numbers; /* numbers of SMs are below sm_numbers */
    uint32_t major, minor;
    uint32_t driver; /* such as 13000 */
};

struct soak_device;

/* The operations of a device. Those that return bool write a reason when they fail. */
struct soak_operations {
    /* Loads a module from its machine code, or compiles it if `code` is null. */
    bool (*load)(struct soak_device *device, const struct soak_module *module, const void *code,
                 void **loaded, char *reason);
    bool (*allocate)(struct soak_device *device, size_t bytes, uint64_t *address, char *reason);
    bool (*copy_in)(struct soak_device *device, uint64_t to, const void *from, size_t bytes,
                    char *reason);
    bool (*copy_out)(struct soak_device *device, void *to, uint64_t from, size_t bytes,
                     char *reason);
    /* Starts the kernel of that number. copy_out() waits for it. */
    bool (*launch)(struct soak_device *device, void *loaded, size_t kernel, uint32_t blocks,
                   const struct soak_parameters *parameters, char *reason);
};

struct soak_device {
    const struct soak_operations *operations;
    struct soak_facts facts;
    bool failed; /* a reason is that of a failure of the device itself, such as in a kernel */
};

/* Opens the driver. Returns the number of GPUs, which is 0 with a reason if there is none. */
int soak_gpu_count(char *reason);
/* Opens the only GPU that the process sees. */
bool soak_gpu_open(struct soak_device *device, char *reason);
/* Compiles a module and writes its machine code to an empty file. */
bool soak_gpu_compile(struct soak_device *device, const struct soak_module *module, int file,
                      char *reason);

/* Opens the simulator. One process can open it once. */
bool soak_simulator_open(struct soak_device *device, char *reason);

#endif
