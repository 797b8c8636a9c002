/* SPDX-License-Identifier: MIT
 *
 * Loads and atomics that are put off. The instructions of a thread after one may take effect first,
 * also fences, releases and acquires. These end the delay of an access:
 *
 * - an instruction that uses its result
 * - a later access of its thread to the same place, other than a relaxed load
 * - a barrier, and the end of the thread
 * - an access of another thread to the same place that is behind it in causality order.
 *
 * It then has the causality order that it had when it was put off. An acquire operation makes the
 * reads before it, or chooses that they take no write from which it would have acquired something.
 */
#include "access.h"
#include "policy.h"
#include "releases.h"
#include "weak.h"

#include <stdlib.h>

enum { SOURCES = 3, MAX_SOURCE = 16 };

/* A register that the access reads, as it was then. */
struct source {
    uint32_t slot, size; /* size 0: none */
    char value[MAX_SOURCE];
};

struct deferred {
    struct deferred *next; /* of the party, the oldest first; or of the free list */
    struct deferred *made; /* the one that was allocated before it */
    const struct op *op;   /* null: it is free */
    struct warp *warp;
    uint32_t lane;
    uint64_t serial;
    struct region *region;
    uint64_t offset;
    struct source sources[SOURCES];
    struct race_thread then; /* the state of its thread when it was put off */
    bool is_open;            /* an atomic or an acquire that no access of its thread has passed */
    struct weak_limit limit;
    bool is_needed, must_decide; /* before the next instruction */
};

static struct deferred *made, *unused;
static uint32_t pending; /* how many are put off */
static uint64_t last_serial;

/* ---- What instructions need ---- */

static bool is_access(const struct op *op)
{
    return op_kinds[op->kind].weak == WEAK_ACCESSES;
}

static bool is_of(const struct op *op, uint32_t slot)
{
    if (slot == op->guard || slot == op->a || slot == op->b || slot == op->c || slot == op->d ||
        slot == op->e || slot == op->d2 || slot == op->carry)
        return true;
    for (uint32_t k = 0; op->parts != NULL && k < op->count; k++)
        if (op->parts[k] == slot)
            return true;
    return false;
}

/* Returns true if the access has its result in that slot. */
static bool has_result_in(const struct op *access, uint32_t slot)
{
    if (access->kind == OP_ATOMIC)
        return access->returns && access->d == slot;
    for (uint32_t k = 0; k < access->count; k++)
        if (access->parts[k] == slot)
            return true;
    return false;
}

static bool uses(const struct op *op, const struct op *access)
{
    if (access->kind == OP_ATOMIC)
        return access->returns && is_of(op, access->d);
    for (uint32_t k = 0; k < access->count; k++)
        if (is_of(op, access->parts[k]))
            return true;
    return false;
}

static bool is_skipped(const struct party *party, const struct op *op)
{
    uint32_t guard =
        op->guard == 0
            ? UINT32_MAX
            : *(const uint32_t *)(const void *)(party->frame->slots + op->guard) ^ op->guard_flip;

    return (party->lanes & guard) == 0;
}

static uint32_t size_of(const struct op *op)
{
    return (uint32_t)op->bytes * (op->count > 0 ? op->count : 1);
}

static bool meets(const struct deferred *access, const struct op *op, const struct region *region,
                  uint64_t offset)
{
    const char *host = region->host + offset, *other = access->region->host + access->offset;

    return host < other + size_of(access->op) && other < host + size_of(op);
}

/* Marks those whose results the instruction uses, or only its guard while that is not known.
 * Returns true if there are any. Then other atomics may also be made, before those. */
static bool find_used(const struct party *party, const struct op *op)
{
    bool any = false, any_guard = false;

    for (struct deferred *access = party->deferred; access != NULL; access = access->next)
        any_guard = any_guard || (op->guard != 0 && has_result_in(access->op, op->guard));
    if (!any_guard && is_skipped(party, op))
        return false;
    for (struct deferred *access = party->deferred; access != NULL; access = access->next) {
        access->is_needed = any_guard
                                ? has_result_in(access->op, op->guard)
                                : op_kinds[op->kind].weak == WEAK_WAITS || uses(op, access->op);
        access->must_decide =
            !access->is_needed && access->is_open && access->op->kind == OP_ATOMIC;
        any = any || access->is_needed;
    }
    return any;
}

static bool is_strong_read(const struct op *op)
{
    return (op->is_strong || (op->access & ACCESS_VOLATILE) != 0) && !op->reduces;
}

