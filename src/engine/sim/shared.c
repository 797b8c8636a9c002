/* SPDX-License-Identifier: MIT
 *
 * Shared memory of blocks, and the names of places in memory.
 */
#include "arrays.h"
#include "races.h"
#include "snapshot.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WINDOW = 227 << 10 };

uintptr_t shared_race_base;

/* Reserves unused addresses, which identify bytes of shared memory for the race checker. */
bool shared_open(void)
{
    void *room = mmap(NULL, WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    shared_race_base = room == MAP_FAILED ? 0 : (uintptr_t)room;
    return room != MAP_FAILED;
}

void shared_close(void)
{
    if (shared_race_base != 0)
        munmap((void *)shared_race_base, WINDOW);
    shared_race_base = 0;
}

static void set_region(struct block *block, uint32_t low, uint32_t offset, uint32_t bytes,
                       const char *name)
{
    struct region *region = &block->regions[low >> SHARED_SHIFT];

    *region = (struct region){
        .host = block->shared + offset,
        .low = low,
        .bytes = bytes,
        .written = block->shared_written + offset,
        .missing = bytes,
        .race = shared_race_base + offset,
        .is_writable = true,
        .is_shared = true,
        .snapshot = NEVER_SAVED,
        .owner = block,
        .is_untyped = true,
        .element_bytes = 1,
        .name = name,
    };
    quick_stamps(region, (uint64_t *[2]){block->shared_stamps[0] + offset / 4,
                                         block->shared_stamps[1] + offset / 4});
}

void start_shared(struct block *block)
{
    const struct function_code *code = block->grid->code;
    uint32_t start = code->dynamic_start, size = start + block->grid->shared_bytes + 16, count = 2;

    for (uint32_t s = 0; s < code->shared_count; s++)
        if (code->shared[s].low >> SHARED_SHIFT >= count)
            count = (code->shared[s].low >> SHARED_SHIFT) + 1;
    block->shared = realloc(block->shared, size);
    block->shared_written = realloc(block->shared_written, size);
    block->regions = realloc(block->regions, count * sizeof *block->regions);
    block->region_count = count;
    if (size > block->stamped_bytes) {
        for (int k = 0; k < 2; k++) {
            free(block->shared_stamps[k]);
            block->shared_stamps[k] = calloc(size / 4 + 4, sizeof **block->shared_stamps);
        }
        block->stamped_bytes = size;
    }
    memset(block->shared, GARBAGE, size);
    memset(block->shared_written, 0, size);
    memset(block->regions, 0, count * sizeof *block->regions);
    for (uint32_t s = 0; s < code->shared_count; s++)
        set_region(block, code->shared[s].low, code->shared[s].offset, code->shared[s].bytes,
                   code->shared[s].name);
    if (block->grid->shared_bytes > 0)
        set_region(block, DYNAMIC_WINDOW << SHARED_SHIFT | start, start, block->grid->shared_bytes,
                   "dynamic shared memory");
}

uint64_t element_at(const struct region *region, const struct simt_place *place)
{
    return region->is_untyped && place != NULL && place->element > 0 ? place->element
                                                                     : region->element_bytes;
}

/* Writes "s" for a variable, and "s[3]" or, if no element starts there, "s, byte 13" for a place in
 * an array. */
static void name_in(const struct region *region, uint64_t byte, const struct simt_place *place,
                    char *name, size_t size)
{
    uint64_t element = element_at(region, place);
    char source[48];

    source_variable(region->name, source, sizeof source);
    if (region->is_untyped && region->bytes <= 8 && byte == 0)
        snprintf(name, size, "%s", source);
    else if (region->is_untyped && byte % element != 0)
        snprintf(name, size, "%s, byte %" PRIu64, source, byte);
    else
        snprintf(name, size, "%s[%" PRIu64 "]", source, byte / element);
}

static void name_shared(uintptr_t offset, const struct simt_place *place, char *name, size_t size)
{
    const struct block *block =
        race_shared_owner == NULL
            ? NULL
            : (const void *)((const char *)race_shared_owner - offsetof(struct block, race));

    for (uint32_t r = 0; block != NULL && r < block->region_count; r++) {
        const struct region *region = &block->regions[r];
        uint64_t byte = shared_race_base + offset - region->race;
        if (region->host == NULL || byte >= region->bytes)
            continue;
        name_in(region, byte, place, name, size);
        return;
    }
    snprintf(name, size, "shared memory, byte %zu", (size_t)offset);
}

void name_element(const struct region *region, uint64_t offset, const struct simt_place *place,
                  char *name, size_t size)
{
    if (region->is_shared)
        name_in(region, offset, place, name, size);
    else
        name_place(region->race + offset, place, name, size);
}

void name_place(uintptr_t address, const struct simt_place *place, char *name, size_t size)
{
    const struct region *region;

    if (address - shared_race_base < WINDOW) {
        name_shared(address - shared_race_base, place, name, size);
        return;
    }
    if (heap_name(address, name, size))
        return;
    region = arrays_named(address);
    if (region != NULL)
        name_in(region, address - region->race, place, name, size);
    else
        snprintf(name, size, "memory");
}
