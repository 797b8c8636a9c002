/* SPDX-License-Identifier: MIT
 *
 * What the parts of the race checker share: race.c, which holds accesses against each other,
 * race_order.c, which tells whether they are ordered, knowledge.c, which keeps what threads know of
 * others, and race_words.c, which describes races.
 */
#ifndef SIMTCHECK_ENGINE_HOST_RACE_H
#define SIMTCHECK_ENGINE_HOST_RACE_H

#include "host.h"

/* More bits of an access. */
enum {
    AT_SITE = 8, /* its place is a struct simt_site */
    SCOPE_SHIFT = 4,
    /* Accesses that have these bits in common, and atomic ones their size, are of one kind.
     * Volatile ones are apart, for a step of a warp orders them and not the others. */
    KIND = ACCESS_ATOMIC | ACCESS_VOLATILE | 3 << SCOPE_SHIFT,
};

/* An access as a cell remembers it. */
struct touch {
    uint32_t block; /* serial number; 0: no access */
    uint32_t epoch; /* barriers that the block had passed */
    uint32_t time;  /* of the thread; lockstep: steps of its warp */
    uint32_t place; /* in the source, from the start of the executable */
    uint16_t thread;
    uint8_t access;
    uint8_t size;
};

/* A block that has started. */
struct block_record {
    const struct grid *grid;
    struct extent index;
    uint32_t *exits; /* of each thread, the barriers passed when it exited; null: none had */
};

extern struct block_record *race_blocks; /* by serial number, from 1 on */
extern uint32_t race_block_count;

/* The current thread's next access; `place` is in the executable. */
struct touch race_touch_now(size_t size, unsigned int access, const void *place);
void race_touch(uintptr_t address, size_t size, const struct touch *now);

/* Is that access ordered before the current thread's next one? race_is_known() leaves out what
 * race_is_ordered() sees at once. */
bool race_is_known(const struct touch *was, const struct touch *now);

static inline bool race_is_ordered(const struct touch *was, const struct touch *now)
{
    if (was->block == now->block &&
        (was->thread == now->thread || (was->epoch < now->epoch && !host.team->exits)))
        return true;
    return race_is_known(was, now);
}

bool race_clear_shared(struct team *team);
void race_out_of_memory(void);
void order_forget(void);
void order_close(void);

/* A pair of accesses that nothing orders. */
struct found {
    struct touch first, second;
    uintptr_t address;
    char name[48];
    bool before_known, after_known; /* of the first */
    uint32_t before, after, second_before, second_after;
    bool settled; /* second_after is there */
    uint64_t count;
};

void race_describe(const struct found *found, struct race *described);

/* The start of the program, from which places in the source are counted. */
extern const char __executable_start[];

/* Facts. About a thread: its accesses up to that time. About a block: what it did before that many
 * barriers. About a grid: all it did and its child grids did, but for tail launches from that
 * number on. */
enum { ABOUT_THREAD, ABOUT_BLOCK, ABOUT_GRID };

struct fact {
    uint64_t about;
    uint32_t value;
};

enum { EVER = INT32_MAX }; /* a value above all others */

/* Those facts on top of what is known: sorts `facts`, of which it keeps the highest of each. All
 * knowledge lives as long as the job. When memory runs out, the job has a fault and the base comes
 * back. */
const struct knowledge *knowledge_make(const struct knowledge *base, struct fact *facts,
                                       size_t count);
/* What either knows; null knows nothing. */
const struct knowledge *knowledge_join(const struct knowledge *a, const struct knowledge *b);
/* The value of a fact; 0: not known. */
uint32_t knowledge_recall(const struct knowledge *known, uint64_t about);
void knowledge_forget(void);
void knowledge_close(void);

#endif
