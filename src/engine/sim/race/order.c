/* SPDX-License-Identifier: MIT */
#include "order.h"

struct block_record *order_blocks;
uint32_t order_kept_blocks;
enum model order_model;
const struct race_memory *order_memory;
bool order_is_lost;
struct order_running order_running;
struct race_messages race_messages;
struct race_block *race_shared_owner;
uintptr_t race_shared_shift;

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

bool order_is_among(const struct happens_before *before, const struct access *was,
                    unsigned int covered)
{
    uint64_t mark = (uint64_t)covered << MARK_SHIFT;
    uint32_t until;

    if (before == NULL)
        return false;
    if (was->time <= happens_before_value(before, about_thread(was->block, was->thread) | mark))
        return true;
    until = happens_before_value(before, about_block(was->block) | mark);
    if (was->epoch < until && !left_before_barrier(was))
        return true;
    return covered == 0 && is_grid_complete(before, order_blocks[was->block].grid);
}

/* ---- Asynchronous operations ---- */

bool operation_needs_fence(const struct access *was, const struct access *now)
{
    return (was->kind & (ACCESS_WRITE | ACCESS_ATOMIC)) &&
           (now->kind & ~was->kind & ACCESS_ASYNC) &&
           order_blocks[was->block].grid == order_blocks[now->block].grid;
}

/* Returns whether a proxy fence comes between that access and the operation, or none is needed: the
 * thread that initializes an mbarrier may issue operations that signal it. */
static bool is_covered(const struct access *was)
{
    const struct race_operation *now = order_running.operation;

    return order_is_among(now->before, was, order_running.covered) ||
           (order_running.covered == COVERED_INIT &&
            (order_is_among(now->before, was, COVERED_SHARED) ||
             (was->block == now->block && was->thread == now->thread)));
}

/* Returns true if `was` is ordered before `now`, an access of the operation that accesses memory
 * now. */
static bool operation_comes_after(const struct access *was, const struct access *now)
{
    if (was->block == now->block && was->thread == now->thread && was->time == now->time)
        return true; /* the same operation */
    return (order_is_among(order_running.operation->before, was, 0) ||
            (order_running.covered == COVERED_INIT &&
             order_is_among(order_running.operation->before, was, COVERED_INIT))) &&
           (!operation_needs_fence(was, now) || is_covered(was));
}

bool operation_lacks_fence(const struct access *was, const struct access *now)
{
    return is_operation(now) && operation_needs_fence(was, now) &&
           order_is_among(order_running.operation->before, was, 0) && !is_covered(was);
}

/* ---- Threads ---- */

/* Returns true for an mbarrier.init whose fence.mbarrier_init comes before this use of the
 * mbarrier. */
static bool is_init_fenced(const struct happens_before *before, const struct access *was,
                           const struct access *now)
{
    return (was->kind & (STRONG | ACCESS_WRITE)) == ACCESS_WRITE && (now->kind & STRONG) &&
           was->size == sizeof(uint64_t) && now->size == sizeof(uint64_t) &&
           order_is_among(before, was, COVERED_INIT);
}

/* Returns true for an operation on an mbarrier that comes before a match.any of one lane, if this
 * mbarrier.inval comes after the match.any of another one. match.any orders no memory, but a lane
 * leaves it only after all have come. The destructor of libcu++'s pipeline relies on that: it
 * elects a lane to invalidate what the others have used. */
static bool is_matched(const struct happens_before *before, const struct access *was,
                       const struct access *now)
{
    return (now->kind & ACCESS_INVALIDATES) && (was->kind & SIGNAL) == SIGNAL &&
           order_is_among(before, was, MATCHED);
}

/* Returns true if that access is ordered before the current thread's next one. Its caller,
 * order_holds(), has already checked program order and, if no thread has exited, the barriers of
 * the block. */
bool order_is_known(const struct race_block *block, const struct access *was,
                    const struct access *now)
{
    const struct happens_before *before;
    uint32_t warp = now->thread / SIMT_WARP_LANES;

    if (is_operation(now))
        return operation_comes_after(was, now);
    before = order_before(block, &block->threads[now->thread]);
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
    return order_is_among(before, was, 0) || is_init_fenced(before, was, now) ||
           is_matched(before, was, now);
}

bool race_has_heard(const struct race_block *block, uint32_t thread, const struct race_block *other)
{
    const struct happens_before *before = order_before(block, &block->threads[thread]);
    bool has = order_is_lost || happens_before_value(before, about_block(other->serial)) > 0;

    for (uint32_t t = 0; t < other->thread_count && !has; t++)
        has = happens_before_value(before, about_thread(other->serial, t)) > 0;
    return has;
}
