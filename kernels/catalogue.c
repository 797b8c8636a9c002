/* SPDX-License-Identifier: MIT */
#include "catalogue.h"

#include <string.h>

enum {
    WARP = 32,
    LEAST_WITH_TAIL = 64,
    SHARED_ARRAY = 512,    /* elements of the documents' shared array */
    MOST_BLOCKS_Y = 65535, /* of a grid: CUDA C++ Programming Guide, technical specifications */
    LOOP_STORES = 10,      /* of each thread of the mathKernelLoops */
    LARGEST_HALVED = 2049, /* size of nestedHelloWorld: half of it is a block's most threads */
    LIMITED_DEPTH = 2,     /* the documents' maxDepth */
    TREE_DEPTH = 3,
    LOG_SPARE = 64, /* entries beyond those that can come */
};

uint64_t shape_threads(const struct shape *shape)
{
    return (uint64_t)shape->block.x * shape->block.y * shape->block.z;
}

uint64_t shape_elements(const struct shape *shape)
{
    return shape->size[0] * shape->size[1];
}

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
    return shape->size[0] % (variant->fold * shape_threads(shape)) == 0;
}

/* ceil(n/B) is even: the integer division by 2 loses nothing, and a thread whose second element is
 * missing keeps its only one. For larger U it would lose those in between. */
static bool blocks_pair_up(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return (shape->size[0] + shape->block.x - 1) / shape->block.x % 2 == 0;
}

static bool block_has_a_tail(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x >= LEAST_WITH_TAIL;
}

static bool block_is_one_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= WARP;
}

static bool block_fits_shared_array(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= SHARED_ARRAY;
}

/* Where B/2, B/4 ... comes to an odd s above 1, the last of s elements has no partner. It is
 * padding when n is below s. */
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
    return (shape->size[1] + shape->block.y - 1) / shape->block.y <= MOST_BLOCKS_Y;
}

static bool size_halves_to_one(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[1] <= LARGEST_HALVED;
}

/* G*B, halved again and again, comes to G. */
static bool size_halves_to_blocks(const struct variant *variant, const struct shape *shape)
{
    uint64_t size = shape->size[0] * shape->block.x;

    (void)variant;
    while (size > shape->size[0])
        size /= 2;
    return size == shape->size[0];
}

static bool block_has_a_pair(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x >= 2;
}

/* The first half of a segment is one warp's. */
static bool half_is_one_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x / 2 <= WARP;
}

static bool blocks_are_alone(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= 2 || shape->size[0] <= shape->block.x;
}

static uint32_t log2_rounded_up(uint64_t n)
{
    uint32_t log2 = 0;
    while (UINT64_C(1) << log2 < n)
        log2++;
    return log2;
}

/* Fold elements one after the other, then pairs. */
static uint32_t height_of_block(const struct variant *variant, const struct shape *shape)
{
    return variant->fold - 1 + log2_rounded_up(shape->block.x);
}

static uint32_t height_of_all(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return log2_rounded_up(shape->size[0]);
}

static bool block_has_an_instance(const struct variant *variant, const struct shape *shape)
{
    return block_has_a_tail(variant, shape) && shape_block_is_power_of_two(variant, shape);
}

static uint32_t quotient_rounded_up(uint64_t n, uint64_t divisor)
{
    return (uint32_t)((n + divisor - 1) / divisor);
}

static uint32_t at_least_one(uint32_t blocks)
{
    return blocks == 0 ? 1 : blocks;
}

static void invoke_with_grid(const struct variant *variant, const struct shape *shape,
                             uint32_t blocks, struct invocation *out)
{
    enum element element = variant->element;
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {blocks, 1, 1},
        .block = shape->block,
        .buffer_count = 2,
        .buffers = {{"in", ROLE_INOUT, element, n, 0, 0},
                    {"out", ROLE_OUTPUT, element, blocks, 0, 0}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, (uint32_t)n}},
    };
}

void invoke_reduction(const struct variant *variant, const struct shape *shape,
                      struct invocation *out)
{
    uint32_t blocks = quotient_rounded_up(shape->size[0], shape->block.x) / variant->fold;
    invoke_with_grid(variant, shape, blocks, out);
}

void invoke_reduction_total(const struct variant *variant, const struct shape *shape,
                            struct invocation *out)
{
    uint64_t segment = (uint64_t)variant->fold * shape->block.x;
    uint32_t blocks = quotient_rounded_up(shape->size[0], segment);
    invoke_with_grid(variant, shape, at_least_one(blocks), out);
}

