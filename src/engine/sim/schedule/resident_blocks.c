/* SPDX-License-Identifier: MIT */
#include "resident_blocks.h"

#include "array.h"
#include "busy_wait.h"
#include "fault.h"
#include "limits.h"
#include "policy.h"
#include "schedule.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that wait for others in loops are resident with them, as on a GPU of 16 SMs with 2048
 * threads and 32 blocks each. */
enum { RESIDENT_THREADS = 16 * 2048, RESIDENT_BLOCKS = 16 * 32 };

/* Turns that each block gets while nobody does anything but wait. */
enum { WAITING_ROUNDS = 64 };

struct residents residents;

static struct resident_block *free_blocks;

/* Blocks that wait in loops. */
static struct {
    uint32_t last;           /* that had its turn */
    uint64_t idle, progress; /* turns since something else was done: spin.c */
} waiting;

void resident_blocks_start(void)
{
    memset(&waiting, 0, sizeof waiting);
}

static struct resident_block *new_block(void)
{
    struct resident_block *block = free_blocks;

    if (block != NULL) {
        free_blocks = block->next;
        return block;
    }
    block = calloc(1, sizeof *block);
    if (block != NULL && !stacks_make(&block->stacks)) {
        free(block);
        return NULL;
    }
    return block;
}

struct resident_block *resident_blocks_add(struct grid *grid)
{
    struct resident_block **blocks =
        array_grown(residents.blocks, &residents.capacity, residents.count + 1, sizeof *blocks);
    struct resident_block *block = blocks != NULL ? new_block() : NULL;

    if (blocks != NULL)
        residents.blocks = blocks;
    if (block == NULL)
        return NULL;
    block->grid = grid;
    block->launches = NULL;
    free(block->shared_copy);
    block->shared_copy = NULL;
    residents.blocks[residents.count++] = block;
    return block;
}

static void make_free(struct resident_block *block)
{
    block->next = free_blocks;
    free_blocks = block;
}

void resident_blocks_remove(struct resident_block *block)
{
    uint32_t place = 0;

    while (residents.blocks[place] != block)
        place++;
    residents.count--;
    memmove(residents.blocks + place, residents.blocks + place + 1,
            (residents.count - place) * sizeof *residents.blocks);
    make_free(block);
}

void resident_blocks_finish(void)
{
    while (residents.count > 0)
        make_free(residents.blocks[--residents.count]);
    for (struct resident_block *block = free_blocks; block != NULL; block = block->next)
        threads_check_stacks(block);
    for (struct resident_block *block = free_blocks; block != NULL; block = block->next)
        threads_finish(block, fault_came());
}

void resident_blocks_close(void)
{
    while (free_blocks != NULL) {
        struct resident_block *block = free_blocks;
        free_blocks = block->next;
        stacks_free(&block->stacks);
        free(block->shared_copy);
        race_free_block(&block->race);
        free(block);
    }
    free(residents.blocks);
    memset(&residents, 0, sizeof residents);
}

static bool is_able(const struct resident_block *block, enum turn turn)
{
    const struct scheduler *scheduler = &block->scheduler;
    enum turn own = scheduler->spinning ? SPINNING : scheduler->deferred ? DEFERRED : AT_ONCE;

    return schedule_can_run(block) && own == turn;
}

struct resident_block *resident_blocks_choose(enum turn turn)
{
    uint32_t able = 0, wanted = 0;

    for (uint32_t b = 0; b < residents.count; b++)
        able += is_able(residents.blocks[b], turn);
    if (able == 0)
        return NULL;
    if (rules.order == SCHEDULE_REVERSE)
        wanted = able - 1;
    else if (rules.order == SCHEDULE_RANDOM)
        wanted = policy_draw(able);
    for (uint32_t b = 0;; b++)
        if (is_able(residents.blocks[b], turn) && wanted-- == 0)
            return residents.blocks[b];
}

bool resident_blocks_any_spins(void)
{
    for (uint32_t b = 0; b < residents.count; b++)
        if (residents.blocks[b]->scheduler.spinning)
            return true;
    return false;
}

struct resident_block *resident_blocks_next_spinning(void)
{
    for (uint32_t k = 1; k <= residents.count; k++) {
        uint32_t b = (waiting.last + k) % residents.count;
        if (!is_able(residents.blocks[b], SPINNING))
            continue;
        waiting.last = b;
        return residents.blocks[b];
    }
    return NULL;
}

bool resident_blocks_has_room(const struct grid *grid)
{
    uint64_t threads = limits_count(&grid->block);

    for (uint32_t b = 0; b < residents.count; b++)
        threads += residents.blocks[b]->scheduler.threads;
    return threads <= RESIDENT_THREADS && residents.count < RESIDENT_BLOCKS;
}

void resident_blocks_keep_waiting(void)
{
    uint64_t progress = busy_wait_progress();

    if (progress != waiting.progress)
        waiting.idle = 0;
    waiting.progress = progress;
    if (++waiting.idle > (uint64_t)WAITING_ROUNDS * residents.count)
        busy_wait_blame(residents.blocks, residents.count);
}
