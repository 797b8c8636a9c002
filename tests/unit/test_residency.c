/* SPDX-License-Identifier: MIT
 *
 * Residency on an SM: the table, worked examples, and a second calculation. That one allocates
 * warps, registers and shared memory block by block. Where the CUDA Toolkit is installed, its own
 * occupancy calculator is compared, too.
 */
#include "check.h"

#include "figures.h"
#include "residency.h"

#include <math.h>

#ifdef SIMTCHECK_CUDA_OCCUPANCY
#include <stddef.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#endif

TEST(sm_limits_table_is_consistent)
{
    assert_int_equal(sm_limits_count, 13);
    for (size_t i = 0; i < sm_limits_count; i++) {
        const struct sm_limits *limits = &sm_limits_table[i];
        assert_ptr_equal(sm_limits_of(limits->major, limits->minor), limits);
        assert_int_equal(limits->threads, 32 * limits->warps);
        assert_true(limits->block_registers <= limits->registers);
        assert_true(limits->block_shared <= limits->shared);
        if (i > 0) /* in order; a newer one has at least as much of everything */
            assert_true(limits->warps >= limits[-1].warps && limits->blocks >= limits[-1].blocks);
    }
    assert_null(sm_limits_of(4, 0));
}

struct example {
    int major, minor;
    uint32_t block, registers, shared;
    uint32_t blocks, warps, threads;
};

static const struct example examples[] = {
    {1, 0, 256, 10, 0, 3, 24, 768},      /* 3 * 256 * 10 = 7680 registers fit */
    {1, 0, 256, 11, 0, 2, 16, 512},      /* one register more costs a third of the threads */
    {1, 3, 512, 0, 0, 2, 32, 1024},      /* threads */
    {1, 3, 1024, 0, 0, 0, 0, 0},         /* more than a block's maximum */
    {2, 0, 32, 0, 0, 8, 8, 256},         /* blocks */
    {2, 0, 192, 0, 0, 8, 48, 1536},      /* the smallest block that fills the SM */
    {2, 0, 512, 0, 0, 3, 48, 1536},      /* warps */
    {2, 0, 1024, 0, 0, 1, 32, 1024},     /* a third stays empty */
    {3, 5, 128, 0, 0, 16, 64, 2048},     /* blocks and warps at once */
    {3, 5, 64, 0, 0, 16, 32, 1024},      /* blocks */
    {3, 5, 256, 33, 0, 6, 48, 1536},     /* 40 registers per thread are allocated */
    {3, 5, 256, 32, 16384, 3, 24, 768},  /* shared memory: 48 KiB */
    {3, 7, 256, 32, 16384, 7, 56, 1792}, /* 112 KiB */
    {5, 2, 64, 0, 0, 32, 64, 2048},      /* with 32 blocks, 64 threads each suffice */
    {5, 2, 80, 0, 0, 21, 63, 1680},      /* 3 warps per block, the third with 16 idle lanes */
    {5, 3, 1024, 64, 0, 0, 0, 0},        /* a block can use only half of the registers */
    {5, 0, 1024, 64, 0, 1, 32, 1024},
    {5, 0, 32, 0, 49153, 0, 0, 0}, /* more shared memory than a block's maximum */
};

/* The published limits of an SM, from compute capability 1.0 to 5.3. The warp notes print two
 * tables of them, with three rows of 9 columns and three of 10. Each of their values is one of
 * these. */
TEST(every_published_column_is_reproduced)
{
    static const struct {
        int major, minor;
        uint32_t processors, blocks, warps, threads, block_threads;
    } published[] = {
        {1, 0, 8, 8, 24, 768, 512},      {1, 1, 8, 8, 24, 768, 512},
        {1, 2, 8, 8, 32, 1024, 512},     {1, 3, 8, 8, 32, 1024, 512},
        {2, 0, 32, 8, 48, 1536, 1024},   {2, 1, 48, 8, 48, 1536, 1024},
        {3, 0, 192, 16, 64, 2048, 1024}, {3, 2, 192, 16, 64, 2048, 1024},
        {3, 5, 192, 16, 64, 2048, 1024}, {3, 7, 192, 16, 64, 2048, 1024},
        {5, 0, 128, 32, 64, 2048, 1024}, {5, 2, 128, 32, 64, 2048, 1024},
        {5, 3, 128, 32, 64, 2048, 1024},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct sm_limits *limits = sm_limits_of(published[i].major, published[i].minor);
        assert_int_equal(limits->processors, published[i].processors);
        assert_int_equal(limits->blocks, published[i].blocks);
        assert_int_equal(limits->warps, published[i].warps);
        assert_int_equal(limits->threads, published[i].threads);
        assert_int_equal(limits->block_threads, published[i].block_threads);
        assert_true(limits->threads > limits->processors);
    }
    figures_asserted("warp notes", "tables: limits by compute capability", 3 * 9 + 3 * 10);
    figures_asserted("book", "architecture: cores of an SM of Fermi, and of Kepler", 2);
}

/* Returns the SMs that `threads` threads need at once in blocks of that size, or 0 if such a block
 * does not run. */
