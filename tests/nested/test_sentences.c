/* SPDX-License-Identifier: MIT
 *
 * What the documents say of dynamic parallelism, sentence by sentence: does it hold under each
 * profile of the host engine, and on the GPU at hand? The verdicts that docs/nested.md has are
 * expected; a toolkit or GPU that gives others makes a test fail.
 */
#include "nested.h"

enum { SCHEDULES = 1000, DEEP = 200 };

enum verdict { HOLDS, DOES_NOT_HOLD, CANNOT_BE_TRIED };

static const char *const verdict_names[] = {"holds", "does not hold", "cannot be tried here"};

static bool on_host;

static const char *place(enum profile profile)
{
    return !on_host ? "GPU" : profile == PROFILE_CDP1 ? "host, cdp1" : "host, cdp2";
}

static void report(const char *sentence, enum profile profile, enum verdict found,
                   enum verdict expected, const char *evidence)
{
    print_message("\"%s\": %s: %s (%s)\n", sentence, place(profile), verdict_names[found],
                  evidence);
    assert_int_equal(found, expected);
}

/* The profiles of the host engine; a GPU has its own way. */
#define FOR_EVERY_PROFILE(profile)                                                                 \
    for (int profile = PROFILE_CDP2; profile <= (on_host ? PROFILE_CDP1 : PROFILE_CDP2); profile++)

static struct engine_outcome run_call(struct nested_call call, int profile)
{
    call.nesting.profile = (enum profile)profile;
    return nested_run(&call);
}

static void at_most_24_levels(void **state)
{
    (void)state;
    FOR_EVERY_PROFILE(profile)
    {
        const struct nested_call call = {.kernel = "descend", .blocks = 1, .threads = 1, .b = DEEP};
        struct engine_outcome outcome = run_call(call, profile);
        char evidence[400];
        snprintf(evidence, sizeof evidence, "%llu child grids; %s",
                 (unsigned long long)outcome.children,
                 outcome.fault.kind == FAULT_NONE ? "no error" : outcome.fault.text);
        report("nesting goes at most 24 levels deep", (enum profile)profile,
               outcome.fault.kind == FAULT_CHILD_LAUNCH && outcome.children == 24 ? HOLDS
                                                                                  : DOES_NOT_HOLD,
               profile == PROFILE_CDP1 ? HOLDS : DOES_NOT_HOLD, evidence);
    }
}

/* Looks for a schedule in which element `k` of what the child saw is still the old one; on a GPU
 * the kernel waits where it matters. Returns whether there is one, and says which. */
static bool is_seen_old(struct nested_call call, int profile, uint32_t k, char *evidence,
                        size_t size)
{
    for (int model = MODEL_ITS; model >= MODEL_LOCKSTEP; model--)
        for (uint64_t seed = 0; seed < (on_host ? SCHEDULES : 1); seed++) {
            struct engine_outcome outcome;
            call.model = (enum model)model;
            call.schedule = (struct schedule){SCHEDULE_RANDOM, seed, {0}};
            outcome = run_call(call, profile);
            assert_int_equal(outcome.fault.kind, FAULT_NONE);
            if (nested_out[k] == 2)
                continue;
            assert_int_equal(nested_out[k], 1);
            snprintf(evidence, size, on_host ? "not under %s, random:%llu" : "it saw the old value",
                     model_name((enum model)model), (unsigned long long)seed);
            return true;
        }
    snprintf(evidence, size, on_host ? "%d schedules of each model" : "with a delay, too",
             SCHEDULES);
    return false;
}

static void try_visibility(const char *sentence, struct nested_call call, int profile,
                           uint32_t element, enum verdict expected)
{
    char evidence[400];
    bool old = is_seen_old(call, profile, element, evidence, sizeof evidence);
    report(sentence, (enum profile)profile, old ? DOES_NOT_HOLD : HOLDS, expected, evidence);
}

static void a_child_sees_its_parents_memory(void **state)
{
    const struct nested_call thread = {.kernel = "showThread", .blocks = 1, .threads = 1},
                             block = {.kernel = "showBlock", .blocks = 1, .threads = 40},
                             barrier = {.kernel = "showBlock", .blocks = 1, .threads = 40, .a = 1},
                             grid = {.kernel = "showGrid", .blocks = 3, .threads = 1},
                             tail = {.kernel = "showGrid", .blocks = 3, .threads = 1, .a = 1};
    (void)state;
    FOR_EVERY_PROFILE(profile)
    {
        try_visibility("a child sees its parent's memory: that of the launching thread", thread,
                       profile, 0, HOLDS);
        try_visibility("a child sees its parent's memory: that of the block", block, profile, 39,
                       DOES_NOT_HOLD);
        try_visibility("... of the block, behind a barrier", barrier, profile, 39, HOLDS);
        try_visibility("a child sees its parent's memory: that of the grid", grid, profile, 2,
                       DOES_NOT_HOLD);
        if (profile == PROFILE_CDP2)
            try_visibility("... of the grid, in a tail launch", tail, profile, 2, HOLDS);
    }
}

