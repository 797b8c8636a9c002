/* SPDX-License-Identifier: MIT */
#include "collective.h"

#include "barrier.h"
#include "fault.h"
#include "policy.h"

#include <stdio.h>

/* Those that have exited count where they are missed. */
static uint32_t lanes_of(const struct resident_block *block, uint32_t warp, bool missed_too)
{
    const struct thread *lanes = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t threads = block->scheduler.threads - warp * SIMT_WARP_LANES, those = 0;

    for (uint32_t lane = 0; lane < SIMT_WARP_LANES && lane < threads; lane++)
        if (!lanes[lane].exited || (missed_too && !barrier_is_excused(&lanes[lane], block)))
            those |= UINT32_C(1) << lane;
    return those;
}

uint32_t collective_present(const struct resident_block *block, uint32_t warp)
{
    return lanes_of(block, warp, false);
}

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

/* What all lanes take from a reduction. */
static void reduce(struct thread *warp, uint32_t lanes)
{
    const struct thread *first = &warp[__builtin_ctz(lanes)];
    uint32_t sum = (uint32_t)first->given;

    for (uint32_t left = lanes & (lanes - 1); left != 0; left &= left - 1)
        sum = reduced(first->source, sum, (uint32_t)warp[__builtin_ctz(left)].given);
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        warp[__builtin_ctz(left)].taken = sum;
}

/* Of the lanes, those whose vote is true, or which give the same value as the thread. */
static uint32_t counted(const struct thread *warp, uint32_t lanes, const struct thread *same)
{
    uint32_t those = 0;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        bool counts = same != NULL ? warp[lane].given == same->given : warp[lane].given != 0;
        those |= (uint32_t)counts << lane;
    }
    return those;
}

/* A lane that is not in the mask, has exited or is none of the warp's gives no value that is
 * defined.
 */
static uint64_t shuffled(const struct thread *warp, uint32_t lanes, const struct thread *thread)
{
    return lanes >> thread->source & 1 ? warp[thread->source].given : policy_poison(thread->number);
}

static uint64_t taken_by(const struct thread *warp, uint32_t lanes, const struct thread *thread)
{
    switch (thread->collective) {
    case SIMT_SHUFFLE_idx:
    case SIMT_SHUFFLE_up:
    case SIMT_SHUFFLE_down:
    case SIMT_SHUFFLE_bfly:
        return shuffled(warp, lanes, thread);
    case SIMT_VOTE_ballot:
    case SIMT_ELECT:
        return counted(warp, lanes, NULL);
    case SIMT_VOTE_any:
        return counted(warp, lanes, NULL) != 0;
    case SIMT_VOTE_all:
        return counted(warp, lanes, NULL) == lanes;
    case SIMT_VOTE_uni:
    case SIMT_MATCH_any:
        return counted(warp, lanes, thread);
    case SIMT_MATCH_all:
        return counted(warp, lanes, thread) == lanes ? lanes : 0;
    case SIMT_SYNC:
    case SIMT_REDUCE:
        break;
    }
    return thread->given;
}

/* What each lane takes from the collective at which all `lanes` have met. */
static void exchange(struct thread *warp, uint32_t lanes, enum simt_collective collective)
{
    if (collective == SIMT_REDUCE) {
        reduce(warp, lanes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        struct thread *thread = &warp[__builtin_ctz(left)];
        thread->taken = taken_by(warp, lanes, thread);
    }
}

/* The same instruction with the same qualifiers and mask, be it at another place: PTX ISA. How many
 * lanes a segment of a shuffle has is an operand, and each lane's own. */
static bool is_same(const struct thread *a, const struct thread *b)
{
    return a->collective == b->collective && a->mask == b->mask &&
           (a->collective != SIMT_REDUCE || a->source == b->source);
}

uint32_t collective_complete(struct resident_block *block, uint32_t warp, uint32_t *left)
{
    struct thread *threads = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t awaited = lanes_of(block, warp, true);

    while (*left != 0) {
        const struct thread *first = &threads[__builtin_ctz(*left)];
        uint32_t wanted = first->mask & awaited, here = 0;
        for (uint32_t others = *left; others != 0; others &= others - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(others);
            if (is_same(&threads[lane], first))
                here |= UINT32_C(1) << lane;
        }
        *left &= ~here;
        if (here != wanted)
            continue;
        exchange(threads, here, first->collective);
        return here;
    }
    return 0;
}

/* ---- Lanes that wait in vain ---- */

/* By its name in CUDA; PTX alone has the other two. */
static const char *name_of(const struct thread *thread)
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

    return thread->collective == SIMT_REDUCE ? reductions[thread->source]
                                             : names[thread->collective];
}

/* What a lane that the thread waits for waits at itself, if that is another operation: text that
 * follows, or none. */
static const char *instead(const struct resident_block *block, const struct thread *thread,
                           char text[128])
{
    uint32_t warp = thread->number / SIMT_WARP_LANES;
    uint32_t others = block->scheduler.warp[warp].meeting & thread->mask;

    text[0] = '\0';
    for (; others != 0; others &= others - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(others);
        const struct thread *other = &block->threads[warp * SIMT_WARP_LANES + lane];
        if (is_same(thread, other))
            continue;
        snprintf(text, 128, ": at %s, and lane %u at %s with 0x%08x, line %d", name_of(thread),
                 lane, name_of(other), other->mask, other->collective_site->line);
        break;
    }
    return text;
}

void collective_blame(const struct resident_block *block)
{
    for (uint32_t t = 0; t < block->scheduler.threads; t++) {
        const struct thread *thread = &block->threads[t];
        uint32_t meeting = block->scheduler.warp[t / SIMT_WARP_LANES].meeting;
        char text[128];
        if (!(meeting >> t % SIMT_WARP_LANES & 1))
            continue;
        fault_record_of(
            block, thread, FAULT_DIVERGENT_BARRIER, thread->collective_site,
            "waits at a warp operation with the mask 0x%08x for lanes that do not come%s",
            thread->mask, instead(block, thread, text));
        return;
    }
}
