/* SPDX-License-Identifier: MIT
 *
 * malloc() and free() in kernels. Each allocation is a region of its own, far from the others in
 * the simulated GPU. Its address depends only on the thread and the number of its earlier
 * allocations, so no schedule changes it. Freed memory keeps its address until the end of the job,
 * so every later use is detected. Its host memory is reused.
 */
#include "heap.h"

#include "faults.h"
#include "places.h"
#include "quick.h"
#include "races.h"
#include "rooms.h"

#include "input_values.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* LIMIT: the initial cudaLimitMallocHeapSize. ROOM is larger, because sizes are rounded up to
 * powers of two and pieces are never split. */
enum { LIMIT = 8 << 20, ROOM = 32 << 20, MIN_SHIFT = 4, SIZES = 20 };

/* A slot of the address space holds one allocation, in its middle. */
enum { SLOT_SHIFT = 25, SLOT_BITS = 35, BUCKETS = 1 << 14 };
static const uint64_t BASE = UINT64_C(1) << 60;

struct allocation {
    struct region region;  /* its host address is null after free() */
    uint64_t slot, offset; /* offset: in the room on the host */
    const struct simt_place *given, *freed;
    struct allocation *next;      /* next in the same bucket */
    struct allocation *next_free; /* next free one of the same size */
};

static struct {
    struct region room;
    uint64_t used, held; /* used: bytes of the room handed out so far; held: bytes not freed */
    struct allocation *buckets[BUCKETS], *free[SIZES];
} heap;

bool heap_start(void)
{
    return heap.room.host != NULL || rooms_take_region(&heap.room, ROOM, 0);
}

void heap_forget(void)
{
    for (uint32_t b = 0; b < BUCKETS && heap.room.host != NULL; b++)
        for (struct allocation *next, *one = heap.buckets[b]; one != NULL; one = next) {
            next = one->next;
            free(one);
        }
    if (heap.room.host == NULL)
        return;
    /* `used` grows only, and no allocation is past it: nothing was written there. */
    rooms_spare((uint64_t)(heap.room.host - rooms_host) + heap.used, ROOM - heap.used);
    memset(&heap, 0, sizeof heap);
}

static struct allocation *find(uint64_t slot)
{
    struct allocation *one = heap.buckets[slot % BUCKETS];

    while (one != NULL && one->slot != slot)
        one = one->next;
    return one;
}

static struct allocation *allocation_at(uint64_t address)
{
    uint64_t slot = (address - BASE) >> SLOT_SHIFT;

    return slot >> SLOT_BITS == 0 ? find(slot) : NULL;
}

struct region *heap_region(uint64_t address)
{
    static struct region none;
    struct allocation *one = allocation_at(address);

    return one != NULL ? &one->region : &none;
}

/* ---- malloc() ---- */

static uint64_t next_slot(struct warp *warp, uint32_t lane)
{
    const struct grid *grid = warp->block->grid;
    const struct extent *at = &warp->block->index;
    uint64_t block = at->x + (uint64_t)grid->extent.x * (at->y + (uint64_t)grid->extent.y * at->z);
    uint64_t thread = warp->number * LANES + lane;
    uint64_t slot =
        values_hash(values_hash(grid->serial, block), thread << 32 | warp->allocations[lane]++) >>
        (64 - SLOT_BITS);

    while (find(slot) != NULL)
        slot = (slot + 1) % (UINT64_C(1) << SLOT_BITS);
    return slot;
}

/* Returns the base-2 logarithm of the room for that many bytes, at least MIN_SHIFT. */
static uint32_t shift_for(uint64_t bytes)
{
    uint32_t shift = MIN_SHIFT;

    while (UINT64_C(1) << shift < bytes)
        shift++;
    return shift;
}

/* Takes room that was freed, or that was never used. Returns false if none exists. */
static bool take_room(uint32_t shift, uint64_t *offset)
{
    struct allocation **freed = &heap.free[shift - MIN_SHIFT];

    if (*freed != NULL) {
        *offset = (*freed)->offset;
        *freed = (*freed)->next_free;
        return true;
    }
    if (heap.used + (UINT64_C(1) << shift) > ROOM)
        return false;
    *offset = heap.used;
    heap.used += UINT64_C(1) << shift;
    return true;
}

static void place(struct allocation *one, uint64_t bytes)
{
    struct region *region = &one->region;

    *region = (struct region){
        .host = heap.room.host + one->offset,
        .low = BASE + (one->slot << SLOT_SHIFT) + (UINT64_C(1) << (SLOT_SHIFT - 1)),
        .bytes = bytes,
        .written = heap.room.written + one->offset,
        .missing = machine.explains ? 0 : bytes,
        .race = heap.room.race + one->offset,
        .is_writable = true,
        .element_bytes = 1,
        .name = "malloc() memory",
    };
    quick_stamps(region, NULL);
    memset(region->host, GARBAGE, bytes);
    memset(region->written, 0, bytes);
    renew_memory(region);
}

