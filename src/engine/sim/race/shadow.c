/* SPDX-License-Identifier: MIT
 *
 * Shadow memory. Each 32-bit word of a buffer and of shared memory has a cell. The cell holds the
 * last plain write, and its readers: reads and strong accesses since then that may be concurrent.
 *
 * An access is compared with those of its cell. It replaces the last access of its kind if it is
 * ordered after that one. This is sound: what is ordered after the new access is also ordered after
 * the old one (FastTrack, Flanagan and Freund, PLDI 2009). An access to part of a word splits its
 * cell into one for each byte.
 */
#include "shadow.h"

#include "access_order.h"
#include "array.h"
#include "expect.h"
#include "input_values.h"
#include "places.h"
#include "synchronization.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MAX_RACES = 64,  /* pairs of source locations; more than a job reports */
    MAX_SECOND = 16, /* words written by one access that others have also written */
    MIN_READERS = 8,
    MANY_READERS = 64, /* of one kind: those that are replaced are removed sooner */
    LONG_LIST = 256,   /* capacity from which on not all conflicts are counted */
    MAX_SITES = 8,
    GIVE_BACK = 64 << 20, /* above this size, a job's memory is returned to the system */
};

struct cell {
    struct access write;
    uint32_t before;      /* value of the word before that write */
    struct access reader; /* a read or strong access since; with a list, the last of it */
    uint32_t readers;     /* number of its list; 0: none; SPLIT and above: split into bytes */
};

#define SPLIT UINT32_C(0x80000000)

/* An instruction, and the kind of its accesses. */
struct site {
    uint32_t place;
    uint8_t kind;
};

/* The readers of a site, as a doubly linked list of 1 + their indices. */
struct site_group {
    struct site site;
    uint32_t first, count;
    uint32_t left; /* twice the number of this kind after the last readers_prune() */
};

struct link {
    uint32_t next, previous;
    uint32_t quiet; /* 1 + readers->changes when this read conflicted with none; 0: it did */
};

/* The readers of a cell that has several, as a hash table. */
struct readers {
    struct access *accesses;  /* each has a link, after them all */
    uint32_t count, capacity; /* capacity: a power of two */
    bool others;              /* it has readers other than atomics */
    bool writes;              /* it has volatile writes */
    bool narrow;              /* it has atomics that are not is_wide(), or of different sizes */
    uint8_t size;             /* of its atomics */
    uint8_t strong_size;      /* of all, if they are strong and is_wide(); VARIED: they are not */
    uint32_t changes;         /* how many writes and atomics it was given */
    uint8_t group_count;
    bool misses_groups; /* `groups` does not have all readers */
    struct site_group groups[MAX_SITES];
    uint32_t next; /* of a free list: 1 + the next free one */
};

enum { VARIED = UINT8_MAX };

static struct {
    struct cell *cells;
    size_t capacity, used; /* bytes */
    struct readers *lists;
    uint32_t list_count, list_capacity, free_list;
    struct cell (
        *splits)[4]; /* while one is free, `readers` of its first part is 1 + the next free one */
    uint32_t split_count, split_capacity, free_split;
    uint32_t job; /* number */
    struct race_pair found[MAX_RACES];
    uint32_t found_count;
    /* Words that second accesses are about to write, with their values before. */
    struct second {
        struct race_pair *found;
        uintptr_t address;
        uint32_t before;
    } second[MAX_SECOND];
    uint32_t second_count;
    uint64_t accesses;
    const struct happens_before *before_end; /* of the block that ends */
} cells;

bool race_unsettled;

/* ---- Races found ---- */

static uint32_t word_at(uintptr_t address)
{
    uint32_t word;

    if (address - order_memory->shared_base < order_memory->shared_size)
        address += race_shared_shift;
    else if (unlikely(order_memory->host != NULL))
        address = order_memory->host(address);
    memcpy(&word, (const void *)(address & ~(uintptr_t)3), sizeof word);
    return word;
}

/* Prepares a check of whether the second of two writes, which comes next, stores the value that is
 * already there. */
static void expect_second(struct race_pair *found, const struct access *was,
                          const struct access *now, uintptr_t address)
{
    bool both_write =
        (was->kind & now->kind & ACCESS_WRITE) != 0 && !((was->kind | now->kind) & ACCESS_ATOMIC);

    if (!both_write || cells.second_count == MAX_SECOND)
        found->same = false;
    if (!found->same)
        return;
    cells.second[cells.second_count++] = (struct second){found, address, word_at(address)};
    race_unsettled = true;
}

static bool is_at(const struct access *access, struct site site)
{
    return access->place == site.place && access->kind == site.kind;
}

static struct site site_of(const struct access *access)
{
    return (struct site){access->place, access->kind};
}

/* Returns whether `was` comes before `now` in the program, or (backward) after it. Two threads may
 * be in different iterations of a loop that contains both accesses. Otherwise, or in one iteration,
 * the order of the code decides. */
