/* SPDX-License-Identifier: MIT
 *
 * The memory consistency model. Numbers are sections of the PTX ISA 9.0.
 */
#include "execution.h"

static bool is_memory(const struct event *event)
{
    return event->kind == EVENT_READ || event->kind == EVENT_WRITE;
}

static bool is_initial(const struct event *event)
{
    return event->thread < 0;
}

/* 8.4. A fence without `proxy` is strong. */
static bool is_strong(const struct event *event)
{
    return event->kind == EVENT_FENCE || (is_memory(event) && event->order != ORDER_WEAK);
}

/* Fences have all of these orders; of a memory operation, the read acquires and the write releases.
 * fence.sc is at least as strong as fence.acq_rel (9.7.13.4). */
static bool is_acquire(const struct event *event)
{
    return (event->kind == EVENT_READ || event->kind == EVENT_FENCE) &&
           (event->order == ORDER_ACQUIRE || event->order == ORDER_ACQ_REL ||
            event->order == ORDER_SC);
}

static bool is_release(const struct event *event)
{
    return (event->kind == EVENT_WRITE || event->kind == EVENT_FENCE) &&
           (event->order == ORDER_RELEASE || event->order == ORDER_ACQ_REL ||
            event->order == ORDER_SC);
}

/* 8.5 */
static bool are_in_scopes(const struct execution *execution, const struct event *a,
                          const struct event *b)
{
    const struct litmus_thread *threads = execution->test->threads;

    return litmus_in_scope(&threads[a->thread], &threads[b->thread], a->scope) &&
           litmus_in_scope(&threads[a->thread], &threads[b->thread], b->scope);
}

/* 8.7. All operations here use the generic proxy, but aliases behave like different proxies (8.6),
 * and do not overlap (8.2.1). */
static bool are_morally_strong(const struct execution *execution, int x, int y)
{
    const struct event *a = &execution->events[x], *b = &execution->events[y];

    if (x == y || is_initial(a) || is_initial(b))
        return false;
    if (is_memory(a) && is_memory(b) && !relation_has(&execution->overlap, x, y))
        return false;
    return a->thread == b->thread ||
           (is_strong(a) && is_strong(b) && are_in_scopes(execution, a, b));
}

/* 8.9.4: bar.sync synchronizes with bar.sync on the same barrier. The n-th time of one thread meets
 * the n-th time of the others. */
static bool is_same_barrier(const struct execution *execution, const struct event *a,
                            const struct event *b)
{
    const struct litmus_thread *threads = execution->test->threads;

    return a->kind == EVENT_BARRIER && b->kind == EVENT_BARRIER && a->thread != b->thread &&
           a->barrier == b->barrier && a->instance == b->instance &&
           litmus_in_scope(&threads[a->thread], &threads[b->thread], SCOPE_CTA);
}

/* 8.8. Adds the patterns that consist of the event alone, or of x and y in program order. */
static void add_patterns(struct execution *execution, int x, int y)
{
    const struct event *a = &execution->events[x], *b = &execution->events[y];
    bool in_order = x == y || relation_has(&execution->program, x, y);
    bool same = x == y || relation_has(&execution->overlap, x, y);

    if (!in_order || is_initial(a))
        return;
    if (is_release(a) && b->kind == EVENT_WRITE && is_strong(b) && (a->kind == EVENT_FENCE || same))
        relation_add(&execution->release_pattern, x, y);
    if (is_acquire(b) && a->kind == EVENT_READ && is_strong(a) && !a->is_reduction &&
        (b->kind == EVENT_FENCE || same))
        relation_add(&execution->acquire_pattern, x, y);
}

static void relate(struct execution *execution, int x, int y)
{
    const struct event *a = &execution->events[x], *b = &execution->events[y];

    if (is_initial(a) && !is_initial(b))
        relation_add(&execution->starts, x, y);
    if (!is_initial(a) && a->thread == b->thread && x < y)
        relation_add(&execution->program, x, y);
    if (b->thread == a->thread && b->uses >> x & 1)
        relation_add(&execution->depends, x, y);
    if (is_memory(a) && is_memory(b) && x != y && a->location == b->location) {
        relation_add(&execution->same_location, x, y);
        if (a->variable == b->variable)
            relation_add(&execution->overlap, x, y);
    }
    if (b->kind == EVENT_WRITE && b->partner == x)
        relation_add(&execution->atomic, x, y);
    if (is_same_barrier(execution, a, b))
        relation_add(&execution->barriers, x, y);
}

void execution_begin(struct execution *execution)
{
    const struct relation none = {{0}};

    execution->program = execution->starts = execution->depends = execution->same_location = none;
    execution->overlap = execution->atomic = execution->morally_strong = none;
    execution->release_pattern = execution->acquire_pattern = execution->barriers = none;
    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < execution->count; y++)
            relate(execution, x, y);
    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < execution->count; y++) {
            add_patterns(execution, x, y);
            if (are_morally_strong(execution, x, y))
                relation_add(&execution->morally_strong, x, y);
        }
}

bool execution_ends(const struct execution *execution)
{
    struct relation then = relation_then(&execution->program, &execution->barriers);

    return relation_is_acyclic(&then);
}

/* 8.9.2. A write is observed by a morally strong read, and through read-modify-writes. */
static struct relation observation(const struct execution *execution)
{
    struct relation direct = relation_both(&execution->reads_from, &execution->morally_strong);
    struct relation step = relation_then(&execution->atomic, &direct);
    struct relation steps = relation_closure(step);
    struct relation through = relation_then(&direct, &steps);

    return relation_union(&direct, &through);
}

