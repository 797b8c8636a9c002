/* SPDX-License-Identifier: MIT
 *
 * cp.async of PTX: copies from global to shared memory that are made when their thread waits for
 * them: that is as late as they may come. Under `reverse` they are made where they are asked for,
 * which is as early, and under `random` at one of the two (PTX ISA, asynchronous copies). So
 * whoever relies on one that nobody has waited for, or changes what it reads, gets other bits under
 * another schedule. Where races are looked for, they are accesses at both places in any case.
 */
#include "async.h"

#include "array.h"
#include "fault.h"
#include "policy.h"
#include "simt_ptx.h"

#include <stdlib.h>
#include <string.h>

struct async_copy {
    const struct simt_place *place;
    uintptr_t to, from;
    uint32_t bytes, read; /* read: of those; the others become zeros */
    uint32_t group;       /* committed before it */
    bool is_made;         /* early: what is left of it are the accesses of one that comes late */
};

struct async {
    struct async_copy *copies;
    uint32_t count, capacity, groups; /* groups: committed so far */
};

static struct async *async_of(struct thread *thread)
{
    if (thread->async == NULL)
        thread->async = calloc(1, sizeof *thread->async);
    if (thread->async == NULL)
        fault_raise(FAULT_CRASH, NULL, "needs more memory than there is");
    return thread->async;
}

/* Its accesses, and its bytes if they have not come. */
static void make(struct async_copy *copy)
{
    if (copy->read == copy->bytes && copy->bytes == 16) {
        simt_read_w16(copy->place, copy->from);
        simt_write_w16(copy->place, copy->to);
    } else {
        for (uint32_t k = 0; k < copy->read; k += 4)
            simt_read_w4(copy->place, copy->from + k);
        for (uint32_t k = 0; k < copy->bytes; k += 4)
            simt_write_w4(copy->place, copy->to + k);
    }
    if (copy->is_made)
        return;
    memcpy((void *)copy->to, (const void *)copy->from, copy->read);
    memset((char *)copy->to + copy->read, 0, copy->bytes - copy->read);
    copy->is_made = true;
}

static bool is_made_early(void)
{
    return rules.order == SCHEDULE_REVERSE ||
           (rules.order == SCHEDULE_RANDOM && policy_draw(2) == 0);
}

void simt_async_copy(const struct simt_place *place, uintptr_t to, uintptr_t from, uint32_t bytes,
                     uint32_t read)
{
    struct async *async = async_of(current.thread);
    struct async_copy *copies =
        array_grown(async->copies, &async->capacity, async->count + 1, sizeof *copies);
    struct async_copy copy = {.place = place,
                              .to = to,
                              .from = from,
                              .bytes = bytes,
                              .read = read < bytes ? read : bytes,
                              .group = async->groups};

    if (copies == NULL)
        fault_raise(FAULT_CRASH, NULL, "needs more memory than there is");
    if (race_on) { /* as early as it may come */
        race_access(&current.block->race, current.thread->number, from, copy.read, ACCESS_READ,
                    place);
        race_access(&current.block->race, current.thread->number, to, bytes, ACCESS_WRITE, place);
    }
    async->copies = copies;
    if (is_made_early())
        make(&copy);
    copies[async->count++] = copy;
}

void simt_async_commit(void)
{
    async_of(current.thread)->groups++;
}

/* Makes the copies of all groups but the last `left`, and those of no group if asked to. */
static void make_all(struct async *async, uint32_t left, bool uncommitted)
{
    uint32_t kept = 0, count = async->count;

    for (uint32_t k = 0; k < count; k++) {
        struct async_copy copy = async->copies[k];
        bool due = copy.group < async->groups ? async->groups - copy.group > left : uncommitted;
        if (due)
            make(&copy);
        else
            async->copies[kept++] = copy;
    }
    async->count = kept;
}

void simt_async_wait_group(uint32_t left)
{
    if (current.thread->async != NULL)
        make_all(current.thread->async, left, false);
}

void simt_async_wait_all(void)
{
    if (current.thread->async != NULL)
        make_all(current.thread->async, 0, true);
}

void async_exit(struct thread *thread)
{
    make_all(thread->async, 0, true);
    async_forget(thread);
}

void async_forget(struct thread *thread)
{
    if (thread->async != NULL)
        free(thread->async->copies);
    free(thread->async);
    thread->async = NULL;
}
