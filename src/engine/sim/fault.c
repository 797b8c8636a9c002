/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "simt_ptx.h"
#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A fault, and the code address where it arose, to be looked up; null: not known. */
struct recorded {
    struct fault fault;
    const void *code;
    char outer[104]; /* where its place was inlined; "": nowhere, or not known */
    /* Or the calls that led to it, the innermost first. */
    void *calls[MAX_CALLS + 1];
    int call_count;
};

static struct recorded first, noted;

void fault_reset(void)
{
    first = noted = (struct recorded){0};
}

bool fault_came(void)
{
    return first.fault.kind != FAULT_NONE;
}

bool fault_noted(void)
{
    return noted.fault.kind != FAULT_NONE;
}

static bool record(struct recorded *recorded, const struct resident_block *block,
                   const struct thread *thread, enum fault_kind kind, const struct simt_site *site,
                   const char *format, va_list values)
{
    struct fault *fault = &recorded->fault;
    size_t used = 0;

    if (fault->kind != FAULT_NONE)
        return false;
    fault->kind = kind;
    if (thread != NULL) {
        fault->block = block->index;
        fault->thread = thread->index;
        used = (size_t)snprintf(fault->text, sizeof fault->text,
                                "thread (%u,%u,%u) of block (%u,%u,%u) ", fault->thread.x,
                                fault->thread.y, fault->thread.z, fault->block.x, fault->block.y,
                                fault->block.z);
        if (block->grid->depth > 0)
            used += (size_t)snprintf(fault->text + used, sizeof fault->text - used,
                                     "of a grid at depth %u ", block->grid->depth);
    }
    vsnprintf(fault->text + used, sizeof fault->text - used, format, values);
    if (site != NULL) {
        source_shorten(site->file, fault->file, sizeof fault->file);
        fault->line = site->line;
        source_outer(site, recorded->outer, sizeof recorded->outer);
    }
    return true;
}

/* Where the current thread is, if that is an atomic access: a code address there is a header's. */
static const struct simt_site *current_site(void)
{
    return current.thread != NULL ? current.thread->atomic : NULL;
}

void fault_record(enum fault_kind kind, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(&first, current.block, current.thread, kind, NULL, format, values);
    va_end(values);
}

void fault_record_at(enum fault_kind kind, const struct simt_site *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(&first, current.block, current.thread, kind, site, format, values);
    va_end(values);
}

void fault_record_of(const struct resident_block *block, const struct thread *thread,
                     enum fault_kind kind, const struct simt_site *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(&first, block, thread, kind, site, format, values);
    va_end(values);
}

_Noreturn void fault_raise(enum fault_kind kind, const void *code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (record(&first, current.block, current.thread, kind, current_site(), format, values))
        first.code = code;
    va_end(values);
    fiber_leave();
}

void fault_note(enum fault_kind kind, const void *code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (record(&noted, current.block, current.thread, kind, current_site(), format, values))
        noted.code = code;
    va_end(values);
}

_Noreturn void fault_raise_at(enum fault_kind kind, const struct simt_site *site,
                              const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(&first, current.block, current.thread, kind, site, format, values);
    va_end(values);
    fiber_leave();
}

void fault_check_stack(const void *code)
{
    if (unlikely((char *)__builtin_frame_address(0) < current.thread->stack))
        fault_raise_stack(code);
}

_Noreturn void fault_raise_stack(const void *code)
{
    fault_raise(FAULT_STACK, code, "uses more than %d bytes of stack", STACK_BYTES);
}

static double deadline_seconds;

void fault_set_deadline(double seconds)
{
    deadline_seconds = seconds;
}

_Noreturn void fault_raise_deadline(const void *code, const struct simt_site *site)
{
    static const char text[] = "is past the deadline of %g s";

    if (site != NULL)
        fault_raise_at(FAULT_TIMEOUT, site, text, deadline_seconds);
    fault_raise(FAULT_TIMEOUT, code, text, deadline_seconds);
}

/* Where the calls cannot be followed, the head of the kernel is better than nothing. */
_Noreturn void fault_raise_deadline_in(void *const calls[], int count)
{
    if (!fault_came()) {
        first.call_count = count < MAX_CALLS ? count : MAX_CALLS;
        memcpy(first.calls, calls, (size_t)first.call_count * sizeof *calls);
        first.calls[first.call_count++] =
            (char *)(uintptr_t)current.block->grid->function + 1; /* as a return address */
    }
    fault_raise_deadline(NULL, NULL);
}

const struct fault *fault_located(void)
{
    struct recorded *recorded = fault_came() ? &first : &noted;
    struct fault *fault = &recorded->fault;
    size_t used = strlen(fault->text);
    bool located = fault->line != 0;
    const struct simt_place *place;

    if (recorded->code != NULL && !located)
        located = source_line(recorded->code, fault->file, sizeof fault->file, &fault->line);
    for (int k = 0; k < recorded->call_count && !located; k++)
        located =
            source_kernel_line(recorded->calls[k], fault->file, sizeof fault->file, &fault->line);
    place = recorded->code != NULL ? source_place(recorded->code) : NULL;
    if (place != NULL)
        source_outer(&place->site, recorded->outer, sizeof recorded->outer);
    recorded->code = NULL;
    recorded->call_count = 0;
    if (located)
        snprintf(fault->text + used, sizeof fault->text - used, " (%s:%d%s%s)", fault->file,
                 fault->line, recorded->outer[0] != '\0' ? ", inlined at " : "", recorded->outer);
    return fault;
}
