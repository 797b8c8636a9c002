/* SPDX-License-Identifier: MIT */
#include "synchronization.h"

#include "array.h"
#include "flags.h"
#include "releases.h"

#include <stdlib.h>
#include <string.h>

enum { EVER = INT32_MAX }; /* greater than all other values */

static uint32_t block_capacity, block_count;

/* ---- Happens-before ---- */

void order_learn(struct race_block *block, struct race_thread *thread,
                 const struct happens_before *before)
{
    thread->before = happens_before_join(order_before(block, thread), before);
    block->informed = true;
}

/* Finds the latest accesses of each lane of a warp that come before the next ones of `lanes`. */
static void add_lane_times(const struct race_block *block, uint32_t warp, uint32_t lanes,
                           uint32_t most[SIMT_WARP_LANES])
{
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t *times = block->lane_times[warp][__builtin_ctz(left)];
        for (uint32_t k = 0; k < SIMT_WARP_LANES; k++)
            most[k] = times[k] > most[k] ? times[k] : most[k];
    }
}

const struct happens_before *order_all_before(struct race_block *block, uint32_t warp,
                                              uint32_t lanes)
{
    struct race_thread *threads = &block->threads[warp * SIMT_WARP_LANES];
    uint32_t count = 0, most[SIMT_WARP_LANES] = {0};
    struct fact facts[1 + SIMT_WARP_LANES];
    const struct happens_before *before = NULL;

    if (block->lane_times[warp] != NULL)
        add_lane_times(block, warp, lanes, most);
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        struct race_thread *thread = &threads[__builtin_ctz(left)];
        most[__builtin_ctz(left)] = thread->time;
        before = happens_before_join(before, order_before(block, thread));
        if (order_model == MODEL_INDEPENDENT)
            thread->time++;
    }
    for (uint32_t lane = 0; lane < SIMT_WARP_LANES; lane++) {
        uint64_t about = about_thread(block->serial, warp * SIMT_WARP_LANES + lane);
        if (most[lane] > happens_before_value(before, about)) /* else more is known already */
            facts[count++] = (struct fact){about, most[lane]};
    }
    if (block->epoch > 0)
        facts[count++] = (struct fact){about_block(block->serial), block->epoch};
    return happens_before_make(before, facts, count);
}

static const struct happens_before *all_before(struct race_block *block, uint32_t thread)
{
    return order_all_before(block, thread / SIMT_WARP_LANES,
                            UINT32_C(1) << thread % SIMT_WARP_LANES);
}

/* ---- Atomics and fences ---- */

/* Returns the widest scope of the three that counts for an access or fence of that scope. A block
 * without a cluster is alone in its own. Nobody else can access its shared memory. */
static enum simt_scope widest(const struct race_block *block, enum simt_scope scope, bool in_shared)
{
    if (block->cluster == 0 && (in_shared || scope == SIMT_CLUSTER))
        return SIMT_BLOCK;
    return scope < SIMT_DEVICE ? scope : SIMT_DEVICE;
}

/* Returns the next wider scope that differs for this block. */
static enum simt_scope wider(const struct race_block *block, enum simt_scope scope)
{
    return scope == SIMT_BLOCK && block->cluster != 0 ? SIMT_CLUSTER
           : scope < SIMT_DEVICE                      ? SIMT_DEVICE
                                                      : SIMT_SYSTEM;
}

/* A word at which each fence.sc releases what comes before it. */
#define FENCE_SC (UINT64_C(1) << 61)

/* Returns what comes before the thread's last fence, or before the fences of other threads ahead of
 * a barrier. */
static const struct happens_before *fenced_before(const struct race_block *block,
                                                  const struct race_thread *thread,
                                                  enum simt_scope scope)
{
    return thread->fenced[scope] != NULL ? thread->fenced[scope] : block->fenced[scope];
}

/* Acquires what was released at that word, and at no other word. This includes what the thread's
 * relaxed reads of that word just before it found (PTX ISA, acquire patterns). Their scope may be
 * wider, but that of the acquire, `most`, must include the thread that released. */
static void acquire(struct race_block *block, struct race_thread *thread, uint64_t word,
                    enum simt_scope most)
{
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope))
        if (thread->looked == word && thread->found[scope] != NULL)
            order_learn(block, thread, thread->found[scope]);
}

/* Records what a strong read of that size can acquire at that word. */
static void observe(struct race_block *block, struct race_thread *thread, uint64_t word,
                    size_t size, uint64_t message, enum simt_scope most)
{
    if (thread->looked != word || thread->looked_size != size)
        memset(thread->found, 0, sizeof thread->found);
    thread->looked = word;
    thread->looked_size = size;
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope)) {
        const struct happens_before *all =
            releases_found(message, size, release_to_scope(block, scope));
        thread->seen[scope] = happens_before_join(thread->seen[scope], all);
        thread->found[scope] = happens_before_join(thread->found[scope], all);
    }
}

