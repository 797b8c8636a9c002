/* SPDX-License-Identifier: MIT
 *
 * What orders accesses. Threads have no vector clocks. In a block, the barriers passed tell nearly
 * everything; what a thread knows of other blocks, grids, and of single threads by launches,
 * atomics and fences is a list of facts, shared by all who know the same.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>

/* What the last atomic accesses of a word have handed on: one record for each block, and one for
 * all who are device-wide. */
struct release {
    uintptr_t address; /* 0: free */
    uint32_t block;    /* 0: device */
    const struct knowledge *known;
};

static struct {
    struct release *releases;
    uint32_t release_count, release_capacity, block_capacity;
} order;

struct block_record *race_blocks;
uint32_t race_block_count;

void race_out_of_memory(void)
{
    host_record(FAULT_CRASH, "needs more memory to look for races than there is");
}

/* ---- What is known ---- */

static uint64_t about_thread(uint32_t block, uint32_t thread)
{
    return (uint64_t)ABOUT_THREAD << 62 | (uint64_t)block << 10 | thread;
}

static uint64_t about_block(uint32_t block)
{
    return (uint64_t)ABOUT_BLOCK << 62 | block;
}

static uint64_t about_grid(const struct grid *grid)
{
    return (uint64_t)ABOUT_GRID << 62 | grid->serial;
}

static const struct knowledge *known_to(const struct fiber *fiber)
{
    return fiber->known != NULL ? fiber->known : host.team->known;
}

static void learn(struct fiber *fiber, const struct knowledge *known)
{
    fiber->known = knowledge_join(known_to(fiber), known);
    host.team->learned = true;
}

/* All that comes before the current thread's next access, its own accesses included. */
static const struct knowledge *snapshot(void)
{
    enum { MOST = 2 + WARP_LANES };
    const struct team *team = host.team;
    struct fiber *fiber = host.current;
    uint32_t warp = fiber->number / WARP_LANES, count = 0;
    struct fact facts[MOST];

    facts[count++] = (struct fact){about_thread(team->serial, fiber->number), fiber->time};
    if (team->epoch > 0)
        facts[count++] = (struct fact){about_block(team->serial), team->epoch};
    if (team->lane_times[warp] != NULL)
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint32_t time = team->lane_times[warp][fiber->number % WARP_LANES][lane];
            if (time > 0 && lane != fiber->number % WARP_LANES)
                facts[count++] =
                    (struct fact){about_thread(team->serial, warp * WARP_LANES + lane), time};
        }
    if (team->scheduler.model == MODEL_ITS)
        fiber->time++;
    return knowledge_make(known_to(fiber), facts, count);
}

static bool is_grid_complete(const struct knowledge *known, const struct grid *grid)
{
    uint32_t beyond = 0; /* tail launches that must be complete */

    for (; grid != NULL; grid = grid->parent) {
        if (knowledge_recall(known, about_grid(grid)) > beyond)
            return true;
        beyond = grid->stream == STREAM_TAIL ? grid->tail_index + 1 : 0;
    }
    return false;
}

/* Had the thread of that access exited by the next barrier? A barrier orders what its threads did,
 * and one that has exited is not among them. */
static bool left_before_barrier(const struct touch *was)
{
    const uint32_t *exits = race_blocks[was->block].exits;
    return exits != NULL && exits[was->thread] == was->epoch;
}

/* Is that access ordered before the current thread's next one, not by program order or barriers of
 * its block alone? */
bool race_is_known(const struct touch *was, const struct touch *now)
{
    const struct team *team = host.team;
    const struct knowledge *known = known_to(host.current);
    uint32_t warp = now->thread / WARP_LANES, until;

    if (was->block == now->block) {
        if (was->epoch < now->epoch && !left_before_barrier(was))
            return true;
        if (was->thread / WARP_LANES == warp) {
            if (team->scheduler.model == MODEL_LOCKSTEP && was->time != now->time &&
                (was->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)) &&
                (now->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)))
                return true;
            if (team->lane_times[warp] != NULL &&
                was->time <=
                    team->lane_times[warp][now->thread % WARP_LANES][was->thread % WARP_LANES])
                return true;
        }
    }
    if (known == NULL)
        return false;
    if (was->time <= knowledge_recall(known, about_thread(was->block, was->thread)))
        return true;
    until = knowledge_recall(known, about_block(was->block));
    if (was->epoch < until && !left_before_barrier(was))
        return true;
    return is_grid_complete(known, race_blocks[was->block].grid);
}

/* ---- Atomics and fences ---- */

