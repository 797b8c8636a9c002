/* SPDX-License-Identifier: MIT
 *
 * Nested launches on the simulator: the order of grids, their completion, the errors that launches
 * return, and arguments that are not allowed.
 */
#include "fault_members.h"
#include "nested.h"

#include <unistd.h>

static const struct schedule sequential = {SCHEDULE_SEQUENTIAL, 0, {0}},
                             reverse = {SCHEDULE_REVERSE, 0, {0}};

enum { SCHEDULES = 40 };

/* Returns the k-th schedule: the two plain ones, then random ones. */
static struct schedule schedule_number(int k)
{
    return k == 0   ? sequential
           : k == 1 ? reverse
                    : (struct schedule){SCHEDULE_RANDOM, (uint64_t)k, {0}};
}

static struct engine_outcome run_call(struct nested_call call, int model, int schedule)
{
    call.model = (enum model)model;
    call.schedule = schedule_number(schedule);
    return nested_run(&call);
}

#define FOR_EVERY_SCHEDULE(model, k)                                                               \
    for (int model = 0; model < MODELS; model++)                                                   \
        for (int k = 0; k < SCHEDULES; k++)

static void assert_no_fault(const struct engine_outcome *outcome)
{
    if (outcome->fault.kind != FAULT_NONE)
        print_error("%s: %s\n", fault_name(outcome->fault.kind), outcome->fault.text);
    assert_int_equal(outcome->fault.kind, FAULT_NONE);
}

static int place_of(uint32_t name)
{
    for (int k = 0; k < (int)nested_out[0]; k++)
        if (nested_out[1 + k] == name)
            return k;
    fail_msg("%u has not signed", name);
    return -1;
}

/* The null stream of a block runs in order. Tail launches run after everything else, in order. */
TEST(streams_keep_launch_order)
{
    bool child_first = false, parent_first = false;
    FOR_EVERY_SCHEDULE(model, k)
    {
        const struct nested_call call = {
            .kernel = "signInOrder", .blocks = 1, .threads = 1, .a = 1};
        struct engine_outcome outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        assert_int_equal(outcome.children, 4);
        assert_int_equal(nested_out[0], 5);
        assert_true(place_of(4) < place_of(5));
        assert_int_equal(place_of(1), 3);
        assert_int_equal(place_of(2), 4);
        child_first = child_first || place_of(4) < place_of(3);
        parent_first = parent_first || place_of(3) < place_of(4);
    }
    assert_true(child_first && parent_first); /* depends on the schedule */
}

TEST(children_run_at_any_point_after_launch)
{
    const struct nested_call call = {.kernel = "signInOrder", .blocks = 1, .threads = 1};
    run_call(call, MODEL_INDEPENDENT, 0);
    assert_int_equal(nested_out[1], 3); /* sequential: the parent first */
    run_call(call, MODEL_INDEPENDENT, 1);
    assert_int_equal(nested_out[3], 3); /* reverse: both children first */
}

/* The host sees what the last grandchild wrote, for every kind of launch. */
TEST(grid_completes_after_its_children)
{
    FOR_EVERY_SCHEDULE(model, k)
    for (uint32_t kind = 0; kind < 3; kind++) {
        const struct nested_call call = {
            .kernel = "endEarly", .blocks = 1, .threads = 1, .a = kind};
        struct engine_outcome outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        assert_int_equal(nested_out[0], 1);
    }
}

TEST(next_grid_in_stream_waits_for_grandchildren)
{
    FOR_EVERY_SCHEDULE(model, k)
    {
        const struct nested_call call = {.kernel = "followLate", .blocks = 1, .threads = 1};
        struct engine_outcome outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        assert_int_equal(outcome.deepest, 2);
        assert_int_equal(nested_out[0], 2);
    }
}

TEST(each_block_has_its_own_shared_memory)
{
    FOR_EVERY_SCHEDULE(model, k)
    {
        const struct nested_call call = {.kernel = "keepShared", .blocks = 1, .threads = 32};
        struct engine_outcome outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        for (uint32_t depth = 0; depth < 4; depth++)
            for (uint32_t t = 0; t < 32; t++)
                assert_int_equal(nested_out[32 * depth + t], 100 * depth + 31 - t);
    }
}

TEST(parent_reads_child_writes_after_wait)
{
    FOR_EVERY_SCHEDULE(model, k)
    {
        struct nested_call call = {.kernel = "waitForChild",
                                   .blocks = 1,
                                   .threads = 1,
                                   .b = 20,
                                   .nesting = {.profile = PROFILE_CDP1, .wait_depth = 24}};
        struct engine_outcome outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        assert_int_equal(nested_out[0], 21);
        call.kernel = "waitInBlock";
        call.threads = 70;
        outcome = run_call(call, model, k);
        assert_no_fault(&outcome);
        for (uint32_t t = 0; t < 70; t++)
            assert_int_equal(nested_out[t], 70);
    }
}

