/* SPDX-License-Identifier: MIT
 *
 * The kernels of sum.cu as a suite. A row has the kernel's arguments, its contract, its domain and
 * its known defect. An oracle computes the expected sums.
 */
#include <simtcheck/simtcheck.h>

#include "defects.h" /* generated from the markers in sum.cu */

/* Launches with the arguments (in, out): the kernel has no parameter n. */
static void invoke_unguarded(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->argument_count = 2;
}

static bool block_is_one_warp(const struct variant *variant, const struct shape *shape)
{
    (void)variant;
    return shape->block.x <= SIMT_WARP_LANES;
}

/* Each condition is tested alone: a case that violates only this condition has to fail. */
static const struct domain whole_blocks = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS}}};

static const struct domain whole_warps = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS},
     {"B <= 32", block_is_one_warp, OUTSIDE_MAY_PASS}}};

/* The accesses in the regions that sum.cu marks race, and no others do. These races cause every
 * wrong result. */
static const struct known_defect no_barrier = {
    .text = "no barrier between the steps of the tree",
    .races = UNDER_BOTH,
    .wrong = UNDER_INDEPENDENT,
    .place = "in",
    .regions = defect_no_barrier,
};

static const struct variant rows[] = {
    {.id = "blockSum",
     .kind = VARIANT_ORIGINAL,
     .family = "sum",
     .kernel = "blockSum",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &whole_blocks,
     .invoke = invoke_unguarded,
     .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "blockSum",
     .kind = VARIANT_CORRECTED,
     .family = "sum",
     .kernel = "blockSumCorrected",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &everywhere,
     .invoke = invoke_reduction_corrected,
     .block_dimensions = 1,
     .size_dimensions = 1},
    {.id = "blockSumNoBarrier",
     .kind = VARIANT_ORIGINAL,
     .family = "sum",
     .kernel = "blockSumNoBarrier",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &whole_warps,
     .known_defect = &no_barrier,
     .invoke = invoke_unguarded,
     .block_dimensions = 1,
     .size_dimensions = 1,
     .label = "nosync"},
};

const struct catalogue simtcheck_catalogue = {rows, sizeof rows / sizeof *rows, NULL, 0};