/* Releases, at that word only, all that came before. This write and the thread's later ones to that
 * word publish it (PTX ISA, release patterns). */
static void release(struct race_block *block, uint32_t number, uint64_t word, size_t size,
                    enum simt_scope most)
{
    const struct happens_before *before = all_before(block, number);

    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope))
        releases_publish(word, size, release_to_itself(block, number, scope), before);
}

/* A strong write releases everything before its thread's last fence. A strong read finds what
 * others have released at that word, and the thread's next fence acquires it. These are a release
 * pattern and an acquire pattern of the PTX memory model, each with a fence of its own.
 *
 * A fence may also be in another thread, with a barrier between it and the access. The fences of
 * CUDA C++ are fence.sc, and any two that are morally strong are ordered (PTX ISA, Fence-SC order).
 * The fence after the read cannot precede the fence before the write. Otherwise the read would come
 * before the write whose value it reads. */
void order_strong(struct race_block *block, uint32_t number, uintptr_t address, size_t size,
                  unsigned int kind, enum simt_order given)
{
    struct race_thread *thread = &block->threads[number];
    enum simt_scope most = widest(block, kind_scope(kind),
                                  address - order_memory->shared_base < order_memory->shared_size);
    uint64_t word = release_word(address);
    uint64_t read = race_messages.is_on ? race_messages.read : word,
             written = race_messages.is_on ? race_messages.written : word;

    block->fences = true;
    if (kind & ACCESS_WRITE) {
        releases_overwrite(written);
    } else if ((given != SIMT_RELEASE || !(kind & ACCESS_VOLATILE)) &&
               !race_messages.is_reduction) { /* an arrival acquires nothing */
        observe(block, thread, word, size, read, most);
        if (given == SIMT_ACQUIRE || given == SIMT_ACQ_REL)
            acquire(block, thread, word, most);
    }
    if (!(kind & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return;
    if (given == SIMT_RELEASE || given == SIMT_ACQ_REL)
        release(block, number, word, size, most);
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope)) {
        uint64_t to = release_to_scope(block, scope);
        if ((kind & ACCESS_ATOMIC) && written != read)
            releases_publish(written, size, to, releases_found(read, size, to));
        releases_publish(written, size, to, fenced_before(block, thread, scope));
        releases_publish(written, size, to,
                         releases_found(word, size, release_to_itself(block, number, scope)));
    }
}

/* Acquires what the thread has found, and what others found before a barrier. */
static void take_seen(struct race_block *block, struct race_thread *thread, enum simt_scope scope)
{
    if (thread->seen[scope] != NULL)
        order_learn(block, thread, thread->seen[scope]);
    if (block->seen[scope] != NULL)
        order_learn(block, thread, block->seen[scope]);
    thread->seen[scope] = NULL;
}

void race_fence(struct race_block *block, uint32_t number, enum simt_scope given,
                enum simt_order order)
{
    struct race_thread *thread = &block->threads[number];
    enum simt_scope most = widest(block, given, false);
    const struct happens_before *before;

    block->fences = true;
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most && order != SIMT_RELEASE;
         scope = wider(block, scope))
        take_seen(block, thread, scope);
    if (order != SIMT_RELEASE)
        flags_fence(block);
    if (order == SIMT_ACQUIRE)
        return;
    before = all_before(block, number);
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope))
        thread->fenced[scope] = before;
}

void race_fence_sc(struct race_block *block, uint32_t number, enum simt_scope given)
{
    enum simt_scope most = widest(block, given, false);
    const struct happens_before *before;

    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope)) {
        before = releases_found(FENCE_SC, ANY_SIZE, release_to_scope(block, scope));
        if (before != NULL)
            order_learn(block, &block->threads[number], before);
    }
    race_fence(block, number, given, SIMT_ACQ_REL);
    before = all_before(block, number);
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope))
        releases_publish(FENCE_SC, ANY_SIZE, release_to_scope(block, scope), before);
}

/* fence.mbarrier_init: a release of cluster scope, but only of the thread's own initializations. */
static void fence_inits(struct race_block *block, uint32_t number)
{
    struct race_thread *thread = &block->threads[number];
    struct fact own = {about_thread(block->serial, number) | (uint64_t)COVERED_INIT << MARK_SHIFT,
                       thread->time};
    const struct happens_before *inits = happens_before_make(NULL, &own, 1);
    enum simt_scope most = widest(block, SIMT_CLUSTER, false);

    if (order_model == MODEL_INDEPENDENT)
        thread->time++;
    order_learn(block, thread, inits);
    block->fences = true;
    for (enum simt_scope scope = SIMT_BLOCK; scope <= most; scope = wider(block, scope))
        thread->fenced[scope] = happens_before_join(fenced_before(block, thread, scope), inits);
}