static struct release *release_place(struct release *table, uint32_t capacity, uintptr_t address,
                                     uint32_t block)
{
    for (uint32_t i = (uint32_t)values_hash(address, block);; i++) {
        struct release *place = &table[i & (capacity - 1)];
        if (place->address == 0 || (place->address == address && place->block == block))
            return place;
    }
}

static bool release_make_room(void)
{
    uint32_t capacity = order.release_capacity == 0 ? 64 : 2 * order.release_capacity;
    struct release *table;

    if (2 * (order.release_count + 2) <= order.release_capacity)
        return true;
    table = calloc(capacity, sizeof *table);
    if (table == NULL) {
        race_out_of_memory();
        return false;
    }
    for (uint32_t i = 0; i < order.release_capacity; i++)
        if (order.releases[i].address != 0)
            *release_place(table, capacity, order.releases[i].address, order.releases[i].block) =
                order.releases[i];
    free(order.releases);
    order.releases = table;
    order.release_capacity = capacity;
    return true;
}

/* Shared memory has an address of its own in each block. */
static void hand_on(uintptr_t address, uint32_t block, const struct knowledge *known)
{
    struct release *place;

    if (known == NULL || !release_make_room())
        return;
    place = release_place(order.releases, order.release_capacity, address, block);
    order.release_count += place->address == 0;
    *place = (struct release){address, block, knowledge_join(place->known, known)};
}

static const struct knowledge *handed_on(uintptr_t address, uint32_t block)
{
    return order.release_capacity == 0
               ? NULL
               : release_place(order.releases, order.release_capacity, address, block)->known;
}

/* An atomic access hands on what its thread knew at its last fence, and sees what others have
 * handed on at that word, which the thread's next fence makes its own: a release pattern and an
 * acquire pattern of the PTX memory model, each with a fence of its own. */
void race_atomic(uintptr_t address, size_t size, enum scope scope, const struct simt_site *site)
{
    struct fiber *fiber = host.current;
    uint32_t block = host.team->serial;
    bool shared = address - host.shared_base < host.shared_size;
    struct touch now =
        race_touch_now(size, ACCESS_ATOMIC | AT_SITE | (unsigned int)scope << SCOPE_SHIFT, site);

    race_touch(address, size, &now);
    fiber->seen[SCOPE_BLOCK] = knowledge_join(fiber->seen[SCOPE_BLOCK], handed_on(address, block));
    if (!shared && scope != SCOPE_BLOCK)
        fiber->seen[SCOPE_DEVICE] =
            knowledge_join(fiber->seen[SCOPE_DEVICE], handed_on(address, 0));
    hand_on(address, block, fiber->fenced[SCOPE_BLOCK]);
    if (!shared && scope != SCOPE_BLOCK)
        hand_on(address, 0, fiber->fenced[SCOPE_DEVICE]);
}

void race_fence(enum scope scope)
{
    struct fiber *fiber = host.current;

    if (fiber->seen[SCOPE_BLOCK] != NULL)
        learn(fiber, fiber->seen[SCOPE_BLOCK]);
    fiber->seen[SCOPE_BLOCK] = NULL;
    if (scope != SCOPE_BLOCK) {
        if (fiber->seen[SCOPE_DEVICE] != NULL)
            learn(fiber, fiber->seen[SCOPE_DEVICE]);
        fiber->seen[SCOPE_DEVICE] = NULL;
    }
    fiber->fenced[SCOPE_BLOCK] = snapshot();
    if (scope != SCOPE_BLOCK)
        fiber->fenced[SCOPE_DEVICE] = fiber->fenced[SCOPE_BLOCK];
}

/* ---- Warps and blocks ---- */

void race_sync_warp(uint32_t warp, uint32_t lanes)
{
    struct team *team = host.team;
    struct fiber *fibers = &team->fibers[warp * WARP_LANES];
    uint32_t(*times)[WARP_LANES] = team->lane_times[warp], most[WARP_LANES] = {0};
    const struct knowledge *known = NULL;
    bool informed = false;

    if (times == NULL)
        times = team->lane_times[warp] = calloc(WARP_LANES, sizeof *times);
    if (times == NULL) {
        race_out_of_memory();
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint32_t k = 0; k < WARP_LANES; k++)
            most[k] = times[lane][k] > most[k] ? times[lane][k] : most[k];
        if (fibers[lane].known != NULL) {
            known = informed ? knowledge_join(known, fibers[lane].known) : fibers[lane].known;
            informed = true;
        }
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        most[lane] = fibers[lane].time;
        if (team->scheduler.model == MODEL_ITS)
            fibers[lane].time++;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        memcpy(times[lane], most, sizeof most);
        if (informed)
            fibers[lane].known = known;
    }
}