uint64_t heap_allocate(struct warp *warp, uint32_t lane, uint64_t bytes)
{
    struct allocation *one;
    uint64_t offset;

    if (bytes == 0)
        return 0;
    if (bytes > LIMIT - heap.held || !take_room(shift_for(bytes), &offset)) {
        if (quick_races.is_on)
            leave_undecided(); /* the last thread to ask gets none, which depends on the schedule */
        return 0;
    }
    one = calloc(1, sizeof *one);
    if (one == NULL)
        raise_out_of_memory(lane);
    one->slot = next_slot(warp, lane);
    one->offset = offset;
    one->given = machine.op->place;
    one->next = heap.buckets[one->slot % BUCKETS];
    heap.buckets[one->slot % BUCKETS] = one;
    heap.held += bytes;
    place(one, bytes);
    return one->region.low;
}

/* ---- free() ---- */

static struct array_element byte_of(const struct region *region, int64_t byte)
{
    return (struct array_element){.array = "malloc() memory",
                                  .unit = ELEMENT_OF_HEAP,
                                  .side = byte < 0                          ? SIDE_BEFORE
                                          : (uint64_t)byte >= region->bytes ? SIDE_AFTER
                                                                            : SIDE_INSIDE,
                                  .index = byte,
                                  .count = region->bytes};
}

/* Checks a free() for races: it counts as a write of the whole memory. */
static void end_use(struct warp *warp, uint32_t lane, struct region *region)
{
    const struct op write = {.access = ACCESS_WRITE, .place = machine.op->place};
    struct group group = {
        .region = region, .lanes = UINT32_C(1) << lane, .bytes = (uint32_t)region->bytes};

    check_races(warp, &write, &group);
    memset(region->host, (unsigned char)~GARBAGE, region->bytes);
    if (race_unsettled)
        race_settle();
}

void heap_free(struct warp *warp, uint32_t lane, uint64_t address)
{
    struct allocation *one = allocation_at(address);
    uint32_t size;

    if (address == 0)
        return;
    if (one == NULL)
        raise_fault(FAULT_INVALID_FREE, lane, SAYS_FREES_OTHER, .numbers = {(int64_t)address});
    if (one->region.host == NULL)
        raise_fault(FAULT_INVALID_FREE, lane, SAYS_FREES_AGAIN, .others = {one->freed});
    if (address != one->region.low) {
        const struct array_element element =
            byte_of(&one->region, (int64_t)(address - one->region.low));
        raise_fault(FAULT_INVALID_FREE, lane, SAYS_FREES_INSIDE, .element = &element,
                    .others = {one->given});
    }
    end_use(warp, lane, &one->region);
    size = shift_for(one->region.bytes) - MIN_SHIFT;
    heap.held -= one->region.bytes;
    one->region.host = NULL;
    one->freed = machine.op->place;
    one->next_free = heap.free[size];
    heap.free[size] = one;
}

/* ---- Reports ---- */

void heap_check_freed(const struct region *region, uint32_t lane, bool writes, uint32_t bytes)
{
    const struct allocation *one = allocation_at(region->low);

    if (one == NULL || region->host != NULL)
        return;
    raise_fault(FAULT_USE_AFTER_FREE, lane, SAYS_USES_FREED, .writes = writes, .bytes = bytes,
                .others = {one->freed});
}

void heap_check_bounds(const struct region *region, enum fault_kind kind, uint32_t lane,
                       bool writes, uint32_t bytes, int64_t offset)
{
    const struct allocation *one = allocation_at(region->low);
    const struct array_element element = byte_of(region, offset);

    if (one == NULL)
        return;
    raise_fault(kind, lane, SAYS_OUTSIDE_ALLOCATION, .writes = writes, .bytes = bytes,
                .element = &element, .others = {one->given});
}

/* Returns a line of the kernel's own code, if the compiler gives one. new and delete are
 * inlined. */
static int line_of(const struct simt_place *place)
{
    return place->site.outer != NULL ? place->site.outer->line : place->site.line;
}

/* Host room may be reused. The allocation that currently owns it gives the name. */
bool heap_name(uintptr_t race_address, struct array_element *element)
{
    if (heap.room.host == NULL || race_address - heap.room.race >= ROOM)
        return false;
    *element = (struct array_element){.array = "malloc() memory"};
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (const struct allocation *one = heap.buckets[b]; one != NULL; one = one->next) {
            uint64_t byte = race_address - one->region.race;
            if (one->region.host == NULL || byte >= one->region.bytes)
                continue;
            *element = byte_of(&one->region, (int64_t)byte);
            snprintf(element->array, sizeof element->array, "malloc() on line %d",
                     line_of(one->given));
            return true;
        }
    return true;
}

/* Places are in the order of the code, so the report does not depend on the schedule. */
void heap_report_leaks(void)
{
    const struct simt_place *first = NULL;
    uint64_t count = 0;

    if (heap.held == 0)
        return;
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (const struct allocation *one = heap.buckets[b]; one != NULL; one = one->next) {
            if (one->region.host == NULL)
                continue;
            count++;
            if (first == NULL || one->given < first)
                first = one->given;
        }
    record_fault_of(FAULT_MEMORY_LEAK, NULL, 0, first, SAYS_NEVER_FREES,
                    .numbers = {(int64_t)count, (int64_t)heap.held});
}
