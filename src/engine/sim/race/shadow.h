/* SPDX-License-Identifier: MIT
 *
 * What memory remembers of accesses, and the pairs that nothing orders.
 */
#ifndef SIMTCHECK_RACE_SHADOW_H
#define SIMTCHECK_RACE_SHADOW_H

#include "expect.h"
#include "synchronization.h"

/* A pair of accesses that nothing orders. */
struct race_pair {
    struct access first, second;
    uintptr_t address;
    char name[48];
    bool before_known, after_known; /* of the first */
    uint32_t before, after, second_before, second_after;
    bool settled; /* second_after is there */
    uint64_t count;
    bool strong; /* both are, and each in the scope of the other: no race */
    bool same;   /* both write, and in all of them the second wrote what was there already */
};

/* Is one of them a read of what the grid must not write, and the other a write by that grid? No
 * order makes that right: PTX ISA, ld.global.nc. */
static inline bool cells_break_constancy(const struct access *a, const struct access *b)
{
    return unlikely(((a->kind | b->kind) & ACCESS_CONSTANT) != 0) &&
           ((a->kind | b->kind) & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0 &&
           order_blocks[a->block].grid == order_blocks[b->block].grid;
}

/* Memory for the cells of so many bytes of global memory; false when there is none. */
bool cells_start(size_t used);

/* The shared memory of a block that starts; false when there is no memory. */
bool cells_start_block(struct race_block *block);

/* The same for a plain access of one whole word of global memory where it is plain to see that
 * everything before it is ordered before it; false when it is not, and nothing was done. */
bool cells_enter_quickly(struct race_block *block, uint32_t thread, uintptr_t address,
                         unsigned int access, uint32_t place);

/* An access of a thread of the block. */
void cells_enter(struct race_block *block, uintptr_t address, size_t size,
                 const struct access *now);

/* All that were found in this job, one for each pair of places in the source; and how many accesses
 * were entered. */
const struct race_pair *cells_found(size_t *count, uint64_t *accesses);

void cells_forget(void);
void cells_close(void);

#endif
