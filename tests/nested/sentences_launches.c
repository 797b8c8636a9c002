/* SPDX-License-Identifier: MIT
 *
 * Sentences about when grids start and end, and which threads wait.
 */
#include "sentences.h"

enum { DEEP = 200 };

static bool waits_on_the_device(const struct place *place)
{
    return place->on_host && place->profile == PROFILE_CDP1;
}

static enum verdict no_waiting(char evidence[EVIDENCE])
{
    snprintf(evidence, EVIDENCE, "there is no waiting on the device");
    return UNTRIED;
}

static enum verdict at_most_24_levels(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "descend", .blocks = 1, .threads = 1, .b = DEEP};
    struct engine_outcome outcome;
    bool all = run_at(place, call, evidence, &outcome);

    return holds_if(!all && outcome.fault.kind == FAULT_CHILD_LAUNCH && outcome.children == 24);
}

/* gpuRecursiveReduceNosync has a race. A child may miss what another thread of the block writes
 * late. */
static enum verdict block_needs_no_synchronising(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showBlock", .blocks = 1, .threads = 40};
    struct race race;
    struct asked asked = {.id = "gpuRecursiveReduceNosync",
                          .kind = VARIANT_ORIGINAL,
                          .shape = {{8, 1, 1}, {8, 1}, 0, 0},
                          .races = &race,
                          .race_capacity = 1};

    if (place->on_host && run_catalogue(place, &asked).race_count == 0)
        return HOLDS;
    return holds_if(!may_leave(place, call, 39, 1, evidence));
}

static bool all_levels_were_seen(void)
{
    return nested_out[0] == 13;
}

static enum verdict writes_are_visible_after_the_wait(const struct place *place,
                                                      char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "waitForChild",
                                     .blocks = 1,
                                     .threads = 1,
                                     .b = 12,
                                     .nesting = {.wait_depth = 24}};

    if (!waits_on_the_device(place))
        return no_waiting(evidence);
    return holds_if(always(place, call, all_levels_were_seen, evidence));
}

/* Every thread launches a grid, and half of them wait. Then all meet at a barrier and wait for all
 * grids. */
enum { WAITERS = 16 };

static bool all_saw_all_grids(void)
{
    for (uint32_t t = 0; t < WAITERS; t++)
        if (nested_out[t] != WAITERS)
            return false;
    return true;
}

static enum verdict threads_wait_for_others_children(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "waitInBlock", .blocks = 1, .threads = WAITERS};

    if (!waits_on_the_device(place))
        return no_waiting(evidence);
    return holds_if(always(place, call, all_saw_all_grids, evidence));
}

static enum verdict parent_ends_after_its_children(const struct place *place,
                                                   char evidence[EVIDENCE])
{
    const struct nested_call child = {.kernel = "endEarly", .blocks = 1, .threads = 1};

    return holds_if(!may_leave(place, child, 0, 0, evidence));
}

static enum verdict parent_ends_after_all_descendants(const struct place *place,
                                                      char evidence[EVIDENCE])
{
    const struct nested_call grandchild = {.kernel = "followLate", .blocks = 1, .threads = 1};

    return holds_if(!may_leave(place, grandchild, 0, 1, evidence));
}

/* The parent looks three times without waiting. */
static enum verdict child_starts_only_after_the_wait(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "lookAtChild", .blocks = 1, .threads = 1, .a = 3};

    return holds_if(!may_leave(place, call, 0, 2, evidence));
}

/* The same parent: what it sees is a write by its child. */
static enum verdict child_is_seen_only_after_the_wait(const struct place *place,
                                                      char evidence[EVIDENCE])
{
    return child_starts_only_after_the_wait(place, evidence);
}

static enum verdict child_need_not_start_before(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {
        .kernel = "lookAtChild", .blocks = 1, .threads = 1, .a = place->on_host ? 3 : 0};

    return holds_if(may_leave(place, call, 0, 1, evidence));
}

