/* SPDX-License-Identifier: MIT
 *
 * Sentences about counters (transactions and lanes) and about sums of floats.
 */
#include "sentences.h"

#include "input_values.h"

#include <math.h>

static bool can_count(const struct place *place, char evidence[EVIDENCE])
{
    snprintf(evidence, EVIDENCE, "counters are of lockstep warps");
    return place->on_host && place->model == MODEL_LOCKSTEP;
}

/* Returns the counters of one block. */
static struct engine_counters counted(const struct place *place, const char *id, uint32_t block)
{
    static struct engine_counters counters;
    const struct catalogue_call call = {.id = id,
                                        .kind = VARIANT_ORIGINAL,
                                        .shape = {{block, 1, 1}, {block, 1}, 0, 0, {0, 0}},
                                        .counters = &counters};

    assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
    return counters;
}

static double lanes_a_request(const struct engine_counters *counters)
{
    const struct access_counters *access = counters->all.access;

    return (double)(access[0].lanes + access[1].lanes) /
           (double)(access[0].requests + access[1].requests);
}

/* Uses blocks of 512 threads, as the book does. */
static enum verdict load_pattern_divides_interleaved(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    enum { LOADS, STORES, BLOCK = 512 };
    struct engine_counters neighbored, less, interleaved;
    bool fewer = true;

    if (!can_count(place, evidence))
        return UNTRIED;
    neighbored = counted(place, "reduceNeighbored", BLOCK);
    less = counted(place, "reduceNeighboredLess", BLOCK);
    interleaved = counted(place, "reduceInterleaved", BLOCK);
    for (int kind = LOADS; kind <= STORES; kind++) {
        uint64_t lines = interleaved.all.access[kind].lines;
        fewer = fewer && 2 * lines < neighbored.all.access[kind].lines &&
                2 * lines < less.all.access[kind].lines;
    }
    snprintf(evidence, EVIDENCE, "%llu, %llu and %llu lines loaded",
             (unsigned long long)neighbored.all.access[LOADS].lines,
             (unsigned long long)less.all.access[LOADS].lines,
             (unsigned long long)interleaved.all.access[LOADS].lines);
    return holds_if(fewer);
}

/* The two trees touch the same lines and sectors. They differ in the number of lanes and warps. */
static enum verdict lanes_divide_neighbored_and_less(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    struct engine_counters neighbored, less;

    if (!can_count(place, evidence))
        return UNTRIED;
    neighbored = counted(place, "reduceNeighbored1", 1024);
    less = counted(place, "reduceNeighbored2", 1024);
    snprintf(evidence, EVIDENCE, "%llu and %llu lines, %llu and %llu sectors, %.1f and %.1f lanes",
             (unsigned long long)neighbored.all.access[0].lines,
             (unsigned long long)less.all.access[0].lines,
             (unsigned long long)neighbored.all.access[0].sectors,
             (unsigned long long)less.all.access[0].sectors, lanes_a_request(&neighbored),
             lanes_a_request(&less));
    return holds_if(neighbored.all.access[0].lines == less.all.access[0].lines &&
                    neighbored.all.access[0].sectors == less.all.access[0].sectors &&
                    lanes_a_request(&neighbored) < lanes_a_request(&less));
}

/* In reduceInterleaved1's last step one lane adds, with one sector per request. */
static enum verdict disabled_lanes_make_no_requests(const struct place *place,
                                                    char evidence[EVIDENCE])
{
    struct engine_counters counters;
    const struct access_counters *last;

    if (!can_count(place, evidence))
        return UNTRIED;
    counters = counted(place, "reduceInterleaved1", 1024);
    last = counters.intervals[counters.interval_count - 2].access;
    snprintf(evidence, EVIDENCE, "%llu lanes, %llu sectors", (unsigned long long)last[0].lanes,
             (unsigned long long)last[0].sectors);
    return holds_if(last[0].requests == 2 && last[0].lanes == 2 && last[0].sectors == 2);
}

static enum verdict full_warp_tail_raises_efficiency(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    struct engine_counters packed, full;

    if (!can_count(place, evidence))
        return UNTRIED;
    packed = counted(place, "reduceNeighbored2", 1024);
    full = counted(place, "reduceNeighbored3", 1024);
    snprintf(evidence, EVIDENCE, "%.1f and %.1f lanes a request", lanes_a_request(&packed),
             lanes_a_request(&full));
    return holds_if(lanes_a_request(&full) > lanes_a_request(&packed));
}

