/* SPDX-License-Identifier: MIT
 *
 * Warp operations with missing lanes, or with lanes that do different things, under every schedule.
 */
#include "check.h"
#include "fault_members.h"

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

/* Checks both models and every schedule. */
static void expect_fault(const char *kernel, uint32_t threads, const struct fault *expected)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            struct fault fault = run(kernel, threads, (enum model)m, s);
            if (!fault_has(&fault, expected))
                fail_msg("%s, %u threads, %s, schedule %d: '%s'", kernel, threads,
                         model_name((enum model)m), s, fault.text);
        }
}

static void expect_right(const char *kernel, uint32_t threads)
{
    expect_fault(kernel, threads, &(const struct fault){.kind = FAULT_NONE});
}

TEST(different_warp_operations_do_not_match)
{
    static const struct {
        const char *kernel;
        int line, other_line;
        const char *operation, *other;
        int64_t other_mask;
    } apart[] = {
        {"anyAndAll", 17, 19, "__any_sync()", "__all_sync()", 0xffffffff},
        {"upAndDown", 27, 29, "__shfl_up_sync()", "__shfl_down_sync()", 0xffffffff},
        {"xorAndIndex", 37, 39, "__shfl_xor_sync()", "__shfl_sync()", 0xffffffff},
        {"masksThatDiffer", 47, 49, "__ballot_sync()", "__ballot_sync()", 0xffff0001},
    };

    for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
        struct fault expected = {.kind = FAULT_DIVERGENT_BARRIER,
                                 .sentence = SAYS_LANES_ELSEWHERE,
                                 .line = apart[a].line,
                                 .others = {{.line = apart[a].other_line}},
                                 .numbers = {0, 16, apart[a].other_mask}};
        strcpy(expected.object, apart[a].operation);
        strcpy(expected.reason, apart[a].other);
        expect_fault(apart[a].kernel, 32, &expected);
    }
    expect_right("meetAtTwoPlaces", 32);
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
            expect_right(votes[v], threads);
        expect_fault("callsAndLivesOn", threads,
                     &(const struct fault){.kind = FAULT_UNINITIALIZED_READ,
                                           .sentence = SAYS_STORED_UNDEFINED,
                                           .origin = FROM_SHUFFLE,
                                           .line = 105});
    }
}

TEST(returned_threads_are_not_waited_for)
{
    static const char *const kernels[] = {"returnsBeforeTheVote", "returnsFromAmongVotes",
                                          "returnsFromAllThatTheKernelCalls", "allAgree"};

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t threads = 10; threads <= 43; threads += 11)
            expect_right(kernels[k], threads);
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
