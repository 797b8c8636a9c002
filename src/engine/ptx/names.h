/* SPDX-License-Identifier: MIT
 *
 * A hash table of things by name. A key is a name and a number, which stands for a scope or kind.
 * The latest entry of a key hides the earlier ones until it is dropped.
 */
#ifndef SIMTCHECK_PTX_NAMES_H
#define SIMTCHECK_PTX_NAMES_H

#include "arena.h"

struct named {
    const char *name;
    void *thing;
    uint32_t number;
    uint64_t hash;
    struct named *next; /* next in the same chain: an earlier entry */
};

/* A zeroed table is empty. */
struct names {
    struct named **chains;
    size_t chain_count, count;
};

/* Adds an entry. The caller owns the name, which must stay valid. */
void names_enter(struct names *names, struct arena *arena, const char *name, uint32_t number,
                 void *thing);

/* names_find() returns the latest entry of that key, and names_hidden() the one that an entry
 * hides. Both return null if none exists. `length` is the length of the name. */
const struct named *names_find(const struct names *names, const char *name, size_t length,
                               uint32_t number);
const struct named *names_hidden(const struct named *entry);

/* Returns the thing of the latest entry of that key, or null if none exists. The name is
 * null-terminated. */
void *names_get(const struct names *names, const char *name, uint32_t number);

/* Drops the latest entry of that key, which must exist. */
void names_drop(struct names *names, const char *name, uint32_t number);

#endif
