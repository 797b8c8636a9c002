/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "cuda_driver.h"
#include "error_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Memory is copied in chunks, and no piece is larger. Equal chunks of several launches are one
 * blob. */
enum { CHUNK = 1 << 20, MAX_PARTS = 4096 };

struct range {
    uint64_t address, bytes;
};

/* ---- What the program allocated. A range stays when its memory is freed: the driver is asked
 * before it is used. ---- */

static struct range *ranges; /* sorted */
static size_t range_count, range_room;

/* Returns the index of the first range that begins after the address. */
static size_t range_after(uint64_t address)
{
    size_t low = 0, high = range_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void memory_allocated(uint64_t address, uint64_t bytes)
{
    size_t at = range_after(address);

    if (address == 0)
        return;
    if (at > 0 && ranges[at - 1].address == address) {
        ranges[at - 1].bytes = bytes;
        return;
    }
    if (range_count == range_room) {
        size_t room = range_room > 0 ? 2 * range_room : 256;
        struct range *larger = realloc(ranges, room * sizeof *ranges);
        if (larger == NULL)
            return;
        ranges = larger;
        range_room = room;
    }
    memmove(ranges + at + 1, ranges + at, (range_count - at) * sizeof *ranges);
    ranges[at] = (struct range){address, bytes};
    range_count++;
}

static bool may_point(uint64_t value)
{
    size_t at;

    if (range_count == 0 || value < ranges[0].address)
        return false;
    at = range_after(value);
    return value - ranges[at - 1].address < ranges[at - 1].bytes;
}

/* Asks the driver for the allocation that the value points to. */
static bool find_range(uint64_t value, struct range *range)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;
    void *start = NULL;

    if (driver.cuMemGetAddressRange_v2(&base, &bytes, (CUdeviceptr)value) != CUDA_SUCCESS) {
        if (driver.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                         (CUdeviceptr)value) != CUDA_SUCCESS ||
            driver.cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                         (CUdeviceptr)value) != CUDA_SUCCESS)
            return false;
        base = (CUdeviceptr)(uintptr_t)start;
    }
    *range = (struct range){base, bytes};
    return base != 0 && bytes > 0 && value - base < bytes;
}

/* ---- The allocations of a launch ---- */

static bool is_known(const struct snapshot *snapshot, uint64_t value)
{
    for (size_t p = 0; p < snapshot->count; p++)
        if (value - snapshot->parts[p].allocation.address < snapshot->parts[p].allocation.bytes)
            return true;
    return false;
}

/* Makes the range end where known allocations begin, and begin where they end, around the value. */
static void exclude_known(const struct snapshot *snapshot, uint64_t value, struct range *range)
{
    uint64_t begin = range->address, end = range->address + range->bytes;

    for (size_t p = 0; p < snapshot->count; p++) {
        const struct capture_allocation *known = &snapshot->parts[p].allocation;
        if (known->address > value && known->address < end)
            end = known->address;
        if (known->address <= value && known->address + known->bytes > begin)
            begin = known->address + known->bytes;
    }
    *range = (struct range){begin, end - begin};
}

static bool add(struct snapshot *snapshot, const char *variable, struct range range)
{
    struct snapshot_part *parts;

    snapshot->bytes += range.bytes;
    if (snapshot->count == MAX_PARTS)
        return error_write(snapshot->why, sizeof snapshot->why,
                           "it can access more than %d allocations", MAX_PARTS);
    if (snapshot->bytes > snapshot->most_bytes)
        return error_write(snapshot->why, sizeof snapshot->why,
                           "it can access more than %.3g GiB of memory: give a larger --memory",
                           (double)snapshot->most_bytes / (1 << 30));
    parts = realloc(snapshot->parts, (snapshot->count + 1) * sizeof *parts);
    if (parts == NULL)
        return error_write(snapshot->why, sizeof snapshot->why, "out of memory");
    snapshot->parts = parts;
    parts[snapshot->count++] = (struct snapshot_part){
        .allocation = {.address = range.address,
                       .bytes = range.bytes,
                       .variable = variable != NULL ? strdup(variable) : NULL}};
    return true;
}

bool snapshot_add_variable(struct snapshot *snapshot, const char *name, uint64_t address,
                           uint64_t bytes)
{
    return is_known(snapshot, address) || add(snapshot, name, (struct range){address, bytes});
}

static bool add_pointer(struct snapshot *snapshot, uint64_t value)
{
    struct range range;

    if (is_known(snapshot, value) || !find_range(value, &range))
        return true;
    exclude_known(snapshot, value, &range);
    return add(snapshot, NULL, range);
}

bool snapshot_add_parameters(struct snapshot *snapshot, const unsigned char *parameters,
                             size_t bytes)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, parameters + at, sizeof value);
        if (value != 0 && !add_pointer(snapshot, value))
            return false;
    }
    return true;
}

static bool add_stored_pointers(struct snapshot *snapshot, const unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= count; at += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, bytes + at, sizeof value);
        if (may_point(value) && !add_pointer(snapshot, value))
            return false;
    }
    return true;
}