/* gpuRecursiveReduceNosync in small: thread 0 launches while the others have yet to write. */
static void synchronising_before_the_launch_is_unnecessary(void **state)
{
    const struct nested_call call = {.kernel = "showBlock", .blocks = 1, .threads = 4};
    (void)state;
    FOR_EVERY_PROFILE(profile)
    try_visibility("synchronising before the launch is unnecessary", call, profile, 3,
                   DOES_NOT_HOLD);
}

static void child_writes_are_visible_after_the_wait(void **state)
{
    const char *sentence = "what a child wrote is visible after the wait";
    (void)state;
    FOR_EVERY_PROFILE(profile)
    {
        const struct nested_call call = {.kernel = "waitForChild",
                                         .blocks = 1,
                                         .threads = 1,
                                         .b = 12,
                                         .nesting = {.wait_depth = 24}};
        struct engine_outcome outcome;
        bool good = true;
        if (profile == PROFILE_CDP2 && !on_host) {
            report(sentence, PROFILE_CDP2, CANNOT_BE_TRIED, CANNOT_BE_TRIED,
                   "there is no waiting on the device");
            continue;
        }
        if (profile == PROFILE_CDP2) {
            outcome = run_call(call, profile);
            report(sentence, PROFILE_CDP2,
                   outcome.fault.kind == FAULT_UNSUPPORTED ? CANNOT_BE_TRIED : HOLDS,
                   CANNOT_BE_TRIED, outcome.fault.text);
            continue;
        }
        for (uint64_t seed = 0; seed < SCHEDULES && good; seed++) {
            struct nested_call tried = call;
            tried.schedule = (struct schedule){SCHEDULE_RANDOM, seed, {0}};
            outcome = run_call(tried, profile);
            assert_int_equal(outcome.fault.kind, FAULT_NONE);
            good = nested_out[0] == 13;
        }
        report(sentence, PROFILE_CDP1, good ? HOLDS : DOES_NOT_HOLD, HOLDS, "12 levels");
    }
}

/* Runs the call under many schedules; does out[0] come out as it must? */
static bool always_gives(struct nested_call call, int profile, uint32_t value)
{
    for (uint64_t seed = 0; seed < (on_host ? SCHEDULES : 3); seed++) {
        struct engine_outcome outcome;
        call.schedule = (struct schedule){SCHEDULE_RANDOM, seed, {0}};
        outcome = run_call(call, profile);
        assert_int_equal(outcome.fault.kind, FAULT_NONE);
        if (nested_out[0] != value)
            return false;
    }
    return true;
}

static void a_parents_end_waits_for_its_children(void **state)
{
    const struct nested_call child = {.kernel = "endEarly", .blocks = 1, .threads = 1},
                             grandchild = {.kernel = "followLate", .blocks = 1, .threads = 1};
    (void)state;
    FOR_EVERY_PROFILE(profile)
    {
        report("a grid is not complete before its children", (enum profile)profile,
               always_gives(child, profile, 1) ? HOLDS : DOES_NOT_HOLD, HOLDS,
               "the host finds what a child wrote late");
        report("without a wait there is still one at the end", (enum profile)profile,
               always_gives(grandchild, profile, 2) ? HOLDS : DOES_NOT_HOLD, HOLDS,
               "the next grid of the stream finds what a grandchild wrote late");
    }
}

/* Last, for on a GPU it costs the context. */
static void private_pointers_are_invalid(void **state)
{
    (void)state;
    FOR_EVERY_PROFILE(profile)
    for (uint32_t shared = 0; shared < (on_host ? 2 : 1); shared++) {
        const struct nested_call call = {
            .kernel = "givePointer", .blocks = 1, .threads = 1, .a = shared};
        struct engine_outcome outcome = run_call(call, profile);
        bool invalid = outcome.fault.kind == (on_host ? FAULT_PRIVATE_POINTER : FAULT_CRASH);
        report(shared ? "a pointer to shared memory is invalid in a child"
                      : "a pointer to local memory is invalid in a child",
               (enum profile)profile, invalid ? HOLDS : DOES_NOT_HOLD, HOLDS, outcome.fault.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_most_24_levels),
        cmocka_unit_test(a_child_sees_its_parents_memory),
        cmocka_unit_test(synchronising_before_the_launch_is_unnecessary),
        cmocka_unit_test(child_writes_are_visible_after_the_wait),
        cmocka_unit_test(a_parents_end_waits_for_its_children),
        cmocka_unit_test(private_pointers_are_invalid),
    };
    int status = nested_open();
    on_host = nested_on_host();
    if (status == 0)
        status = cmocka_run_group_tests_name("the documents' sentences", tests, NULL, NULL);
    nested_close();
    return status;
}
