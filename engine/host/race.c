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
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MOST_RACES = 32, /* pairs of places in the source */
    LEAST_CROWD = 8,
    GIVE_BACK = 64 << 20, /* memory of jobs above this size goes back to the system */
    SHARE = 1 << 16,      /* bytes in which facts are allocated */
    EVER = INT32_MAX,
};

/* More bits of an access. */
enum {
    AT_SITE = 8, /* its place is a struct simt_site */
    SCOPE_SHIFT = 4,
    COMPANY = ACCESS_ATOMIC | 3 << SCOPE_SHIFT, /* accesses that have these bits in common replace
                                                   each other */
};

/* An access as a cell remembers it. */
struct touch {
    uint32_t block; /* serial number; 0: no access */
    uint32_t epoch; /* barriers that the block had passed */
    uint32_t time;  /* of the thread; lockstep: steps of its warp */
    uint32_t place; /* in the source, from the start of the executable */
    uint16_t thread;
    uint8_t access;
    uint8_t size;
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

struct block_record {
    const struct grid *grid;
    struct extent index;
    uint32_t *exits; /* of each thread, the barriers passed when it exited; null: none had */
};

/* Facts. About a thread: its accesses up to that time. About a block: what it did before that many
 * barriers. About a grid: all it did and its child grids did, but for tail launches from that
 * number on. */
enum { ABOUT_THREAD, ABOUT_BLOCK, ABOUT_GRID };

struct fact {
    uint64_t about;
    uint32_t value;
};

struct knowledge {
    const struct knowledge *base;
    uint32_t count;
    struct fact facts[]; /* ascending */
};

/* What the last atomic accesses of a word have handed on: one record for each block, and one for
 * all who are device-wide. */
struct release {
    uintptr_t address; /* 0: free */
    uint32_t block;    /* 0: device */
    const struct knowledge *known;
};

struct found {
    struct touch first, second;
    uintptr_t address;
    char name[48];
    bool before_known, after_known;         /* of the first */
    uint32_t before, after, second_before, second_after;
    bool settled; /* second_after is there */
    uint64_t count;
};

static struct {
    struct cell *cells;
    size_t capacity, used; /* bytes */
    struct crowd *crowds;
    uint32_t crowd_count, crowd_capacity;
    struct cell (*splits)[4];
    uint32_t split_count, split_capacity;
    struct block_record *blocks;
    uint32_t block_count, block_capacity;
    struct release *releases;
    uint32_t release_count, release_capacity;
    void **shares; /* of memory for facts */
    uint32_t share_count, share_capacity;
    size_t share_left;
    struct found found[MOST_RACES];
    uint32_t found_count;
} race;

bool race_unsettled;

extern const char __executable_start[];

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

/* Memory that lives as long as the job; null when there is none. */
static void *allocate(size_t bytes)
{
    void **shares;
    size_t share;

    bytes = (bytes + 7) / 8 * 8;
    share = bytes > SHARE ? bytes : SHARE;
    if (race.share_left >= bytes) {
        race.share_left -= bytes;
        return (char *)race.shares[race.share_count - 1] + race.share_left;
    }
    shares = memory_grown(race.shares, &race.share_capacity, race.share_count + 1, sizeof *shares);
    if (shares == NULL)
        return NULL;
    race.shares = shares;
    shares[race.share_count] = malloc(share);
    if (shares[race.share_count] == NULL)
        return NULL;
    race.share_left = share - bytes;
    return (char *)shares[race.share_count++] + race.share_left;
}

static int compare_facts(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    return a->about != b->about ? (a->about > b->about) - (a->about < b->about)
                                : (a->value < b->value) - (a->value > b->value);
}

/* Those facts on top of a base. Sorts `facts`, of which it keeps the highest of each. When memory
 * runs out, the job has a fault and the base comes back. */
static const struct knowledge *make_knowledge(const struct knowledge *base, struct fact *facts,
                                              size_t count)
{
    struct knowledge *made;

    if (count == 0)
        return base;
    qsort(facts, count, sizeof *facts, compare_facts);
    made = allocate(sizeof *made + count * sizeof *facts);
    if (made == NULL) {
        run_out_of_memory();
        return base;
    }
    made->base = base;
    made->count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || facts[i].about != facts[i - 1].about)
            made->facts[made->count++] = facts[i];
    return made;
}

