/* SPDX-License-Identifier: MIT
 *
 * Bulk copies: cp.async.bulk, cp.async.bulk.tensor and their reductions (PTX ISA, chapters 9.7.9.25
 * and 9.7.9.27). A copy to shared memory completes on an mbarrier. By default the simulator makes
 * it when a thread finds that object incomplete, which is the latest time. Other copies belong to a
 * group of their thread. The simulator reads their source when the thread waits for the group. It
 * writes their destination then, or at the end of the block if the thread waits with .read.
 *
 * Under `reverse` a copy is made at its request, and under `random` at one of the two times. When
 * races are detected, a copy counts as an access at both times.
 */
#include "bulk.h"

#include "access.h"
#include "array.h"
#include "async.h"
#include "cluster.h"
#include "faults.h"
#include "last_stores.h"
#include "mbarrier.h"
#include "place_names.h"
#include "races.h"
#include "requests.h"
#include "undefined.h"

#include "instructions.h"
#include "module.h"
#include "outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The lower bits of a shared address are the offset in the shared memory of its block. */
enum { OFFSET_BITS = (1 << SHARED_SHIFT) - 1 };

/* ---- Accesses ---- */

/* What a walk over a copy's pieces does. */
struct pass {
    struct transfer *transfer;
    struct block *to;   /* the block whose shared memory a load writes */
    bool reads, writes; /* the sides that it visits */
    bool moves;         /* else it checks the addresses, and notes the accesses */
    uint32_t at;        /* bytes before this piece */
};

/* Notes an access for the race checker. An access that the copy could make at once, or makes, is
 * one of the async proxy. */
static void note_access(const struct transfer *transfer, const struct group *group, uint32_t bytes,
                        uint8_t kind)
{
    const struct block *block = transfer->warp->block;
    uint32_t thread = transfer->warp->number * LANES + transfer->lane;
    struct race_completion completion = transfer->completion;

    if (!transfer->op->bulk->loads)
        completion =
            race_by_wait(kind == ACCESS_READ ? RACE_BULK_READS : RACE_BULK, &block->race, thread);
    if (group->region->is_shared)
        use_shared_races(group->region->owner);
    if (machine.explains && kind != ACCESS_READ)
        last_stores_note(group->region, group->offsets[transfer->lane], bytes, transfer->op->place);
    race_operation_access(&transfer->operation, completion,
                          group->region->race + group->offsets[transfer->lane], bytes, kind,
                          SIMT_DEVICE, transfer->op->place);
}

/* Resolves one access of a copy, and checks it for races. */
static char *touch(const struct pass *pass, enum space space, uint64_t address, uint32_t bytes,
                   bool writes, struct group *group)
{
    const struct transfer *transfer = pass->transfer;
    bool reduces = writes && transfer->op->bulk->reduction != NULL;
    struct op access = {.space = (uint8_t)space,
                        .a = 1,
                        .bytes = (uint8_t)bytes,
                        .count = 1,
                        .access = writes ? ACCESS_WRITE : ACCESS_READ,
                        .in_cluster = writes,
                        .place = transfer->op->place};
    bool loads = writes && transfer->op->bulk->loads;
    char *host = find_lane(loads ? transfer->target : transfer->warp->block, &access,
                           transfer->lane, address, group);

    if (race_on)
        note_access(transfer, group, bytes, reduces ? ACCESS_ATOMIC : access.access);
    return host;
}

/* Copies to or from the transfer's buffer, of which the second half says what was written. */
static void move_in(const struct pass *pass, const struct group *group, const char *host,
                    uint32_t at, uint32_t bytes)
{
    struct transfer *transfer = pass->transfer;
    const struct region *region = group->region;
    uint64_t offset = group->offsets[transfer->lane];

    memcpy(transfer->bytes + at, host, bytes);
    memset(transfer->bytes + transfer->size + at, 1, bytes);
    for (uint32_t i = 0; region->missing != 0 && i < bytes; i++) {
        transfer->bytes[transfer->size + at + i] = (char)region->written[offset + i];
        if (!region->written[offset + i] && transfer->origin == 0)
            transfer->origin =
                undefined_origin(transfer->op->place, region, offset + i, transfer->lane);
    }
}

