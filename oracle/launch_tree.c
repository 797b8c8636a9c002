/* SPDX-License-Identifier: MIT */
#include "launch_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, LIMITED_DEPTH = 2, TREE_DEPTH = 3 };

static void add_level(struct launch_tree *tree, uint64_t grids, uint64_t blocks, uint64_t threads,
                      uint64_t heard)
{
    if (grids == 0 || blocks == 0 || tree->depths == MAX_LAUNCH_DEPTH)
        return;
    if (tree->depths > 0) {
        tree->children += grids;
        tree->child_blocks += grids * blocks;
        tree->child_threads += grids * blocks * threads;
    }
    tree->levels[tree->depths++] =
        (struct launch_level){grids, blocks, (uint32_t)threads, (uint32_t)heard};
}

/* nestedHelloWorld: S, S/2 ... 1, a grid of one block for each of the host's blocks. */
static void halves(const struct shape *shape, uint32_t most_depth, struct launch_tree *tree)
{
    uint64_t blocks = shape->size[0], size = shape->size[1];

    add_level(tree, 1, blocks, shape->block.x, shape->block.x);
    for (uint32_t depth = 1; size > 1 && depth <= most_depth; depth++) {
        uint64_t threads;
        size /= 2;
        threads = size < MOST_THREADS ? size : MOST_THREADS;
        add_level(tree, blocks, 1, threads, threads);
    }
}

/* nestedHelloWorldNew: G*B threads, half of them, down to G. */
static void half_grids(const struct shape *shape, struct launch_tree *tree)
{
    uint64_t least = shape->size[0], block = shape->block.x;

    for (uint64_t size = least * block; size >= least && size > 0; size /= 2)
        add_level(tree, 1, (size + block - 1) / block, block, block);
}

/* nestedHelloWorldTree: each block launches two of three threads, and says hello once. */
static void pairs(const struct shape *shape, struct launch_tree *tree)
{
    add_level(tree, 1, shape->size[0], shape->block.x, 1);
    for (uint32_t depth = 1; depth < TREE_DEPTH; depth++)
        add_level(tree, shape->size[0] << (depth - 1), 2, 3, 1);
    add_level(tree, shape->size[0] << (TREE_DEPTH - 1), 2, 3, 0); /* too deep to speak */
}

/* How many times a block halves its segment, of which `present` elements are there, until at most
 * two are left. */
static uint64_t halvings(uint64_t size, uint64_t present)
{
    uint64_t count = 0;

    for (; present > 2 && size > 2; count++)
        size = (size + 1) / 2;
    return count;
}

/* gpuRecursiveReduce and Nosync: each block by itself; the last may have less to do. */
static void sums(const struct shape *shape, struct launch_tree *tree)
{
    uint64_t n = shape->size[0], size = shape->block.x;
    uint64_t whole = n / size, rest = n % size;
    uint64_t deep = halvings(size, size), shallow = halvings(size, rest);

    add_level(tree, 1, n == 0 ? 1 : whole + (rest > 0), size, 0);
    for (uint64_t depth = 1; depth <= (whole > 0 ? deep : shallow); depth++) {
        size = (size + 1) / 2;
        add_level(tree, (depth <= deep ? whole : 0) + (depth <= shallow), 1, size, 0);
    }
}

/* gpuRecursiveReduce2: one grid for all blocks, of half as many threads as elements. */
static void sum_grids(const struct shape *shape, struct launch_tree *tree)
{
    uint64_t n = shape->size[0], size = shape->block.x;
    uint64_t blocks = (n == 0 ? 1 : (n + size - 1) / size) + shape->surplus;

    add_level(tree, 1, blocks, (size + 1) / 2, 0);
    while (size > 2) {
        size = (size + 1) / 2;
        add_level(tree, 1, blocks, (size + 1) / 2, 0);
    }
}

void oracle_launch_tree(const struct variant *variant, const struct shape *shape,
                        struct launch_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    switch (variant->launches) {
    case LAUNCHES_HALVES:
        halves(shape, UINT32_MAX, tree);
        break;
    case LAUNCHES_HALVES_LIMITED:
        halves(shape, LIMITED_DEPTH, tree);
        break;
    case LAUNCHES_HALF_GRIDS:
        half_grids(shape, tree);
        break;
    case LAUNCHES_PAIRS:
        pairs(shape, tree);
        break;
    case LAUNCHES_SUMS:
        sums(shape, tree);
        break;
    case LAUNCHES_SUM_GRIDS:
        sum_grids(shape, tree);
        break;
    case LAUNCHES_NOTHING:
        break;
    }
}

