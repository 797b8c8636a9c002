/* SPDX-License-Identifier: MIT
 *
 * Detects threads that bypass a barrier at which others wait.
 *
 * For each thread, this file keeps the branches that it has reached since the last barrier of the
 * whole block, if they decide about a barrier (decode_paths.c). Where the paths from a branch meet
 * again, the thread has passed the branch, and the path between no longer matters.
 *
 * Two threads differ if one has passed a branch, and the other is still on a path from it. If the
 * other waits at a barrier there, and the first has acted after the branch, the first has bypassed
 * the barrier. This result does not depend on the schedule.
 *
 * The paths of a block's threads form a tree, so that most of them are shared.
 */
#include "paths.h"

#include "faults.h"

#include "source_path.h"

#include <stdlib.h>
#include <string.h>

/* A node below `parent`. Lower numbers are nearer to the root, which is number 0. */
struct path {
    uint8_t what;     /* enum path_step */
    bool has_joined;  /* this step or one above it is a STEP_JOIN */
    const void *code; /* the function */
    uint32_t point;   /* of the branch, or of the place where its paths meet */
    uint32_t join;    /* of a branch: the place where its paths meet */
    uint32_t depth;   /* depth of the call */
    uint32_t opened;  /* the first branch, from here upwards, whose paths have not met; 0: none */
    uint32_t left;    /* 1 + the lowest thread that was here when the paths met; 0: none */
    uint32_t waiting; /* 1 + the lowest thread that waits at a barrier from here down; 0: none */
    uint32_t parent, child, sibling;
    const struct simt_place *place;
};

/* A block is not checked if its threads take more than MAX_PATHS different steps between two
 * barriers. */
enum { FIRST_PATHS = 64, MAX_PATHS = 1 << 16 };

void paths_restart(struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->gone = warp->lanes & ~warp->alive;
        if (block->path_count != 1)
            memset(warp->paths, 0, sizeof warp->paths);
    }
    block->path_count = 1;
    block->paths_are_lost = false;
    if (block->paths != NULL)
        block->paths[0] = (struct path){.code = NULL};
}

static bool make_room(struct block *block)
{
    uint32_t capacity = block->path_capacity != 0 ? 2 * block->path_capacity : FIRST_PATHS;
    struct path *paths;

    if (block->path_count < block->path_capacity)
        return true;
    paths = capacity <= MAX_PATHS ? realloc(block->paths, capacity * sizeof *paths) : NULL;
    if (paths == NULL)
        return false;
    if (block->paths == NULL)
        paths[0] = (struct path){.code = NULL};
    block->paths = paths;
    block->path_capacity = capacity;
    return true;
}

static bool is_same(const struct path *one, const struct path *other)
{
    return one->what == other->what && one->code == other->code && one->point == other->point &&
           one->depth == other->depth;
}

/* Returns true if the paths from both branches meet at that place. */
static bool meet_at(const struct path *branch, const struct path *place, uint32_t join)
{
    return branch->code == place->code && branch->depth == place->depth && branch->join == join;
}

/* Returns the node of that step below `parent`, and creates it if necessary. */
static uint32_t below(struct block *block, uint32_t parent, const struct path *step)
{
    struct path *paths = block->paths;
    uint32_t number;

    for (number = paths[parent].child; number != 0; number = paths[number].sibling)
        if (is_same(&paths[number], step))
            return number;
    if (!make_room(block)) {
        block->paths_are_lost = true;
        return parent;
    }
    paths = block->paths;
    number = block->path_count++;
    paths[number] = *step;
    paths[number].parent = parent;
    paths[number].sibling = paths[parent].child;
    paths[parent].child = number;
    paths[number].has_joined = paths[parent].has_joined || step->what == STEP_JOIN;
    paths[number].opened = paths[parent].opened;
    if (step->what == STEP_DECIDE &&
        (paths[parent].opened == 0 || !meet_at(&paths[paths[parent].opened], step, step->join)))
        paths[number].opened = number;
    return number;
}

