/* SPDX-License-Identifier: MIT */
#include "catalogue.h"

#include <string.h>

enum { WARP = 32, LEAST_WITH_TAIL = 64 };

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
    return shape->size[0] % ((uint64_t)variant->fold * shape->block.x) == 0;
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

static bool block_has_an_instance(const struct variant *variant, const struct shape *shape)
{
    return block_has_a_tail(variant, shape) && shape_block_is_power_of_two(variant, shape);
}

static void invoke_with_grid(const struct variant *variant, const struct shape *shape,
                             uint32_t blocks, struct invocation *out)
{
    uint64_t n = shape->size[0];

    *out = (struct invocation){
        .kernel = variant->kernel,
        .grid = {blocks, 1, 1},
        .block = shape->block,
        .buffer_count = 2,
        .buffers = {{"in", ROLE_INOUT, ELEMENT_I32, n}, {"out", ROLE_OUTPUT, ELEMENT_I32, blocks}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, (uint32_t)n}},
    };
}

static uint32_t quotient_rounded_up(uint64_t n, uint64_t divisor)
{
    return (uint32_t)((n + divisor - 1) / divisor);
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
    invoke_with_grid(variant, shape, blocks == 0 ? 1 : blocks, out);
}

/* Called as (in, out): the kernel does not know n. */
static void invoke_unguarded(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->argument_count = 2;
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
        "n >= 1", shape_has_elements, false                                                        \
    }
#define POWER_OF_TWO                                                                               \
    {                                                                                              \
        "B is a power of two", shape_block_is_power_of_two, false                                  \
    }
#define WHOLE_SEGMENTS(text)                                                                       \
    {                                                                                              \
        text, shape_size_is_whole_segments, false                                                  \
    }

/* A grid of no blocks is a launch error; a block that is no power of two loses an element or takes
 * one from the next segment; a tail block reads past the data, or is not launched at all. */
static const struct conjunct whole_blocks[] = {HAS_ELEMENTS, POWER_OF_TWO,
                                               WHOLE_SEGMENTS("n is a multiple of B")};
static const struct conjunct whole_segments[] = {HAS_ELEMENTS, POWER_OF_TWO,
                                                 WHOLE_SEGMENTS("n is a multiple of U*B")};

static const struct conjunct paired_blocks[] = {
    HAS_ELEMENTS, POWER_OF_TWO, {"ceil(n/B) is even", blocks_pair_up, false}};

/* The tail adds element 32 of its block, whether there is one or not. */
static const struct conjunct whole_segments_with_tail[] = {HAS_ELEMENTS,
                                                           POWER_OF_TWO,
                                                           WHOLE_SEGMENTS("n is a multiple of U*B"),
                                                           {"B >= 64", block_has_a_tail, false}};

static const struct conjunct whole_segments_with_instance[] = {
    HAS_ELEMENTS,
    WHOLE_SEGMENTS("n is a multiple of U*B"),
    {"B is 64, 128, 256, 512 or 1024", block_has_an_instance, false}};

/* No barrier after the fold. */
static const struct conjunct whole_segments_in_a_warp[] = {HAS_ELEMENTS,
                                                           POWER_OF_TWO,
                                                           WHOLE_SEGMENTS("n is a multiple of U*B"),
                                                           {"B <= 32", block_is_one_warp, true}};

static const char volatile_tail[] =
    "the steps of the volatile tail are ordered by nothing but lockstep";
static const char barrier_tail[] =
    "in each step of the tail lanes add to elements that other lanes read";
static const char no_barrier_after_fold[] =
    "no barrier between the fold and the first step of the tree";

#define DOMAIN(conjuncts) (conjuncts), sizeof(conjuncts) / sizeof *(conjuncts)
#define EVERYWHERE NULL, 0

#define PRINTED(id, family, source, fold, conjuncts, finding, invoke)                              \
    {                                                                                              \
        id, FORM_PRINTED, family, id, source, CONTRACT_SUM_I32, fold, DOMAIN(conjuncts), finding,  \
            invoke                                                                                 \
    }
#define TOTAL(id, family, kernel, source, fold)                                                    \
    {                                                                                              \
        id, FORM_TOTAL, family, kernel, source, CONTRACT_SUM_I32, fold, EVERYWHERE, NULL,          \
            invoke_reduction_total                                                                 \
    }