/* Marks the bytes that were copied from unwritten ones. */
static void note_unwritten(const struct transfer *transfer, struct region *region, uint64_t offset,
                           const char *written, uint32_t bytes)
{
    for (uint32_t i = 0; transfer->origin != 0 && i < bytes; i++)
        if (!written[i])
            store_undefined_byte(region, offset + i, transfer->op->place, transfer->origin,
                                 transfer->lane);
}

static const char *reduction_type(const struct transfer *transfer)
{
    const struct bulk_code *bulk = transfer->op->bulk;

    return bulk->kind == BULK_TENSOR ? tensor_ptx_type(&transfer->box.map, bulk->reduction)
                                     : bulk->type;
}

static void reduce(const struct pass *pass, const struct group *group, char *host, uint32_t at,
                   uint32_t bytes)
{
    const struct transfer *transfer = pass->transfer;
    atomic_function *function =
        atomic_operation(transfer->op->bulk->reduction, reduction_type(transfer));
    uint64_t offset = group->offsets[transfer->lane];
    struct array_element element;

    for (uint32_t i = 0; i < bytes; i++) {
        if (group->region->missing == 0 || group->region->written[offset + i] ||
            !is_checked(transfer->warp->block))
            continue;
        name_element(group->region, offset, transfer->op->place, &element);
        use_unwritten(transfer->lane,
                      &(struct facts){.sentence = SAYS_REDUCES_UNWRITTEN, .element = &element});
    }
    if (function == NULL)
        raise_fault(FAULT_INVALID_ASYNC, transfer->lane, SAYS_REDUCTION_TYPE,
                    .object = transfer->op->bulk->reduction, .reason = reduction_type(transfer));
    function(host, transfer->bytes + at, transfer->bytes + at, group->region->is_shared);
}

static void move_out(const struct pass *pass, const struct group *group, char *host, uint32_t at,
                     uint32_t bytes)
{
    const struct transfer *transfer = pass->transfer;
    uint64_t offset = group->offsets[transfer->lane];

    if (transfer->op->bulk->reduction != NULL) {
        reduce(pass, group, host, at, bytes);
        return;
    }
    memcpy(host, transfer->bytes + at, bytes);
    note_written(group->region, offset, bytes);
    note_unwritten(transfer, group->region, offset, transfer->bytes + transfer->size + at, bytes);
}

/* Makes the accesses of one side, in parts that are aligned. */
static void move_side(const struct pass *pass, enum space space, uint64_t address, uint32_t bytes,
                      uint32_t most, bool writes)
{
    struct group group;

    for (uint32_t done = 0; (writes ? pass->writes : pass->reads) && done < bytes;) {
        uint32_t part = most;
        char *host;
        while ((address + done) % part != 0 || part > bytes - done)
            part /= 2;
        host = touch(pass, space, address + done, part, writes, &group);
        if (pass->moves && writes)
            move_out(pass, &group, host, pass->at + done, part);
        else if (pass->moves)
            move_in(pass, &group, host, pass->at + done, part);
        if (race_unsettled)
            race_settle();
        done += part;
    }
}

static uint32_t bytes_of_type(const char *type)
{
    return (uint32_t)strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8;
}

