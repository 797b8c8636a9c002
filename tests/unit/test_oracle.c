/* SPDX-License-Identifier: MIT
 *
 * The oracle against a second one, written another way: it counts, for each of the 32 bits, the
 * values that have it.
 */
#include "check.h"

#include "oracle.h"

static int32_t sum_by_bits(const int32_t *x, uint64_t n)
{
    uint32_t sum = 0;
    for (unsigned int bit = 0; bit < 32; bit++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < n; i++)
            count += (uint32_t)x[i] >> bit & 1;
        sum += (uint32_t)(count << bit);
    }
    return (int32_t)sum;
}

/* The documents' host reduction. */
static int32_t sum_by_halving(int32_t *data, uint64_t size)
{
    while (size > 1) {
        uint64_t stride = size / 2;
        for (uint64_t k = 0; k < stride; k++)
            data[k] = (int32_t)((uint32_t)data[k] + (uint32_t)data[k + stride]);
        size = stride;
    }
    return data[0];
}

static const uint64_t sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 64, 1000, 1023, 1025, 4097, 70001};

static int32_t *generate(struct values values, uint64_t n)
{
    int32_t *x = test_malloc((n + 1) * sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = values_i32(values, i);
    return x;
}

static void sums_equal_those_of_the_second_oracle(void **state)
{
    (void)state;
    struct oracle_sums *sums = oracle_sums_create();
    assert_non_null(sums);
    for (int pattern = 0; pattern < VALUE_PATTERNS; pattern++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct values values = {(enum value_pattern)pattern, 5};
            int32_t *x = generate(values, sizes[s]), remembered;
            int32_t expected = sum_by_bits(x, sizes[s]);
            assert_int_equal(oracle_sum_i32(x, sizes[s]), expected);
            assert_true(oracle_sums_i32(sums, values, sizes[s], &remembered));
            assert_int_equal(remembered, expected);
            test_free(x);
        }
    oracle_sums_destroy(sums);
}

static void overflow_wraps_around(void **state)
{
    (void)state;
    const int32_t over[] = {INT32_MAX, 1}, under[] = {INT32_MIN, -1},
                  twice[] = {INT32_MIN, INT32_MIN}, mixed[] = {INT32_MIN, INT32_MAX};
    assert_int_equal(oracle_sum_i32(over, 2), INT32_MIN);
    assert_int_equal(oracle_sum_i32(under, 2), INT32_MAX);
    assert_int_equal(oracle_sum_i32(twice, 2), 0);
    assert_int_equal(oracle_sum_i32(mixed, 2), -1);
}

/* More series than are remembered, in turn, shrinking and growing: each look-up is right. */
static void remembered_sums_survive_eviction(void **state)
{
    (void)state;
    struct oracle_sums *sums = oracle_sums_create();
    for (int round = 0; round < 3; round++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            uint64_t n = (seed * 37 + (uint64_t)round * 101) % 300;
            struct values values = {VALUES_HASH, seed};
            int32_t *x = generate(values, n), sum;
            assert_true(oracle_sums_i32(sums, values, n, &sum));
            assert_int_equal(sum, sum_by_bits(x, n));
            test_free(x);
        }
    oracle_sums_destroy(sums);
    oracle_sums_destroy(NULL);
}

/* No memory for a sum is said, and the sums after it are right. */
static void a_sum_too_large_to_remember_is_refused(void **state)
{
    (void)state;
    struct oracle_sums *sums = oracle_sums_create();
    int32_t sum = 0;
    assert_false(oracle_sums_i32(sums, (struct values){VALUES_ONES, 0}, UINT64_C(1) << 60, &sum));
    assert_true(oracle_sums_i32(sums, (struct values){VALUES_ONES, 0}, 5, &sum));
    assert_int_equal(sum, 5);
    oracle_sums_destroy(sums);
}

/* Why the documents' recursive halving is checked like a kernel and never used as the oracle. */
static void halving_drops_elements_at_odd_sizes(void **state)
{
    (void)state;
    int32_t seven[] = {1, 1, 1, 1, 1, 1, 1}, eight[] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(oracle_sum_i32(seven, 7), 7);
    assert_int_not_equal(sum_by_halving(seven, 7), 7);
    assert_int_equal(sum_by_halving(eight, 8), 8);
}

/* Element i depends on (pattern, parameter, i) alone; pinned, for tokens name values for ever. */
static void values_are_pinned(void **state)
{
    (void)state;
    assert_int_equal(values_hash(0, 0) >> 32, 0xe220a839);
    assert_int_equal((uint32_t)values_hash(0, 0), 0x7b1dcdaf);
    assert_int_equal(values_i32((struct values){VALUES_UNIT, 3}, 3), 1);
    assert_int_equal(values_i32((struct values){VALUES_UNIT, 3}, 2), 0);
    assert_int_equal(values_i32((struct values){VALUES_ALTERNATE, 0}, 0), INT32_MIN);
    assert_int_equal(values_i32((struct values){VALUES_ALTERNATE, 0}, 1), INT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_those_of_the_second_oracle),
        cmocka_unit_test(overflow_wraps_around),
        cmocka_unit_test(remembered_sums_survive_eviction),
        cmocka_unit_test(a_sum_too_large_to_remember_is_refused),
        cmocka_unit_test(halving_drops_elements_at_odd_sizes),
        cmocka_unit_test(values_are_pinned),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
