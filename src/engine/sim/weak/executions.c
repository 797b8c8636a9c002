/* SPDX-License-Identifier: MIT */
#include "executions.h"

#include "schedule.h"

enum { MAX_CHOICES = 64 }; /* of two or more possibilities, whose numbers fit in 64 bits */

static struct {
    uint32_t taken, bound;
} path[MAX_CHOICES];
static uint32_t path_count;
static uint64_t rest, product;
static bool is_too_long; /* no number of 64 bits holds the choices */
static uint32_t turn;    /* of threads that read the same again and again */

void executions_start(uint64_t number)
{
    rest = number;
    product = 1;
    path_count = turn = 0;
    is_too_long = false;
}

uint32_t executions_choose(uint32_t count)
{
    uint32_t taken = (uint32_t)(rest % count);

    is_too_long = is_too_long || product > UINT64_MAX / count;
    if (is_too_long)
        return 0;
    product *= count;
    rest /= count;
    path[path_count].taken = taken;
    path[path_count++].bound = count;
    return taken;
}

uint64_t executions_next(void)
{
    uint64_t number = 0;

    if (is_too_long)
        return NO_EXECUTION;
    while (path_count > 0 && path[path_count - 1].taken + 1 == path[path_count - 1].bound)
        path_count--;
    if (path_count == 0)
        return 0;
    path[path_count - 1].taken++;
    for (uint32_t k = path_count; k-- > 0;)
        number = number * path[k].bound + path[k].taken;
    return number;
}

/* ---- Threads ---- */

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

struct block *executions_pick(struct block *const *blocks, uint32_t count)
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
    picked.warp->block->turn = 0;
    return picked.warp->block;
}

struct party *executions_take(struct warp **warp)
{
    struct party *party = picked.party;

    *warp = picked.warp;
    picked.party = NULL;
    return party;
}
