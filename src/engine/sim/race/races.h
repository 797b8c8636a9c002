/* SPDX-License-Identifier: MIT
 *
 * Accesses for the race checkers: the quick one of quick.h, and the exact one of race.h.
 */
#ifndef SIMTCHECK_SIM_RACES_H
#define SIMTCHECK_SIM_RACES_H

#include "machine.h"

/* Says whose shared memory the race checker's next accesses to shared memory mean. */
static inline void use_shared_races(struct block *owner)
{
    race_shared_owner = &owner->race;
    race_shared_shift = (uintptr_t)owner->shared - machine.shared_races;
}

/* Checks the accesses of a group, in the order of their lanes. */
void check_races(struct warp *warp, const struct op *op, const struct group *group);
/* The same if race_on, for lanes of one step that access one after the other. */
void check_races_within_step(struct warp *warp, const struct op *op, const struct group *group,
                             bool is_first);
/* Forgets the accesses to memory that gets a new owner. */
void renew_memory(const struct region *region);

#endif