static bool is_backward(const struct access *was, const struct access *now)
{
    if (was->rounds != now->rounds && places_share_loop(source_place(source_base + was->place),
                                                        source_place(source_base + now->place)))
        return was->rounds > now->rounds;
    return was->place > now->place;
}

/* Returns the next race found between those sites, in any order, after `found` or (null) from the
 * first one on. Returns null if none is left. */
static struct race_pair *next_pair(struct site one, struct site other, struct race_pair *found)
{
    found = found != NULL ? found + 1 : cells.found;
    for (; found < cells.found + cells.found_count; found++)
        if ((is_at(&found->first, one) && is_at(&found->second, other)) ||
            (is_at(&found->first, other) && is_at(&found->second, one)))
            return found;
    return NULL;
}

/* Returns whether both accesses are in one line of the source, such as that of x[i]++. */
static bool is_one_line(const struct access *was, const struct access *now)
{
    const struct simt_place *a = source_place(source_base + was->place),
                            *b = source_place(source_base + now->place);

    return a == b || (a != NULL && b != NULL && a->site.line == b->site.line &&
                      strcmp(a->site.file, b->site.file) == 0);
}

/* Returns the race found between the sites of two accesses, or null. If they are in two lines, the
 * same one must come first in the program. */
static struct race_pair *find_pair(const struct access *was, const struct access *now)
{
    bool is_same = is_one_line(was, now);
    struct race_pair *found = next_pair(site_of(was), site_of(now), NULL);

    while (found != NULL && !is_same &&
           found->is_backward != (is_at(&found->first, site_of(was)) == is_backward(was, now)))
        found = next_pair(site_of(was), site_of(now), found);
    return found;
}

/* Returns whether the accesses are to the element that the job looks at. */
static bool is_focus(const struct access *now, uintptr_t address)
{
    const struct array_element *focus = order_memory->focus;
    struct array_element element;

    if (focus == NULL || focus->array[0] == '\0')
        return false;
    order_memory->name(address, source_place(source_base + now->place), &element);
    return element.unit == focus->unit && element.index == focus->index &&
           strcmp(element.array, focus->array) == 0;
}

/* Forgets the last pair of strong accesses, so that a race has room. For a race on the focus, that
 * is the last pair elsewhere. Returns false if there is none. */
static bool forget_pair(bool shares)
{
    struct race_pair *end = cells.found + cells.found_count, *found = end;
    uint32_t kept = 0;

    while (found > cells.found && !found[-1].strong && !(shares && !found[-1].shares))
        found--;
    if (found-- == cells.found)
        return false;
    memmove(found, found + 1, (size_t)(end - found - 1) * sizeof *found);
    cells.found_count--;
    for (uint32_t k = 0; k < cells.second_count; k++) {
        struct second second = cells.second[k];
        if (second.found == found)
            continue;
        second.found -= second.found > found;
        cells.second[kept++] = second;
    }
    cells.second_count = kept;
    return true;
}