static uint32_t processors_for(const struct sm_limits *limits, uint32_t threads, uint32_t block)
{
    uint32_t resident = oracle_residency(limits, block, 0, 0).blocks;
    uint32_t blocks = threads / block;

    return resident == 0 ? 0 : (blocks + resident - 1) / resident;
}

/* The warp notes' worked examples, on compute capability 1.2. */
TEST(resident_threads_are_whole_blocks)
{
    static const struct {
        uint32_t threads, block, resident, processors;
        size_t published; /* figures printed of the last two; at 64, of the 512 threads, too */
    } cases[] = {
        {1024, 512, 2, 1, 1},     {1024, 256, 4, 1, 1},   {1024, 128, 8, 1, 1},
        {1024, 1024, 0, 0, 1},    {1024, 64, 8, 2, 2}, /* 16 blocks, half of which reside */
        {2048, 16 * 16, 4, 2, 2}, {2048, 8 * 8, 8, 4, 1},
    };
    const struct sm_limits *limits = sm_limits_of(1, 2);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_int_equal(oracle_residency(limits, cases[c].block, 0, 0).blocks, cases[c].resident);
        assert_int_equal(processors_for(limits, cases[c].threads, cases[c].block),
                         cases[c].processors);
        figures_asserted("warp notes", "resident blocks: 1024 and 2048 threads on 1.2",
                         cases[c].published);
    }
    assert_int_equal(oracle_residency(limits, 64, 0, 0).threads, 512);
}

/* The mapping notes, for a Fermi GPU. Memory: 144 GB/s at a memory clock of 1.566 GHz, 800 cycles
 * of latency, and 4 bytes per thread. Arithmetic: 20 cycles per instruction, of which an SM
 * completes 32 per cycle. A KB is 1000 bytes there. The textbook rounds at each step, and so does
 * this test. */
TEST(littles_law_gives_the_required_parallelism)
{
    double bytes_a_cycle = 144 / 1.566, kilobytes = oracle_concurrency(800, bytes_a_cycle) / 1000;
    double threads = round(kilobytes) * 1000 / 4;
    assert_int_equal(lround(bytes_a_cycle), 92);
    assert_int_equal(lround(kilobytes), 74);
    assert_int_equal(lround(threads), 18500);
    assert_int_equal(lround(ceil(threads / 32)), 579);
    assert_int_equal(lround(oracle_concurrency(20, 32)), 640);
    figures_asserted("mapping notes", "latency: Little's law", 5);
}

/* Occupancy is resident warps divided by the maximum. sumMat's four shapes fill an SM of the K80,
 * with compute capability 3.7. 80 threads cost as much as 96. A block that fits no SM does not
 * launch. */
TEST(occupancy_counts_whole_warps)
{
    static const uint32_t shapes[] = {32 * 32, 32 * 16, 16 * 32, 16 * 16};
    const struct sm_limits *k80 = sm_limits_of(3, 7), *kepler = sm_limits_of(3, 5);
    struct residency ragged = oracle_residency(kepler, 80, 0, 0),
                     whole = oracle_residency(kepler, 96, 0, 0),
                     small = oracle_residency(kepler, 32, 0, 0),
                     greedy = oracle_residency(kepler, 1024, 65, 0),
                     large = oracle_residency(kepler, 32, 0, 48 * 1024 + 1);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct residency full = oracle_residency(k80, shapes[k], 0, 0);
        assert_int_equal(full.warps, 64);
        assert_true(oracle_occupancy(k80, &full) == 1);
        figures_asserted("worked out: K80 profiles", "resident warps of sumMat's four blocks", 1);
    }
    assert_int_equal(ragged.blocks, whole.blocks);
    assert_int_equal(ragged.warps, whole.warps);
    assert_true(oracle_occupancy(kepler, &ragged) == oracle_occupancy(kepler, &whole));
    assert_int_equal(small.warps, 16); /* of 64; the number of blocks is the limit */
    figures_asserted("worked out: book", "resident warps of blocks of 32 threads", 1);
    assert_true(oracle_occupancy(kepler, &small) == 0.25);
    /* The book: at least 128 or 256 threads. On Fermi 128 fill 32 of 48 warps. */
    assert_int_equal(oracle_residency(sm_limits_of(2, 0), 128, 0, 0).warps, 32);
    assert_int_equal(greedy.blocks, 0); /* 72 registers for each of 1024 threads */
    assert_int_equal(large.blocks, 0);
    assert_true(oracle_occupancy(kepler, &large) == 0);
}

TEST(worked_examples_are_reproduced)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        struct residency got =
            oracle_residency(sm_limits_of(example->major, example->minor), example->block,
                             example->registers, example->shared);
        if (got.blocks != example->blocks)
            print_error("example %zu: %u blocks\n", i, got.blocks);
        assert_int_equal(got.blocks, example->blocks);
        assert_int_equal(got.warps, example->warps);
        assert_int_equal(got.threads, example->threads);
    }
}

/* Allocates warps on the emptiest partition, registers and shared memory until one is used up.
 * Returns the number of blocks. */
