/* SPDX-License-Identifier: MIT
 *
 * The order of accesses. Threads have no vector clocks. Within a block, the number of barriers
 * passed decides nearly everything. Launches, atomics and fences also order a thread after other
 * blocks, grids, and single threads. A list of facts represents that (happens_before.h).
 */
#ifndef SIMTCHECK_RACE_SYNCHRONIZATION_H
#define SIMTCHECK_RACE_SYNCHRONIZATION_H

#include "happens_before.h"
#include "race.h"

/* More bits of an access. ACCESS_CONSTANT is one too. */
enum {
    AT_SITE = 8, /* its place is a struct simt_site */
    SCOPE_SHIFT = 4,
    /* PTX ISA, memory consistency model: volatile accesses are relaxed ones of system scope. */
    STRONG = ACCESS_ATOMIC | ACCESS_VOLATILE,
};

/* A recorded access. */
struct access {
    uint32_t block; /* serial number; 0: no access */
    uint32_t epoch; /* barriers that the block had passed */
    uint32_t time;  /* time of the thread; lockstep: steps of its warp */
    uint32_t place; /* source location, relative to source_base */
    uint16_t thread;
    uint8_t kind; /* ACCESS_WRITE and the like, AT_SITE, the scope of an atomic */
    uint8_t size;
    uint32_t from, to; /* the strong writes of the place that it observes (access_order.h) */
};

/* A block that has started. */
struct block_record {
    const struct race_grid *grid;
    struct extent index;
    uint32_t *exits; /* by thread: barriers passed when it exited; null: none has exited */
};

extern struct block_record *order_blocks; /* by serial number, from 1 on */

/* The settings of a job. */
extern enum model order_model;
extern const struct race_memory *order_memory;

/* Returns true if `was` is ordered before `now`, the next access of a thread of that block.
 * order_is_known() omits the simple cases that order_holds() checks first. */
bool order_is_known(const struct race_block *block, const struct access *was,
                    const struct access *now);

static inline bool order_holds(const struct race_block *block, const struct access *was,
                               const struct access *now)
{
    if (was->block == now->block &&
        (was->thread == now->thread || (was->epoch < now->epoch && !block->exits)))
        return true;
    return order_is_known(block, was, now);
}

/* Call after a strong access of that kind. A write releases facts, and a read acquires them. */
void order_strong(struct race_block *block, uint32_t thread, uintptr_t address, unsigned int kind,
                  enum simt_order order);

/* Starts a block and sets its serial number. Returns false if memory runs out. */
bool order_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                       uint32_t thread_count);
void order_free_block(struct race_block *block);

void order_forget(void);
void order_close(void);

#endif
