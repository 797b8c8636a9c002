/* SPDX-License-Identifier: MIT */
#include "rooms.h"

#include "array.h"
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GIVE_BACK = 64 << 20, LARGE = 1 << 20 };

char *rooms_host;
uint8_t *rooms_written;

/* Free rooms below `used`, in ascending order. No two of them touch. */
static struct hole {
    uint64_t offset, bytes;
} * holes;
static uint32_t hole_count, hole_capacity;
static uint64_t used;
static uint64_t spared, spared_bytes; /* a part of a room that needs no clearing */

static void *reserve(uint64_t bytes)
{
    void *range = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

bool rooms_open(void)
{
    rooms_host = reserve(ROOMS_BYTES);
    rooms_written = reserve(ROOMS_BYTES);
    used = ROOM_ALIGNMENT;
    return rooms_host != NULL && rooms_written != NULL;
}

void rooms_close(void)
{
    if (rooms_host != NULL)
        munmap(rooms_host, ROOMS_BYTES);
    if (rooms_written != NULL)
        munmap(rooms_written, ROOMS_BYTES);
    free(holes);
    rooms_host = NULL;
    rooms_written = NULL;
    holes = NULL;
    hole_count = hole_capacity = 0;
    spared_bytes = 0;
}

/* Makes those bytes unwritten, and returns large pieces to the system. */
static void empty(uint64_t offset, uint64_t bytes, uint64_t large)
{
    if (bytes <= large) {
        memset(rooms_written + offset, 0, bytes);
        return;
    }
    uint64_t page = 4096, first = (offset + page - 1) / page * page,
             last = (offset + bytes) / page * page;
    memset(rooms_written + offset, 0, first - offset);
    memset(rooms_written + last, 0, offset + bytes - last);
    madvise(rooms_written + first, last - first, MADV_DONTNEED);
    madvise(rooms_host + first, last - first, MADV_DONTNEED);
}

void rooms_spare(uint64_t offset, uint64_t bytes)
{
    spared = offset;
    spared_bytes = bytes;
}

void rooms_clear(void)
{
    if (spared_bytes > 0 && used <= GIVE_BACK) {
        empty(0, spared, GIVE_BACK);
        empty(spared + spared_bytes, used - spared - spared_bytes, GIVE_BACK);
    } else {
        empty(0, used, GIVE_BACK);
    }
    used = ROOM_ALIGNMENT;
    hole_count = 0;
    spared_bytes = 0;
}

uint64_t rooms_used(void)
{
    return used;
}

/* Returns the size of a room with the gap after it, so that an access past its end has no room. */
static uint64_t with_gap(uint64_t bytes)
{
    return (bytes + ROOM_ALIGNMENT - 1) / ROOM_ALIGNMENT * ROOM_ALIGNMENT + ROOM_ALIGNMENT;
}

static void remove_hole(uint32_t k)
{
    hole_count--;
    memmove(holes + k, holes + k + 1, (hole_count - k) * sizeof *holes);
}

bool rooms_take(uint64_t bytes, uint64_t *offset)
{
    uint64_t size = with_gap(bytes);

    for (uint32_t k = 0; k < hole_count; k++) {
        if (holes[k].bytes < size)
            continue;
        *offset = holes[k].offset;
        holes[k].offset += size;
        holes[k].bytes -= size;
        if (holes[k].bytes == 0)
            remove_hole(k);
        return true;
    }
    if (bytes > ROOMS_BYTES || size > ROOMS_BYTES - used)
        return false;
    *offset = used;
    used += size;
    return true;
}

/* Adds a hole, and joins it with those that it touches. Without memory for the list, the room is
 * lost. */
static void add_hole(struct hole hole)
{
    struct hole *grown = array_grown(holes, &hole_capacity, hole_count + 1, sizeof *holes);
    uint32_t k = hole_count;

    if (grown == NULL)
        return;
    holes = grown;
    while (k > 0 && holes[k - 1].offset > hole.offset)
        k--;
    memmove(holes + k + 1, holes + k, (hole_count - k) * sizeof *holes);
    holes[k] = hole;
    hole_count++;
    if (k + 1 < hole_count && hole.offset + hole.bytes == holes[k + 1].offset) {
        holes[k].bytes += holes[k + 1].bytes;
        remove_hole(k + 1);
    }
    if (k > 0 && holes[k - 1].offset + holes[k - 1].bytes == hole.offset) {
        holes[k - 1].bytes += holes[k].bytes;
        remove_hole(k);
    }
}

void rooms_free(uint64_t offset, uint64_t bytes)
{
    empty(offset, bytes, LARGE);
    add_hole((struct hole){offset, with_gap(bytes)});
    if (hole_count > 0 && holes[hole_count - 1].offset + holes[hole_count - 1].bytes == used)
        used = holes[--hole_count].offset;
}

bool rooms_take_region(struct region *region, uint64_t bytes, uint64_t address)
{
    uint64_t shift = address % ROOM_ALIGNMENT, offset;

    if (bytes > ROOMS_BYTES || !rooms_take(bytes + shift, &offset))
        return false;
    offset += shift;
    *region = (struct region){
        .host = rooms_host + offset,
        .low = address,
        .bytes = bytes,
        .written = rooms_written + offset,
        .missing = machine.explains ? 0 : bytes,
        .race = (uintptr_t)rooms_host + offset,
        .is_writable = true,
    };
    return true;
}