static uint32_t blocks_one_by_one(const struct sm_limits *limits, uint32_t block,
                                  uint32_t registers, uint32_t shared)
{
    uint32_t warps = 0, left[8], shared_left = limits->shared, blocks = 0;
    uint32_t of_warp = registers * 32, of_block = shared + limits->shared_reserved;

    while (32 * warps < block)
        warps++;
    while (of_warp % limits->register_unit != 0)
        of_warp++;
    while (of_block % limits->shared_unit != 0)
        of_block++;
    for (uint32_t p = 0; p < limits->partitions; p++)
        left[p] = limits->registers / limits->partitions;
    while (blocks < limits->blocks && (blocks + 1) * warps <= limits->warps &&
           of_block <= shared_left) {
        for (uint32_t w = 0; w < warps; w++) {
            uint32_t emptiest = 0;
            for (uint32_t p = 1; p < limits->partitions; p++)
                if (left[p] > left[emptiest])
                    emptiest = p;
            if (left[emptiest] < of_warp)
                return blocks;
            left[emptiest] -= of_warp;
        }
        shared_left -= of_block;
        blocks++;
    }
    return blocks;
}

TEST(residency_matches_block_by_block_allocation)
{
    static const uint32_t registers[] = {0, 8, 16, 20, 31, 32, 33, 40, 63};
    static const uint32_t shared[] = {0, 1, 1000, 4096, 16384, 16385, 49152};
    for (size_t i = 0; i < sm_limits_count; i++) {
        const struct sm_limits *limits = &sm_limits_table[i];
        for (uint32_t block = 1; block <= limits->block_threads && !limits->registers_by_block;
             block++)
            for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
                for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
                    uint32_t got = oracle_residency(limits, block, registers[r], shared[s]).blocks;
                    /* Zero may also mean that one block exceeds a block's maximum. */
                    if (got != 0)
                        assert_int_equal(got,
                                         blocks_one_by_one(limits, block, registers[r], shared[s]));
                }
    }
}

/* Counting only threads gives too many, because an SM allocates whole warps. */
TEST(dividing_thread_counts_overestimates_residency)
{
    for (size_t i = 0; i < sm_limits_count; i++) {
        const struct sm_limits *limits = &sm_limits_table[i];
        uint32_t wrong = 0;
        for (uint32_t block = 1; block <= limits->block_threads; block++) {
            uint32_t by_threads = limits->threads / block;
            uint32_t blocks = oracle_residency(limits, block, 0, 0).blocks;
            if (by_threads > limits->blocks)
                by_threads = limits->blocks;
            assert_true(blocks <= by_threads);
            if (block % 32 == 0)
                assert_int_equal(blocks, by_threads);
            wrong += blocks < by_threads;
        }
        print_message("compute capability %d.%d: threads divided by threads is wrong at %u of %u "
                      "block sizes\n",
                      limits->major, limits->minor, wrong, limits->block_threads);
        assert_true(wrong > 0);
    }
}

#ifdef SIMTCHECK_CUDA_OCCUPANCY
/* NVIDIA's own calculator supports compute capability 3.0 and later. */
TEST(residency_matches_the_cuda_occupancy_calculator)
{
    uint64_t compared = 0;
    for (size_t i = 0; i < sm_limits_count; i++) {
        const struct sm_limits *limits = &sm_limits_table[i];
        if (limits->major < 3)
            continue;
        struct cudaOccDeviceProp device = {
            .computeMajor = limits->major,
            .computeMinor = limits->minor,
            .maxThreadsPerBlock = (int)limits->block_threads,
            .maxThreadsPerMultiprocessor = (int)limits->threads,
            .regsPerBlock = (int)limits->block_registers,
            .regsPerMultiprocessor = (int)limits->registers,
            .warpSize = 32,
            .sharedMemPerBlock = limits->block_shared,
            .sharedMemPerMultiprocessor = limits->shared,
            .numSms = 1,
            .sharedMemPerBlockOptin = limits->block_shared,
        };
        for (int registers = 0; registers < 256; registers += 17)
            for (uint32_t shared = 0; shared <= 49152; shared += 6144 + 13)
                for (uint32_t block = 1; block <= limits->block_threads; block++, compared++) {
                    struct cudaOccFuncAttributes function = {
                        .maxThreadsPerBlock = 1024,
                        .numRegs = registers,
                        .sharedSizeBytes = shared,
                        .partitionedGCConfig = PARTITIONED_GC_OFF,
                    };
                    struct cudaOccDeviceState setting = {.cacheConfig = CACHE_PREFER_SHARED};
                    struct cudaOccResult result;
                    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(
                                         &result, &device, &function, &setting, (int)block, 0),
                                     CUDA_OCC_SUCCESS);
                    assert_int_equal(
                        oracle_residency(limits, block, (uint32_t)registers, shared).blocks,
                        result.activeBlocksPerMultiprocessor);
                }
    }
    print_message("%llu launches compared\n", (unsigned long long)compared);
    assert_true(compared > 0);
}
#endif

TEST(documented_figures_match)
{
    figures_match_the_page("sim.unit.residency");
}

TEST_MAIN("residency", NULL, NULL)
