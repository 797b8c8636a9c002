/* SPDX-License-Identifier: MIT
 *
 * What a kernel that launches kernels must have launched: how many grids at each depth, of how many
 * blocks and threads, and what its threads say.
 */
#ifndef SIMTCHECK_ORACLE_LAUNCH_TREE_H
#define SIMTCHECK_ORACLE_LAUNCH_TREE_H

#include "catalogue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_LAUNCH_DEPTH = 64 };

/* The grids of one depth, all alike. */
struct launch_level {
    uint64_t grids, blocks; /* blocks of each grid */
    uint32_t threads;       /* of each block */
    uint32_t heard;         /* threads of each block, from 0 on, that say hello */
};

/* What must be true of the order of a log. */
enum log_order {
    LOG_ANY_ORDER,
    LOG_PARENTS_FIRST,      /* no grid is heard before the thread that launched it, and none is told
                               of before that */
    LOG_CHILDREN_IN_BETWEEN /* and none is told of before all of it has been heard */
};

struct launch_tree {
    uint32_t depths;
    struct launch_level levels[MAX_LAUNCH_DEPTH];
    uint64_t children;                    /* grids of depth 1 and more */
    uint64_t child_blocks, child_threads; /* of all of them */
    bool tells;                           /* who has launched a grid tells of it */
    bool by_grid;                         /* a thread says which of its grid it is, not the block */
};

/* The tree of a variant that launches, for a shape inside its domain. */
void oracle_launch_tree(const struct variant *variant, const struct shape *shape,
                        struct launch_tree *tree);

/* Holds a log (log[0] entries, from log[1] on, as kernels/nested_hello.cu packs them) to the tree,
 * and leaves its entries sorted. Returns true, or false and in `expected` and `got` what is wrong.
 * `count` is the size of the log in words. An entry does not tell whose child its grid is: where
 * several blocks launch, orders are held to the numbers of grids. */
bool oracle_check_log(const struct launch_tree *tree, uint32_t *log, uint64_t count,
                      enum log_order order, char *expected, char *got, size_t size);

/* Holds what was printed to such a log, sorted: a line for each entry, in any order. */
bool oracle_check_printed(const struct launch_tree *tree, const uint32_t *log, const char *printed,
                          char *expected, char *got, size_t size);

#ifdef __cplusplus
}
#endif

#endif
