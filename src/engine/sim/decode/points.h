/* SPDX-License-Identifier: MIT
 *
 * What of a kernel's source is executed. Each basic block has a mark, which the interpreter sets
 * when a warp comes to it. Each instruction with a guard has two: lanes that execute it, and lanes
 * that do not.
 */
#ifndef SIMTCHECK_SIM_POINTS_H
#define SIMTCHECK_SIM_POINTS_H

#include "coverage.h"
#include "decode.h"

/* The points of a kernel and of all functions of its program that it may call or launch. */
struct kernel_points {
    struct source_point *points; /* sorted */
    bool *reached;               /* of each: points_read() */
    size_t count;
    struct point_mark { /* the point was reached if the mark is not 0; one point has several */
        uint32_t point;
        const uint32_t *mark;
    } * marks;
    size_t mark_count;
    const struct function_code **functions;
    size_t function_count;
};

/* Returns null when memory runs out. */
struct kernel_points *points_make(const struct function_code *kernel);
void points_free(struct kernel_points *points);

/* Notes of each point whether it was reached. */
void points_read(const struct kernel_points *points);
/* Clears all marks. */
void points_clear(const struct kernel_points *points);

/* The numbers of the marks: of a basic block its own; of the function's k-th instruction with a
 * guard this one and the next. And how many there are. */
uint32_t points_guard_mark(const struct function *function, uint32_t k);
uint32_t points_mark_count(const struct function *function);

#endif
