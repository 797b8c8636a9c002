/* SPDX-License-Identifier: MIT
 *
 * Streaming multiprocessors (SMs): what resides on them, and what a block may use. A GPU answers
 * through its runtime. At the simulator's places the oracle calculates the answer.
 */
#include "sentences.h"

#include "residency.h"

#ifdef SIMTCHECK_ON_GPU
#include "kernel.h"

#include <cuda_runtime_api.h>
#endif

enum { WARP = 32 };

/* Returns how many blocks of `threads` threads reside on an SM, for a kernel that uses few
 * registers. `max_warps` receives the SM's limit of warps. The simulator's places use compute
 * capability 3.5. */
static uint32_t resident(const struct place *place, uint32_t threads, uint32_t *max_warps)
{
#ifdef SIMTCHECK_ON_GPU
    int blocks = 0, most = 0;
    (void)place;
    assert_int_equal(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
                     cudaSuccess);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, simt_kernel_find("signBlocks")->function, (int)threads, 0),
                     cudaSuccess);
    *max_warps = (uint32_t)most / 32;
    return (uint32_t)blocks;
#else
    const struct sm_limits *limits = sm_limits_of(3, 5);
    (void)place;
    *max_warps = limits->warps;
    return oracle_residency(limits, threads, 8, 0).blocks;
#endif
}

static enum verdict idle_lanes_use_resources(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most, ragged = resident(place, 80, &most), whole = resident(place, 96, &most);

    snprintf(evidence, EVIDENCE, "%u blocks of 80 threads, %u of 96", ragged, whole);
    return holds_if(ragged == whole && ragged * 80 < whole * 96);
}

/* One more warp per block costs a whole block. */
static enum verdict residency_counts_whole_blocks(const struct place *place,
                                                  char evidence[EVIDENCE])
{
    uint32_t most, four = resident(place, 512, &most), less = resident(place, 513, &most);

    snprintf(evidence, EVIDENCE, "%u blocks of 512, %u of 513", four, less);
    return holds_if(four == most / 16 && less == most / 17 && less < four);
}

/* Checks which limit blocks of 32 threads reach first. */
static enum verdict small_blocks_meet_the_limit_of_warps(const struct place *place,
                                                         char evidence[EVIDENCE])
{
    uint32_t most, blocks = resident(place, WARP, &most);

    snprintf(evidence, EVIDENCE, "%u of %u warps by blocks of 32", blocks, most);
    return holds_if(blocks == most);
}

/* Checks the sentence on the GPU, or in every column of the table. The GPU's maximum of resident
 * warps is taken over all block sizes. */
static enum verdict warps_are_threads_divided_by_32(const struct place *place,
                                                    char evidence[EVIDENCE])
{
    uint32_t most = 0;

    if (!place->on_host) {
        uint32_t reached = 0;
        for (uint32_t threads = WARP; threads <= 1024; threads += WARP) {
            uint32_t warps = resident(place, threads, &most) * (threads / WARP);
            reached = warps > reached ? warps : reached;
        }
        snprintf(evidence, EVIDENCE, "%u warps reside, %u threads by 32", reached, most);
        return holds_if(reached == most);
    }
    for (size_t k = 0; k < sm_limits_count; k++)
        most += sm_limits_table[k].warps * WARP == sm_limits_table[k].threads;
    snprintf(evidence, EVIDENCE, "in %u of %zu columns", most, sm_limits_count);
    return holds_if(most == sm_limits_count);
}

static enum verdict warps_exceed_processors(const struct place *place, char evidence[EVIDENCE])
{
    bool as_claimed = true;

    if (!place->on_host) {
        snprintf(evidence, EVIDENCE, "the runtime does not say how many processors an SM has");
        return UNTRIED;
    }
    for (size_t k = 0; k < sm_limits_count; k++) {
        const struct sm_limits *limits = &sm_limits_table[k];
        bool is_early = limits->major == 1 || (limits->major == 2 && limits->minor == 0);
        as_claimed &= (limits->warps > limits->processors) == is_early;
        snprintf(evidence, EVIDENCE, "in %d.%d: %u warps", limits->major, limits->minor,
                 limits->warps);
    }
    return holds_if(as_claimed);
}

/* The warp notes' example is compute capability 1.2, which no available GPU has. */
static enum verdict not_on_a_gpu(char evidence[EVIDENCE])
{
    snprintf(evidence, EVIDENCE, "no GPU of compute capability 1.2");
    return UNTRIED;
}

