/* SPDX-License-Identifier: MIT
 *
 * What a launching kernel must have launched: how many grids at each depth, of how many blocks and
 * threads; and the output of its threads.
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

/* Constraints on the order of a log. */
enum log_order {
    LOG_ANY_ORDER,
    LOG_PARENTS_FIRST,      /* A grid's hellos, and the report of its launch, follow its
                               launching thread's hello. */
    LOG_CHILDREN_IN_BETWEEN /* Also, the report of a launch follows all of the child's entries. */
};

struct launch_tree {
    uint32_t depths;
    struct launch_level levels[MAX_LAUNCH_DEPTH];
    uint64_t children;                    /* grids of depth 1 and more */
    uint64_t child_blocks, child_threads; /* of all of them */
    bool logs_launches;                   /* a thread reports each grid that it launches */
    bool by_grid;                         /* a thread logs its index in the grid, not its block */
};

/* Builds the tree of a variant that launches, for a shape inside its domain. */
void oracle_launch_tree(const struct variant *variant, const struct shape *shape,
                        struct launch_tree *tree);

/* The error that CUDA's default limits cause, as "NAME (NUMBER)". */
struct limit_error {
    const char *text; /* null: nothing fails */
    enum {
        SOME_ORDERS,
        LATE_CHILDREN, /* surely if no child grid ends before the last is launched */
        EVERY_ORDER
    } when;
};

/* Returns what fails in the tree of a shape at the default limits, by CUDA's rules:
 * - A thread may wait for its child at depths 0 and 1.
 * - With CDP2, 2048 launches may be pending. A launch is pending until its grid is complete, with
 *   all grids below it. CDP1 puts further launches in a slower buffer. */
struct limit_error oracle_limit_error(const struct variant *variant, const struct shape *shape,
                                      bool is_cdp1);

/* Checks a log against the tree and sorts its entries. The log has log[0] entries from log[1] on,
 * packed as in kernels/nested_hello.cu; `count` is its size in words. Returns false on an error and
 * describes it in `expected` and `got`. An entry does not identify the parent of its grid. So if
 * several blocks launch, order is checked by counts of grids. */
bool oracle_check_log(const struct launch_tree *tree, uint32_t *log, uint64_t count,
                      enum log_order order, char *expected, char *got, size_t size);

/* Compares printed text with such a log, sorted: one line for each entry, in any order. */
bool oracle_check_printed(const struct launch_tree *tree, const uint32_t *log, const char *printed,
                          char *expected, char *got, size_t size);

#ifdef __cplusplus
}
#endif

#endif
