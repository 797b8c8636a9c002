/* SPDX-License-Identifier: MIT
 *
 * Kernels with features that only nvcc compiles, on the simulator, with known results, faults and
 * races. The build compiles them with nvcc. Without nvcc it unpacks compiled.tar.xz, which holds
 * the PTX of nvcc 13.0.
 */
#include "check.h"

#include "fault_members.h"
#include "seeded_run.h"
#include "seeded_verdicts.h"

enum { MAX_RACES = 4 };

static struct race races[MAX_RACES];
static int32_t out[SEEDED_WORDS];

static int32_t mirrored(int32_t t)
{
    return 63 - t;
}

static int32_t sum_of_tile(int32_t t)
{
    return 16 * (t / 16 * 16) + 120;
}

static int32_t shuffled(int32_t t)
{
    return (t % 8 == 7 ? t : t + 1) + 100 * (t ^ 3);
}

static int32_t copied(int32_t t)
{
    return 64 - t;
}

static int32_t handed_on(int32_t t)
{
    return t == 0 ? 7 : 0;
}

static int32_t mirrored_in_pair(int32_t t)
{
    return t / 64 * 64 + 63 - t % 64;
}

static int32_t seen_by_second_warp(int32_t t)
{
    return t < 32 ? 0 : 63 - t;
}

static int32_t voted(int32_t t)
{
    (void)t;
    return 1 + 2;
}

static int32_t reduced(int32_t t)
{
    (void)t;
    return -16 + 31000;
}

static int32_t fibonacci(int32_t t)
{
    static const int32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    return numbers[t % 12];
}

static int32_t called(int32_t t)
{
    return t % 2 ? 2 * t : -t;
}

static int32_t counted(int32_t t)
{
    (void)t;
    return 1;
}

static int32_t switched(int32_t t)
{
    static const int32_t values[] = {11, 5, 77, 19, 23, 4, -6, 8, -1};
    return values[t % 9];
}

/* Returns the k for which (7k + t) mod 16 equals t mod 16. */
static int32_t looked_up(int32_t t)
{
    (void)t;
    return 0;
}

/* Adds k squared for each call that gets k, rotated by the thread's number. */
static int32_t sum_of_squares(int32_t t)
{
    int32_t k = t % 6;

    return k * k * (8 - k);
}

static int32_t half_sums(int32_t t)
{
    double low = 0.5, high = 0.25;

    (void)t;
    for (int k = 0; k < 4; k++) { /* half precision is exact up to here */
        low = low * 1.5 + 1.0;
        high = high * 1.5 + 0.125;
    }
    return (int32_t)(low * 16) + (int32_t)(high * 16) * 1000;
}

static int32_t numbered(int32_t t)
{
    return t + 1;
}

static int32_t numbered_from_zero(int32_t t)
{
    return t;
}

static const struct {
    const char *kernel;
    uint32_t blocks, threads;
    unsigned int races;                /* models under which the kernel races */
    int32_t (*expected)(int32_t word); /* the expected word of each thread; null: unknown */
} kernels[] = {
    {"groupOfTheBlock", 1, 64, FREE, mirrored},
    {"tileReduces", 1, 64, FREE, sum_of_tile},
    {"tileShuffles", 1, 64, FREE, shuffled},
    {"copiesAndWaits", 1, 64, FREE, copied},
    {"copiesAndDoesNotWait", 1, 64, BOTH, NULL},
    {"copiesOverWhatIsRead", 1, 64, BOTH, NULL},
    {"barrierLookedAt", 1, 2, BOTH, NULL},
    {"barrierOfLibcuxx", 1, 64, FREE, mirrored},
    {"barrierNotWaitedFor", 1, 64, BOTH, NULL},
    {"handsOnByRelease", 2, 1, FREE, handed_on},
    {"handsOnRelaxed", 2, 1, BOTH, NULL},
    {"handsOnInTheBlock", 2, 1, BOTH, NULL},
    {"barriersWithNumbers", 1, 128, FREE, mirrored_in_pair},
    {"handsOnBehindANumber", 2, 64, FREE, handed_on},
    {"handsOnBehindANumberUnfenced", 2, 64, BOTH, NULL},
    {"barriersOfOtherPairs", 1, 128, BOTH, NULL},
    {"arrivesAndGoesOn", 1, 64, FREE, seen_by_second_warp},
    {"blockVotes", 1, 64, FREE, voted},
    {"warpReduces", 1, 32, FREE, reduced},
    {"recursion", 1, 64, FREE, fibonacci},
    {"indirectCalls", 1, 64, FREE, called},
    {"variablesOfTheModule", 1, 64, FREE, counted},
    {"switches", 1, 64, FREE, switched},
    {"localArrays", 1, 64, FREE, looked_up},
    {"arraysHandedDown", 1, 64, FREE, sum_of_squares},
    {"constantsThatAreWritten", 1, 64, BOTH, NULL},
    {"constantsThatWereWritten", 1, 64, BOTH, NULL},
    {"constantsReadAgainAndWritten", 1, 64, BOTH, NULL},
    {"constantsThatAreAddedTo", 1, 64, BOTH, NULL},
    {"constantsOfTheirOwn", 1, 64, FREE, numbered_from_zero},
    {"constantsOfAChild", 1, 32, FREE, numbered},
    {"halfSums", 1, 32, FREE, half_sums},
    {"launchesAChild", 1, 32, FREE, numbered},
};

