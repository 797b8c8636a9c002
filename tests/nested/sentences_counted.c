/* SPDX-License-Identifier: MIT
 *
 * What is counted: transactions, lanes, residents; and what only the host's side of a GPU shows.
 */
#include "sentences.h"

#include "input_values.h"
#include "residency.h"

#include <math.h>

#ifdef SIMTCHECK_ON_GPU
#include "kernel.h"

#include <cuda_runtime_api.h>
#endif

static bool can_count(const struct place *place, char evidence[EVIDENCE])
{
    snprintf(evidence, EVIDENCE, "counters are of lockstep warps");
    return place->on_host && place->model == MODEL_LOCKSTEP;
}

/* One block of 1024 threads. */
static struct engine_counters counted(const struct place *place, const char *id)
{
    static struct engine_counters counters;
    const struct asked asked = {.id = id,
                                .form = FORM_PRINTED,
                                .shape = {{1024, 1, 1}, {1024, 1}, 0, 0},
                                .counters = &counters};

    assert_int_equal(run_catalogue(place, &asked).fault.kind, FAULT_NONE);
    return counters;
}

static double lanes_a_request(const struct engine_counters *counters)
{
    const struct access_counters *access = counters->all.access;

    return (double)(access[0].lanes + access[1].lanes) /
           (double)(access[0].requests + access[1].requests);
}

/* The two trees touch the same lines and sectors; what differs is how many lanes and warps. */
static enum verdict load_pattern_divides_them(const struct place *place, char evidence[EVIDENCE])
{
    struct engine_counters neighbored, less;

    if (!can_count(place, evidence))
        return UNTRIED;
    neighbored = counted(place, "reduceNeighbored1");
    less = counted(place, "reduceNeighbored2");
    snprintf(evidence, EVIDENCE, "%llu and %llu lines, %llu and %llu sectors, %.1f and %.1f lanes",
             (unsigned long long)neighbored.all.access[0].lines,
             (unsigned long long)less.all.access[0].lines,
             (unsigned long long)neighbored.all.access[0].sectors,
             (unsigned long long)less.all.access[0].sectors, lanes_a_request(&neighbored),
             lanes_a_request(&less));
    return holds_if(neighbored.all.access[0].lines != less.all.access[0].lines ||
                    neighbored.all.access[0].sectors != less.all.access[0].sectors ||
                    lanes_a_request(&neighbored) >= lanes_a_request(&less));
}

/* In reduceInterleaved1's last step one lane adds, and asks for one sector a request. */
static enum verdict disabled_lanes_ask_for_nothing(const struct place *place,
                                                   char evidence[EVIDENCE])
{
    struct engine_counters counters;
    const struct access_counters *last;

    if (!can_count(place, evidence))
        return UNTRIED;
    counters = counted(place, "reduceInterleaved1");
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
    packed = counted(place, "reduceNeighbored2");
    full = counted(place, "reduceNeighbored3");
    snprintf(evidence, EVIDENCE, "%.1f and %.1f lanes a request", lanes_a_request(&packed),
             lanes_a_request(&full));
    return holds_if(lanes_a_request(&full) > lanes_a_request(&packed));
}

/* Of whole numbers, whose sum is far beyond 2^24: a float no longer holds it. */
static enum verdict float_sums_are_whole(const struct place *place, char evidence[EVIDENCE])
{
    enum { N = 1 << 22 };
    const struct values whole = {VALUES_WHOLE, 1};
    float sum;
    const struct asked asked = {.id = "recursiveReduce",
                                .form = FORM_PRINTED,
                                .shape = {{1, 1, 1}, {N, 1}, 0, 0},
                                .values = whole,
                                .words = (uint32_t *)(void *)&sum};
    int32_t exact = 0;

    if (!place->on_host) {
        snprintf(evidence, EVIDENCE, "one thread of a GPU takes seconds for it");
        return UNTRIED;
    }
    for (uint64_t i = 0; i < N; i++)
        exact += (int32_t)values_f32(whole, i);
    assert_int_equal(run_catalogue(place, &asked).fault.kind, FAULT_NONE);
    snprintf(evidence, EVIDENCE, "%d, exactly %d", (int32_t)sum, exact);
    assert_true(fabs((double)sum - exact) < 1e-6 * exact);
    return holds_if((int32_t)sum == exact);
}

/* Warps of eight blocks of mathKernel2 that took both branches, by what they wrote. */
static uint32_t split_warps(const struct place *place, uint32_t block)
{
    enum { BLOCKS = 8, WARP = 32 };
    static uint32_t words[OUT_ELEMENTS];
    const struct asked asked = {.id = "mathKernel2",
                                .form = FORM_PRINTED,
                                .shape = {{block, 1, 1}, {BLOCKS * (uint64_t)block, 1}, 0, 0},
                                .words = words};
    uint32_t split = 0;

    assert_int_equal(run_catalogue(place, &asked).fault.kind, FAULT_NONE);
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

/* Blocks of so many threads that reside on an SM, of a kernel that uses few registers; most warps
 * of an SM. */
static uint32_t resident(const struct place *place, uint32_t threads, uint32_t *most_warps)
{
#ifdef SIMTCHECK_ON_GPU
    int blocks = 0, most = 0;
    (void)place;
    assert_int_equal(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
                     cudaSuccess);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, simt_kernel_find("signBlocks")->function, (int)threads, 0),
                     cudaSuccess);
    *most_warps = (uint32_t)most / 32;
    return (uint32_t)blocks;
