/* SPDX-License-Identifier: MIT
 *
 * mbarrier objects: PTX ISA, chapter 9.7.13.15.
 */
#include "async.h"

#include "array.h"
#include "module.h"
#include "source_path.h"

#include "outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The object, which PTX leaves opaque. From its lowest bit it has the members of struct state.
 * `pending` are the arrivals that the current phase still waits for, `expected` those of each
 * phase. `bytes` is negative if more bytes have come than were expected. The phase is bit 63. */
enum { COUNT_BITS = 20, MAX_COUNT = (1 << COUNT_BITS) - 1, BYTES_BITS = 21, PHASE_SHIFT = 63 };

struct state {
    int64_t pending, expected, bytes;
    uint64_t phase;
};

static struct state unpacked(uint64_t word)
{
    uint32_t above = 64 - 2 * COUNT_BITS - BYTES_BITS;

    return (struct state){(int64_t)(word & MAX_COUNT), (int64_t)(word >> COUNT_BITS & MAX_COUNT),
                          (int64_t)(word << above) >> (64 - BYTES_BITS), word >> PHASE_SHIFT};
}

static uint64_t packed(const struct state *state)
{
    uint64_t bytes = (uint64_t)state->bytes & ((UINT64_C(1) << BYTES_BITS) - 1);

    return state->phase << PHASE_SHIFT | bytes << 2 * COUNT_BITS |
           (uint64_t)state->expected << COUNT_BITS | (uint64_t)state->pending;
}

struct block_async *async_of_block(struct block *block, uint32_t lane)
{
    if (block->async == NULL)
        block->async = calloc(1, sizeof *block->async);
    if (block->async == NULL)
        raise_fault(FAULT_CRASH, lane, "cannot continue: the simulator is out of memory");
    return block->async;
}

/* An operation of a lane on an object of that block. */
struct use {
    struct warp *warp;
    struct block *block;
    const struct op *op;
    uint32_t lane;
    struct group group;
    char *at;
};

/* Resolves an address in the window of `block`. The object may be in another block of its
 * cluster. */
static struct use use_at(struct warp *warp, struct block *block, const struct op *op, uint32_t lane,
                         uint64_t address)
{
    struct use use = {.warp = warp, .op = op, .lane = lane};
    struct op access = {.space = op->space,
                        .a = 1,
                        .bytes = 8,
                        .count = 1,
                        .in_cluster = op->in_cluster,
                        .place = op->place};

    use.at = find_lane(block, &access, lane, address, &use.group);
    if (!use.group.region->is_shared)
        raise_fault(FAULT_INVALID_ASYNC, lane,
                    "uses an mbarrier that is not in shared memory: declare it __shared__");
    use.block = use.group.region->owner;
    return use;
}

static void access_object(const struct use *use, uint8_t kind, enum simt_order order)
{
    struct op access = {.space = SPACE_SHARED,
                        .a = 1,
                        .bytes = 8,
                        .count = 1,
                        .access = kind == ACCESS_WRITE ? kind : kind | ACCESS_VOLATILE,
                        .is_strong = (kind & ACCESS_WRITE) == 0,
                        .order = (uint8_t)order,
                        .scope = use->op->scope,
                        .place = use->op->place};

    check_races(use->warp, &access, &use->group);
}

static void name_object(const struct use *use, char *name, size_t size)
{
    name_element(use->group.region, use->group.offsets[use->lane], use->op->place, name, size);
}

static struct mbarrier_object *find_object(const struct block *block, const char *at)
{
    for (uint32_t k = 0; block->async != NULL && k < block->async->object_count; k++)
        if (block->async->objects[k].at == at)
            return &block->async->objects[k];
    return NULL;
}

/* Returns the object. Raises a fault if it is not initialized, or was overwritten. */
static struct mbarrier_object *valid_object(const struct use *use)
{
    struct mbarrier_object *object = find_object(use->block, use->at);
    char name[64], file[SOURCE_FILE];

    if (object == NULL) {
        name_object(use, name, sizeof name);
        raise_fault(FAULT_INVALID_ASYNC, use->lane,
                    "uses %s as an mbarrier, but no mbarrier.init has initialized it", name);
    }
    if (memcmp(&object->state, use->at, sizeof object->state) == 0)
        return object;
    source_path_shorten(object->place->site.file, file, sizeof file);
    raise_fault(FAULT_INVALID_ASYNC, use->lane,
                "uses the mbarrier %s, which was initialized at %s:%d and then overwritten",
                object->name, file, object->place->site.line);
}

