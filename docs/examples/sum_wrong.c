/* SPDX-License-Identifier: MIT
 *
 * Wrong on purpose: a suite whose rows describe the kernels of sum.cu incorrectly.
 */
#include <simtcheck/simtcheck.h>

static void invoke_unguarded(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    invoke_reduction(variant, shape, out);
    out->argument_count = 2;
}

static const struct domain every_block = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS}}};

static const struct domain whole_blocks = {
    {{"n >= 1", shape_has_elements, OUTSIDE_FAILS},
     {"B is a power of two", shape_block_is_power_of_two, OUTSIDE_FAILS},
     {"n is a multiple of B", shape_size_is_whole_segments, OUTSIDE_FAILS}}};

static const struct variant rows[] = {
    /* The domain is too wide: a block of 3 threads misses an element. */
    {.id = "tooWide",
     .kind = VARIANT_ORIGINAL,
     .family = "sum",
     .kernel = "blockSum",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &every_block,
     .invoke = invoke_unguarded,
     .block_dimensions = 1,
     .size_dimensions = 1},
    /* The kernel races, but the row has no known defect. */
    {.id = "notClaimed",
     .kind = VARIANT_ORIGINAL,
     .family = "sum",
     .kernel = "blockSumNoBarrier",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &whole_blocks,
     .invoke = invoke_unguarded,
     .block_dimensions = 1,
     .size_dimensions = 1},
    /* No file has this kernel. */
    {.id = "nowhere",
     .kind = VARIANT_ORIGINAL,
     .family = "sum",
     .kernel = "blockSumNowhere",
     .source = "tutorials",
     .elements_per_thread = 1,
     .domain = &whole_blocks,
     .invoke = invoke_unguarded,
     .block_dimensions = 1,
     .size_dimensions = 1},
};

const struct catalogue simtcheck_catalogue = {rows, sizeof rows / sizeof *rows, NULL, 0};
