/* SPDX-License-Identifier: MIT
 *
 * The actual limits of the toolkit and the GPU. They are the depth of nesting for each way of
 * launching, and the launch at which the pending limit fails, for one thread and for many blocks.
 * The test prints the limits and compares them with the profile CDP2, which the simulator
 * implements too. SIMTCHECK_DEPTH sets the depth to try (default 1024).
 */
#include "nested.h"

enum { DEFAULT_DEPTH_TRIED = 1024, MAX_DEPTH_TRIED = 100000 };

static const char *const kinds[] = {"null stream", "tail launch", "fire and forget"};

static uint32_t depth_to_try(void)
{
    const char *word = getenv("SIMTCHECK_DEPTH");
    unsigned long depth = word != NULL ? strtoul(word, NULL, 10) : DEFAULT_DEPTH_TRIED;

    if (depth < 1 || depth > MAX_DEPTH_TRIED)
        fail_msg("SIMTCHECK_DEPTH '%s' is not a depth from 1 to %d", word, MAX_DEPTH_TRIED);
    return (uint32_t)depth;
}

/* No kind of launch has a depth limit. */
TEST(launch_depth_limit_is_enforced)
{
    uint32_t tried = depth_to_try();
    for (uint32_t kind = 0; kind < 3; kind++) {
        const struct nested_call call = {.kernel = "descend",
                                         .blocks = 1,
                                         .threads = 1,
                                         .a = kind,
                                         .b = tried,
                                         .nesting = {.pending = tried}};
        struct engine_outcome outcome = nested_run(&call);
        print_message("%s, %s: depth %u of %u reached, %s\n", engine_kind()->name, kinds[kind],
                      nested_out[0] - 1, tried,
                      outcome.fault.kind == FAULT_NONE ? "no error" : outcome.fault.text);
        assert_int_equal(outcome.fault.kind, FAULT_NONE);
        assert_int_equal(outcome.children, tried);
        assert_int_equal(nested_out[0], tried + 1);
    }
}

/* Checks that failed launches are a fault, and that successful ones are counted. */
static struct engine_outcome launch_many(uint32_t kind, uint32_t blocks, uint32_t threads,
                                         uint32_t each, uint32_t limit)
{
    const struct nested_call call = {.kernel = "launchMany",
                                     .blocks = blocks,
                                     .threads = threads,
                                     .a = kind,
                                     .b = each,
                                     .nesting = {.pending = limit}};
    struct engine_outcome outcome = nested_run(&call);
    bool failed = outcome.failed_launches > 0;

    print_message("%s, %s, limit %u: %u blocks of %u threads launch %u each: %llu start, %s\n",
                  engine_kind()->name, kinds[kind], limit, blocks, threads, each,
                  (unsigned long long)outcome.children,
                  failed ? "then cudaErrorLaunchPendingCountExceeded" : "no error");
    assert_int_equal(outcome.fault.kind, failed ? FAULT_CHILD_LAUNCH : FAULT_NONE);
    if (failed)
        assert_string_equal(outcome.fault.object, "cudaErrorLaunchPendingCountExceeded");
    else
        assert_int_equal(nested_out[0], outcome.children); /* none is lost */
    return outcome;
}

/* A tail launch cannot start while its parent runs, so the test reaches the limit exactly. The
 * limit is the one that is set. It applies to all threads and blocks of a grid together. */
TEST(pending_tail_launch_limit_is_enforced)
{
    static const uint32_t limits[] = {128, 2048, 4096};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        uint32_t limit = limits[l];
        assert_int_equal(launch_many(1, 1, 1, limit, limit).failed_launches, 0);
        assert_int_equal(launch_many(1, 1, 1, 5000, limit).children, limit);
        assert_int_equal(launch_many(1, limit / 64, 1, 100, limit).children, limit);
        assert_int_equal(launch_many(1, 1, 64, limit / 32, limit).children, limit);
    }
}

/* A launch is pending until its grid is complete, with all grids below it. A tail launch starts
 * when its parent is no longer pending. */
TEST(launches_are_pending_until_their_grids_are_complete)
{
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t depth = 2048; depth <= 2049; depth++) {
            const struct nested_call call = {
                .kernel = "descend", .blocks = 1, .threads = 1, .a = kind, .b = depth};
            struct engine_outcome outcome = nested_run(&call);
            bool fails = kind == 0 && depth > 2048;
            assert_int_equal(outcome.children, fails ? depth - 1 : depth);
            assert_int_equal(outcome.fault.kind, fails ? FAULT_CHILD_LAUNCH : FAULT_NONE);
            assert_string_equal(outcome.fault.object,
                                fails ? "cudaErrorLaunchPendingCountExceeded" : "");
        }
}

/* How many launches are pending at once depends on how soon they are complete. Up
 * to the limit none fails, and above it some may fail. If the limit equals the number of launches,
 * none fails. */
TEST(pending_launch_limit_is_enforced_for_other_kinds)
{
    for (uint32_t kind = 0; kind < 3; kind += 2) {
        assert_int_equal(launch_many(kind, 1, 1, 2048, 2048).failed_launches, 0);
        assert_int_equal(launch_many(kind, 2048, 1, 1, 2048).failed_launches, 0);
        assert_true(launch_many(kind, 1, 1, 5000, 2048).children >= 2048);
        assert_true(launch_many(kind, 4096, 1, 1, 2048).children >= 2048);
        assert_true(launch_many(kind, 64, 1, 100, 128).children >= 128);
        assert_int_equal(launch_many(kind, 4096, 1, 1, 4096).failed_launches, 0);
    }
}

TEST(launch_of_zero_threads_fails)
{
    static const uint32_t threads[] = {0, 1025};
    for (int k = 0; k < 2; k++) {
        const struct nested_call call = {
            .kernel = "launchNothing", .blocks = 1, .threads = 1, .a = threads[k]};
        struct engine_outcome outcome = nested_run(&call);
        print_message("%s, <<<1, %u>>>: %s\n", engine_kind()->name, threads[k], outcome.fault.text);
        assert_int_equal(outcome.fault.kind, FAULT_CHILD_LAUNCH);
        assert_int_equal(outcome.failed_launches, 1);
        assert_int_equal(outcome.children, 0);
    }
}

int main(void)
{
    int status = nested_open();
    if (status == 0)
        status = tests_run("limits of nested launches", NULL, NULL);
    nested_close();
    return status;
}
