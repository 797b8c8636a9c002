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
    struct catalogue_call catalogue = {.id = "gpuRecursiveReduceNosync",
                                       .kind = VARIANT_ORIGINAL,
                                       .shape = {{8, 1, 1}, {8, 1}, 0, 0, {0, 0}},
                                       .races = &race,
                                       .race_capacity = 1};

    if (place->on_host && run_catalogue(place, &catalogue).race_count == 0)
        return HOLDS;
    return holds_if(!may_leave(place, call, 39, 1, evidence));
}

/* Thread 39 belongs to the second warp, and writes before it reaches the launch. */
static enum verdict child_waits_for_all_warps(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showBlock", .blocks = 1, .threads = 40};

    return holds_if(!may_leave(place, call, 39, 1, evidence));
}

static enum verdict nesting_ends_at_size_0(const struct place *place, char evidence[EVIDENCE])
{
    const struct catalogue_call call = {.id = "nestedHelloWorld",
                                        .kind = VARIANT_ORIGINAL,
                                        .shape = {{8, 1, 1}, {1, 8}, 0, 0, {0, 0}}};
    unsigned long long children = run_catalogue(place, &call).children;

    snprintf(evidence, EVIDENCE, "%llu grids below one of 8 threads", children);
    return holds_if(children != 3);
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

static enum verdict threads_wait_for_children_of_others(const struct place *place,
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
    const struct nested_call call = {.kernel = "lookAtChild", .blocks = 1, .threads = 1, .a = 3};

    if (!place->on_host) /* a GPU may start the child at any time */
        return UNTRIED;
    return holds_if(may_leave(place, call, 0, 1, evidence));
}

/* Returns true if some run records a launch before any record of the launched grid. */
static bool record_is_early(const struct place *place, const char *id, char evidence[EVIDENCE])
{
    enum { BLOCK = 8, DEPTH_BIT = 26, THREAD_MASK = (1 << DEPTH_BIT) - 1 };
    static uint32_t log[OUT_ELEMENTS];

    for (int s = 0; s < schedules_at(place); s++) {
        const struct catalogue_call call = {.id = id,
                                            .kind = VARIANT_ORIGINAL,
                                            .shape = {{BLOCK, 1, 1}, {1, BLOCK}, 0, 0, {0, 0}},
                                            .schedule = schedule_tried(s),
                                            .words = log};
        struct engine_outcome outcome = run_catalogue(place, &call);
        bool is_recorded[64] = {false};
        assert_int_equal(outcome.fault.kind, FAULT_NONE);
        assert_int_equal(log[0], 8 + 4 + 2 + 1 + 3);
        for (uint32_t k = 1; k <= log[0]; k++) {
            uint32_t depth = log[k] >> DEPTH_BIT;
            if ((log[k] & THREAD_MASK) == THREAD_MASK)
                is_recorded[depth] = true;
            else if (is_recorded[depth]) {
                snprintf(evidence, EVIDENCE, "%s: depth %u is told of before entry %u, run %d", id,
                         depth, k, s);
                return true;
            }
        }
    }
    snprintf(evidence, EVIDENCE, "%s: not in %d runs", id, schedules_at(place));
    return false;
}

static enum verdict marker_follows_the_completed_layer(const struct place *place,
                                                       char evidence[EVIDENCE])
{
    return holds_if(!record_is_early(place, "nestedHelloWorld", evidence));
}

static enum verdict waiting_gives_recursive_order(const struct place *place,
                                                  char evidence[EVIDENCE])
{
    if (!waits_on_the_device(place))
        return no_waiting(evidence);
    return holds_if(!record_is_early(place, "nestedHelloWorldWait", evidence));
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

static bool grids_ran_in_order(void)
{
    return turn_of(0) < turn_of(1) && turn_of(2) < turn_of(3);
}

/* Two blocks launch two grids each. */
static enum verdict one_ancestor_orders(const struct place *place, char evidence[EVIDENCE])
{
    struct nested_call call = {.kernel = "launchTwo", .blocks = 2, .threads = 1, .a = 1};
    bool first = always(place, call, grids_ran_in_order, evidence);

    call.a = 0; /* late */
    return holds_if(first && always(place, call, grids_ran_in_order, evidence));
}

static enum verdict lineages_are_unordered(const struct place *place, char evidence[EVIDENCE])
{
    struct nested_call call = {.kernel = "launchTwo", .blocks = 2, .threads = 1};
    bool upwards, downwards;

    call.a = 1; /* late */
    upwards = may_leave(place, call, 1, 0, evidence);
    call.a = 0;
    downwards = may_leave(place, call, 1, 2, evidence);
    return holds_if(upwards && downwards);
}

static enum verdict one_launch_per_grid_makes_fewer(const struct place *place,
                                                    char evidence[EVIDENCE])
{
    const struct catalogue_call once_a_block = {.id = "nestedHelloWorld",
                                                .kind = VARIANT_ORIGINAL,
                                                .shape = {{8, 1, 1}, {2, 8}, 0, 0, {0, 0}}},
                                once_a_grid = {.id = "nestedHelloWorldNew",
                                               .kind = VARIANT_ORIGINAL,
                                               .shape = {{8, 1, 1}, {2, 1}, 0, 0, {0, 0}}};
    struct engine_outcome many = run_catalogue(place, &once_a_block),
                          few = run_catalogue(place, &once_a_grid);

    snprintf(evidence, EVIDENCE, "%llu against %llu", (unsigned long long)few.children,
             (unsigned long long)many.children);
    return holds_if(few.children == 3 && many.children == 6);
}

#define WAITING                                                                                    \
    "In CUDA 12, device code can wait only below sm_90 and with "                                  \
    "`-DCUDA_FORCE_CDP1_IF_SUPPORTED`. In CUDA 13 it cannot wait"

/* clang-format off */
const struct sentence launch_sentences[] = {
    {"book: nested launches",
     "nested launches need relocatable device code, the device runtime library and compute capability 3.5",
     is_tested_elsewhere, "-----",
     "holds for nvcc 13.0 (test `sim.nested.requirements`). A build fails without relocatable device code, "
     "without the library, and for compute capability 3.0. Each error names what is missing"},
    {"nested notes: requirements",
     "`-rdc=true` makes device code re-entrant",
     is_tested_elsewhere, "-----",
     "**fails** for nvcc 13.0 (test `sim.nested.requirements`). A recursive function compiles without "
     "`-rdc=true`. Only a call to a function of another file needs the option"},
    {"nested notes: nesting",
     "a child cannot run on another device than its parent",
     is_tested_elsewhere, "-----",
     "holds for nvcc 13.0 (test `sim.nested.requirements`). A kernel that calls cudaSetDevice() does not "
     "compile"},
    {"nested notes: nesting",
     "launches nest at most 24 levels deep",
     at_most_24_levels, "hhfff",
     "the test launches to depth 200. Under CDP 1, the 25th launch fails with error 65. Under CDP 2 and on a "
     "GPU, all 200 launches succeed"},
    {"book, nested notes: nested reductions",
     "a block need not synchronize before it launches a child",
     block_needs_no_synchronising, "fffff",
     "gpuRecursiveReduceNosync has a race. If a thread writes late, the child reads the old value"},
    {"nested notes: memory of parent and child",
     "what a child wrote is visible to its parent after the parent has waited",
     writes_are_visible_after_the_wait, "hh---",
     "12 nested levels wait, each for its child. " WAITING},
    {"nested notes: memory of parent and child",
     "what a child wrote is visible to its parent only after the parent has waited",
     child_is_seen_only_after_the_wait, "fffff",
     "a parent that does not wait reads, with an atomic operation, what its child has added"},
    {"book, mapping notes: nested launches",
     "a thread may wait for children that other threads of its block launched",
     threads_wait_for_children_of_others, "hh---",
     "16 threads launch one grid each, and half of the threads wait. After a barrier all threads wait, and "
     "each finds the results of 16 grids"},
    {"book, nested notes: nested launches",
     "a parent is complete only when its children are complete",
     parent_ends_after_its_children, "hhhhh",
     "a child writes late, and the host finds what it wrote"},
    {"book, nested notes: nested launches",
     "a parent is complete only when all its descendants are complete, whether it waits or not",
     parent_ends_after_all_descendants, "hhhhh",
     "a grandchild writes late, and the next grid of the stream finds what it wrote"},
    {"book: nested launches",
     "a child can start only when its parent waits",
     child_starts_only_after_the_wait, "fffff",
     "a parent that does not wait sees what its child wrote. The nested notes say otherwise. The text "
     "translates a book, and this may be an error of the translation"},
    {"mapping notes: synchronization",
     "a child grid starts only when all warps of the block have reached the launch",
     child_waits_for_all_warps, "fffff",
     "thread 0 launches the child. Thread 39, of another warp, writes late, and the child reads the old "
     "value"},
    {"mapping notes: synchronization",
     "nestedHelloWorld launches grids until the size is 0",
     nesting_ends_at_size_0, "fffff",
     "a grid of 8 threads has 3 descendants, of 4, 2 and 1 threads. The text's code ends at 1, too"},
    {"nested notes: nested launches",
     "a child need not start before its parent waits",
     child_need_not_start_before, "hhhh-",
     "under a schedule that runs children late, the parent looks three times and does not see its child. "
     "On a GPU the child may start at any time"},
    {"book, exercise 9",
     "nestedHelloWorld prints its second record, that of the nested launch, when the next layer is complete",
     marker_follows_the_completed_layer, "fffff",
     "in the log, the record of the launch precedes the records of the launched layer"},
    {"nested notes: nestedHelloWorld",
     "if the parents of nestedHelloWorld wait, its second record appears when the next layer is complete, as "
     "in a recursion on a CPU",
     waiting_gives_recursive_order, "hh---",
     "the parents of nestedHelloWorldWait wait. " WAITING},
    {"mapping notes: nested launches",
     "grids with the same ancestor thread run in order",
     one_ancestor_orders, "hhhhh",
     "two blocks launch two grids each, and the grids record their order"},
    {"mapping notes: nested launches",
     "grids with different ancestor threads run in any order",
     lineages_are_unordered, "hhhhh",
     "two blocks launch two grids each. The grids of either block can be the first"},
    {"book: nested launches",
     "one launch per grid creates fewer child grids than one launch per block",
     one_launch_per_grid_makes_fewer, "hhhhh",
     "for two blocks of 8 threads: 3 child grids with one launch per grid, 6 with one per block"},
};
/* clang-format on */

const size_t launch_sentence_count = sizeof launch_sentences / sizeof *launch_sentences;
