/* SPDX-License-Identifier: MIT */
#include "relation.h"

struct relation relation_union(const struct relation *a, const struct relation *b)
{
    struct relation both;

    for (int k = 0; k < RELATION_EVENTS; k++)
        both.row[k] = a->row[k] | b->row[k];
    return both;
}

struct relation relation_both(const struct relation *a, const struct relation *b)
{
    struct relation both;

    for (int k = 0; k < RELATION_EVENTS; k++)
        both.row[k] = a->row[k] & b->row[k];
    return both;
}

struct relation relation_then(const struct relation *first, const struct relation *second)
{
    struct relation result = {{0}};

    for (int a = 0; a < RELATION_EVENTS; a++)
        for (uint64_t left = first->row[a]; left != 0; left &= left - 1)
            result.row[a] |= second->row[__builtin_ctzll(left)];
    return result;
}

struct relation relation_closure(struct relation relation)
{
    for (int via = 0; via < RELATION_EVENTS; via++)
        for (int a = 0; a < RELATION_EVENTS; a++)
            if (relation_has(&relation, a, via))
                relation.row[a] |= relation.row[via];
    return relation;
}

bool relation_is_empty(const struct relation *relation)
{
    uint64_t any = 0;

    for (int k = 0; k < RELATION_EVENTS; k++)
        any |= relation->row[k];
    return any == 0;
}

bool relation_is_irreflexive(const struct relation *relation)
{
    for (int k = 0; k < RELATION_EVENTS; k++)
        if (relation_has(relation, k, k))
            return false;
    return true;
}

bool relation_is_acyclic(const struct relation *relation)
{
    struct relation closed = relation_closure(*relation);

    return relation_is_irreflexive(&closed);
}
