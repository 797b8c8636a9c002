/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "interrupt.h"
#include "launch_text.h"
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANDOM_BLOCKS = 8,  /* level 1: in addition to the powers of two and their neighbours */
    RANDOM_SHAPES = 64, /* level 1: about this many of the blocks of two or three dimensions */
    LARGE_SIZE = 4096,  /* random sizes go up to the larger of this and three blocks */
    SIZE_BLOCKS = 3,
    LONE_THREAD_SIZES = 32, /* factor for the sizes of a kernel with only one block */
    NARROW = 2,             /* maximum threads of a block that runs more rows than a grid has */
    SCHEDULES_FOR_KNOWN_DEFECT = 8, /* further random ones; few orders of grids show a defect */
    SURPLUS_SHARE = 8,
    DEEP_BLOCKS = 64, /* one block in this many runs at the maximum nesting depth */
    FEW = 4,
    SEEDS = 4,               /* different hash seeds in a plan; few, because sums are cached */
    NUMBERS = 9,             /* every number of blocks up to this one is tried */
    MORE = 16,               /* one in eight kernels that launch has up to so many more */
    INSIDE_SHAPES = 345,     /* from level 2 on, about as many in a small domain */
    INSIDE_SIZES = 12,       /* of a block, at level 1 */
    INSIDE_SIZE = 1 << 16,   /* they go up to this size, if that suffices for so many */
    POWERS = 12,             /* of two */
    SLOW_ELEMENTS = 1 << 17, /* of all sizes of a block of a kernel that races or launches */
};

/* Independent streams of random numbers drawn from one seed. */
enum stream {
    STREAM_BLOCKS = 1,
    STREAM_SIZES,
    STREAM_VALUES,
    STREAM_TURNS,
    STREAM_SURPLUS,
    STREAM_HALVES,
    STREAM_DEPTHS,
    STREAM_INSIDE
};

static uint64_t draw(uint64_t seed, enum stream stream, uint64_t counter, uint64_t bound)
{
    return values_hash(values_hash(seed, (uint64_t)stream), counter) % bound;
}

/* Appends a shape with that many cases. */
static bool append_shape(struct plan *plan, const struct shape *shape, uint32_t violations,
                         uint64_t cases)
{
    if ((plan->shape_count & (plan->shape_count - 1)) == 0) { /* grows at powers of two */
        size_t capacity = plan->shape_count == 0 ? 1 : 2 * plan->shape_count;
        struct planned_shape *shapes = realloc(plan->shapes, capacity * sizeof *shapes);
        if (shapes == NULL)
            return false;
        plan->shapes = shapes;
    }
    plan->shapes[plan->shape_count] =
        (struct planned_shape){*shape, violations, plan->shape_count, 0, cases, false};
    plan->whole_count = ++plan->shape_count;
    return true;
}

static bool add_shape(struct plan *plan, const struct plan_request *request,
                      const struct shape *shape)
{
    uint32_t violations = request->assume_corrected ? 0 : variant_violations(plan->variant, shape);

    if (!variant_takes(plan->variant, shape))
        return true;
    if ((violations & (violations - 1)) != 0) {
        plan->left_out++;
        return true;
    }
    return append_shape(plan, shape, violations,
                        violations != 0 ? plan->per_outside : plan->per_shape);
}

/* ---- Sizes ---- */

static bool is_prime(uint64_t n)
{
    for (uint64_t divisor = 2; divisor * divisor <= n; divisor++)
        if (n % divisor == 0)
            return false;
    return n >= 2;
}

static uint64_t prime_from(uint64_t n)
{
    while (!is_prime(n))
        n++;
    return n;
}

/* Returns a random size of the k-th kind, up to about `largest`. Every other size is next to a
 * multiple of the segment. The others are an arbitrary size, a prime, a power of two or its
 * neighbour, and a size next to the block's, of which each block begins with another kind. */
static uint64_t random_size(const struct plan *plan, uint64_t segment, uint64_t block,
                            uint64_t largest, uint64_t k)
{
    uint64_t counter = segment << 32 | block << 20 | k;
    uint64_t drawn = draw(plan->seed, STREAM_SIZES, counter, largest + 1);
    uint64_t beside = draw(plan->seed, STREAM_SIZES, ~counter, 3); /* 0, 1 or 2 */

    if (k % 2 == 1)
        return (1 + drawn % (largest / segment)) * segment + beside - 1;
    switch ((k / 2 + plan->blocks) % 4) {
    case 0:
        return drawn;
    case 1:
        return prime_from(drawn);
    case 2:
        return (UINT64_C(1) << drawn % 13) + beside - 1;
    default:
        return block + beside - 1;
    }
}

/* Returns the number of blocks of a grid, from 2 on: one number after the other, from block to
 * block. Most are small, because large grids take long. */
static uint64_t number_of_blocks(const struct plan *plan)
{
    uint64_t turn = plan->blocks + plan->seed;

    return turn % 4 == 0 ? 2 + turn / 4 % (NUMBERS - 1) : 1 + turn % 4;
}

/* Chooses the k-th size for a vector: first the sizes at which tails begin and end, and whole
 * segments, then random ones. */
