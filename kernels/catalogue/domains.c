/* SPDX-License-Identifier: MIT */
#include "domains.h"

enum {
    MIN_WITH_TAIL = 64,
    SHARED_ARRAY = 512,    /* elements of the textbooks' shared array */
    MAX_WAYS = 32,         /* branches of mathKernelWays */
    LARGEST_HALVED = 2049, /* size of nestedHelloWorld: half of it is a block's maximum of
                              threads */
};

/* ---- Conditions ---- */

bool shape_has_elements(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[0] >= 1;
}

bool shape_block_is_power_of_two(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return (shape->block.x & (shape->block.x - 1)) == 0;
}

bool shape_size_is_whole_segments(const struct variant *variant, const struct shape *shape)
{
    return shape->size[0] % (variant->elements_per_thread * shape_threads(shape)) == 0;
}

/* ceil(n/B) is even. Then the integer division by 2 loses nothing. A thread without a second
 * element keeps its only one. For a larger U it would lose the elements in between. */
static bool blocks_pair_up(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return (shape->size[0] + shape->block.x - 1) / shape->block.x % 2 == 0;
}

static bool block_has_a_tail(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x >= MIN_WITH_TAIL;
}

static bool block_is_one_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= SIMT_WARP_LANES;
}

static bool block_fits_shared_array(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= SHARED_ARRAY;
}

/* If B/2, B/4 ... reaches an odd s above 1, the last of s elements has no partner. It is padding if
 * n is below s. */
static bool halving_loses_nothing(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    for (uint32_t s = shape->block.x; s > 1; s /= 2)
        if (s % 2 == 1 && s <= shape->size[0])
            return false;
    return true;
}

static bool size_is_power_of_two(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return (shape->size[0] & (shape->size[0] - 1)) == 0;
}

static bool matrix_has_elements(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape_elements(shape) >= 1;
}

static bool rows_fit_grid(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return (shape->size[1] + shape->block.y - 1) / shape->block.y <= SIMT_GRID_ROWS;
}

static bool size_halves_to_one(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[1] <= LARGEST_HALVED;
}

/* A grid that launches nothing may have any size. */
static bool size_halves_or_ends(const struct variant *variant, const struct shape *shape)
{
    return shape->depth == 0 || size_halves_to_one(variant, shape);
}

static bool block_has_a_pair(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x >= 2;
}

/* Each element has a branch among the 32. */
static bool ways_have_branches(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[1] >= 1 && (shape->size[1] <= MAX_WAYS || shape->size[0] <= MAX_WAYS);
}

/* The first half of a segment belongs to one warp. */
static bool half_is_one_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x / 2 <= SIMT_WARP_LANES;
}

static bool blocks_are_alone(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= 2 || shape->size[0] <= shape->block.x;
}

bool block_has_an_instance(const struct variant *variant, const struct shape *shape)
{
    return block_has_a_tail(variant, shape) && shape_block_is_power_of_two(variant, shape);
}

/* ---- Domains ---- */

#define HAS_ELEMENTS                                                                               \
    {                                                                                              \
        "n >= 1", shape_has_elements, OUTSIDE_FAILS                                                \
    }