/* Called as (in, out): the kernel does not know n. */
static void invoke_unguarded(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->argument_count = 2;
}

/* Likewise; the host pads the input with zeros to whole blocks, and the kernel only reads it. */
static void invoke_padded(const struct variant *variant, const struct shape *shape,
                          struct invocation *out)
{
    struct buffer *in = &out->buffers[0];

    invoke_unguarded(variant, shape, out);
    in->role = ROLE_INPUT;
    in->padding = (uint64_t)out->grid.x * shape->block.x - in->count;
    in->count += in->padding;
}

static void invoke_shared_total(const struct variant *variant, const struct shape *shape,
                                struct invocation *out)
{
    invoke_reduction_total(variant, shape, out);
    out->buffers[0].role = ROLE_INPUT;
}

/* One thread, whatever n is. */
static void invoke_one_thread(const struct variant *variant, const struct shape *shape,
                              struct invocation *out)
{
    invoke_with_grid(variant, shape, 1, out);
}

/* ceil(nx/Bx) by ceil(ny/By) blocks. */
static void invoke_matrix(const struct variant *variant, const struct shape *shape,
                          struct invocation *out)
{
    enum element element = variant->element;
    uint64_t n = shape_elements(shape);

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {quotient_rounded_up(shape->size[0], shape->block.x),
                 quotient_rounded_up(shape->size[1], shape->block.y), 1},
        .block = shape->block,
        .buffer_count = 3,
        .buffers = {{"A", ROLE_INPUT, element, n, 0, 0},
                    {"B", ROLE_INPUT, element, n, n, 0},
                    {"C", ROLE_OUTPUT, element, n, 0, 0}},
        .argument_count = 5,
        .arguments = {{ARGUMENT_BUFFER, 0},
                      {ARGUMENT_BUFFER, 1},
                      {ARGUMENT_BUFFER, 2},
                      {ARGUMENT_U32, (uint32_t)shape->size[0]},
                      {ARGUMENT_U32, (uint32_t)shape->size[1]}},
    };
}

static void invoke_matrix_total(const struct variant *variant, const struct shape *shape,
                                struct invocation *out)
{
    invoke_matrix(variant, shape, out);
    out->grid.x = at_least_one(out->grid.x);
    out->grid.y = at_least_one(out->grid.y <= MOST_BLOCKS_Y ? out->grid.y : MOST_BLOCKS_Y);
}

/* `outputs` arrays of n elements and no input, one thread an element. */
static void invoke_map(const struct variant *variant, const struct shape *shape,
                       struct invocation *out)
{
    static const char *const names[][3] = {{"c"}, {"number", "warp", "lane"}};
    bool is_warp_map = variant->contract == CONTRACT_WARP_MAP;
    uint32_t outputs = is_warp_map ? 3 : 1;
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {quotient_rounded_up(n, shape_threads(shape)), 1, 1},
        .block = shape->block,
        .buffer_count = outputs,
        .argument_count = outputs,
    };
    for (uint32_t k = 0; k < outputs; k++) {
        out->buffers[k] =
            (struct buffer){names[is_warp_map][k], ROLE_OUTPUT, variant->element, n, 0, 0};
        out->arguments[k] = (struct argument){ARGUMENT_BUFFER, k};
    }
}

void invoke_map_total(const struct variant *variant, const struct shape *shape,
                      struct invocation *out)
{
    invoke_map(variant, shape, out);
    out->grid.x = at_least_one(out->grid.x);
    out->arguments[out->argument_count++] =
        (struct argument){ARGUMENT_U32, (uint32_t)shape->size[0]};
}

static void add_store_count(struct invocation *out)
{
    out->arguments[out->argument_count++] = (struct argument){ARGUMENT_U32, LOOP_STORES};
}

/* Called as (c, n, stores). */
static void invoke_loop(const struct variant *variant, const struct shape *shape,
                        struct invocation *out)
{
    invoke_map_total(variant, shape, out);
    out->grid.x = quotient_rounded_up(shape->size[0], shape->block.x);
    add_store_count(out);
}

static void invoke_loop_total(const struct variant *variant, const struct shape *shape,
                              struct invocation *out)
{
    invoke_map_total(variant, shape, out);
    add_store_count(out);
}

/* ---- Kernels that launch ---- */

