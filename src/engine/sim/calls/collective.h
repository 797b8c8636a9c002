/* SPDX-License-Identifier: MIT
 *
 * What the lanes of a warp do together: __syncwarp(), shuffles, votes and matches. A lane waits
 * until all that its mask names, but for those that have exited, have come with the same mask for
 * the same kind of collective (CUDA C++ Programming Guide, warp functions).
 */
#ifndef SIMTCHECK_HOST_COLLECTIVE_H
#define SIMTCHECK_HOST_COLLECTIVE_H

#include "block.h"

/* Of the waiting lanes of a warp in `left`, finds those whose collective has all it waits for, and
 * takes what it looked at out of `left`. Returns them, with what each takes from the others filled
 * in; 0 when there are none. */
uint32_t collective_complete(struct resident_block *block, uint32_t warp, uint32_t *left);

/* Lanes of a warp that have not exited. */
uint32_t collective_present(const struct resident_block *block, uint32_t warp);

/* A fault of a thread of the block that waits at a collective for lanes that do not come; none:
 * nothing. */
void collective_blame(const struct resident_block *block);

#endif
