/* SPDX-License-Identifier: MIT
 *
 * Global memory: arrays that are far apart in the simulated GPU, and adjacent on the host.
 */
#include "races.h"

#include <string.h>
#include <sys/mman.h>

static const uint64_t ARENA_BYTES = UINT64_C(8) << 30;

enum { ALIGNMENT = 256, GIVE_BACK = 64 << 20 };

char *arrays_host;
static uint8_t *written;
static uint64_t used;

static void *reserve(uint64_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

bool arrays_open(void)
{
    arrays_host = reserve(ARENA_BYTES);
    written = reserve(ARENA_BYTES);
    arrays_start();
    return arrays_host != NULL && written != NULL;
}

void arrays_close(void)
{
    heap_forget();
    if (arrays_host != NULL)
        munmap(arrays_host, ARENA_BYTES);
    if (written != NULL)
        munmap(written, ARENA_BYTES);
    arrays_host = NULL;
    written = NULL;
}

uint64_t arrays_used(void)
{
    return used;
}

void arrays_start(void)
{
    if (used > GIVE_BACK) {
        madvise(arrays_host, used, MADV_DONTNEED);
        madvise(written, used, MADV_DONTNEED);
    }
    memset(machine.regions, 0, machine.region_count * sizeof *machine.regions);
    machine.region_count = ARRAY_FREE_NUMBER;
    used = ALIGNMENT;
    heap_forget();
}

bool arrays_take(struct region *region, uint64_t bytes)
{
    if (used + bytes + ALIGNMENT > ARENA_BYTES)
        return false;
    *region = (struct region){
        .host = arrays_host + used,
        .bytes = bytes,
        .written = written + used,
        .missing = bytes,
        .race = (uintptr_t)arrays_host + used,
        .is_writable = true,
    };
    used = (used + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    return true;
}

struct region *arrays_add(const char *name, uint64_t count, uint32_t element_bytes)
{
    uint64_t bytes = count * element_bytes;
    struct region *region;

    if (machine.region_count == GLOBAL_REGIONS || count > ARENA_BYTES / 4 / element_bytes)
        return NULL;
    region = &machine.regions[machine.region_count];
    if (!arrays_take(region, bytes))
        return NULL;
    region->low =
        ((uint64_t)machine.region_count << GLOBAL_SHIFT) + (UINT64_C(1) << (GLOBAL_SHIFT - 1));
    region->element_bytes = element_bytes;
    region->name = name;
    memset(region->written, 0, bytes);
    quick_stamps(region, NULL);
    machine.region_count++;
    return region;
}