static void awkward_length(const struct plan *plan, const struct extent *block, uint64_t k,
                           uint64_t size[2])
{
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    uint64_t segment = threads * plan->variant->elements_per_thread;
    const uint64_t edges[] = {segment,     0,           1,
                              segment - 1, segment + 1, number_of_blocks(plan) * segment};
    uint64_t largest = SIZE_BLOCKS * segment > LARGE_SIZE ? SIZE_BLOCKS * segment : LARGE_SIZE;

    size[1] = 1;
    size[0] = k < sizeof edges / sizeof *edges ? edges[k]
                                               : random_size(plan, segment, threads, largest, k);
}

/* Chooses the k-th size for a matrix. The first sizes are the block itself, empty, one element, a
 * neighbour of the block, tall and wide. For narrow blocks one of them has more rows than a grid
 * has blocks. Random sizes follow. A launch line sets its own block, which is unknown here. */
static void awkward_area(const struct plan *plan, const struct extent *block, uint64_t k,
                         uint64_t size[2])
{
    static const uint64_t sides[] = {1, 2, 3, 7, 13, 31, 32, 33, 53, 61, 64, 65};
    static const uint64_t long_sides[] = {128, 129, 255, 256, 257, 300, 512, 513, 1000, 1025};
    enum { SIDES = sizeof sides / sizeof *sides, SHORT_SIDES = 4 };
    enum { LONG_SIDES = sizeof long_sides / sizeof *long_sides };
    uint64_t x = block->x, y = block->y;
    bool is_known = plan->variant->block_dimensions > 0;
    bool narrow = is_known && x * y <= NARROW && y == 1;
    const uint64_t edges[][2] = {{x, y},   {0, y},
                                 {1, 1},   {x + 1, y == 1 ? 1 : y - 1},
                                 {33, 31}, {1, narrow ? SIMT_GRID_ROWS + 1 : 127},
                                 {127, 1}};
    uint64_t counter = (x << 32 | y << 20 | k) * 2;

    if (k < sizeof edges / sizeof *edges) {
        size[0] = edges[k][0];
        size[1] = edges[k][1];
        return;
    }
    size[0] = sides[draw(plan->seed, STREAM_SIZES, counter, SIDES)];
    size[1] = sides[draw(plan->seed, STREAM_SIZES, counter + 1, SIDES)];
    if (!is_known && k % 3 < 2) { /* passes the end of a block, whatever its size */
        size[k % 3] = long_sides[draw(plan->seed, STREAM_SIZES, counter, LONG_SIDES)];
        size[1 - k % 3] = sides[draw(plan->seed, STREAM_SIZES, counter + 1, SHORT_SIDES)];
    }
    if (!is_known)
        return;
    if (k % 3 == 0) /* next to a multiple of the block, in one dimension */
        size[0] = x * (1 + counter / 2 % 2) + draw(plan->seed, STREAM_SIZES, ~counter, 3) - 1;
    else if (k % 3 == 1)
        size[1] = y * (1 + counter / 2 % 2) + draw(plan->seed, STREAM_SIZES, ~counter, 3) - 1;
}

/* Returns a random maxDepth of at most half of the maximum. No size that is halved at random nests
 * deeper, and a tree of that depth has few grids. */
static uint32_t random_depth(const struct plan *plan, const struct extent *block, uint64_t k)
{
    uint64_t counter = (uint64_t)block->x << 32 | k;

    return (uint32_t)draw(plan->seed, STREAM_DEPTHS, counter,
                          variant_deepest(plan->variant) / 2 + 1);
}

/* Chooses the deepest case of a variant with a maxDepth. A chain there ends by its maxDepth and by
 * its size at once. For every other such block it ends by its maxDepth one level earlier. */
static void deepest_tree(const struct plan *plan, const struct extent *block, struct shape *shape)
{
    uint32_t deepest = variant_deepest(plan->variant);

    shape->size[0] = 1;
    shape->size[1] = plan->variant->size_dimensions == 1 ? 1 : UINT64_C(1) << deepest;
    shape->depth = deepest - block->x / DEEP_BLOCKS % 2;
}

/* Chooses the k-th size for kernels that launch: G blocks, a size S to be halved and a maxDepth.
 * These are the textbook's sizes, and sizes whose nesting ends early, late, or not at all. G is
 * mostly small because each block has a tree of its own. */
static void awkward_tree(const struct plan *plan, const struct extent *block, uint64_t k,
                         struct shape *shape)
{
    static const uint64_t halved[] = {1, 2, 3, 7, 8, 13, 16, 31, 33, 100, 255, 512, 1000};
    enum { HALVED = sizeof halved / sizeof *halved };
    /* Half of it is the largest block, or the second largest for every other block. */
    const uint64_t large = block->x % 2 == 0 ? 2049 : 2047;
    const struct {
        uint64_t size[2];
        uint32_t depth; /* the textbook's are 2, 3 */
    } edges[] = {{{1, block->x}, 2}, {{2, 8}, 3},     {{0, 8}, 2},   {{8, 16}, 0},
                 {{3, 0}, 1},        {{1, large}, 5}, {{1, 2050}, 4}};
    uint64_t counter = ((uint64_t)block->x << 32 | k) * 2, turn = plan->blocks + plan->seed + k;
    bool nests = variant_deepest(plan->variant) > 0;

    if (nests && k == 0 && block->x % DEEP_BLOCKS == 0) {
        deepest_tree(plan, block, shape);
        return;
    }
    if (k < sizeof edges / sizeof *edges) {
        memcpy(shape->size, edges[k].size, sizeof shape->size);
        shape->depth = nests ? edges[k].depth : 0;
    } else {
        shape->size[0] = turn % 8 != 0 ? 1 + turn % NUMBERS
                                       : NUMBERS + draw(plan->seed, STREAM_SIZES, counter, MORE);
        shape->size[1] = halved[draw(plan->seed, STREAM_SIZES, counter + 1, HALVED)];
        shape->depth = nests ? random_depth(plan, block, k) : 0;
    }
    if (plan->variant->size_dimensions == 1)
        shape->size[1] = 1;
}

