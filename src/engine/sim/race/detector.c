/* SPDX-License-Identifier: MIT */
#include "race.h"

#include "describe.h"
#include "expect.h"
#include "operations.h"
#include "places.h"
#include "shadow.h"
#include "synchronization.h"

#include <stdlib.h>

bool race_on;

static struct race_memory own_memory;
static const struct race_memory *given;

static void lose_order(void)
{
    order_is_lost = true;
    given->out_of_memory();
}

bool race_start(const struct race_memory *memory, size_t used, enum model model)
{
    given = memory;
    own_memory = *memory;
    own_memory.out_of_memory = lose_order;
    order_is_lost = false;
    order_memory = &own_memory;
    order_model = model;
    happens_before_out_of_memory = lose_order;
    order_start();
    race_on = cells_start(used);
    return race_on;
}

void race_forget(void)
{
    cells_forget();
    order_forget();
    operations_forget();
}

void race_review(void)
{
    bool kept = race_keeps();

    order_review();
    if (kept && !race_keeps())
        race_forget();
}

struct race_count race_finish(struct race *races, size_t capacity)
{
    struct race_count count = {0};
    size_t found_count, described = 0;
    const struct race_pair *found = cells_found(&found_count, &count.checked);

    /* races on the focus first, strong accesses last */
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < found_count; i++) {
            bool strong = found[i].strong;
            if ((strong ? 2 : !found[i].shares) != rank)
                continue;
            if (described < capacity)
                describe_race(&found[i], &races[described++]);
            if (strong)
                count.unordered++;
            else
                count.races++;
            count.same += !strong && found[i].same;
        }
    if (race_keeps())
        cells_forget_found();
    else
        race_forget();
    race_on = false;
    return count;
}

void race_close(void)
{
    cells_close();
    order_close();
}

static struct access make_access(const struct race_block *block, uint32_t thread, size_t size,
                                 unsigned int kind, const void *place)
{
    return (struct access){
        .block = block->serial,
        .epoch = block->epoch,
        .time = block->threads[thread].time,
        .place = (uint32_t)((const char *)place - source_base),
        .rounds = block->threads[thread].rounds,
        .thread = (uint16_t)thread,
        .kind = (uint8_t)kind,
        .size = (uint8_t)(size < UINT8_MAX ? size : UINT8_MAX),
    };
}

void race_access(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int access, const void *code)
{
    struct access now;

    if (unlikely(order_is_lost))
        return;
    if (size == 4 && !(access & ACCESS_VOLATILE) &&
        cells_enter_quickly(block, thread, address, access,
                            (uint32_t)((const char *)code - source_base)))
        return;
    if (access & ACCESS_VOLATILE)
        access |= SIMT_SYSTEM << SCOPE_SHIFT;
    now = make_access(block, thread, size, access, code);
    cells_enter(block, address, size, &now);
    if (access & ACCESS_VOLATILE)
        order_strong(block, thread, address, size, access, SIMT_RELAXED);
}

void race_strong(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int kind, enum simt_scope scope, enum simt_order order, const void *place)
{
    unsigned int recorded;
    struct access now;

    if (unlikely(order_is_lost))
        return;
    kind |= (unsigned int)scope << SCOPE_SHIFT;
    recorded = kind & ACCESS_VOLATILE ? kind | SIGNAL
               : kind & ACCESS_ATOMIC ? kind
                                      : kind | ACCESS_VOLATILE;
    now = make_access(block, thread, size, recorded, place);
    cells_enter(block, address, size, &now);
    order_strong(block, thread, address, size, kind, order);
}

void race_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                      uint32_t thread_count)
{
    if (!order_start_block(block, grid, index, thread_count) || !cells_start_block(block))
        order_memory->out_of_memory();
}

void race_end_block(struct race_block *block)
{
    block->has_ended = true;
    if (block->is_visited)
        cells_end_block(block);
    order_end_block(block);
}

void race_free_block(struct race_block *block)
{
    free(block->shared_cells);
    order_free_block(block);
}