/* Returns true if some run records a launch before any record of the launched grid. */
static bool record_comes_early(const struct place *place, const char *id, char evidence[EVIDENCE])
{
    enum { BLOCK = 8, DEPTH_BIT = 26, WHO = (1 << DEPTH_BIT) - 1 };
    static uint32_t log[OUT_ELEMENTS];

    for (int s = 0; s < schedules_at(place); s++) {
        const struct asked asked = {.id = id,
                                    .kind = VARIANT_ORIGINAL,
                                    .shape = {{BLOCK, 1, 1}, {1, BLOCK}, 0, 0},
                                    .schedule = schedule_tried(s),
                                    .words = log};
        struct engine_outcome outcome = run_catalogue(place, &asked);
        bool told[64] = {false};
        assert_int_equal(outcome.fault.kind, FAULT_NONE);
        assert_int_equal(log[0], 8 + 4 + 2 + 1 + 3);
        for (uint32_t k = 1; k <= log[0]; k++) {
            uint32_t depth = log[k] >> DEPTH_BIT;
            if ((log[k] & WHO) == WHO)
                told[depth] = true;
            else if (told[depth]) {
                snprintf(evidence, EVIDENCE, "%s: depth %u is told of before entry %u, run %d", id,
                         depth, k, s);
                return true;
            }
        }
    }
    snprintf(evidence, EVIDENCE, "%s: not in %d runs", id, schedules_at(place));
    return false;
}

static enum verdict marker_comes_when_the_layer_is_done(const struct place *place,
                                                        char evidence[EVIDENCE])
{
    return holds_if(!record_comes_early(place, "nestedHelloWorld", evidence));
}

static enum verdict waiting_makes_a_recursion(const struct place *place, char evidence[EVIDENCE])
{
    if (!waits_on_the_device(place))
        return no_waiting(evidence);
    return holds_if(!record_comes_early(place, "nestedHelloWorldWait", evidence));
}

/* Returns the index in out[1..4] at which the grid has signed. */
static uint32_t turn_of(uint32_t name)
{
    for (uint32_t k = 1; k <= 4; k++)
        if (nested_out[k] == name)
            return k;
    fail_msg("grid %u has not signed", name);
    return 0;
}

static bool grids_came_in_order(void)
{
    return turn_of(0) < turn_of(1) && turn_of(2) < turn_of(3);
}

/* Two blocks launch two grids each. */
static enum verdict one_ancestor_orders(const struct place *place, char evidence[EVIDENCE])
{
    struct nested_call call = {.kernel = "launchTwo", .blocks = 2, .threads = 1, .a = 1};
    bool first = always(place, call, grids_came_in_order, evidence);

    call.a = 0; /* late */
    return holds_if(first && always(place, call, grids_came_in_order, evidence));
}

static enum verdict lineages_are_free(const struct place *place, char evidence[EVIDENCE])
{
    struct nested_call call = {.kernel = "launchTwo", .blocks = 2, .threads = 1};
    bool upwards, downwards;

    call.a = 1; /* late */
    upwards = may_leave(place, call, 1, 0, evidence);
    call.a = 0;
    downwards = may_leave(place, call, 1, 2, evidence);
    return holds_if(upwards && downwards);
}

static enum verdict once_a_grid_makes_fewer(const struct place *place, char evidence[EVIDENCE])
{
    const struct asked once_a_block = {.id = "nestedHelloWorld",
                                       .kind = VARIANT_ORIGINAL,
                                       .shape = {{8, 1, 1}, {2, 8}, 0, 0}},
                       once_a_grid = {.id = "nestedHelloWorldNew",
                                      .kind = VARIANT_ORIGINAL,
                                      .shape = {{8, 1, 1}, {2, 1}, 0, 0}};
    struct engine_outcome many = run_catalogue(place, &once_a_block),
                          few = run_catalogue(place, &once_a_grid);

