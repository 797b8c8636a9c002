/* SPDX-License-Identifier: MIT
 *
 * Operations of a whole warp or block: shuffles, votes and barriers.
 */
#include "collective.h"

#include "cluster.h"
#include "counters.h"
#include "faults.h"
#include "matrix_steps.h"
#include "paths.h"
#include "policy.h"
#include "quick.h"
#include "undefined.h"

#include "source_path.h"

#include <stdio.h>
#include <string.h>

/* ---- Collectives ---- */

static uint32_t reduced(enum simt_reduce how, uint32_t a, uint32_t b)
{
    switch (how) {
    case SIMT_REDUCE_min:
        return a < b ? a : b;
    case SIMT_REDUCE_max:
        return a > b ? a : b;
    case SIMT_REDUCE_min_s:
        return (int32_t)a < (int32_t)b ? a : b;
    case SIMT_REDUCE_max_s:
        return (int32_t)a > (int32_t)b ? a : b;
    case SIMT_REDUCE_and:
        return a & b;
    case SIMT_REDUCE_or:
        return a | b;
    case SIMT_REDUCE_xor:
        return a ^ b;
    case SIMT_REDUCE_add:
    case SIMT_REDUCE_add_s:
        break;
    }
    return a + b;
}

/* Computes which lane a shuffle reads: PTX ISA, shfl.sync. `clamp` has the segment's mask in bits 8
 * to 12 and the clamp in bits 0 to 4. Returns false if the lane is out of range; the reader then
 * gets its own value. */
static bool shuffle_source(enum simt_collective mode, uint32_t lane, uint32_t by, uint32_t clamp,
                           uint32_t *source)
{
    uint32_t segment = clamp >> 8 & 31, limit = clamp & 31;
    uint32_t lowest = lane & segment, highest = lowest | (limit & ~segment);
    bool valid;

    by &= 31;
    switch (mode) {
    case SIMT_SHUFFLE_up:
        *source = lane - by;
        valid = (int32_t)*source >= (int32_t)highest;
        break;
    case SIMT_SHUFFLE_down:
        *source = lane + by;
        valid = *source <= highest;
        break;
    case SIMT_SHUFFLE_bfly:
        *source = lane ^ by;
        valid = *source <= highest;
        break;
    default:
        *source = lowest | (by & ~segment);
        valid = *source <= highest;
        break;
    }
    if (!valid)
        *source = lane;
    return valid;
}

/* CUDA C++ Programming Guide, warp shuffle functions: the width is a power of two. A compiler
 * encodes 32 minus the width in the segment's mask. The bits above that mask mean nothing (PTX ISA,
 * shfl.sync), so hand-written shfl may set them to any value. */
static void check_width(uint32_t lane, uint32_t clamp)
{
    uint32_t width = 32 - (clamp >> 8 & 31);

    if ((width & (width - 1)) != 0)
        raise_fault(FAULT_DIVERGENT_BARRIER, lane,
                    "calls a shuffle of width %u, which is not a power of two", width);
}

/* Reads the values that a lane contributes to the operation. */
static void bring(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lane)
{
    struct meeting *meeting = &warp->meetings[lane];
    const char *slots = frame->slots;
    uint32_t mask;

    memcpy(&mask, slots + op->c + lane * sizeof mask, sizeof mask);
    if (!(mask >> lane & 1))
        raise_fault(FAULT_DIVERGENT_BARRIER, lane,
                    "calls a warp operation with the mask 0x%08x, which lacks its own lane", mask);
    *meeting = (struct meeting){.op = op, .mask = mask, .source = lane};
    if (op->what == SIMT_MATRIX)
        return;
    if (op->what == SIMT_ELECT)
        meeting->given = 1;
    else if (op->bytes == 0)
        meeting->given =
            (*(const uint32_t *)(const void *)(slots + op->a) ^ op->flip_a) >> lane & 1;
    else
        memcpy(&meeting->given, slots + op->a + lane * op->bytes, op->bytes);
    if (op->what >= SIMT_SHUFFLE_idx && op->what <= SIMT_SHUFFLE_bfly) {
        uint32_t by, clamp;
        memcpy(&by, slots + op->b + lane * sizeof by, sizeof by);
        memcpy(&clamp, slots + op->e + lane * sizeof clamp, sizeof clamp);
        check_width(lane, clamp);
        meeting->valid =
            shuffle_source((enum simt_collective)op->what, lane, by, clamp, &meeting->source);
    }
}

