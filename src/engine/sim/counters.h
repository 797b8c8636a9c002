/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_COUNTERS_H
#define SIMTCHECK_SIM_COUNTERS_H

#include "machine.h"

/* Call these only while machine.counters is not null. counters_start() starts a job,
 * counters_finish() ends it. */
void counters_start(struct engine_counters *counters);
void counters_finish(const struct engine_outcome *outcome);
/* Count lanes of the warp that enter a basic block, and a conditional branch with the lanes that
 * take it. */
void count_block(const struct warp *warp, const struct block_code *code, uint32_t lanes);
void count_branch(const struct warp *warp, uint32_t lanes, uint32_t taken);
/* Counts an instruction that accesses `bytes` bytes per lane at these addresses. They are in global
 * memory for the lanes of `global`, and in shared memory for those of `shared`. */
void count_access(struct warp *warp, bool writes, const uint64_t at[LANES], uint32_t bytes,
                  uint32_t global, uint32_t shared);
/* Counts a barrier that all threads of the block pass. */
void count_barrier(struct block *block);

#endif
