/* SPDX-License-Identifier: MIT
 *
 * Barriers of a block, and threads that exit, for which neither barriers nor collectives wait.
 */
#include "barriers.h"

#include "cluster.h"
#include "collective.h"
#include "counters.h"
#include "faults.h"
#include "paths.h"
#include "quick.h"
#include "undefined.h"

#include "source_path.h"

#include <stdio.h>
#include <string.h>

static uint32_t expected(const struct block *block, const struct barrier *barrier)
{
    return barrier->count != 0 ? barrier->count : block->threads - block->exited;
}

static void write_results(struct warp *warp, struct party *party, const struct barrier *barrier)
{
    const struct op *op = party->op;
    uint32_t trues = barrier->trues, all = barrier->arrived;
    (void)warp;

    for (uint32_t left = op->reduces ? party->lanes : 0; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (op->what == 0) {
            memcpy(party->frame->slots + op->d + lane * sizeof trues, &trues, sizeof trues);
        } else {
            collective_write_bit(party->frame->slots, op->d, lane,
                                 op->what == 1 ? trues == all : trues != 0);
        }
        note_undefined_lane(party->frame->slots, op->d, lane, false, 0);
    }
}

static uint32_t barrier_number(const struct party *party)
{
    uint32_t number;

    memcpy(&number,
           party->frame->slots + party->op->a +
               (uint32_t)__builtin_ctz(party->lanes) * sizeof number,
           sizeof number);
    return number;
}

/* Returns true if lanes may still arrive at an aligned barrier with a thread count. */
static bool may_come(const struct block *block, uint32_t number)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        bool waits = false, runs = false;
        for (uint32_t p = 0; p < block->warps[w].party_count; p++) {
            const struct party *party = &block->warps[w].parties[p];
            waits = waits || (party->state == PARTY_AT_BARRIER && barrier_number(party) == number);
            runs = runs || party->state == PARTY_READY;
        }
        if (waits && runs)
            return true;
    }
    return false;
}

/* Returns true if all expected threads have arrived at the barrier. */
static bool is_full(const struct block *block, uint32_t number)
{
    const struct barrier *barrier = &block->barriers[number];

    return barrier->arrived > 0 && barrier->arrived >= expected(block, barrier) &&
           !(barrier->count != 0 && barrier->is_aligned && may_come(block, number));
}

/* ---- What is checked at a barrier ---- */

static bool is_one_site(const struct simt_site *a, const struct simt_site *b)
{
    return a == b || (a != NULL && b != NULL && a->line == b->line && a->column == b->column &&
                      strcmp(a->file, b->file) == 0);
}

/* Returns true if both are the same barrier in the source. A compiler may duplicate its
 * instruction, for example when it unrolls a loop. */
static bool is_one_barrier(const struct op *a, const struct op *b)
{
    const struct simt_site *one = &a->place->site, *other = &b->place->site;

    return a == b || (is_one_site(one, other) && is_one_site(one->outer, other->outer));
}

/* Finds, for each lane of a warp, the barrier instruction of that number at which it waits. Null:
 * it waits at none. */
static void find_barriers(const struct warp *warp, uint32_t number, const struct op *ops[LANES])
{
    for (uint32_t l = 0; l < LANES; l++)
        ops[l] = NULL;
    for (uint32_t p = 0; p < warp->party_count; p++) {
        const struct party *party = &warp->parties[p];
        if (party->state != PARTY_AT_BARRIER || barrier_number(party) != number)
            continue;
        for (uint32_t left = party->lanes; left != 0; left &= left - 1)
            ops[__builtin_ctz(left)] = party->op;
    }
}

/* Reports a thread that waits at one barrier while others wait at another. */
static _Noreturn void leave_at_barrier(const struct block *block, uint32_t thread,
                                       const struct op *op, const struct op *other,
                                       enum fault_sentence sentence)
{
    record_fault_of(FAULT_DIVERGENT_BARRIER, block, thread, op->place, sentence,
                    .others = {other->place});
    leave_faulty();
}

/* PTX ISA, bar: the lanes of a warp execute the same instruction of an aligned barrier. A compiler
 * may not duplicate it such that it depends on another condition. So lanes that execute copies are
 * at different barriers of the source, even if a macro puts both on one line. */
static void check_warp(const struct warp *warp, uint32_t number)
{
    const struct op *ops[LANES], *first = NULL;

    find_barriers(warp, number, ops);
    for (uint32_t l = 0; l < LANES; l++)
        first = first != NULL ? first : ops[l];
    for (uint32_t l = 0; first != NULL && l < LANES; l++) {
        uint32_t thread = warp->number * LANES + l;
        if (ops[l] == NULL && (warp->alive >> l & 1)) {
            record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block, thread, first->place,
                            SAYS_MISSES_WARP_BARRIER);
            leave_faulty();
        }
        if (ops[l] != NULL && ops[l] != first)
            leave_at_barrier(warp->block, thread, ops[l], first, SAYS_WAITS_ELSEWHERE_IN_WARP);
    }
}

/* Keeps the first barrier in the code that PTX permits and the CUDA C++ Programming Guide does not.
 * The verdict of a user's launch then has a remark. */