/* Chooses the k-th size for SIZES_WAYS: the size of a vector, and a number of branches. Some of the
 * numbers are zero, equal to what the kernel has, or larger. */
static void awkward_ways(const struct plan *plan, const struct extent *block, uint64_t k,
                         uint64_t size[2])
{
    static const uint64_t ways[] = {2, 3, 32, 0, 33, 1, 4, 5, 8, 16, 31};

    awkward_length(plan, block, k, size);
    size[1] = ways[k % (sizeof ways / sizeof *ways)];
}

/* Returns whether the block also runs with an extra block in the grid. The extra block does nothing
 * new in most shapes, so only a share of many blocks get one. It is added to one of the first
 * sizes, which are small. */
static bool gets_surplus(const struct plan *plan, const struct plan_request *request)
{
    return variant_takes_surplus(plan->variant) &&
           (request->level == 1 || plan->blocks % SURPLUS_SHARE == 1);
}

static bool is_same_size(const struct shape *a, const struct shape *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && a->depth == b->depth;
}

static void awkward_shape(const struct plan *plan, const struct extent *block, uint64_t k,
                          struct shape *shape)
{
    *shape = (struct shape){*block, {0, 0}, 0, 0, {0, 0}};
    switch (plan->variant->sizes) {
    case SIZES_VECTOR:
        awkward_length(plan, block, k, shape->size);
        break;
    case SIZES_MATRIX:
        awkward_area(plan, block, k, shape->size);
        break;
    case SIZES_WAYS:
        awkward_ways(plan, block, k, shape->size);
        break;
    case SIZES_TREE:
        awkward_tree(plan, block, k, shape);
        break;
    }
}

/* Returns whether one of the first awkward sizes of the block is inside the domain. The very first
 * one is a whole segment. */
static bool is_inside(const struct plan *plan, const struct extent *block, uint64_t first)
{
    struct shape shape = {*block, {0, 1}, 0, 0, {0, 0}};

    if (!variant_takes(plan->variant, &shape))
        return false;
    for (uint64_t k = 0; k < first; k++) {
        awkward_shape(plan, block, k, &shape);
        if (variant_violations(plan->variant, &shape) == 0)
            return true;
    }
    return false;
}

/* Returns whether the block runs only every other awkward size, starting at a random one. There are
 * 7 and 25 times as many blocks of two and three dimensions as of one, many blocks are outside a
 * small domain, and some only launch what others launch. The narrowest blocks run all sizes,
 * because only they reach some limits. */
static bool halves_sizes(const struct plan *plan, const struct plan_request *request,
                         const struct extent *block)
{
    return (uint64_t)block->x * block->y * block->z > NARROW && request->sizes_per_block == 0 &&
           request->level > 1 && request->blocks == NULL &&
           (plan->variant->block_dimensions > 1 || block->x > SIMT_BLOCK_THREADS ||
            (plan->inside_sizes > 0 && !is_inside(plan, block, SIZES_PER_BLOCK)));
}

/* Adds a block for which every size violates several conditions, at the size with the fewest
 * violations. Every block thus has a shape. */
static bool add_least_violating(struct plan *plan, const struct extent *block)
{
    struct shape best, shape;
    uint32_t least = UINT32_MAX;

    for (uint64_t k = 0; k < SIZES_PER_BLOCK; k++) {
        uint32_t violations;
        awkward_shape(plan, block, k, &shape);
        violations = variant_violations(plan->variant, &shape);
        if (least != UINT32_MAX && __builtin_popcount(violations) >= __builtin_popcount(least))
            continue;
        best = shape;
        least = violations;
    }
    plan->left_out--;
    return append_shape(plan, &best, least, plan->per_outside);
}

/* Sizes of one block, without those that are equal. */
struct sizes_of_block {
    struct shape *shapes;
    size_t count;
};

static bool has_size(const struct sizes_of_block *sizes, const struct shape *shape)
{
    for (size_t k = 0; k < sizes->count; k++)
        if (is_same_size(&sizes->shapes[k], shape))
            return true;
    return false;
}

/* Returns how many sizes are added for a block with a whole segment inside the domain. Few blocks
 * are inside the domains of most original variants, and few of the awkward sizes. */
static size_t inside_sizes(const struct plan *plan, const struct plan_request *request)
{
    const struct variant *variant = plan->variant;
    size_t blocks = 0;

    if (domain_count(variant->domain) == 0 || variant->sizes != SIZES_VECTOR ||
        request->sizes_per_block != 0)
        return 0;
    for (uint32_t x = 1; x <= variant_largest_block(variant); x++)
        blocks += is_inside(plan, &(struct extent){x, 1, 1}, 1);
    if (blocks == 0 || INSIDE_SHAPES / blocks < INSIDE_SIZES)
        return 0;
    return request->level == 1 ? INSIDE_SIZES : INSIDE_SHAPES / blocks;
}

/* Returns whether a case takes long: one that races, or launches. */
static bool is_slow(const struct variant *variant)
{
    return variant->known_defect != NULL || variant->launches != LAUNCHES_NOTHING;
}

