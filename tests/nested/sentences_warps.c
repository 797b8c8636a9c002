/* SPDX-License-Identifier: MIT
 *
 * Sentences about what the lanes of a warp do together, and what each lane does alone.
 */
#include "sentences.h"

enum { WARP = 32 };

/* The volatile tail depends on this sentence. Without a barrier between its steps, the sum is right
 * only if the lanes execute each step together. On a GPU a lane waits for another lane of its warp.
 */
static enum verdict lanes_run_in_lockstep(const struct place *place, char evidence[EVIDENCE])
{
    enum { BLOCK = 64, SUM = 8 * BLOCK };
    const struct nested_call wait = {.kernel = "waitForLane", .blocks = 1, .threads = WARP};
    struct engine_outcome outcome;
    uint32_t sum = 0;

    if (!place->on_host)
        return holds_if(!run_at(place, wait, evidence, &outcome));
    for (int s = 0; s < SCHEDULES; s++) {
        const struct catalogue_call call = {.id = "reduceUnrollWarps8",
                                            .kind = VARIANT_ORIGINAL,
                                            .shape = {{BLOCK, 1, 1}, {SUM, 1}, 0, 0, {0, 0}},
                                            .schedule = schedule_tried(s),
                                            .words = &sum};
        assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
        snprintf(evidence, EVIDENCE, "reduceUnrollWarps8: %u of %d, run %d", sum, SUM, s);
        if (sum != SUM)
            return FAILS;
    }
    return HOLDS;
}

/* Runs mathKernelWays with as many branches as lanes. */
static enum verdict threads_have_their_own_paths(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t words[WARP];
    const struct catalogue_call call = {.id = "mathKernelWays",
                                        .kind = VARIANT_ORIGINAL,
                                        .shape = {{WARP, 1, 1}, {WARP, WARP}, 0, 0, {0, 0}},
                                        .words = words};
    uint32_t own = 0;

    assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
    for (uint32_t t = 0; t < WARP; t++)
        own += words[t] == t;
    snprintf(evidence, EVIDENCE, "%u of %d lanes took a branch of their own", own, WARP);
    return holds_if(own == WARP);
}

/* Lane t of mathKernelTrips executes its loop t times and stores each time, and once more at the
 * end. So 528 lanes take part in 32 stores of the warp. */
static enum verdict iterations_split_a_warp(const struct place *place, char evidence[EVIDENCE])
{
    enum { STORES = WARP * (WARP + 1) / 2 };
    static struct engine_counters counters;
    const struct access_counters *stores = &counters.all.access[1];
    const struct catalogue_call call = {.id = "mathKernelTrips",
                                        .kind = VARIANT_ORIGINAL,
                                        .shape = {{WARP, 1, 1}, {WARP, 1}, 0, 0, {0, 0}},
                                        .counters = &counters};

    if (!place->on_host || place->model != MODEL_LOCKSTEP) {
        snprintf(evidence, EVIDENCE, "counters are of lockstep warps");
        return UNTRIED;
    }
    assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
    snprintf(evidence, EVIDENCE, "%llu lanes in %llu stores", (unsigned long long)stores->lanes,
             (unsigned long long)stores->requests);
    return holds_if(stores->requests == WARP && stores->lanes == STORES);
}

/* Counts the warps in eight blocks of mathKernel2 that took both branches, from what they wrote. */
static uint32_t split_warps(const struct place *place, uint32_t block)
{
    enum { BLOCKS = 8 };
    static uint32_t words[OUT_ELEMENTS];
    const struct catalogue_call call = {
        .id = "mathKernel2",
        .kind = VARIANT_ORIGINAL,
        .shape = {{block, 1, 1}, {BLOCKS * (uint64_t)block, 1}, 0, 0, {0, 0}},
        .words = words};
    uint32_t split = 0;

    assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t first = 0; first < block; first += WARP) {
            uint32_t t = first;
            while (t < block && t < first + WARP &&
                   words[b * block + t] == words[b * block + first])
                t++;
            split += t < block && t < first + WARP;
        }
    return split;
}

static enum verdict whole_warps_branch(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t split = split_warps(place, 32) + split_warps(place, 64) + split_warps(place, 96);

    snprintf(evidence, EVIDENCE, "%u warps are split", split);
    return holds_if(split == 0);
}

static enum verdict whole_warps_branch_in_any_block(const struct place *place,
                                                    char evidence[EVIDENCE])
{
    uint32_t of_48 = split_warps(place, 48), of_33 = split_warps(place, 33),
             of_100 = split_warps(place, 100);

    snprintf(evidence, EVIDENCE, "split are %u, %u and %u", of_48, of_33, of_100);
    return holds_if(!(of_48 == 4 && of_33 == 7 && of_100 == 21));
}

/* clang-format off */
const struct sentence warp_sentences[] = {
    {"book, warp notes, mapping notes, K80 profiles: warps",
     "all threads of a warp execute the same instruction at the same time",
     lanes_run_in_lockstep, "fhfhf",
     "the tail of reduceUnrollWarps8 has volatile accesses and no barriers. With independent threads, its "
     "sum is wrong. On a GPU, a lane waits in a loop for another lane of its warp, and the loop ends"},
    {"book: warps",
     "each thread may take its own path through the code",
     threads_have_their_own_paths, "hhhhh",
     "in mathKernelWays, 32 lanes take 32 different branches"},
    {"book: warps",
     "each thread of a warp has a state of its own",
     threads_have_their_own_paths, "hhhhh",
     "the same run: each of 32 lanes takes its own branch, and stores its own value"},
    {"warp notes: divergence",
     "a loop splits a warp if its number of iterations depends on the thread's index",
     iterations_split_a_warp, "-h-h-",
     "in mathKernelTrips, lane t runs t iterations. The warp executes 32 stores with 528 active lanes in "
     "total; a warp that does not split has 1024"},
    {"book: divergence",
     "in mathKernel2, all threads of a warp take the same branch if the block size is a multiple of 32",
     whole_warps_branch, "hhhhh",
     "in blocks of 32, 64 and 96 threads, no warp writes both values"},
    {"book: divergence",
     "in mathKernel2, all threads of a warp take the same branch for every block size",
     whole_warps_branch_in_any_block, "fffff",
     "the branch depends on the global index, so some warps split. In 8 blocks of 48 threads, 4 of 16 warps "
     "split; in 8 blocks of 33 threads, 7 of 16; in 8 blocks of 100 threads, 21 of 32"},
};
/* clang-format on */

const size_t warp_sentence_count = sizeof warp_sentences / sizeof *warp_sentences;
