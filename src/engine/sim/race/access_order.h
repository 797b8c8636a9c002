/* SPDX-License-Identifier: MIT
 *
 * What two accesses of one place are to each other, where program order, barriers, launches and
 * fences put neither before the other.
 */
#ifndef SIMTCHECK_RACE_ACCESS_ORDER_H
#define SIMTCHECK_RACE_ACCESS_ORDER_H

#include "synchronization.h"

enum relation {
    INDIFFERENT, /* reads, or atomic accesses that go together */
    UNORDERED,   /* strong, each in the other's scope: no race, but the order may matter */
    RACING,
};

enum relation relation_of(const struct access *a, const struct access *b);

/* Observation order (PTX ISA, memory consistency model): a strong write comes before a strong read
 * that reads it, or reads what atomic accesses have made of it, and so before all that comes after
 * that read. Only the two accesses do, and not what came before the write.
 *
 * The strong writes of a place have numbers, and each strong access those that it observes or makes
 * itself, `from` to `to`. */
void observe(struct access *now, const struct access *last);
/* The later access of a kind observes what the one that it replaces has, unless a write between
 * them was missed. */
void observe_too(struct access *now, const struct access *replaced);

enum { MAX_OBSERVERS = 8 };

/* The strong reads that come before an access, those together that have observed writes without a
 * gap. */
struct observers {
    struct access reads[MAX_OBSERVERS];
    int count;
    bool known;
};

void observers_add(struct observers *observers, const struct access *read);
/* Has one of them observed that access, and is it a strong write? */
bool observers_have(const struct observers *observers, const struct access *was);

/* Accesses that have these bits in common, and strong ones their size, are of one kind. Volatile
 * ones are apart, for a step of a warp orders them and not plain ones; so are those of
 * ld.global.nc, which nothing that is ordered behind them makes forgotten. */
enum { KIND = ACCESS_WRITE | ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_CONSTANT | 3 << SCOPE_SHIFT };

/* Does the later of the two replace the other, once that is ordered before it? */
static inline bool is_of_one_kind(const struct access *a, const struct access *b)
{
    return ((a->kind ^ b->kind) & KIND) == 0 && (a->size == b->size || !(a->kind & STRONG));
}

#endif
