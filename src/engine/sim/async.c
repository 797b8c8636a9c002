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
 *
 * This file also has mbarrier: PTX ISA, mbarrier objects.
 */
#include "array.h"
#include "module.h"
#include "races.h"
#include "schedule.h"

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
        raise_fault(FAULT_CRASH, lane, "cannot continue: the simulator is out of memory");
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

    return access_lane(warp, copy->frame, &access, lane, address, region);
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

/* Makes the copy's accesses, and copies its bytes unless that is already done. */
static void make(struct warp *warp, uint32_t lane, struct copy *copy)
{
    uint32_t step = copy->read == copy->bytes ? copy->bytes : 4;
    struct region *region;

    if (copy->target != NULL)
        quick_complete_copy(copy->target, copy->target_offset, copy->bytes);
    for (uint32_t k = 0; k < copy->bytes; k += step) {
        char bytes[16] = {0}, *to;
        if (k < copy->read) {
            const char *from = access_at(warp, copy, lane, copy->from + k, step, false, &region);
            if (copy->target != NULL && region == NULL)
                leave_undecided(); /* the thread's own memory has no stamps */
            if (copy->target != NULL)
                quick_expect_unchanged(warp, region, (uint64_t)(from - region->host), step,
                                       copy->requested);
            memcpy(bytes, from, step);
        }
        to = access_at(warp, copy, lane, copy->to + k, step, true, &region);
        if (!copy->is_made)
            memcpy(to, bytes, step);
        if (race_unsettled)
            race_settle();
    }
    copy->is_made = true;
}

static bool is_made_early(void)
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
        raise_fault(FAULT_CRASH, lane, "cannot continue: the simulator is out of memory");
    async->copies = copies;
    copy.group = async->groups;
    if (quick_races.is_on)
        begin_quickly(warp, lane, &copy);
    if (race_on) { /* the earliest time */
        for (uint32_t k = 0; k < copy.read; k += 4)
            access_at(warp, &copy, lane, copy.from + k, 4, false, &region);
        for (uint32_t k = 0; k < copy.bytes; k += 4) {
            access_at(warp, &copy, lane, copy.to + k, 4, true, &region);
            if (race_unsettled)
                race_settle();
        }
    }
    if (is_made_early())
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

/* ---- mbarrier ---- */

/* The object, which PTX leaves opaque. Bit 63 is the phase. The bits from 0 on hold the arrivals
 * that the current phase still waits for. Those from 20 on hold the arrivals that each phase waits
 * for. */
enum { ARRIVALS = (1 << 20) - 1, EXPECTED_SHIFT = 20, PHASE_SHIFT = 63 };

static char *object(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane,
                    uint8_t access, enum simt_order order)
{
    struct op made = *op;
    struct region *region;
    uint64_t address = 0;

    memcpy(&address, frame->slots + op->a + lane * (op->is_wide ? 8u : 4u), op->is_wide ? 8 : 4);
    address += (uint64_t)op->offset;
    if (op->space == SPACE_SHARED)
        address = (uint32_t)address;
    made.access = access;
    made.is_strong = access != ACCESS_WRITE;
    made.order = (uint8_t)order;
    return access_lane(warp, frame, &made, lane, address, &region);
}

static uint64_t arrive(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane,
                       uint32_t count, bool drop)
{
    char *at = object(warp, frame, op, lane, ACCESS_ATOMIC, SIMT_RELEASE);
    uint64_t state, pending, expected, phase, next;

    memcpy(&state, at, sizeof state);
    phase = state >> PHASE_SHIFT;
    expected = (state >> EXPECTED_SHIFT & ARRIVALS) - (drop ? count : 0);
    pending = ((state & ARRIVALS) - count) & ARRIVALS;
    if (pending == 0 && count > 0) {
        phase ^= 1;
        pending = expected;
    }
    next = phase << PHASE_SHIFT | expected << EXPECTED_SHIFT | pending;
    memcpy(at, &next, sizeof next);
    machine.progress++;
    return state;
}

/* Returns true if the phase of that parity is complete. A thread that finds it incomplete acquires
 * nothing. */
static bool is_complete(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane,
                        uint64_t parity)
{
    uint64_t state;

    note_look(warp, lane, op, 0);
    memcpy(&state, object(warp, frame, op, lane, ACCESS_READ, SIMT_RELAXED), sizeof state);
    if (state >> PHASE_SHIFT == (parity & 1))
        return false;
    object(warp, frame, op, lane, ACCESS_READ, SIMT_ACQUIRE);
    return true;
}

static void write_word(char *slots, uint32_t slot, uint32_t lane, const void *value, size_t bytes)
{
    memcpy(slots + slot + lane * bytes, value, bytes);
    head_of(slots, slot)->undefined &= ~(UINT32_C(1) << lane);
}

static void use_lane(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane)
{
    char *slots = frame->slots;
    uint64_t wide = 0, next;
    uint32_t narrow = 0, *bits = (uint32_t *)(void *)(slots + op->d);
    bool is_done;

    switch ((enum mbarrier)op->what) {
    case MBARRIER_INIT:
        memcpy(&narrow, slots + op->b + lane * sizeof narrow, sizeof narrow);
        next = (uint64_t)(narrow & ARRIVALS) << EXPECTED_SHIFT | (narrow & ARRIVALS);
        memcpy(object(warp, frame, op, lane, ACCESS_WRITE, SIMT_RELAXED), &next, sizeof next);
        break;
    case MBARRIER_INVALIDATE:
        object(warp, frame, op, lane, ACCESS_WRITE, SIMT_RELAXED);
        break;
    case MBARRIER_ARRIVE:
    case MBARRIER_DROP:
        memcpy(&narrow, slots + op->b + lane * sizeof narrow, sizeof narrow);
        wide = arrive(warp, frame, op, lane, narrow, op->what == MBARRIER_DROP);
        write_word(slots, op->d, lane, &wide, sizeof wide);
        break;
    case MBARRIER_TEST:
    case MBARRIER_PARITY:
        if (op->what == MBARRIER_TEST) {
            memcpy(&wide, slots + op->b + lane * sizeof wide, sizeof wide);
            wide >>= PHASE_SHIFT;
        } else {
            memcpy(&narrow, slots + op->b + lane * sizeof narrow, sizeof narrow);
            wide = narrow;
        }
        is_done = is_complete(warp, frame, op, lane, wide);
        *bits = (*bits & ~(UINT32_C(1) << lane)) | (uint32_t)is_done << lane;
        head_of(slots, op->d)->undefined &= ~(UINT32_C(1) << lane);
        break;
    case MBARRIER_PENDING:
        memcpy(&wide, slots + op->b + lane * sizeof wide, sizeof wide);
        narrow = wide & ARRIVALS;
        write_word(slots, op->d, lane, &narrow, sizeof narrow);
        break;
    case MBARRIER_COPIES:
    case MBARRIER_COPIES_NO_INC:
        make_all(warp, lane, 0, true);
        arrive(warp, frame, op, lane, op->what == MBARRIER_COPIES_NO_INC, false);
        break;
    }
    if (race_unsettled)
        race_settle();
}

void use_mbarrier(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    bool writes = op->what == MBARRIER_INIT || op->what == MBARRIER_INVALIDATE;

    if (unlikely(machine.counters != NULL) && op->what != MBARRIER_PENDING)
        count_access(warp, writes, NULL, sizeof(uint64_t), 0, lanes);
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        use_lane(warp, frame, op, (uint32_t)__builtin_ctz(left));
}
