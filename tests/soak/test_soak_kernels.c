/* SPDX-License-Identifier: MIT
 *
 * The cases of `soak` that need no instruction table: the simulator's results of the catalogue's
 * kernels and of atomic operations, compared with C; and what `soak` says if they are wrong.
 */
#include "atomic_cases.h"
#include "check.h"
#include "kernel_cases.h"
#include "soak_expected.h"

#include <math.h>
#include <simtcheck/catalogue.h>

static const struct soak_module *module;
static struct soak_expected expected;
static bool has_kernels;

/* Computes the expected results of all cases of that kind. */
static void compute(const char *name)
{
    enum { PATIENCE = 600 };
    char reason[SOAK_REASON];
    size_t count, k = 0;
    struct soak_code code;
    struct soak_module *modules = (struct soak_module *)soak_modules(0, 1, &count);

    while (k < count && strcmp(modules[k].name, name) != 0)
        k++;
    assert_true(k < count);
    module = &modules[k];
    modules[k].first = 0;
    if (!soak_code_open(&code, NULL, 1) ||
        !soak_expected_compute(module, 1, &expected, &code, PATIENCE, reason))
        fail_msg("%s", reason);
}

/* ---- Kernels ---- */

static uint32_t input[2 * KERNEL_WORDS * KERNEL_BLOCK]; /* two elements in a word */
static const uint32_t *area;                            /* of the results */

static float value(uint32_t bits)
{
    float made;

    memcpy(&made, &bits, sizeof made);
    return made;
}

