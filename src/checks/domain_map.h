/* SPDX-License-Identifier: MIT
 *
 * Where a variant is right and where it is wrong, as a map: threads of a block by elements. Blocks
 * and sizes stand together between powers of two: 0, 1, 2, 3, 4, 5-7, 8, 9-15 and so on.
 */
#ifndef SIMTCHECK_COMMANDS_DOMAIN_MAP_H
#define SIMTCHECK_COMMANDS_DOMAIN_MAP_H

#include "case.h"
#include "json_model.h"

enum { MAP_BLOCKS = 22, MAP_SIZES = 84 };

/* What has been seen in a cell. */
enum {
    MAP_RIGHT_INSIDE = 1,
    MAP_WRONG_INSIDE = 2,
    MAP_RIGHT_OUTSIDE = 4,
    MAP_WRONG_OUTSIDE = 8,
};

struct domain_map {
    uint8_t cells[MAP_BLOCKS][MAP_SIZES]; /* bits; 0: nothing was tried */
};

/* Takes in a case of that shape. */
void domain_map_take(struct domain_map *map, const struct shape *shape, bool inside, bool right);

/* The range that place `bin` of a map stands for: "8" or "9-15". */
void domain_map_range(size_t bin, char *text, size_t size);

/* Texts, one for each range of blocks that was tried: "9-15 0090b", the range and a digit, in base
 * 16, for each range of sizes from 0 on, up to the last that was tried. */
struct list domain_map_texts(const struct domain_map *map, struct memory *memory);

/* Adds what such texts say. */
void domain_map_join(struct domain_map *map, const struct list *texts);

#endif