/* Returns the lanes whose vote is true, or, if `same` is not null, those that give the same value
 * as it. */
static uint32_t counted(const struct warp *warp, uint32_t lanes, const struct meeting *same)
{
    uint32_t those = 0;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t given = warp->meetings[lane].given;
        those |= (uint32_t)(same != NULL ? given == same->given : given != 0) << lane;
    }
    return those;
}

/* Computes a lane's result. The value of a source lane is undefined if that lane is not in the
 * mask, has exited, or does not exist. */
static uint64_t taken_by(const struct warp *warp, uint32_t lanes, struct meeting *meeting,
                         bool *undefined)
{
    *undefined = false;
    switch ((enum simt_collective)meeting->op->what) {
    case SIMT_SHUFFLE_idx:
    case SIMT_SHUFFLE_up:
    case SIMT_SHUFFLE_down:
    case SIMT_SHUFFLE_bfly:
        *undefined = !(lanes >> meeting->source & 1);
        return *undefined ? schedule_poison((uint32_t)(meeting - warp->meetings))
                          : warp->meetings[meeting->source].given;
    case SIMT_VOTE_ballot:
    case SIMT_ELECT:
        return counted(warp, lanes, NULL);
    case SIMT_VOTE_any:
        return counted(warp, lanes, NULL) != 0;
    case SIMT_VOTE_all:
        return counted(warp, lanes, NULL) == lanes;
    case SIMT_VOTE_uni: {
        uint32_t trues = counted(warp, lanes, NULL);
        return trues == 0 || trues == lanes;
    }
    case SIMT_MATCH_any:
        return counted(warp, lanes, meeting);
    case SIMT_MATCH_all:
        return counted(warp, lanes, meeting) == lanes ? lanes : 0;
    case SIMT_REDUCE: {
        uint32_t sum = 0;
        bool first = true;
        for (uint32_t left = lanes; left != 0; left &= left - 1, first = false) {
            uint32_t value = (uint32_t)warp->meetings[__builtin_ctz(left)].given;
            sum = first ? value : reduced((enum simt_reduce)meeting->op->finish, sum, value);
        }
        return sum;
    }
    case SIMT_SYNC:
    case SIMT_MATRIX:
        break;
    }
    return 0;
}

static void write_lane_bit(char *slots, uint32_t slot, uint32_t lane, bool bit)
{
    uint32_t *to = (uint32_t *)(void *)(slots + slot);

    *to = (*to & ~(UINT32_C(1) << lane)) | (uint32_t)bit << lane;
}

static void set_undefined(char *slots, uint32_t slot, uint32_t lane, bool undefined,
                          uint32_t origin)
{
    const struct head head = {
        .undefined = (uint32_t)undefined << lane, .origin = origin, .bytes = ALL_BYTES};

    note_undefined(slots, slot, UINT32_C(1) << lane, &head);
}

/* Writes a lane's results to its registers. */
static void take(struct frame *frame, uint32_t lane, struct meeting *meeting, bool undefined,
                 uint32_t lanes)
{
    const struct op *op = meeting->op;
    char *slots = frame->slots;
    uint32_t word = (uint32_t)meeting->taken, origin = head_of(slots, op->a)->origin;
    bool pair = false;

    if (undefined && !(lanes >> meeting->source & 1))
        origin = undefined_shuffle(op->place);

    if (op->what == SIMT_SYNC)
        return;
    if (op->what == SIMT_VOTE_any || op->what == SIMT_VOTE_all || op->what == SIMT_VOTE_uni) {
        write_lane_bit(slots, op->d, lane, word != 0);
        set_undefined(slots, op->d, lane, undefined, origin);
        return;
    }
    if (op->what == SIMT_ELECT) {
        word = (uint32_t)__builtin_ctz(word);
        pair = word == lane;
    } else if (op->what == SIMT_MATCH_all) {
        pair = word != 0;
    } else {
        pair = meeting->valid;
    }
    memcpy(slots + op->d + lane * sizeof word, &word, sizeof word);
    set_undefined(slots, op->d, lane, undefined, origin);
    if (op->d2 != 0) {
        write_lane_bit(slots, op->d2, lane, pair);
        set_undefined(slots, op->d2, lane, false, 0);
    }
}

