/* SPDX-License-Identifier: MIT */
#include "synchronization.h"

#include "array.h"
#include "input_values.h"

#include <stdlib.h>
#include <string.h>

/* The subject of a fact, and the meaning of its value. A thread's fact covers its accesses up to
 * that time. A block's fact covers what it did before that many barriers. A grid's fact covers all
 * that it and its child grids did, except tail launches from that number on. */
enum { ABOUT_THREAD, ABOUT_BLOCK, ABOUT_GRID };

enum { EVER = INT32_MAX }; /* greater than all other values */

/* What has been released at a word: by the strong write whose value it holds, and by atomic
 * accesses since. There is one record for each block, and one for device scope. Each thread also
 * has a record of what it released at that word by release operations. */
struct release {
    uintptr_t address; /* 0: free */
    uint64_t to;       /* a block's serial number; 0: device; or to_itself() */
    uint32_t writes;   /* the owner's count at that time; differs after an overwrite */
    const struct happens_before *before;
};

#define TO_ITSELF (UINT64_C(1) << 63) /* readable at block scope, or also at device scope */
#define TO_ITS_DEVICE (UINT64_C(1) << 62)

static struct {
    struct release *releases;
    uint32_t release_count, release_capacity, block_capacity;
} order;

struct block_record *order_blocks;
static uint32_t block_count;

enum model order_model;
const struct race_memory *order_memory;

/* ---- Happens-before ---- */

static uint64_t about_thread(uint32_t block, uint32_t thread)
{
    return (uint64_t)ABOUT_THREAD << 62 | (uint64_t)block << 10 | thread;
}

static uint64_t about_block(uint32_t block)
{
    return (uint64_t)ABOUT_BLOCK << 62 | block;
}

static uint64_t about_grid(const struct race_grid *grid)
{
    return (uint64_t)ABOUT_GRID << 62 | grid->serial;
}

static const struct happens_before *before_of(const struct race_block *block,
                                              const struct race_thread *thread)
{
    return thread->before != NULL ? thread->before : block->before;
}

static void add_before(struct race_block *block, struct race_thread *thread,
                       const struct happens_before *before)
{
    thread->before = happens_before_join(before_of(block, thread), before);
    block->informed = true;
}

/* Returns all that comes before the thread's next access, including its own accesses. */
static const struct happens_before *all_before(struct race_block *block, uint32_t number)
{
    enum { MOST = 2 + SIMT_WARP_LANES };
    struct race_thread *thread = &block->threads[number];
    uint32_t warp = number / SIMT_WARP_LANES, own = number % SIMT_WARP_LANES, count = 0;
    struct fact facts[MOST];

    facts[count++] = (struct fact){about_thread(block->serial, number), thread->time};
    if (block->epoch > 0)
        facts[count++] = (struct fact){about_block(block->serial), block->epoch};
    if (block->lane_times[warp] != NULL)
        for (uint32_t lane = 0; lane < SIMT_WARP_LANES; lane++) {
            uint32_t time = block->lane_times[warp][own][lane];
            if (time > 0 && lane != own)
                facts[count++] =
                    (struct fact){about_thread(block->serial, warp * SIMT_WARP_LANES + lane), time};
        }
    if (order_model == MODEL_INDEPENDENT)
        thread->time++;
    return happens_before_make(before_of(block, thread), facts, count);
}

static bool is_grid_complete(const struct happens_before *before, const struct race_grid *grid)
{
    uint32_t beyond = 0; /* tail launches that must be complete */

    for (; grid != NULL; grid = grid->parent) {
        if (happens_before_value(before, about_grid(grid)) > beyond)
            return true;
        beyond = grid->is_tail ? grid->tail_index + 1 : 0;
    }
    return false;
}

/* Returns true if the thread of that access had exited by the next barrier. A barrier orders only
 * the accesses of threads that have not exited. */
static bool left_before_barrier(const struct access *was)
{
    const uint32_t *exits = order_blocks[was->block].exits;
    return exits != NULL && exits[was->thread] == was->epoch;
}

/* Returns true if that access is ordered before the current thread's next one. Its caller,
 * order_holds(), has already checked program order and, if no thread has exited, the barriers of
 * the block. */