static void disapprove(const struct simt_place *kept[2], const struct simt_place *barrier,
                       const struct simt_place *other)
{
    if (kept[0] != NULL && kept[0] <= barrier)
        return;
    kept[0] = barrier;
    kept[1] = other;
}

/* CUDA C++ Programming Guide, synchronization functions: all threads of a block reach the same
 * __syncthreads(). In PTX, whole warps may reach different ones, but not barriers that compute
 * different results. */
static void check_block(const struct block *block, uint32_t number)
{
    const struct op *first = NULL, *ops[LANES];

    for (uint32_t w = 0; w < block->warp_count; w++) {
        find_barriers(&block->warps[w], number, ops);
        for (uint32_t l = 0; l < LANES; l++) {
            first = first != NULL ? first : ops[l];
            if (ops[l] == NULL || is_one_barrier(ops[l], first))
                continue;
            if (machine.strict_barriers || machine.allowed == NULL ||
                ops[l]->reduces != first->reduces || ops[l]->what != first->what)
                leave_at_barrier(block, w * LANES + l, ops[l], first, SAYS_WAITS_ELSEWHERE);
            disapprove(machine.parted, first->place, ops[l]->place);
        }
    }
}

/* --strict-barriers: reports a thread that returned before the barrier. */
static void check_exited(const struct block *block, uint32_t number)
{
    const struct op *ops[LANES], *op = NULL;
    uint32_t thread = UINT32_MAX;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        find_barriers(warp, number, ops);
        for (uint32_t l = 0; l < LANES; l++) {
            op = op != NULL ? op : ops[l];
            if (thread == UINT32_MAX && (warp->lanes & ~warp->alive) >> l & 1)
                thread = w * LANES + l;
        }
    }
    record_fault_of(FAULT_DIVERGENT_BARRIER, block, thread, op->place, SAYS_RETURNED_BEFORE);
    leave_faulty();
}

/* All threads that have not ended are at the barrier. Whole warps may return early. */
static void remark_ended(const struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        if (warp->ended != NULL && warp->alive != 0)
            disapprove(machine.missed, warp->parties[0].op->place, warp->ended);
    }
}

/* Returns true if every warp waits as one party, and all at one instruction. */
static bool is_together(const struct block *block)
{
    const struct op *op = NULL;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        if (warp->party_count == 0)
            continue;
        op = op != NULL ? op : warp->parties[0].op;
        if (warp->party_count > 1 || warp->parties[0].op != op)
            return false;
    }
    return true;
}

/* Returns the allowance for whole warps that wait at different barriers, one of them at the line of
 * that op, or MAX_ALLOWED. */
static uint32_t allowance_at(const struct op *op)
{
    char file[SOURCE_FILE], line[SOURCE_LINE];

    source_path_shorten(op->place->site.file, file, sizeof file);
    snprintf(line, sizeof line, "%s:%d", file, op->place->site.line);
    return allowance_find(machine.allowed, ALLOWED_WARP_BARRIERS, line);
}

/* Returns whether warps may wait at different barriers of the block: everywhere, or at a line where
 * one of them waits. */
static bool is_excused(const struct block *block, uint32_t number)
{
    const struct op *ops[LANES], *first = NULL;
    uint32_t by = MAX_ALLOWED;
    bool differ = false;

    if (!allowance_has(machine.allowed, ALLOWED_WARP_BARRIERS))
        return machine.warp_barriers;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        find_barriers(&block->warps[w], number, ops);
        for (uint32_t l = 0; l < LANES; l++) {
            if (ops[l] == NULL)
                continue;
            first = first != NULL ? first : ops[l];
            differ = differ || ops[l] != first;
            by = by < MAX_ALLOWED ? by : allowance_at(ops[l]);
        }
    }
    if (!differ || by == MAX_ALLOWED)
        return false;
    machine.excused |= UINT64_C(1) << by;
    return true;
}

/* Checks that the right threads have arrived at the barrier, and reports a fault otherwise. */
static void check_barrier(struct block *block, uint32_t number)
{
    const struct barrier *barrier = &block->barriers[number];
    bool of_all = barrier->count == 0;

    if ((of_all || barrier->is_aligned) && paths_bypass(block, of_all))
        leave_faulty();
    if (barrier->is_aligned && !(of_all && is_together(block))) {
        for (uint32_t w = 0; w < block->warp_count; w++)
            check_warp(&block->warps[w], number);
        if (of_all && !is_excused(block, number))
            check_block(block, number);
    }
    if (of_all && machine.strict_barriers && block->exited > 0)
        check_exited(block, number);
    if (of_all && block->exited > 0)
        remark_ended(block);
}

/* ---- Threads that arrive and exit ---- */

