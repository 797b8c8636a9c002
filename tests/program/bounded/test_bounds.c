/* SPDX-License-Identifier: MIT
 *
 * Values with error bounds: random computations in floats stay within the bounds, and the bounds
 * are no wider than the analysis says. Also how bits hold such values.
 */
#include "check.h"

#include "bounded.h"
#include "input_values.h"
#include "store.h"

#include <float.h>
#include <math.h>

static const struct rounding_error nearest = {.relative = UNIT_F32, .is_nearest = true},
                                   any_order = {
                                       .relative = UNIT_F32, .is_nearest = true, .any_order = true};

static uint64_t drawn;

static uint64_t draw(uint64_t below)
{
    return values_hash(7, drawn++) % below;
}

/* Returns a float of any sign and size, or an integer. */
static float draw_float(void)
{
    float value = (float)((int64_t)draw(1 << 24) - (1 << 23)) / (1 << 23);

    switch (draw(4)) {
    case 0:
        return (float)((int64_t)draw(41) - 20);
    case 1:
        return ldexpf(value, (int)draw(250) - 125);
    default:
        return value;
    }
}

/* Fails if the float is not within the bound. */
static void expect_within(struct bounded value, float got, int operation)
{
    bool good = value.error == INFINITY ||
                (isnan(value.value) ? isnan(got)
                                    : (double)got == value.value ||
                                          fabs((double)got - value.value) <= value.error);

    if (!good)
        fail_msg("operation %d: %.17g +- %g, got %.9g", operation, value.value, value.error,
                 (double)got);
}

/* C leaves the sign of a greatest zero open, and PTX does not. */
static float greater_of(float a, float b)
{
    if (a == 0 && b == 0)
        return signbit(a) ? b : a;
    return fmaxf(a, b);
}

/* Applies a random operation to random values of both arrays. */
static void step(float *floats, struct bounded *values, size_t count,
                 const struct rounding_error *by)
{
    size_t d = draw(count), a = draw(count), b = draw(count), c = draw(count);
    int operation = (int)draw(9);

    switch (operation) {
    case 0:
        values[d] = bounded_add(values[a], values[b], by);
        floats[d] = floats[a] + floats[b];
        break;
    case 1:
        values[d] = bounded_add(values[a], bounded_negate(values[b]), by);
        floats[d] = floats[a] - floats[b];
        break;
    case 2:
        values[d] = bounded_multiply(values[a], values[b], by);
        floats[d] = floats[a] * floats[b];
        break;
    case 3:
        values[d] = bounded_fma(values[a], values[b], values[c], by);
        floats[d] = fmaf(floats[a], floats[b], floats[c]);
        break;
    case 4:
        values[d] = bounded_divide(values[a], values[b], by);
        floats[d] = floats[a] / floats[b];
        break;
    case 5:
        values[d] = bounded_extreme(values[a], values[b], true, false);
        floats[d] = greater_of(floats[a], floats[b]);
        break;
    case 6:
        values[d] = bounded_either(values[a], values[b]);
        floats[d] = draw(2) ? floats[a] : floats[b];
        break;
    case 7:
        values[d] = bounded_saturate(bounded_absolute(values[a]));
        floats[d] = fminf(fmaxf(fabsf(floats[a]), 0), 1);
        values[d] = isnan(values[a].value) ? bounded_exact(0) : values[d];
        floats[d] = isnan(floats[a]) ? 0 : floats[d];
        break;
    default:
        floats[d] = draw_float();
        values[d] = bounded_exact((double)floats[d]);
        break;
    }
    values[d] = store_value_f32(store_bits_f32(values[d]));
    expect_within(values[d], floats[d], operation);
}

static void expect_all_within(const struct rounding_error *by)
{
    enum { COUNT = 6 };
    float floats[COUNT];
    struct bounded values[COUNT];

    for (int program = 0; program < 20000; program++) {
        store_clear();
        for (size_t k = 0; k < COUNT; k++) {
            floats[k] = draw_float();
            values[k] = bounded_exact((double)floats[k]);
        }
        for (int k = 0; k < 30; k++)
            step(floats, values, COUNT, by);
    }
}

TEST(computations_in_floats_are_within_the_bounds)
{
    expect_all_within(&nearest);
    expect_all_within(&any_order);
}

/* Subnormal operands and results become 0. */
TEST(flushed_results_are_within_the_bounds)
{
    const struct rounding_error flushing = {
        .relative = UNIT_F32, .is_nearest = true, .flushes = true};

    for (int k = 0; k < 100000; k++) {
        float a = ldexpf(draw_float(), -(int)draw(80)), b = ldexpf(draw_float(), -(int)draw(80)),
              product = (fabsf(a) < FLT_MIN ? 0 : a) * (fabsf(b) < FLT_MIN ? 0 : b);
        struct bounded one = bounded_flushed(bounded_exact((double)a)),
                       other = bounded_flushed(bounded_exact((double)b));
        expect_within(bounded_multiply(one, other, &flushing),
                      fabsf(product) < FLT_MIN ? 0 : product, 0);
    }
}

static struct bounded sum_of(const float *x, size_t count, const struct rounding_error *by)
{
    struct bounded sum = bounded_exact(0);

    for (size_t k = 0; k < count; k++)
        sum = bounded_add(sum, bounded_exact((double)x[k]), by);
    return sum;
}