/* Chooses the k-th size inside the domain: of few blocks, then of a power of two of blocks or its
 * neighbour, then of a random number. Of those, every other one has a random tail. */
static void inside_length(const struct plan *plan, const struct extent *block, uint64_t k,
                          struct shape *shape)
{
    uint64_t segment = plan->variant->elements_per_thread * block->x, blocks = k + 1;
    uint64_t later = k < NUMBERS ? 0 : (k - NUMBERS) / 2, counter = segment << 32 | k;
    uint64_t most = NUMBERS + plan->inside_sizes;
    uint64_t size = is_slow(plan->variant) ? INSIDE_SIZE / 8 : INSIDE_SIZE;

    if (size / segment > most)
        most = size / segment;
    if (k >= NUMBERS && later / 3 < POWERS && UINT64_C(16) << later / 3 < most)
        blocks = (UINT64_C(16) << later / 3) + later % 3 - 1;
    else if (k >= NUMBERS)
        blocks = 1 + draw(plan->seed, STREAM_INSIDE, counter, most);
    *shape = (struct shape){*block, {blocks * segment, 1}, 0, 0, {0, 0}};
    if (k >= NUMBERS && (k - NUMBERS) % 2 == 1)
        shape->size[0] -= draw(plan->seed, STREAM_INSIDE, ~counter, segment);
}

/* Adds sizes inside the domain, to those that the block has. Each runs under every model and
 * schedule. If it takes long, it runs once, and the sizes of all are limited. */
static bool add_inside_sizes(struct plan *plan, const struct extent *block,
                             struct sizes_of_block *sizes)
{
    bool slow = is_slow(plan->variant);
    size_t wanted = sizes->count + plan->inside_sizes;
    uint64_t cases = slow ? 1 : plan->model_count * plan->schedule_count, elements = 0;
    struct shape shape;

    if (!is_inside(plan, block, 1))
        return true;
    for (uint64_t k = 0; sizes->count < wanted && k < 16 * wanted; k++) {
        inside_length(plan, block, k, &shape);
        if (variant_violations(plan->variant, &shape) != 0 || has_size(sizes, &shape) ||
            (slow && k >= NUMBERS && elements > SLOW_ELEMENTS))
            continue;
        elements += shape.size[0];
        sizes->shapes[sizes->count++] = shape;
        if (!append_shape(plan, &shape, 0, cases))
            return false;
    }
    return true;
}

static bool add_surplus(struct plan *plan, const struct plan_request *request,
                        const struct sizes_of_block *sizes)
{
    size_t few = sizes->count < FEW ? sizes->count : FEW;
    struct shape surplus;

    if (few == 0 || !gets_surplus(plan, request))
        return true;
    surplus = sizes->shapes[draw(plan->seed, STREAM_SURPLUS, plan->blocks, few)];
    surplus.surplus = 1;
    return add_shape(plan, request, &surplus);
}

static bool add_awkward_sizes(struct plan *plan, const struct plan_request *request,
                              const struct extent *block)
{
    const struct launch_text *launch = plan->variant->launch;
    bool alone =
             plan->variant->block_dimensions == 0 && (launch == NULL || launch_has_size(launch)),
         good = true;
    bool halved = halves_sizes(plan, request, block);
    uint64_t per_block = launch_is_captured(plan->variant) ? 1
                         : request->sizes_per_block != 0   ? request->sizes_per_block
                                                           : SIZES_PER_BLOCK;
    size_t wanted = per_block * (alone ? (size_t)LONE_THREAD_SIZES : 1) / (halved ? 2 : 1);
    struct sizes_of_block sizes = {.shapes =
                                       calloc(wanted + plan->inside_sizes, sizeof *sizes.shapes)};

    if (sizes.shapes == NULL)
        return false;
    /* Small blocks may have fewer distinct sizes than wanted. */
    for (uint64_t k = halved ? draw(plan->seed, STREAM_HALVES, plan->blocks, 2) : 0;
         good && sizes.count < wanted && k < 64 * wanted; k += halved ? 2 : 1) {
        struct shape shape;
        awkward_shape(plan, block, k, &shape);
        if (has_size(&sizes, &shape))
            continue;
        sizes.shapes[sizes.count++] = shape;
        good = add_shape(plan, request, &shape);
    }
    good = good && add_surplus(plan, request, &sizes) && add_inside_sizes(plan, block, &sizes);
    free(sizes.shapes);
    return good;
}

/* ---- Blocks ---- */

/* Returns whether the host launches blocks of another size for `b` than for `a`. */
static bool is_other_block(const struct plan *plan, const struct extent *a, const struct extent *b)
{
    const struct shape one = {*a, {0, 1}, 0, 0, {0, 0}}, other = {*b, {0, 1}, 0, 0, {0, 0}};
    struct extent launched = variant_launched_block(plan->variant, &other);

    return memcmp(a, b, sizeof *a) != 0 && launched.x > 0 &&
           (a->x == 0 || variant_launched_block(plan->variant, &one).x != launched.x ||
            a->y != b->y || a->z != b->z);
}