static void complete_barrier(struct block *block, uint32_t number)
{
    struct barrier *barrier = &block->barriers[number];
    bool of_all = barrier->count == 0;

    check_barrier(block, number);
    machine.progress++;
    if (quick_races.is_on)
        quick_barrier(block);
    if (race_on && of_all)
        race_barrier(&block->race, block->exited > 0);
    if (unlikely(machine.counters != NULL) && of_all)
        count_barrier(block);
    block->barriers_passed += of_all;
    machine.released = UINT32_MAX;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++) {
            struct party *party = &block->warps[w].parties[p];
            if (party->state != PARTY_AT_BARRIER || barrier_number(party) != number)
                continue;
            write_results(&block->warps[w], party, barrier);
            if (race_on && !of_all && number < BARRIERS)
                for (uint32_t left = party->lanes; left != 0; left &= left - 1)
                    race_leave(&block->race, w * LANES + (uint32_t)__builtin_ctz(left),
                               &barrier->came);
            party->state = PARTY_READY;
            party->op++;
        }
    if (of_all)
        paths_restart(block);
    barrier->arrived = barrier->trues = 0;
    barrier->came = (struct race_meeting){.before = NULL};
}

bool come_to_barrier(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    struct block *block = warp->block;
    uint32_t first = (uint32_t)__builtin_ctz(lanes), number, count = 0, trues = 0;
    struct barrier *barrier;

    memcpy(&number, party->frame->slots + op->a + first * sizeof number, sizeof number);
    if (op->has_count)
        memcpy(&count, party->frame->slots + op->b + first * sizeof count, sizeof count);
    if ((number >= BARRIERS && op->matrix == NULL) || count % LANES != 0)
        raise_fault(FAULT_DIVERGENT_BARRIER, first, SAYS_BARRIER_NUMBER,
                    .numbers = {number, count});
    barrier = &block->barriers[number];
    if (barrier->arrived > 0 && barrier->count != count)
        raise_fault(FAULT_DIVERGENT_BARRIER, first, SAYS_BARRIER_COUNTS,
                    .numbers = {number, count, barrier->count});
    if (barrier->arrived > 0 && barrier->is_aligned != op->is_aligned)
        raise_fault(FAULT_DIVERGENT_BARRIER, first,
                    op->is_aligned ? SAYS_BARRIER_ALIGNED : SAYS_BARRIER_UNALIGNED,
                    .numbers = {number});
    if (op->reduces) {
        use_undefined(party->frame->slots, op->c, lanes, "votes at a barrier with a value");
        trues =
            (*(const uint32_t *)(const void *)(party->frame->slots + op->c) ^ op->flip_c) & lanes;
    }
    machine.accesses += count_lanes(lanes);
    machine.stores++;
    barrier->count = count;
    barrier->is_aligned = op->is_aligned;
    barrier->arrived += count_lanes(lanes);
    barrier->trues += count_lanes(trues);
    for (uint32_t left = number < BARRIERS ? lanes : 0; race_on && count != 0 && left != 0;
         left &= left - 1)
        race_arrive(&block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                    &barrier->came);
    if (lanes != party->lanes) {
        part_party(warp, party, party->lanes & ~lanes, op + 1);
    }
    if (op->arrives)
        party->op++;
    else
        party->state = PARTY_AT_BARRIER;
    if (is_full(block, number))
        complete_barrier(block, number);
    return true;
}

void exit_lanes(struct warp *warp, uint32_t lanes)
{
    struct block *block = warp->block;

    machine.progress++;
    if (quick_races.is_on)
        quick_leave(warp, lanes);
    warp->alive &= ~lanes;
    if (warp->ended == NULL)
        warp->ended = machine.op->place;
    block->exited += count_lanes(lanes);
    for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
        race_exit(&block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                  machine.op->place);
    collective_complete(warp);
    for (uint32_t b = 0; b < BARRIERS; b++)
        if (is_full(block, b))
            complete_barrier(block, b);
    cluster_exit(warp, lanes);
}

/* Reports a warp that waits for others of its warpgroup, which do not execute that
 * wgmma.wait_group. */
static void report_group(struct block *block, uint32_t warp, const struct party *party)
{
    uint32_t missing = warp / GROUP_WARPS * GROUP_WARPS;

    while (missing < block->warp_count - 1 && block->warps[missing].party_count > 0 &&
           block->warps[missing].parties[0].state == PARTY_AT_BARRIER &&
           barrier_number(&block->warps[missing].parties[0]) == barrier_number(party))
        missing++;
    record_fault_of(FAULT_DIVERGENT_BARRIER, block,
                    warp * LANES + (uint32_t)__builtin_ctz(party->lanes), party->op->place,
                    SAYS_GROUP_WAITS, .numbers = {missing});
}

void report_waiting(struct block *block)
{
    if (paths_bypass(block, true) || paths_bypass(block, false))
        return;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (collective_report(&block->warps[w]))
            return;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++) {
            const struct party *party = &block->warps[w].parties[p];
            uint32_t number;
            if (party->state != PARTY_AT_BARRIER)
                continue;
            number = barrier_number(party);
            if (number >= BARRIERS) {
                report_group(block, w, party);
                return;
            }
            record_fault_of(FAULT_DIVERGENT_BARRIER, block,
                            w * LANES + (uint32_t)__builtin_ctz(party->lanes), party->op->place,
                            SAYS_BARRIER_LACKS,
                            .numbers = {number, block->barriers[number].arrived,
                                        expected(block, &block->barriers[number])});
            return;
        }
    cluster_report_waiting(block);
}