static struct fault launch_fails(const char *name, int error)
{
    struct fault fault = FAULT(CHILD_LAUNCH, LAUNCH_FAILS, .numbers = {0, 0, error});

    strcpy(fault.object, name);
    return fault;
}

/* A failed launch is a fault with the runtime's error, and the kernel continues. */
static void expect_failure(struct nested_call call, struct fault expected, uint64_t children)
{
    for (int model = 0; model < MODELS; model++) {
        struct engine_outcome outcome = run_call(call, model, 0);
        if (!fault_has(&outcome.fault, &expected))
            fail_msg("%s", outcome.fault.text);
        assert_string_equal(outcome.fault.file, "nested/nested_launch.cu");
        assert_true(outcome.fault.line > 0);
        assert_int_equal(outcome.children, children);
    }
}

TEST(launch_limits_match_the_profile)
{
    const struct nesting cdp1 = {.profile = PROFILE_CDP1};
    struct nested_call deep = {.kernel = "descend", .blocks = 1, .threads = 1, .b = 1000};
    struct nested_call many = {.kernel = "launchMany", .blocks = 1, .threads = 1, .b = 5000};
    struct engine_outcome outcome;
    /* Depth limits: none, 24, or the configured one. */
    for (deep.a = 0; deep.a < 3; deep.a++) {
        outcome = nested_run(&deep);
        assert_no_fault(&outcome);
        assert_int_equal(outcome.deepest, 1000);
        assert_int_equal(nested_out[0], 1001);
    }
    deep.a = 0;
    deep.nesting = cdp1;
    expect_failure(deep, launch_fails("cudaErrorLaunchMaxDepthExceeded", 65), 24);
    deep.nesting.depth = 7;
    expect_failure(deep, launch_fails("cudaErrorLaunchMaxDepthExceeded", 65), 7);
    /* Pending launches: 2048, or the configured limit. */
    for (many.a = 0; many.a < 3; many.a++) {
        many.nesting = (struct nesting){0};
        expect_failure(many, launch_fails("cudaErrorLaunchPendingCountExceeded", 69), 2048);
        many.nesting.pending = 128;
        expect_failure(many, launch_fails("cudaErrorLaunchPendingCountExceeded", 69), 128);
        many.nesting.pending = 5000;
        outcome = nested_run(&many);
        assert_no_fault(&outcome);
        assert_int_equal(nested_out[0], 5000);
    }
    /* CDP1 has a buffer for more, and does not have these streams. */
    many.nesting = cdp1;
    many.a = 0;
    outcome = nested_run(&many);
    assert_no_fault(&outcome);
    assert_int_equal(nested_out[0], 5000);
    many.a = 1;
    expect_failure(many, launch_fails("cudaErrorInvalidResourceHandle", 400), 0);
}

/* By default waiting fails from depth 2 on. Under CDP2 it always fails. */
TEST(waits_fail_at_the_depth_limit_of_the_profile)
{
    struct nested_call wait = {.kernel = "waitForChild",
                               .blocks = 1,
                               .threads = 1,
                               .b = 10,
                               .nesting = {.profile = PROFILE_CDP1}};
    const struct fault too_deep = FAULT(CHILD_LAUNCH, WAIT_DEPTH, .numbers = {68});
    struct engine_outcome outcome;

    expect_failure(wait, too_deep, 3); /* the recursion ends at depth 2 */
    wait.nesting.wait_depth = 10;
    outcome = nested_run(&wait);
    assert_no_fault(&outcome);
    wait.nesting = (struct nesting){0};
    outcome = nested_run(&wait);
    assert_int_equal(outcome.fault.kind, FAULT_UNSUPPORTED);
}

TEST(invalid_block_sizes_are_rejected)
{
    struct nested_call call = {.kernel = "launchNothing", .blocks = 1, .threads = 1};
    expect_failure(call, launch_fails("cudaErrorInvalidConfiguration", 9), 0);
    call.a = 1025;
    expect_failure(call, (struct fault)FAULT(CHILD_LAUNCH, LAUNCH_FAILS, .numbers = {1, 1025}), 0);
}

TEST(local_and_shared_pointers_cannot_be_passed_to_child)
{
    for (uint32_t shared = 0; shared < 2; shared++) {
        const struct nested_call call = {
            .kernel = "givePointer", .blocks = 1, .threads = 1, .a = shared};
        struct engine_outcome outcome = run_call(call, MODEL_INDEPENDENT, 0);
        struct fault escape = FAULT(LOCAL_POINTER_ESCAPE, PASSES_LOCAL);
        strcpy(escape.object, shared ? "shared" : "local");
        assert_true(fault_has(&outcome.fault, &escape));
        assert_string_equal(outcome.fault.file, "nested/nested_launch.cu");
        assert_true(outcome.fault.line > 0);
    }
    children_run_at_any_point_after_launch(state); /* the engine still works as before */
}