static bool was_undefined(const struct frame *frame, const struct op *op, uint32_t lane)
{
    return head_of(frame->slots, op->a)->undefined >> lane & 1;
}

/* Executes the operation when all these lanes have arrived. Each lane gets its result. */
static void exchange(struct warp *warp, uint32_t lanes)
{
    bool undefined[LANES];

    if (warp->meetings[__builtin_ctz(lanes)].op->what == SIMT_MATRIX) {
        matrix_step(warp, warp->meetings[__builtin_ctz(lanes)].op);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct meeting *meeting = &warp->meetings[lane];
        meeting->taken = taken_by(warp, lanes, meeting, &undefined[lane]);
        if (meeting->op->what == SIMT_SYNC || undefined[lane])
            continue;
        if (meeting->op->what >= SIMT_SHUFFLE_idx && meeting->op->what <= SIMT_SHUFFLE_bfly)
            undefined[lane] =
                was_undefined(frame_of(warp, meeting->source), meeting->op, meeting->source);
        else
            for (uint32_t others = lanes; others != 0; others &= others - 1) {
                uint32_t other = (uint32_t)__builtin_ctz(others);
                undefined[lane] = undefined[lane] || was_undefined(frame_of(warp, other),
                                                                   warp->meetings[other].op, other);
            }
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        take(frame_of(warp, lane), lane, &warp->meetings[lane], undefined[lane], lanes);
    }
    if (warp->meetings[__builtin_ctz(lanes)].op->what != SIMT_SYNC)
        return;
    if (quick_races.is_on)
        quick_sync_warp(warp, lanes);
    if (race_on)
        race_sync_warp(&warp->block->race, warp->number, lanes);
}

/* Returns true for the same instruction with the same qualifiers and mask, possibly at different
 * places: PTX ISA. */
static bool is_same(const struct meeting *a, const struct meeting *b)
{
    return a->op->what == b->op->what && a->mask == b->mask && a->op->finish == b->op->finish &&
           a->op->matrix == b->op->matrix;
}

/* Releases lanes at a collective if all lanes that they wait for have arrived. */
static void complete_meetings(struct warp *warp)
{
    uint32_t left = warp->meeting;

    while (left != 0) {
        const struct meeting *first = &warp->meetings[__builtin_ctz(left)];
        uint32_t wanted = first->mask & warp->alive, here = 0, count = warp->party_count;
        if ((wanted & ~left) != 0) {
            left &= left - 1;
            continue;
        }
        for (uint32_t others = left; others != 0; others &= others - 1)
            if (is_same(&warp->meetings[__builtin_ctz(others)], first))
                here |= others & -others;
        left &= ~here;
        if (here != wanted)
            continue;
        exchange(warp, here);
        warp->meeting &= ~here;
        machine.released |= UINT32_C(1) << warp->number;
        for (uint32_t p = 0; p < count; p++) {
            struct party *party = &warp->parties[p];
            uint32_t freed = party->lanes & here;
            if (party->state != PARTY_MEETING || freed == 0)
                continue;
            if (freed == party->lanes) {
                party->state = PARTY_READY;
                party->op++;
            } else {
                part_party(warp, party, freed, party->op + 1)->state = PARTY_READY;
            }
        }
    }
}

bool meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    uint32_t mask = 0;
    bool together = lanes == party->lanes;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        bring(warp, party->frame, op, lane);
        if (mask != 0 && warp->meetings[lane].mask != mask)
            together = false;
        mask = warp->meetings[lane].mask;
    }
    if (together && (mask & warp->alive) == lanes) {
        exchange(warp, lanes);
        return false;
    }
    if (lanes != party->lanes) { /* the other lanes continue */
        part_party(warp, party, party->lanes & ~lanes, op + 1);
    }
    party->state = PARTY_MEETING;
    warp->meeting |= lanes;
    complete_meetings(warp);
    return true;
}

