/* SPDX-License-Identifier: MIT
 *
 * mbarrier objects: PTX ISA, chapter 9.7.13.15.
 */
#include "mbarrier.h"

#include "access.h"
#include "array.h"
#include "faults.h"
#include "place_names.h"
#include "races.h"

#include "module.h"
#include "outcome.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object has the members of struct mbarrier_state, from its lowest bit. */
enum { COUNT_BITS = 20, MAX_COUNT = (1 << COUNT_BITS) - 1, BYTES_BITS = 21 };

struct mbarrier_state mbarrier_unpacked(uint64_t word)
{
    uint32_t above = 64 - 2 * COUNT_BITS - BYTES_BITS;

    return (struct mbarrier_state){
        (int64_t)(word & MAX_COUNT), (int64_t)(word >> COUNT_BITS & MAX_COUNT),
        (int64_t)(word << above) >> (64 - BYTES_BITS), word >> MBARRIER_PHASE_SHIFT};
}

static uint64_t packed(const struct mbarrier_state *state)
{
    uint64_t bytes = (uint64_t)state->bytes & ((UINT64_C(1) << BYTES_BITS) - 1);

    return state->phase << MBARRIER_PHASE_SHIFT | bytes << 2 * COUNT_BITS |
           (uint64_t)state->expected << COUNT_BITS | (uint64_t)state->pending;
}

struct block_async *async_of_block(struct block *block, uint32_t lane)
{
    if (block->async == NULL)
        block->async = calloc(1, sizeof *block->async);
    if (block->async == NULL)
        raise_out_of_memory(lane);
    return block->async;
}

struct mbarrier_use mbarrier_use_at(struct warp *warp, struct block *block, const struct op *op,
                                    uint32_t lane, uint64_t address)
{
    struct mbarrier_use use = {.warp = warp, .op = op, .lane = lane};
    struct op access = {.space = op->space,
                        .a = 1,
                        .bytes = 8,
                        .count = 1,
                        .in_cluster = op->in_cluster,
                        .place = op->place};

    use.at = find_lane(block, &access, lane, address, &use.group);
    if (!use.group.region->is_shared)
        raise_fault(FAULT_INVALID_ASYNC, lane, SAYS_MBARRIER_NOT_SHARED);
    use.block = use.group.region->owner;
    return use;
}

void mbarrier_access(const struct mbarrier_use *use, uint8_t kind, enum simt_order order)
{
    struct op access = {.space = SPACE_SHARED,
                        .a = 1,
                        .bytes = 8,
                        .count = 1,
                        .access = kind & ACCESS_WRITE ? kind : kind | ACCESS_VOLATILE,
                        .is_strong = (kind & ACCESS_WRITE) == 0,
                        .order = (uint8_t)order,
                        .scope = use->op->scope,
                        .place = use->op->place};

    check_races(use->warp, &access, &use->group);
}

static void name_object(const struct mbarrier_use *use, char *name, size_t size)
{
    struct array_element element;

    name_element(use->group.region, use->group.offsets[use->lane], use->op->place, &element);
    array_element_text(&element, name, size);
}

static struct mbarrier_object *find_object(const struct block *block, const char *at)
{
    for (uint32_t k = 0; block->async != NULL && k < block->async->object_count; k++)
        if (block->async->objects[k].at == at)
            return &block->async->objects[k];
    return NULL;
}

struct mbarrier_object *mbarrier_object(const struct mbarrier_use *use)
{
    struct mbarrier_object *object = find_object(use->block, use->at);
    char name[64];

    if (object == NULL) {
        name_object(use, name, sizeof name);
        raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_NO_INIT, .object = name);
    }
    if (memcmp(&object->state, use->at, sizeof object->state) == 0)
        return object;
    raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_OVERWRITTEN, .object = object->name,
                .others = {object->place});
}

static void set_state(const struct mbarrier_use *use, struct mbarrier_object *object,
                      const struct mbarrier_state *state)
{
    object->state = packed(state);
    memcpy(use->at, &object->state, sizeof object->state);
    machine.progress++;
}

/* Ends the phase if nothing is missing. */
static void finish_phase(const struct mbarrier_use *use, struct mbarrier_object *object,
                         struct mbarrier_state *state)
{
    if (state->pending == 0 && state->bytes == 0) {
        if (use->op->arrives && use->op->kind == OP_MBARRIER)
            raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_COMPLETES,
                        .object = object->name);
        state->phase ^= 1;
        state->pending = state->expected;
        object->phase++;
        object->is_waited_for = false;
    }
    set_state(use, object, state);
}

