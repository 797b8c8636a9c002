/* SPDX-License-Identifier: MIT */
#include "collective.h"

#include "fault.h"

uint32_t collective_present(const struct resident_block *block, uint32_t warp)
{
    const struct thread *lanes = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t threads = block->scheduler.threads - warp * SIMT_WARP_LANES, present = 0;

    for (uint32_t lane = 0; lane < SIMT_WARP_LANES && lane < threads; lane++)
        if (!lanes[lane].exited)
            present |= UINT32_C(1) << lane;
    return present;
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

/* What each lane takes from the collective at which all `lanes` have met. */
static void exchange(struct thread *warp, uint32_t lanes, enum simt_collective collective)
{
    if (collective == SIMT_REDUCE) {
        reduce(warp, lanes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        struct thread *thread = &warp[__builtin_ctz(left)];
        thread->taken = thread->given;
        if (collective == SIMT_SHUFFLE && (lanes >> thread->source & 1))
            thread->taken = warp[thread->source].given;
        if (collective != SIMT_BALLOT && collective != SIMT_MATCH)
            continue;
        thread->taken = 0;
        for (uint32_t others = lanes; others != 0; others &= others - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(others);
            bool counts = collective == SIMT_BALLOT ? warp[lane].given != 0
                                                    : warp[lane].given == thread->given;
            thread->taken |= (uint64_t)counts << lane;
        }
    }
}

uint32_t collective_complete(struct resident_block *block, uint32_t warp, uint32_t *left)
{
    struct thread *threads = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t present = collective_present(block, warp);

    while (*left != 0) {
        const struct thread *first = &threads[__builtin_ctz(*left)];
        uint32_t wanted = first->mask & present, here = 0;
        for (uint32_t others = *left; others != 0; others &= others - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(others);
            if (threads[lane].mask == first->mask && threads[lane].collective == first->collective)
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

void collective_blame(const struct resident_block *block)
{
    for (uint32_t t = 0; t < block->scheduler.threads; t++) {
        const struct thread *thread = &block->threads[t];
        uint32_t meeting = block->scheduler.warp[t / SIMT_WARP_LANES].meeting;
        if (!(meeting >> t % SIMT_WARP_LANES & 1))
            continue;
        fault_record_of(block, thread, FAULT_DIVERGENT_BARRIER, thread->collective_site,
                        "waits at a warp operation with the mask 0x%08x for lanes that do not come",
                        thread->mask);
        return;
    }
}