bool order_is_known(const struct race_block *block, const struct access *was,
                    const struct access *now)
{
    const struct happens_before *before = before_of(block, &block->threads[now->thread]);
    uint32_t warp = now->thread / SIMT_WARP_LANES, until;

    if (was->block == now->block) {
        if (was->epoch < now->epoch && !left_before_barrier(was))
            return true;
        if (was->thread / SIMT_WARP_LANES == warp) {
            if (order_model == MODEL_LOCKSTEP && was->time != now->time &&
                (was->kind & (ACCESS_VOLATILE | ACCESS_ATOMIC)) &&
                (now->kind & (ACCESS_VOLATILE | ACCESS_ATOMIC)))
                return true;
            if (block->lane_times[warp] != NULL &&
                was->time <= block->lane_times[warp][now->thread % SIMT_WARP_LANES]
                                              [was->thread % SIMT_WARP_LANES])
                return true;
        }
    }
    if (before == NULL)
        return false;
    if (was->time <= happens_before_value(before, about_thread(was->block, was->thread)))
        return true;
    until = happens_before_value(before, about_block(was->block));
    if (was->epoch < until && !left_before_barrier(was))
        return true;
    return is_grid_complete(before, order_blocks[was->block].grid);
}

/* ---- Atomics and fences ---- */

static struct release *release_place(struct release *table, uint32_t capacity, uintptr_t address,
                                     uint64_t to)
{
    for (uint32_t i = (uint32_t)values_hash(address, to ^ to >> 32);; i++) {
        struct release *place = &table[i & (capacity - 1)];
        if (place->address == 0 || (place->address == address && place->to == to))
            return place;
    }
}

/* Makes room for `more` records. Returns false if memory runs out. */
static bool release_make_room(uint32_t more)
{
    uint32_t capacity = order.release_capacity == 0 ? 64 : 2 * order.release_capacity;
    struct release *table;

    if (2 * (order.release_count + more) <= order.release_capacity)
        return true;
    table = calloc(capacity, sizeof *table);
    if (table == NULL) {
        order_memory->out_of_memory();
        return false;
    }
    for (uint32_t i = 0; i < order.release_capacity; i++)
        if (order.releases[i].address != 0)
            *release_place(table, capacity, order.releases[i].address, order.releases[i].to) =
                order.releases[i];
    free(order.releases);
    order.releases = table;
    order.release_capacity = capacity;
    return true;
}

static bool is_in_shared(uintptr_t address)
{
    return address - order_memory->shared_base < order_memory->shared_size;
}

/* Returns the record that counts how often a word was overwritten, or a free record. Shared memory
 * has the same addresses in every block, so its records belong to a block. */
static struct release *owner_of(uintptr_t address, uint32_t block)
{
    return release_place(order.releases, order.release_capacity, address,
                         is_in_shared(address) ? block : 0);
}

static uint64_t to_itself(const struct race_block *block, uint32_t thread, bool device)
{
    return TO_ITSELF | (device ? TO_ITS_DEVICE : 0) | (uint64_t)block->serial << 10 | thread;
}

static void publish(uintptr_t address, uint32_t block, uint64_t to,
                    const struct happens_before *before)
{
    struct release *place, *owner;

    if (before == NULL || !release_make_room(2))
        return;
    owner = owner_of(address, block);
    order.release_count += owner->address == 0;
    owner->address = address;
    owner->to = is_in_shared(address) ? block : 0;
    place = release_place(order.releases, order.release_capacity, address, to);
    order.release_count += place->address == 0;
    if (place->writes != owner->writes && !(to & TO_ITSELF))
        place->before = NULL;
    *place =
        (struct release){address, to, owner->writes, happens_before_join(place->before, before)};
}

static const struct happens_before *handed_on(uintptr_t address, uint32_t block, uint64_t to)
{
    const struct release *place;

    if (order.release_capacity == 0)
        return NULL;
    place = release_place(order.releases, order.release_capacity, address, to);
    return (to & TO_ITSELF) || place->writes == owner_of(address, block)->writes ? place->before
                                                                                 : NULL;
}

/* Counts a plain store, which ends the release sequence. A reader synchronizes with the last
 * writer, and with earlier ones only through a chain of read-modify-writes (PTX ISA, observation
 * order). */
static void overwrite(uintptr_t address, uint32_t block)
{
    struct release *owner;

    if (order.release_capacity == 0)
        return;
    owner = owner_of(address, block);
    if (owner->address == 0)
        return;
    owner->writes++;
    owner->before = NULL;
}

/* Returns what comes before the thread's last fence, or before the fences of other threads ahead of
 * a barrier. */
