/* SPDX-License-Identifier: MIT
 *
 * cp.async of PTX: asynchronous copies from global to shared memory. A copy may happen at any time
 * between its request and the wait of its thread (PTX ISA, asynchronous copies). By default the
 * simulator makes it at the wait, which is the latest time. Under `reverse` it makes the copy at
 * the request, which is the earliest, and under `random` at one of the two.
 *
 * Code that uses a copy without a wait, or changes the source of a pending copy, thus gets
 * different results under different schedules. When races are detected, a copy counts as an access
 * at both times.
 */
#include "async.h"

#include "access.h"
#include "array.h"
#include "counters.h"
#include "faults.h"
#include "policy.h"
#include "quick.h"
#include "undefined.h"

#include "module.h"
#include "outcome.h"

#include <stdlib.h>
#include <string.h>

struct copy {
    const struct op *op;
    struct frame *frame;
    uint64_t to, from;
    uint32_t bytes, read; /* read: bytes that are copied; the rest become zeros */
    uint32_t group;       /* groups committed before it */
    bool is_made;         /* the data was copied early; only the accesses of a late copy remain */
    /* for the quick check of races: null, or the place of `to`; the time of the request */
    const struct region *target;
    uint64_t target_offset;
    struct quick_time requested;
};

struct async {
    struct copy *copies;
    uint32_t count, capacity, groups; /* groups: committed so far */
};

static struct async *async_of(struct warp *warp, uint32_t lane)
{
    if (warp->async[lane] == NULL)
        warp->async[lane] = calloc(1, sizeof **warp->async);
    warp->has_async = true;
    if (warp->async[lane] == NULL)
        raise_out_of_memory(lane);
    return warp->async[lane];
}

static char *access_at(struct warp *warp, const struct copy *copy, uint32_t lane, uint64_t address,
                       uint32_t bytes, bool writes, struct region **region)
{
    struct op access = {.space = writes ? SPACE_SHARED : SPACE_GLOBAL,
                        .a = 1,
                        .bytes = (uint8_t)bytes,
                        .count = 1,
                        .access = writes ? ACCESS_WRITE : ACCESS_READ,
                        .place = copy->op->place};
    const struct op *running = machine.op;
    char *host;

    machine.op = copy->op; /* a fault is at the copy, not at the wait */
    host = access_lane(warp, copy->frame, &access, lane, address, region);
    machine.op = running;
    return host;
}

/* Requests the copy under the quick check of races. */
static void begin_quickly(struct warp *warp, uint32_t lane, struct copy *copy)
{
    struct region *region;
    const char *to = access_at(warp, copy, lane, copy->to, copy->bytes, true, &region);

    copy->target = region;
    copy->target_offset = (uint64_t)(to - region->host);
    copy->requested = quick_begin_copy(warp, region, copy->target_offset, copy->bytes);
}

/* Returns the bytes to read next: a whole copy, a word, or a byte of a part of a word. */
static uint32_t next_read(const struct copy *copy, uint32_t at)
{
    return copy->read == copy->bytes ? copy->bytes : copy->read - at >= 4 ? 4 : 1;
}

static void read_source(struct warp *warp, uint32_t lane, const struct copy *copy, char bytes[16])
{
    struct region *region;

    for (uint32_t k = 0, step; k < copy->read; k += step) {
        const char *from;
        step = next_read(copy, k);
        from = access_at(warp, copy, lane, copy->from + k, step, false, &region);
        if (copy->target != NULL && region == NULL)
            leave_undecided(); /* the thread's own memory has no stamps */
        if (copy->target != NULL)
            quick_expect_unchanged(warp, region, (uint64_t)(from - region->host), step,
                                   copy->requested);
        memcpy(bytes + k, from, step);
    }
}

/* Makes the copy's accesses, and copies its bytes unless that is already done. */
static void make(struct warp *warp, uint32_t lane, struct copy *copy)
{
    uint32_t step = copy->read == copy->bytes ? copy->bytes : 4;
    char bytes[16] = {0};
    struct region *region;

    if (copy->target != NULL)
        quick_complete_copy(copy->target, copy->target_offset, copy->bytes);
    read_source(warp, lane, copy, bytes);
    for (uint32_t k = 0; k < copy->bytes; k += step) {
        char *to = access_at(warp, copy, lane, copy->to + k, step, true, &region);
        if (!copy->is_made)
            memcpy(to, bytes + k, step);
        if (race_unsettled)
            race_settle();
    }
    copy->is_made = true;
}

