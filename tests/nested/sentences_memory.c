/* SPDX-License-Identifier: MIT
 *
 * Sentences about which memory threads, blocks, parents and children see of each other.
 */
#include "sentences.h"

enum { NEIGHBOURS = 64 };

static bool all_saw_their_neighbours(void)
{
    for (uint32_t t = 0; t < NEIGHBOURS; t++)
        if (nested_out[t] != 2)
            return false;
    return true;
}

static enum verdict block_sees_all_after_a_barrier(const struct place *place,
                                                   char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "seeBlock", .blocks = 1, .threads = NEIGHBOURS};

    return holds_if(always(place, call, all_saw_their_neighbours, evidence));
}

/* Thread 0's block ends before the other blocks have written. */
static enum verdict barrier_is_limited_to_the_block(const struct place *place,
                                                    char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "seeNextBlock", .blocks = 2, .threads = 32};

    return holds_if(may_leave(place, call, 0, 1, evidence));
}

static enum verdict end_of_a_kernel_orders_blocks(const struct place *place,
                                                  char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "seeGridBefore", .blocks = 1, .threads = 1, .a = 8};

    return holds_if(!may_leave(place, call, 7, 1, evidence));
}

static enum verdict blocks_run_in_any_order(const struct place *place, char evidence[EVIDENCE])
{
    struct nested_call call = {.kernel = "signBlocks", .blocks = 2, .threads = 1};
    bool upwards, downwards;

    call.a = 1; /* late */
    upwards = may_leave(place, call, 1, 0, evidence);
    call.a = 0;
    downwards = may_leave(place, call, 1, 1, evidence);
    return holds_if(upwards && downwards);
}

static enum verdict all_threads_call_the_barrier(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "skipBarrier", .blocks = 1, .threads = 4};
    struct engine_outcome outcome;

    if (!place->on_host) { /* undefined behaviour there may hang */
        snprintf(evidence, EVIDENCE, "undefined");
        return UNTRIED;
    }
    return holds_if(!run_at(place, call, evidence, &outcome) &&
                    outcome.fault.kind == FAULT_DIVERGENT_BARRIER);
}

static enum verdict child_sees_the_thread(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showThread", .blocks = 1, .threads = 1};

    return holds_if(!may_leave(place, call, 0, 1, evidence));
}

/* In a block of 40 threads, the last thread is in another warp than the launching one. */
static enum verdict child_sees_the_block(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showBlock", .blocks = 1, .threads = 40};

    return holds_if(!may_leave(place, call, 39, 1, evidence));
}

static enum verdict child_sees_the_block_after_a_barrier(const struct place *place,
                                                         char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showBlock", .blocks = 1, .threads = 40, .a = 1};

    return holds_if(!may_leave(place, call, 39, 1, evidence));
}

static enum verdict child_sees_the_grid(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showGrid", .blocks = 3, .threads = 1};

    return holds_if(!may_leave(place, call, 2, 1, evidence));
}

static enum verdict tail_launch_sees_the_grid(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "showGrid", .blocks = 3, .threads = 1, .a = 1};

    if (place->on_host && place->profile == PROFILE_CDP1) {
        snprintf(evidence, EVIDENCE, "CUDA 11 has no tail launch");
        return UNTRIED;
    }
    return holds_if(!may_leave(place, call, 2, 1, evidence));
}

static enum verdict constant_memory_is_shared(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "readConstant", .blocks = 1, .threads = 1};
    struct engine_outcome outcome;

    if (place->on_host) {
        snprintf(evidence, EVIDENCE, "a host compiler puts the constant into the code");
        return UNTRIED;
    }
    return holds_if(run_at(place, call, evidence, &outcome) && nested_out[0] == 4711 &&
                    nested_out[1] == 4711);
}

/* Four nested grids. */
enum { GRIDS = 4, SHARED_WORDS = 32, LOCAL_WORDS = 4 };

static bool shared_arrays_are_kept(void)
{
    for (uint32_t k = 0; k < GRIDS * SHARED_WORDS; k++)
        if (nested_out[k] != 100 * (k / SHARED_WORDS) + SHARED_WORDS - 1 - k % SHARED_WORDS)
            return false;
    return true;
}

static enum verdict shared_memory_is_private(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "keepShared", .blocks = 1, .threads = SHARED_WORDS};

    return holds_if(always(place, call, shared_arrays_are_kept, evidence));
}

static bool local_arrays_are_kept(void)
{
    for (uint32_t k = 0; k < GRIDS * LOCAL_WORDS; k++)
        if (nested_out[k] != 10 * (k / LOCAL_WORDS) + k % LOCAL_WORDS)
            return false;
    return true;
}

static enum verdict local_memory_is_private(const struct place *place, char evidence[EVIDENCE])
{
    const struct nested_call call = {.kernel = "keepLocal", .blocks = 1, .threads = 1};

    return holds_if(always(place, call, local_arrays_are_kept, evidence));
}

