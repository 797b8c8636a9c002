/* SPDX-License-Identifier: MIT
 *
 * Which cases a run consists of. They depend on the options alone, never on time, machine or
 * engine, and case k can be made without the k-1 before it.
 */
#ifndef SIMTCHECK_SUITE_PLAN_H
#define SIMTCHECK_SUITE_PLAN_H

#include "options.h"

struct planned_shape {
    struct shape shape;
    uint32_t violations; /* conditions of the domain that do not hold; at most one is planned */
};

struct plan {
    const struct variant *variant;
    uint64_t seed;
    struct planned_shape *shapes;
    size_t shape_count;
    uint64_t left_out;           /* shapes that violate several conditions of the domain at once */
    uint64_t blocks, all_blocks; /* that the plan covers, and that there are; 0: the user chose */
    /* Combinations of model and schedule. */
    enum model models[MODELS];
    size_t model_count;
    struct schedule schedules[MAX_SCHEDULES];
    size_t named_schedules, schedule_count; /* those above, and with the random ones */
    enum profile profile;
    size_t per_shape; /* cases for each shape: every combination, or one in turn */
};

/* Plans the cases of one variant. `host` tells whether models and schedules make a difference.
 * Round 0, 1 ... of level 3 differ in their seed. False when memory runs out. */
bool plan_make(const struct options *options, const struct variant *variant, bool host,
               uint64_t round, struct plan *plan);
void plan_free(struct plan *plan);

/* Leaves out the shapes outside the variant's domain. */
void plan_keep_inside(struct plan *plan);

uint64_t plan_count(const struct plan *plan);
void plan_case(const struct plan *plan, uint64_t index, struct test_case *test);
const struct planned_shape *plan_shape(const struct plan *plan, uint64_t index);

#endif
