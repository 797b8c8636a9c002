/* SPDX-License-Identifier: MIT
 *
 * The values of arrays of every type: by pattern, and as a launch fills them.
 */
#include "check.h"

#include "expected.h"
#include "input_values.h"
#include "launch_catalogue.h"
#include "oracle.h"

#include <math.h>

static double half_value(uint32_t bits)
{
    double size = (bits >> 10 & 31) == 0 ? ldexp(bits & 1023, -24)
                  : (bits >> 10 & 31) == 31
                      ? ((bits & 1023) != 0 ? NAN : INFINITY)
                      : ldexp(1024 + (bits & 1023), (int)(bits >> 10 & 31) - 25);
    return bits & 0x8000 ? -size : size;
}

static uint64_t element(enum element type, enum value_pattern pattern, uint64_t i)
{
    return values_element(type, pattern, 3, i);
}

/* They end at the least and the greatest number that the type has. */
TEST(ordered_values_are_ordered)
{
    assert_true((int64_t)element(ELEMENT_I64, VALUES_ASCENDING, 0) == -3);
    assert_int_equal((int32_t)element(ELEMENT_I32, VALUES_DESCENDING, 300), -297);
    assert_int_equal(element(ELEMENT_I8, VALUES_ASCENDING, 300), 127);
    assert_int_equal((int8_t)element(ELEMENT_I8, VALUES_DESCENDING, 300), -127);
    assert_int_equal((int16_t)element(ELEMENT_I16, VALUES_DESCENDING, 300), -297);
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_ASCENDING, 5000)) == 2048);
    assert_true(values_f32((struct values){VALUES_DESCENDING, 7}, 2) == 5);
    assert_true(values_f32((struct values){VALUES_HOLE, 7}, 7) == 0);
}

TEST(values_are_valid_for_their_type)
{
    uint64_t bits;
    double wide;

    assert_int_equal(element(ELEMENT_I8, VALUES_MINIMUM, 0), 0x80);
    assert_int_equal(element(ELEMENT_I16, VALUES_MAXIMUM, 0), 0x7fff);
    assert_true(element(ELEMENT_I64, VALUES_MINIMUM, 0) == UINT64_C(1) << 63);
    assert_true(element(ELEMENT_I64, VALUES_ALTERNATE, 1) == INT64_MAX);
    assert_true(element(ELEMENT_I64, VALUES_ALTERNATE, 0) == UINT64_C(1) << 63);
    assert_int_equal(element(ELEMENT_I8, VALUES_UNIT, 3), 1);
    assert_int_equal(element(ELEMENT_I16, VALUES_HOLE, 3), 0);
    assert_int_equal(element(ELEMENT_I16, VALUES_HOLE, 4), 1);
    assert_true(element(ELEMENT_I64, VALUES_HASH, 5) == values_hash(3, 5));
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_ONES, 0)) == 1);
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_MAXIMUM, 0)) == 65504);
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_MINIMUM, 0)) == -65504);
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_ALTERNATE, 1)) == 65504);
    assert_int_equal(element(ELEMENT_F16, VALUES_NEGATIVE_ZERO, 0), 0x8000);
    assert_true(isinf(half_value((uint32_t)element(ELEMENT_F16, VALUES_INFINITE, 3))));
    assert_true(isnan(half_value((uint32_t)element(ELEMENT_F16, VALUES_NAN, 3))));
    assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_ABSORBING, 3)) == 2048);
    assert_int_equal(element(ELEMENT_F16, VALUES_ZEROS, 0), 0);
    bits = element(ELEMENT_F64, VALUES_ONES, 0);
    memcpy(&wide, &bits, sizeof wide);
    assert_true(wide == 1);
    for (uint64_t i = 0; i < 200; i++) {
        double hashed = half_value((uint32_t)element(ELEMENT_F16, VALUES_HASH, i)),
               whole = half_value((uint32_t)element(ELEMENT_F16, VALUES_WHOLE, i)),
               large = fabs(half_value((uint32_t)element(ELEMENT_F16, VALUES_LARGE, i))),
               mixed = fabs(half_value((uint32_t)element(ELEMENT_F16, VALUES_MIXED, i)));
        assert_true(hashed >= -1 && hashed < 1 && hashed * 1024 == floor(hashed * 1024));
        assert_true(whole >= 1 && whole <= 256 && whole == floor(whole));
        assert_true(half_value((uint32_t)element(ELEMENT_F16, VALUES_BYTES, i)) == whole - 1);
        assert_true(large >= 4096 && large <= 65504);
        assert_true(mixed >= ldexp(1, -14) && mixed < 2048);
        assert_true(fabs(half_value((uint32_t)element(ELEMENT_F16, VALUES_SUBNORMAL, i))) <
                    ldexp(1, -14));
        if (i % 2 == 0)
            assert_int_equal(element(ELEMENT_F16, VALUES_CANCEL, i) ^ 0x8000,
                             element(ELEMENT_F16, VALUES_CANCEL, i + 1));
        assert_true(element(ELEMENT_F16, VALUES_EDGES, i) <= 0xffff);
        assert_true(element(ELEMENT_I16, VALUES_EDGES, i) <= 0xffff);
    }
}