#define POWER_OF_TWO                                                                               \
    {                                                                                              \
        "B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS                          \
    }
#define WHOLE_SEGMENTS(text)                                                                       \
    {                                                                                              \
        text, shape_size_is_whole_segments, OUTSIDE_FAILS                                          \
    }

const struct domain everywhere = {{{NULL, NULL, OUTSIDE_FAILS}}};

/* A grid of no blocks is a launch error. A block that is not a power of two loses an element or
 * takes one from the next segment. A tail block reads past the data, or is not launched at all. */
const struct domain whole_blocks = {
    {HAS_ELEMENTS, POWER_OF_TWO, WHOLE_SEGMENTS("n is a multiple of B")}};
const struct domain whole_segments = {
    {HAS_ELEMENTS, POWER_OF_TWO, WHOLE_SEGMENTS("n is a multiple of U*B")}};

const struct domain paired_blocks = {
    {HAS_ELEMENTS, POWER_OF_TWO, {"ceil(n/B) is even", blocks_pair_up, OUTSIDE_FAILS}}};

/* The tail adds element 32 of its block, even if the block does not have it. */
const struct domain whole_segments_with_tail = {{HAS_ELEMENTS,
                                                 POWER_OF_TWO,
                                                 WHOLE_SEGMENTS("n is a multiple of U*B"),
                                                 {"B >= 64", block_has_a_tail, OUTSIDE_FAILS}}};

const struct domain whole_blocks_with_tail = {{HAS_ELEMENTS,
                                               POWER_OF_TWO,
                                               WHOLE_SEGMENTS("n is a multiple of B"),
                                               {"B >= 64", block_has_a_tail, OUTSIDE_FAILS}}};

const struct domain whole_segments_with_instance = {
    {HAS_ELEMENTS,
     WHOLE_SEGMENTS("n is a multiple of U*B"),
     {"B is 64, 128, 256, 512 or 1024", block_has_an_instance, OUTSIDE_FAILS}}};

/* There is no barrier between a thread's own sum and the tree. */
const struct domain whole_segments_in_a_warp = {{HAS_ELEMENTS,
                                                 POWER_OF_TWO,
                                                 WHOLE_SEGMENTS("n is a multiple of U*B"),
                                                 {"B <= 32", block_is_one_warp, OUTSIDE_MAY_PASS}}};

/* As whole_blocks, in an array of 512. A GPU may tolerate accesses past it. The padding covers the
 * tail block. */
const struct domain padded_blocks = {
    {HAS_ELEMENTS,
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS_ON_HOST},
     {"B <= 512", block_fits_shared_array, OUTSIDE_FAILS_ON_HOST}}};

const struct domain padded_halves = {
    {HAS_ELEMENTS,
     {"none of B, B/2, B/4 ... is odd and from 3 to n", halving_loses_nothing, OUTSIDE_FAILS},
     {"B <= 512", block_fits_shared_array, OUTSIDE_FAILS_ON_HOST}}};

const struct domain powers_of_two = {
    {HAS_ELEMENTS, {"n is a power of two", size_is_power_of_two, OUTSIDE_FAILS}}};

const struct domain matrices = {{{"nx*ny >= 1", matrix_has_elements, OUTSIDE_FAILS},
                                 {"ceil(ny/By) <= 65535", rows_fit_grid, OUTSIDE_FAILS}}};

/* The kernel does not test n. */
const struct domain whole_grids = {{HAS_ELEMENTS, WHOLE_SEGMENTS("n is a multiple of B")}};

const struct domain some_elements = {{HAS_ELEMENTS}};

const struct domain some_ways = {
    {HAS_ELEMENTS,
     {"k is from 1 to 32, or n <= 32 and k >= 1", ways_have_branches, OUTSIDE_FAILS}}};

const struct domain halved_sizes = {{{"G >= 1", shape_has_elements, OUTSIDE_FAILS},
                                     {"S <= 2049", size_halves_to_one, OUTSIDE_FAILS}}};

const struct domain limited_sizes = {
    {{"G >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"S <= 2049, or maxDepth = 0", size_halves_or_ends, OUTSIDE_FAILS}}};

const struct domain some_blocks = {{{"G >= 1", shape_has_elements, OUTSIDE_FAILS}}};

/* A block of one thread would launch a block of none. */
const struct domain paired_segments = {{HAS_ELEMENTS,
                                        POWER_OF_TWO,
                                        WHOLE_SEGMENTS("n is a multiple of B"),
                                        {"B >= 2", block_has_a_pair, OUTSIDE_FAILS}}};

const struct domain segments_of_a_warp = {{HAS_ELEMENTS,
                                           POWER_OF_TWO,
                                           WHOLE_SEGMENTS("n is a multiple of B"),
                                           {"B >= 2", block_has_a_pair, OUTSIDE_FAILS},
                                           {"B <= 64", half_is_one_warp, OUTSIDE_MAY_PASS}}};

const struct domain lone_segment_of_a_warp = {
    {HAS_ELEMENTS,
     POWER_OF_TWO,
     WHOLE_SEGMENTS("n is a multiple of B"),
     {"B >= 2", block_has_a_pair, OUTSIDE_FAILS},
     {"B <= 64", half_is_one_warp, OUTSIDE_MAY_PASS},
     {"n <= B, or B = 2", blocks_are_alone, OUTSIDE_MAY_PASS}}};
