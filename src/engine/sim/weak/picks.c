/* SPDX-License-Identifier: MIT */
#include "picks.h"

#include "policy.h"

static uint32_t turn; /* of threads that read the same again and again */

static struct {
    struct warp *warp;
    struct party *party;
} picked;

enum { BEFORE_CHOICE, AT_CHOICE, IN_LOOP };

static int stage_of(const struct party *party)
{
    return !party->is_at_choice ? BEFORE_CHOICE : party->repeats ? IN_LOOP : AT_CHOICE;
}

static bool may_run(const struct party *party)
{
    return party->state == PARTY_READY && !party->waits && !party->is_delayed;
}

/* Finds the n-th party of that stage. Returns the number of those that there are, at most n + 1. */
static uint32_t find_nth(struct block *const *blocks, uint32_t count, int stage, uint32_t n)
{
    uint32_t found = 0;

    for (uint32_t b = 0; b < count; b++)
        for (uint32_t w = 0; w < blocks[b]->warp_count; w++)
            for (uint32_t p = 0; p < blocks[b]->warps[w].party_count; p++) {
                struct party *party = &blocks[b]->warps[w].parties[p];
                if (!may_run(party) || stage_of(party) != stage)
                    continue;
                picked.warp = &blocks[b]->warps[w];
                picked.party = party;
                if (found++ == n)
                    return found;
            }
    return found;
}

struct block *pick_block(struct block *const *blocks, uint32_t count)
{
    uint32_t able;

    picked.party = NULL;
    if (find_nth(blocks, count, BEFORE_CHOICE, 0) == 0) {
        able = find_nth(blocks, count, AT_CHOICE, UINT32_MAX);
        if (able > 0) {
            find_nth(blocks, count, AT_CHOICE, schedule_choose(able));
        } else {
            able = find_nth(blocks, count, IN_LOOP, UINT32_MAX);
            if (able > 0)
                find_nth(blocks, count, IN_LOOP, turn++ % able);
        }
    }
    if (picked.party == NULL)
        return NULL;
    give_turn(picked.warp->block);
    return picked.warp->block;
}

struct party *picked_party(struct warp **warp)
{
    struct party *party = picked.party;

    *warp = picked.warp;
    picked.party = NULL;
    return party;
}

void picks_start(void)
{
    turn = 0;
}