/* G blocks of B threads and a log, which the kernel takes, with `print`, after its `scalars`. */
static void invoke_hello(const struct variant *variant, const struct shape *shape, uint64_t entries,
                         const uint32_t *scalars, uint32_t scalar_count, struct invocation *out)
{
    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {(uint32_t)shape->size[0], 1, 1},
        .block = shape->block,
        .launches = true,
        .buffer_count = 1,
        .buffers = {{"log", ROLE_LOG, ELEMENT_I32, 1 + entries + LOG_SPARE, 0, 0}},
        .argument_count = scalar_count + 2,
    };
    for (uint32_t k = 0; k < scalar_count; k++)
        out->arguments[k] = (struct argument){ARGUMENT_U32, scalars[k]};
    out->arguments[scalar_count] = (struct argument){ARGUMENT_BUFFER, 0};
    out->arguments[scalar_count + 1] = (struct argument){ARGUMENT_U32, false};
    if (variant->form == FORM_TOTAL)
        out->grid.x = at_least_one(out->grid.x);
}

static void invoke_hello_halves(const struct variant *variant, const struct shape *shape,
                                struct invocation *out)
{
    bool limited = variant->launches == LAUNCHES_HALVES_LIMITED,
         total = variant->form == FORM_TOTAL;
    uint32_t size = (uint32_t)shape->size[1], blocks = (uint32_t)shape->size[0];
    uint32_t depth = limited ? LIMITED_DEPTH : UINT32_MAX;
    const uint32_t scalars[] = {size, 0, depth, blocks};

    invoke_hello(variant, shape, (uint64_t)blocks * (shape->block.x + size), scalars,
                 total     ? 4
                 : limited ? 3
                           : 2,
                 out);
}

static void invoke_hello_new(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    uint32_t blocks = (uint32_t)shape->size[0];
    const uint32_t scalars[] = {blocks * shape->block.x, blocks, 0};
    uint64_t entries = (2 * (uint64_t)blocks + 32) * shape->block.x;

    invoke_hello(variant, shape, entries, scalars, 3, out);
}

static void invoke_hello_tree(const struct variant *variant, const struct shape *shape,
                              struct invocation *out)
{
    const uint32_t scalars[] = {0, TREE_DEPTH, (uint32_t)shape->size[0]};

    invoke_hello(variant, shape, shape->size[0] << TREE_DEPTH, scalars,
                 variant->form == FORM_TOTAL ? 3 : 2, out);
}

/* <<<n/B, B>>>(in, out, B), by integer division; total: (in, out, B, n), blocks for all of n. */
static void invoke_recursive(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    uint32_t blocks = (uint32_t)(shape->size[0] / shape->block.x);

    invoke_with_grid(variant, shape, blocks, out);
    out->arguments[2].value = shape->block.x;
    out->launches = true;
}

void invoke_recursive_total(const struct variant *variant, const struct shape *shape,
                                   struct invocation *out)
{
    invoke_reduction_total(variant, shape, out);
    out->arguments[2].value = shape->block.x;
    out->arguments[out->argument_count++] =
        (struct argument){ARGUMENT_U32, (uint32_t)shape->size[0]};
    out->launches = true;
}

/* <<<n/B, B/2>>>(in, out, B/2, B). */
static void invoke_recursive2(const struct variant *variant, const struct shape *shape,
                              struct invocation *out)
{
    invoke_recursive(variant, shape, out);
    out->block.x = shape->block.x / 2;
    out->arguments[2].value = shape->block.x / 2;
    out->arguments[out->argument_count++] = (struct argument){ARGUMENT_U32, shape->block.x};
}

/* (in, out, B, B, n), with half as many threads as elements. */
static void invoke_recursive2_total(const struct variant *variant, const struct shape *shape,
                                    struct invocation *out)
{
    invoke_recursive_total(variant, shape, out);
    out->block.x = (shape->block.x + 1) / 2;
    out->arguments[4] = out->arguments[3];
    out->arguments[3] = out->arguments[2];
    out->argument_count++;
}

static const char *const complete_instances[][2] = {
    {"reduceCompleteUnroll64", "reduceCompleteUnrollTotal64"},
    {"reduceCompleteUnroll128", "reduceCompleteUnrollTotal128"},
    {"reduceCompleteUnroll256", "reduceCompleteUnrollTotal256"},
    {"reduceCompleteUnroll512", "reduceCompleteUnrollTotal512"},
    {"reduceCompleteUnroll1024", "reduceCompleteUnrollTotal1024"},
};