static const char *name_of(const struct op *op)
{
    static const char *const names[] = {
        [SIMT_SYNC] = "__syncwarp()",
        [SIMT_SHUFFLE_idx] = "__shfl_sync()",
        [SIMT_SHUFFLE_up] = "__shfl_up_sync()",
        [SIMT_SHUFFLE_down] = "__shfl_down_sync()",
        [SIMT_SHUFFLE_bfly] = "__shfl_xor_sync()",
        [SIMT_VOTE_ballot] = "__ballot_sync()",
        [SIMT_VOTE_any] = "__any_sync()",
        [SIMT_VOTE_all] = "__all_sync()",
        [SIMT_VOTE_uni] = "vote.sync.uni",
        [SIMT_ELECT] = "elect.sync",
        [SIMT_MATCH_any] = "__match_any_sync()",
        [SIMT_MATCH_all] = "__match_all_sync()",
    };
    static const char *const reductions[] = {
        [SIMT_REDUCE_add] = "__reduce_add_sync()",
        [SIMT_REDUCE_min] = "__reduce_min_sync()",
        [SIMT_REDUCE_max] = "__reduce_max_sync()",
        [SIMT_REDUCE_and] = "__reduce_and_sync()",
        [SIMT_REDUCE_or] = "__reduce_or_sync()",
        [SIMT_REDUCE_xor] = "__reduce_xor_sync()",
        [SIMT_REDUCE_add_s] = "__reduce_add_sync(int)",
        [SIMT_REDUCE_min_s] = "__reduce_min_sync(int)",
        [SIMT_REDUCE_max_s] = "__reduce_max_sync(int)",
    };

    return op->what == SIMT_MATRIX   ? op->matrix->opcode
           : op->what == SIMT_REDUCE ? reductions[op->finish]
                                     : names[op->what];
}

/* Returns the party of a lane, or null if the lane has exited. */
static const struct party *party_of(const struct warp *warp, uint32_t lane)
{
    for (uint32_t p = 0; p < warp->party_count; p++)
        if (warp->parties[p].lanes >> lane & 1)
            return &warp->parties[p];
    return NULL;
}

/* Describes the other operation at which a lane in the mask waits, if there is one. Writes an empty
 * text otherwise. */
static void describe_other_operation(const struct warp *warp, const struct meeting *meeting,
                                     char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct party *party = party_of(warp, lane);
        const struct meeting *other = &warp->meetings[lane];
        if (party == NULL || party->state != PARTY_MEETING || !(meeting->mask >> lane & 1) ||
            is_same(meeting, other))
            continue;
        snprintf(text, size,
                 ": this lane waits at %s, and lane %u at %s with the mask 0x%08x on line %d",
                 name_of(meeting->op), lane, name_of(other->op), other->mask,
                 other->op->place->site.line);
        return;
    }
}

/* Reports a lane that waits for lanes that do not arrive. Returns false if none exists. */
static bool report_meetings(const struct warp *warp)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct party *party = party_of(warp, lane);
        const struct meeting *meeting = &warp->meetings[lane];
        char text[176];
        if (party == NULL || party->state != PARTY_MEETING)
            continue;
        describe_other_operation(warp, meeting, text, sizeof text);
        record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block, warp->number * LANES + lane,
                        meeting->op->place,
                        "waits at a warp operation with the mask 0x%08x for lanes that do not "
                        "arrive%s",
                        meeting->mask, text);
        return true;
    }
    return false;
}

/* ---- Barriers ---- */

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
            write_lane_bit(party->frame->slots, op->d, lane,
                           op->what == 1 ? trues == all : trues != 0);
        }
        set_undefined(party->frame->slots, op->d, lane, false, 0);
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

static bool is_one_line(const struct simt_site *a, const struct simt_site *b)
{
    return a == b ||
           (a != NULL && b != NULL && a->line == b->line && strcmp(a->file, b->file) == 0);
}

/* Returns true if both are the same barrier in the source. A compiler may duplicate its
 * instruction. */