static enum verdict give_pointer(const struct place *place, uint32_t shared,
                                 char evidence[EVIDENCE])
{
    const struct nested_call call = {
        .kernel = "givePointer", .blocks = 1, .threads = 1, .a = shared};
    struct engine_outcome outcome;

    return holds_if(!run_at(place, call, evidence, &outcome) &&
                    outcome.fault.kind ==
                        (place->on_host ? FAULT_LOCAL_POINTER_ESCAPE : FAULT_CRASH));
}

static enum verdict local_pointers_are_invalid(const struct place *place, char evidence[EVIDENCE])
{
    return give_pointer(place, 0, evidence);
}

static enum verdict shared_pointers_are_invalid(const struct place *place, char evidence[EVIDENCE])
{
    if (!place->on_host) {
        snprintf(evidence, EVIDENCE, "the next sentence costs the context");
        return UNTRIED;
    }
    return give_pointer(place, 1, evidence);
}

/* clang-format off */
const struct sentence memory_sentences[] = {
    {"book: barriers",
     "after a barrier, each thread of the block sees everything that the block's threads wrote before it, in "
     "global and shared memory",
     block_sees_all_after_a_barrier, "hhhhh",
     "all threads but one write late. After the barrier, each thread reads its neighbour's global word and "
     "shared word"},
    {"book: barriers",
     "a barrier does not synchronize different blocks",
     barrier_is_limited_to_the_block, "hhhhh",
     "block 1 writes a word late. After a barrier, block 0 reads the word and finds the old value"},
    {"book: barriers",
     "the end of a kernel synchronizes blocks safely",
     end_of_a_kernel_orders_blocks, "hhhhh",
     "two grids run one after the other. Eight blocks of the first grid write late, and the second grid "
     "reads what they wrote"},
    {"book, mapping notes: thread blocks",
     "blocks run in any order, one after the other or in parallel",
     blocks_run_in_any_order, "hhhhh",
     "two blocks record their arrival. Either block can be the first"},
    {"book: barriers",
     "every thread of the block must call the barrier",
     all_threads_call_the_barrier, "hhhh-",
     "two of four threads skip the barrier, and the simulator reports `divergent-barrier`. The behaviour is "
     "undefined on a GPU, so the test does not run there"},
    {"book: nested launches",
     "a child sees what its launching thread wrote before the launch",
     child_sees_the_thread, "hhhhh",
     "a thread writes and launches a child, and the child reads the new value"},
    {"nested notes: memory of parent and child",
     "a child sees everything that its parent did before the launch, including what other threads of the "
     "launching block wrote",
     child_sees_the_block, "fffff",
     "thread 0 launches the child. Thread 39, of another warp, writes late, and the child reads the old "
     "value. The book says otherwise"},
    {"ours",
     "a child sees what other threads of the launching block wrote, if a barrier precedes the launch",
     child_sees_the_block_after_a_barrier, "hhhhh",
     "thread 39 writes late. After a barrier, thread 0 launches the child, and the child reads the new value"},
    {"nested notes: memory of parent and child",
     "a child sees everything that its parent did before the launch, including what other blocks wrote",
     child_sees_the_grid, "fffff",
     "block 0 launches the child. Block 2 writes late, and the child reads the old value"},
    {"ours",
     "a tail launch sees what all blocks of its parent wrote",
     tail_launch_sees_the_grid, "--hhh",
     "block 0 requests the tail launch. Block 2 writes late, and the tail launch reads the new value. CUDA "
     "11 has no tail launches"},
    {"book, mapping notes: nested launches",
     "parent and child share constant memory",
     constant_memory_is_shared, "----h",
     "parent and child read the same `__constant__` variable. The test runs only on a GPU"},
    {"book, mapping notes: nested launches",
     "shared memory is private to a grid: a child does not change the shared memory of its parent",
     shared_memory_is_private, "hhhhh",
     "four nested grids keep different values in shared memory"},
    {"book, mapping notes: nested launches",
     "local memory is private to a grid: a child does not change the local memory of its parent",
     local_memory_is_private, "hhhhh",
     "four nested grids keep different values in local memory"},
};
/* clang-format on */

const size_t memory_sentence_count = sizeof memory_sentences / sizeof *memory_sentences;

/* These come last, because on a GPU the fault destroys the context. */
/* clang-format off */
const struct sentence pointer_sentences[] = {
    {"ours",
     "a pointer to shared memory is invalid in a child",
     shared_pointers_are_invalid, "hhhh-",
     "the simulator reports `local-pointer-escape`, with the line. The test does not run on a GPU, because "
     "such a fault destroys the context"},
    {"book: nested launches",
     "a pointer to local memory is invalid in a child",
     local_pointers_are_invalid, "hhhhh",
     "the simulator reports `local-pointer-escape`, with the line. A GPU reports error 717"},
};
/* clang-format on */

const size_t pointer_sentence_count = sizeof pointer_sentences / sizeof *pointer_sentences;
