/* SPDX-License-Identifier: MIT
 *
 * reduceCompleteUnroll needs exactly as many threads as its template argument says. Checks that
 * every other pair gives a wrong sum, on the engine that the program is linked with.
 */
#include "nested.h"

#include "figures.h"

enum { MIN_BLOCK = 64, MAX_BLOCK = 1024, UNROLLED = 8, SEGMENTS = 2 };

static int32_t sums[SEGMENTS];

static struct engine_outcome run(uint32_t instance, uint32_t block, enum model model,
                                 enum schedule_kind schedule)
{
    char kernel[32];
    const uint32_t n = SEGMENTS * UNROLLED * block;
    const struct invocation invocation = {
        .kernel = kernel,
        .grid = {SEGMENTS, 1, 1},
        .block = {block, 1, 1},
        .buffer_count = 2,
        .buffers =
            {{.name = "in", .role = ROLE_INOUT, .element = ELEMENT_I32, .count = n},
             {.name = "out", .role = ROLE_OUTPUT, .element = ELEMENT_I32, .count = SEGMENTS}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_VALUE, n}},
    };
    const struct engine_job job = {
        .invocation = &invocation,
        .values = {VALUES_ONES, 0},
        .model = model,
        .schedule = {schedule, 0, {0}},
        .results = {NULL, sums},
    };

    snprintf(kernel, sizeof kernel, "reduceCompleteUnroll%u", instance);
    sums[0] = sums[1] = 0;
    return nested_run_job(&job);
}

/* A GPU ignores models and schedules. Under the independent model the result of the volatile tail
 * is undefined for another reason. So the right sum is required in lockstep only. */
TEST(sum_is_right_only_for_matching_block_size)
{
    unsigned int pairs = 0;
    for (uint32_t instance = MIN_BLOCK; instance <= MAX_BLOCK; instance *= 2)
        for (uint32_t block = MIN_BLOCK; block <= MAX_BLOCK; block *= 2)
            for (int order = SCHEDULE_SEQUENTIAL; order <= SCHEDULE_REVERSE; order++) {
                struct engine_outcome outcome =
                    run(instance, block, MODEL_LOCKSTEP, (enum schedule_kind)order);
                bool right = outcome.fault.kind == FAULT_NONE &&
                             sums[0] + sums[1] == (int32_t)(SEGMENTS * UNROLLED * block);
                print_message("instance %u, block %u: %d for %u %s\n", instance, block,
                              sums[0] + sums[1], SEGMENTS * UNROLLED * block, outcome.fault.text);
                assert_int_equal(right, instance == block);
                pairs++;
            }
    assert_int_equal(pairs, 2 * 25);
}

/* The elements are ones. The book only says that the block must equal the template's argument. */
TEST(sums_match_the_published_values)
{
    assert_int_equal(run(512, 256, MODEL_LOCKSTEP, SCHEDULE_SEQUENTIAL).fault.kind, FAULT_NONE);
    assert_int_equal(sums[0] + sums[1], 4608); /* for 4096 */
    assert_int_equal(run(64, 128, MODEL_LOCKSTEP, SCHEDULE_SEQUENTIAL).fault.kind, FAULT_NONE);
    assert_int_equal(sums[0] + sums[1], 1024); /* for 2048 */
    figures_asserted("worked out: book", "sums of reduceCompleteUnroll with another block", 2);
}

TEST(documented_figures_match)
{
    figures_match_the_page("host.property.instances, cuda.property.instances");
}

int main(void)
{
    int status = nested_open();
    if (status == 0)
        status = tests_run("instances", NULL, NULL);
    nested_close();
    return status;
}