static const struct happens_before *fenced_before(const struct race_block *block,
                                                  const struct race_thread *thread,
                                                  enum simt_scope scope)
{
    return thread->fenced[scope] != NULL ? thread->fenced[scope] : block->fenced[scope];
}

/* Acquires what was released at that word, and at no other word. This includes what the thread's
 * relaxed reads of that word just before it found (PTX ISA, acquire patterns). */
static void acquire(struct race_block *block, struct race_thread *thread, uintptr_t address)
{
    for (int scope = SIMT_BLOCK; scope <= SIMT_DEVICE; scope++)
        if (thread->looked == address && thread->found[scope] != NULL)
            add_before(block, thread, thread->found[scope]);
}

/* Records what a strong read can acquire at that word. */
static void observe(struct race_block *block, struct race_thread *thread, uintptr_t address,
                    bool device)
{
    if (thread->looked != address)
        thread->found[SIMT_BLOCK] = thread->found[SIMT_DEVICE] = NULL;
    thread->looked = address;
    for (int scope = SIMT_BLOCK; scope <= (device ? SIMT_DEVICE : SIMT_BLOCK); scope++) {
        const struct happens_before *all =
            handed_on(address, block->serial, scope == SIMT_BLOCK ? block->serial : 0);
        thread->seen[scope] = happens_before_join(thread->seen[scope], all);
        thread->found[scope] = happens_before_join(thread->found[scope], all);
    }
}

/* Releases, at that word only, all that came before. This write and the thread's later ones to that
 * word publish it (PTX ISA, release patterns). */
static void release(struct race_block *block, uint32_t number, uintptr_t address, bool device)
{
    const struct happens_before *before = all_before(block, number);

    publish(address, block->serial, to_itself(block, number, false), before);
    if (device)
        publish(address, block->serial, to_itself(block, number, true), before);
}

/* A strong write releases everything before its thread's last fence. A strong read finds what
 * others have released at that word, and the thread's next fence acquires it. These are a release
 * pattern and an acquire pattern of the PTX memory model, each with a fence of its own.
 *
 * A fence may also be in another thread, with a barrier between it and the access. The fences of
 * CUDA C++ are fence.sc, and any two that are morally strong are ordered (PTX ISA, Fence-SC order).
 * The fence after the read cannot precede the fence before the write. Otherwise the read would come
 * before the write whose value it reads. */
void order_strong(struct race_block *block, uint32_t number, uintptr_t address, unsigned int kind,
                  enum simt_order given)
{
    struct race_thread *thread = &block->threads[number];
    bool device = !is_in_shared(address) && kind >> SCOPE_SHIFT != SIMT_BLOCK;

    block->fences = true;
    if (kind & ACCESS_WRITE) {
        overwrite(address, block->serial);
    } else {
        observe(block, thread, address, device);
        if (given == SIMT_ACQUIRE || given == SIMT_ACQ_REL)
            acquire(block, thread, address);
    }
    if (!(kind & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return;
    if (given == SIMT_RELEASE || given == SIMT_ACQ_REL)
        release(block, number, address, device);
    for (int scope = SIMT_BLOCK; scope <= (device ? SIMT_DEVICE : SIMT_BLOCK); scope++) {
        uint32_t to = scope == SIMT_BLOCK ? block->serial : 0;
        publish(address, block->serial, to, fenced_before(block, thread, (enum simt_scope)scope));
        publish(address, block->serial, to,
                handed_on(address, block->serial, to_itself(block, number, scope == SIMT_DEVICE)));
    }
}

/* Acquires what the thread has found, and what others found before a barrier. */
static void take_seen(struct race_block *block, struct race_thread *thread, enum simt_scope scope)
{
    if (thread->seen[scope] != NULL)
        add_before(block, thread, thread->seen[scope]);
    if (block->seen[scope] != NULL)
        add_before(block, thread, block->seen[scope]);
    thread->seen[scope] = NULL;
}

void race_fence(struct race_block *block, uint32_t number, enum simt_scope scope)
{
    struct race_thread *thread = &block->threads[number];

    block->fences = true;
    take_seen(block, thread, SIMT_BLOCK);
    if (scope != SIMT_BLOCK)
        take_seen(block, thread, SIMT_DEVICE);
    thread->fenced[SIMT_BLOCK] = all_before(block, number);
    if (scope != SIMT_BLOCK)
        thread->fenced[SIMT_DEVICE] = thread->fenced[SIMT_BLOCK];
}

/* ---- Warps and blocks ---- */

void race_arrive(struct race_block *block, uint32_t number, struct race_meeting *meeting)
{
    const struct race_thread *thread = &block->threads[number];

    meeting->before = happens_before_join(meeting->before, all_before(block, number));
    for (int scope = SIMT_BLOCK; scope <= SIMT_DEVICE; scope++) {
        meeting->fenced[scope] = happens_before_join(
            meeting->fenced[scope], fenced_before(block, thread, (enum simt_scope)scope));
        meeting->seen[scope] = happens_before_join(meeting->seen[scope], thread->seen[scope]);
    }
}

void race_leave(struct race_block *block, uint32_t number, const struct race_meeting *meeting)
{
    struct race_thread *thread = &block->threads[number];

    add_before(block, thread, meeting->before);
    for (int scope = SIMT_BLOCK; scope <= SIMT_DEVICE; scope++) {
        thread->fenced[scope] = happens_before_join(
            fenced_before(block, thread, (enum simt_scope)scope), meeting->fenced[scope]);
        thread->seen[scope] = happens_before_join(thread->seen[scope], meeting->seen[scope]);
    }
}

/* Shares among lanes that have met what each has found, and everything before their fences. */
static void share_among_lanes(struct race_thread *threads, uint32_t lanes)
{
    for (int scope = SIMT_BLOCK; scope <= SIMT_DEVICE; scope++) {
        const struct happens_before *fenced = NULL, *seen = NULL;
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            const struct race_thread *thread = &threads[__builtin_ctz(left)];
            fenced = happens_before_join(fenced, thread->fenced[scope]);
            seen = happens_before_join(seen, thread->seen[scope]);
        }
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            struct race_thread *thread = &threads[__builtin_ctz(left)];
            thread->fenced[scope] = fenced;
            thread->seen[scope] = seen;
        }
    }
}

