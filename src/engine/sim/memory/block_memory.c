/* SPDX-License-Identifier: MIT
 *
 * The shared memory of blocks: what a block may touch when it starts, and what is kept of one that
 * gives way to another.
 */
#include "fault.h"
#include "loaded.h"
#include "memory.h"
#include "modules.h"
#include "shared.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *shared_template; /* shadow of shared memory at the start of a kernel's blocks */
static void (*shared_template_of)(void); /* that kernel, and its dynamic bytes */
static uint32_t shared_template_bytes;

uint32_t simt_dynamic_shared;

bool memory_open_blocks(void)
{
    shared_template = calloc(memory.shared_size + SHADOW_SLACK, 1);
    return shared_template != NULL;
}

void memory_close_blocks(void)
{
    free(shared_template);
    shared_template = NULL;
    shared_template_of = NULL;
}

/* Dynamic shared memory lies behind the static arrays. */
static uint32_t dynamic_start(const struct simt_entry *entry)
{
    return (entry->shared_bytes + 15) / 16 * 16;
}

static void allow_shared_object(size_t offset, size_t size)
{
    if (offset <= memory.shared_size && size <= memory.shared_size - offset)
        memset(shared_template + offset, SHADOW_READABLE | SHADOW_WRITABLE, size);
}

/* Where the shared memory of that grid's kernel ends: of a kernel from PTX, behind its dynamic
 * part. */
static size_t shared_end(const struct grid *grid)
{
    const struct simt_entry *entry = modules_entry(grid->function);

    if (loaded_is_there())
        return loaded_dynamic_start() + grid->shared_bytes;
    return entry != NULL ? dynamic_start(entry) + grid->shared_bytes : memory.shared_size;
}

void memory_start_block(const struct grid *grid)
{
    const struct simt_entry *entry = modules_entry(grid->function);

    if (memory.shared_size == 0)
        return;
    if (shared_end(grid) > memory.shared_size) {
        fault_record(FAULT_LAUNCH, "asks for more than %d bytes of shared memory", SHARED_WINDOW);
        return;
    }
    if (entry != NULL)
        simt_dynamic_shared = dynamic_start(entry);
    if (shared_template_of != grid->function || shared_template_bytes != grid->shared_bytes) {
        memset(shared_template, 0, memory.shared_size);
        shared_visit(grid->function, allow_shared_object);
        if (entry != NULL)
            allow_shared_object(simt_dynamic_shared, grid->shared_bytes);
        if (loaded_is_there())
            allow_shared_object(loaded_dynamic_start(), grid->shared_bytes);
        shared_template_of = grid->function;
        shared_template_bytes = grid->shared_bytes;
        memcpy(memory.shared_shadow, shared_template, memory.shared_size);
    } else if (memory.shared_dirty) {
        memcpy(memory.shared_shadow, shared_template, shared_end(grid));
    }
    memory.shared_dirty = false;
}

void memory_leave_block(struct resident_block *block)
{
    size_t size = shared_end(block->grid);

    if (!memory.shared_dirty)
        return;
    if (block->shared_copy == NULL)
        block->shared_copy = malloc(2 * size);
    if (block->shared_copy == NULL)
        fault_record(FAULT_CRASH, "out of memory for the shared memory of another block");
    if (fault_came())
        return;
    memcpy(block->shared_copy, (void *)memory.shared_base, size);
    memcpy(block->shared_copy + size, memory.shared_shadow, size);
}

void memory_resume_block(struct resident_block *block)
{
    size_t size = shared_end(block->grid);

    memory_start_block(block->grid); /* of another kernel there may be more */
    if (block->shared_copy == NULL)
        return;
    memcpy((void *)memory.shared_base, block->shared_copy, size);
    memcpy(memory.shared_shadow, block->shared_copy + size, size);
    memory.shared_dirty = true;
}
