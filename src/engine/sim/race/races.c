/* SPDX-License-Identifier: MIT
 *
 * Accesses for the race checkers: the quick one of quick.h, and the exact one of race.h.
 */
#include "races.h"

#include "faults.h"
#include "flags.h"
#include "last_stores.h"
#include "quick.h"
#include "weak.h"

#include <string.h>

/* Returns the bytes that count as one access. A strong access to a vector is an access to each of
 * its elements (PTX ISA, memory consistency model: vector data types). Under weak memory it is one,
 * because it chooses as a whole. */
static uint32_t part_of(const struct op *op, uint32_t bytes)
{
    bool is_strong = op->is_strong || (op->access & (ACCESS_ATOMIC | ACCESS_VOLATILE)) != 0;
    uint32_t element = op->place->element;

    return is_strong && !machine.is_weak && element != 0 && element < bytes ? element : bytes;
}

/* CUDA guide, distributed shared memory: all blocks of a cluster must have started before one
 * accesses the memory of another. They have if a barrier of the cluster is complete, also a relaxed
 * one. Or the thread comes after something that a thread of the other block has done. A race says
 * more, so it comes first. */
static void check_started(const struct warp *warp, const struct op *op, const struct group *group,
                          const struct block *owner)
{
    bool writes = (op->access & ACCESS_WRITE) != 0;

    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!race_has_heard(&warp->block->race, warp->number * LANES + lane, &owner->race))
            record_fault_of(writes ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ,
                            warp->block, warp->number * LANES + lane, op->place,
                            SAYS_RANK_NOT_STARTED, .writes = writes, .bytes = group->bytes,
                            .numbers = {owner->rank});
    }
    postpone_fault();
}

static void enter_exactly(struct warp *warp, const struct op *op, const struct group *group,
                          bool is_new_step)
{
    struct race_block *block = &warp->block->race;
    uint32_t part = part_of(op, group->bytes);

    if (group->region->is_shared) {
        const struct block *owner = group->region->owner;
        use_shared_races(group->region->owner);
        if (unlikely(owner != warp->block) && !owner->race.has_met)
            check_started(warp, op, group, owner);
    }
    warp->steps += is_new_step;
    for (uint32_t left = group->lanes; unlikely(machine.explains) && left != 0; left &= left - 1)
        if (op->access & (ACCESS_WRITE | ACCESS_ATOMIC))
            last_stores_note(group->region, group->offsets[__builtin_ctz(left)], group->bytes,
                             op->place);
    for (uint32_t left = group->lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), thread = warp->number * LANES + lane;
        uintptr_t at = group->region->race + group->offsets[lane];
        if (!machine.by_lane)
            block->threads[thread].time = warp->steps;
        if (unlikely(machine.is_weak))
            weak_choose(warp, op, group, lane);
        for (uint32_t first = 0; first < group->bytes; first += part)
            if (op->access == ACCESS_ATOMIC || op->is_strong)
                race_strong(block, thread, at + first, part, op->access, (enum simt_scope)op->scope,
                            (enum simt_order)op->order, op->place);
            else
                race_access(block, thread, at + first, part, op->access, op->place);
        if ((op->is_strong || (op->access & (ACCESS_VOLATILE | ACCESS_ATOMIC))) && !machine.is_weak)
            flags_note(
                block, thread, at,
                (op->access & ACCESS_VOLATILE) |
                    (op->reduces ? ACCESS_WRITE : op->access & (ACCESS_WRITE | ACCESS_ATOMIC)),
                (enum simt_order)op->order, op->place);
    }
}

void renew_memory(const struct region *region)
{
    if (race_on)
        race_renew(region->race, region->bytes);
    for (int k = 0; k < 2 && quick_races.is_on; k++)
        memset(region->stamps[k], 0, (region->bytes >> region->granule) * sizeof(uint64_t));
}

/* Returns true for the plain accesses of CUDA's headers to reserved shared memory. Lanes of a warp
 * write equal values there. */
static bool is_exempt(const struct op *op, const struct group *group)
{
    return group->region->low == RESERVED_BEGIN && !op->is_strong &&
           (op->access & (ACCESS_ATOMIC | ACCESS_VOLATILE)) == 0;
}

void check_races(struct warp *warp, const struct op *op, const struct group *group)
{
    if (unlikely(is_exempt(op, group)))
        return;
    machine.accesses += count_lanes(group->lanes);
    if (quick_races.is_on)
        quick_enter(warp, op, group);
    else if (unlikely(race_on))
        enter_exactly(warp, op, group, true);
}

void check_races_within_step(struct warp *warp, const struct op *op, const struct group *group,
                             bool is_first)
{
    machine.accesses += count_lanes(group->lanes);
    if (likely(!is_exempt(op, group)))
        enter_exactly(warp, op, group, is_first);
}
