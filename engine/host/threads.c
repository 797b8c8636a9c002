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

/* What the last thread writes beyond the top of its stack comes upon the low end of the next one's,
 * which may wait there for a later job. */
static bool next_stack_is_whole(const struct resident_block *block)
{
    const struct thread *next = &block->threads[block->used];

    return block->used == 0 || block->used == SIMT_BLOCK_THREADS || !next->prepared ||
           stacks_is_whole(next->stack);
}

/* Not after each block, for each look costs a page that nothing else touches. */
void threads_check_stacks(struct resident_block *block)
{
    for (uint32_t i = 0; i < block->used; i++) {
        const struct thread *thread = &block->threads[i];
        if (thread->prepared && !stacks_is_whole(thread->stack))
            fault_record_of(block, thread, FAULT_STACK, NULL, "uses more than %d bytes of stack",
                            STACK_BYTES);
    }
    if (!next_stack_is_whole(block))
        fault_record_of(block, &block->threads[block->used - 1], FAULT_STACK, NULL,
                        "writes beyond the top of its stack");
}

void threads_finish(struct resident_block *block, bool faulted)
{
    uint32_t count = next_stack_is_whole(block) ? block->used : SIMT_BLOCK_THREADS;

    for (uint32_t i = 0; faulted && i < count; i++) {
        block->threads[i].prepared = false;
        async_forget(&block->threads[i]);
    }
    block->used = 0;
}
