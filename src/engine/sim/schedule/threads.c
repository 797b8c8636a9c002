/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include "async.h"

#include "fault.h"

#include <stddef.h>
#include <string.h>

uint32_t threads_of(const struct extent *block)
{
    return block->x * block->y * block->z;
}

static void index_all(struct resident_block *block, const struct extent *extent)
{
    uint32_t number = 0;

    if (memcmp(&block->indexed_for, extent, sizeof *extent) == 0)
        return;
    for (uint32_t z = 0; z < extent->z; z++)
        for (uint32_t y = 0; y < extent->y; y++)
            for (uint32_t x = 0; x < extent->x; x++, number++) {
                block->threads[number].index = (struct extent){x, y, z};
                block->threads[number].number = number;
            }
    block->indexed_for = *extent;
}

void threads_prepare(struct resident_block *block, void (*entry)(void))
{
    uint32_t count = threads_of(&block->grid->block);

    index_all(block, &block->grid->block);
    for (uint32_t i = 0; i < count; i++) {
        struct thread *thread = &block->threads[i];
        thread->error = 0;
        thread->exited = thread->delayed = false;
        thread->atomic = NULL;
        thread->meets_at = NULL;
        if (thread->has_looked)
            memset(&block->spins[i], 0, offsetof(struct spin, seen));
        thread->has_looked = false;
        thread->barrier = NULL;
        thread->returned_from = NULL;
        thread->is_missed_nowhere = false;
        if (thread->prepared)
            continue;
        thread->frame = NULL;
        thread->stack = stacks_prepare(&block->stacks, i);
        fiber_prepare(&thread->fiber, thread->stack, STACK_BYTES, entry);
        thread->prepared = true;
    }
    if (count > block->used)
        block->used = count;
}

static void record_beyond_top(const struct resident_block *block, uint32_t k)
{
    fault_record_of(block, &block->threads[k], FAULT_STACK, NULL,
                    "writes beyond the top of its stack");
}

/* Not after each block, for each look costs a page that nothing else touches. What has overwritten
 * both the low end of a stack and what lies below that came from here or from there. */
void threads_check_stacks(struct resident_block *block)
{
    const struct stacks *stacks = &block->stacks;
    bool whole_below = true;

    for (uint32_t i = 0; i < block->used; i++) {
        if (!stacks_low_is_whole(stacks, i))
            fault_record_of(block, &block->threads[i], FAULT_STACK, NULL,
                            "uses more than %d bytes of stack%s", STACK_BYTES,
                            whole_below ? "" : ", or the thread before writes beyond its own");
        else if (!whole_below)
            record_beyond_top(block, i - 1);
        whole_below = stacks_top_is_whole(stacks, i);
    }
    if (!whole_below)
        record_beyond_top(block, block->used - 1);
}

void threads_finish(struct resident_block *block, bool faulted)
{
    bool within = block->used == 0 || stacks_top_is_whole(&block->stacks, block->used - 1);
    uint32_t count = within ? block->used : SIMT_BLOCK_THREADS;

    for (uint32_t i = 0; faulted && i < count; i++) {
        block->threads[i].prepared = false;
        async_forget(&block->threads[i]);
    }
    block->used = 0;
}
