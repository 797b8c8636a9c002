/* SPDX-License-Identifier: MIT
 *
 * The table of allocations.
 */
#include "internal.h"

#include <stdlib.h>

const size_t exec_device_bytes = (size_t)8 << 30;

/* Live and freed ones. Those that were freed stay, for reports of wrong uses. */
static struct {
    struct exec_allocation **all;
    size_t count, capacity;
    uint64_t ids;
    size_t used, managed_variables;
} memory;

const char *const allocation_words[] = {
    [EXEC_DEVICE] = "memory of the GPU",
    [EXEC_HOST] = "pinned memory",
    [EXEC_MANAGED] = "managed memory",
    [EXEC_REGISTERED] = "registered memory",
};

/* Returns the newest allocation that has the address, which may be freed, or null. */
struct exec_allocation *allocation_any(uint64_t address)
{
    for (size_t k = memory.count; k-- > 0;) {
        struct exec_allocation *one = memory.all[k];
        if (address - one->address < one->bytes || address == one->address)
            return one;
    }
    return NULL;
}

struct exec_allocation *allocation_live(uint64_t address)
{
    for (size_t k = memory.count; k-- > 0;) {
        struct exec_allocation *one = memory.all[k];
        if (!one->is_freed && (address - one->address < one->bytes || address == one->address))
            return one;
    }
    return NULL;
}

const struct exec_allocation *exec_find(const void *address)
{
    return allocation_live((uintptr_t)address);
}

struct exec_allocation *allocation_add(enum exec_memory kind, size_t bytes)
{
    struct exec_allocation *one = calloc(1, sizeof *one);

    if (memory.count == memory.capacity) {
        size_t capacity = 2 * memory.capacity + 64;
        struct exec_allocation **grown = realloc(memory.all, capacity * sizeof *grown);
        if (grown == NULL) {
            free(one);
            return NULL;
        }
        memory.all = grown;
        memory.capacity = capacity;
    }
    if (one == NULL)
        return NULL;
    *one = (struct exec_allocation){
        .kind = kind, .bytes = bytes, .made = exec_site(), .id = ++memory.ids};
    site_name(&one->made, one->name, sizeof one->name);
    memory.all[memory.count++] = one;
    return one;
}

int allocation_drop(int error)
{
    free(memory.all[--memory.count]);
    return error;
}

int variable_add(enum exec_memory kind, uint64_t address, size_t bytes, const char *name)
{
    struct exec_allocation *one = allocation_add(kind, bytes);

    if (one == NULL)
        return EXEC_OUT_OF_MEMORY;
    one->address = address;
    one->is_variable = true;
    snprintf(one->name, sizeof one->name, "%s", name);
    memory.managed_variables += kind == EXEC_MANAGED;
    return EXEC_SUCCESS;
}

const struct exec_allocation *variable_managed(size_t *number)
{
    while (memory.managed_variables > 0 && *number < memory.count) {
        const struct exec_allocation *one = memory.all[(*number)++];
        if (one->is_variable && !one->is_freed && one->kind == EXEC_MANAGED)
            return one;
    }
    return NULL;
}

void allocation_use(size_t bytes)
{
    memory.used += bytes;
}

size_t exec_free_bytes(void)
{
    return memory.used < exec_device_bytes ? exec_device_bytes - memory.used : 0;
}

void memory_end(void)
{
    const struct exec_site site = exec_site();
    struct fault fault;

    if (options.checks_leaks && launches_leak(&fault))
        report_fault(&fault, "malloc", &site, true);
    for (size_t k = 0; k < memory.count && options.checks_leaks; k++) {
        const struct exec_allocation *one = memory.all[k];
        if (!one->is_freed && !one->is_variable && one->kind != EXEC_REGISTERED)
            report("memory-leak", &one->made, "%zu bytes of %s are not freed at the end: %s",
                   one->bytes, allocation_words[one->kind], one->name);
    }
}

void allocation_end(struct exec_allocation *one, const struct exec_site *site)
{
    if (one->is_variable)
        memory.managed_variables -= one->kind == EXEC_MANAGED;
    else if (one->kind != EXEC_REGISTERED)
        memory.used -= one->bytes;
    one->is_freed = true;
    one->freed = *site;
}

struct exec_allocation *allocation_at(size_t k)
{
    return k < memory.count ? memory.all[k] : NULL;
}