#else
    const struct sm_limits *limits = sm_limits_of(3, 5);
    (void)place;
    *most_warps = limits->warps;
    return oracle_residency(limits, threads, 8, 0).blocks;
#endif
}

static enum verdict idle_lanes_cost(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most, ragged = resident(place, 80, &most), whole = resident(place, 96, &most);

    snprintf(evidence, EVIDENCE, "%u blocks of 80 threads, %u of 96", ragged, whole);
    return holds_if(ragged == whole && ragged * 80 < whole * 96);
}

static enum verdict small_blocks_meet_a_limit(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most, blocks = resident(place, 32, &most);

    snprintf(evidence, EVIDENCE, "%u of %u warps by blocks of 32", blocks, most);
    return holds_if(blocks < most);
}

/* One more warp a block, and a whole block less. */
static enum verdict residency_goes_by_blocks(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most, four = resident(place, 512, &most), less = resident(place, 513, &most);

    snprintf(evidence, EVIDENCE, "%u blocks of 512, %u of 513", four, less);
    return holds_if(four == most / 16 && less == most / 17 && less < four);
}

static enum verdict warps_are_threads_by_32(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most, blocks = resident(place, 80, &most);

    snprintf(evidence, EVIDENCE, "%u blocks of 80 threads are %u warps, not %u", blocks, 3 * blocks,
             blocks * 80 / 32);
    return holds_if(blocks * 80 / 32 == 3 * blocks);
}

/* The host goes on while a kernel is at work, and its wait waits for all. */
static enum verdict launches_are_asynchronous(const struct place *place, char evidence[EVIDENCE])
{
#ifdef SIMTCHECK_ON_GPU
    unsigned int *words = NULL, signed_up[3] = {0}, zero = 0;
    void *arguments[] = {&words, &words, &zero, &zero};
    enum verdict verdict;

    (void)place;
    assert_int_equal(cudaMalloc((void **)&words, sizeof signed_up), cudaSuccess);
    assert_int_equal(cudaMemset(words, 0, sizeof signed_up), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(simt_kernel_find("signBlocks")->function, (dim3){2, 1, 1},
                                      (dim3){1, 1, 1}, arguments, 0, NULL),
                     cudaSuccess);
    verdict = holds_if(
        cudaStreamQuery(NULL) == cudaErrorNotReady && cudaDeviceSynchronize() == cudaSuccess &&
        cudaStreamQuery(NULL) == cudaSuccess &&
        cudaMemcpy(signed_up, words, sizeof signed_up, cudaMemcpyDeviceToHost) == cudaSuccess &&
        signed_up[0] == 2);
    cudaFree(words);
    snprintf(evidence, EVIDENCE, "the stream is busy after the launch, and idle after the wait");
    return verdict;
#else
    (void)place;
    snprintf(evidence, EVIDENCE, "the host engine runs a launch at once");
    return UNTRIED;
#endif
}

/* clang-format off */
const struct sentence counted_sentences[] = {
    {"000", "launches are asynchronous, and the host's wait waits for all",
     launches_are_asynchronous, "----h", "a stream's query before and after the wait. The host "
     "engine runs a launch at once"},
    {"000, exercise 5", "recursiveReduce's float sum of so many whole numbers may be kept in an int",
     float_sums_are_whole, "ffff-", "of 2^22 numbers up to 256, beyond 2^24: it is not the exact sum"},
    {"000", "in mathKernel2 whole warps branch together: where B is a multiple of 32",
     whole_warps_branch, "hhhhh", "blocks of 32, 64 and 96: no warp has written both values"},
    {"000", "likewise, in any block",
     whole_warps_branch_in_any_block, "fffff", "the split goes by the global index: of 8 blocks of 48 threads 4 of 16 "
     "warps are split, of 33 7 of 16, of 100 21 of 32"},
    {"000, 003", "what divides Neighbored and Less is the load pattern",
     load_pattern_divides_them, "-f-f-", "the same lines and sectors, 383 and 1023 of a block; more "
     "lanes a request"},
    {"003", "disabled lanes make no transactions",
     disabled_lanes_ask_for_nothing, "-h-h-", "one lane's loads touch one sector each"},
    {"003", "the full-warp tail raises efficiency",
     full_warp_tail_raises_efficiency, "-h-h-", "reduceNeighbored3 against reduceNeighbored2: lanes a request"},
    {"000", "idle lanes of the last warp cost resources",
     idle_lanes_cost, "hhhhh", "as many blocks of 80 threads reside as of 96"},
    {"000, 001", "small blocks meet a limit early",
     small_blocks_meet_a_limit, "hhhhh", "blocks of 32: 16 of 64 warps on compute capability 3.5, "
     "for 16 blocks reside"},
    {"001", "residency shrinks by whole blocks",
     residency_goes_by_blocks, "hhhhh", "4 blocks of 512 threads, 3 of 513"},
    {"001", "warps resident are threads by 32",
     warps_are_threads_by_32, "fffff", "only of whole warps: 80 threads are 3"},
};
/* clang-format on */

const size_t counted_sentence_count = sizeof counted_sentences / sizeof *counted_sentences;