/* clang-format off */
static const struct variant variants[] = {
    PRINTED("reduceNeighbored", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    TOTAL("reduceNeighbored", "reduce_in_place", "reduceNeighboredTotal", "document 000", 1),
    PRINTED("reduceNeighboredLess", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    TOTAL("reduceNeighboredLess", "reduce_in_place", "reduceNeighboredLessTotal", "document 000", 1),
    PRINTED("reduceInterleaved", "reduce_in_place", "document 000", 1, whole_blocks, NULL, invoke_reduction),
    TOTAL("reduceInterleaved", "reduce_in_place", "reduceInterleavedTotal", "document 000", 1),
    PRINTED("reduceUnrolling2", "reduce_unrolled", "document 000", 2, paired_blocks, NULL, invoke_reduction),
    TOTAL("reduceUnrolling2", "reduce_unrolled", "reduceUnrolling2Total", "document 000", 2),
    PRINTED("reduceUnrolling4", "reduce_unrolled", "document 000", 4, whole_segments, NULL, invoke_reduction),
    TOTAL("reduceUnrolling4", "reduce_unrolled", "reduceUnrolling4Total", "document 000", 4),
    PRINTED("reduceUnrolling8", "reduce_unrolled", "document 000", 8, whole_segments, NULL, invoke_reduction),
    TOTAL("reduceUnrolling8", "reduce_unrolled", "reduceUnrolling8Total", "document 000", 8),
    PRINTED("reduceUnrolling16", "reduce_unrolled", "document 000, exercise 2", 16, whole_segments, NULL, invoke_reduction),
    TOTAL("reduceUnrolling16", "reduce_unrolled", "reduceUnrolling16Total", "document 000, exercise 2", 16),
    PRINTED("reduceUnrolling8Loop", "reduce_unrolled", "document 000, exercise 3", 8, whole_segments, NULL, invoke_reduction),
    TOTAL("reduceUnrolling8Loop", "reduce_unrolled", "reduceUnrolling8Total", "document 000, exercise 3", 8),
    PRINTED("reduceUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, volatile_tail, invoke_reduction),
    TOTAL("reduceUnrollWarps8", "reduce_warp_tail", "reduceUnrollWarps8Total", "document 000", 8),
    PRINTED("reduceCompleteUnrollWarps8", "reduce_warp_tail", "document 000", 8, whole_segments_with_tail, volatile_tail, invoke_reduction),
    TOTAL("reduceCompleteUnrollWarps8", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000", 8),
    PRINTED("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "document 000, exercise 4", 8, whole_segments_with_tail, barrier_tail, invoke_reduction),
    TOTAL("reduceCompleteUnrollWarps8Sync", "reduce_warp_tail", "reduceCompleteUnrollWarps8Total", "document 000, exercise 4", 8),
    PRINTED("reduceCompleteUnroll", "reduce_warp_tail", "document 000", 8, whole_segments_with_instance, volatile_tail, invoke_complete_unroll),
    {"reduceCompleteUnroll", FORM_TOTAL, "reduce_warp_tail", "reduceCompleteUnrollTotal64", "document 000",
     CONTRACT_SUM_I32, 8, EVERYWHERE, NULL, invoke_complete_unroll_total},
    PRINTED("reduceNeighbored1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    TOTAL("reduceNeighbored1", "reduce_in_place", "reduceNeighboredTotal", "document 003", 1),
    PRINTED("reduceNeighbored2", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    TOTAL("reduceNeighbored2", "reduce_in_place", "reduceNeighboredLessTotal", "document 003", 1),
    PRINTED("reduceInterleaved1", "reduce_in_place", "document 003", 1, whole_blocks, NULL, invoke_unguarded),
    TOTAL("reduceInterleaved1", "reduce_in_place", "reduceInterleavedTotal", "document 003", 1),
    PRINTED("reduceInterleaved2", "reduce_unrolled", "document 003", 2, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    TOTAL("reduceInterleaved2", "reduce_unrolled", "reduceUnrolling2Total", "document 003", 2),
    PRINTED("reduceInterleaved4", "reduce_unrolled", "document 003", 4, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    TOTAL("reduceInterleaved4", "reduce_unrolled", "reduceUnrolling4Total", "document 003", 4),
    PRINTED("reduceInterleaved8", "reduce_unrolled", "document 003", 8, whole_segments_in_a_warp, no_barrier_after_fold, invoke_unguarded),
    TOTAL("reduceInterleaved8", "reduce_unrolled", "reduceUnrolling8Total", "document 003", 8),
};
/* clang-format on */

const struct catalogue simtcheck_catalogue = {variants, sizeof variants / sizeof *variants};

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
    static const size_t sizes[] = {[ELEMENT_I32] = sizeof(int32_t)};
    return sizes[element];
}
