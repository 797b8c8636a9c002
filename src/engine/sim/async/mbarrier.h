/* SPDX-License-Identifier: MIT
 *
 * mbarrier objects: PTX ISA, chapter 9.7.13.15.
 */
#ifndef SIMTCHECK_SIM_MBARRIER_H
#define SIMTCHECK_SIM_MBARRIER_H

#include "transfers.h"

/* The contents of an object, which PTX leaves opaque. `pending` are the arrivals that the current
 * phase still waits for, `expected` those of each phase. `bytes` is negative if more bytes have
 * come than were expected. */
struct mbarrier_state {
    int64_t pending, expected, bytes;
    uint64_t phase; /* 0 or 1 */
};
enum { MBARRIER_PHASE_SHIFT = 63 };
struct mbarrier_state mbarrier_unpacked(uint64_t word);

/* An operation of a lane on an object of that block. */
struct mbarrier_use {
    struct warp *warp;
    struct block *block;
    const struct op *op;
    uint32_t lane;
    struct group group;
    char *at;
};
/* Resolves an address in the window of `block`. The object may be in another block of its
 * cluster. */
struct mbarrier_use mbarrier_use_at(struct warp *warp, struct block *block, const struct op *op,
                                    uint32_t lane, uint64_t address);

/* Makes the access of an operation, for the race checkers. */
void mbarrier_access(const struct mbarrier_use *use, uint8_t kind, enum simt_order order);
/* Returns the object. Raises a fault if it is not initialized, or was overwritten. */
struct mbarrier_object *mbarrier_object(const struct mbarrier_use *use);
void mbarrier_initialize(const struct mbarrier_use *use, uint32_t count);
void mbarrier_invalidate(const struct mbarrier_use *use);
/* Arrives, after an expect_tx of so many bytes. Returns the state before. */
uint64_t mbarrier_arrive(const struct mbarrier_use *use, int64_t count, int64_t bytes, bool drops);
void mbarrier_expect(const struct mbarrier_use *use, int64_t bytes);

/* Finds the mbarrier on which a load completes, and sets `object` and `completion`. Returns the
 * block that has it in its shared memory. Raises a fault if it is not initialized. */
struct block *mbarrier_find(struct transfer *transfer);
/* complete_tx of a copy. Returns the phase that it belongs to. */
uint64_t mbarrier_complete(const struct transfer *transfer);

/* Returns the block's state. Raises a fault if memory runs out. */
struct block_async *async_of_block(struct block *block, uint32_t lane);
/* Writes which mbarrier objects of the block threads wait for, or "". */
void async_describe_waiting(const struct block *block, char *text, size_t size);

#endif
