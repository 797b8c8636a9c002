/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "outcome.h"

void check_races(struct warp *warp, const struct op *op, const struct group *group)
{
    struct race_block *block = &warp->block->race;

    if (likely(!race_on))
        return;
    if (group->region->is_shared)
        race_shared_shift = (uintptr_t)warp->block->shared - shared_race_base;
    warp->steps++;
    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), thread = warp->number * LANES + lane;
        uintptr_t at = group->region->race + group->offsets[lane];
        if (op->access == ACCESS_ATOMIC || op->is_strong)
            race_strong(block, thread, at, group->bytes, op->access, (enum simt_scope)op->scope,
                        (enum simt_order)op->order, op->place);
        else
            race_access(block, thread, at, group->bytes, op->access, op->place);
    }
}
