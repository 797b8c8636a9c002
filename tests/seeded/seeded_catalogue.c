/* SPDX-License-Identifier: MIT */
#include "seeded_catalogue.h"

#include "defects.h"
#include "invocations.h"

/* Invokes the kernel as a reduction whose input must not be written. */
static void invoke_read_only(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction_corrected(variant, shape, out);
    out->buffers[0].role = ROLE_INPUT;
}

/* Invokes the kernel with a log that is not printed. */
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

/* Too narrow for reduceInterleaved, which is right for n = 1 with B = 1. */
static const struct domain narrow_at_the_boundary = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
     {"n >= 2", size_is_two_or_more, OUTSIDE_FAILS}}};

/* Too narrow, by an unnecessary condition. */
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

/* Too wide: with 3 threads an element is lost. */
static const struct domain wide = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS}}};

static const struct known_defect none_there = {
    .text = "claimed, and not there", .races = UNDER_BOTH, .wrong = UNDER_INDEPENDENT};
static const struct known_defect owned_up = {.text = "no barrier",
                                             .races = UNDER_BOTH,
                                             .wrong = UNDER_BOTH,
                                             .place = "in",
                                             .regions = defect_missing_barrier};
/* The markers are not on the lines that race. */
static const struct known_defect marked_elsewhere = {.text = "no barrier",
                                                     .races = UNDER_BOTH,
                                                     .wrong = UNDER_BOTH,
                                                     .place = "in",
                                                     .regions = defect_marked_elsewhere};
static const struct known_defect half_the_truth = {.text = "no barrier",
                                                   .races = UNDER_BOTH,
                                                   .wrong = UNDER_BOTH,
                                                   .place = "in",
                                                   .regions = defect_half_the_truth};
static const struct known_defect harmless = {
    .text = "all write the same", .races = UNDER_BOTH, .place = "out", .regions = defect_harmless};

/* clang-format off */
static const struct variant variants[] = {
    {.id = "seededMissingBarrier", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededMissingBarrier", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededOffByOne", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "seededOffByOne",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededStrayRead", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededStrayRead", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededStrayWrite", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededStrayWrite", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededUnwrittenOutput", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededUnwrittenOutput", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededUnwrittenRead", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededUnwrittenRead", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededWritesInput", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededWritesInput", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_read_only, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededEndlessLoop", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededEndlessLoop", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededEndlessWait", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededEndlessWait", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededEndlessBarriers", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededEndlessBarriers", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededDivergentBarrier", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededDivergentBarrier", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededFarWrite", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "seededFarWrite",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededTrap", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "seededTrap",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededWildRead", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "seededWildRead",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededSharedStray", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededSharedStray", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededSharedUnwritten", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededSharedUnwritten", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededForeignLocal", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededForeignLocal", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededDeepStack", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededDeepStack", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededNoSuchKernel", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededNoSuchKernel", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededRaceThenStray", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededRaceThenStray", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededReadTooEarly", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededReadTooEarly", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "sharedSum", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "sharedSum",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededClaimsRace", .kind = VARIANT_ORIGINAL, .family = "seeded", .kernel = "sharedSum",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere, .known_defect = &none_there,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededHarmlessRace", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededHarmlessRace", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &harmless, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededByOrder", .kind = VARIANT_CORRECTED, .family = "seeded", .kernel = "seededByOrder",
     .source = "seeded", .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_reduction_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededOwnsUp", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededMissingBarrier", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &owned_up, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededOwnsUpPrinted", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededMissingBarrier", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &owned_up, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededMarkedElsewhere", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededMissingBarrier", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &marked_elsewhere, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededAdds42", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededAdds42", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &half_the_truth, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededTakesAway", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededTakesAway", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &half_the_truth, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededRacesForOut", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededRacesForOut", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &half_the_truth, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededBlamesARace", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededByOrder", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .known_defect = &owned_up, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededSkipsLaunch", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededSkipsLaunch", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "seededFailedLaunch", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededFailedLaunch", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "seededUselessLaunch", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededUselessLaunch", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "seededEndlessFences", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededEndlessFences", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededPrints", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededPrints", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededDivides", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededDivides", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededSurplus", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededSurplus", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededStores", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededStores", .source = "seeded", .contract = CONTRACT_SPLIT_LANES,
     .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_loop_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .stores = 10},
    {.id = "seededRunaway", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededRunaway", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "seededSwapsCounts", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededSwapsCounts", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "seededMisprints", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededMisprints", .source = "seeded", .contract = CONTRACT_HELLO_FIRST,
     .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_hello_tree, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_PAIRS},
    {.id = "seededDepthTwo", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededDepthTwo", .source = "seeded", .contract = CONTRACT_HELLO_FIRST,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_unprinted_halves,
     .block_dimensions = 1, .size_dimensions = 2, .launches = LAUNCHES_HALVES_LIMITED,
     .sizes = SIZES_TREE},
    {.id = "seededAddsTooEarly", .kind = VARIANT_CORRECTED, .family = "seeded_nested",
     .kernel = "seededAddsTooEarly", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS},
    {.id = "addsChildsSum", .kind = VARIANT_CORRECTED, .family = "seeded_nested",
     .kernel = "addsChildsSum", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_recursive_corrected, .block_dimensions = 1,
     .size_dimensions = 1, .launches = LAUNCHES_SUMS, .waits = WAITS_THREAD,
     .need = NEEDS_DEVICE_WAIT},
    {.id = "seededUnitDistance", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededUnitDistance", .source = "seeded", .elements_per_thread = 1,
     .domain = &everywhere, .invoke = invoke_reduction_corrected, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededWrongElement", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededWrongElement", .source = "seeded", .contract = CONTRACT_SPLIT_LANES,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_map_corrected,
     .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededWrongFloat", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededWrongFloat", .source = "seeded", .contract = CONTRACT_SPLIT_LANES,
     .element = ELEMENT_F32, .elements_per_thread = 1, .domain = &everywhere,
     .invoke = invoke_map_corrected, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededLosesLast", .kind = VARIANT_CORRECTED, .family = "seeded",
     .kernel = "seededLosesLast", .source = "seeded", .element = ELEMENT_F32,
     .elements_per_thread = 1, .domain = &everywhere, .invoke = invoke_reduction_corrected,
     .block_dimensions = 1, .size_dimensions = 1, .height = height_of_one_thread},
    {.id = "seededNarrowAtBoundary", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "reduceInterleaved", .source = "seeded", .elements_per_thread = 1,
     .domain = &narrow_at_the_boundary, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededNarrow", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "reduceInterleaved", .source = "seeded", .elements_per_thread = 1,
     .domain = &narrow_everywhere, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededOtherOnGpu", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededOtherOnGpu", .source = "seeded", .elements_per_thread = 1, .domain = &even,
     .invoke = invoke_reduction, .block_dimensions = 1, .size_dimensions = 1},
    {.id = "seededByOrderOutside", .kind = VARIANT_ORIGINAL, .family = "seeded",
     .kernel = "seededByOrder", .source = "seeded", .elements_per_thread = 1,
     .domain = &one_thread, .invoke = invoke_reduction, .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "seededWide", .kind = VARIANT_ORIGINAL, .family = "seeded", .kernel = "reduceInterleaved",
     .source = "seeded", .elements_per_thread = 1, .domain = &wide, .invoke = invoke_reduction,
     .block_dimensions = 1, .size_dimensions = 1},
};
/* clang-format on */

const struct catalogue seeded_catalogue = {variants, sizeof variants / sizeof *variants, NULL, 0};
