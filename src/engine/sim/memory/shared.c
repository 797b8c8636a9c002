/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include "quick.h"
#include "rooms.h"
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool shared_open(void)
{
    void *room =
        mmap(NULL, SHARED_WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    machine.shared_races = room == MAP_FAILED ? 0 : (uintptr_t)room;
    return room != MAP_FAILED;
}

void shared_close(void)
{
    if (machine.shared_races != 0)
        munmap((void *)machine.shared_races, SHARED_WINDOW);
    machine.shared_races = 0;
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
        .missing = machine.explains ? 0 : bytes,
        .race = machine.shared_races + offset,
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
    uint32_t start = code->dynamic_start, count = 2, bytes = RESERVED_END - RESERVED_BEGIN;
    uint32_t reserved = (start + block->grid->shared_bytes + 31) / 16 * 16, size = reserved + bytes;

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
    set_region(block, RESERVED_BEGIN, reserved, bytes, "reserved shared memory");
    memset(block->regions[0].written, 1, bytes); /* it has values of earlier blocks */
    block->regions[0].missing = 0;
    for (uint32_t s = 0; s < code->shared_count; s++)
        set_region(block, code->shared[s].low, code->shared[s].offset, code->shared[s].bytes,
                   code->shared[s].name);
    if (block->grid->shared_bytes > 0)
        set_region(block, DYNAMIC_WINDOW << SHARED_SHIFT | start, start, block->grid->shared_bytes,
                   "dynamic shared memory");
}
