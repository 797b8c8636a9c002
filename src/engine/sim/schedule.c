/* SPDX-License-Identifier: MIT */
#include "schedule.h"
#include "executions.h"

#include "input_values.h"

#include <string.h>

enum {
    PREEMPTION_SPAN = 8, /* accesses between pre-emptions of a random schedule: 1 to 8 */
    MAX_TURNS = 4096,
    MANY_BLOCKS = 16,
};

/* How often a random schedule switches blocks. For a child to run while one thread of its parent
 * does not, the schedule must switch rarely. */
static const uint32_t yield_spans[] = {2, 8, 64, 1024};
enum { YIELD_SPANS = sizeof yield_spans / sizeof *yield_spans };

/* Blocks of one grid that run at once. Most interactions of blocks need only two. */
static const uint32_t crowds[] = {2, 2, 4, MANY_BLOCKS};
enum { CROWDS = sizeof crowds / sizeof *crowds };

struct policy policy;

static uint64_t random_state, poison;
static bool poison_is_negative;
static uint32_t turns, yield_span;

/* ---- The policy of a job ---- */

static void grant(void)
{
    int64_t span = INT64_MAX / 2;

    if (policy.order == SCHEDULE_RANDOM)
        span = schedule_draw(PREEMPTION_SPAN);
    else if (policy.delays[policy.next_delay] > policy.points)
        span = (int64_t)(policy.delays[policy.next_delay] - 1 - policy.points);
    machine.span = span;
    policy.points += (uint64_t)span;
}

/* Weak memory is for the model independent. */
static enum schedule_kind order_of(enum model model, const struct schedule *schedule)
{
    if (schedule->kind == SCHEDULE_EXECUTION && model != MODEL_INDEPENDENT)
        return SCHEDULE_SEQUENTIAL;
    return schedule->kind == SCHEDULE_WEAK ? SCHEDULE_RANDOM : schedule->kind;
}

void schedule_start(enum model model, const struct schedule *schedule, struct nesting nesting)
{
    policy =
        (struct policy){.model = model, .order = order_of(model, schedule), .nesting = nesting};
    executions_start(schedule->seed);
    if (schedule->kind == SCHEDULE_DELAYS)
        memcpy(policy.delays, schedule->delays, sizeof schedule->delays);
    random_state = values_hash(schedule->seed, 0);
    poison = values_hash(schedule->seed, 1 + MODELS * schedule->kind + model);
    poison_is_negative = schedule->kind == SCHEDULE_RANDOM
                             ? (poison >> 63 & 1) != 0
                             : (schedule->kind == SCHEDULE_REVERSE) != (model == MODEL_INDEPENDENT);
    turns = 0;
    yield_span = yield_spans[random_state % YIELD_SPANS];
    machine.by_lane = model == MODEL_INDEPENDENT;
    machine.progress = machine.idle = 0;
    grant();
}

uint64_t schedule_points(void)
{
    if (policy.order == SCHEDULE_EXECUTION)
        return executions_next();
    return policy.points - (uint64_t)(machine.span > 0 ? machine.span : 0);
}

uint32_t schedule_draw(uint32_t bound)
{
    uint64_t bits = values_hash(random_state++, 0) >> 32;

    return (uint32_t)(bits * bound >> 32);
}

uint32_t schedule_choose(uint32_t count)
{
    if (count == 1)
        return 0;
    if (policy.order == SCHEDULE_EXECUTION)
        return executions_choose(count);
    return schedule_draw(2) == 0 ? 0 : schedule_draw(count);
}

uint64_t schedule_grid_seed(uint64_t grid)
{
    return values_hash(random_state, grid);
}

/* Returns a large number of either sign as an integer or float of 16, 32 or 64 bits. Any sum,
 * minimum or maximum that includes it changes. */
uint64_t schedule_poison(uint32_t thread)
{
    uint64_t large = UINT64_C(0x7a007a007a007a00), signs = UINT64_C(0x8000800080008000);
    uint64_t low = values_hash(poison, thread) & UINT64_C(0x00ff00ff00ff00ff);

    return (large | low) ^ (poison_is_negative ? signs : 0);
}