/* The value of a fact; 0: not known. */
static uint32_t recall(const struct knowledge *known, uint64_t about)
{
    uint32_t most = 0;

    for (; known != NULL; known = known->base) {
        uint32_t low = 0, high = known->count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (known->facts[middle].about < about)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < known->count && known->facts[low].about == about &&
            known->facts[low].value > most)
            most = known->facts[low].value;
    }
    return most;
}

static bool stands_on(const struct knowledge *known, const struct knowledge *base)
{
    while (known != NULL && known != base)
        known = known->base;
    return known == base;
}

static size_t count_above(const struct knowledge *known, const struct knowledge *base)
{
    size_t count = 0;
    for (; known != base; known = known->base)
        count += known->count;
    return count;
}

static struct fact *copy_above(const struct knowledge *known, const struct knowledge *base,
                               struct fact *to)
{
    for (; known != base; known = known->base) {
        memcpy(to, known->facts, known->count * sizeof *to);
        to += known->count;
    }
    return to;
}

/* What either knows. */
static const struct knowledge *join(const struct knowledge *a, const struct knowledge *b)
{
    const struct knowledge *base = a, *joined;
    struct fact *facts, *end;
    size_t count;

    if (b == NULL || stands_on(a, b))
        return a;
    if (stands_on(b, a))
        return b;
    while (!stands_on(b, base))
        base = base->base;
    count = count_above(a, base) + count_above(b, base);
    facts = malloc(count * sizeof *facts);
    if (facts == NULL) {
        run_out_of_memory();
        return a;
    }
    end = copy_above(a, base, facts);
    copy_above(b, base, end);
    joined = make_knowledge(base, facts, count);
    free(facts);
    return joined;
}

static const struct knowledge *known_to(const struct fiber *fiber)
{
    return fiber->known != NULL ? fiber->known : host.team->known;
}

static void learn(struct fiber *fiber, const struct knowledge *known)
{
    fiber->known = join(known_to(fiber), known);
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
    return make_knowledge(known_to(fiber), facts, count);
}

static bool is_grid_complete(const struct knowledge *known, const struct grid *grid)
{
    uint32_t beyond = 0; /* tail launches that must be complete */

    for (; grid != NULL; grid = grid->parent) {
        if (recall(known, about_grid(grid)) > beyond)
            return true;
        beyond = grid->stream == STREAM_TAIL ? grid->tail_index + 1 : 0;
    }
    return false;
}

/* Had the thread of that access exited by the next barrier? A barrier orders what its threads did,
 * and one that has exited is not among them. */
