/* SPDX-License-Identifier: MIT
 *
 * Records which parts of a kernel's source are executed. Each basic block has a mark, which the
 * interpreter sets when a warp enters it. Each instruction with a guard has two: one for lanes that
 * execute it, and one for lanes that do not.
 */
#ifndef SIMTCHECK_SIM_POINTS_H
#define SIMTCHECK_SIM_POINTS_H

#include "coverage.h"
#include "decode.h"

/* The points of a kernel, and of all functions of its program that it may call or launch. */
struct kernel_points {
    struct source_point *points; /* sorted */
    bool *reached;               /* for each point; set by points_read() */
    size_t count;
    struct point_mark { /* reached if the mark is not 0; a point may have several marks */
        uint32_t point;
        const uint32_t *mark;
    } * marks;
    size_t mark_count;
    const struct function_code **functions;
    size_t function_count;
};

/* Returns null if memory runs out. */
struct kernel_points *points_make(const struct function_code *kernel);
void points_free(struct kernel_points *points);

/* Records for each point whether it was reached. */
void points_read(const struct kernel_points *points);
/* Clears all marks. */
void points_clear(const struct kernel_points *points);

/* The number of a basic block's mark is that of the block. The function points_guard_mark() returns
 * the first of the two marks of the function's k-th instruction with a guard. The function
 * points_mark_count() returns the number of marks. */
uint32_t points_guard_mark(const struct function *function, uint32_t k);
uint32_t points_mark_count(const struct function *function);

#endif
