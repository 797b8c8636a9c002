/* SPDX-License-Identifier: MIT */
#include "launch_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024 };

/* The fields of an entry: the depth in the upper bits; below it, the thread that says hello, or
 * LAUNCHED after a launch. */
enum { DEPTH_BIT = 26, BLOCK_BIT = 10, WHO = (1 << DEPTH_BIT) - 1, THREAD = (1 << BLOCK_BIT) - 1 };
enum { LAUNCHED = WHO };

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

    tree->logs_launches = true;
    add_level(tree, 1, blocks, shape->block.x, shape->block.x);
    for (uint32_t depth = 1; size > 1 && depth <= most_depth; depth++) {
        uint64_t threads;
        size /= 2;
        threads = size < MAX_THREADS ? size : MAX_THREADS;
        add_level(tree, blocks, 1, threads, threads);
    }
}

/* nestedHelloWorldNew: G*B threads, then half as many, down to G; or down to 1 if halving skips
 * G. */
static void half_grids(const struct shape *shape, struct launch_tree *tree)
{
    uint64_t last = shape->size[0], block = shape->block.x, size = last * block;

    tree->logs_launches = tree->by_grid = true;
    add_level(tree, 1, last, block, block);
    while (size != last && size > 1) {
        size /= 2;
        add_level(tree, 1, (size + block - 1) / block, block, block);
    }
}

/* nestedHelloWorldTree: each block launches a grid of two blocks of three threads, and says hello
 * once. At maxDepth a block does neither. */
static void pairs(const struct shape *shape, struct launch_tree *tree)
{
    add_level(tree, 1, shape->size[0], shape->block.x, shape->depth > 0);
    for (uint32_t depth = 1; depth <= shape->depth; depth++)
        add_level(tree, shape->size[0] << (depth - 1), 2, 3, depth < shape->depth);
}

/* Returns how many times a block halves its segment until at most two elements are left. `present`
 * of its elements exist. */
static uint64_t halvings(uint64_t size, uint64_t present)
{
    uint64_t count = 0;

    for (; present > 2 && size > 2; count++)
        size = (size + 1) / 2;
    return count;
}

/* gpuRecursiveReduce and Nosync: each block launches for its own segment. The last one may have
 * fewer elements. */
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
        halves(shape, shape->depth, tree);
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

struct limit_error oracle_limit_error(const struct variant *variant, const struct shape *shape,
                                      bool is_cdp1)
{
    enum { WAITING_DEPTHS = 2, PENDING = 2048 };
    struct launch_tree tree;
    uint64_t late = 0;

    oracle_launch_tree(variant, shape, &tree);
    if (variant->need == NEEDS_DEVICE_WAIT && tree.depths > WAITING_DEPTHS + 1)
        return (struct limit_error){"cudaErrorSyncDepthExceeded (68)", EVERY_ORDER};
    if (is_cdp1 || tree.children <= PENDING)
        return (struct limit_error){NULL, SOME_ORDERS};
    /* A chain of grids that ends at a lower depth than others may be complete before those. */
    for (uint32_t depth = 1; depth < tree.depths; depth++) {
        uint64_t last = tree.levels[tree.depths - 1].grids, grids = tree.levels[depth].grids;
        late += grids < last ? grids : last;
    }
    return (struct limit_error){"cudaErrorLaunchPendingCountExceeded (69)",
                                late > PENDING ? LATE_CHILDREN : SOME_ORDERS};
}

static uint32_t depth_of(uint32_t entry)
{
    return entry >> DEPTH_BIT;
}

