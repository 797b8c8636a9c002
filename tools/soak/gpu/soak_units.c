/* SPDX-License-Identifier: MIT */
#include "soak_units.h"

#include "children.h"
#include "interrupt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void soak_units_add(struct soak_units *units, const char *names)
{
    while (*names != '\0' && units->count < SOAK_MAX_UNITS) {
        const size_t length = strcspn(names, ",");

        if (length > 0)
            snprintf(units->visible[units->count++], sizeof *units->visible, "%.*s", (int)length,
                     names);
        names += length + (names[length] == ',');
    }
}

/* The parts of NVML in use (NVIDIA Management Library, nvml.h). */
typedef int result;
typedef void *handle;

static struct {
    result (*init)(void);
    result (*count)(unsigned int *);
    result (*at)(unsigned int, handle *);
    result (*instance_count)(handle, unsigned int *);
    result (*instance_at)(handle, unsigned int, handle *);
    result (*uuid)(handle, char *, unsigned int);
} nvml;

static bool open_nvml(void)
{
    static const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"nvmlInit_v2", &nvml.init},
        {"nvmlDeviceGetCount_v2", &nvml.count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml.at},
        {"nvmlDeviceGetMaxMigDeviceCount", &nvml.instance_count},
        {"nvmlDeviceGetMigDeviceHandleByIndex", &nvml.instance_at},
        {"nvmlDeviceGetUUID", &nvml.uuid},
    };
    handle library = dlopen("libnvidia-ml.so.1", RTLD_NOW);

    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *found = library != NULL ? dlsym(library, wanted[k].name) : NULL;
        if (found == NULL)
            return false;
        memcpy(wanted[k].slot, &found, sizeof found);
    }
    return nvml.init() == 0;
}

static void add_uuid(struct soak_units *units, handle device)
{
    char uuid[96];

    if (nvml.uuid(device, uuid, sizeof uuid) == 0)
        soak_units_add(units, uuid);
}

/* Lists MIG instances, and the GPUs without them. CUDA shows only the first instance. Returns
 * false if there is no instance. */
static bool list_instances(struct soak_units *units)
{
    unsigned int devices, most, found = 0;
    handle device, instance;

    if (!open_nvml() || nvml.count(&devices) != 0)
        return false;
    for (unsigned int d = 0; d < devices; d++) {
        unsigned int before = found;

        if (nvml.at(d, &device) != 0)
            continue;
        if (nvml.instance_count(device, &most) != 0)
            most = 0;
        for (unsigned int k = 0; k < most; k++)
            if (nvml.instance_at(device, k, &instance) == 0) {
                add_uuid(units, instance);
                found++;
            }
        if (found == before)
            add_uuid(units, device);
    }
    return found > 0;
}

/* Lists the units of this process, which opens the driver. */
static void list(void *context, size_t k)
{
    struct soak_units *units = context;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int count;
    char number[16];

    (void)k;
    snprintf(units->reason, SOAK_REASON, "the CUDA driver ended its process");
    count = soak_gpu_count(units->reason);
    if (count > 0 && visible != NULL)
        soak_units_add(units, visible);
    else if (count > 0 && !list_instances(units)) {
        units->count = 0;
        for (int n = 0; n < count; n++) {
            snprintf(number, sizeof number, "%d", n);
            soak_units_add(units, number);
        }
    }
}

void soak_units_list(struct soak_units *units, double patience)
{
    struct soak_units *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct child child = {.id = -1};

    if (shared != MAP_FAILED)
        children_run(&(struct children){1, list, NULL, shared, patience, 0}, &child);
    if (child.id < 0)
        snprintf(units->reason, SOAK_REASON, "cannot start a process");
    else if (!child.is_hung)
        *units = *shared;
    else
        snprintf(units->reason, SOAK_REASON, "%s",
                 interrupt_came() ? "interrupted by a signal" : "the CUDA driver does not answer");
}