/* ---- Contents ---- */

static bool add_piece(struct snapshot *snapshot, struct capture_pieces *pieces, uint64_t offset,
                      const unsigned char *bytes, size_t count)
{
    struct capture_piece *items = realloc(pieces->items, (pieces->count + 1) * sizeof *items);

    if (items == NULL)
        return error_write(snapshot->why, sizeof snapshot->why, "out of memory");
    pieces->items = items;
    items[pieces->count] = (struct capture_piece){.offset = offset, .bytes = count};
    return capture_write_blob(snapshot->folder, bytes, count, items[pieces->count++].blob,
                              snapshot->why, sizeof snapshot->why);
}

static bool copy_chunk(struct snapshot *snapshot, uint64_t address, unsigned char *chunk,
                       size_t count)
{
    CUresult result = driver.cuMemcpyDtoH_v2(chunk, (CUdeviceptr)address, count);

    return result == CUDA_SUCCESS ||
           error_write(snapshot->why, sizeof snapshot->why,
                       "its memory at 0x%llx cannot be read: %s", (unsigned long long)address,
                       cuda_driver_error(result));
}

/* Adds the runs of pages that differ from `before`, and copies them there. */
static bool add_changed(struct snapshot *snapshot, struct capture_pieces *pieces, uint64_t offset,
                        const unsigned char *chunk, unsigned char *before, size_t count)
{
    size_t begin = 0;

    for (size_t at = 0; at < count; at = begin) {
        size_t end = at;
        while (end < count) {
            size_t bytes = count - end < CAPTURE_PAGE ? count - end : CAPTURE_PAGE;
            if (memcmp(chunk + end, before + end, bytes) == 0)
                break;
            end += bytes;
        }
        if (end > at && !add_piece(snapshot, pieces, offset + at, chunk + at, end - at))
            return false;
        memcpy(before + at, chunk + at, end - at);
        begin = end + CAPTURE_PAGE; /* the page at `end` is as before */
    }
    return true;
}

/* Adds the pages of an allocation that differ from part->before. `is_first`: that was zeros. */
static bool copy_part(struct snapshot *snapshot, size_t index, bool is_first)
{
    unsigned char *chunk = malloc(CHUNK);
    bool good = chunk != NULL || error_write(snapshot->why, sizeof snapshot->why, "out of memory");
    uint64_t bytes = snapshot->parts[index].allocation.bytes;

    for (uint64_t offset = 0; good && offset < bytes; offset += CHUNK) {
        struct snapshot_part *part = &snapshot->parts[index];
        size_t count = bytes - offset < CHUNK ? (size_t)(bytes - offset) : CHUNK;
        struct capture_pieces *pieces =
            is_first ? &part->allocation.before : &part->allocation.after;
        good = copy_chunk(snapshot, part->allocation.address + offset, chunk, count) &&
               add_changed(snapshot, pieces, offset, chunk, part->before + offset, count) &&
               (!is_first || add_stored_pointers(snapshot, chunk, count)); /* may move parts */
    }
    free(chunk);
    return good;
}

bool snapshot_before(struct snapshot *snapshot)
{
    for (size_t p = 0; p < snapshot->count; p++) { /* copy_part() adds more */
        void *before = mmap(NULL, snapshot->parts[p].allocation.bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (before == MAP_FAILED)
            return error_write(snapshot->why, sizeof snapshot->why, "out of memory");
        snapshot->parts[p].before = before;
        if (!copy_part(snapshot, p, true))
            return false;
    }
    return true;
}

bool snapshot_after(struct snapshot *snapshot)
{
    for (size_t p = 0; p < snapshot->count; p++)
        if (!copy_part(snapshot, p, false))
            return false;
    return true;
}

/* ---- Results ---- */

static int by_address(const void *first, const void *second)
{
    const struct capture_allocation *one = first, *two = second;

    return (one->address > two->address) - (one->address < two->address);
}

bool snapshot_list(const struct snapshot *snapshot, struct captured_launch *launch)
{
    launch->allocations = calloc(snapshot->count + 1, sizeof *launch->allocations);
    if (launch->allocations == NULL)
        return false;
    launch->allocation_count = snapshot->count;
    for (size_t p = 0; p < snapshot->count; p++)
        launch->allocations[p] = snapshot->parts[p].allocation;
    qsort(launch->allocations, snapshot->count, sizeof *launch->allocations, by_address);
    return true;
}

void snapshot_free(struct snapshot *snapshot)
{
    for (size_t p = 0; p < snapshot->count; p++) {
        struct capture_allocation *allocation = &snapshot->parts[p].allocation;
        if (snapshot->parts[p].before != NULL)
            munmap(snapshot->parts[p].before, allocation->bytes);
        free(allocation->before.items);
        free(allocation->after.items);
        free(allocation->variable);
    }
    free(snapshot->parts);
    *snapshot = (struct snapshot){.parts = NULL};
}