/* Returns whether a cell has strong writes or atomics since its last plain write. */
static bool has_strong_writes(const struct cell *cell)
{
    const struct readers *readers = cell->readers != 0 ? &cells.lists[cell->readers - 1] : NULL;

    if (cell->reader.block == 0 || readers == NULL || readers->count == 0)
        return cell->reader.block != 0 && (cell->reader.kind & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;
    return readers->writes || readers->size != 0;
}

/* Returns whether nothing has written to the element since a write or read that the cell has. A
 * split word has the cells of its bytes beside each other. */
static bool is_value_kept(const struct cell *cell, const struct access *was, uintptr_t address)
{
    const struct simt_place *place = source_place(source_base + was->place);
    uintptr_t bytes = place != NULL && place->element > 0 ? place->element : 4;
    uintptr_t byte = address % 4, first = bytes < 4 ? byte / bytes * bytes : 0;
    bool is_part = cells.split_count > 0 && cell >= cells.splits[0] &&
                   cell < cells.splits[cells.split_count - 1] + 4;

    if (!(is_at(&cell->reader, site_of(was)) && cell->reader.block == was->block &&
          cell->reader.thread == was->thread) && /* it is not the last reader */
        has_strong_writes(cell))
        return false;
    for (uintptr_t k = first; is_part && k < first + bytes && k < 4; k++) {
        const struct cell *part = cell - byte + k;
        if (has_strong_writes(part) || memcmp(&part->write, &cell->write, sizeof part->write) != 0)
            return false;
    }
    return true;
}

/* Returns whether an access moves a value at the time at which it is recorded. An operation and a
 * cp.async, which has no type of numbers, move bytes later. */
static bool has_value(const struct access *access)
{
    const struct simt_place *place = source_place(source_base + access->place);

    return !is_operation(access) && (place == NULL || place->element > 0);
}

/* Notes the values that are certain. The word is read just before and after the second access. If
 * an access has a value, these are certain:
 * - The second access: what it reads or writes, and what it writes over.
 * - A first access that is a plain write: what it wrote over.
 * - A first access of this job that is not atomic: what it read or wrote, if nothing has written
 *   since.
 * Under weak memory, a word may have several last writes. Then only two values are certain: what
 * the second access reads, and the plain write that it reads. */
static void note_values(struct race_pair *found, const struct access *was, const struct cell *cell)
{
    bool is_weak = race_messages.is_on, is_plain = was == &cell->write,
         reads = !(found->second.kind & ACCESS_WRITE);

    found->second_before = found->after = word_at(found->address);
    found->second_known = has_value(&found->second) && (!is_weak || reads);
    found->before = cell->before;
    found->before_known = has_value(was) && is_plain && !is_weak;
    found->after_known = has_value(was) && !(was->kind & ACCESS_ATOMIC) &&
                         (!is_weak || (is_plain && reads && !race_messages.is_stale)) &&
                         was->block > order_kept_blocks && is_value_kept(cell, was, found->address);
}

static void report(const struct access *was, const struct access *now, const struct cell *cell,
                   uintptr_t address)
{
    bool strong = relation_of(was, now) == UNORDERED;
    struct race_pair *found = find_pair(was, now);
    bool shares = is_focus(now, address) || is_focus(was, address); /* elements by access size */
    bool unfenced = operation_lacks_fence(was, now);

    if (found != NULL) {
        found->count++;
        found->shares = found->shares || shares;
        found->strong = found->strong && strong;
        expect_second(found, was, now, address);
        if (unfenced || !found->unfenced)
            return;
    } else {
        if (cells.found_count == MAX_RACES && (strong || !forget_pair(shares))) {
            /* no room for it: none may pass as harmless */
            for (uint32_t i = 0; i < cells.found_count; i++)
                cells.found[i].same = false;
            return;
        }
        found = &cells.found[cells.found_count++];
        *found = (struct race_pair){.count = 1, .shares = shares, .strong = strong};
        found->same = !is_end(was) && !is_end(now);
        expect_second(found, was, now, address);
    }
    /* The pair that is shown: one that lacks more than a proxy fence, if there is one. */
    found->first = *was;
    found->second = *now;
    found->address = address;
    found->is_backward = is_backward(was, now);
    found->unfenced = unfenced;
    found->settled = false;
    order_memory->name(address, source_place(source_base + now->place), &found->element);
    note_values(found, was, cell);
    found->flag = flags_find(was, now, address);
    race_unsettled = true;
}

/* Second accesses are recorded before they are made. Nothing else has run since then. */
void race_settle(void)
{
    for (uint32_t k = 0; k < cells.second_count; k++)
        if (word_at(cells.second[k].address) != cells.second[k].before)
            cells.second[k].found->same = false;
    cells.second_count = 0;
    for (uint32_t i = 0; i < cells.found_count; i++) {
        struct race_pair *found = &cells.found[i];
        if (!found->settled)
            found->second_after = word_at(found->address);
        found->settled = true;
    }
    race_unsettled = false;
}

/* ---- Cells ---- */

static struct access *reader_place(const struct readers *readers, const struct access *reader)
{
    uint64_t hash = values_hash(reader->block, reader->thread) + (reader->kind & KIND);

    for (uint32_t i = (uint32_t)hash;; i++) {
        struct access *place = &readers->accesses[i & (readers->capacity - 1)];
        if (place->block == 0 || (place->block == reader->block &&
                                  place->thread == reader->thread && is_of_one_kind(place, reader)))
            return place;
    }
}

/* Returns true for a strong access that does not race with others of this sort and the same size.
 * All threads that use an mbarrier are in one cluster. */
static bool is_wide(const struct access *access)
{
    if ((access->kind & SIGNAL) == SIGNAL)
        return kind_scope(access->kind) >= SIMT_CLUSTER;
    return kind_scope(access->kind) >= SIMT_DEVICE && !(access->kind & ACCESS_ASYNC);
}

static struct link *links_of(const struct readers *readers)
{
    return (struct link *)(void *)(readers->accesses + readers->capacity);
}

static struct access *allocate_readers(uint32_t capacity)
{
    return calloc(capacity, sizeof(struct access) + sizeof(struct link));
}

/* Returns the group of a reader, which may be new. Returns null if there are too many sites. */
static struct site_group *group_of(struct readers *readers, const struct access *reader)
{
    for (uint32_t k = 0; k < readers->group_count; k++)
        if (is_at(reader, readers->groups[k].site))
            return &readers->groups[k];
    if (readers->group_count == MAX_SITES)
        return NULL;
    readers->groups[readers->group_count] = (struct site_group){.site = site_of(reader)};
    return &readers->groups[readers->group_count++];
}

static void group_add(struct readers *readers, const struct access *reader)
{
    struct site_group *group = group_of(readers, reader);
    struct link *links = links_of(readers);
    uint32_t index = (uint32_t)(reader - readers->accesses);

    if (group == NULL) {
        readers->misses_groups = true;
        return;
    }
    links[index] = (struct link){.next = group->first};
    if (group->first != 0)
        links[group->first - 1].previous = index + 1;
    group->first = index + 1;
    group->count++;
}

static void group_remove(struct readers *readers, const struct access *reader)
{
    struct site_group *group = group_of(readers, reader);
    struct link *links = links_of(readers), *link = &links[reader - readers->accesses];

    if (group == NULL)
        return;
    if (link->next != 0)
        links[link->next - 1].previous = link->previous;
    if (link->previous != 0)
        links[link->previous - 1].next = link->next;
    else
        group->first = link->next;
    group->count--;
}

static void note_strength(struct readers *readers, const struct access *reader)
{
    bool is_strong = (reader->kind & STRONG) && is_wide(reader);

    if (readers->strong_size == 0 && is_strong)
        readers->strong_size = reader->size;
    else if (!is_strong || readers->strong_size != reader->size)
        readers->strong_size = VARIED;
}

/* Returns the link of the reader. */
static struct link *readers_add(struct readers *readers, struct access *reader)
{
    struct access *place = reader_place(readers, reader);
    struct link *link = links_of(readers) + (place - readers->accesses);

    readers->count += place->block == 0;
    if (place->block != 0) {
        observe_too(reader, place);
        group_remove(readers, place);
    }
    *place = *reader;
    group_add(readers, place);
    note_strength(readers, place);
    readers->changes += (reader->kind & (ACCESS_WRITE | ACCESS_ATOMIC)) != 0;
    if (!(reader->kind & ACCESS_ATOMIC)) {
        readers->others = true;
        readers->writes = readers->writes || (reader->kind & ACCESS_WRITE);
        return link;
    }
    if (!is_wide(reader) || (readers->size != 0 && readers->size != reader->size))
        readers->narrow = true;
    readers->size = reader->size;
    return link;
}

static void readers_restart(struct readers *readers)
{
    readers->count = readers->strong_size = 0;
    for (uint32_t k = 0; k < readers->group_count; k++)
        readers->groups[k].count = readers->groups[k].first = 0;
}

static void readers_clear(struct readers *readers)
{
    readers_restart(readers);
    readers->group_count = 0;
    readers->misses_groups = false;
    readers->others = readers->writes = readers->narrow = false;
    readers->size = 0;
    memset(readers->accesses, 0, readers->capacity * sizeof *readers->accesses);
}

/* Returns true if `now` can stand for an earlier access: whatever is ordered after `now` is ordered
 * after that one, too. The steps of a warp order strong accesses only, so they do not count. */
static bool replaces(const struct race_block *block, const struct access *was,
                     const struct access *now)
{
    struct access weak = *now;

    weak.kind &= (uint8_t)~STRONG;
    return is_of_one_kind(was, now) && order_holds(block, was, &weak);
}

/* Removes the readers that `now` replaces, and makes room for one more. */
static bool readers_rebuild(const struct race_block *block, struct readers *readers,
                            struct access *now)
{
    struct access *old = readers->accesses;
    uint32_t capacity = readers->capacity, kept = 0;

    for (uint32_t i = 0; i < capacity; i++) {
        if (old[i].block != 0 && replaces(block, &old[i], now)) {
            observe_too(now, &old[i]);
            old[i].block = 0;
        }
        kept += old[i].block != 0;
    }
    readers->capacity = MIN_READERS;
    while (readers->capacity < 4 * (kept + 1))
        readers->capacity *= 2;
    readers->accesses = allocate_readers(readers->capacity);
    if (readers->accesses == NULL) {
        readers->accesses = old;
        readers->capacity = capacity;
        order_memory->out_of_memory();
        return false;
    }
    readers_restart(readers);
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i].block != 0)
            readers_add(readers, &old[i]);
    free(old);
    return true;
}

