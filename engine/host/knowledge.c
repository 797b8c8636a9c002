/* SPDX-License-Identifier: MIT */
#include "race.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 1 << 16 }; /* bytes in which memory for facts is taken */

/* Each atomic access behind a fence hands on all that its thread knows; where thousands of threads
 * do that, facts come to more than they are worth. */
static const size_t MOST = (size_t)768 << 20;

/* Memory that lives as long as the job. */
static struct {
    void **shares;
    uint32_t count, capacity;
    size_t left, total; /* bytes of the last share, of all */
} memory;

struct knowledge {
    const struct knowledge *base;
    uint32_t count;
    struct fact facts[]; /* ascending */
};

/* Null when there is no memory. */
static void *allocate(size_t bytes)
{
    void **shares;
    size_t share;

    bytes = (bytes + 7) / 8 * 8;
    share = bytes > SHARE ? bytes : SHARE;
    if (memory.left < bytes && memory.total + share > MOST)
        return NULL;
    if (memory.left >= bytes) {
        memory.left -= bytes;
        return (char *)memory.shares[memory.count - 1] + memory.left;
    }
    shares = memory_grown(memory.shares, &memory.capacity, memory.count + 1, sizeof *shares);
    if (shares == NULL)
        return NULL;
    memory.shares = shares;
    shares[memory.count] = malloc(share);
    if (shares[memory.count] == NULL)
        return NULL;
    memory.total += share;
    memory.left = share - bytes;
    return (char *)shares[memory.count++] + memory.left;
}

static int compare_facts(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    return a->about != b->about ? (a->about > b->about) - (a->about < b->about)
                                : (a->value < b->value) - (a->value > b->value);
}

/* Those facts on top of a base. Sorts `facts`, of which it keeps the highest of each. When memory
 * runs out, the job has a fault and the base comes back. */
const struct knowledge *knowledge_make(const struct knowledge *base, struct fact *facts,
                                       size_t count)
{
    struct knowledge *made;

    if (count == 0)
        return base;
    qsort(facts, count, sizeof *facts, compare_facts);
    made = allocate(sizeof *made + count * sizeof *facts);
    if (made == NULL) {
        race_out_of_memory();
        return base;
    }
    made->base = base;
    made->count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || facts[i].about != facts[i - 1].about)
            made->facts[made->count++] = facts[i];
    return made;
}

/* The value of a fact; 0: not known. */
uint32_t knowledge_recall(const struct knowledge *known, uint64_t about)
{
    uint32_t most = 0;

    for (; known != NULL; known = known->base) {
        uint32_t low = 0, high = known->count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (known->facts[middle].about < about)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < known->count && known->facts[low].about == about &&
            known->facts[low].value > most)
            most = known->facts[low].value;
    }
    return most;
}

static bool stands_on(const struct knowledge *known, const struct knowledge *base)
{
    while (known != NULL && known != base)
        known = known->base;
    return known == base;
}

static size_t count_above(const struct knowledge *known, const struct knowledge *base)
{
    size_t count = 0;
    for (; known != base; known = known->base)
        count += known->count;
    return count;
}

static struct fact *copy_above(const struct knowledge *known, const struct knowledge *base,
                               struct fact *to)
{
    for (; known != base; known = known->base) {
        memcpy(to, known->facts, known->count * sizeof *to);
        to += known->count;
    }
    return to;
}

/* What either knows. */
const struct knowledge *knowledge_join(const struct knowledge *a, const struct knowledge *b)
{
    const struct knowledge *base = a, *joined;
    struct fact *facts, *end;
    size_t count;

    if (b == NULL || stands_on(a, b))
        return a;
    if (stands_on(b, a))
        return b;
    while (!stands_on(b, base))
        base = base->base;
    count = count_above(a, base) + count_above(b, base);
    host.busy = true;
    facts = malloc(count * sizeof *facts);
    if (facts == NULL) {
        race_out_of_memory();
        host.busy = false;
        return a;
    }
    end = copy_above(a, base, facts);
    copy_above(b, base, end);
    joined = knowledge_make(base, facts, count);
    free(facts);
    host.busy = false;
    return joined;
}

void knowledge_forget(void)
{
    for (uint32_t i = 0; i < memory.count; i++)
        free(memory.shares[i]);
    memory.count = 0;
    memory.left = memory.total = 0;
}

void knowledge_close(void)
{
    knowledge_forget();
    free(memory.shares);
    memset(&memory, 0, sizeof memory);
}
