/* SPDX-License-Identifier: MIT
 *
 * Threads that do not reach a barrier together, and code that depends on which lanes run together.
 * Runs seeded_convergence.cu under both models and every schedule, with each compiler's code.
 */
#include "check.h"
#include "fault_members.h"

#include "seeded_run.h"

enum { THREADS = 64, BLOCKS = 2 };

static const struct engine_limits by_default = {.deadline_seconds = 60},
                                  strict = {.deadline_seconds = 60, .strict_barriers = true},
                                  lenient = {.deadline_seconds = 60, .warp_barriers = true};

static void open_engine(const struct engine_limits *limits)
{
    char reason[256];

    engine_close(engine);
    assert_int_equal(engine_open(limits, &engine, reason, sizeof reason), ENGINE_OK);
}

static struct engine_outcome run(const char *kernel, int model, int schedule, struct race *races,
                                 int32_t *out)
{
    const struct seeded_job job = {
        .kernel = kernel,
        .blocks = BLOCKS,
        .threads = THREADS,
        .model = (enum model)model,
        .schedule = seeded_schedule(schedule),
        .races = races,
        .race_capacity = races != NULL ? 4 : 0,
        .out = out,
    };

    return seeded_run(&job);
}

/* Expects a fault on that line, with and without race checking. Line 0 means no fault. Others wait
 * or go on at the other line. */
static void expect_beside(const char *kernel, int line, enum fault_sentence sentence, int other)
{
    const struct fault expected = {.kind = line != 0 ? FAULT_DIVERGENT_BARRIER : FAULT_NONE,
                                   .sentence = sentence,
                                   .line = line,
                                   .others = {{.line = other}}};

    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++)
            for (int looks = 0; looks < 2; looks++) {
                struct race races[4];
                struct fault fault = run(kernel, m, s, looks ? races : NULL, NULL).fault;
                if (!fault_has(&fault, &expected) || fault.line != line)
                    fail_msg("%s, %s, schedule %d: '%s', and not line %d", kernel,
                             model_name((enum model)m), s, fault.text, line);
            }
}

static void expect(const char *kernel, int line, enum fault_sentence sentence)
{
    expect_beside(kernel, line, sentence, 0);
}

TEST(skipped_barrier_is_reported)
{
    expect_beside("writesWithoutTheBarrier", 14, SAYS_SKIPS_BARRIER, 15);
    expect("writesBehindTheBarrierOfAll", 0, SAYS_REASON);
    expect("aWarpWritesWithoutTheBarrier", 31, SAYS_SKIPS_BARRIER);
    expect("meetsInALoopByThread", 41, SAYS_SKIPS_BARRIER);
    expect("meetsInALoopByBlock", 0, SAYS_REASON);
    expect("meetsInAnotherRound", 62, SAYS_SKIPS_BARRIER);
    expect("meetsInItsRound", 0, SAYS_REASON);
    expect("goesOnBehindTheCall", 82, SAYS_SKIPS_BARRIER);
    expect("goesOnBehindTheCallOfAll", 0, SAYS_REASON);
    expect("goesOnInsideAnotherBranch", 265, SAYS_SKIPS_BARRIER);
    expect("goesOnBesideAnAssertion", 277, SAYS_SKIPS_BARRIER);
}

/* seeded_paths.ptx */
TEST(every_path_around_a_barrier_is_detected)
{
    expect_beside("returnsFromTwoPlaces", 10, SAYS_SKIPS_BARRIER, 99);
    expect("isGuarded", 20, SAYS_SKIPS_BARRIER);
    expect("isGuardedForAll", 0, SAYS_REASON);
    expect("switchesByThread", 30, SAYS_SKIPS_BARRIER);
    expect("switchesByBlock", 0, SAYS_REASON);
    expect("trapsBeforeTheEnd", 40, SAYS_SKIPS_BARRIER);
    expect("warpsAtACopy", 0, SAYS_REASON);
}

