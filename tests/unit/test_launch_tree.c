/* SPDX-License-Identifier: MIT
 *
 * The oracle of launch trees, compared with the textbooks' traces and with a second count by
 * recursion.
 */
#include "check.h"

#include "figures.h"
#include "launch_tree.h"

/* Returns the tree of a kernel that has a parameter maxDepth. */
static struct launch_tree tree_to(uint32_t depth, const char *id, uint32_t block, uint64_t first,
                                  uint64_t second)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, id, VARIANT_CORRECTED);
    const struct shape shape = {{block, 1, 1}, {first, second}, 0, depth, {0, 0}};
    struct launch_tree tree;

    assert_non_null(variant);
    oracle_launch_tree(variant, &shape, &tree);
    return tree;
}

static struct launch_tree tree_of(const char *id, uint32_t block, uint64_t first, uint64_t second)
{
    return tree_to(0, id, block, first, second);
}

/* Compares the entries at each depth, up to a depth without any. */
static void assert_heard(const struct launch_tree *tree, const uint64_t *heard)
{
    for (uint32_t d = 0; d < tree->depths; d++) {
        const struct launch_level *level = &tree->levels[d];
        assert_int_equal(level->grids * level->blocks * level->heard, heard[d]);
    }
    assert_int_equal(heard[tree->depths], 0);
}

TEST(traces_match_the_published_output)
{
    struct launch_tree one = tree_of("nestedHelloWorld", 8, 1, 8),
                       two = tree_of("nestedHelloWorld", 8, 2, 8),
                       wide = tree_of("nestedHelloWorld", 2, 8, 16),
                       limited = tree_to(2, "nestedHelloWorldLimited", 8, 1, 8),
                       halved = tree_of("nestedHelloWorldNew", 8, 2, 1),
                       pairs = tree_to(3, "nestedHelloWorldTree", 3, 2, 1);
    assert_heard(&one, (uint64_t[]){8, 4, 2, 1, 0});
    assert_heard(&two, (uint64_t[]){16, 8, 4, 2, 0});
    assert_heard(&wide, (uint64_t[]){16, 64, 32, 16, 8, 0});
    assert_heard(&limited, (uint64_t[]){8, 4, 2, 0});
    assert_heard(&halved, (uint64_t[]){16, 8, 8, 8, 0}); /* 16, 8, 4 and 2 threads in blocks of 8 */
    assert_int_equal(halved.children, 3);
    assert_true(one.logs_launches && wide.logs_launches && limited.logs_launches &&
                halved.logs_launches && !pairs.logs_launches);
    assert_heard(&pairs, (uint64_t[]){2, 4, 8, 0, 0});
    assert_int_equal(pairs.children, 2 + 4 + 8);
}

/* nestedHelloWorldNew, by the textbook. Blocks do not shrink, so counts do not drop below B. If
 * halving skips the final size, the last size is 1. */
TEST(traces_match_for_halved_grids)
{
    static const struct {
        uint32_t block;
        uint64_t blocks, heard[12];
    } traces[] = {
        {8, 1, {8, 8, 8, 8}},
        {8, 2, {16, 8, 8, 8}},
        {8, 4, {32, 16, 8, 8}},
        {8, 3, {24, 16, 8, 8}},
        {512, 2, {1024, 512, 512, 512, 512, 512, 512, 512, 512, 512}},
        {3, 2, {6, 3, 3}}, /* 6, 3 and 1 threads */
        {1, 5, {5}},
    };
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        struct launch_tree tree =
            tree_of("nestedHelloWorldNew", traces[t].block, traces[t].blocks, 1);
        assert_heard(&tree, traces[t].heard);
    }
}

