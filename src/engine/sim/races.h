/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_RACES_H
#define SIMTCHECK_SIM_RACES_H

#include "machine.h"

extern struct quick_races {
    bool is_on;
    bool is_undecided; /* the run was left */
    uint64_t serial;   /* of the last block that started */
    uint64_t base;     /* stamps below this are of grids that are complete */
} quick_races;

bool quick_open(void);
void quick_close(void);
void quick_stamps(struct region *region, uint64_t *room[2]);
/* Memory is another's from now on: what was done there before is forgotten. */
void renew_memory(const struct region *region);

/* A grid starts, when all before it are complete; a block; a barrier of it is complete; lanes of a
 * warp have met at __syncwarp(); lanes exit. */
void quick_start(void);
bool quick_start_block(struct block *block);
void quick_barrier(struct block *block);
void quick_sync_warp(struct warp *warp, uint32_t lanes);
void quick_leave(struct warp *warp, uint32_t lanes);

/* Ends the run: what comes of it may depend on who goes first. */
_Noreturn void leave_undecided(void);

#endif
