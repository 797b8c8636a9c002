/* SPDX-License-Identifier: MIT
 *
 * The policy by which a job's threads are scheduled, its random choices, and when a party stops.
 *
 * A scheduling point is an access, a barrier or a collective of a lane, or in lockstep of a warp. A
 * random schedule switches to other threads at some points. A delay holds back the party that
 * reaches the point of that number until all others wait.
 */
#ifndef SIMTCHECK_SIM_POLICY_H
#define SIMTCHECK_SIM_POLICY_H

#include "machine.h"

#include <stdio.h>

/* The policy by which a job's threads are scheduled. */
extern struct policy {
    enum model model;
    enum schedule_kind order; /* not SCHEDULE_WEAK, which is SCHEDULE_RANDOM here */
    struct nesting nesting;
    /* Where kernels print. Null: a kernel that prints has a fault, but for that of a user, whose
     * text is only compared: by a digest for each allowance, and one of the rest. */
    FILE *output;
    uint64_t printed, digests[MAX_ALLOWED + 1]; /* printed: bytes */
    uint32_t allowed;                /* what allows the printf() that runs; or MAX_ALLOWED */
    const struct simt_place *prints; /* the first printf() that nothing allows */
    bool takes_turns;                /* there are other blocks that may run */
    uint32_t crowd; /* random: with this many resident blocks, no block is started early */
    uint32_t delays[MAX_DELAYS + 1];
    uint32_t next_delay;
    uint64_t points;   /* number granted so far */
    uint64_t restless; /* from so many slices of waiting on, threads stop at random points */
} policy;

void schedule_start(enum model model, const struct schedule *schedule, struct nesting nesting);
uint64_t schedule_points(void);
uint32_t schedule_draw(uint32_t bound);
/* Chooses one of several possibilities under weak memory. 0 is the usual one. */
uint32_t schedule_choose(uint32_t count);
uint64_t schedule_grid_seed(uint64_t grid);
/* Returns the value that a thread reads where CUDA leaves it undefined. */
uint64_t schedule_poison(uint32_t thread);
void schedule_blocks_take_turns(void);
void schedule_grids_take_turns(void);

/* ---- When a party stops ---- */

/* Call at the end of a span of scheduling points. Returns true if the party must stop before this
 * point. */
bool schedule_event(struct warp *warp, struct party *party);
/* Weak memory: call before each choice. Returns true if the party must stop before it. */
bool schedule_before_choice(struct warp *warp, struct party *party);
/* Call when a party repeats a look and no memory has changed since. To delay it there is to delay
 * it at the first look, so this scheduling point is not counted. */
void schedule_looks_again(void);
/* Call when the party sleeps. Returns true if the party must stop after that and let others run. */
bool schedule_sleep(struct warp *warp, struct party *party);
/* Call at the end of the party's slice of instructions, before a basic block of `count` of them.
 * Returns true if it must let others run, because it waits in a loop or is tired. */
bool schedule_slice(struct warp *warp, struct party *party, int32_t count);

/* From now on, until there is progress, waiting threads stop at random points. Two threads may only
 * miss each other because they take turns. */
void schedule_make_restless(void);

/* After this many slices a party, in lockstep a warp, is tired: from then on, all others have their
 * turn after each of its slices. It may wait for them in a way that does not look like waiting: by
 * plain reads, or in a loop with barriers or stores. One that looks is tired sooner. */
enum { TIRED_SLICES = 16 };

static inline bool schedule_is_tired(const struct warp *warp, const struct party *party)
{
    return warp->slices >= TIRED_SLICES || party->slices >= TIRED_SLICES;
}

#endif
