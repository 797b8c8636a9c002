/* SPDX-License-Identifier: MIT
 *
 * Sentences about time, or about behaviour that only hardware counters show. ci/bench measures them
 * and prints the textbooks' figures next to its own. No test asserts them.
 */
#include "sentences.h"

#define MEASURED(source, text, how)                                                                \
    {                                                                                              \
        source, text, is_tried_elsewhere, "-----", how                                             \
    }

/* clang-format off */
const struct sentence measured_sentences[] = {
    MEASURED("book", "of the steps from reduceInterleaved to reduceUnrolling8, the last gains most; reduceUnrolling16 "
             "is faster, but not by much", "times at n = 2^24, B = 512"),
    MEASURED("book", "more occupancy is not always more speed: the best block of sumMatrixOnGPU2D has neither the "
             "most occupancy nor the most load throughput", "times, achieved occupancy and load throughput of "
             "four blocks"),
    MEASURED("book, exercise 4", "volatile loads bypass the first-level cache",
             "hit rates of the volatile tail and of the tail with barriers"),
    MEASURED("book, exercise 6", "reductions of int and of float are as fast as each other on many GPUs",
             "times at n = 2^24, B = 512"),
    MEASURED("book, mapping notes", "a grid should have many more blocks than the GPU has SMs",
             "the rate of a fill by half a block to 32 blocks for each SM"),
    MEASURED("book, mapping notes", "twice the SMs take half the time",
             "the same work by half as many blocks as SMs, and "
     "by as many"),
    MEASURED("book, mapping notes", "a GPU has 32 hardware queues", "kernels of 256 streams that are at work at once"),
    MEASURED("book, mapping notes", "each nesting level reserves memory",
             "free memory before and after the first nested "
     "launch, and "
             "a chain of 24. That reserve is for parents that wait, which CUDA 13 does not have"),
    MEASURED("book", "a warp that is ready and has not been chosen is stalled, and one that is not ready is eligible",
             "**fails**: the book swaps the two words. The mapping notes have them right, and so do the counters: of a "
             "warp that waits for each of its loads `smsp__warps_eligible` is near 0"),
    MEASURED("K80 profiles", "the more is unrolled, the longer it takes at n = 2^14",
             "times of reduceInterleaved1, 2, 4 "
     "and 8"),
    MEASURED("K80 profiles", "the more is unrolled, the higher the read throughput at n = 2^30", "likewise, in GB/s"),
    MEASURED("K80 profiles", "the more is unrolled, the fewer SMs are at work at n = 2^14", "sm__cycles_active of "
     "reduceInterleaved1 "
             "and 8, and eligible warps a cycle"),
};
/* clang-format on */

const size_t measured_sentence_count = sizeof measured_sentences / sizeof *measured_sentences;
