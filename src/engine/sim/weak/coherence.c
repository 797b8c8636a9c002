/* SPDX-License-Identifier: MIT */
#include "coherence.h"

#include <stdlib.h>

uint32_t coherence_before(const struct place *place, uint32_t writes)
{
    uint32_t before = 0;

    for (; writes != 0; writes &= writes - 1)
        before |= place->writes[__builtin_ctz(writes)].before;
    return before;
}

uint32_t coherence_last(const struct place *place)
{
    uint32_t all = BIT(place->count) - 1;

    return all & ~coherence_before(place, all);
}

/* Returns true if coherence order relates the two writes, even if causality order does not. */
static bool are_related(const struct access *a, const struct access *b)
{
    return (a->block == b->block && a->thread == b->thread) || order_are_morally_strong(a, b);
}

/* Returns the writes that the new one would precede if it directly preceded those. */
static uint32_t all_after(const struct place *place, uint32_t writes)
{
    uint32_t after = writes;

    for (uint32_t w = 0; w < place->count; w++)
        if ((place->writes[w].before & writes) != 0)
            after |= BIT(w);
    return after;
}

/* The order with a new write in it, which is the last of the list. */
struct order {
    const struct place *place;
    const struct newcomer *newcomer;
    uint32_t before[MAX_WRITES + 1];
};

static struct order order_with(const struct place *place, const struct newcomer *newcomer,
                               uint32_t before, uint32_t after)
{
    struct order order = {.place = place, .newcomer = newcomer};

    for (uint32_t w = 0; w < place->count; w++) {
        order.before[w] = place->writes[w].before;
        if (after >> w & 1)
            order.before[w] |= before | BIT(place->count);
    }
    order.before[place->count] = before;
    return order;
}

static const struct access *made(const struct order *order, uint32_t w)
{
    return w == order->place->count ? &order->newcomer->made : &order->place->writes[w].made;
}

/* Returns true if a thread would have read a write although it knew a later one (Causality). */
static bool contradicts_readers(const struct order *order, uint32_t w)
{
    const struct write *write = &order->place->writes[w];

    for (uint32_t r = 0; r < write->reader_count; r++)
        for (uint32_t known = write->readers[r].known; known != 0; known &= known - 1)
            if (order->before[__builtin_ctz(known)] >> w & 1)
                return true;
    return false;
}

/* Returns true if a write would come between the one that atomic w read and its own (Atomicity). */
static bool is_split(const struct order *order, uint32_t w, uint32_t from)
{
    for (uint32_t rest = order->before[w] & ~from; rest != 0; rest &= rest - 1) {
        uint32_t between = (uint32_t)__builtin_ctz(rest);
        if ((from == 0 || (order->before[between] & from) != 0) &&
            are_related(made(order, between), made(order, w)))
            return true;
    }
    return false;
}

static bool is_allowed(const struct order *order)
{
    uint32_t count = order->place->count;

    for (uint32_t w = 0; w < count; w++) {
        const struct write *write = &order->place->writes[w];
        if (contradicts_readers(order, w) || (write->is_atomic && is_split(order, w, write->from)))
            return false;
    }
    return order->newcomer->from == 0 || !is_split(order, count, order->newcomer->from);
}

static void add_set(uint32_t *sets, uint32_t *count, uint32_t set)
{
    for (uint32_t k = 0; k < *count; k++)
        if (sets[k] == set)
            return;
    if (*count < MAX_POSITIONS)
        sets[(*count)++] = set;
}

/* Returns true if another atomic has read the write that the new one is to read. One of the two
 * would come between this write and the other. */
static bool is_taken(const struct place *place, const struct newcomer *newcomer, uint32_t behind)
{
    for (uint32_t w = 0; w < place->count; w++) {
        const struct write *write = &place->writes[w];
        if (write->is_atomic && write->from == newcomer->from &&
            (write->before & write->from) != 0 && are_related(&write->made, &newcomer->made))
            return (behind & newcomer->from) != 0;
    }
    return false;
}

void coherence_find(const struct place *place, const struct newcomer *newcomer,
                    struct positions *positions)
{
    uint32_t behind = newcomer->known, open = 0, after[MAX_POSITIONS] = {0}, count = 1;

    if (newcomer->from != 0 &&
        are_related(&place->writes[__builtin_ctz(newcomer->from)].made, &newcomer->made))
        behind |= newcomer->from;
    behind |= coherence_before(place, behind);
    positions->count = 0;
    if (newcomer->from != 0 && is_taken(place, newcomer, behind))
        return;
    for (uint32_t w = 0; w < place->count; w++)
        if (!(behind >> w & 1) && are_related(&place->writes[w].made, &newcomer->made))
            open |= BIT(w);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t rest = open & ~after[k], ahead = behind | rest | coherence_before(place, rest);
        const struct order order = order_with(place, newcomer, ahead, all_after(place, after[k]));
        if ((k == 0 && newcomer->from == 0) || is_allowed(&order))
            positions->before[positions->count++] = ahead;
        for (uint32_t last = rest & ~coherence_before(place, rest); last != 0; last &= last - 1)
            add_set(after, &count, after[k] | (last & -last));
    }
}

void coherence_add(struct place *place, const struct newcomer *newcomer, uint32_t before)
{
    uint32_t after = 0;
    struct order order;

    place->count--; /* the place without the new write */
    for (uint32_t w = 0; w < place->count; w++)
        if (!(before >> w & 1) && are_related(&place->writes[w].made, &newcomer->made))
            after |= BIT(w);
    order = order_with(place, newcomer, before, all_after(place, after));
    place->count++;
    for (uint32_t w = 0; w < place->count; w++)
        place->writes[w].before = order.before[w];
}

static uint32_t without(uint32_t bits, uint32_t w)
{
    return (bits & (BIT(w) - 1)) | (bits >> 1 & ~(BIT(w) - 1));
}

void coherence_remove(struct place *place, uint32_t gone)
{
    free(place->writes[gone].readers);
    memmove(&place->writes[gone], &place->writes[gone + 1],
            (--place->count - gone) * sizeof *place->writes);
    for (uint32_t w = 0; w < place->count; w++) {
        struct write *write = &place->writes[w];
        write->before = without(write->before, gone);
        write->from = without(write->from, gone);
        for (uint32_t r = 0; r < write->reader_count; r++)
            write->readers[r].known = without(write->readers[r].known, gone);
    }
}