static bool add_block(struct plan *plan, const struct plan_request *request,
                      const struct extent *block)
{
    struct shape shape = {*block, {0, 1}, 0, 0, {0, 0}};
    const struct extent none = {0, 0, 0};

    if (interrupt_came() || !variant_takes(plan->variant, &shape))
        return true;
    plan->blocks += is_other_block(
        plan, plan->shape_count > 0 ? &plan->shapes[plan->shape_count - 1].shape.block : &none,
        block);
    if (request->sizes == NULL) {
        size_t before = plan->shape_count;
        return add_awkward_sizes(plan, request, block) &&
               (plan->shape_count > before || request->blocks != NULL ||
                add_least_violating(plan, block));
    }
    for (size_t s = 0; s < request->size_count; s++) {
        shape = request->sizes[s];
        shape.block = *block;
        if (!add_shape(plan, request, &shape))
            return false;
    }
    return true;
}

/* Chooses the lengths of blocks. Level 1 has powers of two, their neighbours and a few seeded
 * random ones. Other levels have all. */
static void choose_lengths(const struct plan_request *request, uint64_t seed, bool chosen[])
{
    for (uint32_t block = 1; block <= SIMT_BLOCK_THREADS; block++)
        chosen[block] = request->level > 1;
    for (uint32_t power = 1; power <= SIMT_BLOCK_THREADS; power *= 2)
        for (uint32_t block = power - 1; block <= power + 1; block++)
            if (block >= 1 && block <= SIMT_BLOCK_THREADS)
                chosen[block] = true;
    for (uint64_t k = 0; k < RANDOM_BLOCKS; k++)
        chosen[1 + draw(seed, STREAM_BLOCKS, k, SIMT_BLOCK_THREADS)] = true;
}

static bool add_one_dimensional_blocks(struct plan *plan, const struct plan_request *request)
{
    bool chosen[SIMT_BLOCK_THREADS + 2] = {false};

    choose_lengths(request, plan->seed, chosen);
    for (uint32_t x = 1; x <= variant_largest_block(plan->variant); x++) {
        const struct extent block = {x, 1, 1};
        plan->all_blocks += is_other_block(plan, &(struct extent){x - 1, 1, 1}, &block);
        /* Of the B that launch the same block, one is enough if it is large. */
        if (x <= SIMT_BLOCK_THREADS ? !chosen[x] : x % 2 == 1 || !chosen[x / 2])
            continue;
        if (!add_block(plan, request, &block))
            return false;
    }
    return true;
}

/* Returns whether level 1 includes the block for every seed: the textbooks' blocks, squares, and
 * blocks with one long side. */
static bool is_notable(uint32_t x, uint32_t y, uint32_t z)
{
    static const struct extent notable[] = {
        {1, 1, 1},   {2, 1, 1},   {80, 1, 1},  {1024, 1, 1}, {1, 1024, 1}, {1, 1, 64},
        {1, 31, 1},  {31, 1, 1},  {32, 32, 1}, {32, 16, 1},  {16, 32, 1},  {16, 16, 1},
        {33, 31, 1}, {31, 33, 1}, {2, 2, 2},   {10, 10, 10}, {4, 4, 64},   {8, 8, 16},
    };
    for (size_t k = 0; k < sizeof notable / sizeof *notable; k++)
        if (notable[k].x == x && notable[k].y == y && notable[k].z == z)
            return true;
    return false;
}

/* Adds every block of up to 1024 threads in two or three dimensions, or some of them at level 1. */
static bool add_blocks(struct plan *plan, const struct plan_request *request)
{
    bool flat = plan->variant->block_dimensions == 2;
    uint32_t deepest = flat ? 1 : SIMT_BLOCK_THREADS_Z;
    uint64_t rarity = flat ? 7262 / RANDOM_SHAPES : 25000 / RANDOM_SHAPES;

    for (uint32_t x = 1; x <= SIMT_BLOCK_THREADS; x++)
        for (uint32_t y = 1; x * y <= SIMT_BLOCK_THREADS; y++)
            for (uint32_t z = 1; z <= deepest && x * y * z <= SIMT_BLOCK_THREADS; z++) {
                uint64_t counter = ((uint64_t)x << 12 | y) << 12 | z;
                plan->all_blocks++;
                if (request->level == 1 && !is_notable(x, y, z) &&
                    draw(plan->seed, STREAM_BLOCKS, counter, rarity) != 0)
                    continue;
                if (!add_block(plan, request, &(struct extent){x, y, z}))
                    return false;
            }
    return true;
}

static bool add_chosen_blocks(struct plan *plan, const struct plan_request *request)
{
    switch (plan->variant->block_dimensions) {
    case 0:
        plan->all_blocks = 1;
        return add_block(plan, request, &(struct extent){1, 1, 1});
    case 1:
        return add_one_dimensional_blocks(plan, request);
    default:
        return add_blocks(plan, request);
    }
}

enum profile plan_profile(const struct plan_request *request, const struct variant *variant)
{
    return request->profile_chosen              ? request->profile
           : variant->need == NEEDS_DEVICE_WAIT ? PROFILE_CDP1
                                                : PROFILE_CDP2;
}

/* ---- Default limits ---- */

enum { PENDING_LIMIT = 2048, MAX_PAIR = 4 };

/* Returns a shape of one block of k threads or elements; or of k such blocks that each launch. */
static struct shape limit_shape(const struct variant *variant, bool deep, uint32_t block,
                                uint32_t k)
{
    bool is_tree = variant->sizes == SIZES_TREE;
    struct shape shape = {.block = {deep ? k : block, 1, 1}, .size = {k, 1}};

    if (!is_tree && !deep)
        shape.size[0] = (uint64_t)block * k;
    if (is_tree && deep)
        shape.size[0] = 1;
    if (variant->size_dimensions == 2)
        shape.size[1] = deep ? k : 2;
    if (variant_deepest(variant) > 0)
        shape.depth = !deep ? 1 : k < variant_deepest(variant) ? k : variant_deepest(variant);
    return shape;
}

