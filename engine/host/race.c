/* SPDX-License-Identifier: MIT
 *
 * Races: two accesses of one place, at least one of them a write, that no order of the CUDA model
 * puts one before the other. What orders is listed in docs/races.md.
 *
 * Each 32-bit word of a buffer and of shared memory has a cell with the last write and the accesses
 * since that may stand side by side: reads, and atomic accesses. An access is held against those of
 * its cell. One that is ordered after the last of its kind replaces it, for what comes later and is
 * ordered after the one is ordered after the other (FastTrack, Flanagan and Freund, PLDI 2009). An
 * access of part of a word splits its cell into one for each byte.
 *
 * Threads have no vector clocks. In a block, the barriers passed tell nearly everything; what a
 * thread knows of other blocks, grids, and of single threads by launches, atomics and fences is a
 * list of facts, shared by all who know the same.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MOST_RACES = 32, /* pairs of places in the source */
    LEAST_CROWD = 8,
    GIVE_BACK = 64 << 20, /* memory of jobs above this size goes back to the system */
};

struct cell {
    struct touch write;
    uint32_t before;    /* the word as it was before that */
    struct touch guest; /* a read or atomic access since; with a crowd, the last of it */
    uint32_t crowd;     /* 0: none; SPLIT and more: the cell is split in bytes */
};

#define SPLIT UINT32_C(0x80000000)

/* The guests of a cell, where there are several: a hash table. */
struct crowd {
    struct touch *guests;
    uint32_t count, capacity; /* a power of two */
    bool reads, narrow;       /* there are reads; atomics of block scope, or of different sizes */
    uint8_t size;             /* of its atomics */
};

/* What the last atomic accesses of a word have handed on: one record for each block, and one for
 * all who are device-wide. */
struct release {
    uintptr_t address; /* 0: free */
    uint32_t block;    /* 0: device */
    const struct knowledge *known;
};

static struct {
    struct cell *cells;
    size_t capacity, used; /* bytes */
    struct crowd *crowds;
    uint32_t crowd_count, crowd_capacity;
    struct cell (*splits)[4];
    uint32_t split_count, split_capacity;
    uint32_t block_capacity;
    struct release *releases;
    uint32_t release_count, release_capacity;
    struct found found[MOST_RACES];
    uint32_t found_count;
} race;

bool race_unsettled;
struct block_record *race_blocks;
uint32_t race_block_count;

static void run_out_of_memory(void)
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
static bool is_known(const struct touch *was, const struct touch *now)
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

static inline bool is_ordered(const struct touch *was, const struct touch *now)
{
    if (was->block == now->block &&
        (was->thread == now->thread || (was->epoch < now->epoch && !host.team->exits)))
        return true;
    return is_known(was, now);
}

/* May two atomic accesses stand side by side? Each must have the other in its scope, and be of the
 * same word. */
static bool is_compatible(const struct touch *a, const struct touch *b)
{
    if (!(a->access & b->access & ACCESS_ATOMIC))
        return !((a->access | b->access) & (ACCESS_WRITE | ACCESS_ATOMIC));
    return a->size == b->size &&
           (a->block == b->block ||
            (a->access >> SCOPE_SHIFT != SCOPE_BLOCK && b->access >> SCOPE_SHIFT != SCOPE_BLOCK));
}

/* ---- What was found ---- */

static uint32_t word_at(uintptr_t address)
{
    uint32_t word;
    memcpy(&word, (const void *)(address & ~(uintptr_t)3), sizeof word);
    return word;
}

static bool is_same_place(const struct touch *a, const struct touch *b)
{
    return a->place == b->place && a->access == b->access;
}

static void report(const struct touch *was, const struct touch *now, const struct cell *cell,
                   uintptr_t address)
{
    struct found *found;

    for (uint32_t i = 0; i < race.found_count; i++) {
        found = &race.found[i];
        if ((is_same_place(&found->first, was) && is_same_place(&found->second, now)) ||
            (is_same_place(&found->first, now) && is_same_place(&found->second, was))) {
            found->count++;
            return;
        }
    }
    if (race.found_count == MOST_RACES)
        return;
    found = &race.found[race.found_count++];
    *found = (struct found){.first = *was, .second = *now, .address = address, .count = 1};
    memory_name(address, found->name, sizeof found->name);
    found->second_before = found->after = word_at(address);
    found->after_known = !(was->access & ACCESS_ATOMIC);
    if (was->access & ACCESS_WRITE) {
        found->before = cell->before;
        found->before_known = true;
    }
    race_unsettled = true;
}

