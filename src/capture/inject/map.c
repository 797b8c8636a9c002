/* SPDX-License-Identifier: MIT */
#include "map.h"

#include <stdlib.h>

/* Returns the entry of the key, or the free one where it belongs. */
static struct map_entry *find(const struct map *map, uint64_t key)
{
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % map->room;

    while (map->entries[at].key != 0 && map->entries[at].key != key)
        at = (at + 1) % map->room;
    return &map->entries[at];
}

static bool grow(struct map *map)
{
    struct map larger = {.room = map->room > 0 ? 2 * map->room : 64, .count = map->count};

    larger.entries = calloc(larger.room, sizeof *larger.entries);
    if (larger.entries == NULL)
        return false;
    for (size_t k = 0; k < map->room; k++)
        if (map->entries[k].key != 0)
            *find(&larger, map->entries[k].key) = map->entries[k];
    free(map->entries);
    *map = larger;
    return true;
}

uint64_t *map_at(struct map *map, uint64_t key)
{
    struct map_entry *entry;

    if (2 * map->count >= map->room && !grow(map))
        return NULL;
    entry = find(map, key);
    if (entry->key == 0) {
        entry->key = key;
        map->count++;
    }
    return &entry->value;
}

uint64_t map_get(const struct map *map, uint64_t key)
{
    return map->room > 0 ? find(map, key)->value : 0;
}