/* Remembers which threads have exited since the barrier before. */
static void note_exits(struct team *team)
{
    struct block_record *record = &race_blocks[team->serial];

    if (record->exits == NULL)
        record->exits = malloc(team->scheduler.threads * sizeof *record->exits);
    if (record->exits == NULL) {
        race_out_of_memory();
        return;
    }
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        record->exits[t] = team->fibers[t].exit_epoch;
    team->exits = true;
}

void race_barrier(struct team *team)
{
    if (unlikely(team->scheduler.exited > 0))
        note_exits(team);
    team->epoch++;
    if (likely(!team->learned))
        return;
    for (uint32_t t = 0; t < team->scheduler.threads; t++) {
        struct fiber *fiber = &team->fibers[t];
        if (fiber->exit_epoch == EVER)
            team->known = knowledge_join(team->known, fiber->known);
        else
            team->grid->learned = knowledge_join(team->grid->learned, fiber->known);
    }
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        team->fibers[t].known = NULL;
}

void race_start_block(struct team *team)
{
    struct block_record *records =
        memory_grown(race_blocks, &order.block_capacity, race_block_count + 2, sizeof *records);

    if (records != NULL)
        race_blocks = records;
    if (records == NULL || !race_clear_shared(team)) {
        race_out_of_memory();
        return;
    }
    team->serial = ++race_block_count;
    race_blocks[team->serial] = (struct block_record){team->grid, team->block, NULL};
    team->epoch = 0;
    team->known = team->grid->known;
    team->learned = team->exits = false;
    for (uint32_t t = 0; t < team->scheduler.threads; t++) {
        struct fiber *fiber = &team->fibers[t];
        fiber->time = 1;
        fiber->exit_epoch = EVER;
        fiber->known = fiber->seen[SCOPE_BLOCK] = fiber->seen[SCOPE_DEVICE] = NULL;
        fiber->fenced[SCOPE_BLOCK] = fiber->fenced[SCOPE_DEVICE] = NULL;
    }
    for (uint32_t w = 0; w < MAX_WARPS; w++)
        if (team->lane_times[w] != NULL)
            memset(team->lane_times[w], 0, WARP_LANES * sizeof *team->lane_times[w]);
}

void race_end_block(struct team *team)
{
    struct grid *grid = team->grid;

    if (!team->learned)
        return;
    grid->learned = knowledge_join(grid->learned, team->known);
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        grid->learned = knowledge_join(grid->learned, team->fibers[t].known);
}

void race_free_team(struct team *team)
{
    free(team->shared_cells);
    for (uint32_t w = 0; w < MAX_WARPS; w++)
        free(team->lane_times[w]);
}

/* ---- Grids ---- */

void race_launch(struct grid *child)
{
    child->known = snapshot();
    if (child->stream == STREAM_NULL)
        child->known = knowledge_join(child->known, child->launcher->last_done);
    child->parent_block = host.team->serial;
    child->parent_thread = host.current->number;
}

/* All that a grid did, and what came before it. */
static const struct knowledge *after(const struct grid *grid, uint32_t tails)
{
    struct fact complete = {about_grid(grid), tails};
    return knowledge_join(knowledge_join(knowledge_make(NULL, &complete, 1), grid->known),
                          grid->learned);
}

void race_first_tail(struct grid *tail)
{
    tail->known = knowledge_join(tail->known, after(tail->parent, tail->tail_index + 1));
}

void race_complete(struct grid *grid)
{
    const struct knowledge *known = after(grid, EVER);
    struct grid *next = grid->next;

    if (grid->stream == STREAM_TAIL) {
        if (next != NULL)
            next->known = knowledge_join(knowledge_join(next->known, known),
                                         after(grid->parent, next->tail_index + 1));
    } else {
        grid->launcher->done = knowledge_join(grid->launcher->done, known);
        if (grid->stream == STREAM_NULL)
            grid->launcher->last_done = known;
        if (grid->stream == STREAM_NULL && next != NULL)
            next->known = knowledge_join(next->known, known);
    }
    grid->parent->learned = knowledge_join(grid->parent->learned, grid->learned);
}

void race_wait(void)
{
    learn(host.current, host.team->launches->done);
}

/* ---- A job ---- */

void order_forget(void)
{
    for (uint32_t i = 1; i <= race_block_count; i++)
        free(race_blocks[i].exits);
    race_block_count = 0;
    if (order.release_capacity > 0)
        memset(order.releases, 0, order.release_capacity * sizeof *order.releases);
    order.release_count = 0;
    knowledge_forget();
}

void order_close(void)
{
    free(race_blocks);
    race_blocks = NULL;
    free(order.releases);
    memset(&order, 0, sizeof order);
    knowledge_close();
}