/* A second access that writes is noticed before it is made. Nothing else has run since. */
void race_settle(void)
{
    for (uint32_t i = race.found_count; i > 0; i--) {
        struct found *found = &race.found[i - 1];
        if (found->settled)
            break;
        found->second_after = word_at(found->address);
        found->settled = true;
    }
    race_unsettled = false;
}

/* ---- Cells ---- */

static struct touch *crowd_place(const struct crowd *crowd, const struct touch *guest)
{
    uint64_t hash = values_hash(guest->block, guest->thread) + (guest->access & COMPANY);

    for (uint32_t i = (uint32_t)hash;; i++) {
        struct touch *place = &crowd->guests[i & (crowd->capacity - 1)];
        if (place->block == 0 || (place->block == guest->block && place->thread == guest->thread &&
                                  (place->access & COMPANY) == (guest->access & COMPANY)))
            return place;
    }
}

static void crowd_add(struct crowd *crowd, const struct touch *guest)
{
    struct touch *place = crowd_place(crowd, guest);

    crowd->count += place->block == 0;
    *place = *guest;
    if (!(guest->access & ACCESS_ATOMIC)) {
        crowd->reads = true;
        return;
    }
    if (guest->access >> SCOPE_SHIFT == SCOPE_BLOCK ||
        (crowd->size != 0 && crowd->size != guest->size))
        crowd->narrow = true;
    crowd->size = guest->size;
}

static void crowd_clear(struct crowd *crowd)
{
    crowd->count = 0;
    crowd->reads = crowd->narrow = false;
    crowd->size = 0;
    memset(crowd->guests, 0, crowd->capacity * sizeof *crowd->guests);
}

/* Makes room for one more guest: first by leaving out those that `now` replaces. */
static bool crowd_make_room(struct crowd *crowd, const struct touch *now)
{
    struct touch *old = crowd->guests;
    uint32_t capacity = crowd->capacity, kept = 0;

    if (2 * (crowd->count + 1) <= capacity)
        return true;
    for (uint32_t i = 0; i < capacity; i++) {
        if (old[i].block != 0 && (old[i].access & COMPANY) == (now->access & COMPANY) &&
            is_ordered(&old[i], now))
            old[i].block = 0;
        kept += old[i].block != 0;
    }
    crowd->capacity = capacity == 0               ? LEAST_CROWD
                      : 4 * (kept + 1) > capacity ? 2 * capacity
                                                  : capacity;
    crowd->guests = calloc(crowd->capacity, sizeof *crowd->guests);
    if (crowd->guests == NULL) {
        crowd->guests = old;
        crowd->capacity = capacity;
        run_out_of_memory();
        return false;
    }
    crowd->count = 0;
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i].block != 0)
            crowd_add(crowd, &old[i]);
    free(old);
    return true;
}

/* The crowd of a cell, made when there is none; null when memory runs out. */
static struct crowd *crowd_of(struct cell *cell)
{
    struct crowd *crowds;

    if (cell->crowd != 0)
        return &race.crowds[cell->crowd - 1];
    crowds = memory_grown(race.crowds, &race.crowd_capacity, race.crowd_count + 1, sizeof *crowds);
    if (crowds == NULL) {
        run_out_of_memory();
        return NULL;
    }
    race.crowds = crowds;
    crowds[race.crowd_count] = (struct crowd){0};
    cell->crowd = ++race.crowd_count;
    return &crowds[race.crowd_count - 1];
}

static void add_guest(struct cell *cell, const struct touch *now)
{
    struct crowd *crowd = cell->crowd != 0 ? &race.crowds[cell->crowd - 1] : NULL;

    if (crowd == NULL || crowd->count == 0) {
        struct touch *guest = &cell->guest;
        if (guest->block == 0 ||
            ((guest->access & COMPANY) == (now->access & COMPANY) && is_ordered(guest, now))) {
            *guest = *now;
            return;
        }
        crowd = crowd_of(cell);
        if (crowd == NULL || !crowd_make_room(crowd, now))
            return;
        crowd_add(crowd, guest);
    }
    if (crowd_make_room(crowd, now))
        crowd_add(crowd, now);
    cell->guest = *now;
}