static bool left_before_barrier(const struct touch *was)
{
    const uint32_t *exits = race.blocks[was->block].exits;
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
    if (was->time <= recall(known, about_thread(was->block, was->thread)))
        return true;
    until = recall(known, about_block(was->block));
    if (was->epoch < until && !left_before_barrier(was))
        return true;
    return is_grid_complete(known, race.blocks[was->block].grid);
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
    return a->size == b->size && (a->block == b->block || (a->access >> SCOPE_SHIFT != SCOPE_BLOCK &&
                                                           b->access >> SCOPE_SHIFT != SCOPE_BLOCK));
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
        if (place->block == 0 ||
            (place->block == guest->block && place->thread == guest->thread &&
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
    if (guest->access >> SCOPE_SHIFT == SCOPE_BLOCK || (crowd->size != 0 && crowd->size != guest->size))
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
    crowd->capacity = capacity == 0 ? LEAST_CROWD : 4 * (kept + 1) > capacity ? 2 * capacity : capacity;
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
        if (guest->block == 0 || ((guest->access & COMPANY) == (now->access & COMPANY) &&
                                  is_ordered(guest, now))) {
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

static void touch_bytes(struct cell *cell, const struct touch *now, uintptr_t first,
                        uintptr_t last)
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
    *place = (struct release){address, block, join(place->known, known)};
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
    fiber->seen[SCOPE_BLOCK] = join(fiber->seen[SCOPE_BLOCK], handed_on(address, block));
    if (!shared && scope != SCOPE_BLOCK)
        fiber->seen[SCOPE_DEVICE] = join(fiber->seen[SCOPE_DEVICE], handed_on(address, 0));
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
            known = informed ? join(known, fibers[lane].known) : fibers[lane].known;
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
    struct block_record *record = &race.blocks[team->serial];

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
            team->known = join(team->known, fiber->known);
    }
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        team->fibers[t].known = NULL;
}

void race_start_block(struct team *team)
{
    struct block_record *records = memory_grown(race.blocks, &race.block_capacity, race.block_count + 2,
                                         sizeof *records);

    if (team->shared_cells == NULL && host.shared_size > 0) {
        team->shared_cells = calloc(host.shared_size / 4 + 2, sizeof *team->shared_cells);
        team->touched_low = SIZE_MAX;
        team->touched_high = 0;
    }
    if (records != NULL)
        race.blocks = records;
    if (records == NULL || (team->shared_cells == NULL && host.shared_size > 0)) {
        run_out_of_memory();
        return;
    }
    team->serial = ++race.block_count;
    race.blocks[team->serial] = (struct block_record){team->grid, team->block, NULL};
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
    grid->learned = join(grid->learned, team->known);
    for (uint32_t t = 0; t < team->scheduler.threads; t++)
        grid->learned = join(grid->learned, team->fibers[t].known);
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
        child->known = join(child->known, child->launcher->last_done);
    child->parent_block = host.team->serial;
    child->parent_thread = host.current->number;
}

/* All that a grid did, and what came before it. */
static const struct knowledge *after(const struct grid *grid, uint32_t tails)
{
    struct fact complete = {about_grid(grid), tails};
    return join(join(make_knowledge(NULL, &complete, 1), grid->known), grid->learned);
}

void race_first_tail(struct grid *tail)
{
    tail->known = join(tail->known, after(tail->parent, tail->tail_index + 1));
}

void race_complete(struct grid *grid)
{
    const struct knowledge *known = after(grid, EVER);
    struct grid *next = grid->next;

    if (grid->stream == STREAM_TAIL) {
        if (next != NULL)
            next->known =
                join(join(next->known, known), after(grid->parent, next->tail_index + 1));
    } else {
        grid->launcher->done = join(grid->launcher->done, known);
        if (grid->stream == STREAM_NULL)
            grid->launcher->last_done = known;
        if (grid->stream == STREAM_NULL && next != NULL)
            next->known = join(next->known, known);
    }
    grid->parent->learned = join(grid->parent->learned, grid->learned);
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
    for (uint32_t i = 1; i <= race.block_count; i++)
        free(race.blocks[i].exits);
    for (uint32_t i = 0; i < race.share_count; i++)
        free(race.shares[i]);
    if (race.release_capacity > 0)
        memset(race.releases, 0, race.release_capacity * sizeof *race.releases);
    race.used = race.share_left = 0;
    race.crowd_count = race.split_count = race.block_count = race.share_count = 0;
    race.release_count = race.found_count = 0;
}

void race_close(void)
{
    if (race.cells != NULL)
        munmap(race.cells, race.capacity);
    free(race.crowds);
    free(race.splits);
    free(race.blocks);
    free(race.releases);
    free(race.shares);
    memset(&race, 0, sizeof race);
}

/* ---- In words ---- */

static const char *const scope_names[] = {"block", "device", "system"};

static void describe_side(const struct touch *touch, struct race_side *side)
{
    const struct block_record *record = &race.blocks[touch->block];
    const struct extent *block = &record->grid->block;
    const void *place = __executable_start + touch->place;
    const char *kernel = simt_kernel_name(record->grid->function);

    snprintf(side->kernel, sizeof side->kernel, "%s", kernel != NULL ? kernel : "a kernel");
    side->grid = record->grid->serial;
    side->block = record->index;
    side->number = touch->thread;
    side->thread = (struct extent){touch->thread % block->x, touch->thread / block->x % block->y,
                                   touch->thread / block->x / block->y};
    side->access = touch->access & (ACCESS_WRITE | ACCESS_VOLATILE | ACCESS_ATOMIC);
    if (touch->access & ACCESS_ATOMIC)
        snprintf(side->scope, sizeof side->scope, "%s",
                 scope_names[touch->access >> SCOPE_SHIFT & 3]);
    if (touch->access & AT_SITE) {
        const struct simt_site *site = place;
        source_shorten(site->file, side->file, sizeof side->file);
        side->line = site->line;
    } else if (!source_line(place, side->file, sizeof side->file, &side->line)) {
        side->line = 0;
    }
}

/* The grid among `grid` and its ancestors that `ancestor` launched; null: none. */
static const struct grid *child_towards(const struct grid *ancestor, const struct grid *grid)
{
    while (grid != NULL && grid->parent != ancestor)
        grid = grid->parent;
    return grid;
}

static void describe_in_block(const struct found *found, char *text, size_t size)
{
    const struct touch *a = &found->first, *b = &found->second;
    const struct extent *block = &race.blocks[a->block].index;
    bool lanes = a->thread / WARP_LANES == b->thread / WARP_LANES;
    const char *why = "";

    if (a->epoch < b->epoch) {
        snprintf(text, size,
                 "thread %u of block (%u,%u,%u) had exited when the others came to the barrier, "
                 "which orders only the threads at it",
                 a->thread, block->x, block->y, block->z);
        return;
    }
    if (lanes && host.model == MODEL_LOCKSTEP)
        why = a->time == b->time
                  ? ": both are in one step of their warp"
                  : ": steps of a warp order volatile and atomic accesses, not plain ones";
    else if ((a->access | b->access) & ACCESS_ATOMIC)
        why = ": an atomic access orders nothing without fences on both sides";
    else if ((a->access | b->access) & ACCESS_VOLATILE)
        why = ": volatile orders nothing between threads";
    snprintf(text, size, "no barrier%s between these two for threads %u and %u of block (%u,%u,%u)%s",
             lanes ? " and no __syncwarp()" : "", a->thread, b->thread, block->x, block->y,
             block->z, why);
}

static void describe_between_grids(const struct found *found, char *text, size_t size)
{
    const struct touch *a = &found->first;
    const struct block_record *first = &race.blocks[a->block];
    const struct block_record *second = &race.blocks[found->second.block];
    const struct grid *child = child_towards(first->grid, second->grid);

    if (child != NULL && child->parent_block == a->block && a->thread == child->parent_thread) {
        snprintf(text, size,
                 "thread %u makes this access after it has launched the grid, and nothing has "
                 "waited for that",
                 a->thread);
    } else if (child != NULL && child->parent_block == a->block) {
        snprintf(text, size,
                 "a child grid sees what its launching thread, %u, did before the launch; no "
                 "barrier stands between thread %u and that launch",
                 child->parent_thread, a->thread);
    } else if (child != NULL) {
        const struct extent *launching = &race.blocks[child->parent_block].index;
        snprintf(text, size,
                 "the child grid was launched by block (%u,%u,%u), which is not ordered with block "
                 "(%u,%u,%u): only a tail launch comes after its whole parent grid",
                 launching->x, launching->y, launching->z, first->index.x, first->index.y,
                 first->index.z);
    } else if (child_towards(second->grid, first->grid) != NULL) {
        snprintf(text, size, "nothing has waited for the child grid");
    } else {
        snprintf(text, size, "nothing orders these two grids: they are in different streams or "
                             "were launched by different blocks");
    }
}

static void describe_missing(const struct found *found, char *text, size_t size)
{
    const struct touch *a = &found->first, *b = &found->second;
    const struct block_record *first = &race.blocks[a->block], *second = &race.blocks[b->block];

    if (a->access & b->access & ACCESS_ATOMIC)
        snprintf(text, size,
                 a->size != b->size ? "atomic accesses of different sizes are not atomic together"
                                    : "the scope of an atomic access leaves the other thread out");
    else if (a->block == b->block)
        describe_in_block(found, text, size);
    else if (first->grid != second->grid)
        describe_between_grids(found, text, size);
    else
        snprintf(text, size,
                 "nothing orders blocks (%u,%u,%u) and (%u,%u,%u) of one grid, for a barrier holds "
                 "for one block%s",
                 first->index.x, first->index.y, first->index.z, second->index.x, second->index.y,
                 second->index.z,
                 (a->access | b->access) & ACCESS_ATOMIC
                     ? ", and an atomic access orders nothing without fences on both sides"
                     : "");
}

static void describe(const struct found *found, struct race *described)
{
    *described = (struct race){.count = found->count};
    describe_side(&found->first, &described->first);
    describe_side(&found->second, &described->second);
    described->first.before_known = found->before_known;
    described->first.before = found->before;
    described->first.after_known = found->after_known;
    described->first.after = found->after;
    described->second.before_known = (found->second.access & ACCESS_WRITE) != 0;
    described->second.before = found->second_before;
    described->second.after_known = !(found->second.access & ACCESS_ATOMIC);
    described->second.after =
        found->second.access & ACCESS_WRITE ? found->second_after : found->second_before;
    snprintf(described->place, sizeof described->place, "%s", found->name);
    describe_missing(found, described->missing, sizeof described->missing);
}

size_t race_finish(struct race *races, size_t capacity)
{
    size_t count = race.found_count;

    for (size_t i = 0; i < count && i < capacity; i++)
        describe(&race.found[i], &races[i]);
    forget();
    return count;
}
