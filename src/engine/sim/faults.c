/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "places.h"

#include "source_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct fault first;

void reset_fault(void)
{
    first = (struct fault){0};
}

const struct fault *recorded_fault(void)
{
    return first.kind != FAULT_NONE ? &first : NULL;
}

static void append_place(struct fault *fault, const struct simt_place *place)
{
    size_t used = strlen(fault->text);
    char outer[SOURCE_LINE];

    if (place == NULL || place->site.line == 0)
        return;
    source_path_shorten(place->site.file, fault->file, sizeof fault->file);
    fault->line = place->site.line;
    source_outer(&place->site, outer, sizeof outer);
    snprintf(fault->text + used, sizeof fault->text - used, " (%s:%d%s%s)", fault->file,
             fault->line, outer[0] != '\0' ? ", inlined at " : "", outer);
}

/* Returns the host's launch of the grid, or of its ancestor. */
static uint32_t launch_of(const struct grid *grid)
{
    while (grid->parent != NULL)
        grid = grid->parent;
    return (uint32_t)grid->serial;
}

static void record_values(enum fault_kind kind, const struct block *block, uint32_t thread,
                          const struct simt_place *place, const char *format, va_list values)
{
    size_t used = 0;

    if (first.kind != FAULT_NONE)
        return;
    first.kind = kind;
    first.launch = machine.launch + (block != NULL ? launch_of(block->grid) : 0);
    if (block != NULL) {
        const struct extent *b = &block->grid->block;
        first.block = block->index;
        first.thread = (struct extent){thread % b->x, thread / b->x % b->y, thread / b->x / b->y};
        used = (size_t)snprintf(
            first.text, sizeof first.text, "thread (%u,%u,%u) of block (%u,%u,%u) ", first.thread.x,
            first.thread.y, first.thread.z, first.block.x, first.block.y, first.block.z);
        if (block->grid->depth > 0)
            used += (size_t)snprintf(first.text + used, sizeof first.text - used,
                                     "of a grid at depth %u ", block->grid->depth);
    }
    vsnprintf(first.text + used, sizeof first.text - used, format, values);
    append_place(&first, place);
}

_Noreturn void leave_faulty(void)
{
    longjmp(machine.out, 1);
}

_Noreturn void raise_fault(enum fault_kind kind, uint32_t lane, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record_values(kind, machine.block,
                  machine.warp != NULL ? machine.warp->number * LANES + lane : 0,
                  machine.op != NULL ? machine.op->place : NULL, format, values);
    va_end(values);
    leave_faulty();
}

void record_fault(enum fault_kind kind, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record_values(kind, NULL, 0, NULL, format, values);
    va_end(values);
}

void record_fault_of(enum fault_kind kind, const struct block *block, uint32_t thread,
                     const struct simt_place *place, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record_values(kind, block, thread, place, format, values);
    va_end(values);
}
