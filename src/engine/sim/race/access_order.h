/* SPDX-License-Identifier: MIT
 *
 * The relation of two accesses to one place that are not ordered by program order, barriers,
 * launches or fences.
 */
#ifndef SIMTCHECK_RACE_ACCESS_ORDER_H
#define SIMTCHECK_RACE_ACCESS_ORDER_H

#include "order.h"

enum relation {
    INDIFFERENT, /* both read, or both are atomics in each other's scope */
    UNORDERED,   /* strong, each in the other's scope: no race, but the order may matter */
    RACING,
};

/* Returns true if both are strong, access the same place in the same proxy, and each is in the
 * scope of the other. */
bool order_are_morally_strong(const struct access *a, const struct access *b);
enum relation relation_of(const struct access *a, const struct access *b);

/* Observation order (PTX ISA, memory consistency model). A strong write comes before a strong read
 * of its value, or of a value that atomic accesses have made of it. It thus also comes before
 * everything after that read. This orders only the write itself, not the accesses before it.
 *
 * The strong writes of a place are numbered. Each strong access has the range of those that it
 * observes or makes, `from` to `to`. */
void observe(struct access *now, const struct access *last);
/* Adds the writes that `replaced` observed to the later access of the same kind. Does nothing if
 * `now` missed a write between them. */
void observe_too(struct access *now, const struct access *replaced);

enum { MAX_OBSERVERS = 8 };

/* The strong reads that come before an access. Reads whose observed writes have no gap between them
 * are merged. */
struct observers {
    struct access reads[MAX_OBSERVERS];
    int count;
    bool known;
};

void observers_add(struct observers *observers, const struct access *read);
/* Returns true if that access is a strong write, and one of the reads has observed it. */
bool observers_have(const struct observers *observers, const struct access *was);

/* Accesses are of one kind if they have these bits in common, and, if strong, the same size.
 * Volatile accesses are separate, because a step of a warp orders them but not plain ones. Those of
 * ld.global.nc are separate too, because no later access of another kind may replace them. */
enum {
    KIND = ACCESS_WRITE | ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_CONSTANT | ACCESS_ASYNC |
           3 << SCOPE_SHIFT
};

/* Returns true if the later access replaces the earlier one, once that is ordered before it. */
static inline bool is_of_one_kind(const struct access *a, const struct access *b)
{
    return ((a->kind ^ b->kind) & KIND) == 0 && (a->size == b->size || !(a->kind & STRONG));
}

#endif
