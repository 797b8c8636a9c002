/* SPDX-License-Identifier: MIT
 *
 * The oracle compared with a second one, which counts the values that have each of the 32 bits.
 */
#include "check.h"

#include "float_series.h"
#include "judge.h"
#include "oracle.h"

#include <float.h>
#include <math.h>

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

/* The textbooks' host reduction. */
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

TEST(integer_sums_match_the_second_oracle)
{
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

TEST(overflow_wraps_around)
{
    const int32_t over[] = {INT32_MAX, 1}, under[] = {INT32_MIN, -1},
                  twice[] = {INT32_MIN, INT32_MIN}, mixed[] = {INT32_MIN, INT32_MAX};
    assert_int_equal(oracle_sum_i32(over, 2), INT32_MIN);
    assert_int_equal(oracle_sum_i32(under, 2), INT32_MAX);
    assert_int_equal(oracle_sum_i32(twice, 2), 0);
    assert_int_equal(oracle_sum_i32(mixed, 2), -1);
}

/* Uses more series than the oracle remembers, in turn, shrinking and growing. Each look-up is
 * right. */
TEST(cached_sums_are_right_after_eviction)
{
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

/* If there is no memory for a sum, the oracle says so. Later sums are right. */
TEST(sum_too_large_for_memory_is_rejected)
{
    struct oracle_sums *sums = oracle_sums_create();
    int32_t sum = 0;
    assert_false(oracle_sums_i32(sums, (struct values){VALUES_ONES, 0}, UINT64_C(1) << 60, &sum));
    assert_true(oracle_sums_i32(sums, (struct values){VALUES_ONES, 0}, 5, &sum));
    assert_int_equal(sum, 5);
    oracle_sums_destroy(sums);
}

/* Shows why the textbooks' recursive halving is tested like a kernel and never serves as the
 * oracle. */
TEST(halving_drops_elements_at_odd_sizes)
{
    int32_t seven[] = {1, 1, 1, 1, 1, 1, 1}, eight[] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(oracle_sum_i32(seven, 7), 7);
    assert_int_not_equal(sum_by_halving(seven, 7), 7);
    assert_int_equal(sum_by_halving(eight, 8), 8);
}

/* ---- Floats ---- */

/* A second exact sum: a list of doubles that do not overlap, grown one by one without rounding (J.
 * R. Shewchuk, "Adaptive precision floating-point arithmetic", 1997, section 2.3). */
enum { MAX_PARTS = 64 };

struct expansion {
    double parts[MAX_PARTS];
    size_t count;
};

static void expansion_add(struct expansion *sum, double x)
{
    size_t kept = 0;

    for (size_t k = 0; k < sum->count; k++) {
        volatile double total = x + sum->parts[k], other = total - x;
        volatile double error = (x - (total - other)) + (sum->parts[k] - other);
        if (error != 0)
            sum->parts[kept++] = error;
        x = total;
    }
    sum->parts[kept++] = x;
    sum->count = kept;
    assert_true(kept < MAX_PARTS);
}

static double expansion_value(const struct expansion *sum)
{
    double value = 0;
    for (size_t k = 0; k < sum->count; k++) /* the smallest part first */
        value += sum->parts[k];
    return value;
}

static const enum value_pattern finite_patterns[] = {
    VALUES_ZEROS,     VALUES_UNIT,      VALUES_ONES,  VALUES_MINIMUM,       VALUES_MAXIMUM,
    VALUES_HASH,      VALUES_ALTERNATE, VALUES_BYTES, VALUES_WHOLE,         VALUES_CANCEL,
    VALUES_SUBNORMAL, VALUES_MIXED,     VALUES_LARGE, VALUES_NEGATIVE_ZERO,
};

TEST(float_sums_match_the_second_oracle)
{
    for (size_t p = 0; p < sizeof finite_patterns / sizeof *finite_patterns; p++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct values values = {finite_patterns[p], 5};
            struct float_sum sum = oracle_sum_f32(values, 0, sizes[s]);
            struct expansion expansion = {.count = 0};
            double expected, got = exact_value(&sum.sum);
            for (uint64_t i = 0; i < sizes[s]; i++)
                expansion_add(&expansion, (double)values_f32(values, i));
            expected = expansion_value(&expansion);
            assert_true(fabs(got - expected) <= fabs(expected) * 0x1p-50);
        }
}

/* Checks sums of every pattern, with any cache content. Some ranges end after the cached part.
 */
TEST(cached_float_sums_match_their_elements)
{
    struct oracle_sums *sums = oracle_sums_create();

    for (uint64_t k = 0; k < 4000; k++) {
        uint64_t hash = values_hash(9, k), n = k % 500 == 499 ? (1 << 20) + 100 : 1 + hash % 3000,
                 first = k % 500 == 499 ? n - 300 : (hash >> 20) % n,
                 last = first + (hash >> 40) % (n - first + 1), height = 1 + (hash >> 8) % 40;
        struct values values = {(enum value_pattern)(k % VALUES_EDGES), (hash >> 30) % n};
        struct float_sum expected = oracle_sum_f32(values, first, last), got;
        const struct float_series *series = oracle_sums_f32(sums, values, n);
        const uint32_t *words;
        float middle = (float)exact_value(&expected.sum);
        assert_non_null(series);
        got = float_series_sum(series, first, last);
        assert_true(exact_value(&got.sum) == exact_value(&expected.sum));
        assert_true(exact_value(&got.magnitude) == exact_value(&expected.magnitude));
        assert_memory_equal(&got.plus_infinities, &expected.plus_infinities,
                            sizeof got - offsetof(struct float_sum, plus_infinities));
        for (int out = -30; out <= 30; out++) {
            float sum = out < -28 ? NAN : out > 28 ? INFINITY : middle;
            for (int step = 0; step < out; step++)
                sum = nextafterf(sum, FLT_MAX);
            for (int step = 0; step < -out; step++)
                sum = nextafterf(sum, -FLT_MAX);
            assert_int_equal(float_series_accepts(series, first, last, height, sum),
                             oracle_accepts_f32(&expected, height, sum));
        }
        assert_true(oracle_sums_words(sums, ELEMENT_F32, values, n, &words));
        assert_int_equal(words == NULL, n > 1 << 20);
        for (uint64_t i = first; words != NULL && i < last; i++)
            assert_int_equal(words[i], values_bits_f32(values.pattern, values.parameter, i));
    }
    oracle_sums_destroy(sums);
}

TEST(cached_ints_match_the_values)
{
    struct oracle_sums *sums = oracle_sums_create();
    const uint32_t *words;

    assert_true(oracle_sums_words(sums, ELEMENT_I32, (struct values){VALUES_HASH, 7}, 999, &words));
    for (uint64_t i = 0; i < 999; i++)
        assert_int_equal(words[i], values_bits(VALUES_HASH, 7, i));
    assert_true(oracle_sums_words(sums, ELEMENT_I32, (struct values){VALUES_HASH, 1},
                                  UINT64_C(1) << 40, &words));
    assert_null(words);
    oracle_sums_destroy(sums);
}

static struct float_sum sum_of(const float *x, size_t n)
{
    struct float_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        float_sum_add(&sum, x[i]);
    return sum;
}

#define SUM_OF(...)                                                                                \
    sum_of((const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

/* No bits are lost between the largest and the smallest float. */
TEST(exact_sums_do_not_round)
{
    struct float_sum sum = SUM_OF(FLT_MAX, 0x1p-149f, FLT_MAX, -FLT_MAX, -0x1p-148f, -FLT_MAX);
    assert_true(exact_value(&sum.sum) == -0x1p-149);
    assert_true(exact_value(&sum.magnitude) == 4 * (double)FLT_MAX);
    sum = SUM_OF(-1.0f, 0x1p-149f);
    assert_true(exact_value(&sum.sum) == -1.0);
    exact_add(&sum.sum, 1.0f);
    assert_true(exact_value(&sum.sum) == 0x1p-149);
}

/* The bound is exactly that of the theorem. A sum just inside is right, and one just outside is
 * wrong. */
TEST(float_error_bound_is_tight)
{
    struct float_sum sum = SUM_OF(1.5f, 3.25f, 1048576.5f, -0.75f);
    const double exact = 1048580.5, magnitude = 1048582.0, u = 0x1p-24;
    for (uint64_t height = 1; height <= 64; height *= 2) {
        double hu = (double)height * u, bound = hu / (1 - hu) * magnitude;
        float inside = (float)exact, outside;
        while ((double)nextafterf(inside, FLT_MAX) - exact <= bound)
            inside = nextafterf(inside, FLT_MAX);
        outside = nextafterf(inside, FLT_MAX);
        assert_true(oracle_accepts_f32(&sum, height, inside));
        assert_false(oracle_accepts_f32(&sum, height, outside));
        assert_false(oracle_accepts_f32(&sum, height, -inside));
    }
    assert_false(oracle_accepts_f32(&sum, 64, INFINITY));
    assert_false(oracle_accepts_f32(&sum, 64, NAN));
}

TEST(whole_floats_up_to_2_to_the_24_are_exact)
{
    struct float_sum sum = SUM_OF(16777000.0f, -215.0f), fractions = SUM_OF(16777000.0f, -214.5f),
                     large = SUM_OF(16777000.0f, -217.0f);
    assert_true(oracle_accepts_f32(&sum, 100, 16776785.0f));
    assert_false(oracle_accepts_f32(&sum, 100, 16776786.0f));
    assert_true(oracle_accepts_f32(&fractions, 100, 16776786.0f));
    assert_true(oracle_accepts_f32(&large, 100, 16776784.0f)); /* magnitudes of 2^24 + 1 */
    sum = SUM_OF(-0.0f, -0.0f);
    assert_true(oracle_accepts_f32(&sum, 1, 0.0f));
    assert_true(oracle_accepts_f32(&sum, 1, -0.0f));
    assert_false(oracle_accepts_f32(&sum, 1, 0x1p-149f));
}

TEST(infinities_and_nans_are_compared)
{
    struct float_sum plus = SUM_OF(1.0f, INFINITY, 2.0f), minus = SUM_OF(-INFINITY, 5.0f),
                     both = SUM_OF(INFINITY, -INFINITY), nan = SUM_OF(1.0f, NAN);
    assert_true(oracle_accepts_f32(&plus, 2, INFINITY));
    assert_false(oracle_accepts_f32(&plus, 2, -INFINITY));
    assert_false(oracle_accepts_f32(&plus, 2, NAN));
    assert_false(oracle_accepts_f32(&plus, 2, 3.0f));
    assert_true(oracle_accepts_f32(&minus, 1, -INFINITY));
    assert_false(oracle_accepts_f32(&minus, 1, INFINITY));
    assert_true(oracle_accepts_f32(&both, 1, -NAN));
    assert_false(oracle_accepts_f32(&both, 1, INFINITY));
    assert_true(oracle_accepts_f32(&nan, 1, NAN));
    assert_false(oracle_accepts_f32(&nan, 1, 1.0f));
}

/* Near overflow the order decides. A sign that no element has is still wrong. */
TEST(intermediate_overflow_is_accepted)
{
    struct float_sum mixed = SUM_OF(FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX),
                     above = SUM_OF(FLT_MAX, FLT_MAX, 1.0f), below = SUM_OF(-FLT_MAX, -FLT_MAX),
                     with_infinity = SUM_OF(INFINITY, FLT_MAX, FLT_MAX, -1.0f),
                     small = SUM_OF(FLT_MAX / 2, -FLT_MAX / 4);
    assert_true(oracle_accepts_f32(&mixed, 3, 0.0f));
    assert_true(oracle_accepts_f32(&mixed, 3, INFINITY));
    assert_true(oracle_accepts_f32(&mixed, 3, -INFINITY));
    assert_true(oracle_accepts_f32(&mixed, 3, NAN));
    assert_false(oracle_accepts_f32(&mixed, 3, FLT_MAX));
    assert_true(oracle_accepts_f32(&above, 2, INFINITY));
    assert_false(oracle_accepts_f32(&above, 2, FLT_MAX)); /* an overflow stays */
    assert_false(oracle_accepts_f32(&above, 2, -INFINITY));
    assert_false(oracle_accepts_f32(&above, 2, NAN));
    assert_true(oracle_accepts_f32(&below, 1, -INFINITY));
    assert_false(oracle_accepts_f32(&below, 1, INFINITY));
    assert_true(oracle_accepts_f32(&with_infinity, 3, INFINITY));
    assert_true(oracle_accepts_f32(&with_infinity, 3, NAN));
    assert_false(oracle_accepts_f32(&with_infinity, 3, -INFINITY));
    assert_false(oracle_accepts_f32(&small, 1, INFINITY));
    /* With so many additions the bound is useless. */
    assert_true(oracle_accepts_f32(&small, 1 << 24, 3.0f));
}

TEST(report_contains_the_expected_value)
{
    struct float_sum sum = SUM_OF(1.5f, 2.0f), whole = SUM_OF(3.0f, 4.0f), nan = SUM_OF(NAN),
                     minus = SUM_OF(-INFINITY), plus = SUM_OF(INFINITY);
    char text[64];
    oracle_text_f32(&sum, 1, text, sizeof text);
    assert_string_equal(text, "3.5 +- 2.1e-07");
    oracle_text_f32(&whole, 1, text, sizeof text);
    assert_string_equal(text, "7");
    oracle_text_f32(&nan, 1, text, sizeof text);
    assert_string_equal(text, "nan");
    oracle_text_f32(&minus, 1, text, sizeof text);
    assert_string_equal(text, "-inf");
    oracle_text_f32(&plus, 1, text, sizeof text);
    assert_string_equal(text, "inf");
}

TEST(float_patterns_match_their_names)
{
    for (uint64_t i = 0; i < 10000; i++) {
        float whole = values_f32((struct values){VALUES_WHOLE, 3}, i);
        float byte = values_f32((struct values){VALUES_BYTES, 3}, i);
        float small = values_f32((struct values){VALUES_SUBNORMAL, 3}, i);
        float large = values_f32((struct values){VALUES_LARGE, 3}, i);
        float mixed = values_f32((struct values){VALUES_MIXED, 3}, i);
        float hash = values_f32((struct values){VALUES_HASH, 3}, i);
        assert_true(whole == truncf(whole) && whole >= 1 && whole <= 256);
        assert_true(byte == whole - 1);
        assert_int_equal(values_bits(VALUES_BYTES, 3, i), (int)byte);
        assert_true(fabsf(small) < FLT_MIN);
        assert_true(isfinite(large) && fabsf(large) >= 0x1p120f);
        assert_true(isnormal(mixed) && fabsf(mixed) < 0x1p97f);
        assert_true(hash >= -1 && hash < 1);
        assert_int_equal(values_bits_f32(VALUES_EDGES, 3, i), values_bits(VALUES_EDGES, 3, i));
        assert_true(values_f32((struct values){VALUES_CANCEL, 3}, 2 * i) ==
                    -values_f32((struct values){VALUES_CANCEL, 3}, 2 * i + 1));
    }
    assert_true(signbit(values_f32((struct values){VALUES_NEGATIVE_ZERO, 0}, 4)));
    assert_true(isnan(values_f32((struct values){VALUES_NAN, 4}, 4)));
    assert_true(values_f32((struct values){VALUES_NAN, 4}, 3) == 1);
    assert_true(values_f32((struct values){VALUES_ABSORBING, 4}, 4) == 0x1p24f);
    assert_true(values_f32((struct values){VALUES_ABSORBING, 4}, 3) == 1);
    assert_true(values_f32((struct values){VALUES_INFINITE, 4}, 4) == INFINITY);
    assert_true(values_f32((struct values){VALUES_OPPOSED, 4}, 5) == -INFINITY);
    assert_true(values_f32((struct values){VALUES_UNIT, 4}, 4) == 1);
    assert_true(values_f32((struct values){VALUES_ALTERNATE, 0}, 1) == FLT_MAX);
}

/* ---- Element by element ---- */

static uint32_t word_of(const char *id, struct shape shape, uint32_t output, uint64_t i)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, id, VARIANT_CORRECTED);
    uint32_t word;

    assert_non_null(variant);
    oracle_words(variant, &shape, (struct values){VALUES_ALTERNATE, 0}, NULL, output, i, 1, &word);
    return word;
}

/* Worked out by hand from the textbooks' examples. */
TEST(elements_match_hand_computed_values)
{
    const struct shape cube = {{2, 2, 2}, {8, 1}, 0, 0, {0, 0}},
                       eighty = {{80, 1, 1}, {160, 1}, 0, 0, {0, 0}},
                       matrix = {{4, 4, 1}, {3, 3}, 0, 0, {0, 0}};
    assert_int_equal(word_of("reduceNeighbored", cube, 0, 3), 0); /* has no elements */
    assert_int_equal(word_of("warpMap", cube, 0, 7), 7);          /* (1,1,1) is 1 + 2 + 4 */
    assert_int_equal(word_of("warpMap", cube, 1, 7), 0);
    assert_int_equal(word_of("warpMap", eighty, 1, 79), 2); /* the third warp is half idle */
    assert_int_equal(word_of("warpMap", eighty, 2, 79), 15);
    assert_int_equal(word_of("warpMap", eighty, 0, 80), 0);              /* the next block */
    assert_int_equal(word_of("mathKernel1", eighty, 0, 3), 0x43480000);  /* 200.0f */
    assert_int_equal(word_of("mathKernel2", eighty, 0, 31), 0x42c80000); /* 100.0f */
    assert_int_equal(word_of("mathKernel2", eighty, 0, 32), 0x43480000);
    assert_int_equal(word_of("mathKernel1Loop", eighty, 0, 3), 1);
    assert_int_equal(word_of("mathKernel2Loop", eighty, 0, 3), 0);
    /* A has 9 elements, so B starts with value number 9: INT_MIN + INT_MAX, then the reverse. */
    assert_int_equal(word_of("sumMat", matrix, 0, 0), UINT32_MAX);
    assert_int_equal(word_of("sumMatrixOnGPU2D", matrix, 0, 4), 0);  /* -FLT_MAX + FLT_MAX */
    assert_int_equal(word_of("reduceInterleaved", eighty, 0, 0), 0); /* no value per element */
}

TEST(all_nans_compare_equal)
{
    assert_int_equal(oracle_canonical(ELEMENT_F32, 0xffc00000),
                     oracle_canonical(ELEMENT_F32, 0x7fffffff));
    assert_int_not_equal(oracle_canonical(ELEMENT_F32, 0x7f800000),
                         oracle_canonical(ELEMENT_F32, 0x7f800001));
    assert_int_not_equal(oracle_canonical(ELEMENT_F32, 0),
                         oracle_canonical(ELEMENT_F32, 0x80000000));
    assert_int_equal(oracle_canonical(ELEMENT_F16, 0x7e01), oracle_canonical(ELEMENT_F16, 0xfc01));
    assert_int_equal(oracle_canonical(ELEMENT_F16, 0xfc00), 0xfc00);
    assert_true(oracle_canonical(ELEMENT_F64, UINT64_C(0xfff8000000000000)) ==
                oracle_canonical(ELEMENT_F64, UINT64_C(0x7ff0000000000001)));
    assert_true(oracle_canonical(ELEMENT_F64, UINT64_C(0xfff0000000000000)) ==
                UINT64_C(0xfff0000000000000));
    assert_true(oracle_canonical(ELEMENT_I64, UINT64_MAX) == UINT64_MAX);
    assert_int_equal(oracle_canonical(ELEMENT_I32, 0xffc00000), 0xffc00000);
}

/* Element i depends only on (pattern, parameter, i). The values are fixed, because case IDs refer
 * to them. */
TEST(values_match_recorded_constants)
{
    assert_int_equal(values_hash(0, 0) >> 32, 0xe220a839);
    assert_int_equal((uint32_t)values_hash(0, 0), 0x7b1dcdaf);
    assert_int_equal(values_i32((struct values){VALUES_UNIT, 3}, 3), 1);
    assert_int_equal(values_i32((struct values){VALUES_UNIT, 3}, 2), 0);
    assert_int_equal(values_i32((struct values){VALUES_ALTERNATE, 0}, 0), INT32_MIN);
    assert_int_equal(values_i32((struct values){VALUES_ALTERNATE, 0}, 1), INT32_MAX);
}

/* Judges `output` as the result of that variant's launch. */
static enum judgement judge(const char *id, struct shape shape, void *output, uint64_t children,
                            uint64_t child_threads, struct difference *difference)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, id, VARIANT_CORRECTED);
    struct oracle_sums *sums = oracle_sums_create();
    struct invocation invocation;
    void *buffers[MAX_BUFFERS] = {NULL};
    enum judgement judgement;

    variant->invoke(variant, &shape, &invocation);
    for (uint32_t k = 0; k < invocation.buffer_count; k++)
        if (invocation.buffers[k].role == ROLE_OUTPUT || invocation.buffers[k].role == ROLE_LOG)
            buffers[k] = output;
    const struct result result = {.variant = variant,
                                  .shape = &shape,
                                  .values = {VALUES_ONES, 0},
                                  .invocation = &invocation,
                                  .buffers = buffers,
                                  .children = children,
                                  .child_blocks = children,
                                  .unwaited = "",
                                  .unjoined = "",
                                  .waited = "",
                                  .accesses = UINT64_MAX,
                                  .child_threads = child_threads};
    judgement = oracle_judge(sums, &result, difference);
    oracle_sums_destroy(sums);
    return judgement;
}

