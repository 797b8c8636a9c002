/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_THREADS = 1024,
    RANDOM_BLOCKS = 8, /* level 1: besides the powers of two and their neighbours */
    LARGE_SIZE = 4096, /* random sizes go up to this, or to four blocks */
    SIZE_BLOCKS = 4,
    MAX_FOLD = 16,
    LARGEST_AWKWARD = SIZE_BLOCKS * MAX_THREADS * MAX_FOLD + 1,
    SEEDS = 4, /* different hash seeds in a plan; few, for sums are remembered */
};

/* Independent streams of random numbers drawn from one seed. */
enum stream { STREAM_BLOCKS = 1, STREAM_SIZES, STREAM_VALUES, STREAM_TURNS };

static uint64_t draw(uint64_t seed, enum stream stream, uint64_t counter, uint64_t bound)
{
    return values_hash(values_hash(seed, (uint64_t)stream), counter) % bound;
}

static bool add_shape(struct plan *plan, const struct options *options, const struct shape *shape)
{
    uint32_t violations = options->assume_total ? 0 : variant_violations(plan->variant, shape);

    if ((violations & (violations - 1)) != 0) {
        plan->left_out++;
        return true;
    }
    if ((plan->shape_count & (plan->shape_count - 1)) == 0) { /* grows at powers of two */
        size_t capacity = plan->shape_count == 0 ? 1 : 2 * plan->shape_count;
        struct planned_shape *shapes = realloc(plan->shapes, capacity * sizeof *shapes);
        if (shapes == NULL)
            return false;
        plan->shapes = shapes;
    }
    plan->shapes[plan->shape_count++] = (struct planned_shape){*shape, violations};
    return true;
}

/* The k-th size for blocks that take a segment of that many elements: first the sizes where tails
 * begin and end, then seeded random ones, every other near a multiple of the block. */
static uint64_t awkward_size(uint64_t segment, uint64_t seed, uint64_t k)
{
    const uint64_t edges[] = {segment, 0, 1, segment - 1, segment + 1, 3 * segment};
    uint64_t largest = SIZE_BLOCKS * segment > LARGE_SIZE ? SIZE_BLOCKS * segment : LARGE_SIZE;
    uint64_t counter = segment << 32 | k;

    if (k < sizeof edges / sizeof *edges)
        return edges[k];
    if (k % 2 == 0)
        return draw(seed, STREAM_SIZES, counter, largest + 1);
    return (1 + draw(seed, STREAM_SIZES, counter, largest / segment)) * segment +
           draw(seed, STREAM_SIZES, ~counter, 3) - 1;
}

static bool add_awkward_sizes(struct plan *plan, const struct options *options,
                              const struct extent *block)
{
    uint64_t segment = (uint64_t)block->x * block->y * block->z * plan->variant->fold;
    bool known[LARGEST_AWKWARD + 1] = {false};
    unsigned int count = 0;

    for (uint64_t k = 0; count < options->sizes_per_block; k++) {
        struct shape shape = {*block, {awkward_size(segment, plan->seed, k), 1}};
        if (known[shape.size[0]])
            continue;
        known[shape.size[0]] = true;
        count++;
        if (!add_shape(plan, options, &shape))
            return false;
    }
    return true;
}

static bool add_block(struct plan *plan, const struct options *options, const struct extent *block)
{
    plan->blocks++;
    if (options->sizes == NULL)
        return add_awkward_sizes(plan, options, block);
    for (size_t s = 0; s < options->size_count; s++) {
        struct shape shape = {*block, {options->sizes[s][0], options->sizes[s][1]}};
        if (!add_shape(plan, options, &shape))
            return false;
    }
    return true;
}

