/* SPDX-License-Identifier: MIT
 *
 * The shrinker, tested on artificial kernels whose smallest failing case is known.
 */
#include "check.h"

#include "shrink.h"

struct fake {
    enum outcome_kind (*fails)(const struct test_case *test, enum fault_kind *fault);
    uint64_t runs;
    bool broken; /* the runner gives up */
};

static enum engine_status run_fake(void *context, const struct test_case *cases, size_t count,
                                   struct outcome *outcomes)
{
    struct fake *fake = context;

    if (fake->broken)
        return ENGINE_ERROR;
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = (struct outcome){0};
        outcomes[i].kind = fake->fails(&cases[i], &outcomes[i].fault.kind);
        fake->runs++;
    }
    return ENGINE_OK;
}

/* Fails from block 5 and size 7 on, only with a tail. */
static enum outcome_kind tail_from_five(const struct test_case *test, enum fault_kind *fault)
{
    uint64_t n = test->shape.size[0];
    (void)fault;
    return test->shape.block.x >= 5 && n >= 7 && n % test->shape.block.x != 0 ? OUTCOME_MISMATCH
                                                                              : OUTCOME_PASS;
}

/* Every small shape has an out-of-bounds read, which is not the failure being shrunk. */
static enum outcome_kind other_kind_below(const struct test_case *test, enum fault_kind *fault)
{
    *fault = FAULT_OUT_OF_BOUNDS_READ;
    return test->shape.block.x < 12 ? OUTCOME_FAULT : OUTCOME_MISMATCH;
}

/* Fails only for a large size at a small block. */
static enum outcome_kind large_size(const struct test_case *test, enum fault_kind *fault)
{
    (void)fault;
    return test->shape.block.x >= 2 && test->shape.size[0] >= 500 ? OUTCOME_MISMATCH : OUTCOME_PASS;
}

/* Fails only under a random schedule, and only if element 2 matters. */
static enum outcome_kind needs_element_two(const struct test_case *test, enum fault_kind *fault)
{
    (void)fault;
    return test->schedule.kind == SCHEDULE_RANDOM && test->shape.size[0] >= 3 &&
                   values_i32(test->values, 2) != 0
               ? OUTCOME_MISMATCH
               : OUTCOME_PASS;
}

static enum outcome_kind always(const struct test_case *test, enum fault_kind *fault)
{
    (void)test;
    (void)fault;
    return OUTCOME_MISMATCH;
}

static struct counterexample shrunk(struct fake *fake, struct test_case failing, bool inside_domain,
                                    uint64_t budget, enum engine_status status)
{
    struct outcome outcome = {.kind = OUTCOME_MISMATCH};
    struct shrink_bounds bounds = {.threads = failing.shape.block.x,
                                   .elements = failing.shape.size[0],
                                   .inside_domain = inside_domain,
                                   .budget = budget * CASE_COST};
    struct counterexample counterexample;

    failing.variant = catalogue_find(&simtcheck_catalogue, "reduceInterleaved", VARIANT_ORIGINAL);
    assert_int_equal(shrink(&failing, &outcome, &bounds, run_fake, fake, &counterexample), status);
    return counterexample;
}

static const struct test_case large = {.shape = {{96, 1, 1}, {967, 1}, 0, 0, {0, 0}},
                                       .values = {VALUES_HASH, 1},
                                       .schedule = {SCHEDULE_RANDOM, 4, {0}}};

TEST(finds_the_smallest_shape)
{
    struct fake fake = {.fails = tail_from_five};
    struct counterexample counterexample = shrunk(&fake, large, false, 100000, ENGINE_OK);
    assert_int_equal(counterexample.test.shape.block.x, 5);
    assert_int_equal(counterexample.test.shape.size[0], 7);
    assert_int_equal(counterexample.test.schedule.kind, SCHEDULE_SEQUENTIAL);
    assert_int_equal(counterexample.test.values.pattern, VALUES_ZEROS);
    assert_true(counterexample.exhaustive);
    assert_int_equal(counterexample.tried, fake.runs);
}

TEST(keeps_the_kind_of_failure)
{
    struct fake fake = {.fails = other_kind_below};
    struct counterexample counterexample = shrunk(&fake, large, false, 100000, ENGINE_OK);
    assert_int_equal(counterexample.test.shape.block.x, 12);
    assert_int_equal(counterexample.test.shape.size[0], 0);
    assert_int_equal(counterexample.outcome.kind, OUTCOME_MISMATCH);
}

TEST(finds_a_large_size_at_a_small_block)
{
    struct fake fake = {.fails = large_size};
    struct counterexample counterexample = shrunk(&fake, large, false, 1000000, ENGINE_OK);
    assert_int_equal(counterexample.test.shape.block.x, 2);
    assert_int_equal(counterexample.test.shape.size[0], 500);
    assert_true(counterexample.exhaustive);
}

TEST(stays_inside_the_domain)
{
    struct fake fake = {.fails = always};
    struct test_case failing = large;
    failing.shape = (struct shape){{64, 1, 1}, {640, 1}, 0, 0, {0, 0}};
    struct counterexample counterexample = shrunk(&fake, failing, true, 100000, ENGINE_OK);
    assert_int_equal(counterexample.test.shape.block.x, 1);
    assert_int_equal(counterexample.test.shape.size[0], 1); /* n = 0 is outside the domain */
}

TEST(finds_the_simplest_values)
{
    struct fake fake = {.fails = needs_element_two};
    struct counterexample counterexample = shrunk(&fake, large, false, 100000, ENGINE_OK);
    assert_int_equal(counterexample.test.shape.size[0], 3);
    assert_int_equal(counterexample.test.values.pattern, VALUES_UNIT);
    assert_int_equal(counterexample.test.values.parameter, 2);
    assert_int_equal(counterexample.test.schedule.kind, SCHEDULE_RANDOM); /* no simpler one fails */
}

TEST(exhausted_budget_is_reported)
{
    struct fake fake = {.fails = tail_from_five};
    struct counterexample counterexample = shrunk(&fake, large, false, 50, ENGINE_OK);
    assert_false(counterexample.exhaustive);
    assert_int_equal(counterexample.outcome.kind, OUTCOME_MISMATCH);
    assert_true(fake.runs <= 50);
}

TEST(broken_runner_keeps_the_current_case)
{
    struct fake fake = {.fails = always, .broken = true};
    struct counterexample counterexample = shrunk(&fake, large, false, 1000, ENGINE_ERROR);
    assert_int_equal(counterexample.test.shape.block.x, 96);
    assert_int_equal(counterexample.test.shape.size[0], 967);
    assert_false(counterexample.exhaustive);
}

TEST_MAIN("shrink", NULL, NULL)
