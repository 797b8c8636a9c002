/* SPDX-License-Identifier: MIT
 *
 * A map from numbers other than 0, such as handles of the driver, to numbers.
 */
#ifndef SIMTCHECK_CAPTURE_MAP_H
#define SIMTCHECK_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry {
        uint64_t key, value;
    } * entries;
    size_t room, count;
};

/* Returns the value of the key, which is 0 at first; null when memory runs out. Valid until the
 * next call. */
uint64_t *map_at(struct map *map, uint64_t key);

/* Returns the value of the key, or 0. */
uint64_t map_get(const struct map *map, uint64_t key);

#endif