/* Returns the scope within which an acquire operation waits for that access, or -1: the
 * instruction, if it is a fence, or the access itself, if the instruction may not pass it. */
static int acquired_by(const struct op *op, const struct deferred *access)
{
    const struct op *read = access->op;
    int scope = (read->access & ACCESS_VOLATILE) != 0 ? SIMT_SYSTEM : read->scope;

    if (!is_strong_read(read))
        return -1;
    if (op->kind == OP_FENCE && op->order != SIMT_RELEASE)
        return op->scope < scope ? op->scope : scope;
    return read->order == SIMT_ACQUIRE || read->order == SIMT_ACQ_REL ? scope : -1;
}

/* Marks those that must be made before the instruction, and those for which it must be decided.
 * Returns true if there are any. `region`: of the instruction's access, or null. */
static bool find_ordered(const struct party *party, const struct op *op,
                         const struct region *region, uint64_t offset)
{
    bool any = false;

    for (struct deferred *access = party->deferred; access != NULL; access = access->next) {
        access->is_needed =
            region != NULL && meets(access, op, region, offset) &&
            !(op->kind == OP_LOAD && op->order == SIMT_RELAXED && access->op->kind == OP_LOAD);
        access->must_decide = !access->is_needed &&
                              (access->is_open || acquired_by(op, access) > access->limit.scope);
        any = any || access->is_needed || access->must_decide;
    }
    return any;
}

/* ---- Order between threads ---- */

static struct race_thread *thread_of(const struct warp *warp, uint32_t lane)
{
    return &warp->block->race.threads[warp->number * LANES + lane];
}

static const struct happens_before *before_of(const struct warp *warp,
                                              const struct race_thread *thread)
{
    return thread->before != NULL ? thread->before : warp->block->race.before;
}

static bool is_before(const struct deferred *access, const struct happens_before *before)
{
    const struct race_block *block = &access->warp->block->race;

    return access->then.time <=
           happens_before_value(
               before, about_thread(block->serial, access->warp->number * LANES + access->lane));
}

/* Returns true if the write may release something to the thread of the other access, within that
 * scope. */
static bool may_release(const struct deferred *write, const struct deferred *to, int scope)
{
    const struct race_block *block = &write->warp->block->race, *other = &to->warp->block->race;
    const struct op *op = write->op;
    uint64_t word = weak_word(write->region, write->offset);
    uint32_t thread = write->warp->number * LANES + write->lane;

    if (op->kind == OP_LOAD || !op->is_strong)
        return false;
    for (int s = SIMT_BLOCK; s < RACE_SCOPES && s <= op->scope && s <= scope; s++) {
        enum simt_scope each = (enum simt_scope)s;
        if (release_to_scope(block, each) == release_to_scope(other, each) &&
            (op->order == SIMT_RELEASE || op->order == SIMT_ACQ_REL ||
             write->then.fenced[s] != NULL || block->fenced[s] != NULL ||
             releases_found(word, ANY_SIZE, release_to_itself(block, thread, each)) != NULL))
            return true;
    }
    return op->kind == OP_ATOMIC &&
           weak_has_release(other, write->region, write->offset, op->bytes, scope);
}

/* Returns true if the access is an atomic that an acquire operation has not waited for, and the
 * other one is a write from which that would have acquired something. */
static bool must_avoid(const struct deferred *access, const struct deferred *other)
{
    return access->op->kind == OP_ATOMIC && access->limit.scope >= 0 &&
           may_release(other, access, access->limit.scope);
}

/* Finds an access that must be made before this one, of those to the same place. */
static struct deferred *find_earlier(const struct deferred *before)
{
    const struct happens_before *known = before_of(before->warp, &before->then);

    for (struct deferred *access = pending > 0 ? made : NULL; access != NULL;
         access = access->made) {
        bool is_own = access->warp == before->warp && access->lane == before->lane;
        if (access->op != NULL && meets(access, before->op, before->region, before->offset) &&
            (is_own ? access->serial < before->serial
                    : is_before(access, known) || must_avoid(access, before)))
            return access;
    }
    return NULL;
}

/* ---- Making an access ---- */

/* Swaps the registers that the access reads with their other values. */
static void swap_sources(struct deferred *access, char *slots)
{
    for (uint32_t k = 0; k < SOURCES; k++) {
        struct source *source = &access->sources[k];
        char *at = slots + source->slot + access->lane * source->size, now[MAX_SOURCE];
        memcpy(now, at, source->size);
        memcpy(at, source->value, source->size);
        memcpy(source->value, now, source->size);
    }
}

