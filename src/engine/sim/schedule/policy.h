/* SPDX-License-Identifier: MIT
 *
 * By what rules a job's threads take turns: model, schedule, and where its random numbers and its
 * delays stand.
 */
#ifndef SIMTCHECK_SIM_POLICY_H
#define SIMTCHECK_SIM_POLICY_H

#include "engine.h"
#include "expect.h"

/* Written by rules.c alone, but for points and delays, as they pass. */
struct rules {
    enum model model;
    enum schedule_kind order;
    struct nesting nesting;
    bool prints; /* the job is asked to, and it has printed so many bytes */
    uint64_t printed;
    bool takes_turns;                /* there are other blocks that may go on */
    uint32_t crowd;                  /* random: beside so many none is started for a turn */
    bool after_strong;               /* a strong access has been made since the last draw */
    uint64_t warp_steps;             /* lockstep: scheduling points */
    uint32_t delays[MAX_DELAYS + 1]; /* scheduling points, then 0 */
    uint32_t next_delay;
    uint64_t poison; /* seed of policy_poison() */
    bool poison_is_negative;
};

extern struct rules rules;

/* A job starts. */
void policy_start(enum model model, const struct schedule *schedule, struct nesting nesting);
/* Its blocks may take turns from now on, for there are several: of one grid, or of more. */
void policy_blocks_take_turns(void);
void policy_grids_take_turns(void);
/* Blocks from which on none is started but of the youngest grid: each needs stacks. */
enum { MANY_BLOCKS = 16 };
/* Scheduling points that there have been. */
uint64_t policy_points(void);

/* A random number below the bound; and a seed for the next grid. */
uint32_t policy_draw(uint32_t bound);
uint64_t policy_grid_seed(uint64_t grid);

/* What a thread gets where CUDA does not say what: another value under another model or schedule.
 */
uint64_t policy_poison(uint32_t thread);

/* With other blocks about, does a random schedule let them go on now? Now and then. */
bool policy_give_way(void);

/* Starts a span of steps, up to the next thing that the schedule has to do. */
void policy_grant(void);

/* Is the scheduling point that comes next one to be delayed? */
static inline bool policy_is_delay(uint64_t point)
{
    if (likely(rules.delays[rules.next_delay] != point))
        return false;
    rules.next_delay++;
    return true;
}

#endif
