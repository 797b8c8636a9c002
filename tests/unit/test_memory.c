/* SPDX-License-Identifier: MIT
 *
 * malloc() and free() in kernels, writes to constants, arrays that the grid must not write, and the
 * shared memory of a launch. Each runs under both models and every schedule.
 */
#include "check.h"

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

static void expect(const char *kernel, uint32_t threads, enum fault_kind kind, const char *says)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            struct engine_outcome outcome = run(kernel, threads, (enum model)m, s);
            struct fault fault = outcome.fault;
            assert_true(kind != FAULT_NONE || outcome.race_count == 0);
            if (fault.kind != kind || strstr(fault.text, says) == NULL)
                fail_msg("%s, %s, schedule %d: %s: '%s', and not '%s'", kernel,
                         model_name((enum model)m), s, fault_name(fault.kind), fault.text, says);
            if (kind != FAULT_NONE && kind != FAULT_TRAP) /* nvcc gives its traps no line */
                assert_string_equal(fault.file, "seeded/seeded_heap.cu");
        }
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
    expect("newAndDelete", 4, FAULT_NONE, "");
    assert_int_equal(results[3], 3);
    expect("allocatesAndFrees", 64, FAULT_NONE, "");
    assert_int_equal(results[63], 63);
    expect("allocatesInALoop", 4, FAULT_NONE, "");
    assert_int_equal(results[0], 39);
    expect("asksForTooMuch", 1, FAULT_NONE, "");
    assert_int_equal(results[0], 1);
    expect("freesNothing", 32, FAULT_NONE, "");
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
    expect("writesPastAnAllocation", 32, FAULT_OUT_OF_BOUNDS_WRITE,
           "writes 4 bytes at byte 16 of the 16 bytes that malloc() returned at "
           "seeded/seeded_heap.cu");
    expect("readsBeforeAnAllocation", 32, FAULT_OUT_OF_BOUNDS_READ, "at byte -4 of the 16 bytes");
    expect("readsFreshMemory", 1, FAULT_UNINITIALIZED_READ, "byte 8 of malloc() on line");
    expect("readsFreedMemory", 32, FAULT_USE_AFTER_FREE,
           "reads 4 bytes of memory that was freed at seeded/seeded_heap.cu:");
    expect("freesTwice", 32, FAULT_INVALID_FREE,
           "frees memory that was already freed at seeded/seeded_heap.cu:");
    expect("freesTheMiddle", 32, FAULT_INVALID_FREE, "frees byte 4 of the 16 bytes");
    expect("freesAnArray", 32, FAULT_INVALID_FREE, ", which malloc() did not return");
    expect("freesAllButTwo", 32, FAULT_MEMORY_LEAK,
           "never frees 2 allocations of malloc(), 32 bytes");
}

/* Padding that is copied with a whole struct does not count as an uninitialized use. */
TEST(padding_can_be_copied)
{
    static const char *const kernels[] = {"copiesPadding", "takesPartsOfAWord"};

    for (int k = 0; k < 2; k++) {
        expect(kernels[k], 4, FAULT_NONE, "");
        assert_int_equal(results[3], 8);
    }
    expect("usesPadding", 4, FAULT_UNINITIALIZED_READ, "of malloc() on line");
    expect("roundsFreshFloat", 4, FAULT_UNINITIALIZED_READ, "of malloc() on line");
    expect("comparesFreshWords", 4, FAULT_UNINITIALIZED_READ, "of malloc() on line");
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
    expect("readsAConstant", 32, FAULT_NONE, "");
    assert_int_equal(results[5], 1);
    expect("writesAConstantByPointer", 32, FAULT_READ_ONLY, "writes byte 4 of weights, a constant");
    if (BY_CLANG)
        expect("writesAConstant", 32, FAULT_READ_ONLY, "writes byte 4 of weights, a constant");
    else
        expect("writesAConstant", 32, FAULT_TRAP,
               "which compilers also generate for a write to a constant");
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
        assert_non_null(strstr(races[0].missing, "ld.global.nc needs memory"));
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
                assert_non_null(strstr(fault.text, cases[c].says));
            assert_int_equal(fault.kind, cases[c].says != NULL ? FAULT_LAUNCH : FAULT_NONE);
        }
}

TEST_MAIN("memory", engine_set_up, engine_tear_down)
