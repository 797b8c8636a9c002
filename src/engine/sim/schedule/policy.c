/* SPDX-License-Identifier: MIT */
#include "policy.h"

#include "budget.h"

#include <string.h>

/* Accesses between pre-emptions of a random schedule: 1 to 8. */
enum { PREEMPTION_SPAN = 8 };

/* How often a random schedule changes from block to block: a child that is to come and go while
 * one thread of its parent stands still needs a schedule that seldom does. */
static const uint32_t yield_spans[] = {2, 8, 64, 1024};
enum { YIELD_SPANS = sizeof yield_spans / sizeof *yield_spans };

/* That span behind an access by which blocks may order each other: what one does between two of
 * them is what others come upon half done. */
enum { STRONG_SPAN = 2 };

/* Turns of the blocks of one grid: each may cost a copy of the shared memory. */
enum { MAX_TURNS = 4096 };

/* Blocks of one grid under way at once. The stacks of many lie in no cache, and most of what blocks
 * do to each other two can do. */
static const uint32_t crowds[] = {2, 2, 4, MANY_BLOCKS};
enum { CROWDS = sizeof crowds / sizeof *crowds };

struct rules rules;

static uint64_t random_state;
static uint32_t turns;      /* left */
static uint32_t yield_span; /* one of so many scheduling points lets another block go on */

void policy_start(enum model model, const struct schedule *schedule, struct nesting nesting)
{
    rules = (struct rules){.model = model, .order = schedule->kind, .nesting = nesting};
    if (schedule->kind == SCHEDULE_DELAYS)
        memcpy(rules.delays, schedule->delays, sizeof schedule->delays);
    random_state = values_hash(schedule->seed, 0);
    rules.poison = values_hash(schedule->seed, 1 + MODELS * schedule->kind + model);
    rules.poison_is_negative =
        schedule->kind == SCHEDULE_RANDOM
            ? (rules.poison >> 63 & 1) != 0
            : (schedule->kind == SCHEDULE_REVERSE) != (model == MODEL_INDEPENDENT);
    turns = 0;
    yield_span = yield_spans[random_state % YIELD_SPANS];
}

void policy_blocks_take_turns(void)
{
    rules.takes_turns = true;
    rules.crowd = crowds[(random_state / YIELD_SPANS) % CROWDS];
    turns = MAX_TURNS;
}

void policy_grids_take_turns(void)
{
    rules.takes_turns = true;
    rules.crowd = MANY_BLOCKS;
    turns = UINT32_MAX;
}

uint64_t policy_points(void)
{
    return rules.model == MODEL_LOCKSTEP ? rules.warp_steps : steps.made;
}

uint32_t policy_draw(uint32_t bound)
{
    uint64_t bits = values_hash(random_state++, 0) >> 32;
    return (uint32_t)(bits * bound >> 32);
}

uint64_t policy_grid_seed(uint64_t grid)
{
    return values_hash(random_state, grid);
}

/* A large number of either sign, whether it is taken for integers or floats of 16, 32 or 64 bits:
 * then no sum, least or greatest value comes out alike in spite of it. */
uint64_t policy_poison(uint32_t thread)
{
    uint64_t large = UINT64_C(0x7a007a007a007a00), signs = UINT64_C(0x8000800080008000);
    uint64_t low = values_hash(rules.poison, thread) & UINT64_C(0x00ff00ff00ff00ff);

    return (large | low) ^ (rules.poison_is_negative ? signs : 0);
}

bool policy_give_way(void)
{
    uint32_t span = rules.after_strong ? STRONG_SPAN : yield_span;

    rules.after_strong = false;
    return rules.takes_turns && rules.order == SCHEDULE_RANDOM && turns > 0 &&
           policy_draw(span) == 0 && turns-- > 0;
}

void policy_grant(void)
{
    uint64_t span = UINT64_MAX;

    if (rules.model == MODEL_LOCKSTEP)
        span = 0;
    else if (rules.order == SCHEDULE_RANDOM)
        span = policy_draw(PREEMPTION_SPAN);
    else if (rules.delays[rules.next_delay] > steps.made)
        span = rules.delays[rules.next_delay] - 1 - steps.made;
    budget_grant(span);
}