/* Level 1: powers of two, their neighbours and a few seeded random blocks. Others: all. */
static void choose_blocks(const struct options *options, uint64_t seed, bool chosen[])
{
    for (uint32_t block = 1; block <= MAX_THREADS; block++)
        chosen[block] = options->level > 1;
    for (uint32_t power = 1; power <= MAX_THREADS; power *= 2)
        for (uint32_t block = power - 1; block <= power + 1; block++)
            if (block >= 1 && block <= MAX_THREADS)
                chosen[block] = true;
    for (uint64_t k = 0; k < RANDOM_BLOCKS; k++)
        chosen[1 + draw(seed, STREAM_BLOCKS, k, MAX_THREADS)] = true;
}

static bool add_chosen_blocks(struct plan *plan, const struct options *options)
{
    bool chosen[MAX_THREADS + 2] = {false};

    choose_blocks(options, plan->seed, chosen);
    for (uint32_t block = 1; block <= MAX_THREADS; block++) {
        struct extent extent = {block, 1, 1};
        if (chosen[block] && !add_block(plan, options, &extent))
            return false;
    }
    return true;
}

static void choose_combinations(struct plan *plan, const struct options *options, bool host,
                                uint64_t round)
{
    for (int m = 0; m < MODELS; m++)
        if (options->models[m])
            plan->models[plan->model_count++] = (enum model)m;
    plan->schedule_count = options->schedule_count;
    memcpy(plan->schedules, options->schedules, sizeof plan->schedules);
    for (size_t k = 0; k < plan->schedule_count; k++)
        if (plan->schedules[k].kind == SCHEDULE_RANDOM)
            plan->schedules[k].seed += round;
    plan->per_shape = plan->model_count * plan->schedule_count;
    if (!host) { /* a GPU is what it is */
        plan->models[0] = MODEL_ITS;
        plan->schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0};
        plan->model_count = plan->schedule_count = 1;
    }
    if (!host || options->level > 1)
        plan->per_shape = 1;
}

bool plan_make(const struct options *options, const struct variant *variant, bool host,
               uint64_t round, struct plan *plan)
{
    bool good = true;

    *plan = (struct plan){.variant = variant, .seed = options->seed + round};
    choose_combinations(plan, options, host, round);
    if (options->blocks == NULL)
        good = add_chosen_blocks(plan, options);
    for (size_t b = 0; good && b < options->block_count; b++)
        good = add_block(plan, options, &options->blocks[b]);
    if (!good)
        plan_free(plan);
    return good;
}

void plan_free(struct plan *plan)
{
    free(plan->shapes);
    plan->shapes = NULL;
    plan->shape_count = 0;
}

uint64_t plan_count(const struct plan *plan)
{
    return (uint64_t)plan->shape_count * plan->per_shape;
}

const struct planned_shape *plan_shape(const struct plan *plan, uint64_t index)
{
    return &plan->shapes[index / plan->per_shape];
}

/* Half of the cases have random values, the others the special ones in turn. A case outside the
 * domain has random values, under which an element lost or counted twice shows. */
static struct values choose_values(const struct plan *plan, uint64_t index, bool inside)
{
    static const enum value_pattern special[] = {VALUES_ONES, VALUES_MINIMUM, VALUES_MAXIMUM,
                                                 VALUES_ALTERNATE};
    uint64_t drawn = draw(plan->seed, STREAM_VALUES, index, 8);

    if (inside && drawn < sizeof special / sizeof *special)
        return (struct values){special[drawn], 0};
    return (struct values){VALUES_HASH, plan->seed + drawn % SEEDS};
}

void plan_case(const struct plan *plan, uint64_t index, struct test_case *test)
{
    uint64_t shape = index / plan->per_shape;
    uint64_t combinations = plan->model_count * plan->schedule_count;
    uint64_t turn = plan->per_shape == 1 ? draw(plan->seed, STREAM_TURNS, shape, combinations)
                                         : index % plan->per_shape;
    const struct planned_shape *planned = &plan->shapes[shape];

    *test = (struct test_case){
        .variant = plan->variant,
        .shape = planned->shape,
        .values = choose_values(plan, shape, planned->violations == 0),
        .model = plan->models[turn / plan->schedule_count % plan->model_count],
        .schedule = plan->schedules[turn % plan->schedule_count],
    };
}