void race_sync_warp(struct race_block *block, uint32_t warp, uint32_t lanes)
{
    struct race_thread *threads = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t(*times)[SIMT_WARP_LANES] = block->lane_times[warp], most[SIMT_WARP_LANES] = {0};
    const struct happens_before *before = NULL;
    bool informed = false;

    if (times == NULL)
        times = block->lane_times[warp] = calloc(SIMT_WARP_LANES, sizeof *times);
    if (times == NULL) {
        order_memory->out_of_memory();
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint32_t k = 0; k < SIMT_WARP_LANES; k++)
            most[k] = times[lane][k] > most[k] ? times[lane][k] : most[k];
        if (threads[lane].before != NULL) {
            before =
                informed ? happens_before_join(before, threads[lane].before) : threads[lane].before;
            informed = true;
        }
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        most[lane] = threads[lane].time;
        if (order_model == MODEL_INDEPENDENT)
            threads[lane].time++;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        memcpy(times[lane], most, sizeof most);
        if (informed)
            threads[lane].before = before;
    }
    if (block->fences)
        share_among_lanes(threads, lanes);
}

/* Records which threads have exited since the barrier before. */
static void note_exits(struct race_block *block)
{
    struct block_record *record = &order_blocks[block->serial];

    if (record->exits == NULL)
        record->exits = malloc(block->thread_count * sizeof *record->exits);
    if (record->exits == NULL) {
        order_memory->out_of_memory();
        return;
    }
    for (uint32_t t = 0; t < block->thread_count; t++)
        record->exits[t] = block->threads[t].exit_epoch;
    block->exits = true;
}

void race_exit(struct race_block *block, uint32_t thread)
{
    block->threads[thread].exit_epoch = block->epoch;
}

/* Shares the same among all threads at a barrier. The facts before a fence of this epoch include
 * those before earlier ones. */
static void share_in_block(struct race_block *block)
{
    for (int scope = SIMT_BLOCK; scope <= SIMT_DEVICE; scope++) {
        const struct happens_before *fenced = NULL;
        for (uint32_t t = 0; t < block->thread_count; t++) {
            struct race_thread *thread = &block->threads[t];
            if (thread->exit_epoch == EVER) {
                fenced = happens_before_join(fenced, thread->fenced[scope]);
                block->seen[scope] = happens_before_join(block->seen[scope], thread->seen[scope]);
            }
            thread->fenced[scope] = thread->seen[scope] = NULL;
        }
        if (fenced != NULL)
            block->fenced[scope] = fenced;
    }
    block->fences = false;
}