/* The least instance that covers the block. */
static const char *complete_instance(uint32_t block, enum form form)
{
    size_t k = 0;
    for (uint32_t cover = LEAST_WITH_TAIL; cover < block; cover *= 2)
        k++;
    return complete_instances[k][form];
}

/* As the document's host code does it: a switch over the instances, with no default. */
static void invoke_complete_unroll(const struct variant *variant, const struct shape *shape,
                                   struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->kernel = block_has_an_instance(variant, shape)
                      ? complete_instance(shape->block.x, FORM_PRINTED)
                      : NULL;
}

static void invoke_complete_unroll_total(const struct variant *variant, const struct shape *shape,
                                         struct invocation *out)
{
    invoke_reduction_total(variant, shape, out);
    out->kernel = complete_instance(shape->block.x, FORM_TOTAL);
}

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

/* A grid of no blocks is a launch error; a block that is no power of two loses an element or takes
 * one from the next segment; a tail block reads past the data, or is not launched at all. */
static const struct conjunct whole_blocks[] = {HAS_ELEMENTS, POWER_OF_TWO,
                                               WHOLE_SEGMENTS("n is a multiple of B")};
static const struct conjunct whole_segments[] = {HAS_ELEMENTS, POWER_OF_TWO,
                                                 WHOLE_SEGMENTS("n is a multiple of U*B")};

static const struct conjunct paired_blocks[] = {
    HAS_ELEMENTS, POWER_OF_TWO, {"ceil(n/B) is even", blocks_pair_up, OUTSIDE_FAILS}};

/* The tail adds element 32 of its block, whether there is one or not. */
static const struct conjunct whole_segments_with_tail[] = {
    HAS_ELEMENTS,
    POWER_OF_TWO,
    WHOLE_SEGMENTS("n is a multiple of U*B"),
    {"B >= 64", block_has_a_tail, OUTSIDE_FAILS}};

static const struct conjunct whole_segments_with_instance[] = {
    HAS_ELEMENTS,
    WHOLE_SEGMENTS("n is a multiple of U*B"),
    {"B is 64, 128, 256, 512 or 1024", block_has_an_instance, OUTSIDE_FAILS}};

/* No barrier after the fold. */
static const struct conjunct whole_segments_in_a_warp[] = {
    HAS_ELEMENTS,
    POWER_OF_TWO,
    WHOLE_SEGMENTS("n is a multiple of U*B"),
    {"B <= 32", block_is_one_warp, OUTSIDE_MAY_PASS}};

/* As whole_blocks, in an array of 512; past it lies what a GPU may let pass. The padding takes care
 * of the tail block. */
static const struct conjunct padded_blocks[] = {
    HAS_ELEMENTS,
    {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS_ON_HOST},
    {"B <= 512", block_fits_shared_array, OUTSIDE_FAILS_ON_HOST}};

static const struct conjunct padded_halves[] = {
    HAS_ELEMENTS,
    {"none of B, B/2, B/4 ... is odd and from 3 to n", halving_loses_nothing, OUTSIDE_FAILS},
    {"B <= 512", block_fits_shared_array, OUTSIDE_FAILS_ON_HOST}};

static const struct conjunct powers_of_two[] = {
    HAS_ELEMENTS, {"n is a power of two", size_is_power_of_two, OUTSIDE_FAILS}};

static const struct conjunct matrices[] = {{"nx*ny >= 1", matrix_has_elements, OUTSIDE_FAILS},
                                           {"ceil(ny/By) <= 65535", rows_fit_grid, OUTSIDE_FAILS}};

/* No test against n. */
static const struct conjunct whole_grids[] = {HAS_ELEMENTS, WHOLE_SEGMENTS("n is a multiple of B")};

static const struct conjunct some_elements[] = {HAS_ELEMENTS};

static const struct conjunct halved_sizes[] = {
    {"G >= 1, S >= 1", matrix_has_elements, OUTSIDE_FAILS},
    {"S <= 2049", size_halves_to_one, OUTSIDE_FAILS}};

static const struct conjunct halved_blocks[] = {
    {"G >= 1", shape_has_elements, OUTSIDE_FAILS},
    {"G*B, halved, comes to G", size_halves_to_blocks, OUTSIDE_FAILS}};

static const struct conjunct some_blocks[] = {{"G >= 1", shape_has_elements, OUTSIDE_FAILS}};

