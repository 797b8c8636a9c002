/* SPDX-License-Identifier: MIT */
#include "row_costs.h"

#include "error_report.h"

#include <inttypes.h>
#include <stdio.h>

enum { GRID = 4 }; /* blocks; a matrix has as many in each dimension */

/* Sets the block of that many threads: near a square, if the kernel takes two or three dimensions.
 * All elements of the grid's threads exist. */
static struct shape whole_shape(const struct variant *variant, uint32_t threads)
{
    uint32_t y = variant->block_dimensions > 1 ? threads / SIMT_WARP_LANES : 1;
    struct shape shape = {.block = {threads / y, y, 1}, .size = {0, 1}};

    shape.size[0] = (uint64_t)GRID * shape.block.x * variant->elements_per_thread;
    if (variant->sizes == SIZES_MATRIX)
        shape.size[1] = (uint64_t)GRID * y;
    else
        shape.size[0] *= y;
    return shape;
}

/* Compares the counters of that many blocks. Returns false with the difference in `why` if one is
 * not as the source says. */
static bool compare(const struct cost *cost, uint64_t blocks, const struct interval_counters *all,
                    char *why, size_t size)
{
    const struct access_counters *load = &all->access[0], *store = &all->access[1];
    const struct {
        const char *name;
        uint64_t counted, least, most;
    } counters[] = {
        {"divergent_branches", all->divergent_branches, cost->least_divergent, cost->divergent},
        {"gld_requests", load->requests, 0, cost->access[0].requests},
        {"gst_requests", store->requests, 0, cost->access[1].requests},
        {"gld_transactions_128B", load->lines, 0, cost->access[0].lines},
        {"gst_transactions_128B", store->lines, 0, cost->access[1].lines},
        {"gld_transactions_32B", load->sectors, 0, cost->access[0].sectors},
        {"gst_transactions_32B", store->sectors, 0, cost->access[1].sectors},
        {"reads of %laneid", all->lane_numbers, cost->lane_numbers, UINT64_MAX / blocks},
    };

    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        uint64_t counted = counters[c].counted, least = counters[c].least * blocks,
                 most = counters[c].most * blocks;
        if (counted < least || counted > most)
            return error_write(why, size,
                               "%s %" PRIu64 ", but according to the source at %s %" PRIu64,
                               counters[c].name, counted, counted < least ? "least" : "most",
                               counted < least ? least : most);
    }
    return true;
}

enum engine_status row_costs_check(struct supervisor *supervisor, const struct variant *variant,
                                   struct counterexample *found, char *why, size_t size)
{
    why[0] = '\0';
    for (uint32_t threads = SIMT_WARP_LANES; threads <= SIMT_BLOCK_THREADS; threads *= 2) {
        struct test_case *test = &found->test;
        struct engine_counters counters;
        struct invocation invocation;
        struct cost cost;
        enum engine_status status;
        *found = (struct counterexample){.test = {.variant = variant,
                                                  .shape = whole_shape(variant, threads),
                                                  .values = {VALUES_ONES, 0}}};
        if (variant->cost == NULL || !variant->cost(variant, &test->shape, &cost))
            continue;
        status = supervisor_count(supervisor, test, &found->outcome, &counters);
        if (status != ENGINE_OK)
            return status;
        variant->invoke(variant, &test->shape, &invocation);
        if (found->outcome.kind != OUTCOME_FAULT &&
            !compare(&cost, (uint64_t)invocation.grid.x * invocation.grid.y, &counters.all, why,
                     size))
            return ENGINE_OK;
    }
    return ENGINE_OK;
}