static bool is_one_barrier(const struct op *a, const struct op *b)
{
    const struct simt_site *one = &a->place->site, *other = &b->place->site;

    return a == b || (is_one_line(one, other) && is_one_line(one->outer, other->outer));
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
                                       const char *others, bool is_allowable)
{
    char file[SOURCE_FILE], more[SOURCE_FILE + 128] = "";
    int line = other->place->site.line;

    source_path_shorten(other->place->site.file, file, sizeof file);
    if (is_allowable)
        snprintf(more, sizeof more,
                 ": PTX permits this, the CUDA programming guide does not (--allow "
                 "warp-barriers:%s:%d accepts it)",
                 file, line);
    record_fault_of(FAULT_DIVERGENT_BARRIER, block, thread, op->place,
                    "waits at a barrier while %s wait at %s:%d%s", others, file, line, more);
    leave_faulty();
}

/* PTX ISA, bar: the lanes of a warp execute an aligned barrier together. */
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
                            "does not reach a barrier at which other lanes of its warp wait");
            leave_faulty();
        }
        if (ops[l] != NULL && !is_one_barrier(ops[l], first))
            leave_at_barrier(warp->block, thread, ops[l], first, "other lanes of its warp", false);
    }
}

/* CUDA C++ Programming Guide, synchronization functions: all threads of a block reach the same
 * __syncthreads(). In PTX, whole warps may reach different ones. */
static void check_block(const struct block *block, uint32_t number)
{
    const struct op *first = NULL, *ops[LANES];

    for (uint32_t w = 0; w < block->warp_count; w++) {
        find_barriers(&block->warps[w], number, ops);
        for (uint32_t l = 0; l < LANES; l++) {
            first = first != NULL ? first : ops[l];
            if (ops[l] != NULL && !is_one_barrier(ops[l], first))
                leave_at_barrier(block, w * LANES + l, ops[l], first, "other warps of its block",
                                 true);
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
    record_fault_of(FAULT_DIVERGENT_BARRIER, block, thread, op->place,
                    "has returned before a barrier of its block (--strict-barriers)");
    leave_faulty();
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
}

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
        raise_fault(
            FAULT_DIVERGENT_BARRIER, first,
            "reaches barrier %u with a count of %u threads: the number must be 0 to 15, and "
            "the count a multiple of 32",
            number, count);
    barrier = &block->barriers[number];
    if (barrier->arrived > 0 && barrier->count != count)
        raise_fault(FAULT_DIVERGENT_BARRIER, first,
                    "reaches barrier %u with a count of %u threads, while others wait there with a "
                    "count of %u (0: the whole block)",
                    number, count, barrier->count);
    if (barrier->arrived > 0 && barrier->is_aligned != op->is_aligned)
        raise_fault(FAULT_DIVERGENT_BARRIER, first,
                    "reaches barrier %u with %s instruction, while others wait there with %s one",
                    number, op->is_aligned ? "an aligned" : "an unaligned",
                    barrier->is_aligned ? "an aligned" : "an unaligned");
    if (op->reduces) {
        use_undefined(party->frame->slots, op->c, lanes, "votes at a barrier with a value");
        trues =
            (*(const uint32_t *)(const void *)(party->frame->slots + op->c) ^ op->flip_c) & lanes;
    }
    machine.accesses += count_lanes(lanes);
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
    block->exited += count_lanes(lanes);
    for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
        race_exit(&block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                  machine.op->place);
    complete_meetings(warp);
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
                    "waits at wgmma.wait_group for warp %u, which does not execute it: all four "
                    "warps of a warpgroup must",
                    missing);
}

void report_waiting(struct block *block)
{
    if (paths_bypass(block, true) || paths_bypass(block, false))
        return;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (report_meetings(&block->warps[w]))
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
            record_fault_of(
                FAULT_DIVERGENT_BARRIER, block, w * LANES + (uint32_t)__builtin_ctz(party->lanes),
                party->op->place,
                "waits at barrier %u for threads that do not arrive: %u of %u have arrived", number,
                block->barriers[number].arrived, expected(block, &block->barriers[number]));
            return;
        }
    cluster_report_waiting(block);
}