/* A block of one thread would launch one of none. */
static const struct conjunct paired_segments[] = {HAS_ELEMENTS,
                                                  POWER_OF_TWO,
                                                  WHOLE_SEGMENTS("n is a multiple of B"),
                                                  {"B >= 2", block_has_a_pair, OUTSIDE_FAILS}};

static const struct conjunct segments_of_a_warp[] = {
    HAS_ELEMENTS,
    POWER_OF_TWO,
    WHOLE_SEGMENTS("n is a multiple of B"),
    {"B >= 2", block_has_a_pair, OUTSIDE_FAILS},
    {"B <= 64", half_is_one_warp, OUTSIDE_MAY_PASS}};

static const struct conjunct lone_segment_of_a_warp[] = {
    HAS_ELEMENTS,
    POWER_OF_TWO,
    WHOLE_SEGMENTS("n is a multiple of B"),
    {"B >= 2", block_has_a_pair, OUTSIDE_FAILS},
    {"B <= 64", half_is_one_warp, OUTSIDE_MAY_PASS},
    {"n <= B, or B = 2", blocks_are_alone, OUTSIDE_MAY_PASS}};

static const char volatile_tail[] =
    "the steps of the volatile tail are ordered by nothing but lockstep";
static const char barrier_tail[] =
    "in each step of the tail lanes add to elements that other lanes read";
static const char no_barrier_after_fold[] =
    "no barrier between the fold and the first step of the tree";

static const char no_barrier_before_launch[] =
    "the child may start before other threads of the block have added";
static const char child_before_blocks[] =
    "the child may start before other threads, and other blocks, have added";

#define DOMAIN(conjuncts) (conjuncts), sizeof(conjuncts) / sizeof *(conjuncts)
#define EVERYWHERE NULL, 0
#define RACES(finding) ((finding) != NULL ? RACES_ITS : 0)

/* Reductions of int, of float, kernels that map, and those that launch. */
#define INT_PRINTED(id, family, source, fold, conjuncts, finding, invoke)                          \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, CONTRACT_SUM, ELEMENT_I32, fold, DOMAIN(conjuncts),  \
            finding, RACES(finding), invoke, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR             \
    }
#define INT_TOTAL(id, family, kernel, source, fold, invoke)                                        \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, CONTRACT_SUM, ELEMENT_I32, fold, EVERYWHERE, NULL, \
            0, invoke, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR                      \
    }
#define FLOAT_PRINTED(id, family, source, fold, conjuncts, finding, invoke, dimensions, height)    \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, CONTRACT_SUM, ELEMENT_F32, fold, DOMAIN(conjuncts),  \
            finding, RACES(finding), invoke, dimensions, 1, height, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR  \
    }
#define FLOAT_TOTAL(id, family, kernel, source, fold, invoke, dimensions, height)                  \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, CONTRACT_SUM, ELEMENT_F32, fold, EVERYWHERE, NULL, \
            0, invoke, dimensions, 1, height, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR           \
    }
#define MAP_PRINTED(id, family, source, contract, element, conjuncts, invoke, block, size)         \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, contract, element, 1, DOMAIN(conjuncts), NULL,       \
            0, invoke, block, size, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING,                            \
            size == 2 ? SIZES_MATRIX : SIZES_VECTOR                                                \
    }
#define MAP_TOTAL(id, family, kernel, source, contract, element, invoke, block, size)              \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, contract, element, 1, EVERYWHERE, NULL, 0, invoke, \
            block, size, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING,                                    \
            size == 2 ? SIZES_MATRIX : SIZES_VECTOR                                                \
    }

#define HELLO(id, form, kernel, source, contract, conditions, invoke, launches, dimensions)        \
    {                                                                                              \
        id, form, "nested_hello", kernel, source, contract, ELEMENT_I32, 1, conditions, NULL,      \
            0, invoke, 1, dimensions, NULL, launches, NEEDS_NOTHING, SIZES_TREE                       \
    }
#define NESTED(id, form, kernel, source, conditions, finding, invoke, launches, need)              \
    {                                                                                              \
        id, form, "nested_reduce", kernel, source, CONTRACT_SUM, ELEMENT_I32, 1, conditions,       \
            finding, RACES(finding), invoke, 1, 1, NULL, launches, need, SIZES_VECTOR                              \
    }

