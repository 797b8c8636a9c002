/* SPDX-License-Identifier: MIT */
#include "planted_catalogue.h"

/* As a reduction, with an input that the kernel must not write. */
static void invoke_read_only(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction_total(variant, shape, out);
    out->buffers[0].role = ROLE_INPUT;
}

static bool size_is_two_or_more(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[0] >= 2;
}

static bool block_is_at_most_a_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= 32;
}

/* Narrower than reduceInterleaved deserves: it is right for n = 1 with B = 1. */
static const struct conjunct narrow_at_the_boundary[] = {
    {"n >= 1", shape_has_elements, OUTSIDE_FAILS},
    {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
    {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
    {"n >= 2", size_is_two_or_more, OUTSIDE_FAILS},
};

/* Narrower by a condition that nothing needs. */
static const struct conjunct narrow_everywhere[] = {
    {"n >= 1", shape_has_elements, OUTSIDE_FAILS},
    {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
    {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
    {"B <= 32", block_is_at_most_a_warp, OUTSIDE_FAILS},
};

static uint32_t height_of_one_thread(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x;
}

static bool size_is_even(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->size[0] % 2 == 0;
}

static const struct conjunct even[] = {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
                                       {"n is even", size_is_even, OUTSIDE_FAILS}};

/* Wider: 3 threads lose an element. */
static const struct conjunct wide[] = {
    {"n >= 1", shape_has_elements, OUTSIDE_FAILS},
    {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
};

static const struct finding none_there = {"claimed, and not there", UNDER_BOTH, UNDER_ITS};
static const struct finding owned_up = {"no barrier", UNDER_BOTH, UNDER_BOTH};
static const struct finding harmless = {"all write the same", UNDER_BOTH, 0};

#define DOMAIN(conjuncts) (conjuncts), sizeof(conjuncts) / sizeof *(conjuncts)
#define TOTAL(name, invoke)                                                                        \
    {                                                                                              \
#name, FORM_TOTAL, "planted", #name, "planted", CONTRACT_SUM, ELEMENT_I32, 1, NULL, 0,     \
            NULL, invoke, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR                \
    }

#define NESTED(name)                                                                               \
    {                                                                                              \
#name, FORM_TOTAL, "planted", #name, "planted", CONTRACT_SUM, ELEMENT_I32, 1, NULL, 0,     \
            NULL, invoke_recursive_total, 1, 1, NULL, LAUNCHES_SUMS, NEEDS_NOTHING, SIZES_VECTOR   \
    }

static const struct variant variants[] = {
    TOTAL(plantedMissingBarrier, invoke_reduction_total),
    TOTAL(plantedOffByOne, invoke_reduction_total),
    TOTAL(plantedStrayRead, invoke_reduction_total),
    TOTAL(plantedStrayWrite, invoke_reduction_total),
    TOTAL(plantedUnwrittenOutput, invoke_reduction_total),
    TOTAL(plantedUnwrittenRead, invoke_reduction_total),
    TOTAL(plantedWritesInput, invoke_read_only),
    TOTAL(plantedEndlessLoop, invoke_reduction_total),
    TOTAL(plantedEndlessWait, invoke_reduction_total),
    TOTAL(plantedEndlessBarriers, invoke_reduction_total),
    TOTAL(plantedDivergentBarrier, invoke_reduction_total),
    TOTAL(plantedFarWrite, invoke_reduction_total),
    TOTAL(plantedTrap, invoke_reduction_total),
    TOTAL(plantedWildRead, invoke_reduction_total),
    TOTAL(plantedSharedStray, invoke_reduction_total),
    TOTAL(plantedSharedUnwritten, invoke_reduction_total),
    TOTAL(plantedForeignLocal, invoke_reduction_total),
    TOTAL(plantedDeepStack, invoke_reduction_total),
    TOTAL(plantedNoSuchKernel, invoke_reduction_total),
    TOTAL(sharedSum, invoke_reduction_total),
    {"plantedClaimsRace", FORM_TOTAL, "planted", "sharedSum", "planted", CONTRACT_SUM, ELEMENT_I32,
     1, NULL, 0, &none_there, invoke_reduction_total, 1, 1, NULL, LAUNCHES_NOTHING, NEEDS_NOTHING,
     SIZES_VECTOR},
    {"plantedHarmlessRace", FORM_TOTAL, "planted", "plantedHarmlessRace", "planted", CONTRACT_SUM,
     ELEMENT_I32, 1, NULL, 0, &harmless, invoke_reduction_total, 1, 1, NULL, LAUNCHES_NOTHING,
     NEEDS_NOTHING, SIZES_VECTOR},
    TOTAL(plantedByOrder, invoke_reduction_total),
    {"plantedOwnsUp", FORM_TOTAL, "planted", "plantedMissingBarrier", "planted", CONTRACT_SUM,
     ELEMENT_I32, 1, NULL, 0, &owned_up, invoke_reduction_total, 1, 1, NULL, LAUNCHES_NOTHING,
     NEEDS_NOTHING, SIZES_VECTOR},
    NESTED(plantedSkipsLaunch),
    NESTED(plantedFailedLaunch),
    NESTED(plantedUselessLaunch),
    {"plantedWrongElement", FORM_TOTAL, "planted", "plantedWrongElement", "planted",
     CONTRACT_SPLIT_LANES, ELEMENT_I32, 1, NULL, 0, NULL, invoke_map_total, 1, 1, NULL,
     LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedWrongFloat", FORM_TOTAL, "planted", "plantedWrongFloat", "planted",
     CONTRACT_SPLIT_LANES, ELEMENT_F32, 1, NULL, 0, NULL, invoke_map_total, 1, 1, NULL,
     LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedLosesLast", FORM_TOTAL, "planted", "plantedLosesLast", "planted", CONTRACT_SUM,
     ELEMENT_F32, 1, NULL, 0, NULL, invoke_reduction_total, 1, 1, height_of_one_thread,
     LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedNarrowAtBoundary", FORM_PRINTED, "planted", "reduceInterleaved", "planted",
     CONTRACT_SUM, ELEMENT_I32, 1, DOMAIN(narrow_at_the_boundary), NULL, invoke_reduction, 1, 1,
     NULL, LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedNarrow", FORM_PRINTED, "planted", "reduceInterleaved", "planted", CONTRACT_SUM,
     ELEMENT_I32, 1, DOMAIN(narrow_everywhere), NULL, invoke_reduction, 1, 1, NULL,
     LAUNCHES_NOTHING, NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedOtherOnGpu", FORM_PRINTED, "planted", "plantedOtherOnGpu", "planted", CONTRACT_SUM,
     ELEMENT_I32, 1, DOMAIN(even), NULL, invoke_reduction, 1, 1, NULL, LAUNCHES_NOTHING,
     NEEDS_NOTHING, SIZES_VECTOR},
    {"plantedWide", FORM_PRINTED, "planted", "reduceInterleaved", "planted", CONTRACT_SUM,
     ELEMENT_I32, 1, DOMAIN(wide), NULL, invoke_reduction, 1, 1, NULL, LAUNCHES_NOTHING,
     NEEDS_NOTHING, SIZES_VECTOR},
};

const struct catalogue planted_catalogue = {variants, sizeof variants / sizeof *variants, NULL, 0};
