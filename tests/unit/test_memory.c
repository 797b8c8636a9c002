/* SPDX-License-Identifier: MIT
 *
 * malloc() and free() in kernels, writes to constants, arrays that the grid must not write, and the
 * shared memory of a launch. Each runs under both models and every schedule.
 */
#include "check.h"
#include "fault_members.h"

#include "rooms.h"
#include "seeded_run.h"

static int32_t results[SEEDED_WORDS];
static struct race races[4];

#ifdef PTX_BY_CLANG
enum { BY_CLANG = true };
#else
enum { BY_CLANG = false };
#endif

static struct engine_outcome run(const char *kernel, uint32_t threads, enum model model,
                                 int schedule)
{
    const struct seeded_job job = {
        .kernel = kernel,
        .blocks = 1,
        .threads = threads,
        .model = model,
        .schedule = seeded_schedule(schedule),
        .races = races,
        .race_capacity = 4,
        .out = results,
    };

    return seeded_run(&job);
}

static void expect_fault(const char *kernel, uint32_t threads, struct fault expected)
{
    if (expected.kind != FAULT_NONE && expected.kind != FAULT_TRAP) /* nvcc gives traps no line */
        strcpy(expected.file, "seeded/seeded_heap.cu");
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            struct engine_outcome outcome = run(kernel, threads, (enum model)m, s);
            assert_true(expected.kind != FAULT_NONE || outcome.race_count == 0);
            if (!fault_has(&outcome.fault, &expected))
                fail_msg("%s, %s, schedule %d: %s: '%s'", kernel, model_name((enum model)m), s,
                         fault_name(outcome.fault.kind), outcome.fault.text);
        }
}

static void expect_right(const char *kernel, uint32_t threads)
{
    expect_fault(kernel, threads, (struct fault){.kind = FAULT_NONE});
}

/* The memory that a kernel allocated is unwritten in the next run, whatever has its place. The
 * test is the first one, because no kernel may have allocated memory before. */
TEST(runs_leave_no_written_memory_behind)
{
    uint64_t used;
    uint8_t *first;

    run("freesNothing", 32, MODEL_INDEPENDENT, 0);
    used = rooms_used();
    first = malloc(used);
    assert_non_null(first);
    memcpy(first, rooms_written, used);
    run("allocatesAndFrees", 64, MODEL_INDEPENDENT, 0);
    assert_true(memcmp(first, rooms_written, used) != 0);
    run("freesNothing", 32, MODEL_INDEPENDENT, 0);
    assert_int_equal(rooms_used(), used);
    assert_memory_equal(first, rooms_written, used);
    free(first);
}

TEST(heap_allocations_are_usable_memory)
{
    expect_right("newAndDelete", 4);
    assert_int_equal(results[3], 3);
    expect_right("allocatesAndFrees", 64);
    assert_int_equal(results[63], 63);
    expect_right("allocatesInALoop", 4);
    assert_int_equal(results[0], 39);
    expect_right("asksForTooMuch", 1);
    assert_int_equal(results[0], 1);
    expect_right("freesNothing", 32);
}

TEST(addresses_do_not_depend_on_the_schedule)
{
    int32_t first[SEEDED_WORDS];

    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            run("tellsItsAddresses", 64, (enum model)m, s);
            if (m == 0 && s == 0)
                memcpy(first, results, sizeof first);
            assert_memory_equal(first, results, 128 * sizeof *first);
        }
    for (int k = 1; k < 128; k++)
        assert_int_not_equal(first[k], first[0]);
}

TEST(misuse_of_allocations_is_detected)
{
    const struct fault_place here = {.file = "seeded/seeded_heap.cu"};

    expect_fault("writesPastAnAllocation", 32,
                 (struct fault){.kind = FAULT_OUT_OF_BOUNDS_WRITE,
                                .sentence = SAYS_OUTSIDE_ALLOCATION,
                                .bytes = 4,
                                .element = {.side = SIDE_AFTER, .index = 16, .count = 16},
                                .others = {here}});
    expect_fault("readsBeforeAnAllocation", 32,
                 (struct fault){.kind = FAULT_OUT_OF_BOUNDS_READ,
                                .sentence = SAYS_OUTSIDE_ALLOCATION,
                                .element = {.side = SIDE_BEFORE, .index = -4, .count = 16}});
    expect_fault("readsFreshMemory", 1,
                 (struct fault){.kind = FAULT_UNINITIALIZED_READ,
                                .sentence = SAYS_STORED_UNDEFINED,
                                .origin = FROM_MEMORY,
                                .element = {.array = "malloc() on line", .index = 8}});
    expect_fault("readsFreedMemory", 32,
                 (struct fault){.kind = FAULT_USE_AFTER_FREE,
                                .sentence = SAYS_USES_FREED,
                                .bytes = 4,
                                .others = {here}});
    expect_fault(
        "freesTwice", 32,
        (struct fault){.kind = FAULT_INVALID_FREE, .sentence = SAYS_FREES_AGAIN, .others = {here}});
    expect_fault("freesTheMiddle", 32,
                 (struct fault){.kind = FAULT_INVALID_FREE,
                                .sentence = SAYS_FREES_INSIDE,
                                .element = {.index = 4, .count = 16}});
    expect_fault("freesAnArray", 32,
                 (struct fault){.kind = FAULT_INVALID_FREE, .sentence = SAYS_FREES_OTHER});
    expect_fault("freesAllButTwo", 32,
                 (struct fault){
                     .kind = FAULT_MEMORY_LEAK, .sentence = SAYS_NEVER_FREES, .numbers = {2, 32}});
}

