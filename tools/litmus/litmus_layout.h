/* SPDX-License-Identifier: MIT
 *
 * Where the threads and the variables of a litmus test are on a GPU.
 */
#ifndef SIMTCHECK_LITMUS_LAYOUT_H
#define SIMTCHECK_LITMUS_LAYOUT_H

#include "litmus.h"

enum { LITMUS_BLOCK = 256 }; /* threads of a block */

/* How instances are laid out. Each instance uses `blocks` blocks, which belong to clusters of
 * `cluster` blocks. In a block, `warps` warps and `lanes` lanes of a warp belong to one instance.
 */
struct litmus_layout {
    int blocks, cluster, warps, lanes;
    int per_block; /* instances that share their blocks */
    /* The thread of the test for each block, warp and lane of an instance; -1: none. */
    int roles[LITMUS_THREADS][LITMUS_THREADS][LITMUS_THREADS];
};

/* Returns null, or why a GPU cannot run the test. */
const char *litmus_layout_of(const struct litmus_test *test, struct litmus_layout *layout);

/* Returns the number of the thread's block among the blocks of the test, in the order in which the
 * test names them. */
int litmus_block_number(const struct litmus_test *test, int thread);

/* Returns the number of the place that has the thread. */
int litmus_place_of(const struct litmus_layout *layout, int thread);

/* Returns whether the shared variable is in another block of the thread's cluster. */
bool litmus_is_remote(const struct litmus_test *test, int thread, int variable);

/* Returns whether the variable is shared, and a thread of another block uses it. */
bool litmus_has_remote(const struct litmus_test *test, int variable);

/* Returns whether the test has such a variable. */
bool litmus_has_remotes(const struct litmus_test *test);

#endif
