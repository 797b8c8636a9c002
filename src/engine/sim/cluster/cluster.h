/* SPDX-License-Identifier: MIT
 *
 * Clusters of blocks: their launch, barrier and shared memory. A block of a grid that was launched
 * without clusters is a cluster of its own.
 */
#ifndef SIMTCHECK_SIM_CLUSTER_H
#define SIMTCHECK_SIM_CLUSTER_H

#include "machine.h"

enum { PORTABLE_CLUSTER = 8, MAX_CLUSTER = 16 };

/* A shared address has the rank of its block plus 1 in its upper bits. 0: the thread's own block,
 * or in a generic address the block whose window it is in. The windows of a grid's blocks follow
 * each other in the order of clusters, as far apart as arrays of global memory. */
enum { RANK_SHIFT = 27, WINDOWS = 1 << 20 };
#define RANK_BITS UINT32_C(0xf8000000)

struct cluster {
    struct block *blocks[MAX_CLUSTER]; /* by rank; null: it has not started, or has exited */
    uint32_t size;                     /* of the launch */
    uint32_t number;                   /* from 1; 0: a block of its own */
    uint32_t resident;
    uint32_t alive, arrived; /* threads that have not exited; those of them at the barrier */
    struct race_meeting came, passed; /* in this phase; in the last complete one */
};

/* Sets the cluster of a launch: that of the kernel, else the one requested, which may be none: 0,
 * 0, 0. Returns why the launch fails with cudaErrorInvalidClusterSize, or null. */
const char *cluster_error(const struct function_code *code, const struct extent *grid,
                          const struct extent *asked, bool is_nonportable, struct extent *cluster);

/* Returns the coordinates of the block that is number k in the order of clusters, and in a cluster
 * in the order of ranks. */
struct extent cluster_block(const struct grid *grid, uint64_t k);

/* Enters a block that starts into the cluster; null: a new one. block->index must be set. Returns
 * false if memory runs out. */
bool cluster_enter(struct cluster *cluster, struct block *block);
/* Call when the block ends. */
void cluster_leave(struct block *block);

/* barrier.cluster. cluster_wait() returns true if the party waits. */
void cluster_arrive(struct warp *warp, const struct op *op, uint32_t lanes);
bool cluster_wait(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
/* Call when lanes exit. */
void cluster_exit(struct warp *warp, uint32_t lanes);
/* Reports a thread that waits for threads that do not arrive. Returns false if none exists. */
bool cluster_report_waiting(const struct block *block);

/* Returns the number of the first window of a grid: those of grids of moderate size do not
 * overlap. */
uint64_t cluster_windows(uint64_t grid);
/* Returns the window of the grid's block k, in the order of clusters. */
uint64_t cluster_window(const struct grid *grid, uint64_t k);
/* cvta.to.shared: at the result for a block outside of the cluster, an access fails. */
uint32_t cluster_to_shared(const struct block *block, uint64_t address);

/* Special registers, mapa and getctarank. */
uint32_t cluster_special(const struct block *block, uint8_t special);
void cluster_map_address(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes);
void cluster_get_rank(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes);

/* Returns the block whose shared memory an address of that block is in. Null: it has exited, does
 * not exist, or is not in the cluster. */
struct block *cluster_owner(const struct block *block, uint64_t address);
/* Raises a fault for an address without such a block, and for an access without .shared::cluster to
 * another block. */
_Noreturn void cluster_raise_stray(const struct block *block, const struct op *op, uint32_t lane,
                                   uint64_t address, bool writes, uint32_t bytes);

#endif
