/* SPDX-License-Identifier: MIT
 *
 * Relations on the events of an execution, as rows of bits.
 */
#ifndef SIMTCHECK_LITMUS_RELATION_H
#define SIMTCHECK_LITMUS_RELATION_H

#include <stdbool.h>
#include <stdint.h>

enum { RELATION_EVENTS = 64 };

struct relation {
    uint64_t row[RELATION_EVENTS]; /* row[a] has the bit b if a is related to b */
};

static inline bool relation_has(const struct relation *relation, int a, int b)
{
    return relation->row[a] >> b & 1;
}

static inline void relation_add(struct relation *relation, int a, int b)
{
    relation->row[a] |= 1ull << b;
}

struct relation relation_union(const struct relation *a, const struct relation *b);
struct relation relation_both(const struct relation *a, const struct relation *b);

/* Relates a to c if a is related to some b by `first` and b to c by `second`. */
struct relation relation_then(const struct relation *first, const struct relation *second);

struct relation relation_closure(struct relation relation); /* transitive */

bool relation_is_empty(const struct relation *relation);
bool relation_is_irreflexive(const struct relation *relation);
bool relation_is_acyclic(const struct relation *relation);

#endif
