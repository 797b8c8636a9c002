/* SPDX-License-Identifier: MIT
 *
 * The race checker: kernels with known verdicts, and the report of a race. No verdict may depend on
 * the schedule that ran.
 */
#include "check.h"

#include "catalogue.h"
#include "engine.h"
#include "fault_members.h"
#include "happens_before.h"
#include "launches.h"
#include "seeded_run.h"
#include "seeded_verdicts.h"

#include <sys/resource.h>

enum { MAX_RACES = 8 };

static struct race races[MAX_RACES];
static int32_t results[SEEDED_WORDS];

/* Runs a case that may have a fault. */
static struct engine_outcome run_any(const char *kernel, uint32_t blocks, uint32_t threads,
                                     enum model model, struct schedule schedule,
                                     enum profile profile)
{
    const struct seeded_job job = {
        .kernel = kernel,
        .blocks = blocks,
        .threads = threads,
        .model = model,
        .schedule = schedule,
        .profile = profile,
        .races = races,
        .race_capacity = MAX_RACES,
        .out = results,
    };

    return seeded_run(&job);
}

static struct engine_outcome run(const char *kernel, uint32_t blocks, uint32_t threads,
                                 enum model model, struct schedule schedule, enum profile profile)
{
    struct engine_outcome outcome = run_any(kernel, blocks, threads, model, schedule, profile);

    if (outcome.fault.kind != FAULT_NONE)
        print_message("%s: %s\n", kernel, outcome.fault.text);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    return outcome;
}

/* ---- Known verdicts ---- */

/* Kernels that differ in the PTX. Some are missing, because the toolkit lacks a feature or does not
 * compile them. Others lack the relevant accesses. */
static const struct {
    const char *kernel;
    enum need need;
    bool is_there; /* for kernels without needs */
    const char *why;
} not_as_source[] = {
    {"sharedThatNobodyReads", NEEDS_NOTHING, true, "nvcc drops stores that nobody reads"},
    {"readsWhatOtherWrites", NEEDS_DEVICE_WAIT, false, NULL},
    {"othersReadAfterWait", NEEDS_DEVICE_WAIT, false, NULL},
    {"othersReadAfterWaitAndBarrier", NEEDS_DEVICE_WAIT, false, NULL},
    {"waitsForChild", NEEDS_DEVICE_WAIT, false, NULL},
    {"fireAndForgetBesideNullStream", NEEDS_TAIL_LAUNCH, false, NULL},
    {"fireAndForgetChildren", NEEDS_TAIL_LAUNCH, false, NULL},
    {"raisesFlagForChild", NEEDS_TAIL_LAUNCH, false, NULL},
    {"tailRacesWithItself", NEEDS_TAIL_LAUNCH, false, NULL},
    {"tailReadsGrandchild", NEEDS_TAIL_LAUNCH, false, NULL},
    {"tailReadsOtherBlocks", NEEDS_TAIL_LAUNCH, false, NULL},
    {"tailsInOrder", NEEDS_TAIL_LAUNCH, false, NULL},
};

static bool has_kernel(const char *kernel)
{
    return launches_kernel(NULL, kernel) != NULL;
}

/* Returns true if the kernel is one of those, and the reason applies. */
static bool is_left_out(const char *kernel)
{
    for (size_t k = 0; k < sizeof not_as_source / sizeof *not_as_source; k++) {
        enum need need = not_as_source[k].need;
        bool has_need = need != NEEDS_NOTHING && engine_lacks(engine, need) == NULL;
        if (strcmp(not_as_source[k].kernel, kernel) != 0)
            continue;
        assert_true(has_kernel(kernel) == (has_need || not_as_source[k].is_there));
        return !has_need;
    }
    return false;
}