/* Returns a filling of `count` elements, with seed 7 and that salt. */
static struct filling filling_of(enum fill fill, enum element type, int64_t low, int64_t high,
                                 uint64_t count, uint64_t salt)
{
    const struct buffer buffer = {
        .element = type, .count = count, .fill = fill, .low = low, .high = high, .salt = salt};

    return values_filling(&buffer, (struct values){VALUES_HASH, 7});
}

/* A bfloat16 is the upper half of a float. */
TEST(bfloat16_is_the_upper_half_of_a_float)
{
    const struct filling sorted = filling_of(FILL_SORTED, ELEMENT_BF16, 0, 100, 100, 0);
    struct launch_text launch;
    size_t column;
    char error[256];

    assert_int_equal(element(ELEMENT_BF16, VALUES_ONES, 0), 0x3f80);
    assert_int_equal(element(ELEMENT_BF16, VALUES_MINIMUM, 0), 0xff7f);
    assert_int_equal(element(ELEMENT_BF16, VALUES_NEGATIVE_ZERO, 0), 0x8000);
    assert_int_equal(element(ELEMENT_BF16, VALUES_INFINITE, 3), 0x7f80);
    assert_int_equal(element(ELEMENT_BF16, VALUES_NAN, 3), 0x7fc0);
    assert_int_equal(element(ELEMENT_BF16, VALUES_HASH, 5),
                     element(ELEMENT_F32, VALUES_HASH, 5) >> 16);
    assert_int_equal(values_filled(&sorted, 0), 0);
    assert_in_range(values_filled(&sorted, 99), 0x4280, 0x42c6); /* 64 to 99 */
    assert_int_equal(oracle_canonical(ELEMENT_BF16, 0xff81), 0x7f81);
    assert_int_equal(oracle_canonical(ELEMENT_BF16, 0xff80), 0xff80);
    assert_int_equal(element_size(ELEMENT_BF16), 2);
    assert_true(launch_parse("k<<<1, 1>>>(in __nv_bfloat16 a[n], out nv_bfloat162 b[n])",
                             &(struct size_names){.count = 0}, &launch, &column, error,
                             sizeof error));
    assert_int_equal(launch.arrays[0].type.element, ELEMENT_BF16);
    assert_int_equal(launch.arrays[1].type.lanes, 2);
}

/* The numbers are in their range and not all the same. Another salt gives other numbers. */
TEST(uniform_numbers_are_in_their_range)
{
    const struct filling uniform = filling_of(FILL_UNIFORM, ELEMENT_I32, -5, 6, 1000, 0),
                         other = filling_of(FILL_UNIFORM, ELEMENT_I32, -5, 6, 1000, 1);
    size_t seen[11] = {0}, others = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        int32_t number = (int32_t)values_filled(&uniform, i);
        assert_true(number >= -5 && number <= 5);
        seen[number + 5]++;
        others += number != (int32_t)values_filled(&other, i);
    }
    for (int k = 0; k < 11; k++)
        assert_true(seen[k] > 50);
    assert_true(others > 500);
}