/* All elements after the inputs: the sums of the blocks, and a state that is 0. */
static void check_sum(const struct kernel_case *kernel, uint32_t n)
{
    const uint32_t *out = area + 2 * KERNEL_WORDS * KERNEL_BLOCK;
    uint32_t sum = 0, expected_sum = 0;
    double real = 0, expected_real = 0, absolute = 0;

    for (uint32_t k = 0; k < 2 * KERNEL_BLOCK; k++) {
        sum += out[k];
        real += (double)value(out[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        expected_sum += input[k];
        expected_real += (double)value(input[k]);
        absolute += fabs((double)value(input[k]));
    }
    if (kernel->is_float)
        assert_true(fabs(real - expected_real) < 1e-5 * absolute);
    else
        assert_int_equal(sum, expected_sum);
}

static void check_map(const struct kernel_case *kernel, uint32_t n)
{
    bool by_lane = strstr(kernel->name, "mathKernel1") != NULL;

    for (uint32_t k = 0; k < n; k++)
        assert_true(value(area[k]) == ((by_lane ? k : k / 32) % 2 == 0 ? 100.0f : 200.0f));
}

static void check_warp_map(uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        assert_int_equal(area[k], k % 256);
        assert_int_equal(area[2048 + k], k % 256 / 32);
        assert_int_equal(area[4096 + k], k % 32);
    }
}

static void check_matrix(const struct kernel_case *kernel, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (kernel->is_float)
            assert_true(value(area[4096 + k]) == value(input[k]) + value(input[2048 + k]));
        else
            assert_int_equal(area[4096 + k], input[k] + input[2048 + k]);
}

/* Checks the kernel's results of one input. */
static void check_kernel(const struct kernel_case *kernel, uint32_t number)
{
    uint32_t sizes[2] = {1, 1}, count = 0;
    const char *first = kernel->arguments[0].name;

    for (const struct kernel_argument *one = kernel->arguments; one->name != NULL; one++)
        if (one->step > 0)
            sizes[count++] = one->value - number * one->step;
    for (uint32_t w = 0; w < KERNEL_WORDS * KERNEL_BLOCK; w++) {
        uint64_t word =
            kernel_case_operand(kernel, number * KERNEL_BLOCK + w / KERNEL_WORDS, w % KERNEL_WORDS);
        memcpy(&input[2 * w], &word, sizeof word);
    }
    if (strcmp(first, "in") == 0)
        check_sum(kernel, sizes[0]);
    else if (strcmp(first, "A") == 0)
        check_matrix(kernel, sizes[0] * sizes[1]);
    else if (strcmp(first, "number") == 0)
        check_warp_map(sizes[0]);
    else
        check_map(kernel, sizes[0]);
}

static size_t soaked_rows(void)
{
    size_t count = 0;

    for (size_t v = 0; v < simtcheck_catalogue.count; v++)
        count += simtcheck_catalogue.variants[v].soak != SOAK_NOT;
    assert_true(count >= 25);
    return count;
}

TEST(kernels_compute_what_c_computes)
{
    compute("kernels of the catalogue");
    has_kernels = module->absent == NULL;
    assert_int_equal(module->count, has_kernels ? soaked_rows() : 0);
    for (size_t k = 0; k < module->count; k++) {
        for (size_t j = 0; j < k; j++) /* rows share kernels, and one of them says `soak` */
            assert_string_not_equal(module->cases[j].opcode, module->cases[k].opcode);
        for (uint32_t number = 0; number < SOAK_TUPLES / KERNEL_BLOCK; number++) {
            area = (const uint32_t *)&expected
                       .words[expected.first[k] + number * KERNEL_BLOCK * KERNEL_RESULTS];
            check_kernel(module->cases[k].kernel, number);
        }
    }
}

/* ---- Atomic operations ---- */

static uint32_t tuple_word(const struct atomic_case *atomic, uint32_t tuple, uint32_t word)
{
    const struct soak_case one = {.atomic = atomic};
    uint64_t words[SOAK_MAX_WORDS];

    soak_tuple(&one, tuple, words);
    return (uint32_t)words[word];
}

/* Each word of a warp has its first value and the operands of all lanes; a thread's has its own. */
TEST(atomic_operations_compute_what_c_computes)
{
    size_t checked = 0;

    compute("atomic instructions");
    for (size_t k = 0; k < module->count; k++) {
        const struct atomic_case *atomic = module->cases[k].atomic;
        const uint64_t *words = &expected.words[expected.first[k]];
        uint32_t sum = 0;

        if (strstr(atomic->opcode, ".add.u32") == NULL)
            continue;
        checked++;
        for (uint32_t tuple = 0; tuple < 32; tuple++) {
            uint32_t old = tuple_word(atomic, tuple, 0), added = tuple_word(atomic, tuple, 1);

            sum += added;
            assert_int_equal(words[tuple * ATOMIC_RESULTS], old);
            assert_int_equal((uint32_t)words[tuple * ATOMIC_RESULTS + 1], old + added);
        }
        assert_int_equal((uint32_t)words[2], tuple_word(atomic, 0, 0) + sum);
    }
    assert_int_equal(checked, 2);
}

/* ---- Wrong results ---- */

TEST(wrong_results_are_named_with_their_input)
{
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    setenv("SIMTCHECK_SOAK_STEP", "300", 1);
    setenv("SIMTCHECK_SOAK_WRONG", "2:reduceNeighboredCorrected", 1);
    if (has_kernels)
        expect_run(1,
                   "SM 2: reduceNeighboredCorrected, 17 times|"
                   "first: input 0, block 256x1, grid 32x1, n 8192: elements 238 and 239 of in",
                   "soak --quick");
    setenv("SIMTCHECK_SOAK_WRONG", "1:atom.global.add.u32", 1);
    expect_run(1, "SM 1: atom.global.add.u32, 3 times|first: u32:8000000000000000 u32:0",
               "soak --quick");
    setenv("SIMTCHECK_SOAK_WRONG", "3:wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", 1);
    expect_run(1,
               "SM 3: wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16, 1 times|"
               "first: input 0, thread 7: 5b316f59e4633777 ",
               "soak --quick");
}

TEST_MAIN("soak_kernels", folder_make, folder_remove)
