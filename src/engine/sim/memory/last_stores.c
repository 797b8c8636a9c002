/* SPDX-License-Identifier: MIT */
#include "last_stores.h"

#include "places.h"
#include "rooms.h"

#include <sys/mman.h>

/* By the byte of the rooms: the place, relative to source_base. 0: none. */
static uint32_t *stores;

void last_stores_start(void)
{
    const size_t size = ROOMS_BYTES * sizeof *stores;

    if (stores == NULL) {
        void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stores = room != MAP_FAILED ? room : NULL;
    } else if (madvise(stores, size, MADV_DONTNEED) != 0) {
        munmap(stores, size);
        stores = NULL;
    }
}

/* Returns the number of the byte in the rooms, or ROOMS_BYTES if it is elsewhere. */
static uint64_t byte_of(const struct region *region, uint64_t offset)
{
    uint64_t byte = (uintptr_t)region->host + offset - (uintptr_t)rooms_host;

    return region->is_shared || region->host == NULL || byte >= ROOMS_BYTES ? ROOMS_BYTES : byte;
}

void last_stores_note(const struct region *region, uint64_t offset, uint32_t bytes,
                      const struct simt_place *place)
{
    uint64_t byte = byte_of(region, offset);

    for (uint32_t k = 0; stores != NULL && k < bytes && byte + k < ROOMS_BYTES; k++)
        stores[byte + k] = (uint32_t)((const char *)place - source_base);
}

const struct simt_place *last_stores_find(const struct region *region, uint64_t offset)
{
    uint64_t byte = byte_of(region, offset);

    return stores != NULL && byte < ROOMS_BYTES ? source_place(source_base + stores[byte]) : NULL;
}