void race_barrier(struct race_block *block, bool exited)
{
    if (exited)
        note_exits(block);
    block->epoch++;
    if (block->fences)
        share_in_block(block);
    if (!block->informed)
        return;
    for (uint32_t t = 0; t < block->thread_count; t++) {
        const struct race_thread *thread = &block->threads[t];
        if (thread->exit_epoch == EVER)
            block->before = happens_before_join(block->before, thread->before);
        else
            block->grid->done = happens_before_join(block->grid->done, thread->before);
    }
    for (uint32_t t = 0; t < block->thread_count; t++)
        block->threads[t].before = NULL;
}

bool order_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                       uint32_t thread_count)
{
    struct block_record *records =
        array_grown(order_blocks, &order.block_capacity, block_count + 2, sizeof *records);

    block->grid = grid;
    block->informed = block->exits = block->fences = false;
    memset(block->fenced, 0, sizeof block->fenced);
    memset(block->seen, 0, sizeof block->seen);
    if (records == NULL)
        return false;
    order_blocks = records;
    block->serial = ++block_count;
    order_blocks[block->serial] = (struct block_record){grid, *index, NULL};
    block->thread_count = thread_count;
    block->epoch = 0;
    block->before = grid->before;
    for (uint32_t t = 0; t < thread_count; t++)
        block->threads[t] = (struct race_thread){.time = 1, .exit_epoch = EVER};
    for (uint32_t w = 0; w < SIMT_BLOCK_THREADS / SIMT_WARP_LANES; w++)
        if (block->lane_times[w] != NULL)
            memset(block->lane_times[w], 0, SIMT_WARP_LANES * sizeof *block->lane_times[w]);
    return true;
}

void race_end_block(struct race_block *block)
{
    struct race_grid *grid = block->grid;

    if (!block->informed)
        return;
    grid->done = happens_before_join(grid->done, block->before);
    for (uint32_t t = 0; t < block->thread_count; t++)
        grid->done = happens_before_join(grid->done, block->threads[t].before);
}

void order_free_block(struct race_block *block)
{
    for (uint32_t w = 0; w < SIMT_BLOCK_THREADS / SIMT_WARP_LANES; w++)
        free(block->lane_times[w]);
}

/* ---- Grids ---- */

void race_launch(struct race_grid *child, const struct race_launcher *launcher,
                 struct race_block *block, uint32_t thread, enum simt_stream stream)
{
    child->before = all_before(block, thread);
    if (stream == SIMT_STREAM_NULL)
        child->before = happens_before_join(child->before, launcher->last_done);
    child->parent_block = block->serial;
    child->parent_thread = thread;
}

/* Returns all that a grid did, and everything before it. */
static const struct happens_before *after(const struct race_grid *grid, uint32_t tails)
{
    struct fact complete = {about_grid(grid), tails};
    return happens_before_join(
        happens_before_join(happens_before_make(NULL, &complete, 1), grid->before), grid->done);
}

void race_first_tail(struct race_grid *tail)
{
    tail->before = happens_before_join(tail->before, after(tail->parent, tail->tail_index + 1));
}

void race_complete(struct race_grid *grid, struct race_launcher *launcher, enum simt_stream stream,
                   struct race_grid *parent, struct race_grid *next)
{
    const struct happens_before *done = after(grid, EVER);

    if (stream == SIMT_STREAM_TAIL) {
        if (next != NULL)
            next->before = happens_before_join(happens_before_join(next->before, done),
                                               after(parent, next->tail_index + 1));
    } else {
        launcher->done = happens_before_join(launcher->done, done);
        if (stream == SIMT_STREAM_NULL)
            launcher->last_done = done;
        if (stream == SIMT_STREAM_NULL && next != NULL)
            next->before = happens_before_join(next->before, done);
    }
    parent->done = happens_before_join(parent->done, grid->done);
}

void race_follow(const struct race_grid *grid, struct race_grid *next)
{
    next->before = happens_before_join(next->before, after(grid, EVER));
}

void race_wait(struct race_block *block, uint32_t thread, const struct race_launcher *launcher)
{
    add_before(block, &block->threads[thread], launcher->done);
}

/* ---- A job ---- */

void order_forget(void)
{
    for (uint32_t i = 1; i <= block_count; i++)
        free(order_blocks[i].exits);
    block_count = 0;
    if (order.release_capacity > 0)
        memset(order.releases, 0, order.release_capacity * sizeof *order.releases);
    order.release_count = 0;
    happens_before_forget();
}

void order_close(void)
{
    free(order_blocks);
    order_blocks = NULL;
    free(order.releases);
    memset(&order, 0, sizeof order);
    happens_before_close();
}
