/* SPDX-License-Identifier: MIT
 *
 * A kernel that is wrong for a few grids, blocks or sizes must fail. Outcomes stand in for an
 * engine: a case inside the domain is right, except where an error is planted.
 *
 * SIMTCHECK_SEED is the seed of the plans, and of the planted block and residue.
 */
#include "check.h"

#include "rows.h"
#include "verdict.h"

#include <inttypes.h>

enum { LARGEST_DIVISOR = 16, FEW = 3, SMALL_GRIDS = 10, BLOCKS = SIMT_BLOCK_THREADS };

static uint64_t seed;
static struct memory memory; /* of the rows */

/* What a kernel can know of its launch. */
struct launch {
    uint64_t grid, block; /* blocks, threads */
    uint64_t size[2];
};

/* A planted error. */
struct plant {
    const char *what;
    uint64_t number, residue, dimension;
    bool (*shows)(const struct plant *plant, const struct launch *launch);
};

static bool has_blocks(const struct plant *plant, const struct launch *launch)
{
    return launch->grid == plant->number;
}

static bool has_odd_blocks(const struct plant *plant, const struct launch *launch)
{
    (void)plant;
    return launch->grid % 2 == 1 && launch->grid > 1;
}

static bool has_threads(const struct plant *plant, const struct launch *launch)
{
    return launch->block == plant->number;
}

static bool has_residue(const struct plant *plant, const struct launch *launch)
{
    return launch->size[plant->dimension] % plant->number == plant->residue;
}

static struct launch launch_of(const struct variant *variant, const struct shape *shape)
{
    struct invocation call;

    variant->invoke(variant, shape, &call);
    return (struct launch){.grid = (uint64_t)call.grid.x * call.grid.y * call.grid.z,
                           .block = (uint64_t)call.block.x * call.block.y * call.block.z,
                           .size = {shape->size[0], shape->size[1]}};
}

static struct plan_request request_of(uint64_t level)
{
    return (struct plan_request){.models = {true, true}, .seed = seed, .level = level};
}

/* ---- What is possible ---- */

/* The launches inside a domain that a search of its own finds, without the plan: of every block,
 * and of up to 64 whole segments, which may lack some elements or have some more. */
struct possible {
    bool grids[SMALL_GRIDS];
    bool blocks[BLOCKS + 1];
    bool residues[LARGEST_DIVISOR + 1][LARGEST_DIVISOR];
};

static void note_possible(const struct variant *variant, const struct shape *shape,
                          struct possible *possible)
{
    struct launch launch;

    if (variant_violations(variant, shape) != 0)
        return;
    launch = launch_of(variant, shape);
    if (launch.grid < SMALL_GRIDS)
        possible->grids[launch.grid] = true;
    possible->blocks[launch.block] = true;
    for (uint64_t d = 2; d <= LARGEST_DIVISOR; d++)
        possible->residues[d][launch.size[0] % d] = true;
}

static void find_possible(const struct variant *variant, struct possible *possible)
{
    uint32_t last = variant->block_dimensions == 0 ? 1 : variant_largest_block(variant);

    memset(possible, 0, sizeof *possible);
    for (uint32_t x = 1; x <= last; x++)
        for (uint64_t m = 0; m <= 64; m = m < 16 ? m + 1 : 2 * m)
            for (uint64_t more = 0; more < 3; more++) {
                struct shape shape = {
                    {x, 1, 1}, {m * x * variant->elements_per_thread, 1}, 0, 0, {0, 0}};
                if (variant->sizes != SIZES_VECTOR)
                    shape.size[0] = m;
                if (shape.size[0] + more >= 1)
                    shape.size[0] += more - 1;
                note_possible(variant, &shape, possible);
            }
}

/* ---- What the verdict is ---- */

/* Returns whether the row fails. The planted error is a constant that is added, so it shows for
 * zeros too, and no known defect explains it. */
