/* SPDX-License-Identifier: MIT
 *
 * Whether an access is ordered before another. Threads have no vector clocks. Within a block, the
 * number of barriers passed decides nearly everything. Launches, atomics and fences also order a
 * thread after other blocks, grids, and single threads. A list of facts represents that
 * (happens_before.h).
 */
#ifndef SIMTCHECK_RACE_ORDER_H
#define SIMTCHECK_RACE_ORDER_H

#include "expect.h"
#include "happens_before.h"
#include "race.h"

/* The subject of a fact, and the meaning of its value. A thread's fact covers its accesses up to
 * that time. A block's fact covers what it did before that many barriers. A grid's fact covers all
 * that it and its child grids did, except tail launches from that number on.
 *
 * A fact with the mark of a proxy fence says the same of accesses that such a fence has followed.
 * With the mark MATCHED it says so of operations on mbarriers that a match.any has followed. */
enum { ABOUT_THREAD, ABOUT_BLOCK, ABOUT_GRID };
enum { COVERED_GLOBAL = 1, COVERED_SHARED, COVERED_INIT, MATCHED };

static inline uint64_t about_thread(uint32_t block, uint32_t thread)
{
    return (uint64_t)ABOUT_THREAD << 62 | (uint64_t)block << 16 | thread;
}

static inline uint64_t about_block(uint32_t block)
{
    return (uint64_t)ABOUT_BLOCK << 62 | block;
}

static inline uint64_t about_grid(const struct race_grid *grid)
{
    return (uint64_t)ABOUT_GRID << 62 | grid->serial;
}

/* More bits of an access. ACCESS_CONSTANT is one too. */
enum {
    SCOPE_SHIFT = 4, /* two bits */
    /* PTX ISA, memory consistency model: volatile accesses are relaxed ones of system scope. */
    STRONG = ACCESS_ATOMIC | ACCESS_VOLATILE,
    SIGNAL = ACCESS_ATOMIC | ACCESS_VOLATILE, /* an operation on an mbarrier */
    END = ACCESS_WRITE | ACCESS_CONSTANT,     /* of a block, and thus of its shared memory */
};

/* Returns the scope of a strong access. */
static inline enum simt_scope kind_scope(unsigned int kind)
{
    return (enum simt_scope)(kind >> SCOPE_SHIFT & 3);
}

/* A recorded access. */
struct access {
    uint32_t block; /* serial number; 0: no access */
    uint32_t epoch; /* barriers that the block had passed; of an operation: its issuer */
    uint32_t
        time; /* time of the thread; lockstep: steps of its warp; of an operation: its number */
    uint32_t place;  /* source location, relative to source_base */
    uint32_t rounds; /* of its thread; of an operation: of its issuer */
    uint16_t thread; /* from SIMT_BLOCK_THREADS on: an asynchronous operation, by its completion */
    uint8_t kind;    /* ACCESS_WRITE and the like, the scope of an atomic */
    uint8_t size;
    uint32_t from, to; /* the strong writes of the place that it observes (access_order.h) */
};

static inline bool is_end(const struct access *access)
{
    return (access->kind & END) == END;
}

static inline bool is_operation(const struct access *access)
{
    return access->thread >= SIMT_BLOCK_THREADS;
}

/* A block that has started. */
struct block_record {
    const struct race_grid *grid;
    struct extent index;
    uint64_t cluster; /* differs between clusters; a block without one is its own */
    uint32_t *exits;  /* by thread: barriers passed when it exited; null: none has exited */
    uint64_t fenced;  /* flags.c: when a fence last acquired */
};

extern struct block_record *order_blocks; /* by serial number, from 1 on */
extern uint32_t order_kept_blocks;        /* up to that number, they are of earlier jobs */

/* The settings of a job. */
extern enum model order_model;
extern const struct race_memory *order_memory;
extern bool order_is_lost; /* out of memory: the order of accesses is unknown, so none is checked */

/* The asynchronous operation that accesses memory now. */
extern struct order_running {
    const struct race_operation *operation;
    unsigned int covered; /* the mark of the proxy fences that its access needs */
} order_running;

/* Returns what comes before the next access of the thread. */
static inline const struct happens_before *order_before(const struct race_block *block,
                                                        const struct race_thread *thread)
{
    return thread->before != NULL ? thread->before : block->before;
}

/* Returns true if `was` is ordered before `now`, the next access of a thread of that block.
 * order_is_known() omits the simple cases that order_holds() checks first. */
bool order_is_known(const struct race_block *block, const struct access *was,
                    const struct access *now);

static inline bool order_holds(const struct race_block *block, const struct access *was,
                               const struct access *now)
{
    if (was->block == now->block && likely(now->thread < SIMT_BLOCK_THREADS) &&
        (was->thread == now->thread || (was->epoch < now->epoch && !block->exits)))
        return true;
    return order_is_known(block, was, now);
}

/* Returns true if those facts say that the access came before, and, if `covered` is not 0, that
 * such a proxy fence came between. */
bool order_is_among(const struct happens_before *before, const struct access *was,
                    unsigned int covered);

/* Returns true if a proxy fence must come between that access and one of an operation. */
bool operation_needs_fence(const struct access *was, const struct access *now);
/* Returns true if only a proxy fence is missing between that access and one of an operation. */
bool operation_lacks_fence(const struct access *was, const struct access *now);

#endif