/* Returns the fewest threads of a block that launches, in a grid of that many blocks; 0: none. */
static uint32_t launching_block(const struct variant *variant)
{
    for (uint32_t block = 1; block <= MAX_PAIR; block++) {
        struct shape shape = limit_shape(variant, false, block, PENDING_LIMIT);
        struct launch_tree tree;
        oracle_launch_tree(variant, &shape, &tree);
        if (tree.children > 0 && variant_violations(variant, &shape) == 0)
            return block;
    }
    return 0;
}

struct limit_error plan_limits(const struct variant *variant, enum profile profile, bool deep,
                               struct shape *fits, struct shape *fails)
{
    struct limit_error error = {NULL, SOME_ORDERS};
    uint32_t block = deep ? 1 : launching_block(variant);
    uint32_t last = deep ? SIMT_BLOCK_THREADS : PENDING_LIMIT + 1;

    *fits = *fails = (struct shape){.surplus = 0};
    if (variant->launches == LAUNCHES_NOTHING || block == 0)
        return error;
    for (uint32_t k = deep ? 1 : PENDING_LIMIT; k <= last && error.text == NULL; k++) {
        struct shape shape = limit_shape(variant, deep, block, k);
        if (variant_violations(variant, &shape) != 0)
            continue;
        error = oracle_limit_error(variant, &shape, profile == PROFILE_CDP1);
        *(error.text != NULL ? fails : fits) = shape;
    }
    return error;
}

/* Adds the shapes that run at the default limits. */
static bool add_limits(struct plan *plan)
{
    struct shape shapes[2];

    for (int deep = 1; deep >= 0; deep--) {
        plan_limits(plan->variant, plan->profile, deep, &shapes[0], &shapes[1]);
        for (int s = 0; s < 2; s++) {
            if (shapes[s].block.x == 0)
                continue;
            if (!append_shape(plan, &shapes[s], 0, 1))
                return false;
            plan->shapes[plan->shape_count - 1].default_limits = true;
        }
    }
    return true;
}

/* ---- The plan ---- */

enum { DEFAULT_SCHEDULES = 3, WEAK_SCHEDULES = 8 };

void plan_add_weak(struct schedule *schedules, size_t *count, uint64_t seed, size_t added)
{
    for (size_t k = 0; k < added && *count < MAX_SCHEDULES; k++)
        schedules[(*count)++] = (struct schedule){SCHEDULE_WEAK, seed + k, {0}};
}

static void choose_combinations(struct plan *plan, const struct plan_request *request,
                                bool simulated, uint64_t round)
{
    for (int m = 0; m < MODELS; m++)
        if (request->models[m])
            plan->models[plan->model_count++] = (enum model)m;
    plan->profile = plan_profile(request, plan->variant);
    plan->named_schedules =
        request->schedule_count > 0 ? request->schedule_count : DEFAULT_SCHEDULES;
    memcpy(plan->schedules, request->schedules, sizeof plan->schedules);
    if (request->schedule_count == 0) {
        plan->schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        plan->schedules[1] = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
        plan->schedules[2] = (struct schedule){SCHEDULE_RANDOM, request->seed, {0}};
    }
    if (request->schedule_count == 0 && request->weak_memory != 0)
        plan_add_weak(plan->schedules, &plan->named_schedules, request->seed, WEAK_SCHEDULES);
    plan->schedule_count = plan->named_schedules + request->random_schedules;
    if (plan->variant->known_defect != NULL && plan->variant->launches != LAUNCHES_NOTHING &&
        !request->schedules_chosen)
        plan->schedule_count += SCHEDULES_FOR_KNOWN_DEFECT;
    for (size_t k = 0; k < plan->named_schedules; k++)
        if (plan->schedules[k].kind == SCHEDULE_RANDOM || plan->schedules[k].kind == SCHEDULE_WEAK)
            plan->schedules[k].seed += round;
    plan->per_shape = plan->model_count * plan->schedule_count;
    if (!simulated) { /* a GPU has one model and schedule */
        plan->models[0] = MODEL_INDEPENDENT;
        plan->schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        plan->model_count = plan->schedule_count = plan->named_schedules = 1;
    }
    if (!simulated || (request->level > 1 && request->random_schedules == 0 &&
                       plan->variant->known_defect == NULL))
        plan->per_shape = 1;
    /* Without nested launches, what a shape outside does depends on its indices and not on the
     * schedule. */
    plan->per_outside = plan->per_shape > 1 && request->level > 1 &&
                                request->random_schedules == 0 &&
                                plan->variant->launches == LAUNCHES_NOTHING
                            ? plan->model_count
                            : plan->per_shape;
}

static void number_cases(struct plan *plan)
{
    plan->cases = 0;
    for (size_t k = 0; k < plan->shape_count; k++) {
        plan->shapes[k].first = plan->cases;
        plan->cases += plan->shapes[k].cases;
    }
}

/* Returns 1 for a shape without elements, 0 for a small one, and 2 for others. The first cases of a
 * plan should launch a kernel, which many do only for some elements. */
static int class_of(const struct shape *shape)
{
    enum { SMALL = 33 };
    uint64_t elements = shape_elements(shape);

    return elements == 0 ? 1 : elements > SMALL ? 2 : 0;
}

