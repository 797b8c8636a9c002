/* SPDX-License-Identifier: MIT
 *
 * Which cases a run of one variant consists of. They depend on what is asked for alone, never on
 * time, machine or engine, and case k can be made without the k-1 before it.
 */
#ifndef SIMTCHECK_CASES_PLAN_H
#define SIMTCHECK_CASES_PLAN_H

#include "case.h"
#include "shard.h"

enum { MAX_SCHEDULES = 64 };

/* What is asked for. The arrays are the asker's. */
struct plan_request {
    bool assume_corrected; /* hold original variants to the oracle outside their domain too */
    bool models[MODELS];
    struct schedule schedules[MAX_SCHEDULES];
    size_t schedule_count;     /* 0: sequential, reverse and one random schedule */
    bool schedules_chosen;     /* by the user: a known defect may not show under those */
    uint64_t random_schedules; /* so many more for each shape, from the seed on */
    enum profile profile;
    bool profile_chosen;         /* else each kernel's own */
    const struct extent *blocks; /* null: chosen by level */
    size_t block_count;
    const struct shape *sizes; /* each one's size and depth; null: chosen for each block */
    size_t size_count;
    uint64_t seed;
    uint64_t level;           /* 1: blocks around powers of two; more: all */
    uint64_t sizes_per_block; /* 0: plan.c's own numbers */
};

struct planned_shape {
    struct shape shape;
    uint32_t violations; /* conditions of the domain that do not hold: at most one, but for a block
                            that no size brings to a single one */
    uint64_t number;     /* in the whole plan, whose shards draw values and schedules by it */
    uint64_t first;      /* of its cases, by index */
};

struct plan {
    const struct variant *variant;
    uint64_t seed;
    struct planned_shape *shapes;
    size_t shape_count;
    size_t whole_count;          /* shapes, before some became a shard */
    uint64_t left_out;           /* shapes that violate several conditions of the domain at once */
    uint64_t blocks, all_blocks; /* that the plan covers, and that there are; 0: the user chose */
    /* Combinations of model and schedule. */
    enum model models[MODELS];
    size_t model_count;
    struct schedule schedules[MAX_SCHEDULES];
    size_t named_schedules, schedule_count; /* those above, and with the random ones */
    enum profile profile;
    /* Cases for each shape: every combination, or one in turn; and for each outside the domain: the
     * same, or each model under one schedule in turn. */
    size_t per_shape, per_outside;
    uint64_t cases;
};

/* Plans the cases of one variant. `simulated` tells whether models and schedules make a difference.
 * Round 0, 1 ... of level 3 differ in their seed. False when memory runs out. */
bool plan_make(const struct plan_request *request, const struct variant *variant, bool simulated,
               uint64_t round, struct plan *plan);
void plan_free(struct plan *plan);

/* Leaves out the shapes outside the variant's domain. */
void plan_keep_inside(struct plan *plan);

/* Leaves the shapes of one shard, each with all of its cases, which stay what they were. `blocks`
 * is then that of what is left. */
void plan_shard(struct plan *plan, const struct shard *shard);

/* What the variant's nested launches are held to: what was asked for, or else what it needs. */
enum profile plan_profile(const struct plan_request *request, const struct variant *variant);

uint64_t plan_count(const struct plan *plan);
/* How many of them are of a shape of the plan: they come one after another. */
size_t plan_cases_of(const struct plan *plan, const struct planned_shape *planned);
void plan_case(const struct plan *plan, uint64_t index, struct test_case *test);
const struct planned_shape *plan_shape(const struct plan *plan, uint64_t index);

enum { PLAN_SETS = 32 };

/* Sets of values under which a shape tells most, for what depends on what is in memory; returns how
 * many. First that of its first case. Then those in which elements are alike, all or many of them,
 * for only there an order of equals shows; and the special ones that the plan has for the shape.
 * Where there are 32 shapes or more, each has a third of these. */
size_t plan_sets(const struct plan *plan, size_t shape, struct values sets[PLAN_SETS]);

#endif