/* Moves a piece from `from` to `to`. */
static void move_piece(struct pass *pass, uint64_t to, uint64_t from, uint32_t bytes, bool fills)
{
    struct transfer *transfer = pass->transfer;
    const struct bulk_code *bulk = transfer->op->bulk;
    bool from_shared = !bulk->loads || bulk->from_shared;
    uint32_t most = bulk->reduction != NULL ? bytes_of_type(reduction_type(transfer)) : BULK_UNIT;

    if (!fills)
        move_side(pass, from_shared ? SPACE_SHARED : SPACE_GLOBAL, from, bytes, BULK_UNIT, false);
    else if (pass->reads && pass->moves) {
        tensor_fill(&transfer->box.map, transfer->bytes + pass->at, bytes);
        memset(transfer->bytes + transfer->size + pass->at, 1, bytes);
    }
    if (bulk->kind == BULK_TENSOR && bulk->loads && pass->reads && pass->moves)
        tensor_convert(&transfer->box.map, transfer->bytes + pass->at, bytes);
    move_side(pass, bulk->loads ? SPACE_SHARED : SPACE_GLOBAL, to, bytes, most, true);
    pass->at += bytes;
}

/* The box of a tensor in shared memory: its address, and the offset that the swizzle looks at. */
struct box_walk {
    struct pass *pass;
    uint64_t address;
    uint32_t start;
};

static void tensor_move(void *context, uint32_t shared, bool is_inside, uint64_t global,
                        uint32_t bytes)
{
    struct box_walk *walk = context;
    struct pass *pass = walk->pass;
    uint64_t box = walk->address + shared - walk->start;

    if (pass->transfer->op->bulk->loads)
        move_piece(pass, box, global, bytes, !is_inside);
    else if (is_inside)
        move_piece(pass, global, box, bytes, false);
    else
        pass->at += bytes;
}

static void walk(struct pass *pass)
{
    struct transfer *transfer = pass->transfer;
    const struct op *op = machine.op;
    struct warp *warp = machine.warp;

    machine.op = transfer->op; /* faults are those of the copy */
    machine.warp = transfer->warp;
    pass->at = 0;
    if (transfer->op->bulk->kind == BULK_TENSOR) {
        uint64_t box = transfer->op->bulk->loads ? transfer->to : transfer->from;
        struct box_walk all = {pass, box, (uint32_t)box & OFFSET_BITS};
        tensor_walk(&transfer->box, all.start, tensor_move, &all);
    } else if (transfer->op->bulk->kind == BULK_REGISTERS) {
        move_side(pass, SPACE_SHARED, transfer->to, transfer->size, transfer->size, true);
    } else {
        for (uint32_t at = 0; at < transfer->size; at += BULK_UNIT)
            move_piece(pass, transfer->to + at, transfer->from + at, BULK_UNIT, false);
    }
    machine.op = op;
    machine.warp = warp;
}

/* ---- Steps of a copy ---- */

static void read_source(struct transfer *transfer)
{
    struct pass pass = {.transfer = transfer, .reads = true, .moves = true};

    if (transfer->has_read)
        return;
    transfer->bytes = calloc(2, transfer->size + 1);
    if (transfer->bytes == NULL)
        raise_out_of_memory(transfer->lane);
    walk(&pass);
    transfer->has_read = true;
}

static void write_destination(struct transfer *transfer)
{
    struct pass pass = {.transfer = transfer, .writes = true, .moves = true};

    if (transfer->has_written)
        return;
    walk(&pass);
    transfer->has_written = true;
    if (transfer->op->bulk->loads)
        transfer->phase = mbarrier_complete(transfer);
    machine.progress++;
    free(transfer->bytes);
    transfer->bytes = NULL;
}

/* Notes accesses of a copy that was made early, and could also have been made now. */
static void note_again(struct transfer *transfer, bool reads, bool writes)
{
    struct pass pass = {.transfer = transfer, .reads = reads, .writes = writes};

    if (race_on && transfer->has_written)
        walk(&pass);
}

static void make(struct transfer *transfer)
{
    read_source(transfer);
    write_destination(transfer);
}

/* ---- Requests ---- */

/* Checks the addresses of a copy, notes its accesses at the earliest time, and adds it to the
 * copies of the block that waits for it. */