static void meet_guests(const struct cell *cell, const struct touch *now, uintptr_t address)
{
    const struct crowd *crowd = cell->crowd != 0 ? &race.crowds[cell->crowd - 1] : NULL;

    if (crowd == NULL || crowd->count == 0) {
        if (!is_compatible(&cell->guest, now) && !is_ordered(&cell->guest, now))
            report(&cell->guest, now, cell, address);
        return;
    }
    /* Nothing to find among those that go with `now`. */
    if (now->access & ACCESS_ATOMIC) {
        if (!crowd->reads && !crowd->narrow && crowd->size == now->size &&
            now->access >> SCOPE_SHIFT != SCOPE_BLOCK)
            return;
    } else if (!(now->access & ACCESS_WRITE) && crowd->size == 0) {
        return;
    }
    for (uint32_t i = 0; i < crowd->capacity; i++)
        if (crowd->guests[i].block != 0 && !is_compatible(&crowd->guests[i], now) &&
            !is_ordered(&crowd->guests[i], now))
            report(&crowd->guests[i], now, cell, address);
}

static inline void touch_cell(struct cell *cell, const struct touch *now, uintptr_t address)
{
    if (cell->write.block != 0 && unlikely(!is_ordered(&cell->write, now)))
        report(&cell->write, now, cell, address);
    if (cell->guest.block != 0 && ((now->access & (ACCESS_WRITE | ACCESS_ATOMIC)) ||
                                   cell->crowd != 0 || (cell->guest.access & ACCESS_ATOMIC)))
        meet_guests(cell, now, address);
    if (now->access & ACCESS_WRITE) {
        cell->write = *now;
        cell->before = word_at(address);
        cell->guest.block = 0;
        if (cell->crowd != 0 && race.crowds[cell->crowd - 1].count > 0)
            crowd_clear(&race.crowds[cell->crowd - 1]);
    } else {
        add_guest(cell, now);
    }
}

/* The cells of the bytes of a word, from now on. A crowd that a byte's cell takes over is copied.
 */
static struct cell *split_cell(struct cell *cell)
{
    struct cell(*splits)[4];

    if (cell->crowd & SPLIT)
        return race.splits[cell->crowd & ~SPLIT];
    splits = memory_grown(race.splits, &race.split_capacity, race.split_count + 1, sizeof *splits);
    if (splits == NULL) {
        run_out_of_memory();
        return NULL;
    }
    race.splits = splits;
    for (int byte = 0; byte < 4; byte++) {
        struct cell *part = &splits[race.split_count][byte];
        *part = *cell;
        part->crowd = 0;
        if (cell->crowd == 0 || race.crowds[cell->crowd - 1].count == 0)
            continue;
        struct crowd *copy = crowd_of(part);
        const struct crowd *crowd = &race.crowds[cell->crowd - 1];
        for (uint32_t i = 0; copy != NULL && i < crowd->capacity; i++)
            if (crowd->guests[i].block != 0 && crowd_make_room(copy, &crowd->guests[i]))
                crowd_add(copy, &crowd->guests[i]);
    }
    cell->crowd = SPLIT | race.split_count;
    return splits[race.split_count++];
}

static void touch_bytes(struct cell *cell, const struct touch *now, uintptr_t first, uintptr_t last)
{
    struct cell *parts = split_cell(cell);

    for (uintptr_t byte = first; parts != NULL && byte <= last; byte++)
        touch_cell(&parts[byte % 4], now, byte);
}

static void touch(uintptr_t address, size_t size, const struct touch *now)
{
    uintptr_t base;
    struct cell *cells;

    if (address - host.global_base < host.global_size) {
        base = host.global_base;
        cells = race.cells;
    } else if (address - host.shared_base < host.shared_size) {
        struct team *team = host.team;
        base = host.shared_base;
        cells = team->shared_cells;
        size_t first = address / 4 - base / 4, last = (address + size - 1) / 4 - base / 4;
        if (first < team->touched_low)
            team->touched_low = first;
        if (last >= team->touched_high)
            team->touched_high = last + 1;
    } else {
        return;
    }
    for (uintptr_t at = address, end = address + size; at < end;) {
        struct cell *cell = &cells[at / 4 - base / 4];
        uintptr_t next = (at / 4 + 1) * 4;
        if (likely(at % 4 == 0 && next <= end && !(cell->crowd & SPLIT)))
            touch_cell(cell, now, at);
        else
            touch_bytes(cell, now, at, next < end ? next - 1 : end - 1);
        at = next;
    }
}

static struct touch touch_now(size_t size, unsigned int access, const void *place)
{
    return (struct touch){
        .block = host.team->serial,
        .epoch = host.team->epoch,
        .time = host.current->time,
        .place = (uint32_t)((const char *)place - __executable_start),
        .thread = (uint16_t)host.current->number,
        .access = (uint8_t)access,
        .size = (uint8_t)(size < UINT8_MAX ? size : UINT8_MAX),
    };
}

