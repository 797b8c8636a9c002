/* SPDX-License-Identifier: MIT */
#include "policy.h"

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

static bool is_restless(void)
{
    return machine.idle >= policy.restless;
}

/* From so many slices of waiting on, threads stop only at the ends of slices, so that dispatch.c
 * can see whether they repeat themselves. */
enum { CALM_ROUNDS = 1024 };

static bool is_calm(void)
{
    return machine.idle >= CALM_ROUNDS && !is_restless() && !machine.is_weak;
}

static void grant(void)
{
    int64_t span = INT64_MAX / 2;

    if ((policy.order == SCHEDULE_RANDOM && !is_calm()) || is_restless())
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
    policy = (struct policy){.model = model,
                             .order = order_of(model, schedule),
                             .nesting = nesting,
                             .restless = UINT64_MAX};
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

void schedule_looks_again(void)
{
    if (policy.order == SCHEDULE_SEQUENTIAL || policy.order == SCHEDULE_DELAYS)
        machine.span++;
}

bool schedule_sleep(struct warp *warp, struct party *party)
{
    if (policy.order != SCHEDULE_RANDOM || is_calm() || schedule_draw(2) != 0)
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
    bool delay = policy.order == SCHEDULE_DELAYS && !is_restless();

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

static void grant_again(void)
{
    policy.points -= (uint64_t)(machine.span > 0 ? machine.span : 0);
    grant();
}

void schedule_make_restless(void)
{
    policy.restless = machine.idle;
    grant_again();
}

/* Instructions of a party until the next check, and of a party that waits. */
enum { SLICE = 1024, WAITING_SLICE = 32 };

/* Counts a slice, or four if the party looks. Returns true if the party, in lockstep its warp, is
 * tired. */
static bool tire(struct warp *warp, struct party *party, bool looked)
{
    uint32_t *slices = machine.by_lane ? &party->slices : &warp->slices;

    if (*slices < TIRED_SLICES)
        *slices += looked ? 4 : 1;
    return *slices >= TIRED_SLICES;
}

bool schedule_slice(struct warp *warp, struct party *party, int32_t count)
{
    bool looked = warp->looks != party->looks, moved = machine.progress != party->progress,
         is_tired = tire(warp, party, looked), was_calm, stops;

    party->looks = warp->looks;
    party->progress = machine.progress;
    party->blind = looked || !party->waits ? 0 : party->blind + 1;
    /* A loop may be longer than a slice of a party that waits, but not than an ordinary one. */
    party->waits = !moved && (looked || (party->waits && party->blind < SLICE / WAITING_SLICE));
    was_calm = is_calm();
    machine.idle = party->waits ? machine.idle + 1 : 0;
    if (was_calm && machine.idle == 0)
        grant_again();
    party->slice = !party->waits   ? SLICE
                   : is_restless() ? (int32_t)schedule_draw(2 * WAITING_SLICE)
                                   : WAITING_SLICE;
    stops = party->waits || is_tired;
    party->slice += stops ? count : 0; /* it comes back to this block, which may be longer */
    warp->polls = warp->polls || (looked && stops);
    return stops;
}
