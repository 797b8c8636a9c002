/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include "interpret.h"
#include "picks.h"
#include "policy.h"

/* Merges parties that are at the same instruction of the same call. */
static void merge_parties(struct warp *warp)
{
    for (uint32_t p = 0; p < warp->party_count; p++)
        for (uint32_t q = p + 1; q < warp->party_count;) {
            struct party *one = &warp->parties[p], *other = &warp->parties[q];
            if (one->state != PARTY_READY || other->state != PARTY_READY || one->op != other->op ||
                one->frame != other->frame) {
                q++;
                continue;
            }
            one->lanes |= other->lanes;
            one->is_counted = one->is_counted && other->is_counted;
            one->waits = one->waits && other->waits;
            remove_party(warp, other);
        }
}

/* The kind of party that may run. Parties that are held back, or wait in loops, or are tired, run
 * only when no other can. */
enum turn { TURN_NOW, TURN_DELAYED, TURN_WAITING, TURNS };

static enum turn turn_of(const struct warp *warp, const struct party *party)
{
    return party->waits || schedule_is_tired(warp, party) ? TURN_WAITING
           : party->is_delayed || warp->is_delayed        ? TURN_DELAYED
                                                          : TURN_NOW;
}

/* What is known, in one turn, about the parties that may run. It is valid for a warp until parties
 * of the warp are released. */
static struct {
    enum turn turn;
    uint32_t idle;  /* warps without a party that may run */
    uint32_t known; /* warps with a valid `ready`: the lanes that may run */
    uint32_t ready[MAX_WARPS];
} now;

static void forget_released(void)
{
    now.idle &= ~machine.released;
    now.known &= ~machine.released;
    machine.released = 0;
}

static bool may_go(const struct warp *warp, const struct party *party)
{
    return party->state == PARTY_READY && turn_of(warp, party) == now.turn;
}

/* Lockstep: the ready party in the deepest call runs first, then the one at the lowest
 * instruction. */
static bool goes_first(const struct party *one, const struct party *other)
{
    if (one->waits != other->waits)
        return other->waits;
    if (one->frame->depth != other->frame->depth)
        return one->frame->depth > other->frame->depth;
    return one->op < other->op;
}

static struct party *lockstep_party(struct warp *warp)
{
    struct party *chosen = NULL;

    if (warp->party_count > 1)
        merge_parties(warp);
    for (uint32_t p = 0; p < warp->party_count; p++) {
        struct party *party = &warp->parties[p];
        if (may_go(warp, party) && (chosen == NULL || goes_first(party, chosen)))
            chosen = party;
    }
    return chosen;
}

static uint32_t nth_lane(uint32_t lanes, uint32_t n)
{
    for (; n > 0; n--)
        lanes &= lanes - 1;
    return (uint32_t)__builtin_ctz(lanes);
}

/* Independent: each party is one lane. Returns the lowest, the highest, or a random one of those
 * that may run. */
static struct party *lane_party(struct warp *warp)
{
    uint32_t *ready = &now.ready[warp->number], lane;

    if (!(now.known >> warp->number & 1)) {
        *ready = 0;
        for (uint32_t p = 0; p < warp->party_count; p++)
            if (may_go(warp, &warp->parties[p]))
                *ready |= warp->parties[p].lanes;
        now.known |= UINT32_C(1) << warp->number;
    }
    if (*ready == 0)
        return NULL;
    if (policy.order == SCHEDULE_RANDOM)
        lane = nth_lane(*ready, schedule_draw(count_lanes(*ready)));
    else
        lane = (uint32_t)(policy.order == SCHEDULE_REVERSE ? 31 - __builtin_clz(*ready)
                                                           : __builtin_ctz(*ready));
    return &warp->parties[warp->party_of[lane]];
}

/* Updates the state after that lane has run. */
static void note_ran(const struct warp *warp, uint32_t lane)
{
    if (!(warp->alive >> lane & 1) || !may_go(warp, &warp->parties[warp->party_of[lane]]))
        now.ready[warp->number] &= ~(UINT32_C(1) << lane);
}

/* Returns the next party that waits in a loop or is tired. Each has its turn. The lanes of a tired
 * warp still step together. */
static struct party *next_waiting(struct block *block, struct warp **warp)
{
    for (uint32_t k = 1; k <= block->warp_count * LANES; k++) {
        uint32_t thread = (block->last_waiting + k) % (block->warp_count * LANES);
        *warp = &block->warps[thread / LANES];
        for (uint32_t p = 0; p < (*warp)->party_count; p++) {
            struct party *party = &(*warp)->parties[p];
            if (!may_go(*warp, party) || (uint32_t)__builtin_ctz(party->lanes) != thread % LANES)
                continue;
            block->last_waiting = thread;
            return party->waits || machine.by_lane ? party : lockstep_party(*warp);
        }
    }
    return NULL;
}

static struct party *choose_party(struct block *block, struct warp **warp)
{
    uint32_t first = 0;

    if (policy.order == SCHEDULE_EXECUTION && now.turn == TURN_NOW)
        return picked_party(warp);
    if (now.turn == TURN_WAITING)
        return next_waiting(block, warp);
    if (policy.order == SCHEDULE_RANDOM && block->warp_count > 1)
        first = schedule_draw(block->warp_count);
    for (uint32_t k = 0; k < block->warp_count; k++) {
        uint32_t w = policy.order == SCHEDULE_REVERSE ? block->warp_count - 1 - k
                     : first + k < block->warp_count  ? first + k
                                                      : first + k - block->warp_count;
        struct party *party;
        *warp = &block->warps[w];
        if ((now.idle >> w & 1) || (*warp)->party_count == 0)
            continue;
        party = machine.by_lane ? lane_party(*warp) : lockstep_party(*warp);
        if (party != NULL)
            return party;
        now.idle |= UINT32_C(1) << w;
    }
    return NULL;
}

static bool any_party(const struct block *block, enum turn turn)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++) {
            const struct party *party = &block->warps[w].parties[p];
            if (party->state == PARTY_READY && turn_of(&block->warps[w], party) == turn)
                return true;
        }
    return false;
}

bool schedule_waits(const struct block *block)
{
    return any_party(block, TURN_WAITING);
}

bool schedule_can_run(const struct block *block)
{
    return any_party(block, TURN_NOW) || any_party(block, TURN_DELAYED) || schedule_waits(block);
}

bool schedule_polls(const struct block *block)
{
    bool polls = false;

    for (uint32_t w = 0; w < block->warp_count; w++)
        polls = polls || block->warps[w].polls;
    return polls;
}

void schedule_run(struct block *block)
{
    struct warp *warp;
    struct party *party;

    machine.block = block;
    machine.gives_way = false;
    now.turn = (enum turn)block->turn;
    machine.released = UINT32_MAX;
    while (forget_released(), (party = choose_party(block, &warp)) != NULL) {
        uint32_t lane = (uint32_t)__builtin_ctz(party->lanes);
        machine.warp = warp;
        warp->is_delayed = party->is_delayed = false;
        if (party->is_counted && policy.order == SCHEDULE_DELAYS) {
            party->is_counted = false; /* its next point is counted already */
            machine.span++;
        }
        run_party(warp, party);
        if (now.turn != TURN_NOW || machine.gives_way)
            break; /* parties that could not run before may be able to now */
        if (machine.by_lane)
            note_ran(warp, lane);
    }
    block->turn = any_party(block, TURN_NOW)       ? TURN_NOW
                  : any_party(block, TURN_DELAYED) ? TURN_DELAYED
                                                   : TURN_WAITING;
    machine.all_wait = machine.all_wait && block->turn == TURN_WAITING;
}
