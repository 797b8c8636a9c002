/* SPDX-License-Identifier: MIT
 *
 * Shadow memory: the accesses to each place, and the pairs of accesses that nothing orders.
 */
#ifndef SIMTCHECK_RACE_SHADOW_H
#define SIMTCHECK_RACE_SHADOW_H

#include "expect.h"
#include "flags.h"
#include "order.h"

/* A pair of accesses that nothing orders. */
struct race_pair {
    struct access first, second;
    uintptr_t address;
    struct array_element element;
    bool before_known, after_known; /* before, after: of the first access */
    bool second_known;              /* second_before, second_after */
    uint32_t before, after, second_before, second_after;
    bool settled; /* second_after is valid */
    uint64_t count;
    bool shares;      /* the focus of the job is among the racing elements */
    bool is_backward; /* the second access comes first in the program */
    bool strong;      /* both are strong, each in the scope of the other: no race */
    bool unfenced;    /* only a proxy fence is missing */
    bool same;        /* both write, and the second always stored the value already there */
    struct flag flag; /* that was to order them */
};

/* Returns true if one access is a read that promises constant memory, and the other a write by the
 * same grid. No order makes that correct: PTX ISA, ld.global.nc. A read by a texture or surface may
 * come before the write. `b` is the later access. */
static inline bool cells_break_constancy(const struct access *a, const struct access *b)
{
    return unlikely(((a->kind | b->kind) & ACCESS_CONSTANT) != 0) &&
           ((a->kind | b->kind) & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0 &&
           (a->kind & ACCESS_TEXTURE) != ACCESS_TEXTURE &&
           order_blocks[a->block].grid == order_blocks[b->block].grid;
}

/* Reserves memory for the cells of `used` bytes of global memory. Returns false if memory runs
 * out. */
bool cells_start(size_t used);

/* Reserves cells for the shared memory of a block that starts. Returns false if memory runs out. */
bool cells_start_block(struct race_block *block);

/* Enters a plain access of one whole word of global memory, if a simple check shows that everything
 * before it is ordered before it. Returns false, and does nothing, if not. */
bool cells_enter_quickly(struct race_block *block, uint32_t thread, uintptr_t address,
                         unsigned int access, uint32_t place);

/* Reports the accesses of others to the shared memory of a block that are not ordered before its
 * end. */
void cells_end_block(struct race_block *block);

/* Enters an access of a thread of the block, or of the running operation if `block` is null. */
void cells_enter(struct race_block *block, uintptr_t address, size_t size,
                 const struct access *now);

/* Returns all pairs found in this job, one for each pair of source locations, and the number of
 * accesses entered. */
const struct race_pair *cells_found(size_t *count, uint64_t *accesses);

/* Forgets the pairs, but not the accesses. */
void cells_forget_found(void);
void cells_forget(void);
void cells_close(void);

#endif