/* What a read takes does not derive from a later access of its thread to the same address. */
static bool has_no_future(const struct execution *execution)
{
    struct relation local = relation_both(&execution->program, &execution->overlap);
    struct relation cycle = relation_union(&execution->reads_from, &execution->depends);

    cycle = relation_union(&cycle, &execution->atomic);
    cycle = relation_union(&cycle, &local);
    return relation_is_acyclic(&cycle);
}

bool execution_reads_chosen(struct execution *execution, unsigned int axioms)
{
    struct relation cycle = relation_union(&execution->reads_from, &execution->depends);

    execution->observation = observation(execution);
    if ((axioms & AXIOM_NO_FUTURE) && !has_no_future(execution))
        return false;
    return !(axioms & AXIOM_NO_THIN_AIR) || relation_is_acyclic(&cycle); /* 8.10.4 */
}

/* 8.9.4, without barriers and fence.sc: a release pattern synchronizes with an acquire pattern. */
static struct relation synchronizes(const struct execution *execution)
{
    struct relation observed = relation_then(&execution->release_pattern, &execution->observation);
    struct relation ends = relation_then(&observed, &execution->acquire_pattern);

    return relation_both(&ends, &execution->morally_strong);
}

/* 8.9.5. Proxy-preserved base causality order, as far as it relates memory operations: to the same
 * address, or to aliases with an alias fence on the way. The start of a kernel synchronizes with
 * all its threads. */
static struct relation proxy_preserved(const struct execution *execution)
{
    const struct relation *base = &execution->base_causality;
    struct relation to_fence = *base, result;

    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < execution->count; y++)
            if (execution->events[y].kind != EVENT_ALIAS_FENCE)
                to_fence.row[x] &= ~(1ull << y);
    result = relation_then(&to_fence, base);
    result = relation_both(&result, &execution->same_location);
    for (int x = 0; x < execution->count; x++) {
        const struct relation *same =
            is_initial(&execution->events[x]) ? &execution->same_location : &execution->overlap;

        result.row[x] |= base->row[x] & same->row[x];
    }
    return result;
}

bool execution_fences_chosen(struct execution *execution, unsigned int axioms)
{
    struct relation base = synchronizes(execution), preserved, observed, backwards;

    base = relation_union(&base, &execution->barriers);
    base = relation_union(&base, &execution->fence_sc);
    base = relation_union(&base, &execution->program);
    base = relation_union(&base, &execution->starts);
    execution->base_causality = relation_closure(base);
    preserved = proxy_preserved(execution);
    observed = relation_then(&execution->observation, &preserved);
    execution->causality = relation_union(&preserved, &observed);
    /* 8.10.2. Fences have no address, so that proxies do not matter. */
    backwards = relation_then(&execution->base_causality, &execution->fence_sc);
    return !(axioms & AXIOM_FENCE_SC) || relation_is_irreflexive(&backwards);
}

/* 8.9.7: a read, and the writes after the write that it reads from. */
static struct relation from_reads(const struct execution *execution)
{
    struct relation result = {{0}};

    for (int write = 0; write < execution->count; write++)
        for (uint64_t reads = execution->reads_from.row[write]; reads != 0; reads &= reads - 1)
            result.row[__builtin_ctzll(reads)] |= execution->coherence.row[write];
    return result;
}

/* 8.10.1 */
static bool is_coherent(const struct execution *execution)
{
    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < execution->count; y++)
            if (execution->events[x].kind == EVENT_WRITE &&
                execution->events[y].kind == EVENT_WRITE &&
                relation_has(&execution->causality, x, y) &&
                !relation_has(&execution->coherence, x, y))
                return false;
    return true;
}

/* 8.10.3: no morally strong write comes between the read and the write of a read-modify-write. */
static bool is_atomic(const struct execution *execution, const struct relation *from_reads)
{
    struct relation before = relation_both(from_reads, &execution->morally_strong);
    struct relation after = relation_both(&execution->coherence, &execution->morally_strong);
    struct relation between = relation_then(&before, &after);

    between = relation_both(&between, &execution->atomic);
    return relation_is_empty(&between);
}

bool execution_is_allowed(const struct execution *execution, unsigned int axioms)
{
    struct relation from = from_reads(execution), communication, contradiction, location;

    communication = relation_union(&execution->reads_from, &from);
    contradiction = relation_then(&communication, &execution->causality);
    location = relation_union(&communication, &execution->coherence);
    location = relation_both(&location, &execution->morally_strong);
    for (int x = 0; x < execution->count; x++)
        location.row[x] |= execution->program.row[x] & execution->overlap.row[x];
    return (!(axioms & AXIOM_COHERENCE) || is_coherent(execution)) &&
           (!(axioms & AXIOM_ATOMICITY) || is_atomic(execution, &from)) &&
           (!(axioms & AXIOM_SC_PER_LOCATION) || relation_is_acyclic(&location)) &&  /* 8.10.5 */
           (!(axioms & AXIOM_CAUSALITY) || relation_is_irreflexive(&contradiction)); /* 8.10.6 */
}

bool execution_has_data_race(const struct execution *execution)
{
    for (int x = 0; x < execution->count; x++)
        for (int y = 0; y < x; y++)
            if (relation_has(&execution->overlap, x, y) &&
                (execution->events[x].kind == EVENT_WRITE ||
                 execution->events[y].kind == EVENT_WRITE) &&
                !relation_has(&execution->causality, x, y) &&
                !relation_has(&execution->causality, y, x) &&
                !relation_has(&execution->morally_strong, x, y))
                return true;
    return false;
}
