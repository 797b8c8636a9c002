/* SPDX-License-Identifier: MIT */
#include "machine.h"

struct machine machine;

struct party *add_party(struct warp *warp, uint32_t lanes, const struct op *op, struct frame *frame)
{
    struct party *party = &warp->parties[warp->party_count];

    *party = (struct party){.lanes = lanes, .op = op, .frame = frame};
    warp->party_of[__builtin_ctz(lanes)] = (uint8_t)warp->party_count++;
    return party;
}

void remove_party(struct warp *warp, struct party *party)
{
    *party = warp->parties[--warp->party_count];
    if (party->lanes != 0)
        warp->party_of[__builtin_ctz(party->lanes)] = (uint8_t)(party - warp->parties);
}

struct party *part_party(struct warp *warp, struct party *party, uint32_t lanes,
                         const struct op *op)
{
    struct party *parted = add_party(warp, lanes, op, party->frame);

    party->lanes &= ~lanes;
    parted->slice = party->slice;
    parted->looks = party->looks;
    parted->progress = party->progress;
    parted->looked = party->looked;
    return parted;
}

struct frame *frame_of(const struct warp *warp, uint32_t lane)
{
    if (machine.by_lane)
        return warp->parties[warp->party_of[lane]].frame;
    for (uint32_t p = 0; p < warp->party_count; p++)
        if (warp->parties[p].lanes >> lane & 1)
            return warp->parties[p].frame;
    return NULL;
}
