/* SPDX-License-Identifier: MIT */
#include "catalogue.h"

#include "shapes.h"

#include <string.h>

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

/* Under lockstep plain accesses are as unordered as ever, for a compiler may keep values in
 * registers; where one does not, the result is right all the same. */
static const struct finding volatile_tail = {
    "the steps of the volatile tail are ordered by nothing but lockstep", UNDER_ITS, UNDER_ITS};
static const struct finding plain_tail = {
    "nothing orders the steps of the tail, and a compiler may keep its sums in registers",
    UNDER_BOTH, UNDER_BOTH};
static const struct finding barrier_tail = {
    "in each step of the tail lanes add to elements that other lanes read", UNDER_BOTH, UNDER_ITS};
static const struct finding no_barrier_after_fold = {
    "no barrier between the fold and the first step of the tree", UNDER_BOTH, UNDER_ITS};
static const struct finding no_barrier_before_launch = {
    "the child may start before other threads of the block have added", UNDER_BOTH, UNDER_ITS};
static const struct finding child_before_blocks = {
    "the child may start before other threads, and other blocks, have added", UNDER_BOTH,
    UNDER_ITS};

#define DOMAIN(conjuncts) (conjuncts), sizeof(conjuncts) / sizeof *(conjuncts)
#define EVERYWHERE NULL, 0

/* Reductions of int, of float, kernels that map, and those that launch. */
#define INT_PRINTED(id, family, source, fold, conjuncts, finding, invoke)                          \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, CONTRACT_SUM, ELEMENT_I32, fold, DOMAIN(conjuncts),  \
            finding, invoke, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR             \
    }
#define INT_TOTAL(id, family, kernel, source, fold, invoke)                                        \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, CONTRACT_SUM, ELEMENT_I32, fold, EVERYWHERE, NULL, \
            invoke, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR                      \
    }
#define FLOAT_PRINTED(id, family, source, fold, conjuncts, finding, invoke, dimensions, height)    \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, CONTRACT_SUM, ELEMENT_F32, fold, DOMAIN(conjuncts),  \
            finding, invoke, dimensions, 1, height, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR  \
    }
#define FLOAT_TOTAL(id, family, kernel, source, fold, invoke, dimensions, height)                  \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, CONTRACT_SUM, ELEMENT_F32, fold, EVERYWHERE, NULL, \
            invoke, dimensions, 1, height, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR           \
    }
#define MAP_PRINTED(id, family, source, contract, element, conjuncts, invoke, block, size)         \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, contract, element, 1, DOMAIN(conjuncts), NULL,       \
            invoke, block, size, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING,                            \
            size == 2 ? SIZES_MATRIX : SIZES_VECTOR                                                \
    }
#define MAP_TOTAL(id, family, kernel, source, contract, element, invoke, block, size)              \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, contract, element, 1, EVERYWHERE, NULL, invoke,    \
            block, size, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING,                                    \
            size == 2 ? SIZES_MATRIX : SIZES_VECTOR                                                \
    }

#define HELLO(id, form, kernel, source, contract, conditions, invoke, launches, dimensions)        \
    {                                                                                              \
        id, form, "nested_hello", kernel, source, contract, ELEMENT_I32, 1, conditions, NULL,      \
            invoke, 1, dimensions, NULL, launches, NEEDS_NOTHING, SIZES_TREE                       \
    }