static void set_state(const struct use *use, struct mbarrier_object *object,
                      const struct state *state)
{
    object->state = packed(state);
    memcpy(use->at, &object->state, sizeof object->state);
    machine.progress++;
}

/* Ends the phase if nothing is missing. */
static void finish_phase(const struct use *use, struct mbarrier_object *object, struct state *state)
{
    if (state->pending == 0 && state->bytes == 0) {
        if (use->op->arrives && use->op->kind == OP_MBARRIER)
            raise_fault(FAULT_INVALID_ASYNC, use->lane,
                        "arrives with .noComplete at the mbarrier %s, but completes its phase",
                        object->name);
        state->phase ^= 1;
        state->pending = state->expected;
        object->phase++;
        object->is_waited_for = false;
    }
    set_state(use, object, state);
}

static void add_bytes(const struct use *use, const struct mbarrier_object *object,
                      struct state *state, int64_t bytes)
{
    state->bytes += bytes;
    if (state->bytes < -MAX_COUNT || state->bytes > MAX_COUNT)
        raise_fault(FAULT_INVALID_ASYNC, use->lane,
                    "makes the mbarrier %s expect %" PRId64 " bytes: it can count %d", object->name,
                    state->bytes, MAX_COUNT);
}

/* Arrives, after an expect_tx of so many bytes. Returns the state before. */
static uint64_t arrive(const struct use *use, int64_t count, int64_t bytes, bool drops)
{
    struct mbarrier_object *object;
    struct state state;
    uint64_t before;

    access_object(use, ACCESS_ATOMIC, (enum simt_order)use->op->order);
    object = valid_object(use);
    before = object->state;
    state = unpacked(before);
    if (count > state.pending)
        raise_fault(FAULT_INVALID_ASYNC, use->lane,
                    "arrives %" PRId64
                    " times at the mbarrier %s, whose phase waits for only %" PRId64
                    " more of %" PRId64 " arrivals",
                    count, object->name, state.pending, state.expected);
    add_bytes(use, object, &state, bytes);
    state.expected -= drops ? count : 0;
    state.pending -= count;
    finish_phase(use, object, &state);
    return before;
}

static void expect(const struct use *use, int64_t bytes)
{
    struct mbarrier_object *object;
    struct state state;

    access_object(use, ACCESS_ATOMIC, SIMT_RELAXED);
    object = valid_object(use);
    state = unpacked(object->state);
    add_bytes(use, object, &state, bytes);
    finish_phase(use, object, &state);
}

static void initialize(const struct use *use, uint32_t count)
{
    struct block_async *async = async_of_block(use->block, use->lane);
    struct mbarrier_object *object = find_object(use->block, use->at), *objects;
    struct state state = {count, count, 0, 0};

    if (count == 0 || count > MAX_COUNT)
        raise_fault(FAULT_INVALID_ASYNC, use->lane,
                    "initializes an mbarrier for %u arrivals: the count must be from 1 to %d",
                    count, MAX_COUNT);
    access_object(use, ACCESS_WRITE, SIMT_RELAXED);
    if (object == NULL) {
        objects = array_grown(async->objects, &async->object_capacity, async->object_count + 1,
                              sizeof *objects);
        if (objects == NULL)
            raise_fault(FAULT_CRASH, use->lane, "cannot continue: the simulator is out of memory");
        async->objects = objects;
        object = &objects[async->object_count++];
    }
    *object = (struct mbarrier_object){.at = use->at, .place = use->op->place};
    name_object(use, object->name, sizeof object->name);
    set_state(use, object, &state);
    note_written(use->group.region, use->group.offsets[use->lane], 8);
}

static void invalidate(const struct use *use)
{
    struct mbarrier_object *object = valid_object(use);
    struct block_async *async = use->block->async;

    access_object(use, ACCESS_WRITE, SIMT_RELAXED);
    *object = async->objects[--async->object_count];
}

/* Returns true if the phase of that parity is complete. A thread that finds it incomplete acquires
 * nothing. Copies that complete on the object are made then, which is the latest time. */
static bool is_complete(const struct use *use, uint64_t parity)
{
    struct mbarrier_object *object;

    note_look(use->warp, use->lane, use->op, 0);
    access_object(use, ACCESS_READ, SIMT_RELAXED);
    object = valid_object(use);
    if (object->state >> PHASE_SHIFT == (parity & 1))
        bulk_complete(use->block, object);
    if (object->state >> PHASE_SHIFT == (parity & 1)) {
        object->is_waited_for = true;
        return false;
    }
    access_object(use, ACCESS_READ, (enum simt_order)use->op->order);
    bulk_note_seen(use->block, object);
    return true;
}

