/* SPDX-License-Identifier: MIT
 *
 * Who goes next: lanes, warps, blocks.
 *
 * lockstep: a warp's lanes that stand at the lowest instruction go together. independent: each lane
 * is a party of its own. A scheduling point is an access, a barrier or a collective: of a lane, or
 * in lockstep of a warp. A random schedule lets others go on at some of them; a delay holds back
 * who comes to the point of that number until all others wait.
 */
#ifndef SIMTCHECK_SIM_SCHEDULE_H
#define SIMTCHECK_SIM_SCHEDULE_H

#include "machine.h"

/* By what rules a job's threads take turns. */
extern struct rules {
    enum model model;
    enum schedule_kind order;
    struct nesting nesting;
    bool prints;
    uint64_t printed;
    bool takes_turns; /* there are other blocks that may go on */
    uint32_t crowd;   /* random: beside so many none is started for a turn */
    uint32_t delays[MAX_DELAYS + 1];
    uint32_t next_delay;
    uint64_t points; /* granted so far */
} rules;

void schedule_start(enum model model, const struct schedule *schedule, struct nesting nesting);
uint64_t schedule_points(void);
uint32_t schedule_draw(uint32_t bound);
uint64_t schedule_grid_seed(uint64_t grid);
/* What a thread gets where CUDA does not say what. */
uint64_t schedule_poison(uint32_t thread);
void schedule_blocks_take_turns(void);
void schedule_grids_take_turns(void);

/* Runs the block until no party of it can go on, or others go first. */
void schedule_run(struct block *block);
bool schedule_can_run(const struct block *block);

/* The span of scheduling points is over: is the party to stop in front of this one? */
bool schedule_event(struct warp *warp, struct party *party);
/* The party sleeps: is it to stop behind that, and others go first? */
bool schedule_sleep(struct warp *warp, struct party *party);
/* The party's slice of instructions is over: does it wait in a loop, and others go first? */
bool schedule_slice(struct warp *warp, struct party *party);

#endif
