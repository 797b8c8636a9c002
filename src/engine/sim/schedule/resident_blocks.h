/* SPDX-License-Identifier: MIT
 *
 * The resident blocks, and which of them goes next.
 */
#ifndef SIMTCHECK_SIM_RESIDENT_BLOCKS_H
#define SIMTCHECK_SIM_RESIDENT_BLOCKS_H

#include "block.h"

/* Which blocks go first, of those that can run. */
enum turn {
    AT_ONCE,
    DEFERRED, /* all that could run is held back */
    SPINNING, /* or waits in loops */
};

/* In order of start; written by residents.c. */
extern struct residents {
    struct resident_block **blocks;
    uint32_t count, capacity;
} residents;

/* A job starts, and ends: then all blocks are free again, in which overrun stacks are looked for.
 */
void resident_blocks_start(void);
void resident_blocks_finish(void);
void resident_blocks_close(void);

/* A block that is free, for a block of that grid, as the last of the residents; null when memory
 * runs out. */
struct resident_block *resident_blocks_add(struct grid *grid);
void resident_blocks_remove(struct resident_block *block);

/* A block that can run when it is that turn: the oldest, the youngest, or a random one; null when
 * there is none. */
struct resident_block *resident_blocks_choose(enum turn turn);

/* Of the blocks that wait in loops the one after the last that had its turn. */
struct resident_block *resident_blocks_next_spinning(void);
bool resident_blocks_any_spins(void);

/* Is there room for one more block of the grid beside those that wait for it? */
bool resident_blocks_has_room(const struct grid *grid);

/* A block has come back for all of it waits in loops. A fault when all blocks have waited again and
 * again, and nobody has done anything else. */
void resident_blocks_keep_waiting(void);

#endif
