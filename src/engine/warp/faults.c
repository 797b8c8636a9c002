/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "places.h"

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
    char outer[104];

    if (place == NULL || place->site.line == 0)
        return;
    source_shorten(place->site.file, fault->file, sizeof fault->file);
    fault->line = place->site.line;
    source_outer(&place->site, outer, sizeof outer);
    snprintf(fault->text + used, sizeof fault->text - used, " (%s:%d%s%s)", fault->file,
             fault->line, outer[0] != '\0' ? ", inlined at " : "", outer);
}

static void record(enum fault_kind kind, const struct block *block, uint32_t thread,
                   const struct simt_place *place, const char *format, va_list values)
{
    size_t used = 0;

    if (first.kind != FAULT_NONE)
        return;
    first.kind = kind;
    if (block != NULL) {
        const struct extent *b = &block->grid->block;
        first.block = block->index;
        first.thread = (struct extent){thread % b->x, thread / b->x % b->y, thread / b->x / b->y};
        used = (size_t)snprintf(first.text, sizeof first.text,
                                "thread (%u,%u,%u) of block (%u,%u,%u) ", first.thread.x,
                                first.thread.y, first.thread.z, first.block.x, first.block.y,
                                first.block.z);
        if (block->grid->depth > 0)
            used += (size_t)snprintf(first.text + used, sizeof first.text - used,
                                     "of a grid at depth %u ", block->grid->depth);
    }
    vsnprintf(first.text + used, sizeof first.text - used, format, values);
    append_place(&first, place);
}

_Noreturn void raise_fault(enum fault_kind kind, uint32_t lane, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record(kind, machine.block, machine.warp != NULL ? machine.warp->number * LANES + lane : 0,
           machine.op != NULL ? machine.op->place : NULL, format, values);
    va_end(values);
    longjmp(machine.out, 1);
}

void record_fault(enum fault_kind kind, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record(kind, NULL, 0, NULL, format, values);
    va_end(values);
}

void record_fault_of(enum fault_kind kind, const struct block *block, uint32_t thread,
                     const struct simt_place *place, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    record(kind, block, thread, place, format, values);
    va_end(values);
}

void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use)
{
    const struct head *head = head_of((char *)(uintptr_t)frame, slot);
    uint32_t lane;

    if (!(head->undefined & lanes))
        return;
    lane = (uint32_t)__builtin_ctz(head->undefined & lanes);
    if (head->origin == 0)
        raise_fault(FAULT_UNINITIALIZED_READ, lane,
                    "%s by a variable that nothing has written", use);
    raise_fault(FAULT_UNINITIALIZED_READ, lane, "%s by a value that nothing has written", use);
}
