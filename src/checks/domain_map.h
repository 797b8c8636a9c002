/* SPDX-License-Identifier: MIT
 *
 * A map of where a variant is right and where it is wrong: threads per block against elements. Each
 * power of two has its own range, and so do the numbers between two of them: 0, 1, 2, 3, 4, 5-7, 8,
 * 9-15 and so on.
 */
#ifndef SIMTCHECK_CHECKS_DOMAIN_MAP_H
#define SIMTCHECK_CHECKS_DOMAIN_MAP_H

#include "case.h"
#include "json_model.h"

enum { MAP_BLOCKS = 23, MAP_SIZES = 84 };

/* The bits of a cell: what was seen there. */
enum {
    MAP_RIGHT_INSIDE = 1,
    MAP_WRONG_INSIDE = 2,
    MAP_RIGHT_OUTSIDE = 4,
    MAP_WRONG_OUTSIDE = 8,
};

struct domain_map {
    uint8_t cells[MAP_BLOCKS][MAP_SIZES]; /* bits; 0: nothing was tried */
};

/* Adds a case of that shape. */
void domain_map_take(struct domain_map *map, const struct shape *shape, bool inside, bool right);

/* Writes the range that index `bin` stands for, such as "8" or "9-15". */
void domain_map_range(size_t bin, char *text, size_t size);

/* Returns the map as texts, one for each range of blocks that was tried, such as "9-15 0090b". The
 * text holds the range and a hexadecimal digit for each range of sizes, from 0 to the last one
 * tried. */
struct list domain_map_texts(const struct domain_map *map, struct memory *memory);

/* Adds the contents of such texts to the map. */
void domain_map_join(struct domain_map *map, const struct list *texts);

#endif
