/* SPDX-License-Identifier: MIT
 *
 * Warp operations with missing lanes, or with lanes that do different things, under every schedule.
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

/* Checks both models and every schedule. `line` 0 means no fault. `says` occurs in the fault's
 * text, or is null. */
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
            assert_int_equal(fault.kind, strstr(fault.text, "the value stored in") != NULL
                                             ? FAULT_UNINITIALIZED_READ
                                             : FAULT_DIVERGENT_BARRIER);
            assert_int_equal(fault.line, line);
        }
}

TEST(different_warp_operations_do_not_match)
{
    static const struct {
        const char *kernel;
        int line;
        const char *says;
    } apart[] = {
        {"anyAndAll", 17,
         "this lane waits at __any_sync(), and lane 16 at __all_sync() with the mask 0xffffffff on "
         "line 19"},
        {"upAndDown", 27,
         "this lane waits at __shfl_up_sync(), and lane 16 at __shfl_down_sync() with the mask "
         "0xffffffff on line 29"},
        {"xorAndIndex", 37,
         "this lane waits at __shfl_xor_sync(), and lane 16 at __shfl_sync() with the mask "
         "0xffffffff on line 39"},
        {"masksThatDiffer", 47,
         "this lane waits at __ballot_sync(), and lane 16 at __ballot_sync() with the mask "
         "0xffff0001 on line 49"},
    };

    for (size_t a = 0; a < sizeof apart / sizeof *apart; a++)
        expect(apart[a].kernel, 32, apart[a].line, apart[a].says);
    expect("meetAtTwoPlaces", 32, 0, NULL);
    assert_int_equal(results[3], 19);
    assert_int_equal(results[19], 103);
}

/* In PTX the end of a kernel looks like a `return`. */
TEST(skipped_warp_operation_is_reported)
{
    /* According to the PTX, a lane that misses a vote with a full mask has exited. */
    static const char *const votes[] = {"votesInTheGuard", "votesInTheWholeGuard", "votesInALoop"};

    for (uint32_t threads = 10; threads <= 43; threads += 11) {
        for (size_t v = 0; v < sizeof votes / sizeof *votes; v++)
            expect(votes[v], threads, 0, NULL);
        expect("callsAndLivesOn", threads, 105, NULL);
    }
}

TEST(returned_threads_are_not_waited_for)
{
    static const char *const kernels[] = {"returnsBeforeTheVote", "returnsFromAmongVotes",
                                          "returnsFromAllThatTheKernelCalls", "allAgree"};

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t threads = 10; threads <= 43; threads += 11)
            expect(kernels[k], threads, 0, NULL);
}

/* The result holds although each lane exits before the next one looks. */
TEST(all_lanes_receive_the_same_value)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            assert_int_equal(run("allAgree", 32, (enum model)m, s).kind, FAULT_NONE);
            for (int lane = 0; lane < 32; lane++)
                assert_int_equal(results[lane], 1);
        }
}

/* A lane outside the shuffle provides an undefined value. Using the value is a fault; ignoring it
 * is not. */
TEST(use_of_undefined_shuffle_value_is_a_fault)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            assert_int_equal(run("takesFromNobody", 20, (enum model)m, s).kind,
                             FAULT_UNINITIALIZED_READ);
            assert_int_equal(run("takesFromNobody", 32, (enum model)m, s).kind,
                             FAULT_UNINITIALIZED_READ);
        }
    for (uint32_t threads = 1; threads <= 32; threads++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            run("dropsWhatNobodyGives", threads, MODEL_INDEPENDENT, s);
            assert_int_equal(results[0], threads * (threads - 1) / 2);
        }
}

TEST_MAIN("lanes", engine_set_up, engine_tear_down)
