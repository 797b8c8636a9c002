/* SPDX-License-Identifier: MIT */
#include "happens_before.h"

#include "array.h"
#include "fiber.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 1 << 16 }; /* bytes in which memory for facts is taken */

/* Each atomic access behind a fence hands on all that comes before it; where thousands of threads
 * do that, facts come to more than they are worth. */
static const size_t MOST = (size_t)768 << 20;

void (*happens_before_out_of_memory)(void);

/* Memory that lives as long as the job. */
static struct {
    void **shares;
    uint32_t count, capacity;
    size_t left, total; /* bytes of the last share, of all */
} memory;

struct happens_before {
    const struct happens_before *base;
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
    shares = array_grown(memory.shares, &memory.capacity, memory.count + 1, sizeof *shares);
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

const struct happens_before *happens_before_make(const struct happens_before *base,
                                                 struct fact *facts, size_t count)
{
    struct happens_before *made;

    if (count == 0)
        return base;
    qsort(facts, count, sizeof *facts, compare_facts);
    made = allocate(sizeof *made + count * sizeof *facts);
    if (made == NULL) {
        happens_before_out_of_memory();
        return base;
    }
    made->base = base;
    made->count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || facts[i].about != facts[i - 1].about)
            made->facts[made->count++] = facts[i];
    return made;
}

uint32_t happens_before_value(const struct happens_before *before, uint64_t about)
{
    uint32_t most = 0;

    for (; before != NULL; before = before->base) {
        uint32_t low = 0, high = before->count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (before->facts[middle].about < about)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < before->count && before->facts[low].about == about &&
            before->facts[low].value > most)
            most = before->facts[low].value;
    }
    return most;
}

static bool stands_on(const struct happens_before *before, const struct happens_before *base)
{
    while (before != NULL && before != base)
        before = before->base;
    return before == base;
}

static size_t count_above(const struct happens_before *before, const struct happens_before *base)
{
    size_t count = 0;
    for (; before != base; before = before->base)
        count += before->count;
    return count;
}

static struct fact *copy_above(const struct happens_before *before,
                               const struct happens_before *base, struct fact *to)
{
    for (; before != base; before = before->base) {
        memcpy(to, before->facts, before->count * sizeof *to);
        to += before->count;
    }
    return to;
}

const struct happens_before *happens_before_join(const struct happens_before *a,
                                                 const struct happens_before *b)
{
    const struct happens_before *base = a, *joined;
    struct fact *facts, *end;
    size_t count;

    if (b == NULL || stands_on(a, b))
        return a;
    if (stands_on(b, a))
        return b;
    while (!stands_on(b, base))
        base = base->base;
    count = count_above(a, base) + count_above(b, base);
    fiber_held = true;
    facts = malloc(count * sizeof *facts);
    if (facts == NULL) {
        happens_before_out_of_memory();
        fiber_held = false;
        return a;
    }
    end = copy_above(a, base, facts);
    copy_above(b, base, end);
    joined = happens_before_make(base, facts, count);
    free(facts);
    fiber_held = false;
    return joined;
}

void happens_before_forget(void)
{
    for (uint32_t i = 0; i < memory.count; i++)
        free(memory.shares[i]);
    memory.count = 0;
    memory.left = memory.total = 0;
}

void happens_before_close(void)
{
    happens_before_forget();
    free(memory.shares);
    memset(&memory, 0, sizeof memory);
}
