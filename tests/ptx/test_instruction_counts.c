/* SPDX-License-Identifier: MIT
 *
 * Instruction counts of the K80 profiles, compared with nvcc's code for the kernels. The build
 * links code that is optimised or built with -G. The textbook's numbers belong to its compiler.
 * What must match is which kernel executes more, and how lanes and warps diverge.
 */
#include "check.h"

#include "engine.h"

static struct engine *engine;

static int set_up(void **state)
{
    struct engine_limits limits = {.deadline_seconds = 60, .steps = UINT64_C(1) << 32};
    char reason[256];
    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

struct figures {
    double per_warp, efficiency; /* efficiency: per cent of active lanes */
    uint64_t branches;
};

/* Runs one grid of the original variant in blocks of 1024 threads. `stores` is how often a kernel
 * stores in its loop, or 0 if it does not. */
static struct figures counted(const char *kernel, uint64_t size, uint32_t stores)
{
    const struct shape shape = {{1024, 1, 1}, {size, 1}, 0, 0, {0, 0}};
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, kernel, VARIANT_ORIGINAL);
    struct engine_counters counters;
    struct invocation invocation;
    struct engine_outcome outcome;
    const struct engine_job job = {.invocation = &invocation,
                                   .values = {VALUES_HASH, 1},
                                   .model = MODEL_LOCKSTEP,
                                   .counters = &counters};
    uint64_t executed = 0, lanes = 0;
    struct figures figures;

    assert_non_null(variant);
    variant->invoke(variant, &shape, &invocation);
    if (stores > 0)
        invocation.arguments[invocation.argument_count - 1].value = stores;
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    for (int k = 0; k < SIMT_CLASSES; k++) {
        executed += counters.all.instructions[k];
        lanes += counters.all.lane_instructions[k];
    }
    figures.per_warp = (double)executed / (32.0 * invocation.grid.x);
    figures.efficiency = 100.0 * (double)lanes / (32.0 * (double)executed);
    figures.branches = counters.all.branches;
    print_message("| %s | %.2f | %.2f %% | %llu branches |\n", kernel, figures.per_warp,
                  figures.efficiency, (unsigned long long)figures.branches);
    return figures;
}

/* n = 16384: the K80 profiles print efficiencies of 71.95 and 98.14 per cent, and 98.24 to 98.90.
 * They print 974 instructions per warp against 367, 345 and so on to 552. */
TEST(instruction_counts_rank_reductions_as_published)
{
    static const char *const benchmark[] = {"reduceInterleaved1", "reduceInterleaved2",
                                            "reduceInterleaved4", "reduceInterleaved8"};
    struct figures neighbored1 = counted("reduceNeighbored1", 16384, 0),
                   neighbored2 = counted("reduceNeighbored2", 16384, 0),
                   neighbored3 = counted("reduceNeighbored3", 16384, 0), before = {0};

    for (int k = 0; k < 4; k++) {
        struct figures figures = counted(benchmark[k], 16384, 0);
        assert_true(figures.per_warp > before.per_warp && figures.efficiency > before.efficiency);
        assert_true(k > 0 || figures.per_warp < neighbored1.per_warp);
        before = figures;
    }
    assert_true(neighbored2.per_warp < neighbored1.per_warp);
    assert_true(neighbored1.efficiency < 80);
    assert_true(neighbored2.efficiency > 98);
    assert_true(neighbored3.efficiency > 99);
}

/* The K80 profiles print 545.75 instructions per warp for reduceNeighbored3 and 366.81 for
 * reduceNeighbored2: a full-warp tail makes each warp execute more. Our reconstruction executes fewer,
 * and is probably not the author's kernel. */
TEST(full_warp_tail_executes_fewer_instructions)
{
    struct figures packed = counted("reduceNeighbored2", 16384, 0),
                   full = counted("reduceNeighbored3", 16384, 0);

    assert_true(full.efficiency > packed.efficiency);
    assert_true(full.per_warp < packed.per_warp);
}

/* The book: a template parameter removes the branches that test the block's size. The warps of a
 * block of 1024 threads execute fewer instructions. */
TEST(template_saves_instructions)
{
    struct figures tested = counted("reduceCompleteUnrollWarps8", 16384, 0),
                   chosen = counted("reduceCompleteUnroll", 16384, 0);

    assert_true(chosen.per_warp < tested.per_warp);
    assert_true(chosen.branches <= tested.branches);
}

/* For 10,000 stores, the figures are 8.6011e5 instructions per warp at 50 per cent, and 4.3015e5 at
 * 100. In one kernel the lanes of a warp diverge, in the other whole warps do. The code before the
 * loops is 0.1 per cent. */
TEST(divergent_loop_runs_half_its_lanes_twice_as_long)
{
    struct figures lanes = counted("mathKernel1Loop", 1024, 10000),
                   warps = counted("mathKernel2Loop", 1024, 10000);

    assert_true(lanes.efficiency > 49.95 && lanes.efficiency < 50.05);
    assert_true(warps.efficiency == 100);
    assert_true(lanes.per_warp > 1.998 * warps.per_warp);
    assert_true(lanes.per_warp < 2.002 * warps.per_warp);
    /* Each of 32 warps executes a loop that branches at least once per eight stores. */
    assert_true(warps.branches >= 32 * 10000 / 8);
}

TEST_MAIN("instruction counts", set_up, tear_down)
