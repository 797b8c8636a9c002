/* SPDX-License-Identifier: MIT
 *
 * The field of --floats exact, and how floats and doubles hold its elements.
 */
#include "check.h"

#include "field.h"
#include "input_values.h"

#include <float.h>
#include <math.h>

static uint32_t of_float(float value)
{
    return field_of_f32(values_as_bits(value));
}

static uint32_t of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return field_of_f64(bits);
}

static uint32_t random_element(uint64_t i)
{
    return field_random(1, i);
}

TEST(characteristic_is_prime)
{
    for (uint64_t divisor = 2; divisor * divisor <= FIELD_PRIME; divisor++)
        assert_true(FIELD_PRIME % divisor != 0);
}

TEST(arithmetic_is_that_of_a_field)
{
    for (uint64_t i = 0; i < 2000; i++) {
        uint32_t a = random_element(3 * i), b = random_element(3 * i + 1),
                 c = random_element(3 * i + 2);
        assert_int_equal(field_add(a, field_negative(a)), 0);
        assert_int_equal(field_multiply(a, field_inverse(a)), 1);
        assert_int_equal(field_add(field_add(a, b), c), field_add(a, field_add(b, c)));
        assert_int_equal(field_multiply(field_multiply(a, b), c),
                         field_multiply(a, field_multiply(b, c)));
        assert_int_equal(field_multiply(a, field_add(b, c)),
                         field_add(field_multiply(a, b), field_multiply(a, c)));
        assert_int_equal(field_scale(field_scale(a, 37), -37), a);
        assert_int_equal(field_scale(a, 1), field_add(a, a));
    }
    assert_int_equal(field_inverse(0), 0);
    assert_int_equal(field_add(FIELD_PRIME - 1, FIELD_PRIME - 1), FIELD_PRIME - 2);
    assert_int_equal(field_of_integer(UINT64_MAX, false), UINT64_MAX % FIELD_PRIME);
    assert_int_equal(field_of_integer(5, true), FIELD_PRIME - 5);
}

/* Checks that the element has one pattern, whose sign changes with the element's, and that a double
 * has the same value. */
static void check_element(uint32_t element)
{
    uint32_t bits = field_bits_f32(element), opposite = field_bits_f32(field_negative(element));

    assert_int_equal(field_of_f32(bits), element);
    assert_true(isfinite(values_as_float(bits)));
    assert_true(values_as_float(opposite) == -values_as_float(bits));
    assert_true(field_bits_f64(element) != 0 || element == 0);
    assert_int_equal(field_of_f64(field_bits_f64(element)), element);
    assert_int_equal(of_double((double)values_as_float(bits)), element);
}

TEST(each_element_has_one_pattern)
{
    for (uint64_t i = 0; i < 200000; i++)
        check_element(random_element(i));
    for (uint32_t k = 0; k < 70000; k++) {
        check_element(k);
        check_element(FIELD_PRIME / 2 - k);
        check_element(FIELD_PRIME / 2 + 1 + k);
    }
}

TEST(each_pattern_has_one_element)
{
    uint32_t number;

    for (uint32_t bits = 0; bits <= FIELD_PRIME / 2; bits += 10007)
        assert_int_equal(field_bits_f32(field_of_f32(bits)), bits);
    for (uint32_t bits = UINT32_C(95) << 23; bits < UINT32_C(159) << 23; bits += 1 << 16) {
        assert_int_equal(field_bits_f32(field_of_f32(bits)), bits);
        assert_int_equal(field_bits_f32(field_of_f32(bits + 1)), bits + 1);
        /* a pattern whose own number is the element of another pattern */
        number = field_of_f32(bits);
        number = number > FIELD_PRIME / 2 ? FIELD_PRIME - number : number;
        assert_int_equal(field_bits_f32(field_of_f32(number)), number);
    }
}

TEST(constants_have_the_elements_of_their_values)
{
    assert_int_equal(of_float(0), 0);
    assert_int_equal(of_float(-0.0f), 0);
    for (uint32_t k = 1; k <= 1 << 20; k++)
        assert_int_equal(of_float((float)k), k);
    assert_int_equal(of_float(-1), FIELD_PRIME - 1);
    for (int exponent = -32; exponent < 32; exponent++)
        for (uint32_t m = 128; m < 256; m++) {
            float value = ldexpf((float)m, exponent - 7);
            assert_int_equal(of_float(value), field_scale(m, exponent - 7));
            assert_int_equal(of_float(-value), field_negative(of_float(value)));
        }
    assert_int_equal(field_multiply(of_float(0.75f), 4), 3);
}

TEST(doubles_that_are_no_floats_have_their_values)
{
    assert_int_equal(field_multiply(of_double(1 + ldexp(1, -40)), field_scale(1, 40)),
                     field_add(field_scale(1, 40), 1));
    assert_int_equal(of_double(123456789), 123456789);
    assert_int_equal(of_double(-123456789), FIELD_PRIME - 123456789);
    assert_int_equal(of_double(ldexp(3, -1074)), field_scale(3, -1074));
}

TEST(others_are_no_elements)
{
    assert_true(of_float(INFINITY) == FIELD_LIMIT && of_float(-INFINITY) == FIELD_LIMIT);
    assert_true(of_float(FLT_MAX) == FIELD_LIMIT && of_double(DBL_MAX) == FIELD_LIMIT);
    assert_true(of_double(-INFINITY) == FIELD_LIMIT);
    assert_true(of_float(NAN) == FIELD_NAN && of_double(NAN) == FIELD_NAN);
    assert_true(field_canonical_f64(values_bits_f64(VALUES_INFINITE, 0, 0)) ==
                values_bits_f64(VALUES_INFINITE, 0, 0));
    assert_int_equal(field_canonical_f32(UINT32_C(0x80000000)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characteristic_is_prime),
        cmocka_unit_test(arithmetic_is_that_of_a_field),
        cmocka_unit_test(each_element_has_one_pattern),
        cmocka_unit_test(each_pattern_has_one_element),
        cmocka_unit_test(constants_have_the_elements_of_their_values),
        cmocka_unit_test(doubles_that_are_no_floats_have_their_values),
        cmocka_unit_test(others_are_no_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
