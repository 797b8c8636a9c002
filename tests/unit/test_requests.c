/* SPDX-License-Identifier: MIT
 *
 * The memory requests of a block of 48 threads, one and a half warps: seeded_counts.cu, counted by
 * hand.
 */
#include "check.h"

#include "seeded_run.h"

enum { THREADS = 48 };

/* 48 consecutive words, accessed by two warps. */
#define ROW                                                                                        \
    {                                                                                              \
        2, 48, 192, 2, 6,                                                                          \
        {                                                                                          \
            0, 1, 1                                                                                \
        }                                                                                          \
    }

/* clang-format off */
static const struct {
    const char *kernel;
    struct access_counters access[2];
    uint64_t shared[2][2], warps_split_blocks[3];
} rows[] = {
    /* Loads and stores: requests, lanes, bytes, lines, sectors, {1, 2, 4 sectors}. Shared memory:
     * requests, lanes. */
    {"loadsVectors", {{2, 48, 768, 6, 24, {0, 0, 6}}, ROW}, {{0, 0}, {0, 0}}, {2, 0, 0}},
    {"storesApart", {{0}, {4, 96, 384, 22, 40, {16, 0, 6}}}, {{0, 0}, {0, 0}}, {2, 0, 0}},
    {"storesInTheMiddle", {{0}, {1, 16, 64, 1, 2, {0, 0, 1}}}, {{0, 0}, {0, 0}}, {1, 1, 0}},
    {"addsInTwoPlaces", {{2, 48, 192, 4, 4, {4, 0, 0}}, {0}}, {{0, 0}, {0, 0}}, {2, 0, 0}},
    {"readsTwoArraysAtOnce", {{2, 48, 192, 4, 12, {0, 2, 2}}, ROW}, {{0, 0}, {0, 0}}, {2, 0, 0}},
    {"turnsRound", {ROW, ROW}, {{2, 48}, {2, 48}}, {4, 0, 1}},
    {"keepsToItself", {{16, 384, 1536, 16, 16, {16, 0, 0}}, ROW}, {{0, 0}, {0, 0}}, {2, 0, 0}},
    {"oddLanesStore", {{0}, {4, 72, 288, 4, 12, {0, 2, 2}}}, {{0, 0}, {0, 0}}, {4, 2, 1}},
    {"halfHasExited", {{0}, {4, 80, 320, 4, 10, {0, 3, 1}}}, {{0, 0}, {0, 0}}, {4, 0, 2}},
    {"copiesAside", {{2, 40, 640, 5, 20, {0, 0, 5}}, ROW}, {{2, 48}, {2, 48}}, {2, 1, 0}},
    {"meetsAtAnMbarrier", {{0}, ROW}, {{4, 96}, {1, 1}}, {3, 1, 1}},
};
/* clang-format on */

static struct engine_counters counted(const char *kernel, int schedule)
{
    static struct engine_counters counters;
    const struct seeded_job job = {.kernel = kernel,
                                   .blocks = 1,
                                   .threads = THREADS,
                                   .model = MODEL_LOCKSTEP,
                                   .schedule = seeded_schedule(schedule),
                                   .counters = &counters};
    struct engine_outcome outcome = seeded_run(&job);

    if (outcome.fault.kind != FAULT_NONE)
        print_error("%s: %s\n", kernel, outcome.fault.text);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    return counters;
}

/* Compares arrays of numbers; `size` is in bytes. */
static void assert_same(const char *kernel, const char *what, const void *counted,
                        const void *expected, size_t size)
{
    const uint64_t *numbers = counted;

    if (memcmp(counted, expected, size) == 0)
        return;
    print_error("%s, %s:", kernel, what);
    for (size_t k = 0; k < size / sizeof *numbers; k++)
        print_error(" %llu", (unsigned long long)numbers[k]);
    print_error("\n");
    assert_memory_equal(counted, expected, size);
}

TEST(memory_requests_match_hand_counts)
{
    for (int s = 0; s < SEEDED_SCHEDULES; s++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            const char *kernel = rows[r].kernel;
            const struct engine_counters counters = counted(kernel, s);
            const uint64_t *of_warps = &counters.all.warps;
            assert_same(kernel, "access", counters.all.access, rows[r].access,
                        sizeof rows[r].access);
            assert_same(kernel, "shared", counters.all.shared, rows[r].shared,
                        sizeof rows[r].shared);
            assert_same(kernel, "warps, split, blocks", of_warps, rows[r].warps_split_blocks,
                        sizeof rows[r].warps_split_blocks);
        }
}

/* Accesses before the barrier are counted separately from those after it. */
TEST(intervals_end_at_barriers)
{
    struct engine_counters counters = counted("oddLanesStore", 0);

    assert_int_equal(counters.interval_count, 2);
    assert_int_equal(counters.intervals[0].access[1].lanes, THREADS / 2);
    assert_int_equal(counters.intervals[0].blocks, 1);
    assert_int_equal(counters.intervals[1].access[1].lanes, THREADS);
    assert_int_equal(counters.intervals[1].blocks, 0);
}

TEST_MAIN("requests", engine_set_up, engine_tear_down)
