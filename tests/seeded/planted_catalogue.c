/* SPDX-License-Identifier: MIT */
#include "planted_catalogue.h"

#include "defects.h"
#include "launches.h"

/* As a reduction, with an input that the kernel must not write. */
static void invoke_read_only(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction_total(variant, shape, out);
    out->buffers[0].role = ROLE_INPUT;
}

/* A log without its lines. */
static void invoke_unprinted_halves(const struct variant *variant, const struct shape *shape,
                                    struct invocation *out)
{
    invoke_hello_halves(variant, shape, out);
    out->prints = false;
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

static bool block_is_one_thread(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x == 1;
}

/* Narrower than reduceInterleaved deserves: it is right for n = 1 with B = 1. */
static const struct domain narrow_at_the_boundary = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
     {"n >= 2", size_is_two_or_more, OUTSIDE_FAILS}}};

/* Narrower by a condition that nothing needs. */
static const struct domain narrow_everywhere = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
     {"B <= 32", block_is_at_most_a_warp, OUTSIDE_FAILS}}};

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

static const struct domain even = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS}, {"n is even", size_is_even, OUTSIDE_FAILS}}};

static const struct domain one_thread = {{{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
                                          {"B is 1", block_is_one_thread, OUTSIDE_FAILS}}};

/* Wider: 3 threads lose an element. */
static const struct domain wide = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS}}};

static const struct finding none_there = {
    .text = "claimed, and not there", .races = UNDER_BOTH, .wrong = UNDER_ITS};
static const struct finding owned_up = {.text = "no barrier",
                                        .races = UNDER_BOTH,
                                        .wrong = UNDER_BOTH,
                                        .place = "in",
                                        .regions = defect_missing_barrier};
/* The markers are not on the lines that race. */
static const struct finding marked_elsewhere = {.text = "no barrier",
                                                .races = UNDER_BOTH,
                                                .wrong = UNDER_BOTH,
                                                .place = "in",
                                                .regions = defect_marked_elsewhere};
static const struct finding half_the_truth = {.text = "no barrier",
                                              .races = UNDER_BOTH,
                                              .wrong = UNDER_BOTH,
                                              .place = "in",
                                              .regions = defect_half_the_truth};
static const struct finding harmless = {
    .text = "all write the same", .races = UNDER_BOTH, .place = "out", .regions = defect_harmless};

