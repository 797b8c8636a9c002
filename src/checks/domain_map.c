/* SPDX-License-Identifier: MIT */
#include "domain_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index of the range that holds the number. The ranges are 0, 1, 2, 3, 4, 5-7, 8 and so
 * on. */
static size_t bin_of(uint64_t number, size_t bins)
{
    unsigned int power = number > 1 ? 63 - (unsigned int)__builtin_clzll(number) : 0;
    size_t bin = number < 2 ? (size_t)number : 2 * power + (number != (uint64_t)1 << power);

    return bin < bins ? bin : bins - 1;
}

void domain_map_take(struct domain_map *map, const struct shape *shape, bool inside, bool right)
{
    size_t block = bin_of(shape_threads(shape), MAP_BLOCKS),
           size = bin_of(shape_elements(shape), MAP_SIZES);

    map->cells[block][size] |= (uint8_t)(inside ? (right ? MAP_RIGHT_INSIDE : MAP_WRONG_INSIDE)
                                                : (right ? MAP_RIGHT_OUTSIDE : MAP_WRONG_OUTSIDE));
}

void domain_map_range(size_t bin, char *text, size_t size)
{
    uint64_t power = (uint64_t)1 << bin / 2;

    if (bin < 2)
        snprintf(text, size, "%zu", bin);
    else if (bin % 2 == 0 || power == 2)
        snprintf(text, size, "%" PRIu64, power + bin % 2);
    else
        snprintf(text, size, "%" PRIu64 "-%" PRIu64, power + 1, 2 * power - 1);
}

struct list domain_map_texts(const struct domain_map *map, struct memory *memory)
{
    struct list texts = list_take(memory, 0, sizeof(const char *));

    for (size_t b = 0; b < MAP_BLOCKS; b++) {
        char digits[MAP_SIZES + 1], range[48];
        size_t count = 0;
        for (size_t s = 0; s < MAP_SIZES; s++) {
            digits[s] = "0123456789abcdef"[map->cells[b][s] & 15];
            count = map->cells[b][s] != 0 ? s + 1 : count;
        }
        digits[count] = '\0';
        domain_map_range(b, range, sizeof range);
        if (count > 0)
            LIST_ADD(memory, &texts, const char *) = memory_text(memory, "%s %s", range, digits);
    }
    return texts;
}

void domain_map_join(struct domain_map *map, const struct list *texts)
{
    for (size_t k = 0; k < texts->count; k++) {
        const char *text = ((const char *const *)texts->items)[k], *digits = strchr(text, ' ');
        char range[48], digit[2] = "";
        for (size_t b = 0; digits != NULL && b < MAP_BLOCKS; b++) {
            domain_map_range(b, range, sizeof range);
            if (strlen(range) != (size_t)(digits - text) ||
                strncmp(text, range, strlen(range)) != 0)
                continue;
            for (size_t s = 0; s < MAP_SIZES && digits[1 + s] != '\0'; s++) {
                digit[0] = digits[1 + s];
                map->cells[b][s] |= (uint8_t)strtoul(digit, NULL, 16);
            }
        }
    }
}