TEST(seeded_kernels_have_expected_verdicts_under_every_schedule)
{
    unsigned int racy = 0, wrong = 0;
    const size_t count = seeded_count;

    for (size_t p = 0; p < count; p++) {
        enum profile profile = seeded[p].cdp1 ? PROFILE_CDP1 : PROFILE_CDP2;
        if (is_left_out(seeded[p].kernel))
            continue;
        racy += seeded[p].races != FREE;
        for (int m = 0; m < MODELS; m++)
            for (int s = 0; s < (seeded[p].by_flag ? 1 : SEEDED_SCHEDULES); s++) {
                struct engine_outcome outcome =
                    run_any(seeded[p].kernel, seeded[p].blocks, seeded[p].threads, (enum model)m,
                            seeded_schedule(s), profile);
                bool expected = seeded[p].races >> m & 1;
                bool unordered = seeded[p].unordered >> m & 1;
                /* A racy read may precede the write that it should see. */
                if (outcome.fault.kind != FAULT_NONE &&
                    !(expected && outcome.fault.kind == FAULT_UNINITIALIZED_READ))
                    print_message("%s\n", outcome.fault.text);
                else if ((outcome.race_count > 0) == expected && outcome.checked > 0 &&
                         (expected || (outcome.unordered_count > 0) == unordered))
                    continue;
                print_message("%s, %u blocks of %u, %s, schedule %d: %zu races, %zu unordered\n",
                              seeded[p].kernel, seeded[p].blocks, seeded[p].threads,
                              model_name((enum model)m), s, outcome.race_count,
                              outcome.unordered_count);
                wrong++;
            }
    }
    assert_int_equal(wrong, 0);
    assert_true(racy >= 20 && count - racy >= 20);
}

static enum profile profile_of(const struct seeded_verdict *verdict)
{
    return verdict->cdp1 ? PROFILE_CDP1 : PROFILE_CDP2;
}

static void open_again(bool every_schedule)
{
    struct engine_limits limits = {.deadline_seconds = 60, .every_schedule = every_schedule};
    char reason[256];

    engine_close(engine);
    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
}

/* If one schedule decides for all, the simulator runs only that one. Its verdict must equal that of
 * all schedules. The engine is opened once for each, because that takes longer than the runs. */
TEST(single_schedule_verdict_equals_all_schedule_verdict)
{
    int32_t(*first)[SEEDED_WORDS] = calloc(seeded_count, sizeof *first);
    bool *decides = calloc(seeded_count, sizeof *decides);
    uint32_t decided = 0;

    assert_true(first != NULL && decides != NULL);
    open_again(false);
    for (size_t p = 0; p < seeded_count; p++) {
        struct engine_outcome outcome;
        if (is_left_out(seeded[p].kernel))
            continue;
        outcome = run_any(seeded[p].kernel, seeded[p].blocks, seeded[p].threads, MODEL_LOCKSTEP,
                          seeded_schedule(0), profile_of(&seeded[p]));
        decides[p] = outcome.points == 0 && outcome.fault.kind == FAULT_NONE;
        decided += decides[p];
        memcpy(first[p], results, sizeof first[p]);
    }
    open_again(true);
    for (size_t p = 0; p < seeded_count; p++)
        for (int m = 0; m < MODELS && decides[p]; m++)
            for (int s = 0; s < SEEDED_SCHEDULES; s++) {
                struct engine_outcome outcome =
                    run(seeded[p].kernel, seeded[p].blocks, seeded[p].threads, (enum model)m,
                        seeded_schedule(s), profile_of(&seeded[p]));
                if (outcome.race_count + outcome.unordered_count > 0 || outcome.points == 0 ||
                    memcmp(first[p], results, sizeof first[p]) != 0)
                    fail_msg("%s, %s, schedule %d: one run decides otherwise", seeded[p].kernel,
                             model_name((enum model)m), s);
            }
    open_again(false);
    free(first);
    free(decides);
    assert_true(decided >= 30);
}

/* Copies of tiles are common, so one run should decide them. It must not decide a kernel whose
 * output depends on when a copy happens. */
TEST(one_run_decides_copies)
{
    static const struct {
        const char *kernel;
        bool decided;
    } kernels[] = {{"copiesAndReadsOthers", true},         {"copiesTwoStages", true},
                   {"changesTheSourceAfterTheCopy", true}, {"copiesWithoutWait", true},
                   {"readsItsCopyTooEarly", false},        {"changesTheSourceOfItsCopy", false},
                   {"copiesFromLocalMemory", false},       {"copiesWithoutBarrier", false}};

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct engine_outcome outcome =
            run_any(kernels[k].kernel, 1, 64, MODEL_LOCKSTEP, seeded_schedule(0), PROFILE_CDP2);
        if ((outcome.points == 0) != kernels[k].decided)
            fail_msg("%s: one run %s", kernels[k].kernel,
                     kernels[k].decided ? "should decide it" : "cannot decide it");
    }
}