/* clang-format off */
static const struct variant variants[] = {
    {.id = "plantedMissingBarrier", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedMissingBarrier", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedOffByOne", .form = FORM_TOTAL, .family = "planted", .kernel = "plantedOffByOne",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedStrayRead", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedStrayRead", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedStrayWrite", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedStrayWrite", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedUnwrittenOutput", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedUnwrittenOutput", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedUnwrittenRead", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedUnwrittenRead", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedWritesInput", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedWritesInput", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_read_only, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedEndlessLoop", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedEndlessLoop", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedEndlessWait", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedEndlessWait", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedEndlessBarriers", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedEndlessBarriers", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedDivergentBarrier", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedDivergentBarrier", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedFarWrite", .form = FORM_TOTAL, .family = "planted", .kernel = "plantedFarWrite",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedTrap", .form = FORM_TOTAL, .family = "planted", .kernel = "plantedTrap",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedWildRead", .form = FORM_TOTAL, .family = "planted", .kernel = "plantedWildRead",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedSharedStray", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSharedStray", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedSharedUnwritten", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSharedUnwritten", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedForeignLocal", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedForeignLocal", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedDeepStack", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedDeepStack", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedNoSuchKernel", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedNoSuchKernel", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedRaceThenStray", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedRaceThenStray", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedReadTooEarly", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedReadTooEarly", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "sharedSum", .form = FORM_TOTAL, .family = "planted", .kernel = "sharedSum",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedClaimsRace", .form = FORM_PRINTED, .family = "planted", .kernel = "sharedSum",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere, .finding = &none_there,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedHarmlessRace", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedHarmlessRace", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &harmless, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedByOrder", .form = FORM_TOTAL, .family = "planted", .kernel = "plantedByOrder",
     .source = "planted", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedOwnsUp", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedMissingBarrier", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &owned_up, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedOwnsUpPrinted", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedMissingBarrier", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &owned_up, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedMarkedElsewhere", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedMissingBarrier", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &marked_elsewhere, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedAdds42", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedAdds42", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &half_the_truth, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedTakesAway", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedTakesAway", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &half_the_truth, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedRacesForOut", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedRacesForOut", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &half_the_truth, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedBlamesARace", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedByOrder", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .finding = &owned_up, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedSkipsLaunch", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSkipsLaunch", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_total, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "plantedFailedLaunch", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedFailedLaunch", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_total, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "plantedUselessLaunch", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedUselessLaunch", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_total, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "plantedEndlessFences", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedEndlessFences", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedExits", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedExits", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedCloses", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedCloses", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedAnswers", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedAnswers", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedSmashesStack", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSmashesStack", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedSmashesHeap", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSmashesHeap", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedPrints", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedPrints", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedDivides", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedDivides", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedSurplus", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSurplus", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedStores", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedStores", .source = "planted", .contract = CONTRACT_SPLIT_LANES,
     .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_loop_total, .block_dimensions = 1,
     .size_dimensions = 1, .stores = 10},
    {.id = "plantedRunaway", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedRunaway", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_total, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "plantedSwapsCounts", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedSwapsCounts", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_total, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "plantedMisprints", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedMisprints", .source = "planted", .contract = CONTRACT_HELLO_FIRST,
     .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_hello_tree, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_PAIRS},
    {.id = "plantedDepthTwo", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedDepthTwo", .source = "planted", .contract = CONTRACT_HELLO_FIRST,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_unprinted_halves,
     .block_dimensions = 1, .size_dimensions = 2, .launches = LAUNCHES_HALVES_LIMITED,
     .sizes = SIZES_TREE},
    {.id = "plantedUnitDistance", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedUnitDistance", .source = "planted", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_total, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedWrongElement", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedWrongElement", .source = "planted", .contract = CONTRACT_SPLIT_LANES,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_map_total,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedWrongFloat", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedWrongFloat", .source = "planted", .contract = CONTRACT_SPLIT_LANES,
     .element = ELEMENT_F32, .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_map_total, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedLosesLast", .form = FORM_TOTAL, .family = "planted",
     .kernel = "plantedLosesLast", .source = "planted", .element = ELEMENT_F32,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_reduction_total,
     .block_dimensions = 1, .size_dimensions = 1, .height = height_of_one_thread},
    {.id = "plantedNarrowAtBoundary", .form = FORM_PRINTED, .family = "planted",
     .kernel = "reduceInterleaved", .source = "planted", .elements_per_thread = 1,
     .domain = &narrow_at_the_boundary, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedNarrow", .form = FORM_PRINTED, .family = "planted",
     .kernel = "reduceInterleaved", .source = "planted", .elements_per_thread = 1,
     .domain = &narrow_everywhere, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedOtherOnGpu", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedOtherOnGpu", .source = "planted", .elements_per_thread = 1, .domain = &even,
     .invoke = invoke_reduction, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "plantedByOrderOutside", .form = FORM_PRINTED, .family = "planted",
     .kernel = "plantedByOrder", .source = "planted", .elements_per_thread = 1,
     .domain = &one_thread, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "plantedWide", .form = FORM_PRINTED, .family = "planted", .kernel = "reduceInterleaved",
     .source = "planted", .elements_per_thread = 1, .domain = &wide, .invoke = invoke_reduction,
     .block_dimensions = 1, .size_dimensions = 1},
};
/* clang-format on */

const struct catalogue planted_catalogue = {variants, sizeof variants / sizeof *variants, NULL, 0};
