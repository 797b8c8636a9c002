/* SPDX-License-Identifier: MIT
 *
 * st.async and red.async: a store of registers to the shared memory of a block of the cluster,
 * which completes on an mbarrier there. It becomes a bulk copy whose source is already read. Unlike
 * other bulk copies it is no operation of the async proxy.
 */
#include "cluster.h"
#include "faults.h"
#include "requests.h"
#include "undefined.h"

#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Returns the block whose shared memory the address is in, and sets the address in its window. */
static struct block *owner_of(const struct transfer *transfer, const struct bulk_address *from,
                              uint64_t *address)
{
    struct block *block = transfer->warp->block, *owner;

    if (from->space == SPACE_GENERIC && !is_shared_address(*address))
        raise_fault(FAULT_INVALID_ASYNC, transfer->lane, SAYS_STORE_NOT_SHARED);
    owner = cluster_owner(block, *address);
    if (owner == NULL)
        cluster_raise_stray(block, transfer->op, transfer->lane, *address, true, transfer->size);
    *address = (uint32_t)*address & ~RANK_BITS;
    return owner;
}

/* Copies the values, and which of their bytes are defined. */
static void read_registers(struct transfer *transfer, const struct frame *frame)
{
    const struct op *op = transfer->op;

    transfer->bytes = calloc(2, transfer->size + 1);
    if (transfer->bytes == NULL)
        raise_out_of_memory(transfer->lane);
    for (uint32_t k = 0; k < op->count; k++) {
        const struct head *head = head_of(frame->slots, op->parts[k]);
        uint32_t undefined = undefined_bytes(head, transfer->lane);
        memcpy(transfer->bytes + k * op->bytes,
               frame->slots + op->parts[k] + transfer->lane * op->bytes, op->bytes);
        for (uint32_t i = 0; i < op->bytes; i++)
            transfer->bytes[transfer->size + k * op->bytes + i] = !(undefined >> i & 1);
        if (undefined != 0)
            transfer->origin = head->origin != 0 ? head->origin : undefined_variable(op->place);
    }
    transfer->has_read = true;
}

struct transfer store_request(struct warp *warp, const struct frame *frame, const struct op *op,
                              uint32_t lane)
{
    const struct bulk_code *bulk = op->bulk;
    struct transfer transfer = {.op = op,
                                .warp = warp,
                                .lane = lane,
                                .to = bulk_address(frame, &bulk->to, lane),
                                .barrier = bulk_address(frame, &bulk->barrier, lane),
                                .size = (uint32_t)op->bytes * op->count};
    const struct block *barrier = owner_of(&transfer, &bulk->barrier, &transfer.barrier);

    transfer.target = owner_of(&transfer, &bulk->to, &transfer.to);
    if (transfer.target != barrier)
        raise_fault(FAULT_INVALID_ASYNC, lane, SAYS_STORE_TWO_BLOCKS,
                    .numbers = {transfer.target->rank, barrier->rank});
    if (transfer.to % transfer.size != 0)
        raise_fault(FAULT_MISALIGNED, lane, SAYS_NOT_ALIGNED, .writes = true,
                    .bytes = transfer.size);
    read_registers(&transfer, frame);
    return transfer;
}