/* A kernel that cannot be judged has neither a race nor a verdict. */
TEST(no_race_is_reported_when_shadow_memory_is_exhausted)
{
    size_t before = happens_before_most, unjudged = 0;

    happens_before_most = 0;
    for (size_t p = 0; p < seeded_count; p++) {
        enum profile profile = seeded[p].cdp1 ? PROFILE_CDP1 : PROFILE_CDP2;
        struct engine_outcome outcome;
        if (is_left_out(seeded[p].kernel) || seeded[p].races != FREE)
            continue;
        outcome = run_any(seeded[p].kernel, seeded[p].blocks, seeded[p].threads, MODEL_INDEPENDENT,
                          seeded_schedule(0), profile);
        if (outcome.race_count > 0)
            fail_msg("%s: %zu races", seeded[p].kernel, outcome.race_count);
        unjudged += outcome.fault.kind == FAULT_UNSUPPORTED;
    }
    happens_before_most = before;
    assert_true(unjudged > 0);
}

#define PAST(kind, name, ...)                                                                      \
    FAULT(OUT_OF_BOUNDS_##kind, OUTSIDE_ELEMENTS,                                                  \
          .element = {.array = name, .side = SIDE_AFTER, .count = 256, __VA_ARGS__})

/* A fault has the kernel's line, never a header's. */
TEST(faults_are_detected_in_copies_and_atomics)
{
    static const struct { /* compiled copies go by words or bytes, from either end */
        const char *kernel;
        struct fault fault;
    } faulty[] = {
        {"copiesPastTheEnd", PAST(READ, "data")},
        {"fillsPastTheEnd", PAST(WRITE, "out")},
        {"structPastTheEnd", PAST(READ, "data")},
        {"atomicPastTheEnd", PAST(READ, "out", .index = 256)},
#ifndef PTX_BY_CLANG /* clang drops reads of memory that nothing writes */
        {"sharedNeverWritten", FAULT(UNINITIALIZED_READ, STORED_UNDEFINED, .origin = FROM_SHARED)},
#endif
    };
    for (size_t f = 0; f < sizeof faulty / sizeof *faulty; f++) {
        struct engine_outcome outcome =
            run_any(faulty[f].kernel, 1, 1, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
        bool has = fault_has(&outcome.fault, &faulty[f].fault);
        if (!has || strstr(outcome.fault.file, "seeded_memory.cu") == NULL)
            fail_msg("%s: %s", faulty[f].kernel, outcome.fault.text);
        assert_true(outcome.fault.line > 0);
    }
}

/* Waits end through the thread that they wait for, under every schedule. A wait that no thread
 * can end is a fault. */
TEST(waiting_blocks_are_scheduled_fairly)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++) {
            run("waitsForAnotherWarp", 1, 64, (enum model)m, seeded_schedule(s), PROFILE_CDP2);
            assert_int_equal(results[0], 5);
            run("waitsForTheNextBlock", 2, 32, (enum model)m, seeded_schedule(s), PROFILE_CDP2);
            assert_int_equal(results[0], 5);
            run("waitsTogether", 2, 32, (enum model)m, seeded_schedule(s), PROFILE_CDP2);
            assert_int_equal(results[31], 5);
            run("pollsWithBarrier", 4, 40, (enum model)m, seeded_schedule(s), PROFILE_CDP2);
            assert_int_equal(results[159], 5);
            run("pollsPlainly", 4, 1, (enum model)m, seeded_schedule(s), PROFILE_CDP2);
            assert_int_equal(results[3], 5);
        }
    run("waitsForALane", 1, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 5);
    for (uint32_t seed = 0; seed < 40; seed++) {
        run("lockOfThreads", 2, 64, MODEL_INDEPENDENT,
            (struct schedule){SCHEDULE_RANDOM, seed, {0}}, PROFILE_CDP2);
        assert_int_equal(results[0], 128);
    }
    for (uint32_t point = 1; point < 24; point++)
        run("lockOfWarps", 2, 64, MODEL_INDEPENDENT, (struct schedule){SCHEDULE_DELAYS, 0, {point}},
            PROFILE_CDP2);
    for (uint32_t point = 1; point < 8; point++) {
        run("retreatsInTurn", 2, 1, MODEL_INDEPENDENT,
            (struct schedule){SCHEDULE_DELAYS, 0, {point}}, PROFILE_CDP2);
        assert_int_equal(results[0], 10);
    }
}