static void add_bytes(const struct mbarrier_use *use, const struct mbarrier_object *object,
                      struct mbarrier_state *state, int64_t bytes)
{
    state->bytes += bytes;
    if (state->bytes < -MAX_COUNT || state->bytes > MAX_COUNT)
        raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_BYTES, .object = object->name,
                    .numbers = {state->bytes, MAX_COUNT});
}

uint64_t mbarrier_arrive(const struct mbarrier_use *use, int64_t count, int64_t bytes, bool drops)
{
    struct mbarrier_object *object;
    struct mbarrier_state state;
    uint64_t before;

    mbarrier_access(use, ACCESS_ATOMIC, (enum simt_order)use->op->order);
    object = mbarrier_object(use);
    before = object->state;
    state = mbarrier_unpacked(before);
    if (count > state.pending)
        raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_ARRIVALS, .object = object->name,
                    .numbers = {count, state.pending, state.expected});
    add_bytes(use, object, &state, bytes);
    state.expected -= drops ? count : 0;
    state.pending -= count;
    finish_phase(use, object, &state);
    return before;
}

void mbarrier_expect(const struct mbarrier_use *use, int64_t bytes)
{
    struct mbarrier_object *object;
    struct mbarrier_state state;

    mbarrier_access(use, ACCESS_ATOMIC, SIMT_RELAXED);
    object = mbarrier_object(use);
    state = mbarrier_unpacked(object->state);
    add_bytes(use, object, &state, bytes);
    finish_phase(use, object, &state);
}

void mbarrier_initialize(const struct mbarrier_use *use, uint32_t count)
{
    struct block_async *async = async_of_block(use->block, use->lane);
    struct mbarrier_object *object = find_object(use->block, use->at), *objects;
    struct mbarrier_state state = {count, count, 0, 0};

    if (count == 0 || count > MAX_COUNT)
        raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_COUNT,
                    .numbers = {count, MAX_COUNT});
    if (object != NULL && memcmp(&object->state, use->at, sizeof object->state) == 0)
        raise_fault(FAULT_INVALID_ASYNC, use->lane, SAYS_MBARRIER_AGAIN, .object = object->name,
                    .others = {object->place});
    mbarrier_access(use, ACCESS_WRITE, SIMT_RELAXED);
    if (object == NULL) {
        objects = array_grown(async->objects, &async->object_capacity, async->object_count + 1,
                              sizeof *objects);
        if (objects == NULL)
            raise_out_of_memory(use->lane);
        async->objects = objects;
        object = &objects[async->object_count++];
    }
    *object = (struct mbarrier_object){.at = use->at, .place = use->op->place};
    name_object(use, object->name, sizeof object->name);
    set_state(use, object, &state);
    note_written(use->group.region, use->group.offsets[use->lane], 8);
}

void mbarrier_invalidate(const struct mbarrier_use *use)
{
    struct mbarrier_object *object = mbarrier_object(use);
    struct block_async *async = use->block->async;

    mbarrier_access(use, ACCESS_WRITE | ACCESS_INVALIDATES, SIMT_RELAXED);
    *object = async->objects[--async->object_count];
}

/* ---- For bulk copies ---- */

static struct mbarrier_use use_of_copy(const struct transfer *transfer)
{
    struct op access = *transfer->op;
    struct mbarrier_use use;

    access.space = SPACE_SHARED;
    access.in_cluster = true;
    use = mbarrier_use_at(transfer->warp, transfer->target, &access, transfer->lane,
                          transfer->barrier);
    use.op = transfer->op;
    return use;
}

struct block *mbarrier_find(struct transfer *transfer)
{
    struct mbarrier_use use = use_of_copy(transfer);

    mbarrier_object(&use);
    transfer->object = use.at;
    if (race_on)
        transfer->completion = race_by_mbarrier(
            &use.block->race, use.group.region->race + use.group.offsets[transfer->lane]);
    return use.block;
}

uint64_t mbarrier_complete(const struct transfer *transfer)
{
    struct mbarrier_use use = use_of_copy(transfer);
    struct mbarrier_object *object = mbarrier_object(&use);
    struct mbarrier_state state = mbarrier_unpacked(object->state);
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

/* ---- Reports ---- */

void async_describe_waiting(const struct block *block, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t k = 0; block->async != NULL && k < block->async->object_count; k++) {
        const struct mbarrier_object *object = &block->async->objects[k];
        struct mbarrier_state state = mbarrier_unpacked(object->state);
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