void race_access(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    struct touch now = touch_now(size, access, site);
    touch(address, size, &now);
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
    uint32_t capacity = race.release_capacity == 0 ? 64 : 2 * race.release_capacity;
    struct release *table;

    if (2 * (race.release_count + 2) <= race.release_capacity)
        return true;
    table = calloc(capacity, sizeof *table);
    if (table == NULL) {
        run_out_of_memory();
        return false;
    }
    for (uint32_t i = 0; i < race.release_capacity; i++)
        if (race.releases[i].address != 0)
            *release_place(table, capacity, race.releases[i].address, race.releases[i].block) =
                race.releases[i];
    free(race.releases);
    race.releases = table;
    race.release_capacity = capacity;
    return true;
}

/* Shared memory has an address of its own in each block. */
static void hand_on(uintptr_t address, uint32_t block, const struct knowledge *known)
{
    struct release *place;

    if (known == NULL || !release_make_room())
        return;
    place = release_place(race.releases, race.release_capacity, address, block);
    race.release_count += place->address == 0;
    *place = (struct release){address, block, knowledge_join(place->known, known)};
}

static const struct knowledge *handed_on(uintptr_t address, uint32_t block)
{
    return race.release_capacity == 0
               ? NULL
               : release_place(race.releases, race.release_capacity, address, block)->known;
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
        touch_now(size, ACCESS_ATOMIC | AT_SITE | (unsigned int)scope << SCOPE_SHIFT, site);

    touch(address, size, &now);
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
        run_out_of_memory();
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
        run_out_of_memory();
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
        if (fiber->known != NULL && fiber->exit_epoch == EVER)
            team->known = knowledge_join(team->known, fiber->known);
    }
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        team->fibers[t].known = NULL;
}

void race_start_block(struct team *team)
{
    struct block_record *records =
        memory_grown(race_blocks, &race.block_capacity, race_block_count + 2, sizeof *records);

    if (team->shared_cells == NULL && host.shared_size > 0) {
        team->shared_cells = calloc(host.shared_size / 4 + 2, sizeof *team->shared_cells);
        team->touched_low = SIZE_MAX;
        team->touched_high = 0;
    }
    if (records != NULL)
        race_blocks = records;
    if (records == NULL || (team->shared_cells == NULL && host.shared_size > 0)) {
        run_out_of_memory();
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
    if (team->touched_low < team->touched_high)
        memset(team->shared_cells + team->touched_low, 0,
               (team->touched_high - team->touched_low) * sizeof *team->shared_cells);
    team->touched_low = SIZE_MAX;
    team->touched_high = 0;
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

bool race_start(void)
{
    size_t wanted = (host.used / 4 + 1) * sizeof *race.cells;

    race_unsettled = false;
    if (wanted > race.capacity) {
        void *cells = mmap(NULL, wanted, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (cells == MAP_FAILED)
            return false;
        if (race.cells != NULL)
            munmap(race.cells, race.capacity);
        race.cells = cells;
        race.capacity = wanted;
    }
    race.used = wanted;
    return true;
}

static void forget(void)
{
    if (race.used > GIVE_BACK)
        madvise(race.cells, race.used, MADV_DONTNEED);
    else if (race.used > 0)
        memset(race.cells, 0, race.used);
    for (uint32_t i = 0; i < race.crowd_count; i++)
        free(race.crowds[i].guests);
    for (uint32_t i = 1; i <= race_block_count; i++)
        free(race_blocks[i].exits);
    knowledge_forget();
    if (race.release_capacity > 0)
        memset(race.releases, 0, race.release_capacity * sizeof *race.releases);
    race.used = 0;
    race.crowd_count = race.split_count = race_block_count = 0;
    race.release_count = race.found_count = 0;
}

void race_close(void)
{
    if (race.cells != NULL)
        munmap(race.cells, race.capacity);
    free(race.crowds);
    free(race.splits);
    free(race_blocks);
    race_blocks = NULL;
    knowledge_close();
    free(race.releases);
    memset(&race, 0, sizeof race);
}

size_t race_finish(struct race *races, size_t capacity)
{
    size_t count = race.found_count;

    for (size_t i = 0; i < count && i < capacity; i++)
        race_describe(&race.found[i], &races[i]);
    forget();
    return count;
}
