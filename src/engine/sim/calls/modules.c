/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include <string.h>

/* Bounds of the section, where there is one. */
extern const struct simt_module *const __start_simt_modules[] __attribute__((weak));
extern const struct simt_module *const __stop_simt_modules[] __attribute__((weak));

static const struct simt_module *const *taken;
static size_t taken_count;

void modules_take(const struct simt_module *const *modules, size_t count)
{
    taken = modules;
    taken_count = count;
}

/* From 0 on; null: there are no more. */
static const struct simt_module *module_at(size_t k)
{
    if (taken != NULL)
        return k < taken_count ? taken[k] : NULL;
    return k < (size_t)(__stop_simt_modules - __start_simt_modules) ? __start_simt_modules[k]
                                                                    : NULL;
}

bool modules_are_there(void)
{
    return module_at(0) != NULL;
}

bool modules_launch(void)
{
    const struct simt_module *module;

    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        if (module->launches)
            return true;
    return false;
}

bool modules_wait(void)
{
    const struct simt_module *module;

    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        if (module->waits)
            return true;
    return false;
}

static const struct simt_module *module_of(void (*function)(void), const struct simt_entry **entry)
{
    const struct simt_module *module;

    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        for (uint32_t e = 0; e < module->entry_count; e++)
            if (module->entries[e].function == function) {
                *entry = &module->entries[e];
                return module;
            }
    return NULL;
}

const struct simt_entry *modules_entry(void (*function)(void))
{
    static const struct simt_entry *last;
    const struct simt_entry *entry = NULL;

    if (last != NULL && last->function == function)
        return last;
    if (module_of(function, &entry) != NULL)
        last = entry;
    return entry;
}

bool modules_refuse(void (*function)(void), const struct extent *block)
{
    const struct simt_entry *entry = modules_entry(function);
    const uint32_t given[3] = {block->x, block->y, block->z};

    if (entry == NULL)
        return false;
    for (int k = 0; k < 3; k++)
        if (entry->threads[k] != 0 && entry->threads[k] != given[k])
            return true;
    return entry->most_threads != 0 && block->x * block->y * block->z > entry->most_threads;
}

uint32_t modules_most_shared(void)
{
    const struct simt_module *module;
    uint32_t most = 0;

    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        for (uint32_t e = 0; e < module->entry_count; e++)
            if (module->entries[e].shared_bytes > most)
                most = module->entries[e].shared_bytes;
    return most;
}

static bool place_all(const struct simt_module *module,
                      uintptr_t (*place)(const struct simt_variable *variable))
{
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct simt_variable *variable = &module->variables[v];
        *variable->address = place(variable);
        if (*variable->address == 0)
            return false;
    }
    return true;
}

static void write_initial(const struct simt_variable *variable)
{
    char *bytes = (char *)(uintptr_t)*variable->address;

    if (variable->initial != NULL)
        memcpy(bytes, variable->initial, variable->bytes);
    else
        memset(bytes, 0, variable->bytes);
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const struct simt_relocation *relocation = &variable->relocations[r];
        uint64_t value = relocation->variable != NULL ? *relocation->variable
                                                      : (uint64_t)(uintptr_t)relocation->function;
        value += (uint64_t)relocation->addend;
        memcpy(bytes + relocation->at, &value, sizeof value);
    }
}

/* Of that module, and of all where it names variables of others or is null. */
static bool belongs(const struct simt_module *module, const struct simt_module *own)
{
    return own == NULL || module == own || own->links;
}

bool modules_place(void (*function)(void), uintptr_t (*place)(const struct simt_variable *variable))
{
    const struct simt_module *module;
    const struct simt_entry *entry;
    const struct simt_module *own = module_of(function, &entry);

    if (function != NULL && own == NULL)
        return true;
    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        if (belongs(module, own) && !place_all(module, place))
            return false;
    for (size_t k = 0; (module = module_at(k)) != NULL; k++)
        for (uint32_t v = 0; belongs(module, own) && v < module->variable_count; v++)
            write_initial(&module->variables[v]);
    return true;
}