static bool fails(const struct variant *variant, const struct plan *plan, const struct plant *plant)
{
    struct selection selection = {.cases = request_of(1)};
    struct row row = row_start(variant, &engine_kinds[ENGINE_SIM], &memory);
    struct row_run run = {
        .selection = &selection, .row = &row, .failures_left = UINT64_MAX, .plan = *plan};
    const struct counterexample *suspects;

    for (size_t s = 0; s < plan->shape_count && row.record.counterexample == NULL; s++) {
        const struct planned_shape *planned = &plan->shapes[s];
        struct launch launch = launch_of(variant, &planned->shape);
        bool is_wrong = planned->violations != 0 || plant->shows(plant, &launch);
        const struct outcome outcome = {.kind = is_wrong ? OUTCOME_MISMATCH : OUTCOME_PASS};
        for (uint64_t k = 0; k < planned->cases && is_wrong; k++) {
            struct test_case test;
            plan_case(plan, planned->first + k, &test);
            verdict_take(&run, planned->first + k, &test, &outcome);
        }
    }
    suspects = run.suspects.items;
    for (size_t k = 0; k < run.suspects.count; k++)
        verdict_take_suspect(&run, &suspects[k], "the result is wrong for zeros too");
    memory_free(&run.memory);
    return row.record.counterexample != NULL;
}

static void expect_failure(const struct variant *variant, const struct plan *plan,
                           const struct plant *plant)
{
    if (!fails(variant, plan, plant))
        fail_msg("%s %s passes, wrong for %s (%" PRIu64 ", %" PRIu64 "), seed %" PRIu64,
                 variant->id, variant_kind_name(variant->kind), plant->what, plant->number,
                 plant->residue, seed);
}

/* Returns a number that depends on the seed and the row. */
static uint64_t drawn(const struct variant *variant, uint64_t bound)
{
    return values_hash(values_hash(seed, 17), (uint64_t)(variant - simtcheck_catalogue.variants)) %
           bound;
}

static void expect_failures(const struct variant *variant, const struct plan *plan,
                            const struct possible *possible, bool is_whole)
{
    const struct plant grids[] = {{"exactly 2 blocks", 2, 0, 0, has_blocks},
                                  {"exactly 5 blocks", 5, 0, 0, has_blocks},
                                  {"an odd number of blocks", 3, 0, 0, has_odd_blocks}};
    struct plant block = {"one block size", 0, 0, 0, has_threads};
    struct plant residue = {"one residue of n",
                            2 + drawn(variant, is_whole ? LARGEST_DIVISOR - 1 : FEW), 0, 0,
                            has_residue};
    uint64_t turn = drawn(variant, BLOCKS);

    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        assert_int_equal(possible->grids[grids[k].number], variant->block_dimensions > 0);
        if (variant->block_dimensions > 0) /* else it has one block */
            expect_failure(variant, plan, &grids[k]);
    }
    while (!possible->blocks[1 + turn % BLOCKS])
        turn++;
    block.number = 1 + turn % BLOCKS;
    if (is_whole)
        expect_failure(variant, plan, &block);
    while (!possible->residues[residue.number][turn % residue.number])
        turn++;
    residue.residue = turn % residue.number;
    expect_failure(variant, plan, &residue);
}

TEST(errors_for_few_launches_fail)
{
    for (uint64_t level = 1; level <= 2; level++)
        for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
            const struct variant *variant = &simtcheck_catalogue.variants[v];
            const struct plan_request request = request_of(level);
            struct possible possible;
            struct plan plan;
            assert_true(plan_make(&request, variant, true, 0, &plan));
            find_possible(variant, &possible);
            expect_failures(variant, &plan, &possible, level > 1);
            plan_free(&plan);
        }
}

/* ---- What a plan has inside the domain ---- */

