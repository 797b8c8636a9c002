/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct fault fault;
static const void *fault_code; /* where it arose, to be looked up; null: not known */

void fault_reset(void)
{
    fault = (struct fault){0};
    fault_code = NULL;
}

bool fault_came(void)
{
    return fault.kind != FAULT_NONE;
}

static bool record(const struct resident_block *block, const struct thread *thread,
                   enum fault_kind kind, const struct simt_site *site, const char *format,
                   va_list values)
{
    size_t used = 0;

    if (fault.kind != FAULT_NONE)
        return false;
    fault.kind = kind;
    if (thread != NULL) {
        fault.block = block->index;
        fault.thread = thread->index;
        used = (size_t)snprintf(
            fault.text, sizeof fault.text, "thread (%u,%u,%u) of block (%u,%u,%u) ", fault.thread.x,
            fault.thread.y, fault.thread.z, fault.block.x, fault.block.y, fault.block.z);
        if (block->grid->depth > 0)
            used += (size_t)snprintf(fault.text + used, sizeof fault.text - used,
                                     "of a grid at depth %u ", block->grid->depth);
    }
    vsnprintf(fault.text + used, sizeof fault.text - used, format, values);
    if (site != NULL) {
        source_shorten(site->file, fault.file, sizeof fault.file);
        fault.line = site->line;
    }
    return true;
}

void fault_record(enum fault_kind kind, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(current.block, current.thread, kind, NULL, format, values);
    va_end(values);
}

void fault_record_at(enum fault_kind kind, const struct simt_site *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(current.block, current.thread, kind, site, format, values);
    va_end(values);
}

void fault_record_of(const struct resident_block *block, const struct thread *thread,
                     enum fault_kind kind, const struct simt_site *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(block, thread, kind, site, format, values);
    va_end(values);
}

_Noreturn void fault_raise(enum fault_kind kind, const void *code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (record(current.block, current.thread, kind, NULL, format, values))
        fault_code = code;
    va_end(values);
    fiber_leave();
}

_Noreturn void fault_raise_at(enum fault_kind kind, const struct simt_site *site,
                              const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(current.block, current.thread, kind, site, format, values);
    va_end(values);
    fiber_leave();
}

void fault_check_stack(const void *code)
{
    if (unlikely((char *)__builtin_frame_address(0) < current.thread->stack))
        fault_raise(FAULT_STACK, code, "uses more than %d bytes of stack", STACK_BYTES);
}

const struct fault *fault_located(void)
{
    size_t used = strlen(fault.text);
    bool located = fault.line != 0;

    if (fault_code != NULL && !located)
        located = source_line(fault_code, fault.file, sizeof fault.file, &fault.line);
    fault_code = NULL;
    if (located)
        snprintf(fault.text + used, sizeof fault.text - used, " (%s:%d)", fault.file, fault.line);
    return &fault;
}