static bool readers_make_room(const struct race_block *block, struct readers *readers,
                              struct access *now)
{
    return 2 * (readers->count + 1) <= readers->capacity || readers_rebuild(block, readers, now);
}

static uint32_t count_of_kind(const struct readers *readers, const struct access *now)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < readers->group_count; k++)
        if (((readers->groups[k].site.kind ^ now->kind) & KIND) == 0)
            count += readers->groups[k].count;
    return count;
}

/* Removes the readers that `now` replaces if there may be many. */
static void readers_prune(const struct race_block *block, struct readers *readers,
                          struct access *now)
{
    struct site_group *group = group_of(readers, now);

    if (group != NULL && count_of_kind(readers, now) >= MANY_READERS + group->left &&
        readers_rebuild(block, readers, now))
        group->left = 2 * count_of_kind(readers, now);
}

/* Returns the readers of a cell, and creates them if necessary. Returns null if memory runs out. */
static struct readers *readers_of(struct cell *cell)
{
    struct readers *lists;

    if (cell->readers != 0)
        return &cells.lists[cell->readers - 1];
    if (cells.free_list != 0) {
        cell->readers = cells.free_list;
        cells.free_list = cells.lists[cell->readers - 1].next;
        return &cells.lists[cell->readers - 1];
    }
    lists = array_grown(cells.lists, &cells.list_capacity, cells.list_count + 1, sizeof *lists);
    if (lists == NULL) {
        order_memory->out_of_memory();
        return NULL;
    }
    cells.lists = lists;
    lists[cells.list_count] = (struct readers){0};
    cell->readers = ++cells.list_count;
    return &lists[cells.list_count - 1];
}