TEST(sorted_fills_are_sorted)
{
    static const uint64_t counts[] = {1, 2, 3, 17, 64, 1000, 4097};

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint64_t count = counts[c];
        const struct filling sorted = filling_of(FILL_SORTED, ELEMENT_I64, 3, 500, count, 0),
                             permutation =
                                 filling_of(FILL_PERMUTATION, ELEMENT_I32, 0, 0, count, 0),
                             offsets = filling_of(FILL_OFFSETS, ELEMENT_I32, 0, 5000, count, 0),
                             zeros = filling_of(FILL_OFFSETS, ELEMENT_I32, 0, 0, count, 0);
        bool *seen = calloc(count, sizeof *seen);
        assert_non_null(seen);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t at = values_filled(&permutation, i);
            assert_true(at < count && !seen[at]);
            seen[at] = true;
            assert_in_range(values_filled(&sorted, i), 3, 499);
            assert_true(i == 0 || values_filled(&sorted, i) >= values_filled(&sorted, i - 1));
            assert_true(i == 0 || values_filled(&offsets, i) >= values_filled(&offsets, i - 1));
            assert_int_equal(values_filled(&zeros, i), 0);
        }
        assert_int_equal(values_filled(&offsets, 0), 0);
        assert_true(count < 2 || values_filled(&offsets, count - 1) == 5000);
        free(seen);
    }
}

TEST(float_fills_are_in_range)
{
    const struct filling narrow = filling_of(FILL_UNIFORM, ELEMENT_F32, 2, 5, 100, 0),
                         wide = filling_of(FILL_UNIFORM, ELEMENT_F64, -1, 1, 100, 0),
                         half = filling_of(FILL_SORTED, ELEMENT_F16, 0, 100, 100, 0);

    for (uint64_t i = 0; i < 100; i++) {
        uint64_t bits = values_filled(&narrow, i);
        float number;
        double large;
        memcpy(&number, &bits, sizeof number);
        assert_true(number >= 2 && number < 5);
        bits = values_filled(&wide, i);
        memcpy(&large, &bits, sizeof large);
        assert_true(large >= -1 && large < 1);
        assert_true(half_value((uint32_t)values_filled(&half, i)) == (double)i);
    }
}

/* A GPU that fills word by word gives the same values as the host, which fills element by element.
 */
TEST(word_fill_matches_element_fill)
{
    static const enum element types[] = {ELEMENT_I32, ELEMENT_F32, ELEMENT_I8,  ELEMENT_I16,
                                         ELEMENT_I64, ELEMENT_F16, ELEMENT_F64, ELEMENT_BF16};
    enum { WORDS = 16 };

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int p = 0; p < VALUE_PATTERNS; p++) {
            const struct buffer buffer = {.element = types[t], .count = 2 * WORDS};
            const struct filling filling =
                values_filling(&buffer, (struct values){(enum value_pattern)p, 3});
            size_t size = element_size(types[t]);
            uint32_t words[WORDS];
            char bytes[WORDS * 4];
            for (uint64_t i = 0; i < sizeof bytes / size; i++) {
                uint64_t bits = element(types[t], (enum value_pattern)p, i);
                memcpy(bytes + i * size, &bits, size);
            }
            for (uint64_t w = 0; w < WORDS; w++)
                words[w] = values_word(&filling, w);
            assert_memory_equal(words, bytes, sizeof bytes);
        }
}

/* An element of a given array has the bits of the array, and all types have a text. */
TEST(elements_of_given_arrays)
{
    static const uint64_t data[] = {0x0102030405060708, 0xbff8c0fffe3ffc7f};
    static const struct {
        enum element type;
        const char *text; /* of the last element */
    } types[] = {
        {ELEMENT_I8, "-65"},
        {ELEMENT_I16, "-16392"},
        {ELEMENT_I32, "-1074216705"},
        {ELEMENT_I64, "-4613725612526273409"},
        {ELEMENT_F16, "0xbff8 (half)"},
        {ELEMENT_BF16, "0xbff8 (bfloat16)"},
        {ELEMENT_F32, "-1.94338977"},
        {ELEMENT_F64, "-1.5471191341055428"},
    };

    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t size = element_size(types[t].type), last = sizeof data / size - 1;
        struct filling filling = {.element = types[t].type, .fill = FILL_DATA, .data = data};
        uint64_t bits = values_filled(&filling, last);
        char text[48];
        assert_memory_equal(&bits, (const char *)data + last * size, size);
        oracle_text(types[t].type, bits, text);
        assert_string_equal(text, types[t].text);
    }
}

TEST_MAIN("input values", NULL, NULL)
