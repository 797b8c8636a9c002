/* SPDX-License-Identifier: MIT */
#include "lists.h"

#include "token.h"

#include <stdlib.h>
#include <string.h>

/* Does what `add` does for each item of a comma-separated list: a number, a range A-B, or numbers
 * joined by 'x'. */
static bool parse_list(const char *list, size_t dimensions, uint64_t limit,
                       bool (*add)(struct options *, const uint64_t numbers[MAX_DIMENSIONS]),
                       struct options *options)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy != NULL && *copy != '\0';

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
        char *dash = strchr(item, '-');
        if (dash != NULL)
            *dash = '\0';
        good = dimensions_parse(item, dash != NULL ? 1 : dimensions, limit, low) != 0;
        if (good && dash != NULL) {
            good = dimensions_parse(dash + 1, 1, limit, high) != 0 && low[0] <= high[0] &&
                   high[0] - low[0] < MAX_LIST;
            for (; good && low[0] < high[0]; low[0]++)
                good = add(options, low);
        }
        good = good && add(options, low);
    }
    free(copy);
    return good;
}

/* The list with room for one more; it grows at powers of two. */
static void *with_room(void *list, size_t count, size_t size)
{
    return (count & (count - 1)) != 0 ? list : realloc(list, (count == 0 ? 1 : 2 * count) * size);
}

static bool add_block(struct options *options, const uint64_t numbers[MAX_DIMENSIONS])
{
    struct plan_request *cases = &options->selection.cases;
    uint64_t threads = numbers[0] * numbers[1] * numbers[2];
    struct extent *blocks;

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

static bool add_size(struct options *options, const uint64_t numbers[MAX_DIMENSIONS])
{
    struct plan_request *cases = &options->selection.cases;
    uint64_t(*sizes)[2];

    if (cases->size_count == MAX_LIST || (numbers[0] > 0 && numbers[1] > SIZE_LIMIT / numbers[0]))
        return false;
    sizes = with_room(options->sizes, cases->size_count, sizeof *sizes);
    if (sizes == NULL)
        return false;
    sizes[cases->size_count][0] = numbers[0];
    sizes[cases->size_count++][1] = numbers[1];
    options->sizes = sizes;
    cases->sizes = (const uint64_t(*)[2])sizes;
    return true;
}

bool lists_add_blocks(struct options *options, const char *list)
{
    return parse_list(list, 3, SIMT_BLOCK_THREADS, add_block, options);
}

bool lists_add_sizes(struct options *options, const char *list)
{
    return parse_list(list, 2, SIZE_LIMIT, add_size, options);
}