/* is_quiet: it is a read that conflicts with none. */
static void add_reader(const struct race_block *block, struct cell *cell,
                       const struct access *added, bool is_quiet)
{
    struct readers *readers = cell->readers != 0 ? &cells.lists[cell->readers - 1] : NULL;
    struct access last = *added, entry, *now = &entry;

    observe(&last, &cell->reader); /* has the last numbers, even after it is cleared */
    entry = last;
    if (race_messages.is_stale)
        entry.from = entry.to = 0; /* it does not observe the last writes */

    if (readers == NULL || readers->count == 0) {
        struct access *reader = &cell->reader;
        if (reader->block == 0 || (!race_messages.is_stale && replaces(block, reader, now))) {
            *reader = last;
            return;
        }
        readers = readers_of(cell);
        if (readers != NULL && readers_make_room(block, readers, now))
            readers_add(readers, reader);
        if (readers == NULL)
            return;
    }
    readers_prune(block, readers, now);
    if (readers_make_room(block, readers, now))
        readers_add(readers, now)->quiet = is_quiet ? readers->changes + 1 : 0;
    cell->reader = last;
}

/* Returns true if a strong read that comes before `now` has observed that write. */
static bool is_observed(const struct race_block *block, const struct readers *readers,
                        const struct access *was, const struct access *now,
                        struct observers *observers)
{
    struct access write = *now;

    if (relation_of(was, now) != RACING)
        return false;
    write.kind &= (uint8_t)~ACCESS_INVALIDATES; /* a match.any orders accesses of its lanes only */
    for (uint32_t i = 0; !observers->known && i < readers->capacity; i++)
        if (readers->accesses[i].block != 0 && order_holds(block, &readers->accesses[i], &write))
            observers_add(observers, &readers->accesses[i]);
    observers->known = true;
    return observers_have(observers, was);
}

static bool conflicts(const struct race_block *block, const struct readers *readers,
                      const struct access *reader, const struct access *now,
                      struct observers *observers)
{
    return relation_of(reader, now) != INDIFFERENT &&
           ((!order_holds(block, reader, now) &&
             !is_observed(block, readers, reader, now, observers)) ||
            cells_break_constancy(reader, now));
}

/* Returns true if no reader of the group conflicts with `now`, whatever its thread. */
static bool is_indifferent(const struct readers *readers, const struct site_group *group,
                           const struct access *now)
{
    if (group->site.kind & now->kind & ACCESS_ATOMIC)
        return !readers->narrow && readers->size == now->size && is_wide(now);
    return !((group->site.kind | now->kind) & (ACCESS_WRITE | ACCESS_ATOMIC));
}

/* Returns true if another conflict of those sites would only be counted. */
static bool is_settled(const struct readers *readers, const struct site_group *group,
                       const struct access *now)
{
    const struct race_pair *found = next_pair(group->site, site_of(now), NULL);
    bool all_strong = readers->strong_size == now->size && (now->kind & STRONG) && is_wide(now);

    return found != NULL && (all_strong || !(found->strong || found->same || found->unfenced));
}

/* Reports conflicts with the readers of a long list, but not all of them. Otherwise threads that
 * repeat a compare-and-swap until it succeeds would take quadratic time. */
static bool meet_groups(const struct race_block *block, const struct cell *cell,
                        const struct readers *readers, const struct access *now, uintptr_t address)
{
    const struct link *links = links_of(readers);
    struct observers observers;
    bool has_met = false;

    observers.count = 0;
    observers.known = false;
    for (uint32_t k = 0; k < readers->group_count; k++) {
        const struct site_group *group = &readers->groups[k];
        if (is_indifferent(readers, group, now))
            continue;
        if (is_settled(readers, group, now)) {
            has_met = true;
            continue;
        }
        for (uint32_t i = group->first; i != 0; i = links[i - 1].next) {
            const struct access *reader = &readers->accesses[i - 1];
            if (!conflicts(block, readers, reader, now, &observers))
                continue;
            report(reader, now, cell, address);
            has_met = true;
            if (is_settled(readers, group, now))
                break;
        }
    }
    return has_met;
}