static void add_transfer(struct transfer transfer)
{
    struct block *owner =
        transfer.op->bulk->loads ? mbarrier_find(&transfer) : transfer.warp->block;
    struct block_async *async = async_of_block(owner, transfer.lane);
    struct transfer *transfers = array_grown(async->transfers, &async->transfer_capacity,
                                             async->transfer_count + 1, sizeof *transfers);
    struct pass pass = {.transfer = &transfer, .reads = true, .writes = true};

    if (transfers == NULL)
        raise_out_of_memory(transfer.lane);
    async->transfers = transfers;
    walk(&pass);
    async->transfers[async->transfer_count++] = transfer;
    if (async_is_early())
        make(&async->transfers[async->transfer_count - 1]);
}

/* Adds a copy for each block of the cluster that gets one. */
static void add_multicast(struct transfer transfer, uint32_t mask)
{
    const struct cluster *cluster = transfer.warp->block->cluster;

    transfer.to &= ~(uint64_t)RANK_BITS;
    transfer.barrier &= ~(uint64_t)RANK_BITS;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        transfer.target = rank < cluster->size ? cluster->blocks[rank] : NULL;
        if (transfer.target == NULL)
            raise_fault(FAULT_INVALID_ASYNC, transfer.lane,
                        rank < cluster->size ? SAYS_COPY_TO_EXITED : SAYS_COPY_TO_NO_BLOCK,
                        .numbers = {rank});
        add_transfer(transfer);
    }
}

static void use_operands(const struct frame *frame, const struct op *op, uint32_t lanes)
{
    const struct bulk_code *bulk = op->bulk;
    const uint32_t slots[] = {bulk->to.slot,      bulk->from.slot, bulk->map.slot,
                              bulk->barrier.slot, bulk->size,      bulk->mask};

    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)
        if (slots[k] != 0)
            use_undefined(frame->slots, slots[k], lanes, "makes a bulk copy with a value");
    for (uint32_t d = 0; d < bulk->dimensions; d++)
        use_undefined(frame->slots, bulk->at[d], lanes, "makes a bulk copy with a coordinate");
}

void bulk_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    use_operands(frame, op, lanes);
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        bool stores = op->bulk->kind == BULK_REGISTERS;
        struct transfer transfer =
            stores ? store_request(warp, frame, op, lane) : copy_request(warp, frame, op, lane);
        check_size(&transfer);
        if (op->bulk->kind == BULK_TENSOR)
            check_coordinate(&transfer);
        if (op->bulk->is_prefetch)
            continue;
        transfer.group = async_of_block(warp->block, lane)->groups[warp->number * LANES + lane];
        if (race_on)
            transfer.operation = race_issue(&warp->block->race, warp->number, UINT32_C(1) << lane,
                                            stores ? 0 : ACCESS_ASYNC);
        if (op->bulk->mask != 0)
            add_multicast(transfer, (uint32_t)value_of(frame, op->bulk->mask, lane, 2));
        else
            add_transfer(transfer);
    }
}

/* ---- Completion on an mbarrier ---- */

static void forget_transfer(struct block_async *async, uint32_t k)
{
    free(async->transfers[k].bytes);
    async->transfer_count--;
    memmove(async->transfers + k, async->transfers + k + 1,
            (async->transfer_count - k) * sizeof *async->transfers);
}

void bulk_complete(struct block *block, const struct mbarrier_object *object)
{
    struct block_async *async = block->async;
    uint64_t phase = object->phase;

    for (uint32_t k = 0; k < async->transfer_count && object->phase == phase; k++)
        if (!async->transfers[k].has_written && async->transfers[k].object == object->at)
            make(&async->transfers[k]);
}

void bulk_note_seen(struct block *block, const struct mbarrier_object *object)
{
    struct block_async *async = block->async;

    for (uint32_t k = async->transfer_count; k-- > 0;)
        if (async->transfers[k].has_written && async->transfers[k].object == object->at &&
            async->transfers[k].phase < object->phase)
            forget_transfer(async, k);
}

