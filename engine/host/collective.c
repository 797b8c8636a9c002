/* SPDX-License-Identifier: MIT
 *
 * What the lanes of a warp do together: __syncwarp(), shuffles, votes and matches. A lane waits
 * until all that its mask names, but for those that have exited, have come with the same mask for
 * the same kind of collective (CUDA C++ Programming Guide, warp functions).
 */
#include "host.h"

/* Lanes of a warp that have not exited. */
static uint32_t present_lanes(uint32_t warp)
{
    const struct fiber *lanes = &host.team->fibers[warp * WARP_LANES];
    uint32_t threads = host.team->scheduler.threads - warp * WARP_LANES, present = 0;

    for (uint32_t lane = 0; lane < WARP_LANES && lane < threads; lane++)
        if (!lanes[lane].exited)
            present |= UINT32_C(1) << lane;
    return present;
}

/* What each lane takes from the collective at which all `lanes` have met. */
static void exchange(struct fiber *warp, uint32_t lanes, enum collective collective)
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        struct fiber *fiber = &warp[__builtin_ctz(left)];
        fiber->taken = fiber->given;
        if (collective == COLLECTIVE_SHUFFLE && (lanes >> fiber->source & 1))
            fiber->taken = warp[fiber->source].given;
        if (collective != COLLECTIVE_BALLOT && collective != COLLECTIVE_MATCH)
            continue;
        fiber->taken = 0;
        for (uint32_t others = lanes; others != 0; others &= others - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(others);
            bool counts = collective == COLLECTIVE_BALLOT ? warp[lane].given != 0
                                                          : warp[lane].given == fiber->given;
            fiber->taken |= (uint64_t)counts << lane;
        }
    }
}

/* Lets lanes of the warp go on whose collective has all it waits for. */
void collective_meet(uint32_t warp)
{
    struct scheduler *scheduler = &host.team->scheduler;
    struct fiber *fibers = &host.team->fibers[warp * WARP_LANES];
    uint32_t present = present_lanes(warp);

    for (uint32_t left = scheduler->warp[warp].meeting; left != 0;) {
        const struct fiber *first = &fibers[__builtin_ctz(left)];
        uint32_t wanted = first->mask & present, here = 0;
        for (uint32_t others = left; others != 0; others &= others - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(others);
            if (fibers[lane].mask == first->mask && fibers[lane].collective == first->collective)
                here |= UINT32_C(1) << lane;
        }
        left &= ~here;
        if (here != wanted)
            continue;
        exchange(fibers, here, first->collective);
        if (host.racing && first->collective == COLLECTIVE_SYNC)
            race_sync_warp(warp, here);
        schedule_release_lanes(warp, here);
    }
}

uint64_t simt_collective(const struct simt_site *site, int collective, unsigned int mask,
                         uint64_t value, unsigned int source);

uint64_t simt_collective(const struct simt_site *site, int collective, unsigned int mask,
                         uint64_t value, unsigned int source)
{
    struct fiber *self = host.current;
    uint32_t lane = UINT32_C(1) << self->number % WARP_LANES;

    if (!(mask & lane))
        host_fault_at(FAULT_DIVERGENT_BARRIER, site,
                      "calls a warp operation with the mask 0x%08x, in which it is not", mask);
    if (collective == COLLECTIVE_SHUFFLE && !(mask >> source & 1))
        host_fault_at(FAULT_DIVERGENT_BARRIER, site,
                      "shuffles from lane %u, which is not in the mask 0x%08x", source, mask);
    self->collective = (enum collective)collective;
    self->mask = mask;
    self->given = value;
    self->source = source;
    self->collective_site = site;
    schedule_meet(site);
    return self->taken;
}

/* A thread of the team waits at a collective for lanes that do not come. */
void collective_blame(struct team *team)
{
    for (uint32_t t = 0; t < team->scheduler.threads; t++) {
        struct fiber *fiber = &team->fibers[t];
        if (!(team->scheduler.warp[t / WARP_LANES].meeting >> t % WARP_LANES & 1))
            continue;
        host.team = team;
        host.current = fiber;
        host_record_at(FAULT_DIVERGENT_BARRIER, fiber->collective_site,
                       "waits at a warp operation with the mask 0x%08x for lanes that do not come",
                       fiber->mask);
        return;
    }
}
