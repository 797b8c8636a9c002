/* SPDX-License-Identifier: MIT
 *
 * Instructions on mbarrier objects.
 */
#include "mbarrier_steps.h"

#include "access.h"
#include "async.h"
#include "bulk.h"
#include "counters.h"
#include "mbarrier.h"
#include "undefined.h"

#include <string.h>

/* Returns true if the phase of that parity is complete. A thread that finds it incomplete acquires
 * nothing. Copies that complete on the object are made then, which is the latest time. */
static bool is_complete(const struct mbarrier_use *use, uint64_t parity)
{
    struct mbarrier_object *object;

    note_look(use->warp, use->lane, use->op, 0);
    mbarrier_access(use, ACCESS_READ, SIMT_RELAXED);
    object = mbarrier_object(use);
    if (object->state >> MBARRIER_PHASE_SHIFT == (parity & 1))
        bulk_complete(use->block, object);
    if (object->state >> MBARRIER_PHASE_SHIFT == (parity & 1)) {
        object->is_waited_for = true;
        return false;
    }
    mbarrier_access(use, ACCESS_READ, (enum simt_order)use->op->order);
    bulk_note_seen(use->block, object);
    return true;
}

static void write_word(char *slots, uint32_t slot, uint32_t lane, const void *value, size_t bytes)
{
    memcpy(slots + slot + lane * bytes, value, bytes);
    head_of(slots, slot)->undefined &= ~(UINT32_C(1) << lane);
}

static uint64_t read_word(const char *slots, uint32_t slot, uint32_t lane, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, slots + slot + lane * bytes, bytes);
    return value;
}

static struct mbarrier_use use_of_lane(struct warp *warp, struct frame *frame, const struct op *op,
                                       uint32_t lane)
{
    uint64_t address = read_word(frame->slots, op->a, lane, op->is_wide ? 8 : 4);

    address += (uint64_t)op->offset;
    return mbarrier_use_at(warp, warp->block, op, lane,
                           op->space == SPACE_SHARED ? (uint32_t)address : address);
}

static void test(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane)
{
    struct mbarrier_use use = use_of_lane(warp, frame, op, lane);
    bool has_parity = op->what == MBARRIER_PARITY;
    uint64_t word = read_word(frame->slots, op->b, lane, has_parity ? 4 : 8);
    bool is_done = is_complete(&use, has_parity ? word : word >> MBARRIER_PHASE_SHIFT);
    uint32_t *bits = (uint32_t *)(void *)(frame->slots + op->d);

    *bits = (*bits & ~(UINT32_C(1) << lane)) | (uint32_t)is_done << lane;
    head_of(frame->slots, op->d)->undefined &= ~(UINT32_C(1) << lane);
}

static void use_lane(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane)
{
    char *slots = frame->slots;
    int64_t count = (uint32_t)read_word(slots, op->b, lane, 4);
    int64_t bytes = (uint32_t)read_word(slots, op->c, lane, 4);
    struct mbarrier_use use;
    uint64_t before;
    uint32_t pending;

    if (op->what == MBARRIER_PENDING) {
        pending = (uint32_t)mbarrier_unpacked(read_word(slots, op->b, lane, 8)).pending;
        write_word(slots, op->d, lane, &pending, sizeof pending);
        return;
    }
    if (op->what == MBARRIER_TEST || op->what == MBARRIER_PARITY) {
        test(warp, frame, op, lane);
        return;
    }
    if (op->what == MBARRIER_COPIES || op->what == MBARRIER_COPIES_NO_INC)
        async_make_all(warp, lane);
    use = use_of_lane(warp, frame, op, lane);
    machine.stores++;
    switch ((enum mbarrier)op->what) {
    case MBARRIER_INIT:
        mbarrier_initialize(&use, (uint32_t)count);
        break;
    case MBARRIER_INVALIDATE:
        mbarrier_invalidate(&use);
        break;
    case MBARRIER_EXPECT:
    case MBARRIER_COMPLETE:
        mbarrier_expect(&use, op->what == MBARRIER_EXPECT ? bytes : -bytes);
        break;
    case MBARRIER_COPIES:
    case MBARRIER_COPIES_NO_INC:
        mbarrier_arrive(&use, op->what == MBARRIER_COPIES_NO_INC, 0, false);
        break;
    default:
        before = mbarrier_arrive(&use, count, bytes, op->what == MBARRIER_DROP);
        write_word(slots, op->d, lane, &before, sizeof before);
    }
}

void use_mbarrier(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    bool writes = op->what == MBARRIER_INIT || op->what == MBARRIER_INVALIDATE;

    if (unlikely(machine.counters != NULL) && op->what != MBARRIER_PENDING)
        count_access(warp, writes, NULL, sizeof(uint64_t), 0, lanes);
    if (op->what != MBARRIER_PENDING)
        use_undefined(frame->slots, op->a, lanes, "uses an mbarrier at an address");
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        use_lane(warp, frame, op, (uint32_t)__builtin_ctz(left));
        if (race_unsettled)
            race_settle();
    }
}