static enum verdict twelve_blocks_cover_1024(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t sizes = 0;

    if (!place->on_host)
        return not_on_a_gpu(evidence);
    for (uint32_t threads = 1; threads <= 1024; threads++)
        sizes += 12 * threads == 1024;
    snprintf(evidence, EVIDENCE, "%u sizes of blocks; 8 x 8 threads need %d blocks", sizes,
             1024 / (8 * 8));
    return holds_if(sizes > 0 || 1024 / (8 * 8) == 12);
}

static enum verdict four_processors_run_2048(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t blocks = 2048 / (8 * 8), fit;

    if (!place->on_host)
        return not_on_a_gpu(evidence);
    fit = oracle_residency(sm_limits_of(1, 2), 8 * 8, 0, 0).blocks;
    snprintf(evidence, EVIDENCE, "%u blocks, of which %u reside on an SM", blocks, fit);
    return holds_if((blocks + fit - 1) / fit == 4);
}

static enum verdict concurrency_is_latency_by_throughput(const struct place *place,
                                                         char evidence[EVIDENCE])
{
    double operations = oracle_concurrency(20, 32);

    if (!place->on_host) {
        snprintf(evidence, EVIDENCE, "a calculation; ci/bench measures the latencies");
        return UNTRIED;
    }
    snprintf(evidence, EVIDENCE, "%.0f operations in flight", operations);
    return holds_if(operations == 640);
}

/* Returns true if a block of `threads` threads with `shared_bytes` bytes of shared memory starts.
 * Its kernel keeps 128 values live. */
static bool starts(const struct place *place, uint32_t threads, size_t shared_bytes,
                   uint32_t *registers)
{
#ifdef SIMTCHECK_ON_GPU
    struct cudaFuncAttributes attributes;
    unsigned int *words = NULL;
    int error;

    (void)place;
    assert_int_equal(cudaFuncGetAttributes(&attributes, simt_kernel_find("keepMany")->function),
                     cudaSuccess);
    *registers = (uint32_t)attributes.numRegs;
    assert_int_equal(cudaMalloc((void **)&words, 128 * sizeof *words), cudaSuccess);
    error = launch_on_gpu("keepMany", 1, threads, shared_bytes, words);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    cudaGetLastError(); /* clears the error of a launch that did not start */
    cudaFree(words);
    return error == cudaSuccess;
#else
    (void)place;
    *registers = 136; /* the 128 values plus addresses, in steps of 8 */
    return oracle_residency(sm_limits_of(3, 5), threads, *registers, (uint32_t)shared_bytes)
               .blocks > 0;
#endif
}

static enum verdict oversized_blocks_do_not_start(const struct place *place,
                                                  char evidence[EVIDENCE])
{
    uint32_t registers;
    bool modest = starts(place, WARP, 0, &registers), wide = starts(place, 1024, 0, &registers),
         shared = starts(place, WARP, 1 << 20, &registers);

    snprintf(evidence, EVIDENCE, "%u registers a thread: 32 threads %d, 1024 %d, with 1 MiB %d",
             registers, modest, wide, shared);
    return holds_if(modest && !wide && !shared);
}

/* An SM has 64 registers per thread for 1024 threads, and four times as many for 256. */
static enum verdict large_blocks_leave_few_registers(const struct place *place,
                                                     char evidence[EVIDENCE])
{
    uint32_t registers;
    bool large = starts(place, 1024, 0, &registers), small = starts(place, 256, 0, &registers);

    snprintf(evidence, EVIDENCE, "%u registers a thread: 1024 threads %d, 256 %d", registers, large,
             small);
    return holds_if(registers > 64 && !large && small);
}

static enum verdict medium_blocks_fill_an_sm(const struct place *place, char evidence[EVIDENCE])
{
    uint32_t most = 0, least = UINT32_MAX;

    for (uint32_t threads = 128; threads <= 256; threads += WARP) {
        uint32_t warps = resident(place, threads, &most) * (threads / WARP);
        least = warps < least ? warps : least;
    }
    snprintf(evidence, EVIDENCE, "at least %u of %u warps", least, most);
    return holds_if(10 * least >= 9 * most);
}

#ifdef SIMTCHECK_ON_GPU
enum { SLEEPERS = 1024 };

static bool all_blocks_stayed(void)
{
    for (uint32_t b = 0; b < SLEEPERS; b++)
        if (nested_out[3 * b] != nested_out[3 * b + 1])
            return false;
    return true;
}

static bool some_blocks_shared_an_sm(void)
{
    for (uint32_t b = 0; b < SLEEPERS; b++)
        if (nested_out[3 * b + 2] > 1)
            return true;
    return false;
}
#endif

