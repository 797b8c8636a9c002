/* SPDX-License-Identifier: MIT
 *
 * Things by name, in a hash table. A key is a name and a number, of a scope or kind. What is
 * entered last hides what was entered before under the same key, until it is dropped.
 */
#ifndef SIMTCHECK_PTX_NAMES_H
#define SIMTCHECK_PTX_NAMES_H

#include "arena.h"

struct named {
    const char *name;
    void *thing;
    uint32_t number;
    uint64_t hash;
    struct named *next; /* of the same chain: entered earlier */
};

/* Zeroed: empty. */
struct names {
    struct named **chains;
    size_t chain_count, count;
};

/* The name stays the caller's. */
void names_enter(struct names *names, struct arena *arena, const char *name, uint32_t number,
                 void *thing);

/* The latest entry of that key, and the one that it hides; null: there is none. A name has `length`
 * characters. */
const struct named *names_find(const struct names *names, const char *name, size_t length,
                               uint32_t number);
const struct named *names_hidden(const struct named *entry);

/* What stands there under the whole of a name; null: nothing. */
void *names_get(const struct names *names, const char *name, uint32_t number);

/* Drops the latest entry of that key, which there is. */
void names_drop(struct names *names, const char *name, uint32_t number);

#endif
