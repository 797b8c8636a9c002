/* SPDX-License-Identifier: MIT
 *
 * Threads that do not reach a barrier together, and code that depends on which lanes run together.
 * Runs seeded_convergence.cu under both models and every schedule, with each compiler's code.
 */
#include "check.h"

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

/* Expects a fault on that line, with and without race checking. Line 0 means no fault. `says` must
 * occur in its text. */
static void expect(const char *kernel, int line, const char *says)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++)
            for (int looks = 0; looks < 2; looks++) {
                struct race races[4];
                struct fault fault = run(kernel, m, s, looks ? races : NULL, NULL).fault;
                if (fault.line != line || strstr(fault.text, says) == NULL)
                    fail_msg("%s, %s, schedule %d: '%s', and not line %d '%s'", kernel,
                             model_name((enum model)m), s, fault.text, line, says);
                assert_int_equal(fault.kind, line != 0 ? FAULT_DIVERGENT_BARRIER : FAULT_NONE);
            }
}

TEST(skipped_barrier_is_reported)
{
    expect("writesWithoutTheBarrier", 14, "continues at seeded/seeded_convergence.cu:15 and skips");
    expect("writesBehindTheBarrierOfAll", 0, "");
    expect("aWarpWritesWithoutTheBarrier", 31, "continues at ");
    expect("meetsInALoopByThread", 41, "continues at ");
    expect("meetsInALoopByBlock", 0, "");
    expect("meetsInAnotherRound", 62, "continues at ");
    expect("meetsInItsRound", 0, "");
    expect("goesOnBehindTheCall", 82, "continues at ");
    expect("goesOnBehindTheCallOfAll", 0, "");
    expect("goesOnInsideAnotherBranch", 265, "continues at ");
    expect("goesOnBesideAnAssertion", 277, "continues at ");
}

/* seeded_paths.ptx */
TEST(every_path_around_a_barrier_is_detected)
{
    expect("returnsFromTwoPlaces", 10, "continues at paths.cu:99 and skips");
    expect("isGuarded", 20, "continues at ");
    expect("isGuardedForAll", 0, "");
    expect("switchesByThread", 30, "continues at ");
    expect("switchesByBlock", 0, "");
    expect("trapsBeforeTheEnd", 40, "continues at ");
    expect("warpsAtACopy", 0, "");
}

TEST(returned_threads_are_reported_on_request)
{
    expect("returnsBeforeTheBarrier", 0, "");
    expect("returnsBehindTheLastBarrier", 0, "");
    open_engine(&strict);
    expect("returnsBeforeTheBarrier", 115, "has returned before a barrier");
    expect("returnsBehindTheLastBarrier", 0, "");
    open_engine(&by_default);
}

TEST(warps_at_two_barriers_are_reported_unless_allowed)
{
    expect("warpsAtTwoBarriers", 141,
           "other warps of its block wait at seeded/"
           "seeded_convergence.cu:137: PTX permits this");
    expect("warpsAtOneUnrolledBarrier", 0, "");
    open_engine(&lenient);
    expect("warpsAtTwoBarriers", 0, "");
    expect("lanesAtTwoBarriers", 155, "other lanes of its warp");
    expect("lanesMeetInAnotherRound", 288, "continues at ");
    open_engine(&by_default);
}

TEST(partial_warp_at_aligned_barrier_is_reported)
{
    expect("lanesAtTwoBarriers", 155,
           "other lanes of its warp wait at seeded/seeded_convergence.cu:151");
    expect("halvesOfWarpsAtANumberedBarrier", 178, "continues at ");
    expect("aWarpAtANumberedBarrier", 0, "");
    expect("halvesOfWarpsAtAnUnalignedBarrier", 0, "");
}

TEST(shuffle_width_must_be_a_power_of_two)
{
    expect("shufflesAmongTwelve", 240, "a shuffle of width 12");
    expect("shufflesUpAmongTwelve", 247, "a shuffle of width 12");
    expect("shufflesAmongSixteen", 0, "");
    expect("ignoresTheUpperBits", 0, ""); /* seeded_paths.ptx */
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
}

TEST_MAIN("convergence", engine_set_up, engine_tear_down)
