/* SPDX-License-Identifier: MIT */
#include "undefined.h"

#include "faults.h"
#include "place_names.h"

#include "source_path.h"

#include <stdio.h>

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
    switch (origin == 0               ? FROM_MEMORY
            : origin >= FIRST_PENDING ? FROM_GROUP
                                      : origins[origin - 1].kind) {
    case FROM_DIVISION:
        return FAULT_DIVISION;
    case FROM_INEXACT:
        return FAULT_UNSUPPORTED;
    case FROM_MEMORY:
    case FROM_SHUFFLE:
    case FROM_VARIABLE:
    case FROM_GROUP:
        break;
    }
    return FAULT_UNINITIALIZED_READ;
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

/* ---- Registers and memory ---- */

void store_undefined_byte(struct region *region, uint64_t offset, const struct simt_place *place,
                          uint32_t origin)
{
    region->has_undefined = true;
    region->missing += region->written[offset] != 0;
    region->written[offset] = 0;
    if (region->undefined.place != NULL)
        return;
    region->undefined.place = place;
    region->undefined.origin = origin;
    region->undefined.offset = offset;
}

uint32_t undefined_origin_of(const struct head *from)
{
    return from->origin != 0    ? from->origin
           : machine.op != NULL ? undefined_variable(machine.op->place)
                                : 0;
}

void note_undefined_bytes(char *frame, uint32_t slot, uint32_t lanes, const struct head *from)
{
    struct head *head = head_of(frame, slot);
    uint32_t undefined = from->undefined & lanes;
    uint32_t whole = from->bytes == ALL_BYTES ? undefined : undefined & from->whole;
    uint32_t part = from->bytes != 0 ? undefined & ~whole : 0;

    head->undefined &= ~lanes;
    head->whole &= ~lanes;
    if ((whole | part) == 0)
        return;
    if (part != 0)
        head->bytes = (head->undefined & ~head->whole ? head->bytes : 0) | from->bytes;
    head->undefined |= whole | part;
    head->whole |= whole;
    head->origin = undefined_origin_of(from);
}

uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed)
{
    if (is_signed && to > from && (bytes >> (from - 1) & 1) != 0)
        bytes |= ~((UINT32_C(2) << (from - 1)) - 1);
    return to >= LANES ? bytes : bytes & ((UINT32_C(1) << to) - 1);
}