static uint32_t next_of(struct block *block, uint32_t thread, uint32_t from,
                        const struct path *step)
{
    const struct path *paths = block->paths;
    uint32_t opened = paths[from].opened;

    if (step->what == STEP_ACT && (!paths[from].has_joined || paths[from].what == STEP_ACT))
        return from;
    if (step->what == STEP_JOIN && (opened == 0 || !meet_at(&paths[opened], step, step->point)))
        return from; /* the branch was before the last barrier */
    if (step->what != STEP_JOIN)
        return below(block, from, step);
    if (block->paths[from].left == 0 || block->paths[from].left > thread + 1)
        block->paths[from].left = thread + 1;
    return below(block, paths[opened].parent, step);
}

void path_step(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes)
{
    struct block *block = warp->block;
    struct path step = {.what = op->what,
                        .code = op->what != STEP_ACT ? frame->code : NULL,
                        .point = op->point,
                        .join = op->target,
                        .depth = op->what != STEP_ACT ? frame->depth : 0,
                        .place = op->place};

    if (block->paths_are_lost || (block->paths == NULL && !make_room(block)))
        return;
    while (lanes != 0) {
        uint32_t first = (uint32_t)__builtin_ctz(lanes), from = warp->paths[first], to, same = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            if (warp->paths[lane] == from)
                same |= left & -left;
        }
        to = next_of(block, warp->number * LANES + first, from, &step);
        for (uint32_t left = same; to != from && left != 0; left &= left - 1)
            warp->paths[__builtin_ctz(left)] = to;
        lanes &= ~same;
    }
}

/* ---- At a barrier ---- */

/* Returns the lanes of a warp that wait at a barrier of the whole block, or at an aligned one with
 * a thread count or of the cluster. */
static uint32_t waiting_lanes(const struct warp *warp, bool of_all)
{
    uint32_t lanes = 0;

    for (uint32_t p = 0; p < warp->party_count; p++) {
        const struct party *party = &warp->parties[p];
        if ((party->state == PARTY_AT_BARRIER &&
             (of_all ? !party->op->has_count : party->op->has_count && party->op->is_aligned)) ||
            (party->op->kind == OP_CLUSTER_BARRIER && !of_all && party->op->is_aligned))
            lanes |= party->lanes;
    }
    return lanes;
}

static void note_waiting(struct block *block)
{
    struct path *paths = block->paths;

    for (uint32_t n = 0; n < block->path_count; n++)
        paths[n].waiting = 0;
    for (uint32_t w = block->warp_count; w-- > 0;) {
        const struct warp *warp = &block->warps[w];
        for (uint32_t left = waiting_lanes(warp, true); left != 0;) {
            uint32_t lane = 31 - (uint32_t)__builtin_clz(left);
            paths[warp->paths[lane]].waiting = w * LANES + lane + 1;
            left &= ~(UINT32_C(1) << lane);
        }
    }
    for (uint32_t n = block->path_count; n-- > 1;) {
        struct path *parent = &paths[paths[n].parent];
        if (paths[n].waiting != 0 && (parent->waiting == 0 || parent->waiting > paths[n].waiting))
            parent->waiting = paths[n].waiting;
    }
}

/* Returns 1 + the lowest waiting thread that passed through that node, or 0 if none exists. It
 * considers those lanes of the warp, or, if `warp` is null, all threads that wait at a barrier of
 * the whole block. */
static uint32_t waiting_below(const struct block *block, const struct warp *warp, uint32_t lanes,
                              uint32_t node)
{
    if (warp == NULL)
        return block->paths[node].waiting;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), n = warp->paths[lane];
        while (n > node)
            n = block->paths[n].parent;
        if (n == node)
            return warp->number * LANES + lane + 1;
    }
    return 0;
}

/* Returns 1 + the number of a thread that waits on a path from the branch whose paths meet at that
 * place, or 0. The branch comes after the node `from`, maybe with an act between. */
