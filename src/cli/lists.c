/* SPDX-License-Identifier: MIT */
#include "lists.h"

#include "token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `add` for each item of a comma-separated list. A range A-B is one item for each of its
 * numbers. */
static bool parse_list(const char *list, uint64_t limit,
                       bool (*add)(struct options *, const char *item), struct options *options)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL && *copy != '\0';

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
        char *dash = strchr(item, '-'), word[WORD_SIZE];
        if (dash == NULL) {
            good = add(options, item);
            continue;
        }
        *dash = '\0';
        good = dimensions_parse(item, 1, limit, low) != 0 &&
               dimensions_parse(dash + 1, 1, limit, high) != 0 && low[0] <= high[0] &&
               high[0] - low[0] < MAX_LIST;
        for (; good && low[0] <= high[0]; low[0]++) {
            snprintf(word, sizeof word, "%" PRIu64, low[0]);
            good = add(options, word);
        }
    }
    free(copy);
    return good;
}

/* The list with room for one more; it grows at powers of two. */
static void *with_room(void *list, size_t count, size_t size)
{
    return (count & (count - 1)) != 0 ? list : realloc(list, (count == 0 ? 1 : 2 * count) * size);
}

static bool add_block(struct options *options, const char *item)
{
    struct plan_request *cases = &options->selection.cases;
    uint64_t numbers[MAX_DIMENSIONS], threads;
    struct extent *blocks;

    if (dimensions_parse(item, 3, SIMT_BLOCK_THREADS, numbers) == 0)
        return false;
    threads = numbers[0] * numbers[1] * numbers[2];
    if (threads < 1 || threads > SIMT_BLOCK_THREADS || numbers[2] > SIMT_BLOCK_THREADS_Z ||
        cases->block_count == MAX_LIST)
        return false;
    blocks = with_room(options->blocks, cases->block_count, sizeof *blocks);
    if (blocks == NULL)
        return false;
    blocks[cases->block_count++] =
        (struct extent){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    cases->blocks = options->blocks = blocks;
    return true;
}

static bool add_size(struct options *options, const char *item)
{
    struct plan_request *cases = &options->selection.cases;
    struct shape size = {.block = {1, 1, 1}}, *sizes;

    if (cases->size_count == MAX_LIST || !size_parse(item, &size))
        return false;
    sizes = with_room(options->sizes, cases->size_count, sizeof *sizes);
    if (sizes == NULL)
        return false;
    sizes[cases->size_count++] = size;
    cases->sizes = options->sizes = sizes;
    return true;
}

bool lists_add_blocks(struct options *options, const char *list)
{
    return parse_list(list, SIMT_BLOCK_THREADS, add_block, options);
}

bool lists_add_sizes(struct options *options, const char *list)
{
    return parse_list(list, SIZE_LIMIT, add_size, options);
}