static enum verdict blocks_stay(const struct place *place, char evidence[EVIDENCE])
{
#ifdef SIMTCHECK_ON_GPU
    const struct nested_call call = {
        .kernel = "stayOnProcessor", .blocks = SLEEPERS, .threads = WARP};

    return holds_if(always(place, call, all_blocks_stayed, evidence));
#else
    return is_tested_elsewhere(place, evidence);
#endif
}

static enum verdict blocks_share_an_sm(const struct place *place, char evidence[EVIDENCE])
{
#ifdef SIMTCHECK_ON_GPU
    const struct nested_call call = {
        .kernel = "stayOnProcessor", .blocks = SLEEPERS, .threads = WARP};

    return holds_if(always(place, call, some_blocks_shared_an_sm, evidence));
#else
    return is_tested_elsewhere(place, evidence);
#endif
}

/* clang-format off */
const struct sentence processor_sentences[] = {
    {"book, mapping notes: resources of an SM",
     "a block stays on its SM until it ends",
     blocks_stay, "----h",
     "each of 1024 blocks reads the same `%smid` at its start and after a sleep"},
    {"book, mapping notes: resources of an SM",
     "an SM holds several blocks at once",
     blocks_share_an_sm, "----h",
     "each block counts the blocks on its SM while it sleeps"},
    {"book: warps",
     "idle lanes of the last warp cost resources",
     idle_lanes_use_resources, "hhhhh",
     "an SM holds as many blocks of 80 threads as blocks of 96 threads"},
    {"book, mapping notes: resources of an SM",
     "small blocks reach an SM's limit of warps",
     small_blocks_meet_the_limit_of_warps, "fffff",
     "small blocks reach the limit of blocks first. On compute capability 3.5, an SM holds 16 blocks of 32 "
     "threads, which are 16 of 64 warps"},
    {"book, mapping notes: resources of an SM",
     "large blocks leave few registers for each thread",
     large_blocks_leave_few_registers, "hhhhh",
     "a block of 1024 threads leaves 64 registers for each thread. A kernel that needs more than 128 starts "
     "with 256 threads, but not with 1024"},
    {"book, mapping notes: resources of an SM",
     "a kernel does not start if a block needs more registers or shared memory than an SM has",
     oversized_blocks_do_not_start, "hhhhh",
     "a launch with more than 128 registers for each of 1024 threads does not start, nor does one with 1 MiB "
     "of shared memory. On a GPU the launch returns an error"},
    {"book: guidelines",
     "a block should have at least 128 or 256 threads",
     medium_blocks_fill_an_sm, "hhhhh",
     "blocks of 128 to 256 threads, in steps of 32, fill at least 9 of 10 warps of an SM. The test does not "
     "cover compute capability 2.0, where blocks of 128 fill 32 of 48 warps. `ci/bench` measures the times"},
    {"warp notes: resident blocks",
     "the number of resident threads shrinks by whole blocks",
     residency_counts_whole_blocks, "hhhhh",
     "an SM holds 4 blocks of 512 threads, but only 3 blocks of 513 threads"},
    {"warp notes: resident warps",
     "the maximum number of resident warps is the maximum number of resident threads divided by 32",
     warps_are_threads_divided_by_32, "hhhhh",
     "this is true in every column of the table of compute capabilities. It is not true of a given block: 80 "
     "threads are 3 warps"},
    {"warp notes: resident warps",
     "more warps reside on an SM than the SM has processors, for compute capability 1.x and 2.0",
     warps_exceed_processors, "hhhh-",
     "this is true in these columns of the table of compute capabilities. In the later ones it is not: 48 "
     "warps for 48 processors in 2.1, and 64 warps for 192 or 128"},
    {"warp notes: resident blocks",
     "12 blocks hold all 1024 threads",
     twelve_blocks_cover_1024, "ffff-",
     "no block size makes 12 blocks hold 1024 threads. With 8 x 8 threads per block, 1024 threads need 16 "
     "blocks, and 32 such blocks hold 2048"},
    {"warp notes: resident blocks",
     "2048 threads in blocks of 8 x 8 need 4 SMs of compute capability 1.2",
     four_processors_run_2048, "hhhh-",
     "the threads form 32 blocks, and each SM holds 8 of them"},
    {"mapping notes: latency",
     "Little's law: the number of operations in flight must be latency times throughput",
     concurrency_is_latency_by_throughput, "hhhh-",
     "20 cycles times 32 operations per cycle are 640 operations. The test `sim.unit.residency` asserts all "
     "figures"},
};
/* clang-format on */

const size_t processor_sentence_count = sizeof processor_sentences / sizeof *processor_sentences;
