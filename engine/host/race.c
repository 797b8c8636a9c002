/* SPDX-License-Identifier: MIT
 *
 * Races: two accesses of one place, at least one of them a write, that no order of the CUDA model
 * puts one before the other. What orders is in race_order.c, and in words in docs/races.md.
 *
 * Each 32-bit word of a buffer and of shared memory has a cell with the last write and the accesses
 * since that may stand side by side: reads, and atomic accesses. An access is held against those of
 * its cell. One that is ordered after the last of its kind replaces it, for what comes later and is
 * ordered after the one is ordered after the other (FastTrack, Flanagan and Freund, PLDI 2009). An
 * access of part of a word splits its cell into one for each byte.
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
    uint32_t next;            /* while it is free: the next that is, plus 1 */
};

static struct {
    struct cell *cells;
    size_t capacity, used; /* bytes */
    struct crowd *crowds;
    uint32_t crowd_count, crowd_capacity, free_crowd;
    struct cell (*splits)[4]; /* while one is free, its first part's `crowd` is the next, plus 1 */
    uint32_t split_count, split_capacity, free_split;
    uint32_t job; /* number */
    struct found found[MOST_RACES];
    uint32_t found_count;
} race;

bool race_unsettled;

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

/* Does the later of the two replace the other, once that is ordered before it? */
static inline bool is_of_one_kind(const struct touch *a, const struct touch *b)
{
    return ((a->access ^ b->access) & KIND) == 0 &&
           (a->size == b->size || !(a->access & ACCESS_ATOMIC));
}

static struct touch *crowd_place(const struct crowd *crowd, const struct touch *guest)
{
    uint64_t hash = values_hash(guest->block, guest->thread) + (guest->access & KIND);