void schedule_blocks_take_turns(void)
{
    policy.takes_turns = true;
    policy.crowd = crowds[(random_state / YIELD_SPANS) % CROWDS];
    turns = MAX_TURNS;
}

void schedule_grids_take_turns(void)
{
    policy.takes_turns = true;
    policy.crowd = MANY_BLOCKS;
    turns = UINT32_MAX;
}

/* ---- Parties ---- */

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

/* The kind of party that may run. Parties that are held back, or wait in loops, run only when no
 * other can. */
enum turn { TURN_NOW, TURN_DELAYED, TURN_WAITING, TURNS };

static enum turn turn_of(const struct warp *warp, const struct party *party)
{
    return party->waits                            ? TURN_WAITING
           : party->is_delayed || warp->is_delayed ? TURN_DELAYED
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

/* Returns the next party that waits in a loop. Each has its turn. */
static struct party *next_waiting(struct block *block, struct warp **warp)
{
    for (uint32_t k = 1; k <= block->warp_count * LANES; k++) {
        uint32_t thread = (block->last_waiting + k) % (block->warp_count * LANES);
        *warp = &block->warps[thread / LANES];
        for (uint32_t p = 0; p < (*warp)->party_count; p++) {
            struct party *party = &(*warp)->parties[p];
            if (party->state != PARTY_READY || !party->waits ||
                (uint32_t)__builtin_ctz(party->lanes) != thread % LANES)
                continue;
            block->last_waiting = thread;
            return party;
        }
    }
    return NULL;
}

static struct party *choose_party(struct block *block, struct warp **warp)
{
    uint32_t first = 0;

    if (policy.order == SCHEDULE_EXECUTION && now.turn == TURN_NOW)
        return executions_take(warp);
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

bool schedule_can_run(const struct block *block)
{
    return any_party(block, TURN_NOW) || any_party(block, TURN_DELAYED) ||
           any_party(block, TURN_WAITING);
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
}

/* ---- Events ---- */

static bool gives_way(void)
{
    return policy.takes_turns && policy.order == SCHEDULE_RANDOM && turns > 0 &&
           schedule_draw(yield_span) == 0 && turns-- > 0;
}

/* Holds the party back until all others wait. */
static void hold_back(struct warp *warp, struct party *party)
{
    if (machine.by_lane)
        party->is_delayed = true;
    else
        warp->is_delayed = true;
}

bool schedule_sleep(struct warp *warp, struct party *party)
{
    if (policy.order != SCHEDULE_RANDOM || schedule_draw(2) != 0)
        return false;
    hold_back(warp, party);
    return true;
}

bool schedule_before_choice(struct warp *warp, struct party *party)
{
    if (policy.order != SCHEDULE_EXECUTION)
        return machine.span-- <= 0 && schedule_event(warp, party);
    party->is_at_choice = !party->is_at_choice;
    machine.gives_way = party->is_at_choice;
    return party->is_at_choice;
}

bool schedule_event(struct warp *warp, struct party *party)
{
    bool delay = policy.order == SCHEDULE_DELAYS;

    if (party->is_counted) { /* it already stopped before this point */
        party->is_counted = false;
        machine.span++;
        return false;
    }
    if (delay) {
        policy.next_delay++;
        hold_back(warp, party);
    } else if (gives_way()) {
        machine.gives_way = true;
    }
    policy.points++; /* this point */
    grant();
    party->is_counted = true;
    return true;
}

/* Instructions of a party until the next check, and of a party that waits. */
enum { SLICE = 1024, WAITING_SLICE = 32 };

bool schedule_slice(struct warp *warp, struct party *party)
{
    bool looked = warp->looks != party->looks, moved = machine.progress != party->progress;

    party->slice = SLICE;
    party->looks = warp->looks;
    party->progress = machine.progress;
    if (!looked || moved) {
        machine.idle = 0;
        party->waits = false;
        return false;
    }
    machine.idle++;
    party->slice = WAITING_SLICE;
    party->waits = true;
    return true;
}