static uint32_t depth_of(uint32_t entry)
{
    return entry >> 26;
}

static int by_value(const void *a, const void *b)
{
    uint32_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static void entry_text(uint32_t entry, char *text, size_t size)
{
    snprintf(text, size, "(%u, %u, %u)", depth_of(entry), entry >> 10 & 0xffff, entry & 0x3ff);
}

/* Holds sorted entries to what the tree has them be, in the same order. */
static bool check_entries(const struct launch_tree *tree, const uint32_t *entries, uint64_t count,
                          char *expected, char *got, size_t size)
{
    uint64_t place = 0;

    for (uint32_t depth = 0; depth < tree->depths; depth++) {
        const struct launch_level *level = &tree->levels[depth];
        for (uint64_t block = 0; block < level->blocks; block++)
            for (uint32_t thread = 0; thread < level->heard; thread++)
                for (uint64_t grid = 0; grid < level->grids; grid++, place++) {
                    uint32_t wanted = depth << 26 | (uint32_t)block << 10 | thread;
                    if (place < count && entries[place] == wanted)
                        continue;
                    entry_text(wanted, expected, size);
                    if (place < count)
                        entry_text(entries[place], got, size);
                    else
                        snprintf(got, size, "the end of the log");
                    return false;
                }
    }
    if (place == count)
        return true;
    snprintf(expected, size, "%" PRIu64 " entries", place);
    snprintf(got, size, "%" PRIu64, count);
    return false;
}

/* At no point of the log have more grids of a depth been heard than threads 0 that launch them. */
static bool check_order(const uint32_t *entries, uint64_t count, char *expected, char *got,
                        size_t size)
{
    uint64_t launchers[MAX_LAUNCH_DEPTH + 1] = {0}, grids[MAX_LAUNCH_DEPTH + 1] = {0};

    for (uint64_t i = 0; i < count; i++) {
        uint32_t depth = depth_of(entries[i]);
        if ((entries[i] & 0x3ff) == 0)
            launchers[depth + 1]++;
        if ((entries[i] & 0x3ffffff) == 0)
            grids[depth]++;
        if (depth > 0 && grids[depth] > launchers[depth]) {
            snprintf(expected, size, "a parent before entry %" PRIu64, i);
            entry_text(entries[i], got, size);
            return false;
        }
    }
    return true;
}

bool oracle_check_log(const struct launch_tree *tree, uint32_t *log, uint64_t count,
                      bool parents_first, char *expected, char *got, size_t size)
{
    uint64_t entries = log[0];

    if (entries >= count) {
        snprintf(expected, size, "at most %" PRIu64 " entries", count - 1);
        snprintf(got, size, "%" PRIu64, entries);
        return false;
    }
    if (parents_first && !check_order(log + 1, entries, expected, got, size))
        return false;
    qsort(log + 1, entries, sizeof *log, by_value);
    return check_entries(tree, log + 1, entries, expected, got, size);
}

/* The entry of a printed line, which ends at `end`; false when it is no such line. */
static bool read_line(const char *line, const char *end, uint32_t *entry)
{
    unsigned int depth, thread, block;
    int length = 0;

    if (sscanf(line, "depth %u: hello from thread %u of block %u%n", &depth, &thread, &block,
               &length) != 3 ||
        line + length != end || depth >= MAX_LAUNCH_DEPTH || thread > 0x3ff || block > 0xffff)
        return false;
    *entry = depth << 26 | block << 10 | thread;
    return true;
}

bool oracle_check_printed(const uint32_t *log, const char *printed, char *expected, char *got,
                          size_t size)
{
    uint64_t count = log[0], lines = 0, place = 0;
    uint32_t *entries = malloc((count + 1) * sizeof *entries);
    const char *end;

    snprintf(expected, size, "%" PRIu64 " lines", count);
    for (; entries != NULL && (end = strchr(printed, '\n')) != NULL; printed = end + 1, lines++)
        if (lines < count && !read_line(printed, end, &entries[lines])) {
            snprintf(expected, size, "a hello on each line");
            snprintf(got, size, "'%.*s'", (int)(end - printed < 30 ? end - printed : 30), printed);
            free(entries);
            return false;
        }
    snprintf(got, size, "%" PRIu64, lines);
    if (entries == NULL || lines != count || *printed != '\0') {
        free(entries);
        return false;
    }
    qsort(entries, count, sizeof *entries, by_value);
    while (place < count && entries[place] == log[1 + place])
        place++;
    if (place < count) {
        entry_text(log[1 + place], expected, size);
        entry_text(entries[place], got, size);
    }
    free(entries);
    return place == count;
}