/* ---- For bulk copies ---- */

static struct use use_of_copy(const struct transfer *transfer)
{
    struct op access = *transfer->op;
    struct use use;

    access.space = SPACE_SHARED;
    access.in_cluster = true;
    use = use_at(transfer->warp, transfer->target, &access, transfer->lane, transfer->barrier);
    use.op = transfer->op;
    return use;
}

struct block *mbarrier_find(struct transfer *transfer)
{
    struct use use = use_of_copy(transfer);

    valid_object(&use);
    transfer->object = use.at;
    if (race_on)
        transfer->completion = race_by_mbarrier(
            &use.block->race, use.group.region->race + use.group.offsets[transfer->lane]);
    return use.block;
}

uint64_t mbarrier_complete(const struct transfer *transfer)
{
    struct use use = use_of_copy(transfer);
    struct mbarrier_object *object = valid_object(&use);
    struct state state = unpacked(object->state);
    uint64_t phase = object->phase;

    if (race_on) {
        use_shared_races(use.block);
        race_signal(&transfer->operation,
                    use.group.region->race + use.group.offsets[transfer->lane],
                    transfer->op->place);
    }
    add_bytes(&use, object, &state, -(int64_t)transfer->size);
    finish_phase(&use, object, &state);
    return phase;
}

/* ---- Instructions ---- */

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

static struct use use_of_lane(struct warp *warp, struct frame *frame, const struct op *op,
                              uint32_t lane)
{
    uint64_t address = read_word(frame->slots, op->a, lane, op->is_wide ? 8 : 4);

    address += (uint64_t)op->offset;
    return use_at(warp, warp->block, op, lane,
                  op->space == SPACE_SHARED ? (uint32_t)address : address);
}

static void test(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane)
{
    struct use use = use_of_lane(warp, frame, op, lane);
    bool has_parity = op->what == MBARRIER_PARITY;
    uint64_t word = read_word(frame->slots, op->b, lane, has_parity ? 4 : 8);
    bool is_done = is_complete(&use, has_parity ? word : word >> PHASE_SHIFT);
    uint32_t *bits = (uint32_t *)(void *)(frame->slots + op->d);

    *bits = (*bits & ~(UINT32_C(1) << lane)) | (uint32_t)is_done << lane;
    head_of(frame->slots, op->d)->undefined &= ~(UINT32_C(1) << lane);
}

static void use_lane(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane)
{
    char *slots = frame->slots;
    int64_t count = (uint32_t)read_word(slots, op->b, lane, 4);
    int64_t bytes = (uint32_t)read_word(slots, op->c, lane, 4);
    struct use use;
    uint64_t before;
    uint32_t pending;

    if (op->what == MBARRIER_PENDING) {
        pending = (uint32_t)unpacked(read_word(slots, op->b, lane, 8)).pending;
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
    switch ((enum mbarrier)op->what) {
    case MBARRIER_INIT:
        initialize(&use, (uint32_t)count);
        break;
    case MBARRIER_INVALIDATE:
        invalidate(&use);
        break;
    case MBARRIER_EXPECT:
    case MBARRIER_COMPLETE:
        expect(&use, op->what == MBARRIER_EXPECT ? bytes : -bytes);
        break;
    case MBARRIER_COPIES:
    case MBARRIER_COPIES_NO_INC:
        arrive(&use, op->what == MBARRIER_COPIES_NO_INC, 0, false);
        break;
    default:
        before = arrive(&use, count, bytes, op->what == MBARRIER_DROP);
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

/* ---- Reports ---- */

void async_describe_waiting(const struct block *block, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t k = 0; block->async != NULL && k < block->async->object_count; k++) {
        const struct mbarrier_object *object = &block->async->objects[k];
        struct state state = unpacked(object->state);
        char bytes[64] = "";
        if (!object->is_waited_for || used >= size)
            continue;
        if (state.bytes > 0)
            snprintf(bytes, sizeof bytes, " and %" PRId64 " bytes", state.bytes);
        else if (state.bytes < 0)
            snprintf(bytes, sizeof bytes, ", and %" PRId64 " bytes too many have come",
                     -state.bytes);
        used += (size_t)snprintf(text + used, size - used,
                                 "; phase %" PRIu64 " of the mbarrier %s of block (%u,%u,%u) lacks "
                                 "%" PRId64 " of %" PRId64 " arrivals%s",
                                 object->phase, object->name, block->index.x, block->index.y,
                                 block->index.z, state.pending, state.expected, bytes);
    }
}