static struct engine_outcome run(const char *kernel, uint32_t blocks, uint32_t threads,
                                 enum model model, int schedule, bool race)
{
    const struct seeded_job job = {
        .kernel = kernel,
        .blocks = blocks,
        .threads = threads,
        .model = model,
        .schedule = seeded_schedule(schedule),
        .races = race ? races : NULL,
        .race_capacity = MAX_RACES,
        .out = out,
    };
    return seeded_run(&job);
}

TEST(results_are_right_under_every_schedule)
{
    unsigned int wrong = 0;

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int m = 0; kernels[k].expected != NULL && m < MODELS; m++)
            for (int s = 0; s < SEEDED_SCHEDULES; s++) {
                struct engine_outcome outcome = run(kernels[k].kernel, kernels[k].blocks,
                                                    kernels[k].threads, (enum model)m, s, false);
                uint32_t words = kernels[k].threads, t = 0;
                while (t < words && out[t] == kernels[k].expected((int32_t)t))
                    t++;
                if (outcome.fault.kind == FAULT_NONE && t == words)
                    continue;
                print_message("%s, %s, schedule %d: word %u is %d and not %d %s\n",
                              kernels[k].kernel, model_name((enum model)m), s, t, out[t],
                              kernels[k].expected((int32_t)t), outcome.fault.text);
                wrong++;
            }
    assert_int_equal(wrong, 0);
}

TEST(exactly_the_seeded_races_are_reported)
{
    unsigned int wrong = 0;

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int m = 0; m < MODELS; m++)
            for (int s = 0; s < 2; s++) {
                struct engine_outcome outcome = run(kernels[k].kernel, kernels[k].blocks,
                                                    kernels[k].threads, (enum model)m, s, true);
                bool expected = kernels[k].races >> m & 1;
                if (outcome.checked > 0 && (outcome.race_count > 0) == expected &&
                    (expected || outcome.fault.kind == FAULT_NONE))
                    continue;
                print_message("%s, %s, schedule %d: %zu races %s %s\n", kernels[k].kernel,
                              model_name((enum model)m), s, outcome.race_count,
                              outcome.race_count > 0 ? races[0].missing : "", outcome.fault.text);
                wrong++;
            }
    assert_int_equal(wrong, 0);
}

/* The accesses are ordered, so the report must not ask for an order. */
TEST(constant_write_report_asks_for_no_order)
{
    static const char *const reported[] = {"constantsThatAreWritten", "constantsThatWereWritten",
                                           "constantsReadAgainAndWritten",
                                           "constantsThatAreAddedTo"};

    for (size_t k = 0; k < sizeof reported / sizeof *reported; k++) {
        struct engine_outcome outcome = run(reported[k], 1, 64, MODEL_INDEPENDENT, 0, true);
        assert_int_equal(outcome.race_count, 1);
        assert_int_equal(races[0].lacks, SAYS_LOAD_CONSTANT);
        assert_non_null(strstr(races[0].first.file, "compiled.cu"));
        assert_true(races[0].first.line > 0 && races[0].second.line > 0);
    }
}

#define PAST_LOCAL(kind) FAULT(OUT_OF_BOUNDS_##kind, OUTSIDE_LOCAL_ARRAYS, .bytes = 4)

/* Faults have their thread and line. */
TEST(faults_are_reported_with_thread_and_line)
{
    static const struct {
        const char *kernel;
        struct fault fault;
        uint32_t thread;
    } faulty[] = {
        {"trapsInThread5", FAULT(TRAP, TRAPS), 5},
        {"assertsInThread6", FAULT(TRAP, ASSERTION), 6},
        {"printsUnasked", FAULT(UNEXPECTED_OUTPUT, PRINTS), 0},
        {"misaligned", FAULT(MISALIGNED, ELEMENT_NOT_ALIGNED, .bytes = 4), 0},
        {"writesPastALocalArray", PAST_LOCAL(WRITE), 0},
        {"writesOverItsOwnCall", PAST_LOCAL(WRITE), 0},
        {"readsBeforeALocalArray", PAST_LOCAL(READ), 0},
        {"readsABufferAsALocalArray", PAST_LOCAL(READ), 0},
        {"writesPastAnArrayOfItsCaller", PAST_LOCAL(WRITE), 0},
        {"readsAnArrayOfACallThatEnded", PAST_LOCAL(READ), 0},
        {"readsPastAStructByValue", PAST_LOCAL(READ), 0},
    };
    for (size_t f = 0; f < sizeof faulty / sizeof *faulty; f++) {
        struct engine_outcome outcome = run(faulty[f].kernel, 1, 32, MODEL_INDEPENDENT, 0, false);
        print_message("%s\n", outcome.fault.text);
        assert_true(fault_has(&outcome.fault, &faulty[f].fault));
        assert_int_equal(outcome.fault.thread.x, faulty[f].thread);
        assert_non_null(strstr(outcome.fault.file, "ptx/compiled.cu")); /* tests/ of a kept copy */
        assert_true(outcome.fault.line > 0);
    }
}

/* A launch with more threads than the kernel's launch bounds fails on a GPU. */
TEST(launch_bounds_are_enforced)
{
    assert_int_equal(run("bounded", 1, 32, MODEL_INDEPENDENT, 0, false).fault.kind, FAULT_NONE);
    assert_int_equal(out[31], 1);
    assert_int_equal(run("bounded", 1, 33, MODEL_INDEPENDENT, 0, false).fault.kind, FAULT_LAUNCH);
    assert_int_equal(run("bounded", 1, 33, MODEL_INDEPENDENT, 0, true).fault.kind, FAULT_LAUNCH);
}

TEST_MAIN("compiled", engine_set_up, engine_tear_down)
