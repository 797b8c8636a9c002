/* SPDX-License-Identifier: MIT */
#include "access_order.h"

/* Returns true if the scope of that access includes the other's thread. */
static bool includes(const struct access *a, const struct access *b)
{
    enum simt_scope scope = kind_scope(a->kind);

    return a->block == b->block || scope >= SIMT_DEVICE ||
           (scope == SIMT_CLUSTER &&
            order_blocks[a->block].cluster == order_blocks[b->block].cluster);
}

/* PTX ISA, memory consistency model, morally strong operations: both are strong, access the same
 * place in the same proxy, and each is in the scope of the other. Operations on
 * an mbarrier count as accesses in one proxy. */
bool order_are_morally_strong(const struct access *a, const struct access *b)
{
    bool one_proxy = !((a->kind ^ b->kind) & ACCESS_ASYNC) || (a->kind & SIGNAL) == SIGNAL ||
                     (b->kind & SIGNAL) == SIGNAL;

    return (a->kind & STRONG) && (b->kind & STRONG) && a->size == b->size && one_proxy &&
           includes(a, b) && includes(b, a);
}

enum relation relation_of(const struct access *a, const struct access *b)
{
    if (!((a->kind | b->kind) & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return INDIFFERENT;
    if (!order_are_morally_strong(a, b))
        return RACING;
    return a->kind & b->kind & ACCESS_ATOMIC ? INDIFFERENT : UNORDERED;
}

void observe(struct access *now, const struct access *last)
{
    bool is_strong = (now->kind & STRONG) != 0;

    now->from = last->from;
    now->to = last->to;
    if (is_strong && (now->kind & (ACCESS_WRITE | ACCESS_ATOMIC)))
        now->to++;
    if (is_strong && (now->kind & ACCESS_WRITE))
        now->from = now->to;
}

void observe_too(struct access *now, const struct access *replaced)
{
    if (replaced->from < now->from && replaced->to + 1 >= now->from)
        now->from = replaced->from;
}

/* Returns true if the same accesses are morally strong with both. */
static bool are_alike(const struct access *a, const struct access *b)
{
    return a->size == b->size && !((a->kind ^ b->kind) & (ACCESS_ASYNC | 3 << SCOPE_SHIFT)) &&
           includes(a, b);
}

void observers_add(struct observers *observers, const struct access *read)
{
    if (!(read->kind & STRONG) || (read->kind & ACCESS_WRITE))
        return;
    for (int k = 0; k < observers->count; k++) {
        struct access *other = &observers->reads[k];
        if (!are_alike(read, other) || read->from > other->to + 1 || other->from > read->to + 1)
            continue;
        other->from = read->from < other->from ? read->from : other->from;
        other->to = read->to > other->to ? read->to : other->to;
        return;
    }
    if (observers->count < MAX_OBSERVERS)
        observers->reads[observers->count++] = *read;
}

bool observers_have(const struct observers *observers, const struct access *was)
{
    if (!(was->kind & STRONG) || !(was->kind & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return false;
    for (int k = 0; k < observers->count; k++) {
        const struct access *read = &observers->reads[k];
        if (read->from <= was->to && was->to <= read->to && order_are_morally_strong(was, read))
            return true;
    }
    return false;
}