#define NESTED(id, form, kernel, source, conditions, finding, invoke, launches, need)              \
    {                                                                                              \
        id, form, "nested_reduce", kernel, source, CONTRACT_SUM, ELEMENT_I32, 1, conditions,       \
            finding, invoke, 1, 1, NULL, launches, need, SIZES_VECTOR                              \
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
    INT_PRINTED("reduceUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, &volatile_tail, invoke_reduction),
    INT_TOTAL("reduceUnrollWarps8", "reduce_warp_tail", "reduceUnrollWarps8Total", "document 000", 8, invoke_reduction_total),
    INT_PRINTED("reduceUnrollWarps8Plain", "reduce_warp_tail", "document 000, without volatile", 8, whole_segments_with_tail, &plain_tail, invoke_reduction),
    INT_TOTAL("reduceUnrollWarps8Plain", "reduce_warp_tail", "reduceUnrollWarps8Total", "document 000, without volatile", 8, invoke_reduction_total),
    INT_PRINTED("reduceUnrollWarps8Syncwarp", "reduce_warp_tail", "document 000, by __syncwarp()", 8, whole_segments_with_tail, NULL, invoke_reduction),
    INT_TOTAL("reduceUnrollWarps8Syncwarp", "reduce_warp_tail", "reduceUnrollWarps8SyncwarpTotal", "document 000, by __syncwarp()", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, &volatile_tail, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "document 000, exercise 4", 8, whole_segments_with_tail, &barrier_tail, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000, exercise 4", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8Plain", "reduce_warp_tail", "document 000, without volatile", 8, whole_segments_with_tail, &plain_tail, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8Plain", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000, without volatile", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnrollWarps8Syncwarp", "reduce_warp_tail", "document 000, by __syncwarp()", 8, whole_segments_with_tail, NULL, invoke_reduction),
    INT_TOTAL("reduceCompleteUnrollWarps8Syncwarp", "reduce_warp_tail", "reduceCompleteUnrollWarps8SyncwarpTotal", "document 000, by __syncwarp()", 8, invoke_reduction_total),
    INT_PRINTED("reduceCompleteUnroll", "reduce_warp_tail", "document 000", 8, whole_segments_with_instance, &volatile_tail, invoke_complete_unroll),
    INT_TOTAL("reduceCompleteUnroll", "reduce_warp_tail", "reduceCompleteUnrollTotal", "document 000", 8, invoke_complete_unroll_total),
    INT_PRINTED("reduceCompleteUnrollPlain", "reduce_warp_tail", "document 000, without volatile", 8, whole_segments_with_instance, &plain_tail, invoke_complete_unroll),
    INT_TOTAL("reduceCompleteUnrollPlain", "reduce_warp_tail", "reduceCompleteUnrollTotal", "document 000, without volatile", 8, invoke_complete_unroll_total),
    INT_PRINTED("reduceCompleteUnrollSyncwarp", "reduce_warp_tail", "document 000, by __syncwarp()", 8, whole_segments_with_instance, NULL, invoke_complete_unroll),
    INT_TOTAL("reduceCompleteUnrollSyncwarp", "reduce_warp_tail", "reduceCompleteUnrollSyncwarpTotal", "document 000, by __syncwarp()", 8, invoke_complete_unroll_total),
    INT_PRINTED("reduceNeighbored1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceNeighbored1", "reduce_in_place", "reduceNeighboredTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceNeighbored2", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceNeighbored2", "reduce_in_place", "reduceNeighboredLessTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    INT_TOTAL("reduceInterleaved1", "reduce_in_place", "reduceInterleavedTotal", "document 003", 1, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved2", "reduce_unrolled", "document 003", 2, whole_segments_in_a_warp, &no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved2", "reduce_unrolled", "reduceUnrolling2Total", "document 003", 2, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved4", "reduce_unrolled", "document 003", 4, whole_segments_in_a_warp, &no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved4", "reduce_unrolled", "reduceUnrolling4Total", "document 003", 4, invoke_reduction_total),
    INT_PRINTED("reduceInterleaved8", "reduce_unrolled", "document 003", 8, whole_segments_in_a_warp, &no_barrier_after_fold, invoke_unguarded),
    INT_TOTAL("reduceInterleaved8", "reduce_unrolled", "reduceUnrolling8Total", "document 003", 8, invoke_reduction_total),
    FLOAT_PRINTED("reduceInterleavedFloat", "reduce_in_place", "document 000, exercise 6", 1, whole_blocks, NULL, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceInterleavedFloat", "reduce_in_place", "reduceInterleavedFloatTotal", "document 000, exercise 6", 1, invoke_reduction_total, 1, height_of_block),
    FLOAT_PRINTED("reduceCompleteUnrollWarps8Float", "reduce_warp_tail", "document 000, exercise 6", 8, whole_segments_with_tail, &volatile_tail, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceCompleteUnrollWarps8Float", "reduce_warp_tail", "reduceCompleteUnrollWarps8FloatTotal", "document 000, exercise 6", 8, invoke_reduction_total, 1, height_of_block),
    FLOAT_PRINTED("reduceCompleteUnrollWarps8FloatPlain", "reduce_warp_tail", "document 000, exercise 6, without volatile", 8, whole_segments_with_tail, &plain_tail, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceCompleteUnrollWarps8FloatPlain", "reduce_warp_tail", "reduceCompleteUnrollWarps8FloatTotal", "document 000, exercise 6, without volatile", 8, invoke_reduction_total, 1, height_of_block),
    FLOAT_PRINTED("reduceCompleteUnrollWarps8FloatSyncwarp", "reduce_warp_tail", "document 000, exercise 6, by __syncwarp()", 8, whole_segments_with_tail, NULL, invoke_reduction, 1, height_of_block),
    FLOAT_TOTAL("reduceCompleteUnrollWarps8FloatSyncwarp", "reduce_warp_tail", "reduceCompleteUnrollWarps8FloatSyncwarpTotal", "document 000, exercise 6, by __syncwarp()", 8, invoke_reduction_total, 1, height_of_block),
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
    NESTED("gpuRecursiveReduceNosync", FORM_PRINTED, "gpuRecursiveReduceNosync", "documents 000, 004", DOMAIN(segments_of_a_warp), &no_barrier_before_launch, invoke_recursive, LAUNCHES_SUMS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduceNosync", FORM_TOTAL, "gpuRecursiveReduceTotal", "documents 000, 004", EVERYWHERE, NULL, invoke_recursive_total, LAUNCHES_SUMS, NEEDS_NOTHING),
    NESTED("gpuRecursiveReduce2", FORM_PRINTED, "gpuRecursiveReduce2", "documents 000, 004", DOMAIN(lone_segment_of_a_warp), &child_before_blocks, invoke_recursive2, LAUNCHES_SUM_GRIDS, NEEDS_NOTHING),
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
