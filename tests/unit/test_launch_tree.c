/* SPDX-License-Identifier: MIT
 *
 * The oracle of launch trees, against the documents' traces, and a second count by recursion.
 */
#include "check.h"

#include "launch_tree.h"

static struct launch_tree tree_of(const char *id, uint32_t block, uint64_t first, uint64_t second)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, id, FORM_TOTAL);
    const struct shape shape = {{block, 1, 1}, {first, second}, 0};
    struct launch_tree tree;

    assert_non_null(variant);
    oracle_launch_tree(variant, &shape, &tree);
    return tree;
}

/* Entries at each depth, until one has none. */
static void assert_heard(const struct launch_tree *tree, const uint64_t *heard)
{
    for (uint32_t d = 0; d < tree->depths; d++) {
        const struct launch_level *level = &tree->levels[d];
        assert_int_equal(level->grids * level->blocks * level->heard, heard[d]);
    }
    assert_int_equal(heard[tree->depths], 0);
}

static void traces_of_the_documents(void **state)
{
    struct launch_tree one = tree_of("nestedHelloWorld", 8, 1, 8),
                       two = tree_of("nestedHelloWorld", 8, 2, 8),
                       wide = tree_of("nestedHelloWorld", 2, 8, 16),
                       limited = tree_of("nestedHelloWorldLimited", 8, 1, 8),
                       halved = tree_of("nestedHelloWorldNew", 8, 2, 1),
                       pairs = tree_of("nestedHelloWorldTree", 3, 2, 1);
    (void)state;
    assert_heard(&one, (uint64_t[]){8, 4, 2, 1, 0});
    assert_heard(&two, (uint64_t[]){16, 8, 4, 2, 0});
    assert_heard(&wide, (uint64_t[]){16, 64, 32, 16, 8, 0});
    assert_heard(&limited, (uint64_t[]){8, 4, 2, 0});
    assert_heard(&halved, (uint64_t[]){16, 8, 8, 8, 0}); /* 16, 8, 4 and 2 threads in blocks of 8 */
    assert_heard(&pairs, (uint64_t[]){2, 4, 8, 0, 0});
    assert_int_equal(pairs.children, 2 + 4 + 8);
}

static void child_grids_of_the_recursive_reduces(void **state)
{
    (void)state;
    assert_int_equal(tree_of("gpuRecursiveReduce", 512, 1 << 20, 1).children, 16384);
    assert_int_equal(tree_of("gpuRecursiveReduceNosync", 512, 1 << 20, 1).children, 16384);
    assert_int_equal(tree_of("gpuRecursiveReduce2", 512, 1 << 20, 1).children, 8);
    /* Of 256, 128 ... 2 threads; and for all blocks at once, of 128 ... 1. */
    assert_int_equal(tree_of("gpuRecursiveReduce", 512, 512, 1).child_threads, 510);
    assert_int_equal(tree_of("gpuRecursiveReduce2", 512, 1024, 1).child_threads, 2 * 255);
}

/* Grids that a segment of that size needs, with so many elements there. */
static uint64_t grids_below(uint64_t size, uint64_t present)
{
    uint64_t half = (size + 1) / 2;
    return present <= 2 ? 0 : 1 + grids_below(half, present < half ? present : half);
}

static void counting_by_recursion_gives_the_same(void **state)
{
    (void)state;
    for (uint32_t block = 1; block <= 1024; block++)
        for (uint64_t n = 0; n < 3 * (uint64_t)block + 2; n += 1 + block / 7) {
            uint64_t whole = n / block, expected = whole * grids_below(block, block);
            struct launch_tree tree = tree_of("gpuRecursiveReduceNosync", block, n, 1);
            expected += grids_below(block, n % block);
            assert_int_equal(tree.children, expected);
            assert_int_equal(tree.levels[0].blocks, n == 0 ? 1 : (n + block - 1) / block);
        }
}

static bool accepts(const uint32_t *entries, uint64_t count, bool parents_first)
{
    uint32_t log[64];
    struct launch_tree tree = tree_of("nestedHelloWorld", 2, 1, 2);
    char expected[48], got[48];
    memcpy(log, entries, count * sizeof *log);
    return oracle_check_log(&tree, log, count, parents_first, expected, got, sizeof got);
}

enum { SPARE = 8, CHILD = 1 << 26 };

/* Two threads at depth 0 and one at depth 1. */
static void a_log_is_held_to_the_tree(void **state)
{
    const uint32_t good[SPARE] = {3, 0, 1, CHILD}, swapped[SPARE] = {3, 1, 0, CHILD},
                   early[SPARE] = {3, 0, CHILD, 1}, child_first[SPARE] = {3, CHILD, 0, 1},
                   missing[SPARE] = {2, 0, 1}, twice[SPARE] = {4, 0, 1, CHILD, CHILD},
                   other_thread[SPARE] = {3, 0, 2, CHILD}, too_many[SPARE] = {SPARE, 0, 1, CHILD},
                   other_block[SPARE] = {3, 0, 1, CHILD + 1024};
    (void)state;
    assert_true(accepts(good, SPARE, true));
    assert_true(accepts(swapped, SPARE, true));
    assert_true(accepts(early, SPARE, true)); /* after thread 0, which launches it */
    assert_false(accepts(child_first, SPARE, true));
    assert_true(accepts(child_first, SPARE, false));
    assert_false(accepts(missing, SPARE, true));
    assert_false(accepts(twice, SPARE, false));
    assert_false(accepts(other_thread, SPARE, true));
    assert_false(accepts(other_block, SPARE, false));
    assert_false(accepts(too_many, SPARE, true));
}

/* What was printed is one line for each entry, in any order. */
static void printed_lines_are_held_to_the_log(void **state)
{
    static const uint32_t log[] = {2, 0, 1 << 26 | 3 << 10 | 5};
    static const struct {
        const char *printed;
        bool right;
    } texts[] = {
        {"depth 1: hello from thread 5 of block 3\ndepth 0: hello from thread 0 of block 0\n",
         true},
        {"depth 1: hello from thread 5 of block 3\ndepth 0: hello from thread 1 of block 0\n",
         false},
        {"depth 0: hello from thread 0 of block 0\n", false},
        {"depth 0: hello from thread 0 of block 0\nhello\n", false},
        {"depth 0: hello from thread 0 of block 0\ndepth 1: hello from thread 5 of block 3!\n",
         false},
        {"", false},
    };
    char expected[48], got[48];
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        assert_true(oracle_check_printed(log, texts[t].printed, expected, got, sizeof got) ==
                    texts[t].right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_of_the_documents),
        cmocka_unit_test(child_grids_of_the_recursive_reduces),
        cmocka_unit_test(counting_by_recursion_gives_the_same),
        cmocka_unit_test(a_log_is_held_to_the_tree),
        cmocka_unit_test(printed_lines_are_held_to_the_log),
    };
    return cmocka_run_group_tests_name("launch tree", tests, NULL, NULL);
}
