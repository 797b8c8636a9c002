/* SPDX-License-Identifier: MIT */
#include "option.h"

#include "case_id.h"
#include "error_report.h"
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of numbers, in one list and in all. */
enum { MAX_LIST = 1 << 20 };

/* Calls `add` for each item of a comma-separated list. A range A-B is one item for each of its
 * numbers. */
static bool parse_list(const char *list, uint64_t limit,
                       bool (*add)(struct plan_request *, const char *item),
                       struct plan_request *cases)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL && *copy != '\0';

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
        char *dash = strchr(item, '-'), word[WORD_SIZE];
        if (dash == NULL) {
            good = add(cases, item);
            continue;
        }
        *dash = '\0';
        good = dimensions_parse(item, 1, limit, low) != 0 &&
               dimensions_parse(dash + 1, 1, limit, high) != 0 && low[0] <= high[0] &&
               high[0] - low[0] < MAX_LIST;
        for (; good && low[0] <= high[0]; low[0]++) {
            snprintf(word, sizeof word, "%" PRIu64, low[0]);
            good = add(cases, word);
        }
    }
    free(copy);
    return good;
}

/* The list with room for one more; it grows at powers of two. */
static void *with_room(const void *list, size_t count, size_t size)
{
    void *own = (void *)(uintptr_t)list; /* a plan does not change it, and the options own it */

    return (count & (count - 1)) != 0 ? own : realloc(own, (count == 0 ? 1 : 2 * count) * size);
}

static bool add_block(struct plan_request *cases, const char *item)
{
    uint64_t numbers[MAX_DIMENSIONS], threads;
    struct extent *blocks;

    if (dimensions_parse(item, 3, SIMT_BLOCK_THREADS, numbers) == 0)
        return false;
    threads = numbers[0] * numbers[1] * numbers[2];
    if (threads < 1 || threads > SIMT_BLOCK_THREADS || numbers[2] > SIMT_BLOCK_THREADS_Z ||
        cases->block_count == MAX_LIST)
        return false;
    blocks = with_room(cases->blocks, cases->block_count, sizeof *blocks);
    if (blocks == NULL)
        return false;
    blocks[cases->block_count++] =
        (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    cases->blocks = blocks;
    return true;
}

static bool add_size(struct plan_request *cases, const char *item)
{
    struct shape size = {.block = {1, 1, 1}}, *sizes;

    if (cases->size_count == MAX_LIST || !size_parse(item, &size))
        return false;
    sizes = with_room(cases->sizes, cases->size_count, sizeof *sizes);
    if (sizes == NULL)
        return false;
    sizes[cases->size_count++] = size;
    cases->sizes = sizes;
    return true;
}

static bool parse_blocks(void *value, const struct option_row *row, const char *word)
{
    return parse_list(word, SIMT_BLOCK_THREADS, add_block, value) ||
           error_report("--%s '%s' is not a list of blocks of 1 to 1024 threads, such as "
                        "1-64,256 or 32x16",
                        row->name, word);
}

static bool parse_sizes(void *value, const struct option_row *row, const char *word)
{
    return parse_list(word, SIZE_LIMIT, add_size, value) ||
           error_report(
               "--%s '%s' is not a list of sizes of 0 to %" PRIu64
               " elements, such as 0-33,1000 or 100x33, with a maxDepth such as 4x8d2 where "
               "the kernel is given one; at most %d of them",
               row->name, word, SIZE_LIMIT, MAX_LIST);
}

static void release_blocks(void *value)
{
    free((void *)(uintptr_t)((struct plan_request *)value)->blocks);
}

static void release_sizes(void *value)
{
    free((void *)(uintptr_t)((struct plan_request *)value)->sizes);
}

const struct option_type option_blocks = {parse_blocks, true, release_blocks};
const struct option_type option_sizes = {parse_sizes, true, release_sizes};