TEST(returned_threads_are_reported_on_request)
{
    expect("returnsBeforeTheBarrier", 0, SAYS_REASON);
    expect("returnsBehindTheLastBarrier", 0, SAYS_REASON);
    open_engine(&strict);
    expect("returnsBeforeTheBarrier", 115, SAYS_RETURNED_BEFORE);
    expect("returnsBehindTheLastBarrier", 0, SAYS_REASON);
    open_engine(&by_default);
}

TEST(warps_at_two_barriers_are_reported_unless_allowed)
{
    expect_beside("warpsAtTwoBarriers", 141, SAYS_WAITS_ELSEWHERE, 137);
    expect_beside("warpsAtTwoBarriersOfALine", 60, SAYS_WAITS_ELSEWHERE, 60);
    expect("warpsAtOneUnrolledBarrier", 0, SAYS_REASON);
    open_engine(&lenient);
    expect("warpsAtTwoBarriers", 0, SAYS_REASON);
    expect("lanesAtTwoBarriers", 155, SAYS_WAITS_ELSEWHERE_IN_WARP);
    expect("lanesMeetInAnotherRound", 288, SAYS_SKIPS_BARRIER);
    open_engine(&by_default);
}

TEST(partial_warp_at_aligned_barrier_is_reported)
{
    expect_beside("lanesAtTwoBarriers", 155, SAYS_WAITS_ELSEWHERE_IN_WARP, 151);
    expect_beside("lanesAtTwoBarriersOfALine", 60, SAYS_WAITS_ELSEWHERE_IN_WARP, 60);
    expect("halvesOfWarpsAtANumberedBarrier", 178, SAYS_SKIPS_BARRIER);
    expect("aWarpAtANumberedBarrier", 0, SAYS_REASON);
    expect("halvesOfWarpsAtAnUnalignedBarrier", 0, SAYS_REASON);
}

TEST(shuffle_width_must_be_a_power_of_two)
{
    expect("shufflesAmongTwelve", 240, SAYS_SHUFFLE_WIDTH);
    expect("shufflesUpAmongTwelve", 247, SAYS_SHUFFLE_WIDTH);
    expect("shufflesAmongSixteen", 0, SAYS_REASON);
    expect("ignoresTheUpperBits", 0, SAYS_REASON); /* seeded_paths.ptx */
}

TEST(masks_that_differ_are_reported_when_lanes_exit)
{
    expect("lanesPassTwoMasks", 301, SAYS_MASK_DIFFERS);
    expect("lanesShuffleWithTwoMasks", 308, SAYS_MASK_DIFFERS);
    expect("halvesPassTheirMasks", 0, SAYS_REASON);
    expect("lanesExitBetweenTwoMasks", 0, SAYS_REASON);
}

/* Returns true if all schedules of both models give the same results. */
static bool is_determined(const char *kernel, const char *place)
{
    int32_t first[SEEDED_WORDS], out[SEEDED_WORDS];
    bool is_same = true;

    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            struct engine_outcome outcome = run(kernel, m, s, NULL, m + s == 0 ? first : out);
            assert_int_equal(outcome.fault.kind, FAULT_NONE);
            assert_string_equal(outcome.active_mask, place);
            is_same = is_same && (m + s == 0 || memcmp(first, out, sizeof out) == 0);
        }
    return is_same;
}

TEST(dependence_on_the_active_mask_is_detected)
{
    assert_false(is_determined("storesTheActiveMask", "seeded/seeded_convergence.cu:205"));
    assert_false(is_determined("branchesOnTheActiveMask", "seeded/seeded_convergence.cu:212"));
    assert_false(is_determined("shufflesUnderTheActiveMask", "seeded/seeded_convergence.cu:220"));
    assert_true(is_determined("addsForTheActiveLanes", "seeded/seeded_convergence.cu:229"));
    assert_true(is_determined("meetsInALoopByBlock", ""));
    assert_false(is_determined("storesTheLowestBitOfTheClock", ""));
}

TEST_MAIN("convergence", engine_set_up, engine_tear_down)
