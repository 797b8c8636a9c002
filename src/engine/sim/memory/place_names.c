/* SPDX-License-Identifier: MIT */
#include "place_names.h"

#include "arrays.h"
#include "heap.h"
#include "shared.h"

#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>

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
        uint64_t byte = machine.shared_races + offset - region->race;
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

    if (address - machine.shared_races < SHARED_WINDOW) {
        name_shared(address - machine.shared_races, place, name, size);
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