/* Returns whether the access repeats a read of its thread that conflicted with none, and only reads
 * have come since. Theorem: then this one conflicts with none either. Proof: reads do not conflict
 * with reads. What came before the thread's earlier read comes before this one, too. */
static bool is_quiet(const struct readers *readers, const struct access *now)
{
    const struct access *last = reader_place(readers, now);

    return last->block != 0 && is_at(last, site_of(now)) &&
           links_of(readers)[last - readers->accesses].quiet == readers->changes + 1;
}

/* Returns whether there may be a conflict that a repeated read has to meet again. */
static bool meet_readers(const struct race_block *block, const struct cell *cell,
                         const struct access *now, uintptr_t address)
{
    const struct readers *readers = cell->readers != 0 ? &cells.lists[cell->readers - 1] : NULL;
    struct observers observers;
    bool has_met =
        (now->kind & (ACCESS_WRITE | ACCESS_ATOMIC)) || is_operation(now) || race_messages.is_on;

    if (readers == NULL || readers->count == 0) {
        if (relation_of(&cell->reader, now) != INDIFFERENT &&
            (!order_holds(block, &cell->reader, now) || cells_break_constancy(&cell->reader, now)))
            report(&cell->reader, now, cell, address);
        return true;
    }
    /* No reader can conflict if all of them are compatible with `now`. */
    if (now->kind & ACCESS_ATOMIC) {
        if (!readers->others && !readers->narrow && readers->size == now->size && is_wide(now))
            return has_met;
    } else if (!(now->kind & ACCESS_WRITE) && readers->size == 0 && !readers->writes) {
        return has_met;
    }
    if (!has_met && is_quiet(readers, now))
        return false;
    if (readers->capacity >= LONG_LIST && !readers->misses_groups)
        return meet_groups(block, cell, readers, now, address) || has_met;
    observers.count = 0;
    observers.known = false;
    for (uint32_t i = 0; i < readers->capacity; i++)
        if (readers->accesses[i].block != 0 &&
            conflicts(block, readers, &readers->accesses[i], now, &observers)) {
            report(&readers->accesses[i], now, cell, address);
            has_met = true;
        }
    return has_met;
}

static inline void enter_cell(const struct race_block *block, struct cell *cell,
                              const struct access *now, uintptr_t address)
{
    bool has_met = true;

    if (cell->write.block != 0 && (unlikely(!order_holds(block, &cell->write, now)) ||
                                   cells_break_constancy(&cell->write, now)))
        report(&cell->write, now, cell, address);
    if (cell->reader.block != 0 && ((now->kind & (ACCESS_WRITE | ACCESS_ATOMIC)) ||
                                    cell->readers != 0 || (cell->reader.kind & STRONG)))
        has_met = meet_readers(block, cell, now, address);
    if ((now->kind & (ACCESS_WRITE | ACCESS_VOLATILE)) == ACCESS_WRITE) {
        cell->write = *now;
        cell->before = word_at(address);
        cell->reader.block = 0;
        if (cell->readers != 0 && cells.lists[cell->readers - 1].count > 0)
            readers_clear(&cells.lists[cell->readers - 1]);
    } else {
        add_reader(block, cell, now, !has_met);
    }
}

static void free_readers(struct cell *cell)
{
    struct readers *readers;

    if (cell->readers == 0)
        return;
    readers = &cells.lists[cell->readers - 1];
    if (readers->count > 0)
        readers_clear(readers);
    readers->next = cells.free_list;
    cells.free_list = cell->readers;
    cell->readers = 0;
}

/* Gives a part of a split cell its own copy of the cell's readers. */
static void copy_readers(const struct cell *cell, struct cell *part)
{
    struct readers *copy, own;

    part->readers = 0;
    if (cell->readers == 0 || cells.lists[cell->readers - 1].count == 0)
        return;
    copy = readers_of(part);
    if (copy == NULL)
        return;
    free(copy->accesses);
    own = cells.lists[cell->readers - 1];
    own.accesses = allocate_readers(own.capacity);
    if (own.accesses == NULL) {
        order_memory->out_of_memory();
        own = (struct readers){0};
    } else {
        memcpy(own.accesses, cells.lists[cell->readers - 1].accesses,
               own.capacity * (sizeof(struct access) + sizeof(struct link)));
    }
    *copy = own;
}

/* Returns a number, from 0, of room for the parts of a cell. Returns SPLIT if memory runs out. */
static uint32_t new_split(void)
{
    uint32_t number = cells.split_count;
    struct cell(*splits)[4];

    if (cells.free_split != 0) {
        number = cells.free_split - 1;
        cells.free_split = cells.splits[number][0].readers;
        return number;
    }
    splits = array_grown(cells.splits, &cells.split_capacity, number + 1, sizeof *splits);
    if (splits == NULL) {
        order_memory->out_of_memory();
        return SPLIT;
    }
    cells.splits = splits;
    return cells.split_count++;
}

/* Splits a word's cell into cells of its bytes and returns them. Returns null if memory runs
 * out. */