/* Padding that is copied with a whole struct does not count as an uninitialized use. */
TEST(padding_can_be_copied)
{
    static const char *const kernels[] = {"copiesPadding", "takesPartsOfAWord"};
    static const struct fault fresh = {.kind = FAULT_UNINITIALIZED_READ,
                                       .sentence = SAYS_STORED_UNDEFINED,
                                       .origin = FROM_MEMORY,
                                       .element = {.array = "malloc() on line"}};

    for (int k = 0; k < 2; k++) {
        expect_right(kernels[k], 4);
        assert_int_equal(results[3], 8);
    }
    expect_fault("usesPadding", 4, fresh);
    expect_fault("roundsFreshFloat", 4, fresh);
    expect_fault("comparesFreshWords", 4, fresh);
}

/* A schedule that frees first shows the use after free. One that reads first shows the race. */
TEST(early_free_is_detected_under_every_schedule)
{
    static const char *const kernels[] = {"freesWhileOthersRead", "freesWhileOthersWrite"};

    for (int k = 0; k < 2; k++) {
        for (int m = 0; m < MODELS; m++)
            for (int s = 0; s < SEEDED_SCHEDULES; s++) {
                struct engine_outcome outcome = run(kernels[k], 64, (enum model)m, s);
                assert_true(outcome.fault.kind == FAULT_USE_AFTER_FREE ||
                            (outcome.fault.kind == FAULT_NONE && outcome.race_count > 0));
            }
        assert_int_equal(run(kernels[k], 64, MODEL_LOCKSTEP, 0).fault.kind, FAULT_NONE);
        assert_non_null(strstr(races[0].place, "of malloc() on line"));
        assert_false(races[0].same_value);
    }
}

TEST(writes_to_constants_are_reported)
{
    static const struct fault constant = {.kind = FAULT_READ_ONLY,
                                          .sentence = SAYS_WRITES_CONSTANT,
                                          .element = {.array = "weights", .index = 4}};

    expect_right("readsAConstant", 32);
    assert_int_equal(results[5], 1);
    expect_fault("writesAConstantByPointer", 32, constant);
    expect_fault("writesAConstant", 32,
                 BY_CLANG ? constant : (struct fault){.kind = FAULT_TRAP, .sentence = SAYS_TRAPS});
}

/* ---- Launches of other arrays and sizes ---- */

struct launch_case {
    const char *kernel;
    uint32_t written; /* the buffer that is the second parameter */
    uint32_t shared_bytes;
    bool opts_in;
};

static struct engine_outcome launch(const struct launch_case *what, enum model model)
{
    const struct buffer zeros = {
        .name = "data", .role = ROLE_LOG, .element = ELEMENT_I32, .count = SEEDED_WORDS};
    const struct invocation invocation = {
        .kernel = what->kernel,
        .grid = {1, 1, 1},
        .block = {64, 1, 1},
        .shared_bytes = what->shared_bytes,
        .opts_in = what->opts_in,
        .buffer_count = 3,
        .buffers = {zeros, zeros, zeros},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, what->written}, {ARGUMENT_BUFFER, 2}},
    };
    const struct engine_job job = {
        .invocation = &invocation, .model = model, .races = races, .race_capacity = 4};
    struct engine_outcome outcome;

    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    return outcome;
}

/* Both compilers turn const __restrict__ into ld.global.nc, which no barrier orders. */
TEST(writes_to_const_restrict_memory_are_reported)
{
    for (int m = 0; m < MODELS; m++) {
        struct launch_case apart = {"readsRestricted", 1, 0, false}, one = apart;
        one.written = 0;
        assert_int_equal(launch(&apart, (enum model)m).race_count, 0);
        assert_true(launch(&one, (enum model)m).race_count > 0);
        assert_int_equal(races[0].lacks, SAYS_LOAD_CONSTANT);
    }
}

TEST(dynamic_shared_memory_limits_are_enforced)
{
    enum { KIB = 1024 };
    static const struct {
        struct launch_case what;
        const char *says; /* null: the launch succeeds */
    } cases[] = {
        {{"dynamicShared", 1, 48 * KIB, false}, NULL},
        {{"dynamicShared", 1, 48 * KIB + 16, false}, "48 KiB of static and dynamic"},
        {{"dynamicShared", 1, 227 * KIB, true}, NULL},
        {{"dynamicShared", 1, 227 * KIB + 16, true}, "more than 227 KiB"},
        {{"staticAndDynamicShared", 1, 44 * KIB, false}, NULL},
        {{"staticAndDynamicShared", 1, 44 * KIB + 16, false}, "48 KiB of static and dynamic"},
        {{"staticAndDynamicShared", 1, 223 * KIB, true}, NULL},
        {{"staticAndDynamicShared", 1, 223 * KIB + 16, true}, "more than 227 KiB"},
        {{"largeStaticShared", 1, 0, false}, "ptxas rejects"},
        {{"largeStaticShared", 1, 0, true}, "ptxas rejects"},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int m = 0; m < MODELS; m++) {
            struct fault fault = launch(&cases[c].what, (enum model)m).fault;
            if (cases[c].says != NULL)
                assert_non_null(strstr(fault.reason, cases[c].says));
            assert_int_equal(fault.kind, cases[c].says != NULL ? FAULT_LAUNCH : FAULT_NONE);
        }
}

TEST_MAIN("memory", engine_set_up, engine_tear_down)