TEST(recursive_reductions_launch_the_expected_child_grids)
{
    assert_int_equal(tree_of("gpuRecursiveReduce", 512, 1 << 20, 1).children, 16384);
    figures_asserted("nested notes", "nvprof: child grids of gpuRecursiveReduce, n = 2^20, B = 512",
                     1);
    assert_int_equal(tree_of("gpuRecursiveReduceNosync", 512, 1 << 20, 1).children, 16384);
    assert_int_equal(tree_of("gpuRecursiveReduce2", 512, 1 << 20, 1).children, 8);
    /* Per block: 256, 128 ... 2 threads. For all blocks at once: 128 ... 1. */
    assert_int_equal(512 + tree_of("gpuRecursiveReduce", 512, 512, 1).child_threads, 1022);
    figures_asserted("worked out: nested notes",
                     "threads that gpuRecursiveReduce launches for a root block, B = 512", 1);
    assert_int_equal(tree_of("gpuRecursiveReduce2", 512, 1024, 1).child_threads, 2 * 255);
}

/* Returns the grids for a segment of that size in which `present` elements exist. */
static uint64_t grids_below(uint64_t size, uint64_t present)
{
    uint64_t half = (size + 1) / 2;
    return present <= 2 ? 0 : 1 + grids_below(half, present < half ? present : half);
}

TEST(recursive_count_matches_the_launch_tree)
{
    for (uint32_t block = 1; block <= 1024; block++)
        for (uint64_t n = 0; n < 3 * (uint64_t)block + 2; n += 1 + block / 7) {
            uint64_t whole = n / block, expected = whole * grids_below(block, block);
            struct launch_tree tree = tree_of("gpuRecursiveReduceNosync", block, n, 1);
            expected += grids_below(block, n % block);
            assert_int_equal(tree.children, expected);
            assert_int_equal(tree.levels[0].blocks, n == 0 ? 1 : (n + block - 1) / block);
        }
}

/* Returns the grids below a block of `size` threads that launches a block of half as many. */
static uint64_t chain_below(uint64_t size, uint32_t depth)
{
    return size > 1 && depth > 0 ? 1 + chain_below(size / 2, depth - 1) : 0;
}

/* Returns the printing blocks below a block that prints, if each launches two. */
static uint64_t heard_below(uint32_t depth)
{
    return depth > 1 ? 2 + 2 * heard_below(depth - 1) : 0;
}

TEST(recursion_ends_at_the_expected_depth)
{
    for (uint32_t depth = 0; depth <= 24; depth++)
        for (uint64_t size = 0; size < 2100; size += 1 + size / 9) {
            struct launch_tree tree = tree_to(depth, "nestedHelloWorldLimited", 8, 3, size);
            assert_int_equal(tree.children, 3 * chain_below(size, depth));
        }
    for (uint32_t depth = 0; depth <= 12; depth++) {
        struct launch_tree tree = tree_to(depth, "nestedHelloWorldTree", 3, 5, 1);
        uint64_t heard = 0;
        for (uint32_t d = 0; d < tree.depths; d++)
            heard += tree.levels[d].grids * tree.levels[d].blocks * tree.levels[d].heard;
        assert_int_equal(heard, depth > 0 ? 5 * (1 + heard_below(depth)) : 0);
        assert_int_equal(tree.depths, depth + 1);
        assert_int_equal(tree.children, 5 * ((1 << depth) - 1));
    }
}

static int limit_error(const char *id, bool is_cdp1, uint32_t block, uint64_t first,
                       uint64_t second, uint32_t depth)
{
    const struct variant *variant = catalogue_find(&simtcheck_catalogue, id, VARIANT_CORRECTED);
    const struct shape shape = {{block, 1, 1}, {first, second}, 0, depth, {0, 0}};
    struct limit_error error = oracle_limit_error(variant, &shape, is_cdp1);
    int number = 0;

    if (error.text != NULL)
        assert_int_equal(sscanf(error.text, "cudaError%*[A-Za-z] (%d)", &number), 1);
    assert_int_equal(error.when == EVERY_ORDER, number == 68);
    return number;
}

/* The limits of the CUDA C++ Programming Guide: a synchronization depth of 2, and 2048 pending
 * launches, whose data is kept until their grids are complete. Grids at depths 0 and 1 may wait. */