/* A hello kernel prints one line per entry of its log, if printing is enabled. */
TEST(printf_output_is_printed_on_request)
{
    static const char *const ids[] = {"nestedHelloWorld", "nestedHelloWorldWait",
                                      "nestedHelloWorldNew", "nestedHelloWorldLimited",
                                      "nestedHelloWorldTree"};
    static const char path[] = "/tmp/simtcheck-hello";
    int terminal = dup(STDOUT_FILENO);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct variant *variant =
            catalogue_find(&simtcheck_catalogue, ids[i], VARIANT_ORIGINAL);
        const struct shape shape = {{8, 1, 1},
                                    {2, variant->size_dimensions == 2 ? 8 : 1},
                                    0,
                                    variant_deepest(variant) > 0 ? 3 : 0,
                                    {0, 0}};
        struct invocation invocation;
        const struct engine_job job = {.invocation = &invocation,
                                       .nesting = {.profile = PROFILE_CDP1, .wait_depth = 24},
                                       .results = {nested_out}};
        struct engine_outcome outcome;
        uint32_t lines = 0;
        char line[128];
        FILE *output;
        variant->invoke(variant, &shape, &invocation);
        invocation.arguments[invocation.argument_count - 1].value = true;
        invocation.prints = true;
        fflush(stdout);
        assert_non_null(freopen(path, "w", stdout));
        outcome = nested_run_job(&job);
        fflush(stdout);
        dup2(terminal, STDOUT_FILENO);
        assert_no_fault(&outcome);
        output = fopen(path, "r");
        while (fgets(line, sizeof line, output) != NULL)
            lines += strstr(line, "Hello World from thread") != NULL ||
                     strstr(line, "nested execution depth") != NULL;
        fclose(output);
        unlink(path);
        assert_int_equal(lines, nested_out[0]);
        assert_true(lines >= 14);
    }
    close(terminal);
}

/* If children run at once, the launching thread records the launch after the child's records. Both
 * variants launch first. */
TEST(launch_is_logged_after_the_child_runs)
{
    static const char *const ids[] = {"nestedHelloWorld", "nestedHelloWorldNew",
                                      "nestedHelloWorldLimited"};
    enum { CHILD = 1 << 26, RECORDED = CHILD - 1 };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        for (int kind = VARIANT_ORIGINAL; kind <= VARIANT_CORRECTED; kind++) {
            const struct variant *variant =
                catalogue_find(&simtcheck_catalogue, ids[i], (enum variant_kind)kind);
            const struct shape shape = {{8, 1, 1},
                                        {1, variant->size_dimensions == 2 ? 8 : 1},
                                        0,
                                        variant_deepest(variant) > 0 ? 2 : 0,
                                        {0, 0}};
            struct invocation invocation;
            const struct engine_job job = {.invocation = &invocation,
                                           .schedule = {SCHEDULE_REVERSE, 0, {0}},
                                           .results = {nested_out}};
            struct engine_outcome outcome;
            uint32_t heard = 0, recorded_at = 0;
            variant->invoke(variant, &shape, &invocation);
            invocation.arguments[invocation.argument_count - 1].value = false;
            invocation.prints = false;
            outcome = nested_run_job(&job);
            assert_no_fault(&outcome);
            for (uint32_t k = 1; k <= nested_out[0]; k++) {
                if (nested_out[k] == CHILD)
                    heard = k;
                if (nested_out[k] == CHILD + RECORDED)
                    recorded_at = k;
            }
            assert_true(heard > 0 && recorded_at > heard);
        }
}

/* gpuRecursiveReduce2 needs half as many threads as elements. With one thread per element, the
 * upper half reads past the segment. */
TEST(reduce2_launches_half_the_threads)
{
    const struct variant *variant =
        catalogue_find(&simtcheck_catalogue, "gpuRecursiveReduce2", VARIANT_ORIGINAL);
    const struct shape shape = {{32, 1, 1}, {32, 1}, 0, 0, {0, 0}};
    int32_t sum = 0;
    struct invocation invocation;
    const struct engine_job job = {
        .invocation = &invocation, .values = {VALUES_ONES, 0}, .results = {NULL, &sum}};
    struct engine_outcome outcome;
    variant->invoke(variant, &shape, &invocation);
    outcome = nested_run_job(&job);
    assert_no_fault(&outcome);
    assert_int_equal(sum, 32);
    assert_int_equal(invocation.block.x, 16);
    invocation.block.x = 32;
    outcome = nested_run_job(&job);
    assert_int_equal(outcome.fault.kind, FAULT_OUT_OF_BOUNDS_READ);
}

int main(void)
{
    int status = nested_open();
    if (status == 0)
        status = tests_run("nested launch", NULL, NULL);
    nested_close();
    return status;
}
