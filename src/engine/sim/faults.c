/* SPDX-License-Identifier: MIT */
#include "machine.h"

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

/* ---- Values that nothing wrote ---- */

/* Reads of unwritten memory, one for each place, with the memory of the first read. */
enum { MAX_ORIGINS = 256 };
static struct origin {
    const struct simt_place *place;
    char name[64];
    bool is_shared, is_private;
    enum origin_kind {
        FROM_MEMORY,
        FROM_SHUFFLE,
        FROM_DIVISION,
        FROM_INEXACT,
        FROM_VARIABLE,
        FROM_GROUP
    } kind;
    const char *what; /* FROM_INEXACT: what cannot be expressed; FROM_GROUP: what it is */
} origins[MAX_ORIGINS];
static uint32_t origin_count;

/* The places of results of wgmma that are not complete. Their origins are the numbers from
 * FIRST_PENDING on. */
enum { MAX_PENDING = 1024, FIRST_PENDING = 1 << 16 };
static const struct simt_place *pending_places[MAX_PENDING];
static uint32_t pending_count;
static const char before_wait[] = "a result of wgmma before its wgmma.wait_group";

void forget_origins(void)
{
    origin_count = pending_count = 0;
}

static uint32_t add_origin(const struct simt_place *place, const struct region *region,
                           uint64_t offset, enum origin_kind kind)
{
    struct origin *origin;

    for (uint32_t k = 0; k < origin_count; k++)
        if (origins[k].place == place && origins[k].kind == kind)
            return k + 1;
    if (origin_count == MAX_ORIGINS)
        return MAX_ORIGINS;
    origin = &origins[origin_count++];
    *origin = (struct origin){.place = place, .kind = kind};
    origin->is_private = region == NULL;
    origin->is_shared = region != NULL && region->is_shared;
    if (region != NULL)
        name_element(region, offset, place, origin->name, sizeof origin->name);
    return origin_count;
}

uint32_t undefined_origin(const struct simt_place *place, const struct region *region,
                          uint64_t offset)
{
    return add_origin(place, region, offset, FROM_MEMORY);
}

uint32_t undefined_variable(const struct simt_place *place)
{
    return place != NULL ? add_origin(place, NULL, 0, FROM_VARIABLE) : 0;
}

uint32_t undefined_shuffle(const struct simt_place *place)
{
    return add_origin(place, NULL, 0, FROM_SHUFFLE);
}

uint32_t undefined_quotient(const struct simt_place *place)
{
    return add_origin(place, NULL, 0, FROM_DIVISION);
}

uint32_t undefined_inexact(const struct simt_place *place, const char *what)
{
    uint32_t number = add_origin(place, NULL, 0, FROM_INEXACT);

    if (origins[number - 1].kind == FROM_INEXACT)
        origins[number - 1].what = what;
    return number;
}

uint32_t undefined_group(const struct simt_place *place, const char *what)
{
    uint32_t number = add_origin(place, NULL, 0, FROM_GROUP);

    if (origins[number - 1].kind == FROM_GROUP)
        origins[number - 1].what = what;
    return number;
}

uint32_t undefined_pending(const struct simt_place *place)
{
    uint32_t k = 0;

    while (k < pending_count && pending_places[k] != place)
        k++;
    if (k == MAX_PENDING)
        k--;
    else if (k == pending_count)
        pending_places[pending_count++] = place;
    return FIRST_PENDING + k;
}

bool undefined_is_pending(uint32_t origin)
{
    return origin >= FIRST_PENDING;
}

uint32_t undefined_settled(uint32_t origin)
{
    return origin >= FIRST_PENDING
               ? undefined_group(pending_places[origin - FIRST_PENDING], before_wait)
               : origin;
}

const char *undefined_reason(uint32_t origin)
{
    return origin != 0 && origin < FIRST_PENDING && origins[origin - 1].kind == FROM_INEXACT
               ? origins[origin - 1].what
               : NULL;
}

struct exact_refusal exact_refusal;

static enum fault_kind kind_of(uint32_t origin)
{
    static const enum fault_kind kinds[] = {FAULT_UNINITIALIZED_READ, FAULT_UNINITIALIZED_READ,
                                            FAULT_DIVISION,           FAULT_UNSUPPORTED,
                                            FAULT_UNINITIALIZED_READ, FAULT_UNINITIALIZED_READ};

    return kinds[origin == 0               ? FROM_MEMORY
                 : origin >= FIRST_PENDING ? FROM_GROUP
                                           : origins[origin - 1].kind];
}

static void describe_origin(uint32_t number, char *text, size_t size)
{
    const struct origin *origin;
    char file[SOURCE_FILE];

    number = undefined_settled(number);
    origin = &origins[number - 1];
    if (number == 0) {
        snprintf(text, size, "a variable that was never written");
        return;
    }
    source_path_shorten(origin->place->site.file, file, sizeof file);
    if (origin->kind == FROM_INEXACT) {
        snprintf(text, size, "%s, which %s cannot express, at %s:%d", origin->what,
                 machine.floats->option, file, origin->place->site.line);
        return;
    }
    if (origin->kind == FROM_VARIABLE) {
        snprintf(text, size, "a variable that was never written, used at %s:%d", file,
                 origin->place->site.line);
        return;
    }
    if (origin->kind != FROM_MEMORY) {
        snprintf(text, size, "%s, at %s:%d",
                 origin->kind == FROM_GROUP ? origin->what
                 : origin->kind == FROM_DIVISION
                     ? "a division by zero"
                     : "a shuffle from a lane that does not participate",
                 file, origin->place->site.line);
        return;
    }
    snprintf(text, size, "%s%s, read at %s:%d",
             origin->is_private ? "a local variable" : origin->name,
             origin->is_shared ? " in shared memory, which no thread of the block has written"
                               : ", which was never written",
             file, origin->place->site.line);
}

void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use)
{
    const struct head *head = head_of((char *)(uintptr_t)frame, slot);
    char text[512];

    if (!(head->undefined & lanes))
        return;
    describe_origin(head->origin, text, sizeof text);
    raise_fault(kind_of(head->origin), (uint32_t)__builtin_ctz(head->undefined & lanes),
                "%s that depends on %s", use, text);
}

void report_undefined_output(const struct region *region)
{
    char text[512], name[64];

    describe_origin(region->undefined.origin, text, sizeof text);
    name_place(region->race + region->undefined.offset, region->undefined.place, name, sizeof name);
    record_fault_of(kind_of(region->undefined.origin), NULL, 0, region->undefined.place,
                    "the value stored in %s depends on %s", name, text);
}
