/* SPDX-License-Identifier: MIT
 *
 * The cases that a run of one variant consists of. They depend on the request only, and not on
 * time, machine or engine. Case k can be made without the k-1 cases before it.
 */
#ifndef SIMTCHECK_CASES_PLAN_H
#define SIMTCHECK_CASES_PLAN_H

#include "case.h"
#include "launch_tree.h"
#include "shard.h"

enum { MAX_SCHEDULES = 64 };

/* The request. The caller owns the arrays. */
struct plan_request {
    bool assume_corrected; /* check original variants outside their domain as well */
    bool models[MODELS];
    struct schedule schedules[MAX_SCHEDULES];
    size_t schedule_count;     /* 0: sequential, reverse and one random schedule */
    bool schedules_chosen;     /* by the user: a known defect may not show under those */
    uint64_t random_schedules; /* further schedules for each shape, starting at the seed */
    unsigned int weak_memory;  /* not 0: also schedules under weak memory */
    enum profile profile;
    bool profile_chosen;         /* false: each kernel's own */
    const struct extent *blocks; /* null: chosen by level */
    size_t block_count;
    const struct shape *sizes; /* sizes and depths; null: chosen for each block */
    size_t size_count;
    struct size_names size_names;
    unsigned int shrinks_freely; /* not 0: counterexamples may have sizes besides `sizes` */
    uint64_t seed;
    uint64_t level;           /* 1: blocks around powers of two; more: all */
    uint64_t sizes_per_block; /* 0: SIZES_PER_BLOCK */
    bool smallest_first;      /* the time may not suffice for all; else in the order of blocks */
    bool few;                 /* only the smallest shapes: plan_make() */
};

struct planned_shape {
    struct shape shape;
    uint32_t violations; /* violated conditions of the domain: at most one, unless every size of the
                            block violates several */
    uint64_t number;     /* index in the whole plan, from which shards draw values and schedules */
    uint64_t first;      /* index of its first case */
    uint64_t cases;      /* every combination of model and schedule, or some of them */
    bool default_limits; /* as in struct test_case */
};

struct plan {
    const struct variant *variant;
    uint64_t seed;
    struct planned_shape *shapes;
    size_t shape_count;
    size_t whole_count;          /* number of shapes before plan_shard() */
    uint64_t left_out;           /* shapes that violate several conditions of the domain at once */
    uint64_t blocks, all_blocks; /* different ones that the host launches, in the plan and in
                                    total; 0: the user chose */
    /* The combinations of model and schedule. */
    enum model models[MODELS];
    size_t model_count;
    struct schedule schedules[MAX_SCHEDULES];
    size_t named_schedules, schedule_count; /* those above; all, with the random ones */
    enum profile profile;
    /* The number of cases for each shape: every combination, or one of them in turn. Shapes outside
     * the domain have the same number, or one schedule for each model in turn. */
    size_t per_shape, per_outside;
    size_t inside_sizes; /* added for each block with a whole segment inside the domain */
    uint64_t cases;
};

/* Appends that many schedules under weak memory. */
void plan_add_weak(struct schedule *schedules, size_t *count, uint64_t seed, size_t added);

enum { SIZES_PER_BLOCK = 8 }; /* the default, with which a plan shows that domains are exact */

/* Plans the cases of one variant; after an interrupt, only some of them. `simulated` says whether
 * models and schedules make a difference. Rounds 0, 1 and so on of level 3 differ in their seed.
 * Few shapes are the smallest one, and the smallest ones of more than a warp, of more than two
 * warps and of more than 256 threads. Returns false when memory runs out. */
bool plan_make(const struct plan_request *request, const struct variant *variant, bool simulated,
               uint64_t round, struct plan *plan);
void plan_free(struct plan *plan);

/* Removes the shapes outside the variant's domain, and those at default limits. */
void plan_keep_inside(struct plan *plan);

/* Removes the shapes of other shards. The cases of the remaining shapes do not change. `blocks`
 * becomes the number of remaining blocks. */
void plan_shard(struct plan *plan, const struct shard *shard);

/* Returns what fails at CUDA's default limits, although the shape is in the variant's domain. With
 * `deep`, blocks of growing size nest ever deeper. Without it, 2048 and then 2049 blocks launch.
 * Sets `fits` to the largest such shape before the first that fails, and `fails` to that one. A
 * shape that does not exist has a block of no threads. */
struct limit_error plan_limits(const struct variant *variant, enum profile profile, bool deep,
                               struct shape *fits, struct shape *fails);

/* Returns the profile of the variant's nested launches: the requested one, or the one that it
 * needs. */
enum profile plan_profile(const struct plan_request *request, const struct variant *variant);

uint64_t plan_count(const struct plan *plan);
void plan_case(const struct plan *plan, uint64_t index, struct test_case *test);
const struct planned_shape *plan_shape(const struct plan *plan, uint64_t index);
/* Returns a number that orders the cases of all shards of a plan as the whole plan does. */
uint64_t plan_place(const struct plan *plan, uint64_t index);

enum { PLAN_SETS = 32 };

/* Fills in the sets of values that are most likely to reveal a dependence on memory contents, and
 * returns how many there are. Plans of 32 shapes or more give each shape a third of the sets after
 * the first. The order is:
 *
 * - the values of the shape's first case
 * - values whose elements are all or mostly equal, which show the order of equal elements
 * - the plan's special values for the shape */
size_t plan_sets(const struct plan *plan, size_t shape, struct values sets[PLAN_SETS]);

#endif
