/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include "array.h"
#include "block.h"
#include "kernel.h"
#include "loaded.h"
#include "modules.h"
#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
    size_t offset, size;
    const void *kernel; /* whose local it is; null: of none in particular */
    char name[48];      /* in the source */
};

static struct {
    struct object *objects;
    uint32_t count, capacity;
    bool known;
} shared;

/* The Itanium C++ ABI names an object s, local to the function _Zname, _ZZnameE1s; local to a
 * function f with C linkage, _ZZ1fE1s. */
static bool is_local_of(const char *object, const char *function)
{
    char prefix[512];
    int length;

    if (strncmp(function, "_Z", 2) == 0)
        length = snprintf(prefix, sizeof prefix, "_ZZ%sE", function + 2);
    else
        length = snprintf(prefix, sizeof prefix, "_ZZ%zu%sE", strlen(function), function);
    return length < (int)sizeof prefix && strncmp(object, prefix, (size_t)length) == 0;
}

static const void *kernel_of(const char *object)
{
    const struct simt_kernel *kernel;

    for (size_t k = 0; (kernel = simt_kernel_at(k)) != NULL; k++) {
        const char *name = source_symbol(kernel->function);
        if (name != NULL && is_local_of(object, name))
            return kernel->function;
    }
    return NULL;
}

/* The last identifier of a linker name, which has its length before it, and perhaps a number that
 * tells it from others of its name behind it: _ZZ4funcvE4tile_0. */
static void source_name(const char *linker, char *name, size_t size)
{
    snprintf(name, size, "%s", linker);
    if (strncmp(linker, "_Z", 2) != 0)
        return;
    for (const char *c = linker; *c != '\0'; c++) {
        char *end;
        unsigned long length;
        if (!isdigit((unsigned char)*c) || (c > linker && isdigit((unsigned char)c[-1])))
            continue;
        length = strtoul(c, &end, 10);
        if (length > 0 && length <= strlen(end) &&
            (end[length] == '\0' || (end[length] == '_' && strchr(end + length + 1, 'E') == NULL)))
            snprintf(name, size, "%.*s", (int)length, end);
    }
}

/* What the launch decides of: memory.c allows it. */
static bool is_dynamic(size_t offset)
{
    return loaded_is_there() && offset >= loaded_dynamic_start();
}

static void add_object(size_t offset, size_t size, const char *linker)
{
    struct object *objects =
        array_grown(shared.objects, &shared.capacity, shared.count + 1, sizeof *objects);
    if (objects == NULL)
        return;
    shared.objects = objects;
    objects[shared.count] = (struct object){.offset = offset, .size = size};
    objects[shared.count].kernel = kernel_of(linker);
    source_name(is_dynamic(offset) ? "dynamic shared memory" : linker, objects[shared.count].name,
                sizeof objects[0].name);
    shared.count++;
}

static void know_objects(void)
{
    if (!shared.known)
        source_thread_locals(add_object);
    shared.known = true;
}

void shared_visit(void (*kernel)(void), void (*visit)(size_t offset, size_t size))
{
    const struct simt_entry *entry = modules_entry(kernel);
    const void *function;

    for (uint32_t i = 0; entry != NULL && i < entry->shared_count; i++)
        visit(entry->shared[i].offset, entry->shared[i].bytes);
    if (modules_are_there())
        return;

    know_objects();
    memcpy(&function, &kernel, sizeof function);
    for (uint32_t i = 0; i < shared.count; i++)
        if (!is_dynamic(shared.objects[i].offset) &&
            (shared.objects[i].kernel == NULL || shared.objects[i].kernel == function))
            visit(shared.objects[i].offset, shared.objects[i].size);
}

/* "s", or "s, byte 12" inside it. */
static void name_byte(const char *object, size_t object_size, size_t byte, char *name, size_t size)
{
    if (object_size <= 8 && byte == 0)
        snprintf(name, size, "%s", object);
    else
        snprintf(name, size, "%s, byte %zu", object, byte);
}

/* Of the kernel that runs: others may have theirs at the same place. */
static bool name_of_entry(size_t offset, char *name, size_t size)
{
    const struct simt_entry *entry =
        current.block != NULL ? modules_entry(current.block->grid->function) : NULL;
    char source[48];

    for (uint32_t i = 0; entry != NULL && i < entry->shared_count; i++) {
        const struct simt_shared *object = &entry->shared[i];
        if (offset - object->offset >= object->bytes)
            continue;
        source_name(object->name, source, sizeof source);
        name_byte(source, object->bytes, offset - object->offset, name, size);
        return true;
    }
    return false;
}

bool shared_name(size_t offset, char *name, size_t size)
{
    if (modules_are_there())
        return name_of_entry(offset, name, size);
    know_objects();
    for (uint32_t i = 0; i < shared.count; i++) {
        const struct object *object = &shared.objects[i];
        if (offset - object->offset >= object->size)
            continue;
        name_byte(object->name, object->size, offset - object->offset, name, size);
        return true;
    }
    return false;
}

void shared_close(void)
{
    free(shared.objects);
    memset(&shared, 0, sizeof shared);
}