TEST(default_limits_stop_deep_waits_and_many_launches)
{
    for (uint32_t block = 1; block <= 1024; block++) {
        bool waits = grids_below(block, block) > 2;
        assert_int_equal(limit_error("gpuRecursiveReduce", true, block, block, 1, 0),
                         waits ? 68 : 0);
        assert_int_equal(limit_error("gpuRecursiveReduceNosync", true, block, block, 1, 0), 0);
        assert_int_equal(limit_error("nestedHelloWorldWait", true, block, 1, block, 0),
                         block >= 8 ? 68 : 0);
    }
    for (uint64_t blocks = 2047; blocks <= 2050; blocks++) {
        int pending = blocks > 2048 ? 69 : 0;
        assert_int_equal(limit_error("nestedHelloWorld", false, 1, blocks, 2, 0), pending);
        assert_int_equal(limit_error("nestedHelloWorld", true, 1, blocks, 2, 0), 0);
        assert_int_equal(limit_error("nestedHelloWorld", false, 1, blocks, 1, 0), 0);
        assert_int_equal(limit_error("nestedHelloWorldLimited", false, 1, blocks, 8, 1), pending);
        assert_int_equal(limit_error("nestedHelloWorldLimited", false, 1, blocks / 2, 8, 2),
                         blocks / 2 > 1024 ? 69 : 0);
        assert_int_equal(limit_error("gpuRecursiveReduceNosync", false, 4, 4 * blocks, 1, 0),
                         pending);
        assert_int_equal(limit_error("gpuRecursiveReduceNosync", false, 2, 2 * blocks, 1, 0), 0);
        assert_int_equal(limit_error("gpuRecursiveReduce2", false, 64, 64 * blocks, 1, 0), 0);
        assert_int_equal(limit_error("nestedHelloWorldNew", false, 8, blocks, 1, 0), 0);
    }
    for (uint32_t depth = 0; depth <= 12; depth++)
        assert_int_equal(limit_error("nestedHelloWorldTree", false, 3, 3, 1, depth),
                         depth > 9 ? 69 : 0); /* 3 * (2^10 - 1) grids */
}

enum { SPARE = 8, CHILD = 1 << 26, GRANDCHILD = 2 << 26, RECORDED = CHILD - 1 };

static bool accepts(const char *id, uint64_t size, const uint32_t entries[SPARE],
                    enum log_order order)
{
    uint32_t log[SPARE];
    struct launch_tree tree = tree_of(id, 1, 1, size);
    char expected[48], got[48];
    memcpy(log, entries, sizeof log);
    return oracle_check_log(&tree, log, SPARE, order, expected, got, sizeof got);
}

/* The logs are of a thread, its child of one thread, and the record that there is a child. */
TEST(log_is_checked_against_the_launch_tree)
{
    static const struct {
        uint32_t entries[SPARE];
        bool any, parents_first, in_between;
    } logs[] = {
        {{3, 0, CHILD, CHILD + RECORDED}, true, true, true},
        {{3, 0, CHILD + RECORDED, CHILD}, true, true, false}, /* recorded before it prints */
        {{3, CHILD, 0, CHILD + RECORDED}, true, false, false},
        {{3, CHILD + RECORDED, 0, CHILD}, true, false, false},
        {{2, 0, CHILD}, false, false, false},
        {{2, 0, CHILD + RECORDED}, false, false, false},
        {{1, 0}, false, false, false},
        {{4, 0, CHILD, CHILD, CHILD + RECORDED}, false, false, false},
        {{4, 0, CHILD, CHILD + RECORDED, CHILD + RECORDED}, false, false, false},
        {{3, 1, CHILD, CHILD + RECORDED}, false, false, false},
        {{3, 0, CHILD + 1024, CHILD + RECORDED}, false, false, false},
        {{3, 0, CHILD, RECORDED}, false, false, false}, /* of depth 0 */
        {{SPARE, 0, CHILD, CHILD + RECORDED}, false, false, false},
    };
    for (size_t k = 0; k < sizeof logs / sizeof *logs; k++) {
        const uint32_t *entries = logs[k].entries;
        assert_int_equal(accepts("nestedHelloWorld", 2, entries, LOG_ANY_ORDER), logs[k].any);
        assert_int_equal(accepts("nestedHelloWorld", 2, entries, LOG_PARENTS_FIRST),
                         logs[k].parents_first);
        assert_int_equal(accepts("nestedHelloWorld", 2, entries, LOG_CHILDREN_IN_BETWEEN),
                         logs[k].in_between);
    }
}