static int by_size(const void *a, const void *b)
{
    const struct planned_shape *x = a, *y = b;
    int order = class_of(&x->shape) - class_of(&y->shape);

    if (order != 0)
        return order;
    if (shape_is_smaller(&x->shape, &y->shape) || shape_is_smaller(&y->shape, &x->shape))
        return shape_is_smaller(&x->shape, &y->shape) ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns how many threads have work, at most. The threads of a launch that sets its own block are
 * unknown. */
static uint64_t busy_threads(const struct plan *plan, const struct shape *shape)
{
    uint64_t elements = shape_elements(shape), threads = shape_threads(shape);

    return plan->variant->block_dimensions > 0 && threads < elements ? threads : elements;
}

/* Removes all shapes but a few, the smallest with as many busy threads. */
static void keep_few(struct plan *plan)
{
    static const uint64_t least[] = {1, 33, 65, 257};
    size_t kept = 0;

    for (size_t t = 0; t < sizeof least / sizeof *least; t++) {
        size_t best = plan->shape_count;
        for (size_t k = kept; k < plan->shape_count; k++)
            if (busy_threads(plan, &plan->shapes[k].shape) >= least[t] &&
                (best == plan->shape_count ||
                 shape_is_smaller(&plan->shapes[k].shape, &plan->shapes[best].shape)))
                best = k;
        if (best == plan->shape_count)
            break;
        const struct planned_shape shape = plan->shapes[best];
        plan->shapes[best] = plan->shapes[kept];
        plan->shapes[kept++] = shape;
    }
    plan->shape_count = kept > 0 || plan->shape_count == 0 ? kept : 1;
}

bool plan_make(const struct plan_request *request, const struct variant *variant, bool simulated,
               uint64_t round, struct plan *plan)
{
    bool good = true;

    *plan = (struct plan){.variant = variant, .seed = request->seed + round};
    choose_combinations(plan, request, simulated, round);
    plan->inside_sizes = inside_sizes(plan, request);
    if (request->blocks == NULL)
        good = add_chosen_blocks(plan, request);
    for (size_t b = 0; good && b < request->block_count; b++)
        good = add_block(plan, request, &request->blocks[b]);
    if (good && request->blocks == NULL && request->sizes == NULL)
        good = add_limits(plan);
    if (!good)
        plan_free(plan);
    if (request->smallest_first && plan->shape_count > 0)
        qsort(plan->shapes, plan->shape_count, sizeof *plan->shapes, by_size);
    if (request->few)
        keep_few(plan);
    number_cases(plan);
    return good;
}

void plan_free(struct plan *plan)
{
    free(plan->shapes);
    plan->shapes = NULL;
    plan->shape_count = 0;
    plan->cases = 0;
}

void plan_keep_inside(struct plan *plan)
{
    size_t kept = 0;

    for (size_t k = 0; k < plan->shape_count; k++)
        if (plan->shapes[k].violations == 0 && !plan->shapes[k].default_limits) {
            plan->shapes[kept] = plan->shapes[k];
            plan->shapes[kept].number = kept;
            kept++;
        }
    plan->whole_count = plan->shape_count = kept;
    number_cases(plan);
}

void plan_shard(struct plan *plan, const struct shard *shard)
{
    uint64_t salt = shard_salt(plan->variant->id) + (uint64_t)plan->variant->kind;
    const struct extent none = {0, 0, 0};
    size_t kept = 0;
    uint64_t blocks = 0;

    if (shard->count == 0)
        return;
    for (size_t k = 0; k < plan->shape_count; k++) {
        if (!shard_has(shard, salt, plan->shapes[k].number))
            continue;
        blocks += !plan->shapes[k].default_limits &&
                  is_other_block(plan, kept > 0 ? &plan->shapes[kept - 1].shape.block : &none,
                                 &plan->shapes[k].shape.block);
        plan->shapes[kept++] = plan->shapes[k];
    }
    plan->shape_count = kept;
    plan->blocks = blocks;
    number_cases(plan);
}

uint64_t plan_count(const struct plan *plan)
{
    return plan->cases;
}

const struct planned_shape *plan_shape(const struct plan *plan, uint64_t index)
{
    size_t low = 0, high = plan->shape_count; /* the shape is in [low, high) */

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (plan->shapes[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &plan->shapes[low];
}

uint64_t plan_place(const struct plan *plan, uint64_t index)
{
    const struct planned_shape *planned = plan_shape(plan, index);
    uint64_t most = plan->model_count * plan->schedule_count;

    return planned->number * most + index - planned->first;
}

/* Returns the k-th special value. `place` is the index of an element. Only a user's launch also
 * gets zeros and the last list. The catalogue's kernels compute sums, and zeros do not change a
 * sum. */
static struct values special_values(const struct plan *plan, uint64_t k, uint64_t seed,
                                    uint64_t place, uint64_t n)
{
    static const enum value_pattern shared[] = {VALUES_ONES, VALUES_MINIMUM, VALUES_MAXIMUM,
                                                VALUES_ALTERNATE};
    static const enum value_pattern real[] = {
        VALUES_WHOLE,         VALUES_SUBNORMAL, VALUES_MIXED,   VALUES_CANCEL, VALUES_LARGE,
        VALUES_NEGATIVE_ZERO, VALUES_INFINITE,  VALUES_OPPOSED, VALUES_NAN,    VALUES_ABSORBING,
    };
    const struct values of_user[] = {
        {VALUES_UNIT, place},  {VALUES_HOLE, place},   {VALUES_WHOLE, seed},
        {VALUES_ASCENDING, n}, {VALUES_DESCENDING, n}, {VALUES_FILLED, 0},
    };
    enum { SHARED = sizeof shared / sizeof *shared, REAL = sizeof real / sizeof *real };
    enum { OF_USER = sizeof of_user / sizeof *of_user };
    uint64_t reals = plan->variant->element == ELEMENT_F32 ? REAL : 0;
    bool is_user = plan->variant->launch != NULL;

    k %= SHARED + reals + (is_user ? 1 + OF_USER : 0);
    if (is_user && k == 0)
        return (struct values){VALUES_ZEROS, 0};
    k -= is_user;
    if (k < SHARED)
        return (struct values){shared[k], 0};
    k -= SHARED;
    if (k >= reals)
        return of_user[k - reals];
    if (real[k] >= VALUES_INFINITE) /* the parameter is an index */
        return (struct values){real[k], place};
    return (struct values){real[k], seed};
}

/* Chooses the values of a case. Half of the cases have random values, a quarter of these bytes as
 * in the textbooks, and the others have the special ones in turn. A user's launch has few sizes, so
 * it gets special values at every shape, zeros first. A case outside the domain has values that
 * reveal a lost or duplicated element. */
static struct values choose_values(const struct plan *plan, uint64_t index, uint64_t way,
                                   const struct planned_shape *planned)
{
    enum element element = plan->variant->element;
    uint64_t n = shape_elements(&planned->shape);
    uint64_t drawn = draw(plan->seed, STREAM_VALUES, index + (way << 40), UINT32_MAX);
    uint64_t seed = plan->seed + drawn / 2 % SEEDS, place = n > 0 ? (drawn >> 8) % n : 0;

    if (launch_is_captured(plan->variant))
        return (struct values){VALUES_HASH, plan->seed}; /* memory is as captured */
    if (planned->violations != 0)
        return (struct values){element == ELEMENT_F32 ? VALUES_WHOLE : VALUES_HASH, seed};
    if (plan->variant->launch == NULL && drawn % 8 == 0)
        return (struct values){VALUES_BYTES, seed};
    if (plan->variant->launch != NULL ? way % 2 == 0 : drawn % 2 == 0)
        return (struct values){VALUES_HASH, seed};
    return special_values(plan, plan->variant->launch != NULL ? index + way / 2 : drawn >> 16, seed,
                          place, n);
}

/* Returns the k-th schedule: the named ones, then random ones. */
static struct schedule schedule_number(const struct plan *plan, uint64_t k)
{
    if (k < plan->named_schedules)
        return plan->schedules[k];
    return (struct schedule){SCHEDULE_RANDOM, plan->seed + k - plan->named_schedules, {0}};
}

void plan_case(const struct plan *plan, uint64_t index, struct test_case *test)
{
    const struct planned_shape *planned = plan_shape(plan, index);
    uint64_t shape = planned->number;
    uint64_t combinations = plan->model_count * plan->schedule_count;
    uint64_t place = index - planned->first, cases = planned->cases;
    uint64_t turn = place, way = plan->variant->launch != NULL ? place : 0;

    if (cases == 1)
        turn = planned->default_limits ? 0 : draw(plan->seed, STREAM_TURNS, shape, combinations);
    else if (cases != combinations)
        turn = place * plan->schedule_count +
               draw(plan->seed, STREAM_TURNS, shape + (place << 40), plan->schedule_count);
    *test = (struct test_case){
        .variant = plan->variant,
        .shape = planned->shape,
        .values = choose_values(plan, shape, way, planned),
        .model = plan->models[turn / plan->schedule_count % plan->model_count],
        .schedule = schedule_number(plan, turn % plan->schedule_count),
        .profile = plan->profile,
        .default_limits = planned->default_limits,
    };
}

/* ---- Sets of values ---- */

static size_t add_set(struct values sets[PLAN_SETS], size_t count, struct values values)
{
    for (size_t k = 0; k < count; k++)
        if (sets[k].pattern == values.pattern)
            return count;
    if (count < PLAN_SETS)
        sets[count++] = values;
    return count;
}

size_t plan_sets(const struct plan *plan, size_t shape, struct values sets[PLAN_SETS])
{
    enum { MANY_SHAPES = 32, SHARE = 3 };
    static const enum value_pattern alike[] = {VALUES_ZEROS, VALUES_ONES, VALUES_MINIMUM,
                                               VALUES_FILLED, VALUES_WHOLE};
    const struct planned_shape *planned = &plan->shapes[shape];
    struct values all[PLAN_SETS];
    struct test_case test;
    size_t count, kept = 1;

    plan_case(plan, planned->first, &test);
    count = add_set(all, 0, test.values);
    if (launch_is_captured(plan->variant)) {
        sets[0] = test.values;
        return 1;
    }
    for (size_t k = 0; k < sizeof alike / sizeof *alike; k++)
        count = add_set(all, count, (struct values){alike[k], 0});
    for (size_t k = 1; k < planned->cases; k++) {
        plan_case(plan, planned->first + k, &test);
        count = add_set(all, count, test.values);
    }
    sets[0] = all[0];
    for (size_t k = 1; k < count; k++)
        if (plan->shape_count < MANY_SHAPES || (k + shape) % SHARE == 0)
            sets[kept++] = all[k];
    return kept;
}
