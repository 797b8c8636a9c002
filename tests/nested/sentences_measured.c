/* SPDX-License-Identifier: MIT
 *
 * Sentences about time, or about behaviour that only hardware counters show. ci/bench measures them
 * and prints the textbooks' figures next to its own. No test asserts them.
 */
#include "sentences.h"

#define MEASURED(source, text, how)                                                                \
    {                                                                                              \
        source, text, is_tested_elsewhere, "-----", how                                            \
    }

/* clang-format off */
const struct sentence measured_sentences[] = {
    MEASURED("book: unrolling",
             "of the steps from reduceInterleaved to reduceUnrolling8, the last step gains most; "
             "reduceUnrolling16 is only a little faster than reduceUnrolling8",
             "times at n = 2^24 with blocks of 512"),
    MEASURED("book: matrix sums",
             "higher occupancy is not always faster: the fastest block of sumMatrixOnGPU2D has neither the "
             "highest occupancy nor the highest load throughput",
             "times, achieved occupancy and load throughput of four block shapes"),
    MEASURED("book, exercise 4",
             "volatile loads bypass the L1 cache",
             "L1 hit rates of the volatile tail and of the tail with barriers"),
    MEASURED("book, exercise 6",
             "on many GPUs, reductions of int and of float are equally fast",
             "times at n = 2^24 with blocks of 512"),
    MEASURED("book: guidelines",
             "a grid should have many more blocks than the GPU has SMs",
             "the write throughput of a fill kernel, from half a block to 32 blocks for each SM"),
    MEASURED("book, mapping notes: scalability",
             "with twice as many SMs, the work takes half the time",
             "times of the same work with half as many blocks as SMs, and with as many"),
    MEASURED("book: architecture",
             "a GPU has 32 hardware queues",
             "how many of 256 kernels, each in its own stream, run at the same time"),
    MEASURED("book, nested notes: nested launches",
             "each nesting level reserves memory",
             "free memory before and after recursive reductions that nest 8 levels deep. The reserve is for "
             "parents that wait, and CUDA 13 has no such parents"),
    MEASURED("book: latency",
             "a warp that is ready but not selected is stalled, and a warp that is not ready is eligible",
             "**fails**: the text swaps the two words. It translates a book, and this may be an error of the "
             "translation. The mapping notes use the words correctly, and the counters agree. For a warp that "
             "waits for each of its loads, `smsp__warps_eligible` is near 0"),
    MEASURED("book: latency",
             "a warp is eligible if 32 cores are free and all its operands are ready",
             "eligible warps per cycle, of a warp that waits for each of its loads. No counter shows free "
             "cores"),
    MEASURED("nested notes: nvprof",
             "without synchronization, the recursive reduction takes a third of the time",
             "times of gpuRecursiveReduceNosync and, if device code can wait, of gpuRecursiveReduce"),
    MEASURED("K80 profiles: occupancy",
             "the achieved occupancy of sumMat rises with the number of blocks, and blocks of 16 x 32 have a "
             "higher one than blocks of 32 x 16",
             "achieved occupancy of four block shapes, 2^14 by 2^14"),
    MEASURED("K80 profiles: unrolling",
             "at n = 2^14, more unrolling takes longer",
             "times of reduceInterleaved1, 2, 4 and 8"),
    MEASURED("K80 profiles: unrolling",
             "at n = 2^30, more unrolling has a higher read throughput",
             "read throughput of reduceInterleaved1, 2, 4 and 8, in GB/s"),
    MEASURED("K80 profiles: unrolling",
             "at n = 2^14, more unrolling keeps fewer SMs at work",
             "`smsp__cycles_active` of reduceInterleaved1 and 8, and eligible warps per cycle"),
};
/* clang-format on */

const size_t measured_sentence_count = sizeof measured_sentences / sizeof *measured_sentences;
