/* SPDX-License-Identifier: MIT
 *
 * Requests of bulk copies: their operands, and the checks of them that need no memory.
 */
#include "requests.h"

#include "access.h"
#include "faults.h"

#include "module.h"

#include <string.h>

enum { BOX_ALIGNMENT = 128 };

uint64_t value_of(const struct frame *frame, uint32_t slot, uint32_t lane, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, frame->slots + slot + lane * bytes, bytes);
    return value;
}

uint64_t bulk_address(const struct frame *frame, const struct bulk_address *address, uint32_t lane)
{
    uint64_t value;

    if (address->slot == 0)
        return 0;
    value = value_of(frame, address->slot, lane, address->is_wide ? 8 : 4);
    value += (uint64_t)address->offset;
    return address->space == SPACE_SHARED ? (uint32_t)value : value;
}

/* Reads the tensor map. Raises a fault if there is no map, or one for another instruction. */
static void read_map(struct warp *warp, const struct frame *frame, const struct op *op,
                     uint32_t lane, struct stored_map *map)
{
    uint64_t address = bulk_address(frame, &op->bulk->map, lane);
    struct op access = {.space = SPACE_GENERIC,
                        .a = 1,
                        .bytes = STORED_MAP_BYTES / 2,
                        .count = 1,
                        .place = op->place};
    unsigned char bytes[STORED_MAP_BYTES];
    struct region *region;

    for (uint32_t half = 0; half < 2; half++)
        memcpy(bytes + half * access.bytes,
               access_lane(warp, frame, &access, lane, address + half * access.bytes, &region),
               access.bytes);
    memcpy(map, bytes, sizeof *map);
    if (map->magic != STORED_MAP_MAGIC)
        raise_fault(FAULT_INVALID_ASYNC, lane, SAYS_NO_TENSOR_MAP);
    if (map->rank != op->bulk->dimensions)
        raise_fault(FAULT_INVALID_ASYNC, lane, SAYS_BOX_DIMENSIONS,
                    .numbers = {op->bulk->dimensions, map->rank});
    if (map->is_im2col != op->bulk->is_im2col)
        raise_fault(FAULT_INVALID_ASYNC, lane,
                    op->bulk->is_im2col ? SAYS_BOX_MODE_IM2COL : SAYS_BOX_MODE_TILE);
}

/* A GPU stops with an illegal instruction if the first coordinate is not a multiple of 16 bytes,
 * and if a coordinate of a store is negative. */
void check_coordinate(const struct transfer *transfer)
{
    int32_t unit = BULK_UNIT / (int32_t)tensor_type_bytes((enum tensor_type)transfer->box.map.type);
    const struct bulk_code *bulk = transfer->op->bulk;

    for (uint32_t d = 0; d < bulk->dimensions && transfer->box.is_store; d++)
        if (transfer->box.at[d] < 0)
            raise_fault(FAULT_INVALID_ASYNC, transfer->lane, SAYS_STORE_NEGATIVE,
                        .numbers = {transfer->box.at[d]});
    if (transfer->box.at[0] % unit != 0)
        raise_fault(FAULT_INVALID_ASYNC, transfer->lane, SAYS_BOX_FIRST,
                    .numbers = {transfer->box.at[0], unit});
}

void check_size(const struct transfer *transfer)
{
    uint64_t box = transfer->op->bulk->loads ? transfer->to : transfer->from;

    if (transfer->op->bulk->kind == BULK_BYTES && (transfer->to | transfer->from) % BULK_UNIT != 0)
        raise_fault(FAULT_MISALIGNED, transfer->lane,
                    transfer->to % BULK_UNIT != 0 ? SAYS_COPY_TO_MISALIGNED
                                                  : SAYS_COPY_FROM_MISALIGNED,
                    .numbers = {BULK_UNIT});
    if (transfer->op->bulk->kind == BULK_BYTES && transfer->size % BULK_UNIT != 0)
        raise_fault(FAULT_INVALID_ASYNC, transfer->lane, SAYS_COPY_SIZE, .bytes = transfer->size,
                    .numbers = {BULK_UNIT});
    if (transfer->op->bulk->kind == BULK_TENSOR && !transfer->op->bulk->is_prefetch &&
        box % BOX_ALIGNMENT != 0)
        raise_fault(FAULT_MISALIGNED, transfer->lane, SAYS_BOX_MISALIGNED,
                    .numbers = {BOX_ALIGNMENT});
}

struct transfer copy_request(struct warp *warp, const struct frame *frame, const struct op *op,
                             uint32_t lane)
{
    const struct bulk_code *bulk = op->bulk;
    struct transfer transfer = {.op = op,
                                .warp = warp,
                                .lane = lane,
                                .to = bulk_address(frame, &bulk->to, lane),
                                .from = bulk_address(frame, &bulk->from, lane),
                                .target = warp->block,
                                .barrier = bulk_address(frame, &bulk->barrier, lane)};

    if (bulk->kind == BULK_BYTES) {
        transfer.size = (uint32_t)value_of(frame, bulk->size, lane, 4);
        return transfer;
    }
    read_map(warp, frame, op, lane, &transfer.box.map);
    transfer.box.is_store = !bulk->loads && !bulk->is_prefetch;
    for (uint32_t d = 0; d < bulk->dimensions; d++)
        transfer.box.at[d] = (int32_t)value_of(frame, bulk->at[d], lane, 4);
    for (uint32_t d = 0; d < bulk->offset_count; d++)
        transfer.box.offsets[d] = (int32_t)value_of(frame, bulk->offsets[d], lane, 2);
    transfer.size = tensor_box_bytes(&transfer.box);
    return transfer;
}