static void unlink_access(struct party *party, struct deferred *access)
{
    struct deferred **at = &party->deferred;

    while (*at != access)
        at = &(*at)->next;
    *at = access->next;
    access->op = NULL;
    access->next = unused;
    unused = access;
    pending--;
}

/* Makes the access with the registers that it had then. */
static void run(struct deferred *access, struct party *party)
{
    const struct op *op = access->op, *kept_op = machine.op;
    struct warp *kept_warp = machine.warp;
    struct block *kept_block = machine.block;
    char *slots = party->frame->slots;

    swap_sources(access, slots);
    machine.op = op;
    machine.warp = access->warp;
    machine.block = access->warp->block;
    weak_begin_late(access->limit);
    if (op->kind == OP_LOAD)
        load(access->warp, party->frame, op, party->lanes);
    else
        atomic(access->warp, party->frame, op, party->lanes);
    weak_end(party);
    if (is_strong_read(op))
        party->looked = op->place;
    for (uint32_t k = 0; k < SOURCES; k++)
        if (has_result_in(op, access->sources[k].slot))
            access->sources[k].size = 0;
    swap_sources(access, slots);
    machine.op = kept_op;
    machine.warp = kept_warp;
    machine.block = kept_block;
}

/* Makes the access, after others that precede it, with the order that it had then. */
static void make(struct deferred *access)
{
    struct warp *warp = access->warp;
    struct race_thread *thread = thread_of(warp, access->lane), now;
    struct deferred *earlier;

    while ((earlier = find_earlier(access)) != NULL)
        make(earlier);
    now = *thread;
    thread->time = access->then.time;
    thread->before = access->then.before;
    memcpy(thread->fenced, access->then.fenced, sizeof thread->fenced);
    run(access, &warp->parties[warp->party_of[access->lane]]);
    thread->time = now.time;
    if (thread->before == access->then.before) /* else it has acquired, and nothing has passed it */
        thread->before = now.before;
    memcpy(thread->fenced, now.fenced, sizeof thread->fenced);
    unlink_access(&warp->parties[warp->party_of[access->lane]], access);
}

/* Returns the n-th atomic that is needed, or null. */
static struct deferred *nth_atomic(const struct party *party, bool is_decided, uint32_t n)
{
    struct deferred *access = party->deferred;

    for (; access != NULL; access = access->next)
        if (access->is_needed && access->op->kind == OP_ATOMIC &&
            access->must_decide == is_decided && n-- == 0)
            break;
    return access;
}

/* Makes one atomic that is needed, or all loads: the later a load, the more it may read. Those for
 * which it was decided come first. Returns true if an atomic was made, so that there may be more.
 */
static bool make_needed(const struct party *party)
{
    struct deferred *access = nth_atomic(party, true, 0);
    uint32_t count = 0;

    if (access == NULL) {
        while (nth_atomic(party, false, count) != NULL)
            count++;
        access = count > 0 ? nth_atomic(party, false, schedule_choose(count)) : NULL;
    }
    if (access != NULL) {
        make(access);
        return true;
    }
    for (access = party->deferred; access != NULL;) {
        bool is_needed = access->is_needed;
        if (is_needed)
            make(access);
        access = is_needed ? party->deferred : access->next; /* it may have made others, too */
    }
    return false;
}

/* ---- Instructions ---- */

/* Returns true if another atomic waits, to the same place, that must avoid writes. */
static bool avoids_any(const struct deferred *access)
{
    for (const struct deferred *other = made; other != NULL; other = other->made)
        if (other->op != NULL && other != access && other->op->kind == OP_ATOMIC &&
            access->op->kind == OP_ATOMIC && other->limit.scope >= 0 &&
            meets(other, access->op, access->region, access->offset))
            return true;
    return false;
}

/* Returns true if no acquire operation of that scope needs to wait for the access. */
static bool may_pass(const struct deferred *access, int scope)
{
    const struct race_block *block = &access->warp->block->race;
    uint32_t thread = access->warp->number * LANES + access->lane;

    return scope < 0 ||
           (!avoids_any(access) &&
            weak_may_pass(block, thread, access->op, access->region, access->offset, scope));
}

/* Chooses whether accesses are made before the instruction. */
static void decide(const struct party *party, const struct op *op)
{
    for (struct deferred *access = party->deferred; access != NULL; access = access->next) {
        int scope = acquired_by(op, access);
        if (!access->must_decide)
            continue;
        access->is_open = false;
        access->is_needed = !may_pass(access, scope) || schedule_choose(2) == 0;
        if (!access->is_needed && scope > access->limit.scope)
            access->limit = weak_limit(scope);
    }
}

