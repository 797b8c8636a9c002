/* SPDX-License-Identifier: MIT
 *
 * Loads that have not bound their values yet. A load binds when an instruction uses its value, when
 * an access of the same thread to the same place follows, and at the latest at a fence, a release,
 * an acquire or a barrier.
 */
#include "weak.h"

#include "schedule.h"

#include <stdlib.h>

struct deferred {
    struct deferred *next; /* of the party, the oldest first; or of the free list */
    struct deferred *made; /* the one that was allocated before it */
    const struct op *op;
    uint64_t address, base; /* base: the contents of the address register */
    bool is_needed;
};

static struct deferred *made, *unused;

/* ---- What instructions need ---- */

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

/* Returns true if the instruction uses only registers of its own operands, and orders nothing. */
static bool is_simple(const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_DIVIDE:
    case OP_COMPUTE:
    case OP_EXACT:
    case OP_SELECT:
    case OP_COPY:
    case OP_RESIZE:
    case OP_PACK:
    case OP_UNPACK:
    case OP_BLOCK:
    case OP_BRANCH:
    case OP_ENTRY_LOAD:
    case OP_LOCAL_ADDRESS:
    case OP_TO_GENERIC:
    case OP_TO_SPACE:
    case OP_IS_SPACE:
    case OP_PATH:
        return true;
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC:
        return op->order == SIMT_RELAXED;
    default:
        return false;
    }
}

static bool uses(const struct op *op, const struct deferred *load)
{
    for (uint32_t k = 0; k < load->op->count; k++)
        if (is_of(op, load->op->parts[k]))
            return true;
    return false;
}

static bool is_access(const struct op *op)
{
    return op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_ATOMIC;
}

static uint32_t size_of(const struct op *op)
{
    return (uint32_t)op->bytes * (op->count > 0 ? op->count : 1);
}

/* Returns true if the access may be to a byte of the load. The lower halves of addresses show it,
 * because those of shared memory differ in the upper half only. */
static bool meets(const struct op *op, uint64_t address, const struct deferred *load)
{
    uint32_t at = (uint32_t)address, other = (uint32_t)load->address;

    return at < other + size_of(load->op) && other < at + size_of(op);
}

static bool is_skipped(const struct party *party, const struct op *op)
{
    uint32_t guard =
        op->guard == 0
            ? UINT32_MAX
            : *(const uint32_t *)(const void *)(party->frame->slots + op->guard) ^ op->guard_flip;

    return (party->lanes & guard) == 0;
}

static bool has_deferred(const struct party *party, uint32_t slot)
{
    for (const struct deferred *load = party->deferred; load != NULL; load = load->next)
        for (uint32_t k = 0; k < load->op->count; k++)
            if (load->op->parts[k] == slot)
                return true;
    return false;
}

/* Marks the loads that must bind before the instruction. Returns true if there are any. */
static bool find_needed(const struct party *party, const struct op *op)
{
    bool all = !is_simple(op), any = false, knows_address = true;
    uint64_t address = 0;

    for (struct deferred *load = party->deferred; load != NULL; load = load->next)
        load->is_needed = false;
    if (op->guard != 0 && !has_deferred(party, op->guard) && is_skipped(party, op))
        return false;
    if (is_access(op) && op->a != 0) {
        knows_address = !has_deferred(party, op->a);
        address = access_address(party->frame, op, (uint32_t)__builtin_ctz(party->lanes));
    }
    for (struct deferred *load = party->deferred; load != NULL; load = load->next) {
        load->is_needed =
            all || uses(op, load) ||
            (is_access(op) && op->a != 0 && knows_address && meets(op, address, load));
        any = any || load->is_needed;
    }
    return any;
}

/* ---- Binding ---- */

/* Makes the load now, at the address that it had then. */
static void bind(struct warp *warp, struct party *party, const struct deferred *deferred)
{
    const struct op *op = deferred->op;
    char *base = party->frame->slots + op->a + (op->is_wide ? 8 : 4) * __builtin_ctz(party->lanes);
    uint64_t kept = 0;
    uint32_t size = op->is_wide ? 8 : 4;
    bool is_overwritten = false;

    for (uint32_t k = 0; k < op->count; k++)
        is_overwritten = is_overwritten || op->parts[k] == op->a;
    memcpy(&kept, base, size);
    memcpy(base, &deferred->base, size);
    machine.op = op;
    weak_begin();
    load(warp, party->frame, op, party->lanes);
    weak_end(party);
    if (op->is_strong || (op->access & ACCESS_VOLATILE) != 0)
        party->looked = op->place;
    if (!is_overwritten)
        memcpy(base, &kept, size);
}

static void bind_needed(struct warp *warp, struct party *party)
{
    struct deferred **at = &party->deferred;

    while (*at != NULL) {
        struct deferred *load = *at;
        if (!load->is_needed) {
            at = &load->next;
            continue;
        }
        *at = load->next;
        bind(warp, party, load);
        load->next = unused;
        unused = load;
    }
}

/* Returns true for an instruction whose effect depends on what others have done. */
static bool is_choice(const struct party *party, const struct op *op)
{
    bool is = (op->kind == OP_LOAD && op->order != SIMT_RELAXED) || op->kind == OP_ATOMIC ||
              (op->kind == OP_FENCE && op->is_strong);

    return is && !is_skipped(party, op);
}

bool weak_stops(struct warp *warp, struct party *party, const struct op *op)
{
    bool needs = party->deferred != NULL && find_needed(party, op);

    if (!needs && !is_choice(party, op))
        return false;
    if (schedule_before_choice(warp, party))
        return true;
    if (needs)
        bind_needed(warp, party);
    /* The guard may be known only now, and with it what the instruction needs. */
    return needs && party->deferred != NULL && weak_stops(warp, party, op);
}

bool weak_defers(struct warp *warp, struct party *party, const struct op *op)
{
    uint32_t lane = (uint32_t)__builtin_ctz(party->lanes);
    struct deferred *load = unused, **at = &party->deferred;

    if (op->order != SIMT_RELAXED || !load_may_wait(warp, party->frame, op, lane))
        return false;
    if (load != NULL) {
        unused = load->next;
    } else {
        load = malloc(sizeof *load);
        if (load == NULL)
            return false;
        load->made = made;
        made = load;
    }
    *load = (struct deferred){
        .made = load->made, .op = op, .address = access_address(party->frame, op, lane)};
    load->base = load->address - (uint64_t)op->offset;
    while (*at != NULL)
        at = &(*at)->next;
    *at = load;
    return true;
}

/* ---- A job ---- */

void weak_start(void)
{
    weak_on = true;
    unused = NULL;
    for (struct deferred *load = made; load != NULL; load = load->made) {
        load->next = unused;
        unused = load;
    }
}

void weak_finish(void)
{
    weak_forget_places();
    weak_on = false;
}
