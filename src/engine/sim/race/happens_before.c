/* SPDX-License-Identifier: MIT */
#include "happens_before.h"

#include "array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARE = 1 << 16, /* granularity of memory allocation for facts, in bytes */
    RECENT_BITS = 8,
    DEEP = 16, /* depth of a chain above which short records are merged */
};

/* Above this limit, facts cost more than they are worth. */
size_t happens_before_most = (size_t)768 << 20;

void (*happens_before_out_of_memory)(void);

/* Memory that lives until the end of the job. */
static struct {
    void **shares;
    uint32_t count, capacity;
    size_t left, total; /* left: bytes of the last share; total: of all */
} memory;

struct happens_before {
    const struct happens_before *base;
    uint32_t count;
    uint16_t depth;
    uint16_t marked; /* bit k: each fact without a mark, here or below, also exists with mark k */
    struct fact facts[]; /* ascending */
};

/* Returns null if memory runs out. */
static void *allocate(size_t bytes)
{
    void **shares;
    size_t share;

    bytes = (bytes + 7) / 8 * 8;
    share = bytes > SHARE ? bytes : SHARE;
    if (memory.left < bytes && memory.total + share > happens_before_most)
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

/* The highest record of a chain that has the fact has its highest value. A thread adds only its own
 * time and its block's epoch, which no record has higher. Joins and marks add only what exceeds the
 * values below. */
uint32_t happens_before_value(const struct happens_before *before, uint64_t about)
{
    for (; before != NULL; before = before->base) {
        uint32_t low = 0, high = before->count;
        if (high == 0 || about < before->facts[0].about || about > before->facts[high - 1].about)
            continue;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (before->facts[middle].about < about)
                low = middle + 1;
            else
                high = middle;
        }
        if (before->facts[low].about == about)
            return before->facts[low].value;
    }
    return 0;
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

/* Returns the base for a new record of `count` facts. In a deep chain, the new record absorbs the
 * records below it that are no longer than itself. The depth of a chain thus stays logarithmic in
 * its length, and the total size hardly grows. */
static const struct happens_before *settle_on(const struct happens_before *base, size_t count)
{
    while (base != NULL && base->depth >= DEEP && base->count <= count) {
        count += base->count;
        base = base->base;
    }
    return base;
}

static struct happens_before *make(const struct happens_before *base, struct fact *facts,
                                   size_t count)
{
    const struct happens_before *below = settle_on(base, count);
    size_t most = count + count_above(base, below);
    struct happens_before *made;

    made = allocate(sizeof *made + most * sizeof *facts);
    if (made == NULL) {
        happens_before_out_of_memory();
        return NULL;
    }
    memcpy(made->facts, facts, count * sizeof *facts);
    copy_above(base, below, made->facts + count);
    qsort(made->facts, most, sizeof *facts, compare_facts);
    made->base = below;
    made->count = 0;
    made->depth = (uint16_t)(below != NULL ? below->depth + 1 : 1);
    made->marked = 0;
    for (size_t i = 0; i < most; i++)
        if (i == 0 || made->facts[i].about != made->facts[made->count - 1].about)
            made->facts[made->count++] = made->facts[i];
    return made;
}

const struct happens_before *happens_before_make(const struct happens_before *base,
                                                 struct fact *facts, size_t count)
{
    const struct happens_before *made = count > 0 ? make(base, facts, count) : NULL;

    return made != NULL ? made : base;
}

/* Copies the facts without a mark that lack a copy with it. Returns their number. */
static size_t copy_unmarked(const struct happens_before *before, uint64_t mark, struct fact *to)
{
    const struct happens_before *all = before;
    size_t count = 0;

    for (; before != NULL && !(before->marked >> mark & 1); before = before->base)
        for (uint32_t i = 0; i < before->count; i++) {
            uint64_t about = before->facts[i].about | mark << MARK_SHIFT;
            if ((before->facts[i].about >> MARK_SHIFT & MARK_MASK) == 0 &&
                happens_before_value(all, about) < before->facts[i].value)
                to[count++] = (struct fact){about, before->facts[i].value};
        }
    return count;
}

const struct happens_before *happens_before_mark(const struct happens_before *before, uint64_t mark)
{
    size_t most = count_above(before, NULL), count;
    struct fact *facts;
    struct happens_before *made;

    if (before == NULL || (before->marked >> mark & 1))
        return before;
    facts = malloc(most * sizeof *facts);
    if (facts == NULL) {
        happens_before_out_of_memory();
        return before;
    }
    count = copy_unmarked(before, mark, facts);
    made = make(before, facts, count);
    free(facts);
    if (made == NULL)
        return before;
    made->marked = (uint16_t)(before->marked | 1u << mark);
    return made;
}

const struct happens_before *happens_before_only_mark(const struct happens_before *before,
                                                      uint64_t mark)
{
    size_t most = count_above(before, NULL), count = 0;
    struct fact *facts = malloc(most * sizeof *facts);
    const struct happens_before *made = NULL;

    if (facts == NULL && most > 0)
        happens_before_out_of_memory();
    for (; facts != NULL && before != NULL; before = before->base)
        for (uint32_t i = 0; i < before->count; i++) {
            uint64_t about = before->facts[i].about, other = about >> MARK_SHIFT & MARK_MASK;
            if (other == 0 || other == mark)
                facts[count++] = (struct fact){about | mark << MARK_SHIFT, before->facts[i].value};
        }
    made = happens_before_make(NULL, facts, count);
    free(facts);
    return made;
}

/* Adds the facts that `small` has above `base`, and `large` lacks, on top of `large`. */
static const struct happens_before *add_to(const struct happens_before *large,
                                           const struct happens_before *small,
                                           const struct happens_before *base, size_t count)
{
    struct fact *facts;
    struct happens_before *made = NULL;
    size_t kept = 0;

    facts = malloc(count * sizeof *facts);
    if (facts == NULL) {
        happens_before_out_of_memory();
    } else {
        copy_above(small, base, facts);
        for (size_t i = 0; i < count; i++)
            if (happens_before_value(large, facts[i].about) < facts[i].value)
                facts[kept++] = facts[i];
        made = kept > 0 ? make(large, facts, kept) : NULL;
    }
    free(facts);
    if (made == NULL)
        return large;
    made->marked = large->marked & small->marked;
    return made;
}

/* Recent joins. A thread that waits in a loop joins the same again and again. */
static struct {
    const struct happens_before *a, *b, *joined;
} recent[1 << RECENT_BITS];

static const struct happens_before *join(const struct happens_before *a,
                                         const struct happens_before *b)
{
    const struct happens_before *base = a;
    size_t above_a, above_b;

    while (!stands_on(b, base))
        base = base->base;
    above_a = count_above(a, base);
    above_b = count_above(b, base);
    return above_a < above_b ? add_to(b, a, base, above_a) : add_to(a, b, base, above_b);
}

const struct happens_before *happens_before_join(const struct happens_before *a,
                                                 const struct happens_before *b)
{
    uint64_t hash;
    size_t k;

    if (b == NULL || stands_on(a, b))
        return a;
    if (stands_on(b, a))
        return b;
    hash = ((uintptr_t)a ^ (uintptr_t)b << 1) * UINT64_C(0x9e3779b97f4a7c15);
    k = hash >> (64 - RECENT_BITS);
    if (recent[k].a != a || recent[k].b != b) {
        recent[k].joined = join(a, b);
        recent[k].a = a;
        recent[k].b = b;
    }
    return recent[k].joined;
}

size_t happens_before_bytes(void)
{
    return memory.total;
}

void happens_before_forget(void)
{
    for (uint32_t i = 0; i < memory.count; i++)
        free(memory.shares[i]);
    memset(recent, 0, sizeof recent);
    memory.count = 0;
    memory.left = memory.total = 0;
}

void happens_before_close(void)
{
    happens_before_forget();
    free(memory.shares);
    memset(&memory, 0, sizeof memory);
}