/* Adds the elements in a random order, in pairs of sums. */
static float sum_in_some_order(float *x, size_t count)
{
    while (count > 1) {
        size_t a = draw(count), b = (a + 1 + draw(count - 1)) % count;
        x[a] += x[b];
        x[b] = x[--count];
    }
    return x[0];
}

TEST(sums_in_any_order_are_within_the_bounds)
{
    enum { COUNT = 400 };
    float x[COUNT], copy[COUNT];

    for (int round = 0; round < 300; round++) {
        struct bounded sum;
        for (size_t k = 0; k < COUNT; k++)
            x[k] = draw_float() * (round % 2 ? 1e30f : 1e-3f);
        for (size_t k = 0; k < COUNT; k++)
            x[k] = isfinite(x[k]) ? x[k] : 0;
        sum = sum_of(x, COUNT, &any_order);
        for (int order = 0; order < 10; order++) {
            memcpy(copy, x, sizeof copy);
            expect_within(sum, sum_in_some_order(copy, COUNT), order);
        }
    }
}

/* (n - 1) units of the sum of magnitudes, and no error for integers. */
TEST(bounds_are_no_wider_than_the_analysis)
{
    enum { COUNT = 1000 };
    float x[COUNT];
    double magnitude = 0;

    for (size_t k = 0; k < COUNT; k++) {
        x[k] = 0.1f + (float)k / 1000;
        magnitude += (double)x[k];
    }
    assert_true(sum_of(x, COUNT, &any_order).error <= 1.001 * (COUNT - 1) * UNIT_F32 * magnitude);
    assert_true(sum_of(x, COUNT, &any_order).error >= 0.999 * (COUNT - 1) * UNIT_F32 * magnitude);
    assert_true(sum_of(x, COUNT, &nearest).error <= 0.501 * (COUNT - 1) * UNIT_F32 * magnitude);
    for (size_t k = 0; k < COUNT; k++)
        x[k] = (float)k;
    assert_true(sum_of(x, COUNT, &any_order).error == 0);
    assert_true(sum_of(x, COUNT, &nearest).error == 0);
    assert_true(bounded_divide(bounded_exact(1), bounded_exact(3), &nearest).error <=
                1.001 * UNIT_F32 / 3);
}

TEST(comparisons_know_what_errors_may_change)
{
    const struct bounded third = {.value = 1.0 / 3, .error = 1e-8},
                         near_third = bounded_exact(1.0 / 3 + 0.5e-8),
                         not_a_number = bounded_exact(NAN);

    assert_int_equal(bounded_compare(bounded_exact(1), bounded_exact(1)), BOUNDED_EQUAL);
    assert_int_equal(bounded_compare(third, bounded_exact(0.34)), BOUNDED_LESS);
    assert_int_equal(bounded_compare(bounded_exact(0.34), third), BOUNDED_GREATER);
    assert_int_equal(bounded_compare(third, near_third),
                     BOUNDED_LESS | BOUNDED_EQUAL | BOUNDED_GREATER);
    assert_int_equal(bounded_compare(third, not_a_number), BOUNDED_UNORDERED);
    assert_int_equal(bounded_compare(bounded_exact(INFINITY), third), BOUNDED_GREATER);
}

TEST(bits_hold_values)
{
    const struct bounded third = {.value = 1.0 / 3, .error = 1e-8};
    uint32_t bits;

    store_clear();
    bits = store_bits_f32(third);
    assert_true(store_has_f32(bits) && isnan(values_as_float(bits)));
    assert_int_equal(store_bits_f32(third), bits);
    assert_true(store_value_f32(bits).value == third.value);
    assert_true(store_value_f32(bits ^ UINT32_C(0x80000000)).value == -third.value);
    assert_int_equal(store_bits_f32(bounded_negate(third)), bits ^ UINT32_C(0x80000000));
    assert_true(store_value_f64(store_bits_f64(third)).error == third.error);
    assert_int_equal(store_bits_f32(bounded_exact(0.5)), values_as_bits(0.5f));
    assert_int_equal(store_bits_f32(bounded_exact(NAN)), 0x7fffffff);
    assert_false(store_has_f32(0x7fffffff) || store_has_f32(values_as_bits(INFINITY)));
    assert_true(isnan(store_value_f32(0x7fc00000).value));
    for (int k = 1; k < 100000; k++) {
        struct bounded value = {.value = k, .error = 1 / (double)k};
        assert_true(store_value_f32(store_bits_f32(value)).value == k);
    }
    assert_true(store_value_f32(bits).value == third.value);
}

TEST(lost_values_are_noticed)
{
    store_clear();
    for (int k = 1; k <= 1 << 23; k++)
        store_bits_f32((struct bounded){.value = k, .error = 1});
    assert_true(store_is_full());
    store_clear();
    assert_false(store_is_full());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computations_in_floats_are_within_the_bounds),
        cmocka_unit_test(flushed_results_are_within_the_bounds),
        cmocka_unit_test(sums_in_any_order_are_within_the_bounds),
        cmocka_unit_test(bounds_are_no_wider_than_the_analysis),
        cmocka_unit_test(comparisons_know_what_errors_may_change),
        cmocka_unit_test(bits_hold_values),
        cmocka_unit_test(lost_values_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
