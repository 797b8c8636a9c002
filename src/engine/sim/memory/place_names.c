/* SPDX-License-Identifier: MIT */
#include "place_names.h"

#include "arrays.h"
#include "heap.h"
#include "shared.h"

#include "source_path.h"

uint64_t element_at(const struct region *region, const struct simt_place *place)
{
    return region->is_untyped && place != NULL && place->element > 0 ? place->element
                                                                     : region->element_bytes;
}

void name_index(const struct region *region, int64_t offset, const struct simt_place *place,
                struct array_element *element)
{
    int64_t bytes = (int64_t)element_at(region, place);

    *element =
        (struct array_element){.unit = ELEMENT_INDEX,
                               .count = region->bytes / (uint64_t)bytes,
                               .offset = offset,
                               .bytes = region->bytes,
                               .access = place != NULL ? place->element : region->element_bytes};
    source_variable(region->name, element->array, sizeof element->array);
    element->index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
    element->side = offset < 0                          ? SIDE_BEFORE
                    : (uint64_t)offset >= region->bytes ? SIDE_AFTER
                                                        : SIDE_INSIDE;
}

/* A variable has no elements. No element starts at some bytes. */
static void name_in(const struct region *region, uint64_t byte, const struct simt_place *place,
                    struct array_element *element)
{
    name_index(region, (int64_t)byte, place, element);
    if (region->is_untyped && region->bytes <= 8 && byte == 0) {
        element->unit = ELEMENT_NONE;
    } else if (region->is_untyped && byte % element_at(region, place) != 0) {
        element->unit = ELEMENT_BYTE;
        element->index = (int64_t)byte;
        element->count = region->bytes;
    }
}

static void name_shared(uintptr_t offset, const struct simt_place *place,
                        struct array_element *element)
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
        name_in(region, byte, place, element);
        return;
    }
    *element = (struct array_element){
        .array = "shared memory", .unit = ELEMENT_BYTE, .index = (int64_t)offset};
}

void name_element(const struct region *region, uint64_t offset, const struct simt_place *place,
                  struct array_element *element)
{
    if (region->is_shared)
        name_in(region, offset, place, element);
    else
        name_place(region->race + offset, place, element);
}

void name_place(uintptr_t address, const struct simt_place *place, struct array_element *element)
{
    const struct region *region;

    if (address - machine.shared_races < SHARED_WINDOW) {
        name_shared(address - machine.shared_races, place, element);
        return;
    }
    if (heap_name(address, element))
        return;
    region = arrays_named(address);
    if (region != NULL)
        name_in(region, address - region->race, place, element);
    else
        *element = (struct array_element){.array = "memory"};
}