static int by_value(const void *a, const void *b)
{
    uint32_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static void entry_text(const struct launch_tree *tree, uint32_t entry, char *text, size_t size)
{
    if (tree->logs_launches && (entry & WHO) == LAUNCHED)
        snprintf(text, size, "(%u)", depth_of(entry));
    else if (tree->by_grid)
        snprintf(text, size, "(%u, %u)", depth_of(entry), entry & WHO);
    else
        snprintf(text, size, "(%u, %u, %u)", depth_of(entry), (entry & WHO) >> BLOCK_BIT,
                 entry & THREAD);
}

/* Sorted entries, up to the first that differs from the tree. */
struct reading {
    const struct launch_tree *tree;
    const uint32_t *entries;
    uint64_t count, place;
    char *expected, *got;
    size_t size;
};

static bool comes_next(struct reading *reading, uint32_t wanted)
{
    if (reading->place < reading->count && reading->entries[reading->place] == wanted) {
        reading->place++;
        return true;
    }
    entry_text(reading->tree, wanted, reading->expected, reading->size);
    if (reading->place < reading->count)
        entry_text(reading->tree, reading->entries[reading->place], reading->got, reading->size);
    else
        snprintf(reading->got, reading->size, "the end of the log");
    return false;
}

/* Reads the entries of a depth: first its threads' hellos, then the launches of its grids. */
static bool read_level(struct reading *reading, uint32_t depth)
{
    const struct launch_tree *tree = reading->tree;
    const struct launch_level *level = &tree->levels[depth];

    for (uint64_t block = 0; block < level->blocks; block++)
        for (uint32_t thread = 0; thread < level->heard; thread++)
            for (uint64_t grid = 0; grid < level->grids; grid++) {
                uint64_t who =
                    tree->by_grid ? block * level->threads + thread : block << BLOCK_BIT | thread;
                if (!comes_next(reading, depth << DEPTH_BIT | (uint32_t)who))
                    return false;
            }
    for (uint64_t grid = 0; tree->logs_launches && depth > 0 && grid < level->grids; grid++)
        if (!comes_next(reading, depth << DEPTH_BIT | LAUNCHED))
            return false;
    return true;
}

static bool check_entries(struct reading *reading)
{
    for (uint32_t depth = 0; depth < reading->tree->depths; depth++)
        if (!read_level(reading, depth))
            return false;
    if (reading->place == reading->count)
        return true;
    snprintf(reading->expected, reading->size, "%" PRIu64 " entries", reading->place);
    snprintf(reading->got, reading->size, "%" PRIu64, reading->count);
    return false;
}

/* The entries of each depth up to some point of the log. */
struct heard {
    uint64_t launchers; /* threads that launch the grids of this depth */
    uint64_t grids, threads, logged;
};

/* Returns the rule that an entry of that depth breaks, or null. The entry is already counted. */
static const char *broken_rule(const struct launch_tree *tree, enum log_order order,
                               const struct heard heard[MAX_LAUNCH_DEPTH + 1], uint32_t depth)
{
    const struct heard *here = &heard[depth];
    bool leaf = depth + 1 >= tree->depths;

    if (depth == 0)
        return NULL;
    if (here->grids > here->launchers || here->logged > here->launchers)
        return "a parent entry before";
    if (order != LOG_CHILDREN_IN_BETWEEN)
        return NULL;
    if (here->logged * tree->levels[depth].threads > here->threads ||
        (!leaf && here->logged > heard[depth + 1].logged))
        return "all child entries before";
    return NULL;
}

static bool check_order(const struct launch_tree *tree, enum log_order order,
                        const uint32_t *entries, uint64_t count, char *expected, char *got,
                        size_t size)
{
    struct heard heard[MAX_LAUNCH_DEPTH + 1] = {{0, 0, 0, 0}};

    for (uint64_t i = 0; i < count; i++) {
        uint32_t depth = depth_of(entries[i]), who = entries[i] & WHO;
        const char *rule;
        if (tree->logs_launches && who == LAUNCHED) {
            heard[depth].logged++;
        } else {
            heard[depth].threads++;
            heard[depth].grids += who == 0;
            heard[depth + 1].launchers += (tree->by_grid ? who : who & THREAD) == 0;
        }
        rule = broken_rule(tree, order, heard, depth);
        if (rule == NULL)
            continue;
        snprintf(expected, size, "%s entry %" PRIu64, rule, i);
        entry_text(tree, entries[i], got, size);
        return false;
    }
    return true;
}

bool oracle_check_log(const struct launch_tree *tree, uint32_t *log, uint64_t count,
                      enum log_order order, char *expected, char *got, size_t size)
{
    uint64_t entries = log[0];
    struct reading reading = {tree, log + 1, entries, 0, expected, got, size};

    if (entries >= count) {
        snprintf(expected, size, "at most %" PRIu64 " entries", count - 1);
        snprintf(got, size, "%" PRIu64, entries);
        return false;
    }
    if (order != LOG_ANY_ORDER && !check_order(tree, order, log + 1, entries, expected, got, size))
        return false;
    qsort(log + 1, entries, sizeof *log, by_value);
    return check_entries(&reading);
}

/* Reads the entry of a printed line, which ends at `end`. Returns false if the line has another
 * form. */
static bool read_line(const struct launch_tree *tree, const char *line, const char *end,
                      uint32_t *entry)
{
    unsigned int depth, thread, block = 0, who;
    int length = -1;

    if (tree->logs_launches &&
        sscanf(line, "-------> nested execution depth: %u%n", &depth, &length) == 1) {
        who = LAUNCHED;
    } else if (tree->by_grid) {
        if (sscanf(line, "Recursion=%u: Hello World from thread %u%n", &depth, &who, &length) != 2)
            return false;
    } else {
        if (sscanf(line, "Recursion=%u: Hello World from thread %u block %u%n", &depth, &thread,
                   &block, &length) != 3 ||
            thread > THREAD || block > WHO >> BLOCK_BIT)
            return false;
        who = block << BLOCK_BIT | thread;
    }
    *entry = depth << DEPTH_BIT | who;
    return line + length == end && depth < MAX_LAUNCH_DEPTH && who <= WHO;
}

bool oracle_check_printed(const struct launch_tree *tree, const uint32_t *log, const char *printed,
                          char *expected, char *got, size_t size)
{
    uint64_t count = log[0], lines = 0, place = 0;
    uint32_t *entries = malloc((count + 1) * sizeof *entries);
    const char *end;

    snprintf(expected, size, "%" PRIu64 " lines", count);
    for (; entries != NULL && (end = strchr(printed, '\n')) != NULL; printed = end + 1, lines++)
        if (lines < count && !read_line(tree, printed, end, &entries[lines])) {
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
        entry_text(tree, log[1 + place], expected, size);
        entry_text(tree, entries[place], got, size);
    }
    free(entries);
    return place == count;
}