    for (uint32_t i = (uint32_t)hash;; i++) {
        struct touch *place = &crowd->guests[i & (crowd->capacity - 1)];
        if (place->block == 0 || (place->block == guest->block && place->thread == guest->thread &&
                                  is_of_one_kind(place, guest)))
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
        if (old[i].block != 0 && is_of_one_kind(&old[i], now) && race_is_ordered(&old[i], now))
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
        race_out_of_memory();
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
    if (race.free_crowd != 0) {
        cell->crowd = race.free_crowd;
        race.free_crowd = race.crowds[cell->crowd - 1].next;
        return &race.crowds[cell->crowd - 1];
    }
    crowds = memory_grown(race.crowds, &race.crowd_capacity, race.crowd_count + 1, sizeof *crowds);
    if (crowds == NULL) {
        race_out_of_memory();
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
        if (guest->block == 0 || (is_of_one_kind(guest, now) && race_is_ordered(guest, now))) {
            *guest = *now;
            return;
        }
        host.busy = true;
        crowd = crowd_of(cell);
        if (crowd != NULL && crowd_make_room(crowd, now))
            crowd_add(crowd, guest);
        host.busy = false;
        if (crowd == NULL)
            return;
    }
    host.busy = true;
    if (crowd_make_room(crowd, now))
        crowd_add(crowd, now);
    host.busy = false;
    cell->guest = *now;
}

static void meet_guests(const struct cell *cell, const struct touch *now, uintptr_t address)
{
    const struct crowd *crowd = cell->crowd != 0 ? &race.crowds[cell->crowd - 1] : NULL;

    if (crowd == NULL || crowd->count == 0) {
        if (!is_compatible(&cell->guest, now) && !race_is_ordered(&cell->guest, now))
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
            !race_is_ordered(&crowd->guests[i], now))
            report(&crowd->guests[i], now, cell, address);
}

static inline void touch_cell(struct cell *cell, const struct touch *now, uintptr_t address)
{
    if (cell->write.block != 0 && unlikely(!race_is_ordered(&cell->write, now)))
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

static void free_crowd(struct cell *cell)
{
    struct crowd *crowd;

    if (cell->crowd == 0)
        return;
    crowd = &race.crowds[cell->crowd - 1];
    if (crowd->count > 0)
        crowd_clear(crowd);
    crowd->next = race.free_crowd;
    race.free_crowd = cell->crowd;
    cell->crowd = 0;
}

/* Gives a part of a cell that is split its own copy of the cell's crowd. */
static void copy_crowd(const struct cell *cell, struct cell *part)
{
    struct crowd *copy, own;

    part->crowd = 0;
    if (cell->crowd == 0 || race.crowds[cell->crowd - 1].count == 0)
        return;
    copy = crowd_of(part);
    if (copy == NULL)
        return;
    free(copy->guests);
    own = race.crowds[cell->crowd - 1];
    own.guests = malloc(own.capacity * sizeof *own.guests);
    if (own.guests == NULL) {
        race_out_of_memory();
        own = (struct crowd){0};
    } else {
        memcpy(own.guests, race.crowds[cell->crowd - 1].guests, own.capacity * sizeof *own.guests);
    }
    *copy = own;
}

/* Room for the parts of a cell, numbered from 0 on; SPLIT when memory runs out. */
static uint32_t new_split(void)
{
    uint32_t number = race.split_count;
    struct cell(*splits)[4];

    if (race.free_split != 0) {
        number = race.free_split - 1;
        race.free_split = race.splits[number][0].crowd;
        return number;
    }
    splits = memory_grown(race.splits, &race.split_capacity, number + 1, sizeof *splits);
    if (splits == NULL) {
        race_out_of_memory();
        return SPLIT;
    }
    race.splits = splits;
    return race.split_count++;
}

/* The cells of the bytes of a word, from now on; null when memory runs out. */
static struct cell *split_cell(struct cell *cell)
{
    uint32_t number;

    if (cell->crowd & SPLIT)
        return race.splits[cell->crowd & ~SPLIT];
    number = new_split();
    if (number == SPLIT)
        return NULL;
    for (int byte = 0; byte < 4; byte++) {
        race.splits[number][byte] = *cell;
        copy_crowd(cell, &race.splits[number][byte]);
    }
    free_crowd(cell);
    cell->crowd = SPLIT | number;
    return race.splits[number];
}

/* Lets go of what belongs to a cell. */
static void free_cell(struct cell *cell)
{
    uint32_t number = cell->crowd & ~SPLIT;

    if (!(cell->crowd & SPLIT)) {
        free_crowd(cell);
        return;
    }
    for (int byte = 0; byte < 4; byte++)
        free_crowd(&race.splits[number][byte]);
    race.splits[number][0].crowd = race.free_split;
    race.free_split = number + 1;
    cell->crowd = 0;
}

static void touch_bytes(struct cell *cell, const struct touch *now, uintptr_t first, uintptr_t last)
{
    struct cell *parts = split_cell(cell);

    for (uintptr_t byte = first; parts != NULL && byte <= last; byte++)
        touch_cell(&parts[byte % 4], now, byte);
}

void race_touch(uintptr_t address, size_t size, const struct touch *now)
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

struct touch race_touch_now(size_t size, unsigned int access, const void *place)
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
    struct touch now = race_touch_now(size, access, site);
    race_touch(address, size, &now);
}

/* Shared memory of a block that starts; false when there is no memory. */
bool race_clear_shared(struct team *team)
{
    if (host.shared_size == 0)
        return true;
    if (team->shared_cells == NULL) {
        team->shared_cells = calloc(host.shared_size / 4 + 2, sizeof *team->shared_cells);
        team->touched_low = SIZE_MAX;
        team->touched_high = 0;
    }
    if (team->shared_cells == NULL)
        return false;
    for (size_t k = team->touched_low; k < team->touched_high; k++) {
        struct cell *cell = &team->shared_cells[k];
        if (team->cells_job == race.job) /* else its crowd went with that job */
            free_cell(cell);
        memset(cell, 0, sizeof *cell);
    }
    team->cells_job = race.job;
    team->touched_low = SIZE_MAX;
    team->touched_high = 0;
    return true;
}

/* ---- A job ---- */

bool race_start(void)
{
    size_t wanted = (host.used / 4 + 1) * sizeof *race.cells;

    race_unsettled = false;
    race.job++;
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
    order_forget();
    race.used = 0;
    race.crowd_count = race.split_count = race.found_count = 0;
    race.free_crowd = race.free_split = 0;
}

void race_close(void)
{
    if (race.cells != NULL)
        munmap(race.cells, race.capacity);
    free(race.crowds);
    free(race.splits);
    order_close();
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