static struct cell *split_cell(struct cell *cell)
{
    uint32_t number;

    if (cell->readers & SPLIT)
        return cells.splits[cell->readers & ~SPLIT];
    number = new_split();
    if (number == SPLIT)
        return NULL;
    for (int byte = 0; byte < 4; byte++) {
        cells.splits[number][byte] = *cell;
        copy_readers(cell, &cells.splits[number][byte]);
    }
    free_readers(cell);
    cell->readers = SPLIT | number;
    return cells.splits[number];
}

/* Frees what belongs to a cell. */
static void free_cell(struct cell *cell)
{
    uint32_t number = cell->readers & ~SPLIT;

    if (!(cell->readers & SPLIT)) {
        free_readers(cell);
        return;
    }
    for (int byte = 0; byte < 4; byte++)
        free_readers(&cells.splits[number][byte]);
    cells.splits[number][0].readers = cells.free_split;
    cells.free_split = number + 1;
    cell->readers = 0;
}

static void enter_bytes(const struct race_block *block, struct cell *cell, const struct access *now,
                        uintptr_t first, uintptr_t last)
{
    struct cell *parts = split_cell(cell);

    for (uintptr_t byte = first; parts != NULL && byte <= last; byte++)
        enter_cell(block, &parts[byte % 4], now, byte);
}

static struct access end_of(const struct race_block *block)
{
    return (struct access){.block = block->serial,
                           .epoch = block->epoch,
                           .place = (uint32_t)((const char *)block->last_place - source_base),
                           .thread = (uint16_t)block->last_exit,
                           .kind = END};
}

/* Notes an access by another block or an operation. */
static void visit(struct race_block *owner, uintptr_t address, const struct access *now)
{
    struct access end;

    owner->is_visited = true;
    if (!owner->has_ended)
        return;
    end = end_of(owner);
    report(&end, now, &(struct cell){.write.block = 0}, address);
}

/* Reports an access of another block or an operation to a cell of a block, if it does not come
 * before the block's end. */
static void end_access(const struct race_block *block, const struct cell *cell,
                       const struct access *was, uintptr_t address)
{
    struct access end;

    if (was->block == 0 || (was->block == block->serial && !is_operation(was)) ||
        order_is_among(cells.before_end, was, 0))
        return;
    end = end_of(block);
    report(was, &end, cell, address);
}

static void end_cell(const struct race_block *block, const struct cell *cell, uintptr_t address)
{
    const struct readers *readers =
        cell->readers != 0 && cell->reader.block != 0 ? &cells.lists[cell->readers - 1] : NULL;

    end_access(block, cell, &cell->write, address);
    end_access(block, cell, &cell->reader, address);
    for (uint32_t i = 0; readers != NULL && i < readers->capacity; i++)
        end_access(block, cell, &readers->accesses[i], address);
}

void cells_end_block(struct race_block *block)
{
    cells.before_end = order_before_end(block);
    for (size_t k = block->used_low; k < block->used_high; k++) {
        const struct cell *cell = &block->shared_cells[k];
        uintptr_t address = (order_memory->shared_base / 4 + k) * 4;
        if (!(cell->readers & SPLIT)) {
            end_cell(block, cell, address);
            continue;
        }
        for (uint32_t byte = 0; byte < 4; byte++)
            end_cell(block, &cells.splits[cell->readers & ~SPLIT][byte], address + byte);
    }
}

void cells_enter(struct race_block *block, uintptr_t address, size_t size, const struct access *now)
{
    uintptr_t base;
    struct cell *in;

    if (address - order_memory->global_base < order_memory->global_size) {
        base = order_memory->global_base;
        in = cells.cells;
    } else if (address - order_memory->shared_base < order_memory->shared_size) {
        struct race_block *owner = race_shared_owner;
        base = order_memory->shared_base;
        in = owner->shared_cells;
        size_t first = address / 4 - base / 4, last = (address + size - 1) / 4 - base / 4;
        if (first < owner->used_low)
            owner->used_low = first;
        if (last >= owner->used_high)
            owner->used_high = last + 1;
        if (unlikely(block != owner))
            visit(owner, address, now);
    } else {
        return;
    }
    cells.accesses++;
    for (uintptr_t at = address, end = address + size; at < end;) {
        struct cell *cell = &in[at / 4 - base / 4];
        uintptr_t next = (at / 4 + 1) * 4;
        if (likely(at % 4 == 0 && next <= end && !(cell->readers & SPLIT)))
            enter_cell(block, cell, now, at);
        else
            enter_bytes(block, cell, now, at, next < end ? next - 1 : end - 1);
        at = next;
    }
}

/* Returns true if there is no access, or it is the thread's own, or a barrier of the block orders
 * it before the thread's next one. */
