/* SPDX-License-Identifier: MIT
 *
 * Weak memory: the executions that the PTX memory consistency model allows beyond those in which
 * threads take turns. docs/weak-memory.md has the rules.
 *
 * Each place keeps the writes that were made to it, and their coherence order, which is partial. A
 * read may choose an older write, unless a later one comes before it in causality order, which the
 * race checker knows (race/). A write may choose an earlier position. Loads and atomics may take
 * effect late, at the latest when their results are used.
 *
 * The host memory of a place always has its last write. While one access runs, it holds the write
 * that this access has chosen.
 */
#ifndef SIMTCHECK_SIM_WEAK_H
#define SIMTCHECK_SIM_WEAK_H

#include "machine.h"

/* machine.is_weak says whether grids run under weak memory. */
void weak_start(void);
/* Call before race_finish(). */
void weak_finish(void);
void weak_close(void);

/* Call before each instruction. Binds the loads that it needs. Returns true if the party must stop
 * before it and let others run. */
bool weak_stops(struct warp *warp, struct party *party, const struct op *op);
/* Returns true if the load is left for later. */
bool weak_defers(struct warp *warp, struct party *party, const struct op *op);
/* Call around a load, a store or an atomic instruction. */
void weak_begin(void);
void weak_end(struct party *party);

/* A read that acquire operations of its thread have not waited for takes no write from which they
 * would have acquired something. */
struct weak_limit {
    int scope; /* the widest one of those operations; -1: none */
    uint64_t since;
};
/* Returns the limit of a read that one of that scope does not wait for. */
struct weak_limit weak_limit(int scope);
/* Returns true if there is a write that such a read may take now. */
bool weak_may_pass(const struct race_block *block, uint32_t thread, const struct op *op,
                   const struct region *region, uint64_t offset, int scope);
/* Returns true if a write of the place releases something to the block within that scope. */
bool weak_has_release(const struct race_block *block, const struct region *region, uint64_t offset,
                      uint32_t bytes, int scope);
/* Identifies a word, as release_word(). */
uint64_t weak_word(const struct region *region, uint64_t offset);
/* weak_begin() for an access that was put off. */
void weak_begin_late(struct weak_limit limit);

/* races.c: chooses the write that the next access reads, or the position of what it writes. */
void weak_choose(const struct warp *warp, const struct op *op, const struct group *group,
                 uint32_t lane);

/* history.c: chooses the last write of each place where several are unordered; forgets all writes
 * but the last ones. */
void weak_choose_ends(void);
void weak_forget_places(void);

#endif
