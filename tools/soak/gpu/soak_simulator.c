/* SPDX-License-Identifier: MIT */
#include "launches.h"
#include "soak_device.h"

#include <stdlib.h>
#include <string.h>

static bool load(struct soak_device *device, const struct soak_module *module, const void *code,
                 void **loaded, char *reason)
{
    char *text = soak_module_text(module, "%ctaid.x");
    struct launch_text one = {module->name, text, text != NULL ? strlen(text) : 0};

    (void)device;
    (void)code;
    *loaded = text != NULL ? launches_load(&one, 1, reason, SOAK_REASON) : NULL;
    free(text);
    return *loaded != NULL;
}

static bool allocate(struct soak_device *device, size_t bytes, uint64_t *address, char *reason)
{
    void *made = launches_allocate("memory of soak", (bytes + 7) / 8, 8);

    (void)device;
    *address = (uint64_t)(uintptr_t)made;
    if (made == NULL)
        snprintf(reason, SOAK_REASON, "out of memory");
    return made != NULL && launches_fill(made, 0, (bytes + 7) / 8 * 8) == MEMORY_OK;
}

static bool copy_in(struct soak_device *device, uint64_t to, const void *from, size_t bytes,
                    char *reason)
{
    (void)device;
    (void)reason;
    return launches_copy_in((void *)(uintptr_t)to, from, bytes) == MEMORY_OK;
}

static bool copy_out(struct soak_device *device, void *to, uint64_t from, size_t bytes,
                     char *reason)
{
    (void)device;
    (void)reason;
    return launches_copy_out(to, (const void *)(uintptr_t)from, bytes, NULL) == MEMORY_OK;
}

static bool launch(struct soak_device *device, void *loaded, size_t kernel, uint32_t blocks,
                   const struct soak_parameters *parameters, char *reason)
{
    struct soak_parameters p = *parameters;
    void *arguments[] = {&p.tuples,     &p.expected, &p.scratch, &p.report, &p.first,
                         &p.block_step, &p.stride,   &p.tally,   &p.number, &p.planted};
    struct engine_outcome outcome;
    struct launch one = {
        .grid = {blocks, 1, 1}, .block = {SOAK_BLOCK, 1, 1}, .arguments = arguments};
    char name[32];

    (void)device;
    soak_kernel_name(kernel, name);
    one.kernel = launches_kernel(loaded, name);
    if (one.kernel != NULL && launches_run(&one, 1, &outcome) == ENGINE_OK &&
        outcome.fault.kind == FAULT_NONE && outcome.passed.kind == FAULT_NONE)
        return true;
    if (outcome.fault.kind == FAULT_NONE)
        outcome.fault = outcome.passed;
    snprintf(reason, SOAK_REASON, "on the simulator: %.200s",
             one.kernel != NULL ? outcome.fault.text : name);
    return false;
}

static const struct soak_operations operations = {load, allocate, copy_in, copy_out, launch};

bool soak_simulator_open(struct soak_device *device, char *reason)
{
    enum { SMS = 4 };
    static const struct launch_rules rules = {.model = MODEL_LOCKSTEP};
    const struct engine_limits limits = {.deadline_seconds = 600};
    struct engine *engine;

    *device = (struct soak_device){
        .operations = &operations,
        .facts = {"the simulator", "SIM-0", SMS, 2 * SMS, 9, 0, 0},
    };
    if (engine_open(&limits, &engine, reason, SOAK_REASON) != ENGINE_OK)
        return false;
    if (launches_start(engine, &rules))
        return true;
    snprintf(reason, SOAK_REASON, "out of memory");
    return false;
}
