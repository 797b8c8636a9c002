/* SPDX-License-Identifier: MIT
 *
 * What kernels call besides making accesses (simt.h), where it is not at home with the schedule or
 * the grids.
 */
#include "fault.h"
#include "policy.h"
#include "schedule.h"

#include <stdarg.h>
#include <stdio.h>

struct extent simt_thread_index(void)
{
    return current.thread->index;
}

struct extent simt_block_index(void)
{
    return current.block->index;
}

struct extent simt_block_extent(void)
{
    return current.block->grid->block;
}

struct extent simt_grid_extent(void)
{
    return current.block->grid->extent;
}

unsigned int simt_lane(void)
{
    return current.thread->number % SIMT_WARP_LANES;
}

void simt_fence(enum simt_scope scope)
{
    if (race_on)
        race_fence(&current.block->race, current.thread->number, scope);
}

uint64_t simt_collective(const struct simt_site *site, enum simt_collective collective,
                         unsigned int mask, uint64_t value, unsigned int source)
{
    struct thread *self = current.thread;
    uint32_t lane = UINT32_C(1) << self->number % SIMT_WARP_LANES;

    if (!(mask & lane))
        fault_raise_at(FAULT_DIVERGENT_BARRIER, site,
                       "calls a warp operation with the mask 0x%08x, in which it is not", mask);
    self->collective = collective;
    self->mask = mask;
    self->given = value;
    self->source = source;
    self->collective_site = site;
    schedule_meet(site);
    return self->taken;
}

enum { MAX_OUTPUT = 1 << 20 }; /* bytes that a job may print */

/* To standard output, as on a GPU. */
int simt_printf(const struct simt_site *site, const char *format, ...)
{
    va_list values;
    int length;

    if (!rules.prints)
        fault_raise_at(FAULT_UNEXPECTED_OUTPUT, site, "prints, and nobody has asked it to");
    fiber_held = true;
    va_start(values, format);
    length = vprintf(format, values);
    va_end(values);
    fiber_held = false;
    rules.printed += length > 0 ? (uint64_t)length : 0;
    if (rules.printed > MAX_OUTPUT)
        fault_raise_at(FAULT_UNEXPECTED_OUTPUT, site, "prints more than %d bytes", MAX_OUTPUT);
    return length;
}

int simt_last_error(void)
{
    int error = current.thread->error;
    current.thread->error = 0;
    return error;
}