TEST(results_are_checked_against_contracts)
{
    struct difference difference;
    int32_t sums[2] = {4, 3};
    float floats[1] = {3};
    uint32_t log[128];
    assert_int_equal(judge("reduceInterleaved", (struct shape){{4, 1, 1}, {7, 1}, 0, 0, {0, 0}},
                           sums, 0, 0, &difference),
                     JUDGEMENT_EQUAL);
    assert_int_equal(judge("reduceInterleaved", (struct shape){{4, 1, 1}, {8, 1}, 0, 0, {0, 0}},
                           sums, 0, 0, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "out[1]");
    assert_string_equal(difference.expected, "4");
    assert_string_equal(difference.got, "3");
    assert_int_equal(judge("reduceInterleavedFloat",
                           (struct shape){{4, 1, 1}, {4, 1}, 0, 0, {0, 0}}, floats, 0, 0,
                           &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.got, "3");
    assert_int_equal(judge("mathKernel2Loop", (struct shape){{2, 1, 1}, {2, 1}, 0, 0, {0, 0}}, sums,
                           0, 0, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "c[0]");
    assert_int_equal(judge("reduceInterleaved", (struct shape){{4, 1, 1}, {8, 1}, 0, 0, {0, 0}},
                           NULL, 0, 0, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.got, "none");
    /* The sum is right, but the blocks' total is not reset to zero. */
    assert_int_equal(judge("reduceModern", (struct shape){{4, 1, 1}, {4, 1}, 0, 0, {0, 0}}, sums, 0,
                           0, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "state[0]");
    assert_string_equal(difference.expected, "0 at the end");
    /* One child grid of 2 threads adds up what the block's 4 have left. */
    assert_int_equal(judge("gpuRecursiveReduce", (struct shape){{4, 1, 1}, {4, 1}, 0, 0, {0, 0}},
                           sums, 1, 2, &difference),
                     JUDGEMENT_EQUAL);
    assert_int_equal(judge("gpuRecursiveReduce", (struct shape){{4, 1, 1}, {4, 1}, 0, 0, {0, 0}},
                           sums, 2, 2, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "child grids");
    assert_int_equal(judge("gpuRecursiveReduce", (struct shape){{4, 1, 1}, {4, 1}, 0, 0, {0, 0}},
                           sums, 1, 3, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "threads of child grids");
    /* A log without entries. */
    memset(log, 0, sizeof log);
    assert_int_equal(judge("nestedHelloWorld", (struct shape){{2, 1, 1}, {2, 1}, 0, 0, {0, 0}}, log,
                           1, 1, &difference),
                     JUDGEMENT_DIFFERS);
    assert_string_equal(difference.place, "log");
}

/* There are more elements than memory for their sums. */
TEST(judge_reports_out_of_memory)
{
    const struct shape huge = {{1, 1, 1}, {UINT64_C(1) << 58, 1}, 0, 0, {0, 0}};
    const struct variant *variant =
        catalogue_find(&simtcheck_catalogue, "recursiveReduce", VARIANT_CORRECTED);
    struct variant ints = *variant;
    struct invocation invocation = {
        .buffer_count = 1,
        .buffers = {{.name = "out", .role = ROLE_OUTPUT, .element = ELEMENT_I32, .count = 0}}};
    struct oracle_sums *sums = oracle_sums_create();
    int32_t output = 0;
    void *buffers[MAX_BUFFERS] = {&output};
    struct difference difference;

    ints.element = ELEMENT_I32;
    for (uint64_t count = 0; count < 2; count++) {
        const struct result result = {.variant = &ints,
                                      .shape = &huge,
                                      .values = {VALUES_ONES, 0},
                                      .invocation = &invocation,
                                      .buffers = buffers};
        invocation.buffers[0].count = count;
        assert_int_equal(oracle_judge(sums, &result, &difference), JUDGEMENT_FAILED);
    }
    oracle_sums_destroy(sums);
}

/* The drawn values include the edge cases that compilers get wrong. */
TEST(drawn_values_include_edge_cases)
{
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                       0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x100};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        unsigned int found = 0;
        for (uint64_t i = 0; i < 10000; i++)
            found += values_bits(VALUES_EDGES, 1, i) == special[k];
        assert_true(found > 0);
    }
}

TEST_MAIN("oracle", NULL, NULL)