/* A deadlock takes tens of thousands of rounds, so only one of the schedules is random. */
TEST(deadlocks_are_reported)
{
    enum { SCHEDULES = 3 };
    static const struct {
        const char *kernel;
        uint32_t blocks, threads;
        enum model model;
        uint32_t waiting;
    } deadlocks[] = {
        {"waitsForNobody", 1, 1, MODEL_INDEPENDENT, 1},
        {"waitsForNobody", 3, 33, MODEL_INDEPENDENT, 99},
        {"waitsForNobody", 2, 33, MODEL_LOCKSTEP, 66},
        {"waitsTogetherForNobody", 2, 32, MODEL_INDEPENDENT, 64},
        {"waitsForEachOther", 1, 64, MODEL_INDEPENDENT, 64},
    };
    for (size_t k = 0; k < sizeof deadlocks / sizeof *deadlocks; k++)
        for (int s = 0; s < SCHEDULES; s++) {
            struct engine_outcome outcome =
                run_any(deadlocks[k].kernel, deadlocks[k].blocks, deadlocks[k].threads,
                        deadlocks[k].model, seeded_schedule(s), PROFILE_CDP2);
            print_message("%s, schedule %d: %s\n", deadlocks[k].kernel, s, outcome.fault.text);
            assert_int_equal(outcome.fault.kind, FAULT_DEADLOCK);
            assert_int_equal(outcome.fault.others[0].threads, deadlocks[k].waiting);
            assert_non_null(strstr(outcome.fault.others[0].file, "seeded_waits.cu"));
            assert_true(outcome.fault.line > 0);
        }
}