/* The elements are whole numbers, whose sum far exceeds 2^24, so a float cannot represent it. */
static enum verdict float_sums_are_whole(const struct place *place, char evidence[EVIDENCE])
{
    enum { N = 1 << 22 };
    const struct values whole = {VALUES_WHOLE, 1};
    float sum;
    const struct catalogue_call call = {.id = "recursiveReduce",
                                        .kind = VARIANT_ORIGINAL,
                                        .shape = {{1, 1, 1}, {N, 1}, 0, 0, {0, 0}},
                                        .values = whole,
                                        .words = (uint32_t *)(void *)&sum};
    int32_t exact = 0;

    if (!place->on_host) {
        snprintf(evidence, EVIDENCE, "one thread of a GPU takes seconds for it");
        return UNTRIED;
    }
    for (uint64_t i = 0; i < N; i++)
        exact += (int32_t)values_f32(whole, i);
    assert_int_equal(run_catalogue(place, &call).fault.kind, FAULT_NONE);
    snprintf(evidence, EVIDENCE, "%d, exactly %d", (int32_t)sum, exact);
    assert_true(fabs((double)sum - exact) < 1e-6 * exact);
    return holds_if((int32_t)sum == exact);
}

/* clang-format off */
const struct sentence counted_sentences[] = {
    {"book, exercise 5",
     "an int can hold the float sum that recursiveReduce computes of many whole numbers",
     float_sums_are_whole, "ffff-",
     "for 2^22 whole numbers up to 256, the sum exceeds 2^24. The float sum is not the exact sum"},
    {"book: reductions",
     "reduceInterleaved is faster than reduceNeighbored and reduceNeighboredLess mainly because of its "
     "pattern of global loads and stores",
     load_pattern_divides_interleaved, "-h-h-",
     "a block of 512 threads loads 41 lines in reduceInterleaved, and 191 lines in each of the other two. "
     "The book prints speedups of 1.69 and 1.34, and `ci/bench` measures them"},
    {"ours",
     "reduceNeighbored and reduceNeighboredLess have the same pattern of loads",
     lanes_divide_neighbored_and_less, "-h-h-",
     "a block of 1024 threads loads 383 lines and 1023 sectors in both. In reduceNeighboredLess, more lanes "
     "take part in each request"},
    {"K80 profiles: reductions",
     "disabled lanes make no transactions",
     disabled_lanes_make_no_requests, "-h-h-",
     "in the last step of reduceInterleaved1 one lane loads, and each of its loads touches one sector"},
    {"K80 profiles: reductions",
     "the full-warp tail of reduceNeighbored3 raises efficiency",
     full_warp_tail_raises_efficiency, "-h-h-",
     "reduceNeighbored3, a reconstruction, has more active lanes per memory request than reduceNeighbored2"},
    {"K80 profiles: reductions",
     "a warp executes more instructions in reduceNeighbored3 than in reduceNeighbored2",
     is_tested_elsewhere, "-----",
     "not decided (tests `sim.unit.instruction_counts`). For reduceNeighbored2 and "
     "reduceNeighbored3, the textbook prints 366.81 and 545.75 instructions per warp. The tests count 105.28 "
     "and 60.16, and with `-G` 209.88 and 107.97. reduceNeighbored3 is a reconstruction, and probably not the "
     "author's kernel: its transactions are those of the text, its instructions are not"},
    {"book: matrix sums",
     "the innermost dimension of a block decides how fast a matrix sum is",
     is_tested_elsewhere, "-----",
     "holds for its transactions (test `sim.unit.counters`): sumMat in blocks of 16 x 32 loads twice as many "
     "lines as in blocks of 32 x 16. `ci/bench` measures the times of sumMatrixOnGPU2D"},
    {"book: unrolling",
     "unrolling is faster because of fewer branches and more independent loads",
     is_tested_elsewhere, "-----",
     "holds for nvcc 13.0 (test `sim.unit.code`)"},
    {"book: unrolling",
     "a template parameter removes the branches that test the block's size",
     is_tested_elsewhere, "-----",
     "at blocks of 1024 threads it does not (tests `sim.unit.instruction_counts`). reduceCompleteUnroll and "
     "reduceCompleteUnrollWarps8 execute 448 branches each, and 704 each with `-G`. reduceCompleteUnroll "
     "executes 77.66 instructions per warp, reduceCompleteUnrollWarps8 85.66. The code of each smaller "
     "instance has one branch less (test `sim.unit.code`)"},
    {"book, exercise 6",
     "a reduction of ints and a reduction of floats have the same input and output",
     is_tested_elsewhere, "-----",
     "holds (test `sim.unit.counters`): both make the same memory requests"},
};
/* clang-format on */

const size_t counted_sentence_count = sizeof counted_sentences / sizeof *counted_sentences;