/* clang-format off */
static const struct variant variants[] = {
    INT_PRINTED("reduceNeighbored", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    INT_TOTAL("reduceNeighbored", "reduce_in_place", "reduceNeighboredTotal", "document 000", 1, invoke_reduction_total),
    INT_PRINTED("reduceNeighboredLess", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    INT_TOTAL("reduceNeighboredLess", "reduce_in_place", "reduceNeighboredLessTotal", "document 000", 1, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    INT_TOTAL("reduceInterleaved", "reduce_in_place", "reduceInterleavedTotal", "document 000", 1, invoke_reduction_total),
    INT_PRINTED("reduceUnrolling2", "reduce_unrolled", "document 000", 2, paired_blocks, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrolling2", "reduce_unrolled", "reduceUnrolling2Total", "document 000", 2, invoke_reduction_total),
    INT_PRINTED("reduceUnrolling4", "reduce_unrolled", "document 000", 4, whole_segments, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrolling4", "reduce_unrolled", "reduceUnrolling4Total", "document 000", 4, invoke_reduction_total),
    INT_PRINTED("reduceUnrolling8", "reduce_unrolled", "document 000", 8, whole_segments, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrolling8", "reduce_unrolled", "reduceUnrolling8Total", "document 000", 8, invoke_reduction_total),
    INT_PRINTED("reduceUnrolling16", "reduce_unrolled", "document 000, exercise 2", 16, whole_segments, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrolling16", "reduce_unrolled", "reduceUnrolling16Total", "document 000, exercise 2", 16, invoke_reduction_total),
    INT_PRINTED("reduceUnrolling8Loop", "reduce_unrolled", "document 000, exercise 3", 8, whole_segments, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrolling8Loop", "reduce_unrolled", "reduceUnrolling8Total", "document 000, exercise 3", 8, invoke_reduction_total),
    INT_PRINTED("reduceUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, volatile_tail, invoke_reduction),
    INT_TOTAL("reduceUnrollWarps8", "reduce_warp_tail", "reduceUnrollWarps8Total", "document 000", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, volatile_tail, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "document 000, exercise 4", 8, whole_segments_with_tail, barrier_tail, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000, exercise 4", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnroll", "reduce_warp_tail", "document 000", 8, whole_segments_with_instance, volatile_tail, invoke_complete_unroll),
    INT_TOTAL("reduceCompleteUnroll", "reduce_warp_tail", "reduceCompleteUnrollTotal64", "document 000", 8, invoke_complete_unroll_total),
    INT_PRINTED("reduceNeighbored1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceNeighbored1", "reduce_in_place", "reduceNeighboredTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceNeighbored2", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceNeighbored2", "reduce_in_place", "reduceNeighboredLessTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceInterleaved1", "reduce_in_place", "reduceInterleavedTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved2", "reduce_unrolled", "document 003", 2, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved2", "reduce_unrolled", "reduceUnrolling2Total", "document 003", 2, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved4", "reduce_unrolled", "document 003", 4, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved4", "reduce_unrolled", "reduceUnrolling4Total", "document 003", 4, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved8", "reduce_unrolled", "document 003", 8, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved8", "reduce_unrolled", "reduceUnrolling8Total", "document 003", 8, invoke_reduction_total),
    FLOAT_PRINTED("reduceInterleavedFloat", "reduce_in_place", "document 000, exercise 6", 1, whole_blocks, NULL, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceInterleavedFloat", "reduce_in_place", "reduceInterleavedFloatTotal", "document 000, exercise 6", 1, invoke_reduction_total, 1, height_of_block),
    FLOAT_PRINTED("reduceCompleteUnrollWarps8Float", "reduce_warp_tail", "document 000, exercise 6", 8, whole_segments_with_tail, volatile_tail, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceCompleteUnrollWarps8Float", "reduce_warp_tail", "reduceCompleteUnrollWarps8FloatTotal", "document 000, exercise 6", 8, invoke_reduction_total, 1, height_of_block),
    FLOAT_PRINTED("reduceSharedDivergent", "reduce_shared", "document 001", 1, padded_blocks, NULL, invoke_padded, 1, height_of_block),
    FLOAT_TOTAL("reduceSharedDivergent", "reduce_shared", "reduceSharedDivergentTotal", "document 001", 1, invoke_shared_total, 1, height_of_block),
    FLOAT_PRINTED("reduceSharedLessDivergent", "reduce_shared", "document 001", 1, padded_halves, NULL, invoke_padded, 1, height_of_block),
    FLOAT_TOTAL("reduceSharedLessDivergent", "reduce_shared", "reduceSharedLessDivergentTotal", "document 001", 1, invoke_shared_total, 1, height_of_block),
    FLOAT_PRINTED("recursiveReduce", "reduce_recursive", "document 000, exercise 5", 1, powers_of_two, NULL, invoke_one_thread, 0, height_of_all),
    FLOAT_TOTAL("recursiveReduce", "reduce_recursive", "recursiveReduceTotal", "document 000, exercise 5", 1, invoke_one_thread, 0, height_of_all),

    MAP_PRINTED("mathKernel1", "divergence", "document 000", CONTRACT_SPLIT_LANES, ELEMENT_F32, whole_grids, invoke_map, 1, 1),
    MAP_TOTAL("mathKernel1", "divergence", "mathKernel1Total", "document 000", CONTRACT_SPLIT_LANES, ELEMENT_F32, invoke_map_total, 1, 1),
    MAP_PRINTED("mathKernel2", "divergence", "document 000", CONTRACT_SPLIT_WARPS, ELEMENT_F32, whole_grids, invoke_map, 1, 1),
    MAP_TOTAL("mathKernel2", "divergence", "mathKernel2Total", "document 000", CONTRACT_SPLIT_WARPS, ELEMENT_F32, invoke_map_total, 1, 1),
    MAP_PRINTED("mathKernel1Loop", "divergence", "document 003", CONTRACT_SPLIT_LANES, ELEMENT_I32, some_elements, invoke_loop, 1, 1),
    MAP_TOTAL("mathKernel1Loop", "divergence", "mathKernel1Loop", "document 003", CONTRACT_SPLIT_LANES, ELEMENT_I32, invoke_loop_total, 1, 1),
    MAP_PRINTED("mathKernel2Loop", "divergence", "document 003", CONTRACT_SPLIT_WARPS, ELEMENT_I32, some_elements, invoke_loop, 1, 1),
    MAP_TOTAL("mathKernel2Loop", "divergence", "mathKernel2Loop", "document 003", CONTRACT_SPLIT_WARPS, ELEMENT_I32, invoke_loop_total, 1, 1),
    MAP_PRINTED("sumMatrixOnGPU2D", "matrix", "document 000", CONTRACT_MATRIX_SUM, ELEMENT_F32, matrices, invoke_matrix, 2, 2),
    MAP_TOTAL("sumMatrixOnGPU2D", "matrix", "sumMatrixOnGPU2DTotal", "document 000", CONTRACT_MATRIX_SUM, ELEMENT_F32, invoke_matrix_total, 2, 2),
    MAP_PRINTED("sumMat", "matrix", "document 003", CONTRACT_MATRIX_SUM, ELEMENT_I32, matrices, invoke_matrix, 2, 2),
    MAP_TOTAL("sumMat", "matrix", "sumMatTotal", "document 003", CONTRACT_MATRIX_SUM, ELEMENT_I32, invoke_matrix_total, 2, 2),
    MAP_PRINTED("warpMap", "warp_map", "documents 001, 002", CONTRACT_WARP_MAP, ELEMENT_I32, whole_grids, invoke_map, 3, 1),
    MAP_TOTAL("warpMap", "warp_map", "warpMapTotal", "documents 001, 002", CONTRACT_WARP_MAP, ELEMENT_I32, invoke_map_total, 3, 1),

    HELLO("nestedHelloWorld", FORM_PRINTED, "nestedHelloWorld", "documents 000, 004, 002", CONTRACT_HELLO_FIRST, DOMAIN(halved_sizes), invoke_hello_halves, LAUNCHES_HALVES, 2),
    HELLO("nestedHelloWorld", FORM_TOTAL, "nestedHelloWorldTotal", "documents 000, 004, 002", CONTRACT_HELLO_FIRST, EVERYWHERE, invoke_hello_halves, LAUNCHES_HALVES, 2),
    HELLO("nestedHelloWorldNew", FORM_PRINTED, "nestedHelloWorldNew", "document 000, exercise 8", CONTRACT_HELLO_FIRST, DOMAIN(halved_blocks), invoke_hello_new, LAUNCHES_HALF_GRIDS, 1),
    HELLO("nestedHelloWorldNew", FORM_TOTAL, "nestedHelloWorldNewTotal", "document 000, exercise 8", CONTRACT_HELLO_FIRST, EVERYWHERE, invoke_hello_new, LAUNCHES_HALF_GRIDS, 1),
    HELLO("nestedHelloWorldLimited", FORM_PRINTED, "nestedHelloWorldLimited", "document 000, exercise 9", CONTRACT_HELLO_FIRST, DOMAIN(halved_sizes), invoke_hello_halves, LAUNCHES_HALVES_LIMITED, 2),
    HELLO("nestedHelloWorldLimited", FORM_TOTAL, "nestedHelloWorldTotal", "document 000, exercise 9", CONTRACT_HELLO_FIRST, EVERYWHERE, invoke_hello_halves, LAUNCHES_HALVES_LIMITED, 2),
    HELLO("nestedHelloWorldTree", FORM_PRINTED, "nestedHelloWorldTree", "document 003", CONTRACT_HELLO, DOMAIN(some_blocks), invoke_hello_tree, LAUNCHES_PAIRS, 1),
    HELLO("nestedHelloWorldTree", FORM_TOTAL, "nestedHelloWorldTreeTotal", "document 003", CONTRACT_HELLO_FIRST, EVERYWHERE, invoke_hello_tree, LAUNCHES_PAIRS, 1),
    NESTED("gpuRecursiveReduce", FORM_PRINTED, "gpuRecursiveReduce", "documents 000, 004", DOMAIN(paired_segments), NULL, invoke_recursive, LAUNCHES_SUMS, NEEDS_DEVICE_WAIT),
    NESTED("gpuRecursiveReduce", FORM_TOTAL, "gpuRecursiveReduceTotal", "documents 000, 004", EVERYWHERE, NULL, invoke_recursive_total, LAUNCHES_SUMS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduceNosync", FORM_PRINTED, "gpuRecursiveReduceNosync", "documents 000, 004", DOMAIN(segments_of_a_warp), no_barrier_before_launch, invoke_recursive, LAUNCHES_SUMS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduceNosync", FORM_TOTAL, "gpuRecursiveReduceTotal", "documents 000, 004", EVERYWHERE, NULL, invoke_recursive_total, LAUNCHES_SUMS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduce2", FORM_PRINTED, "gpuRecursiveReduce2", "documents 000, 004", DOMAIN(lone_segment_of_a_warp), child_before_blocks, invoke_recursive2, LAUNCHES_SUM_GRIDS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduce2", FORM_TOTAL, "gpuRecursiveReduce2Total", "documents 000, 004", EVERYWHERE, NULL, invoke_recursive2_total, LAUNCHES_SUM_GRIDS, NEEDS_TAIL_LAUNCH),
};
/* clang-format on */

static const struct calculation calculations[] = {
    {"residency", "residency", "documents 001, 000",
     "compute capability 1.0 to 5.3, every B; no kernel: tests host.unit.residency, "
     "cuda.unit.residency"},
};

const struct catalogue simtcheck_catalogue = {variants, sizeof variants / sizeof *variants,
                                              calculations,
                                              sizeof calculations / sizeof *calculations};

const struct variant *catalogue_find(const struct catalogue *catalogue, const char *id,
                                     enum form form)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct variant *variant = &catalogue->variants[i];
        if (variant->form == form && strcmp(variant->id, id) == 0)
            return variant;
    }
    return NULL;
}

bool variant_takes(const struct variant *variant, const struct shape *shape)
{
    uint32_t block = shape->block.z > 1 ? 3 : shape->block.y > 1 ? 2 : shape->block.x > 1 ? 1 : 0;

    return block <= variant->block_dimensions &&
           (shape->size[1] == 1 || variant->size_dimensions == 2);
}

uint64_t variant_segment(const struct variant *variant, const struct shape *shape)
{
    if (variant->block_dimensions == 0)
        return shape_elements(shape);
    return variant->fold * shape_threads(shape);
}

uint32_t variant_violations(const struct variant *variant, const struct shape *shape)
{
    uint32_t violations = 0;
    for (size_t k = 0; k < variant->domain_count; k++)
        if (!variant->domain[k].holds(variant, shape))
            violations |= UINT32_C(1) << k;
    return violations;
}

const char *form_name(enum form form)
{
    return form == FORM_PRINTED ? "printed" : "total";
}

size_t element_size(enum element element)
{
    static const size_t sizes[] = {[ELEMENT_I32] = sizeof(int32_t), [ELEMENT_F32] = sizeof(float)};
    return sizes[element];
}
