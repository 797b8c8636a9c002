/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include "array.h"
#include "quick.h"

#include <stdlib.h>

static struct {
    struct saved {
        struct region *region, before;
        char *bytes;      /* the contents */
        uint8_t *written; /* null: all bytes were written */
    } * saved;
    uint32_t count, capacity;
    uint64_t left;
    uint32_t number; /* of the last snapshot */
} snapshot;

void snapshot_start(uint64_t bytes)
{
    snapshot.left = bytes;
    machine.snapshot = ++snapshot.number;
}

static void *copy_of(const void *from, uint64_t bytes)
{
    void *copy = malloc(bytes + 1);

    if (copy != NULL)
        memcpy(copy, from, bytes);
    return copy;
}

void snapshot_save(struct region *region)
{
    struct saved *grown, *saved;

    if (region->bytes > snapshot.left)
        leave_undecided();
    grown = array_grown(snapshot.saved, &snapshot.capacity, snapshot.count + 1, sizeof *grown);
    if (grown == NULL)
        leave_undecided();
    snapshot.saved = grown;
    saved = &grown[snapshot.count];
    *saved = (struct saved){.region = region, .before = *region};
    saved->bytes = copy_of(region->host, region->bytes);
    if (region->missing != 0)
        saved->written = copy_of(region->written, region->bytes);
    snapshot.count++;
    if (saved->bytes == NULL || (region->missing != 0 && saved->written == NULL))
        leave_undecided();
    snapshot.left -= region->bytes;
    region->snapshot = snapshot.number;
}

static void restore(const struct saved *saved)
{
    struct region *region = saved->region;
    uint32_t granule = region->granule; /* what the abandoned run has learned */

    if (saved->bytes == NULL || (saved->before.missing != 0 && saved->written == NULL))
        return; /* the run was abandoned before the write */
    *region = saved->before;
    region->granule = granule;
    memcpy(region->host, saved->bytes, region->bytes);
    if (saved->written != NULL)
        memcpy(region->written, saved->written, region->bytes);
    else
        memset(region->written, 1, region->bytes);
}

static bool has_changed(const struct saved *saved)
{
    const struct region *before = &saved->before, *now = saved->region;

    return memcmp(now->host, saved->bytes, now->bytes) != 0 || now->missing != before->missing ||
           now->widest != before->widest || now->has_undefined != before->has_undefined ||
           (saved->written != NULL && memcmp(now->written, saved->written, now->bytes) != 0);
}

void snapshot_end(bool restores)
{
    for (uint32_t k = 0; k < snapshot.count; k++) {
        if (restores)
            restore(&snapshot.saved[k]);
        else
            machine.changes += has_changed(&snapshot.saved[k]);
        free(snapshot.saved[k].bytes);
        free(snapshot.saved[k].written);
    }
    free(snapshot.saved);
    snapshot.saved = NULL;
    snapshot.count = snapshot.capacity = 0;
    machine.snapshot = 0;
}