struct coverage_of_blocks {
    uint64_t shapes, cases;
    uint32_t grids[BLOCKS + 1]; /* of each block: bit k is set if a grid has k blocks */
    bool is_tried[BLOCKS + 1];  /* inside or outside */
};

static void look_at_plan(const struct variant *variant, const struct plan *plan,
                         struct coverage_of_blocks *seen)
{
    memset(seen, 0, sizeof *seen);
    for (size_t s = 0; s < plan->shape_count; s++) {
        const struct launch launch = launch_of(variant, &plan->shapes[s].shape);
        assert_true(launch.block <= BLOCKS);
        seen->is_tried[launch.block] = true;
        if (plan->shapes[s].violations != 0)
            continue;
        seen->shapes++;
        seen->cases += plan->shapes[s].cases;
        if (launch.grid < SMALL_GRIDS)
            seen->grids[launch.block] |= UINT32_C(1) << launch.grid;
        seen->grids[launch.block] |= UINT32_C(1) << 31;
    }
}

/* Returns whether only one block is inside the domain, besides the smallest block size. */
static bool is_alone(const struct variant *variant, size_t block)
{
    return variant->launches == LAUNCHES_SUM_GRIDS && variant->kind == VARIANT_ORIGINAL &&
           block > 1;
}

/* Every block size inside the domain runs there. A row whose domain has few block sizes runs each
 * of them with every small number of blocks that is possible, and at many more sizes. */
static void expect_small_grids(const struct variant *variant, const struct plan *plan)
{
    enum { FEW_BLOCKS = 16, SMALL = 0x3fe /* 1 to 9 blocks */ };
    struct coverage_of_blocks seen;
    struct possible possible;
    size_t blocks = 0;

    look_at_plan(variant, plan, &seen);
    find_possible(variant, &possible);
    for (size_t b = 1; b <= BLOCKS; b++) {
        assert_int_equal(seen.grids[b] != 0, possible.blocks[b]);
        blocks += possible.blocks[b];
    }
    if (blocks > FEW_BLOCKS || variant->block_dimensions == 0)
        return;
    for (size_t b = 1; b <= BLOCKS; b++)
        if (possible.blocks[b] && !is_alone(variant, b))
            assert_int_equal(seen.grids[b] & SMALL, SMALL);
    if (variant->known_defect == NULL && variant->launches == LAUNCHES_NOTHING) {
        assert_true(seen.shapes >= 300);
        assert_true(seen.cases >= 2000);
    }
}

TEST(small_domains_have_every_small_grid)
{
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const struct variant *variant = &simtcheck_catalogue.variants[v];
        const struct plan_request request = request_of(2);
        struct plan plan;
        if (variant->block_dimensions > 1)
            continue;
        assert_true(plan_make(&request, variant, true, 0, &plan));
        expect_small_grids(variant, &plan);
        plan_free(&plan);
    }
}

/* The columns of blocks count what the host launches, also where it is not B. */
TEST(every_launched_block_is_tried_and_counted)
{
    for (size_t v = 0; v < simtcheck_catalogue.count; v++) {
        const struct variant *variant = &simtcheck_catalogue.variants[v];
        const struct plan_request request = request_of(2);
        struct coverage_of_blocks seen;
        struct plan plan;
        if (variant->block_dimensions != 1)
            continue;
        assert_true(plan_make(&request, variant, true, 0, &plan));
        look_at_plan(variant, &plan, &seen);
        for (size_t b = 1; b <= BLOCKS; b++)
            assert_true(seen.is_tried[b]);
        assert_int_equal(plan.blocks, BLOCKS);
        assert_int_equal(plan.all_blocks, BLOCKS);
        plan_free(&plan);
    }
}

static int read_seed(void **state)
{
    (void)state;
    return seed_read(&seed) ? 0 : -1;
}

static int free_rows(void **state)
{
    (void)state;
    memory_free(&memory);
    return 0;
}

TEST_MAIN("sizes", read_seed, free_rows)