TEST(race_report_names_the_shared_variable)
{
    assert_int_equal(
        run("sharedByName", 1, 2, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2).race_count,
        1);
    assert_string_equal(races[0].place, "second");
    run_any("sharedReadBeforeWritten", 1, 64, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_non_null(strstr(races[0].place, "s["));
}

/* A kernel that reads after seeing a flag races only if it saw the flag. */
TEST(flag_kernel_races_only_if_it_reads_the_flag)
{
    run("flagWithFences", 2, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 1);
    run("flagByWayOfAThird", 3, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 1);
    run("flagsOfTwoTimes", 2, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 2);
    run("flagInABlock", 1, 64, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 1);
    run("lastBlockAdds", 2, 64, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[5], 2);
}

/* ---- Warp operations ---- */

TEST(warp_operations_exchange_the_right_values)
{
    run("shuffleAcrossSegments", 1, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[4], 4);
    assert_int_equal(results[20], 4);
    run("votesAndMatches", 1, 32, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    for (int lane = 0; lane < 32; lane++)
        assert_int_equal(results[lane], 1 | 4 | 16 | 32);
    run("shufflesAlone", 1, 32, MODEL_LOCKSTEP, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(results[0], 31 * 32 / 2);
}

/* ---- The report of a race ---- */

TEST(race_report_has_both_accesses)
{
    struct engine_outcome outcome =
        run("plainExchange", 2, 2, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    const struct race *race = &races[0];

    /* In block 0, thread 0 reads what thread 1 then writes, and thread 1 reads what thread 0 wrote.
     * Block 1 does the same to the same words. */
    assert_true(outcome.race_count >= 2);
    assert_string_equal(race->place, "data[1]");
    assert_string_equal(race->first.kernel, "plainExchange");
    assert_string_equal(race->second.kernel, "plainExchange");
    assert_int_equal(race->first.grid, 0);
    assert_int_equal(race->first.block.x, 0);
    assert_int_equal(race->first.thread.x, 0);
    assert_int_equal(race->second.thread.x, 1);
    assert_int_equal(race->first.access, ACCESS_READ);
    assert_int_equal(race->second.access, ACCESS_WRITE);
    assert_non_null(strstr(race->first.file, "seeded_races.cu"));
    assert_int_equal(race->first.line, race->second.line + 1);
    assert_true(race->first.after_known && !race->first.before_known);
    assert_int_equal(race->first.after, 0);
    assert_true(race->second.before_known && race->second.after_known);
    assert_int_equal(race->second.before, 0);
    assert_int_equal(race->second.after, 1);
    assert_int_equal(race->lacks, SAYS_NO_SYNCWARP);
    assert_int_equal(race->numbers[0], 0);
    assert_int_equal(race->numbers[1], 1);
}

TEST(race_report_explains_missing_synchronization)
{
    static const struct {
        const char *kernel;
        uint32_t blocks, threads;
        enum model model;
        enum fault_sentence lacks;
    } reported[] = {
        {"noBarrier", 1, 64, MODEL_INDEPENDENT, SAYS_NO_BARRIER},
        {"volatileExchange", 1, 32, MODEL_INDEPENDENT, SAYS_NO_SYNCWARP_VOLATILE},
        {"plainExchange", 1, 32, MODEL_LOCKSTEP, SAYS_PLAIN_STEPS},
        {"allWriteOneVolatileWord", 1, 32, MODEL_LOCKSTEP, SAYS_ONE_STEP},
        {"exitedBeforeBarrier", 1, 64, MODEL_INDEPENDENT, SAYS_HAD_EXITED},
        {"blocksWriteOneWord", 2, 1, MODEL_INDEPENDENT, SAYS_TWO_BLOCKS_WRITE},
        {"atomicsOfABlockAcrossBlocks", 2, 1, MODEL_INDEPENDENT, SAYS_ATOMICS_OF_SCOPES},
        {"flagWithoutReadersFence", 2, 1, MODEL_INDEPENDENT, SAYS_NO_GRID_ORDER},
        {"parentsOtherThreadWrote", 1, 2, MODEL_INDEPENDENT, SAYS_BESIDE_LAUNCHER},
        {"parentWritesAfterLaunch", 1, 1, MODEL_INDEPENDENT, SAYS_LAUNCHER_GOES_ON},
        {"otherBlockWrote", 2, 1, MODEL_INDEPENDENT, SAYS_LAUNCHED_BY_BLOCK},
        {"childrenOfTwoBlocks", 2, 1, MODEL_INDEPENDENT, SAYS_TWO_GRIDS},
    };

    for (size_t t = 0; t < sizeof reported / sizeof *reported; t++) {
        struct engine_outcome outcome =
            run(reported[t].kernel, reported[t].blocks, reported[t].threads, reported[t].model,
                seeded_schedule(0), PROFILE_CDP2);
        bool found = false;
        for (size_t r = 0; r < outcome.race_count + outcome.unordered_count && r < MAX_RACES; r++)
            found = found || races[r].lacks == reported[t].lacks;
        if (!found)
            print_message("%s: %s\n", reported[t].kernel, races[0].missing);
        assert_true(found);
    }
}

TEST(race_report_has_scope_and_place_of_atomics)
{
    run("atomicsOfDifferentScopes", 2, 1, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2);
    assert_int_equal(races[0].first.access, ACCESS_ATOMIC);
    assert_string_equal(races[0].first.scope, "block");
    assert_string_equal(races[0].second.scope, "device");
    assert_non_null(strstr(races[0].first.file, "seeded_orders.cu"));
    assert_int_equal(races[0].second.line, races[0].first.line + 2);
}

/* ---- The catalogue ---- */

/* The kernels' verdicts, case by case, are the same under every schedule. They match what their
 * descriptors declare. */
TEST(catalogue_verdicts_do_not_depend_on_the_schedule)
{
    static const uint32_t blocks[] = {1, 2, 3, 4, 8, 32, 33, 64, 128};
    uint64_t cases = 0;

    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const struct variant *variant = &simtcheck_catalogue.variants[v];
        unsigned int seen = 0, seen_unordered = 0;
        if (engine_lacks(engine, variant->need) != NULL)
            continue;
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (uint64_t segments = 1; segments <= 2; segments++) {
                struct shape shape = {{blocks[b], 1, 1}, {0, 1}, 0, 0, {0, 0}};
                struct invocation invocation;
                shape.size[0] = segments * variant_segment(variant, &shape);
                if (variant->sizes == SIZES_TREE) {
                    shape.size[1] = variant->size_dimensions == 2 ? 8 : 1;
                    shape.depth = variant_deepest(variant) > 0 ? 3 : 0;
                }
                if (!variant_takes(variant, &shape) || variant_violations(variant, &shape) != 0)
                    continue;
                variant->invoke(variant, &shape, &invocation);
                for (int m = 0; m < MODELS; m++) {
                    size_t racing = 0, unordered = 0;
                    for (int s = 0; s < SEEDED_SCHEDULES; s++) {
                        const struct engine_job job = {
                            .invocation = &invocation,
                            .values = {VALUES_HASH, 1},
                            .model = (enum model)m,
                            .schedule = seeded_schedule(s),
                            .nesting = {.profile = variant->need == NEEDS_DEVICE_WAIT
                                                       ? PROFILE_CDP1
                                                       : PROFILE_CDP2,
                                        .wait_depth = DEFAULT_DEPTH},
                            .races = races,
                        };
                        struct engine_outcome outcome;
                        assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
                        assert_int_equal(outcome.fault.kind, FAULT_NONE);
                        racing += outcome.race_count > 0;
                        unordered += outcome.unordered_count > 0;
                        cases++;
                    }
                    if (racing != 0 && racing != SEEDED_SCHEDULES)
                        print_message("%s %s, %s, block %u: %zu of %d\n", variant->id,
                                      variant_kind_name(variant->kind), model_name((enum model)m),
                                      blocks[b], racing, SEEDED_SCHEDULES);
                    assert_true(racing == 0 || racing == SEEDED_SCHEDULES);
                    assert_true(unordered == 0 || unordered == SEEDED_SCHEDULES);
                    seen |= (racing > 0 ? 1U : 0U) << m;
                    seen_unordered |= (unordered > 0 ? 1U : 0U) << m;
                }
            }
        assert_int_equal(seen, variant->known_defect != NULL ? variant->known_defect->races : 0);
        assert_int_equal(seen_unordered,
                         variant->known_defect != NULL ? variant->known_defect->order : 0);
    }
    print_message("%llu cases\n", (unsigned long long)cases);
}

/* 2^20 elements at 1024 threads per block, with every cell in use. */
TEST(large_cases_use_less_than_one_gibibyte)
{
    const struct variant *variant =
        catalogue_find(&simtcheck_catalogue, "reduceInterleaved", VARIANT_CORRECTED);
    struct shape shape = {{1024, 1, 1}, {UINT64_C(1) << 20, 1}, 0, 0, {0, 0}};
    struct invocation invocation;
    struct engine_job job = {.invocation = &invocation, .model = MODEL_INDEPENDENT, .races = races};
    struct engine_outcome outcome;
    struct rusage usage, after;

    variant->invoke(variant, &shape, &invocation);
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(outcome.race_count, 0);
    getrusage(RUSAGE_SELF, &usage);
    print_message("%ld MiB\n", usage.ru_maxrss / 1024);
    assert_true(usage.ru_maxrss < 1024 * 1024);
    /* Many blocks do not accumulate either: each one's data is freed. */
    assert_int_equal(
        run("allReadSharedWords", 2048, 64, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2)
            .race_count,
        0);
    getrusage(RUSAGE_SELF, &after);
    print_message("%ld MiB\n", after.ru_maxrss / 1024);
    assert_true(after.ru_maxrss - usage.ru_maxrss < 128 * 1024);
    /* Nor does what tens of thousands of threads release to each other. */
    assert_int_equal(
        run("allHandOn", 64, 1024, MODEL_INDEPENDENT, seeded_schedule(0), PROFILE_CDP2).race_count,
        0);
    getrusage(RUSAGE_SELF, &after);
    print_message("%ld MiB\n", after.ru_maxrss / 1024);
    assert_true(after.ru_maxrss - usage.ru_maxrss < 384 * 1024);
}

TEST_MAIN("races", engine_set_up, engine_tear_down)