void race_proxy_fence(struct race_block *block, uint32_t number, unsigned int covered)
{
    const struct happens_before *before;

    if (covered & SIMT_COVERS_INIT)
        fence_inits(block, number);
    if (!(covered & (SIMT_COVERS_GLOBAL | SIMT_COVERS_SHARED)))
        return;
    before = all_before(block, number);
    if (covered & SIMT_COVERS_GLOBAL)
        before = happens_before_mark(before, COVERED_GLOBAL);
    if (covered & SIMT_COVERS_SHARED)
        before = happens_before_mark(before, COVERED_SHARED);
    order_learn(block, &block->threads[number], before);
}

/* ---- Warps and blocks ---- */

void race_arrive(struct race_block *block, uint32_t number, struct race_meeting *meeting)
{
    const struct race_thread *thread = &block->threads[number];

    meeting->before = happens_before_join(meeting->before, all_before(block, number));
    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++) {
        meeting->fenced[scope] = happens_before_join(
            meeting->fenced[scope], fenced_before(block, thread, (enum simt_scope)scope));
        meeting->seen[scope] = happens_before_join(meeting->seen[scope], thread->seen[scope]);
    }
}

void race_arrive_in_cluster(struct race_block *block, uint32_t number, struct race_meeting *meeting,
                            bool releases)
{
    enum simt_scope scope = widest(block, SIMT_CLUSTER, false);

    if (releases)
        race_arrive(block, number, meeting);
    else
        meeting->before = happens_before_join(meeting->before,
                                              fenced_before(block, &block->threads[number], scope));
}

void race_leave(struct race_block *block, uint32_t number, const struct race_meeting *meeting)
{
    struct race_thread *thread = &block->threads[number];

    order_learn(block, thread, meeting->before);
    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++) {
        thread->fenced[scope] = happens_before_join(
            fenced_before(block, thread, (enum simt_scope)scope), meeting->fenced[scope]);
        thread->seen[scope] = happens_before_join(thread->seen[scope], meeting->seen[scope]);
    }
}

