/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "fnv.h"

#include <stdbool.h>
#include <string.h>

enum { FEWEST_CHAINS = 16 };

static uint64_t hash_of(const char *name, size_t length, uint32_t number)
{
    uint64_t hash = fnv_bytes(FNV_OFFSET_BASIS ^ number, name, length);

    return hash ^ hash >> 32;
}

/* Doubles the number of chains. Each chain is split into two, in which the latest entries stay
 * first. */
static void grow(struct names *names, struct arena *arena)
{
    size_t old = names->chain_count;
    struct named **larger = arena_take(arena, 2 * old, sizeof *larger);

    for (size_t c = 0; c < old; c++) {
        struct named **ends[2] = {&larger[c], &larger[c + old]};
        for (struct named *entry = names->chains[c]; entry != NULL; entry = entry->next) {
            bool upper = (entry->hash & old) != 0;
            *ends[upper] = entry;
            ends[upper] = &entry->next;
        }
        *ends[0] = *ends[1] = NULL;
    }
    names->chains = larger;
    names->chain_count = 2 * old;
}

void names_enter(struct names *names, struct arena *arena, const char *name, uint32_t number,
                 void *thing)
{
    struct named *entry = arena_take(arena, 1, sizeof *entry), **chain;

    if (names->chain_count == 0) {
        names->chains = arena_take(arena, FEWEST_CHAINS, sizeof *names->chains);
        names->chain_count = FEWEST_CHAINS;
    }
    if (names->count >= names->chain_count)
        grow(names, arena);
    *entry = (struct named){name, thing, number, hash_of(name, strlen(name), number), NULL};
    chain = &names->chains[entry->hash & (names->chain_count - 1)];
    entry->next = *chain;
    *chain = entry;
    names->count++;
}

const struct named *names_find(const struct names *names, const char *name, size_t length,
                               uint32_t number)
{
    uint64_t hash = hash_of(name, length, number);
    const struct named *entry =
        names->chain_count > 0 ? names->chains[hash & (names->chain_count - 1)] : NULL;

    while (entry != NULL &&
           (entry->hash != hash || entry->number != number || strlen(entry->name) != length ||
            memcmp(entry->name, name, length) != 0))
        entry = entry->next;
    return entry;
}

const struct named *names_hidden(const struct named *entry)
{
    const struct named *hidden = entry->next;

    while (hidden != NULL && (hidden->hash != entry->hash || hidden->number != entry->number ||
                              strcmp(hidden->name, entry->name) != 0))
        hidden = hidden->next;
    return hidden;
}

void *names_get(const struct names *names, const char *name, uint32_t number)
{
    const struct named *entry = names_find(names, name, strlen(name), number);

    return entry != NULL ? entry->thing : NULL;
}

void names_drop(struct names *names, const char *name, uint32_t number)
{
    const struct named *entry = names_find(names, name, strlen(name), number);
    struct named **link = &names->chains[entry->hash & (names->chain_count - 1)];

    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    names->count--;
}