    snprintf(evidence, EVIDENCE, "%llu against %llu", (unsigned long long)few.children,
             (unsigned long long)many.children);
    return holds_if(few.children == 3 && many.children == 6);
}

#define WAITING                                                                                    \
    "CUDA 12 waits on the device only below sm_90, with `-DCUDA_FORCE_CDP1_IF_SUPPORTED`; CUDA "   \
    "13 "                                                                                          \
    "does not"

/* clang-format off */
const struct sentence launch_sentences[] = {
    {"book", "relocatable device code, the device runtime library and compute capability 3.5 are needed",
     is_tried_elsewhere, "-----", "holds for nvcc 13.0, by the test `host.nested.requirements`: a "
     "build without either fails by name, "
     "and so does one for compute capability 3.0"},
    {"nested notes", "`-rdc=true` makes device code re-entrant",
     is_tried_elsewhere, "-----", "**fails** for nvcc 13.0, by the test `host.nested.requirements`: a function "
     "that calls itself "
     "compiles without it. What needs it is a function in another file"},
    {"nested notes", "a child cannot run on another device",
     is_tried_elsewhere, "-----", "holds for nvcc 13.0, by the test `host.nested.requirements`: a kernel that calls "
     "cudaSetDevice() does not compile"},
    {"nested notes", "nesting goes at most 24 levels deep",
     at_most_24_levels, "hhfff", "to depth 200; the 25th launch is error 65 under CDP 1"},
    {"book, nested notes", "synchronising the block before the launch is unnecessary",
     block_needs_no_synchronising, "fffff", "gpuRecursiveReduceNosync races, and a child reads the "
     "old word of a thread that is late"},
    {"nested notes", "what a child wrote is visible after the wait",
     writes_are_visible_after_the_wait, "hh---", "12 levels of 12 wait. " WAITING},
    {"nested notes", "what a child wrote is visible to its parent only after the wait",
     child_is_seen_only_after_the_wait, "fffff", "a parent that does not wait reads, by an atomic operation, "
     "what its child "
     "has added"},
    {"book, mapping notes", "threads may wait for children that others of their block launched",
     threads_wait_for_others_children, "hh---", "16 threads launch, half wait, and behind a barrier "
     "all find 16 grids"},
    {"book, nested notes", "a parent is complete only with its children",
     parent_ends_after_its_children, "hhhhh", "the host finds what a child wrote late"},
    {"book, nested notes", "and with all descendants, wait or none",
     parent_ends_after_all_descendants, "hhhhh", "the next grid of the stream finds what a "
     "grandchild wrote late"},
    {"book", "a child can start only after the parent waits",
     child_starts_only_after_the_wait, "fffff", "a parent that does not wait sees its child's mark. "
     "Contradicts the nested notes"},
    {"nested notes", "a child need not start before the parent waits",
     child_need_not_start_before, "hhhhh", "a parent that looks at once, or under a schedule that "
     "runs children late, does not see it"},
    {"book, exercise 9", "the second record appears when the next layer is complete",
     marker_comes_when_the_layer_is_done, "fffff", "nestedHelloWorld: it stands in the log before "
     "the layer's own records"},
    {"nested notes", "with a wait it does, as in a recursion on a CPU",
     waiting_makes_a_recursion, "hh---", "nestedHelloWorldWait. " WAITING},
    {"mapping notes", "grids of one ancestor thread run in order",
     one_ancestor_orders, "hhhhh", "two grids each of two blocks sign"},
    {"mapping notes", "different lineages are free of each other",
     lineages_are_free, "hhhhh", "either block's grids sign first"},
    {"book", "launching once a grid makes fewer grids than once a block",
     once_a_grid_makes_fewer, "hhhhh", "two blocks of 8: 3 against 6"},
};
/* clang-format on */

const size_t launch_sentence_count = sizeof launch_sentences / sizeof *launch_sentences;