/* A child is complete only after its own child has been recorded, too. */
TEST(recursion_completes_from_the_innermost_child)
{
    const uint32_t
        good[SPARE] = {6, 0, CHILD, CHILD + 1, GRANDCHILD, GRANDCHILD + RECORDED, CHILD + RECORDED},
        late[SPARE] = {6, 0, CHILD, CHILD + 1, GRANDCHILD, CHILD + RECORDED, GRANDCHILD + RECORDED},
        half[SPARE] = {6, 0, CHILD, GRANDCHILD, GRANDCHILD + RECORDED, CHILD + RECORDED, CHILD + 1};
    assert_true(accepts("nestedHelloWorldWait", 4, good, LOG_CHILDREN_IN_BETWEEN));
    assert_false(accepts("nestedHelloWorldWait", 4, late, LOG_CHILDREN_IN_BETWEEN));
    assert_false(accepts("nestedHelloWorldWait", 4, half, LOG_CHILDREN_IN_BETWEEN));
    assert_true(accepts("nestedHelloWorldWait", 4, late, LOG_PARENTS_FIRST));
    assert_true(accepts("nestedHelloWorldWait", 4, half, LOG_PARENTS_FIRST));
}

/* The printed output has one line per entry, in any order. */
TEST(printed_lines_are_checked_against_the_log)
{
    static const uint32_t blocks[] = {3, 0, 1 << 26 | 3 << 10 | 5, CHILD + RECORDED},
                          grids[] = {2, 5000, CHILD + RECORDED}, unrecorded[] = {1, RECORDED};
    static const struct {
        const char *id;
        const uint32_t *log;
        const char *printed;
        bool right;
    } texts[] = {
        {"nestedHelloWorld", blocks,
         "Recursion=1: Hello World from thread 5 block 3\n-------> nested execution depth: 1\n"
         "Recursion=0: Hello World from thread 0 block 0\n",
         true},
        {"nestedHelloWorld", blocks,
         "Recursion=1: Hello World from thread 5 block 3\n-------> nested execution depth: 1\n"
         "Recursion=0: Hello World from thread 1 block 0\n",
         false},
        {"nestedHelloWorld", blocks,
         "Recursion=1: Hello World from thread 5 block 3\n-------> nested execution depth: 2\n"
         "Recursion=0: Hello World from thread 0 block 0\n",
         false},
        {"nestedHelloWorld", blocks, "Recursion=0: Hello World from thread 0 block 0\n", false},
        {"nestedHelloWorld", blocks, "Recursion=0: Hello World from thread 0 block 0\nhello\n",
         false},
        {"nestedHelloWorld", blocks,
         "Recursion=0: Hello World from thread 0 block 0\nRecursion=1: Hello World from thread 5 "
         "block 3!\n"
         "-------> nested execution depth: 1\n",
         false},
        {"nestedHelloWorld", blocks, "", false},
        {"nestedHelloWorldNew", grids,
         "-------> nested execution depth: 1\nRecursion=0: Hello World from thread 5000\n", true},
        {"nestedHelloWorldNew", grids,
         "-------> nested execution depth: 1\nRecursion=0: Hello World from thread 500\n", false},
        {"nestedHelloWorldNew", grids,
         "-------> nested execution depth: 1\nRecursion=0: Hello World from thread 5000 block 4\n",
         false},
        {"nestedHelloWorldNew", grids, "-------> nested execution depth: 1\nhello\n", false},
        {"nestedHelloWorldTree", unrecorded, "-------> nested execution depth: 0\n", false},
    };
    char expected[48], got[48];
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct launch_tree tree = tree_of(texts[t].id, 2, 1, 2);
        assert_true(oracle_check_printed(&tree, texts[t].log, texts[t].printed, expected, got,
                                         sizeof got) == texts[t].right);
    }
}

TEST(documented_figures_match)
{
    figures_match_the_page("sim.unit.launch_tree");
}

TEST_MAIN("launch tree", NULL, NULL)