bool async_is_early(void)
{
    return policy.order == SCHEDULE_REVERSE ||
           (policy.order == SCHEDULE_RANDOM && schedule_draw(2) == 0);
}

static void add_copy(struct warp *warp, uint32_t lane, struct copy copy)
{
    struct async *async = async_of(warp, lane);
    struct copy *copies =
        array_grown(async->copies, &async->capacity, async->count + 1, sizeof *copies);
    struct region *region;

    if (copies == NULL)
        raise_out_of_memory(lane);
    async->copies = copies;
    copy.group = async->groups;
    if (quick_races.is_on)
        begin_quickly(warp, lane, &copy);
    if (race_on) { /* the earliest time */
        for (uint32_t k = 0; k < copy.read; k += next_read(&copy, k))
            access_at(warp, &copy, lane, copy.from + k, next_read(&copy, k), false, &region);
        for (uint32_t k = 0; k < copy.bytes; k += 4) {
            access_at(warp, &copy, lane, copy.to + k, 4, true, &region);
            if (race_unsettled)
                race_settle();
        }
    }
    if (async_is_early())
        make(warp, lane, &copy);
    copies[async->count++] = copy;
}

void async_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    uint64_t sources[LANES];
    uint32_t reading = 0;

    use_undefined(frame->slots, op->a, lanes, "copies to an address");
    use_undefined(frame->slots, op->b, lanes, "copies from an address");
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), to = 0, read;
        uint64_t from;
        memcpy(&to, frame->slots + op->a + lane * (op->is_wide ? 8u : 4u), sizeof to);
        memcpy(&from, frame->slots + op->b + lane * sizeof from, sizeof from);
        memcpy(&read, frame->slots + op->c + lane * sizeof read, sizeof read);
        sources[lane] = from + (uint64_t)(int64_t)(int32_t)op->truth;
        reading |= read > 0 ? left & -left : 0;
        add_copy(warp, lane,
                 (struct copy){.op = op,
                               .frame = frame,
                               .to = (uint32_t)(to + (uint64_t)op->offset),
                               .from = sources[lane],
                               .bytes = op->bytes,
                               .read = read < op->bytes ? read : op->bytes});
    }
    if (unlikely(machine.counters != NULL)) {
        count_access(warp, false, sources, op->bytes, reading, 0);
        count_access(warp, true, NULL, op->bytes, 0, lanes);
    }
}

void async_commit(struct warp *warp, uint32_t lanes)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        async_of(warp, (uint32_t)__builtin_ctz(left))->groups++;
}

/* Makes the copies of all groups but the last `left`. `uncommitted`: makes those of no group
 * too. */
static void make_all(struct warp *warp, uint32_t lane, uint32_t left, bool uncommitted)
{
    struct async *async = warp->async[lane];
    uint32_t kept = 0, count = async != NULL ? async->count : 0;

    for (uint32_t k = 0; k < count; k++) {
        struct copy copy = async->copies[k];
        bool due = copy.group < async->groups ? async->groups - copy.group > left : uncommitted;
        if (due)
            make(warp, lane, &copy);
        else
            async->copies[kept++] = copy;
    }
    if (async != NULL)
        async->count = kept;
}

void async_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), groups = 0;
        if (op->has_count)
            memcpy(&groups, frame->slots + op->a + lane * sizeof groups, sizeof groups);
        make_all(warp, lane, groups, !op->has_count);
    }
}

void async_make_all(struct warp *warp, uint32_t lane)
{
    make_all(warp, lane, 0, true);
}

void async_exit(struct warp *warp, uint32_t lane)
{
    make_all(warp, lane, 0, true);
    async_forget(warp, lane);
}

void async_forget(struct warp *warp, uint32_t lane)
{
    if (warp->async[lane] != NULL)
        free(warp->async[lane]->copies);
    free(warp->async[lane]);
    warp->async[lane] = NULL;
}
