/* SPDX-License-Identifier: MIT */
#include "arrays.h"

#include "array.h"
#include "faults.h"
#include "heap.h"
#include "quick.h"
#include "rooms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Arrays in ascending order of their addresses, in the simulated GPU or for the race checkers. */
struct list {
    struct region **regions;
    uint32_t count, capacity;
    bool by_race;
};

/* Arrays at addresses of the caller, also freed ones, and the one found last. Those whose bytes are
 * in the caller's memory. */
static struct list placed, foreign = {.by_race = true};
static struct region *last_found;

/* An access that is nearer than this to a placed array is reported as an index error of it. */
static const uint64_t NEAR = UINT64_C(1) << 30;

bool arrays_open(void)
{
    void *regions = mmap(NULL, GLOBAL_REGIONS * sizeof *machine.regions, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    machine.regions = regions != MAP_FAILED ? regions : NULL;
    machine.region_count = 0;
    return machine.regions != NULL && rooms_open();
}

static void forget_placed(void)
{
    for (uint32_t k = 0; k < placed.count; k++)
        free(placed.regions[k]);
    placed.count = foreign.count = 0;
    last_found = NULL;
}

void arrays_close(void)
{
    heap_forget();
    forget_placed();
    free(placed.regions);
    free(foreign.regions);
    placed = (struct list){.by_race = false};
    foreign = (struct list){.by_race = true};
    rooms_close();
    if (machine.regions != NULL)
        munmap(machine.regions, GLOBAL_REGIONS * sizeof *machine.regions);
    machine.regions = NULL;
}

void arrays_start(void)
{
    memset(machine.regions, 0, machine.region_count * sizeof *machine.regions);
    machine.region_count = 0;
    machine.changes++;
    forget_placed();
    heap_forget();
    rooms_clear();
}

/* ---- Making arrays ---- */

static uint64_t room_offset(const struct region *region)
{
    return region->race - (uintptr_t)rooms_host;
}

uint64_t arrays_address(uint32_t k)
{
    return GLOBAL_BASE + ((uint64_t)k << GLOBAL_SHIFT) + (UINT64_C(1) << (GLOBAL_SHIFT - 1));
}

static bool take_array(struct region *region, const char *name, uint64_t count,
                       uint32_t element_bytes, uint64_t address)
{
    if (count > ROOMS_BYTES / 4 / element_bytes ||
        !rooms_take_region(region, count * element_bytes, address))
        return false;
    region->element_bytes = element_bytes;
    region->name = name;
    machine.changes++;
    quick_stamps(region, NULL);
    return true;
}

struct region *arrays_add(const char *name, uint64_t count, uint32_t element_bytes)
{
    struct region *region = &machine.regions[machine.region_count];

    if (machine.region_count == GLOBAL_REGIONS ||
        !take_array(region, name, count, element_bytes, arrays_address(machine.region_count)))
        return NULL;
    machine.region_count++;
    return region;
}

/* ---- Lists ---- */

static uint64_t key_of(const struct list *list, const struct region *region)
{
    return list->by_race ? region->race : region->low;
}

/* Returns the number of arrays at or below that address. */
static uint32_t count_below(const struct list *list, uint64_t address)
{
    uint32_t low = 0, high = list->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key_of(list, list->regions[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns false if memory runs out. */
static bool list_add(struct list *list, struct region *region)
{
    struct region **grown =
        array_grown(list->regions, &list->capacity, list->count + 1, sizeof(struct region *));
    uint32_t k;

    if (grown == NULL)
        return false;
    list->regions = grown;
    k = count_below(list, key_of(list, region));
    memmove(grown + k + 1, grown + k, (list->count - k) * sizeof(struct region *));
    grown[k] = region;
    list->count++;
    return true;
}

static void list_remove(struct list *list, uint32_t k)
{
    list->count--;
    memmove(list->regions + k, list->regions + k + 1, (list->count - k) * sizeof(struct region *));
}

/* ---- Placing arrays ---- */

/* Forgets freed arrays at those addresses. Returns false if one there was not freed. */
static bool clear_way(uint64_t address, uint64_t bytes)
{
    for (uint32_t k = count_below(&placed, address + bytes - 1); k > 0; k--) {
        struct region *region = placed.regions[k - 1];
        if (region->low + region->bytes <= address)
            return true;
        if (region->host != NULL)
            return false;
        list_remove(&placed, k - 1);
        if (last_found == region)
            last_found = NULL;
        free(region);
    }
    return true;
}

static bool is_foreign(const struct region *region)
{
    return region->host != NULL && (uintptr_t)region->host != region->race;
}

/* Enters an array. Returns null on error. */
static struct region *enter_placed(const struct region *made)
{
    struct region *region;

    if (made->low == 0 || made->low >= GLOBAL_BASE || made->bytes > GLOBAL_BASE - made->low ||
        !clear_way(made->low, made->bytes + (made->bytes == 0)))
        return NULL;
    region = malloc(sizeof *region);
    if (region == NULL)
        return NULL;
    *region = *made;
    if (is_foreign(region) && !list_add(&foreign, region)) {
        free(region);
        return NULL;
    }
    if (list_add(&placed, region))
        return region;
    if (is_foreign(region))
        list_remove(&foreign, count_below(&foreign, region->race) - 1);
    free(region);
    return NULL;
}

static void free_room(const struct region *region)
{
    uint64_t shift = region->low % ROOM_ALIGNMENT;

    rooms_free(room_offset(region) - shift, region->bytes + shift);
}

struct region *arrays_place(const char *name, uint64_t count, uint32_t element_bytes,
                            uint64_t address, char *host)
{
    struct region made, *region;

    if (!take_array(&made, name, count, element_bytes, address))
        return NULL;
    if (host != NULL)
        made.host = host;
    region = ((uintptr_t)made.host - address) % 4 == 0 ? enter_placed(&made) : NULL;
    if (region == NULL)
        free_room(&made);
    return region;
}

struct region *arrays_share(const char *name, uint64_t count, uint32_t element_bytes)
{
    struct region made, *region;

    if (!take_array(&made, name, count, element_bytes, 0))
        return NULL;
    made.low = (uintptr_t)made.host;
    region = enter_placed(&made);
    if (region == NULL)
        free_room(&made);
    return region;
}

void arrays_set_written(struct region *region)
{
    memset(region->written, 1, region->bytes);
    region->missing = 0;
}

void arrays_remove(struct region *region)
{
    if (race_keeps())
        race_discard(region->race, region->bytes);
    if (is_foreign(region))
        list_remove(&foreign, count_below(&foreign, region->race) - 1);
    free_room(region);
    region->host = NULL;
    machine.changes++;
}

/* ---- Finding arrays ---- */

static bool has(const struct region *region, uint64_t address)
{
    return address - region->low < region->bytes;
}

static struct region *find_placed(uint64_t address)
{
    static struct region none;
    uint32_t k = count_below(&placed, address);
    struct region *below = k > 0 ? placed.regions[k - 1] : NULL,
                  *above = k < placed.count ? placed.regions[k] : NULL;
    uint64_t past = below != NULL ? address - below->low - below->bytes : UINT64_MAX,
             before = above != NULL ? above->low - address : UINT64_MAX;

    if (below != NULL && has(below, address)) {
        last_found = below;
        return below;
    }
    if (past >= NEAR && before >= NEAR)
        return &none;
    return past <= before ? below : above;
}

struct region *arrays_find(uint64_t address)
{
    uint64_t number = (address - GLOBAL_BASE) >> GLOBAL_SHIFT;

    if (number < GLOBAL_REGIONS)
        return &machine.regions[number];
    if (address >= GLOBAL_BASE)
        return heap_region(address);
    machine.meets_placed = true;
    if (last_found != NULL && has(last_found, address))
        return last_found;
    return find_placed(address);
}

static bool is_at(const struct region *region, uintptr_t race_address)
{
    return region->host != NULL && race_address - region->race < region->bytes;
}

const struct region *arrays_named(uintptr_t race_address)
{
    for (uint32_t r = 0; r < machine.region_count; r++)
        if (is_at(&machine.regions[r], race_address))
            return &machine.regions[r];
    for (uint32_t k = 0; k < placed.count; k++)
        if (is_at(placed.regions[k], race_address))
            return placed.regions[k];
    return NULL;
}

uintptr_t arrays_host_of(uintptr_t race_address)
{
    uint32_t k = count_below(&foreign, race_address);

    if (k == 0 || !is_at(foreign.regions[k - 1], race_address))
        return race_address;
    return (uintptr_t)foreign.regions[k - 1]->host + (race_address - foreign.regions[k - 1]->race);
}

bool arrays_are_foreign(void)
{
    return foreign.count > 0;
}

void arrays_check_freed(const struct region *region, uint32_t lane, bool writes, uint32_t bytes)
{
    if (region->host == NULL && region->bytes > 0)
        raise_fault(FAULT_USE_AFTER_FREE, lane, SAYS_FREED_BY_HOST, .writes = writes,
                    .bytes = bytes, .array = region->name);
}
