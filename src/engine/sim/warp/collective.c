/* SPDX-License-Identifier: MIT
 *
 * Operations of a whole warp: shuffles, votes, reductions and __syncwarp().
 */
#include "collective.h"

#include "faults.h"
#include "matrix_steps.h"
#include "policy.h"
#include "quick.h"
#include "undefined.h"

#include <stdio.h>
#include <string.h>

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
        raise_fault(FAULT_DIVERGENT_BARRIER, lane, SAYS_SHUFFLE_WIDTH, .numbers = {width});
}

/* Reads the values that a lane contributes to the operation. */
static void bring(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lane)
{
    struct meeting *meeting = &warp->meetings[lane];
    const char *slots = frame->slots;
    uint32_t mask;

    memcpy(&mask, slots + op->c + lane * sizeof mask, sizeof mask);
    if (!(mask >> lane & 1))
        raise_fault(FAULT_DIVERGENT_BARRIER, lane, SAYS_OWN_LANE_MISSING, .numbers = {mask});
    *meeting = (struct meeting){.op = op, .mask = mask, .source = lane, .turn = meeting->turn + 1};
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

void collective_write_bit(char *slots, uint32_t slot, uint32_t lane, bool bit)
{
    uint32_t *to = (uint32_t *)(void *)(slots + slot);

    *to = (*to & ~(UINT32_C(1) << lane)) | (uint32_t)bit << lane;
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
        collective_write_bit(slots, op->d, lane, word != 0);
        note_undefined_lane(slots, op->d, lane, undefined, origin);
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
    note_undefined_lane(slots, op->d, lane, undefined, origin);
    if (op->d2 != 0) {
        collective_write_bit(slots, op->d2, lane, pair);
        note_undefined_lane(slots, op->d2, lane, false, 0);
    }
}

static bool was_undefined(const struct frame *frame, const struct op *op, uint32_t lane)
{
    return head_of(frame->slots, op->a)->undefined >> lane & 1;
}

/* Returns true for the same operation with the same qualifiers, possibly at different places. */
static bool is_one_operation(const struct op *a, const struct op *b)
{
    return a->what == b->what && a->finish == b->finish && a->matrix == b->matrix &&
           a->bytes == b->bytes;
}

/* An operation does not wait for lanes that have exited. Reports a lane of the mask that exited
 * after it executed the same operation, as its last one and the same in number as that of this
 * lane, with another mask. */
static void check_exited(const struct warp *warp, uint32_t lane)
{
    const struct meeting *meeting = &warp->meetings[lane];

    for (uint32_t left = meeting->mask & ~warp->alive; unlikely(left != 0); left &= left - 1) {
        const struct meeting *other = &warp->meetings[__builtin_ctz(left)];
        if (other->turn != meeting->turn || other->mask == meeting->mask ||
            !is_one_operation(other->op, meeting->op))
            continue;
        record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block, warp->number * LANES + lane,
                        meeting->op->place, SAYS_MASK_DIFFERS, .others = {other->op->place},
                        .numbers = {meeting->mask, (uint32_t)__builtin_ctz(left), other->mask});
        leave_faulty();
    }
}

/* Executes the operation when all these lanes have arrived. Each lane gets its result. */
static void exchange(struct warp *warp, uint32_t lanes)
{
    bool undefined[LANES];
    const struct op *op;

    check_exited(warp, (uint32_t)__builtin_ctz(lanes));
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
                was_undefined(frame_of(warp, meeting->source), warp->meetings[meeting->source].op,
                              meeting->source);
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
    op = warp->meetings[__builtin_ctz(lanes)].op;
    if (race_on && op->what == SIMT_MATCH_any && warp->block->async != NULL)
        race_match(&warp->block->race, warp->number, lanes);
    if (op->what != SIMT_SYNC)
        return;
    if (quick_races.is_on)
        quick_sync_warp(warp, lanes);
    if (race_on)
        race_sync_warp(&warp->block->race, warp->number, lanes);
}