static uint32_t waits_beside(const struct block *block, const struct path *place, uint32_t from,
                             const struct warp *warp, uint32_t lanes)
{
    const struct path *paths = block->paths;
    uint32_t waiting = 0;

    for (uint32_t k = paths[from].child; k != 0 && waiting == 0; k = paths[k].sibling) {
        if (paths[k].what == STEP_ACT)
            waiting = waits_beside(block, place, k, warp, lanes);
        else if (paths[k].what == STEP_DECIDE && paths[k].opened == k &&
                 meet_at(&paths[k], place, place->point))
            waiting = waiting_below(block, warp, lanes, k);
    }
    return waiting;
}

/* Returns 1 + the number of a thread that waits on a path from a branch that a thread at `node` has
 * passed. The thread at `node` must have acted since then, and *step is its first such step.
 * Returns 0 if none exists. */
static uint32_t passed_by(const struct block *block, uint32_t node, const struct warp *warp,
                          uint32_t lanes, uint32_t *step)
{
    const struct path *paths = block->paths;

    for (*step = node, node = paths[node].parent; node != 0;
         *step = node, node = paths[node].parent) {
        uint32_t from = paths[node].parent, waiting;
        if (paths[node].what != STEP_JOIN)
            continue;
        if (from != 0 && paths[from].what == STEP_ACT) /* the waiting thread may not have acted */
            from = paths[from].parent;
        waiting = waits_beside(block, &paths[node], from, warp, lanes);
        if (waiting != 0)
            return waiting;
    }
    return 0;
}

static const struct simt_place *barrier_of(const struct block *block, uint32_t thread)
{
    const struct warp *warp = &block->warps[thread / LANES];

    for (uint32_t p = 0; p < warp->party_count; p++)
        if (warp->parties[p].lanes >> thread % LANES & 1)
            return warp->parties[p].op->place;
    return NULL;
}

static void record_bypass(const struct block *block, uint32_t thread, uint32_t waiting,
                          const struct simt_place *step)
{
    record_fault_of(FAULT_DIVERGENT_BARRIER, block, thread, barrier_of(block, waiting),
                    SAYS_SKIPS_BARRIER, .numbers = {waiting}, .others = {step});
}

/* Returns true if all threads took the same path, including those that have exited since the last
 * barrier. */
static bool is_one_way(const struct block *block)
{
    uint32_t first = 0, others = 0;

    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        uint32_t lanes = warp->lanes & ~warp->gone;
        if (lanes != 0 && first == 0)
            first = warp->paths[__builtin_ctz(lanes)];
        for (uint32_t l = 0; l < LANES; l++)
            others |= warp->paths[l] != first ? lanes >> l & 1 : 0;
    }
    return others == 0;
}

/* Returns true if the thread, when it was at that node, had bypassed a barrier. Records the
 * fault. */
static bool is_bypass(const struct block *block, uint32_t thread, uint32_t node, bool of_all)
{
    const struct warp *warp = &block->warps[thread / LANES];
    uint32_t lanes = waiting_lanes(warp, of_all), step, waiting;
    bool of_warp = !of_all || (machine.warp_barriers && (lanes >> thread % LANES & 1));

    waiting = passed_by(block, node, of_warp ? warp : NULL, lanes, &step);
    if (waiting != 0)
        record_bypass(block, thread, waiting - 1, block->paths[step].place);
    return waiting != 0;
}

bool paths_bypass(struct block *block, bool of_all)
{
    if (block->path_count <= 1 || block->paths_are_lost || is_one_way(block))
        return false;
    if (of_all)
        note_waiting(block);
    for (uint32_t n = 1; n < block->path_count; n++)
        if (block->paths[n].left != 0 && is_bypass(block, block->paths[n].left - 1, n, of_all))
            return true;
    for (uint32_t thread = 0; thread < block->threads; thread++) {
        const struct warp *warp = &block->warps[thread / LANES];
        if (!(warp->gone >> thread % LANES & 1) &&
            is_bypass(block, thread, warp->paths[thread % LANES], of_all))
            return true;
    }
    return false;
}