/* Shares among lanes that have met what each has found, and everything before their fences. */
static void share_among_lanes(struct race_thread *threads, uint32_t lanes)
{
    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++) {
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

void race_match(struct race_block *block, uint32_t warp, uint32_t lanes)
{
    struct race_thread *threads = &block->threads[warp * SIMT_WARP_LANES];
    const struct happens_before *matched =
        happens_before_only_mark(order_all_before(block, warp, lanes), MATCHED);

    for (uint32_t left = lanes; left != 0; left &= left - 1)
        order_learn(block, &threads[__builtin_ctz(left)], matched);
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

void race_exit(struct race_block *block, uint32_t thread, const void *place)
{
    block->last_exit = thread;
    block->last_place = place;
    block->threads[thread].exit_epoch = block->epoch;
}

/* Shares the same among all threads at a barrier. The facts before a fence of this epoch include
 * those before earlier ones. */
static void share_in_block(struct race_block *block)
{
    for (int scope = SIMT_BLOCK; scope < RACE_SCOPES; scope++) {
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

/* At a barrier, tells all threads what lanes that are there know of lanes that have exited since
 * the barrier before: a __syncwarp() may have ordered accesses of those. */
static void share_exited(struct race_block *block)
{
    struct fact facts[SIMT_BLOCK_THREADS];
    size_t count = 0;

    for (uint32_t t = 0; t < block->thread_count; t++) {
        const uint32_t warp = t / SIMT_WARP_LANES, lane = t % SIMT_WARP_LANES;
        uint32_t most = 0;
        if (block->threads[t].exit_epoch != block->epoch || block->lane_times[warp] == NULL)
            continue;
        for (uint32_t other = t - lane;
             other < t - lane + SIMT_WARP_LANES && other < block->thread_count; other++) {
            uint32_t time = block->lane_times[warp][other % SIMT_WARP_LANES][lane];
            if (block->threads[other].exit_epoch == EVER && time > most)
                most = time;
        }
        if (most > 0)
            facts[count++] = (struct fact){about_thread(block->serial, t), most};
    }
    block->before = happens_before_make(block->before, facts, count);
    block->informed = block->informed || count > 0;
}

void race_barrier(struct race_block *block, bool exited)
{
    if (exited) {
        note_exits(block);
        share_exited(block);
    }
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
            block->exited = happens_before_join(block->exited, thread->before);
    }
    for (uint32_t t = 0; t < block->thread_count; t++)
        block->threads[t].before = NULL;
}

bool order_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                       uint32_t thread_count)
{
    struct block_record *records =
        array_grown(order_blocks, &block_capacity, block_count + 2, sizeof *records);

    block->grid = grid;
    block->informed = block->exits = block->fences = block->is_visited = false;
    block->has_met = block->has_ended = false;
    block->exited = NULL;
    memset(block->fenced, 0, sizeof block->fenced);
    memset(block->seen, 0, sizeof block->seen);
    if (records == NULL)
        return false;
    order_blocks = records;
    block->serial = ++block_count;
    order_blocks[block->serial] = (struct block_record){
        grid, *index, block->cluster != 0 ? block->cluster : UINT64_C(1) << 32 | block->serial,
        NULL, 0};
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

const struct happens_before *order_before_end(const struct race_block *block)
{
    const struct happens_before *before = happens_before_join(block->before, block->exited);

    for (uint32_t t = 0; t < block->thread_count; t++)
        before = happens_before_join(before, block->threads[t].before);
    return before;
}

void order_end_block(struct race_block *block)
{
    struct race_grid *grid = block->grid;

    if (!block->informed)
        return;
    grid->done = happens_before_join(grid->done, order_before_end(block));
}

void order_free_block(struct race_block *block)
{
    for (uint32_t w = 0; w < SIMT_BLOCK_THREADS / SIMT_WARP_LANES; w++)
        free(block->lane_times[w]);
}

/* ---- Grids ---- */

void race_launch(struct race_grid *child, const struct race_stream *stream,
                 struct race_block *block, uint32_t thread)
{
    child->before = all_before(block, thread);
    if (stream != NULL)
        child->before = happens_before_join(child->before, stream->last_done);
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

void race_complete(struct race_grid *grid, struct race_launcher *launcher,
                   struct race_stream *stream, struct race_grid *parent, struct race_grid *next)
{
    const struct happens_before *done = after(grid, EVER);

    if (grid->is_tail) {
        if (next != NULL)
            next->before = happens_before_join(happens_before_join(next->before, done),
                                               after(parent, next->tail_index + 1));
    } else {
        launcher->done = happens_before_join(launcher->done, done);
        if (stream != NULL)
            stream->last_done = done;
        if (stream != NULL && next != NULL)
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
    order_learn(block, &block->threads[thread], launcher->done);
}

/* ---- Grids of earlier jobs ---- */

/* What they did is in `done`. over: the same of those before all later grids. */
static struct {
    struct race_grid **grids;
    uint32_t count, capacity;
    const struct happens_before *over;
} kept;

bool (*race_comes_before)(uint32_t kept, uint32_t launch);

bool race_keeps(void)
{
    return kept.count > 0;
}

bool race_meets_kept(uint32_t launch)
{
    for (uint32_t k = 0; k < kept.count; k++)
        if (!race_comes_before(kept.grids[k]->name, launch))
            return true;
    return false;
}

/* What the last grids did mostly includes what the first ones did. */
void race_begin(struct race_grid *grid)
{
    grid->before = kept.over;
    for (uint32_t k = kept.count; k-- > 0;)
        if (happens_before_value(grid->before, about_grid(kept.grids[k])) == 0 &&
            race_comes_before(kept.grids[k]->name, grid->launch))
            grid->before = happens_before_join(grid->before, kept.grids[k]->done);
}

void race_retire(struct race_grid *grid, uint32_t name)
{
    struct race_grid **grown;

    grid->done = after(grid, EVER);
    grown =
        name != 0 ? array_grown(kept.grids, &kept.capacity, kept.count + 1, sizeof *grown) : NULL;
    if (name != 0 && grown == NULL)
        order_memory->out_of_memory();
    if (grown == NULL) {
        kept.over = happens_before_join(kept.over, grid->done);
        return;
    }
    kept.grids = grown;
    grown[kept.count++] = grid;
    grid->name = name;
}

void order_review(void)
{
    uint32_t left = 0;

    for (uint32_t k = 0; k < kept.count; k++)
        if (race_comes_before(kept.grids[k]->name, RACE_LATER))
            kept.over = happens_before_join(kept.over, kept.grids[k]->done);
        else
            (kept.grids[left++] = kept.grids[k])->launch = kept.grids[k]->name;
    kept.count = left;
}

bool race_is_full(void)
{
    enum { MAX_BLOCKS = 4 << 20 };

    return happens_before_bytes() > happens_before_most / 2 || block_count > MAX_BLOCKS;
}

/* ---- A job ---- */

void order_start(void)
{
    order_kept_blocks = block_count;
}

void order_forget(void)
{
    kept.count = 0;
    kept.over = NULL;
    for (uint32_t i = 1; i <= block_count; i++)
        free(order_blocks[i].exits);
    block_count = 0;
    releases_forget();
    flags_forget();
    happens_before_forget();
}

void order_close(void)
{
    free(order_blocks);
    free(kept.grids);
    order_blocks = NULL;
    kept.grids = NULL;
    block_capacity = kept.capacity = 0;
    releases_close();
    happens_before_close();
}