/* PTX ISA: lanes meet if the operation and the mask are the same. */
static bool is_same(const struct meeting *a, const struct meeting *b)
{
    return a->mask == b->mask && is_one_operation(a->op, b->op);
}

void collective_complete(struct warp *warp)
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

bool collective_meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
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
    collective_complete(warp);
    return true;
}

/* ---- Lanes that do not arrive ---- */

static const char *name_of_reduction(enum simt_reduce reduction)
{
    switch (reduction) {
    case SIMT_REDUCE_add:
        return "__reduce_add_sync()";
    case SIMT_REDUCE_min:
        return "__reduce_min_sync()";
    case SIMT_REDUCE_max:
        return "__reduce_max_sync()";
    case SIMT_REDUCE_and:
        return "__reduce_and_sync()";
    case SIMT_REDUCE_or:
        return "__reduce_or_sync()";
    case SIMT_REDUCE_xor:
        return "__reduce_xor_sync()";
    case SIMT_REDUCE_add_s:
        return "__reduce_add_sync(int)";
    case SIMT_REDUCE_min_s:
        return "__reduce_min_sync(int)";
    case SIMT_REDUCE_max_s:
        return "__reduce_max_sync(int)";
    }
    return "a reduction";
}

static const char *name_of(const struct op *op)
{
    switch ((enum simt_collective)op->what) {
    case SIMT_SYNC:
        return "__syncwarp()";
    case SIMT_SHUFFLE_idx:
        return "__shfl_sync()";
    case SIMT_SHUFFLE_up:
        return "__shfl_up_sync()";
    case SIMT_SHUFFLE_down:
        return "__shfl_down_sync()";
    case SIMT_SHUFFLE_bfly:
        return "__shfl_xor_sync()";
    case SIMT_VOTE_ballot:
        return "__ballot_sync()";
    case SIMT_VOTE_any:
        return "__any_sync()";
    case SIMT_VOTE_all:
        return "__all_sync()";
    case SIMT_VOTE_uni:
        return "vote.sync.uni";
    case SIMT_ELECT:
        return "elect.sync";
    case SIMT_MATCH_any:
        return "__match_any_sync()";
    case SIMT_MATCH_all:
        return "__match_all_sync()";
    case SIMT_REDUCE:
        return name_of_reduction((enum simt_reduce)op->finish);
    case SIMT_MATRIX:
        return op->matrix->opcode;
    }
    return "a collective operation";
}

/* Returns the party of a lane, or null if the lane has exited. */
static const struct party *party_of(const struct warp *warp, uint32_t lane)
{
    for (uint32_t p = 0; p < warp->party_count; p++)
        if (warp->parties[p].lanes >> lane & 1)
            return &warp->parties[p];
    return NULL;
}

/* Finds a lane in the mask that waits at another operation. Returns LANES if none does. */
static uint32_t find_elsewhere(const struct warp *warp, const struct meeting *meeting)
{
    uint32_t lane = 0;

    for (; lane < LANES; lane++) {
        const struct party *party = party_of(warp, lane);
        if (party != NULL && party->state == PARTY_MEETING && (meeting->mask >> lane & 1) &&
            !is_same(meeting, &warp->meetings[lane]))
            break;
    }
    return lane;
}

bool collective_report(const struct warp *warp)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct party *party = party_of(warp, lane);
        const struct meeting *meeting = &warp->meetings[lane], *other;
        uint32_t thread = warp->number * LANES + lane, elsewhere;
        if (party == NULL || party->state != PARTY_MEETING)
            continue;
        elsewhere = find_elsewhere(warp, meeting);
        other = &warp->meetings[elsewhere % LANES];
        if (elsewhere == LANES)
            record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block, thread, meeting->op->place,
                            SAYS_LANES_MISSING, .numbers = {meeting->mask});
        else
            record_fault_of(FAULT_DIVERGENT_BARRIER, warp->block, thread, meeting->op->place,
                            SAYS_LANES_ELSEWHERE, .object = name_of(meeting->op),
                            .reason = name_of(other->op), .others = {other->op->place},
                            .numbers = {meeting->mask, elsewhere, other->mask});
        return true;
    }
    return false;
}
