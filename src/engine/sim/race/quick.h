/* SPDX-License-Identifier: MIT
 *
 * The quick race checker: one run that decides for every schedule.
 */
#ifndef SIMTCHECK_SIM_QUICK_H
#define SIMTCHECK_SIM_QUICK_H

#include "machine.h"

extern struct quick_races {
    bool is_on;
    bool is_undecided; /* the run was abandoned */
    uint64_t serial;   /* number of the last block that started */
    uint64_t base;     /* stamps below this belong to complete grids */
} quick_races;

bool quick_open(void);
void quick_close(void);
void quick_stamps(struct region *region, uint64_t *room[2]);

/* Events: a grid starts, after all before it are complete; a block starts; a barrier of a block is
 * complete; lanes of a warp have met at __syncwarp(); lanes exit. */
void quick_start(void);
bool quick_start_block(struct block *block);
void quick_barrier(struct block *block);
void quick_sync_warp(struct warp *warp, uint32_t lanes);
void quick_leave(struct warp *warp, uint32_t lanes);

/* A time between two barriers: those that the block and the warp have passed. */
struct quick_time {
    uint32_t epoch, warp_epoch;
};

/* Until quick_complete_copy(), every access to these bytes of shared memory abandons the run. */
struct quick_time quick_begin_copy(const struct warp *warp, const struct region *to,
                                   uint64_t offset, uint32_t bytes);
void quick_complete_copy(const struct region *to, uint64_t offset, uint32_t bytes);
/* Abandons the run unless all writes of these bytes are ordered before the time. */
void quick_expect_unchanged(const struct warp *warp, const struct region *region, uint64_t offset,
                            uint32_t bytes, struct quick_time time);

/* Abandons the run, because its outcome may depend on the schedule. */
_Noreturn void leave_undecided(void);

/* Enters the accesses of a group, in the order of their lanes. */
void quick_enter(struct warp *warp, const struct op *op, const struct group *group);

#endif