/* ---- Groups ---- */

void bulk_commit(struct warp *warp, uint32_t lanes)
{
    struct block_async *async = async_of_block(warp->block, (uint32_t)__builtin_ctz(lanes));

    for (uint32_t left = lanes; left != 0; left &= left - 1)
        async->groups[warp->number * LANES + (uint32_t)__builtin_ctz(left)]++;
}

static void note_waited(struct warp *warp, uint32_t lane, uint32_t number, bool only_reads)
{
    struct race_block *block = &warp->block->race;
    uint32_t thread = warp->number * LANES + lane;

    race_waited(block, thread, race_by_wait(RACE_BULK_READS, block, thread), number);
    if (!only_reads)
        race_waited(block, thread, race_by_wait(RACE_BULK, block, thread), number);
}

static void wait_lane(struct warp *warp, uint32_t lane, uint32_t groups, bool only_reads)
{
    struct block_async *async = async_of_block(warp->block, lane);
    uint32_t committed = async->groups[warp->number * LANES + lane], last = 0;

    for (uint32_t k = 0; k < async->transfer_count; k++) {
        struct transfer *transfer = &async->transfers[k];
        if (transfer->op->bulk->loads || transfer->warp != warp || transfer->lane != lane ||
            transfer->group >= committed || committed - transfer->group <= groups)
            continue;
        last = transfer->operation.number > last ? transfer->operation.number : last;
        note_again(transfer, !transfer->is_waited_for, !only_reads);
        transfer->is_waited_for = true;
        read_source(transfer);
        if (only_reads)
            continue;
        write_destination(transfer);
        forget_transfer(async, k--);
    }
    if (race_on)
        note_waited(warp, lane, last, only_reads);
}

void bulk_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        wait_lane(warp, lane, (uint32_t)value_of(frame, op->a, lane, 4), op->returns);
    }
}

/* ---- Blocks ---- */

static void forget_all(struct block_async *async)
{
    while (async->transfer_count > 0)
        forget_transfer(async, async->transfer_count - 1);
    async->object_count = 0;
}

void async_start_block(struct block *block)
{
    if (block->async == NULL)
        return;
    forget_all(block->async);
    memset(block->async->groups, 0, sizeof block->async->groups);
}

static _Noreturn void raise_unfinished(const struct transfer *transfer)
{
    bool loads = transfer->op->bulk->loads;

    record_fault_of(FAULT_INVALID_ASYNC, transfer->warp->block,
                    transfer->warp->number * LANES + transfer->lane, transfer->op->place,
                    loads ? SAYS_LOAD_INCOMPLETE : SAYS_STORE_INCOMPLETE);
    leave_faulty();
}

/* Finds copies from the block's shared memory to other blocks of its cluster. */
static void check_sources(const struct block *block)
{
    for (uint32_t b = 0; b < block->cluster->size; b++) {
        const struct block *other = block->cluster->blocks[b];
        for (uint32_t k = 0;
             other != NULL && other->async != NULL && k < other->async->transfer_count; k++) {
            const struct transfer *transfer = &other->async->transfers[k];
            if (transfer->op->bulk->from_shared && transfer->warp->block == block)
                raise_unfinished(transfer);
        }
    }
}

void async_end_block(struct block *block)
{
    struct block_async *async = block->async;

    if (block->cluster != NULL && block->cluster->size > 1)
        check_sources(block);
    for (uint32_t k = 0; async != NULL && k < async->transfer_count; k++) {
        struct transfer *transfer = &async->transfers[k];
        if (transfer->op->bulk->loads || !transfer->is_waited_for)
            raise_unfinished(transfer);
        write_destination(transfer);
    }
}

void async_free_block(struct block *block)
{
    if (block->async == NULL)
        return;
    forget_all(block->async);
    free(block->async->transfers);
    free(block->async->objects);
    free(block->async);
    block->async = NULL;
}