static inline bool is_past(const struct race_block *block, const struct access *was,
                           uint32_t thread)
{
    return was->block == 0 ||
           (was->block == block->serial &&
            (was->thread == thread || (was->epoch < block->epoch && !block->exits)));
}

bool cells_enter_quickly(struct race_block *block, uint32_t thread, uintptr_t address,
                         unsigned int access, uint32_t place)
{
    struct cell *cell = &cells.cells[(address - order_memory->global_base) / 4];
    struct access *entry;
    unsigned int constant = access & ACCESS_CONSTANT ? access & ACCESS_TEXTURE : 0;

    if (address - order_memory->global_base >= order_memory->global_size || address % 4 != 0 ||
        cell->readers != 0 || !is_past(block, &cell->write, thread) ||
        !is_past(block, &cell->reader, thread) ||
        (cell->reader.block != 0 && (cell->reader.kind & KIND) != constant) ||
        (constant && cell->write.block != 0))
        return false;
    cells.accesses++;
    entry = access & ACCESS_WRITE ? &cell->write : &cell->reader;
    entry->block = block->serial;
    entry->epoch = block->epoch;
    entry->time = block->threads[thread].time;
    entry->place = place;
    entry->rounds = block->threads[thread].rounds;
    entry->thread = (uint16_t)thread;
    entry->kind = (uint8_t)access;
    entry->size = 4;
    if (access & ACCESS_WRITE) {
        cell->before = word_at(address);
        cell->reader.block = 0;
    }
    return true;
}

bool cells_start_block(struct race_block *block)
{
    if (order_memory->shared_size == 0)
        return true;
    if (block->shared_cells == NULL) {
        block->shared_cells =
            calloc(order_memory->shared_size / 4 + 2, sizeof *block->shared_cells);
        block->used_low = SIZE_MAX;
        block->used_high = 0;
    }
    if (block->shared_cells == NULL)
        return false;
    for (size_t k = block->used_low; k < block->used_high; k++) {
        struct cell *cell = &block->shared_cells[k];
        if (block->cells_job == cells.job) /* otherwise that job has freed its readers */
            free_cell(cell);
        memset(cell, 0, sizeof *cell);
    }
    block->cells_job = cells.job;
    block->used_low = SIZE_MAX;
    block->used_high = 0;
    return true;
}

void race_renew(uintptr_t address, size_t size)
{
    size_t first = (address - order_memory->global_base) / 4;

    for (size_t k = first; k < first + (size + 3) / 4; k++) {
        free_cell(&cells.cells[k]);
        memset(&cells.cells[k], 0, sizeof *cells.cells);
    }
}

/* The lists of readers stay until cells_forget(). */
void race_discard(uintptr_t address, size_t size)
{
    char *from = (char *)&cells.cells[(address - order_memory->global_base) / 4],
         *to = from + (size + 3) / 4 * sizeof *cells.cells, *end = (char *)cells.cells + cells.used;
    uintptr_t page = 4096, first = ((uintptr_t)from + page - 1) / page * page,
              last = (uintptr_t)(to = to < end ? to : end) / page * page;

    if (from >= to)
        return;
    if (first >= last) {
        memset(from, 0, (size_t)(to - from));
        return;
    }
    memset(from, 0, first - (uintptr_t)from);
    madvise((void *)first, last - first, MADV_DONTNEED);
    memset((void *)last, 0, (uintptr_t)to - last);
}

/* ---- A job ---- */

bool cells_start(size_t used)
{
    size_t wanted = (used / 4 + 1) * sizeof *cells.cells;

    race_unsettled = false;
    cells.job += !race_keeps();
    if (wanted > cells.capacity) {
        void *larger = cells.cells == NULL
                           ? mmap(NULL, wanted, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                           : mremap(cells.cells, cells.capacity, wanted, MREMAP_MAYMOVE);
        if (larger == MAP_FAILED)
            return false;
        cells.cells = larger;
        cells.capacity = wanted;
    }
    cells.used = wanted > cells.used ? wanted : cells.used;
    return true;
}

const struct race_pair *cells_found(size_t *count, uint64_t *accesses)
{
    *count = cells.found_count;
    *accesses = cells.accesses;
    return cells.found;
}

void cells_forget_found(void)
{
    cells.found_count = cells.second_count = 0;
    cells.accesses = 0;
}

void cells_forget(void)
{
    cells_forget_found();
    if (cells.used > GIVE_BACK)
        madvise(cells.cells, cells.used, MADV_DONTNEED);
    else if (cells.used > 0)
        memset(cells.cells, 0, cells.used);
    for (uint32_t i = 0; i < cells.list_count; i++)
        free(cells.lists[i].accesses);
    cells.used = 0;
    cells.list_count = cells.split_count = 0;
    cells.free_list = cells.free_split = 0;
}

void cells_close(void)
{
    if (cells.cells != NULL)
        munmap(cells.cells, cells.capacity);
    free(cells.lists);
    free(cells.splits);
    memset(&cells, 0, sizeof cells);
}