static bool is_defined(const struct party *party, uint32_t slot)
{
    return (head_of(party->frame->slots, slot)->undefined & party->lanes) == 0;
}

static bool may_wait(const struct party *party, const struct op *op, const struct region *region)
{
    if (region == NULL || !(region->is_shared || region->is_writable))
        return false;
    if (op->kind == OP_LOAD)
        return op->d2 == 0 && op->carry == 0; /* decode_dropped.c */
    return op->kind == OP_ATOMIC && op->to_bytes == op->bytes && is_defined(party, op->b) &&
           is_defined(party, op->c);
}

bool weak_stops(struct warp *warp, struct party *party, const struct op *op)
{
    uint32_t lane = (uint32_t)__builtin_ctz(party->lanes);
    bool uses = party->deferred != NULL && find_used(party, op), is_ordered = false;
    bool is_made = false; /* the instruction makes an access that does not wait */
    bool has_more = false;
    struct region *region = NULL;
    uint64_t offset = 0;
    struct deferred *earlier = NULL;

    if (!uses) {
        if (!(is_access(op) || op->kind == OP_FENCE) || is_skipped(party, op))
            return false;
        if (is_access(op))
            region = shared_region(warp, party->frame, op, lane, &offset);
        is_made = region != NULL && !may_wait(party, op, region);
        if (is_made)
            earlier = find_earlier(&(struct deferred){.op = op,
                                                      .warp = warp,
                                                      .lane = lane,
                                                      .region = region,
                                                      .offset = offset,
                                                      .then = *thread_of(warp, lane)});
        is_ordered = find_ordered(party, op, region, offset);
        if (!is_ordered && earlier == NULL &&
            !(op->kind == OP_FENCE ? op->is_strong : is_made && op->kind == OP_ATOMIC))
            return false;
    }
    if (schedule_before_choice(warp, party))
        return true;
    if (uses || is_ordered) {
        decide(party, op);
        has_more = make_needed(party);
    } else if (earlier != NULL) {
        make(earlier);
    }
    /* What has been made may order others before the instruction. */
    return (uses || has_more || (is_made && (is_ordered || earlier != NULL))) &&
           weak_stops(warp, party, op);
}

/* Returns a free one, or null without memory. */
static struct deferred *take_unused(void)
{
    struct deferred *access = unused;

    if (access != NULL) {
        unused = access->next;
        return access;
    }
    access = malloc(sizeof *access);
    if (access == NULL)
        return NULL;
    access->made = made;
    made = access;
    return access;
}

static void keep_source(struct deferred *access, uint32_t k, const struct party *party,
                        uint32_t slot, uint32_t size)
{
    struct source *source = &access->sources[k];

    source->slot = slot;
    source->size = size;
    memcpy(source->value, party->frame->slots + slot + access->lane * size, size);
}

bool weak_defers(struct warp *warp, struct party *party, const struct op *op)
{
    uint32_t lane = (uint32_t)__builtin_ctz(party->lanes);
    struct race_thread *thread = thread_of(warp, lane);
    struct deferred *access, **at = &party->deferred;
    uint64_t offset;
    struct region *region = shared_region(warp, party->frame, op, lane, &offset);

    if (!may_wait(party, op, region) || (access = take_unused()) == NULL)
        return false;
    *access = (struct deferred){.made = access->made,
                                .op = op,
                                .warp = warp,
                                .lane = lane,
                                .serial = ++last_serial,
                                .region = region,
                                .offset = offset,
                                .then = *thread,
                                .is_open = op->kind == OP_ATOMIC || op->order != SIMT_RELAXED,
                                .limit = {.scope = -1}};
    keep_source(access, 0, party, op->a, op->is_wide ? 8 : 4);
    if (op->kind == OP_ATOMIC) {
        keep_source(access, 1, party, op->b, op->bytes);
        keep_source(access, 2, party, op->c, op->bytes);
    }
    thread->time++; /* what it does from now on may be ordered otherwise */
    while (*at != NULL)
        at = &(*at)->next;
    *at = access;
    pending++;
    return true;
}

/* ---- A job ---- */

void weak_start(void)
{
    machine.is_weak = true;
    unused = NULL;
    pending = 0;
    for (struct deferred *access = made; access != NULL; access = access->made) {
        access->op = NULL;
        access->next = unused;
        unused = access;
    }
}

void weak_finish(void)
{
    weak_choose_ends();
    weak_forget_places();
    machine.is_weak = false;
}
