/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include "async.h"
#include "barrier.h"
#include "budget.h"
#include "busy_wait.h"
#include "collective.h"
#include "counters.h"
#include "fault.h"
#include "policy.h"
#include "threads.h"

#include <string.h>

enum { ERROR_SYNC_DEPTH = 68 }; /* as the runtime numbers it */

static void shuffle(uint16_t *threads, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = policy_draw(i);
        uint16_t moved = threads[i - 1];
        threads[i - 1] = threads[j];
        threads[j] = moved;
    }
}

/* Lets the threads at the barrier go on; false after a fault. */
static bool release_barrier(struct scheduler *scheduler)
{
    if (unlikely(scheduler->exits_judged != scheduler->exited) && !barrier_all_came(current.block))
        return false;
    if (unlikely(counters_on))
        counters_barrier();
    if (unlikely(race_on))
        race_barrier(&current.block->race, scheduler->exited > 0);
    if (scheduler->model == MODEL_INDEPENDENT) {
        uint16_t *arrived = scheduler->arrived;
        scheduler->arrived = scheduler->ready;
        scheduler->ready = arrived;
        scheduler->head = 0;
        scheduler->tail = scheduler->waiting_count;
        if (scheduler->order == SCHEDULE_RANDOM)
            shuffle(scheduler->ready, scheduler->tail);
    } else {
        for (uint32_t w = 0; w < scheduler->warps; w++) {
            scheduler->warp[w].runnable |= scheduler->warp[w].waiting;
            scheduler->warp[w].waiting = 0;
        }
    }
    scheduler->waiting_count = 0;
    scheduler->barrier = NULL;
    return true;
}

/* A warp with runnable lanes, by the schedule, that is or is not delayed; false when there is none.
 */
static bool choose_warp(struct scheduler *scheduler, bool delayed)
{
    uint32_t able[MAX_WARPS], count = 0;

    for (uint32_t w = 0; w < scheduler->warps; w++)
        if (scheduler->warp[w].runnable != 0 && scheduler->warp[w].delayed == delayed &&
            !scheduler->warp[w].spinning)
            able[count++] = w;
    if (count == 0)
        return false;
    if (scheduler->order == SCHEDULE_RANDOM)
        scheduler->current_warp = able[policy_draw(count)];
    else
        scheduler->current_warp = able[scheduler->order == SCHEDULE_REVERSE ? count - 1 : 0];
    return true;
}

/* The lanes of the current warp that make the next step together: those that have not come to an
 * access yet, else those at the lowest address. */
static uint32_t choose_group(const struct scheduler *scheduler)
{
    const struct warp *warp = &scheduler->warp[scheduler->current_warp];
    const struct thread *lanes = &current.block->threads[scheduler->current_warp * SIMT_WARP_LANES];
    uint32_t moving = warp->runnable & ~warp->stopped;
    uint32_t group = 0;
    uintptr_t lowest = UINTPTR_MAX;

    if (moving != 0)
        return moving;
    for (uint32_t left = warp->runnable; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uintptr_t site = (uintptr_t)lanes[lane].site;
        if (site < lowest) {
            lowest = site;
            group = 0;
        }
        if (site == lowest)
            group |= UINT32_C(1) << lane;
    }
    return group;
}

/* Only those that are delayed can run: the first time other blocks go on, then they do. */
static bool defers(struct scheduler *scheduler)
{
    scheduler->deferred = !scheduler->deferred;
    return scheduler->deferred;
}

/* Has every thread that could run waited since something else was done? In random order, some may
 * have waited often and others not at all: then they go in turn (preempt()). */
static bool all_wait(struct scheduler *scheduler, uint32_t able)
{
    uint64_t progress = busy_wait_progress();
    bool by_chance = scheduler->model == MODEL_INDEPENDENT && scheduler->order == SCHEDULE_RANDOM;

    if (scheduler->progress != progress)
        scheduler->idle = 0;
    scheduler->progress = progress;
    return ++scheduler->idle > (by_chance ? 2 * able : able);
}

/* Lockstep: lets warps go on that wait in loops, when no other can run; false when there are none.
 * When all that could run have waited since something else was done, other blocks go first. */
static bool end_spins(struct scheduler *scheduler)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < scheduler->warps; w++) {
        count += scheduler->warp[w].spinning && scheduler->warp[w].runnable != 0;
        scheduler->warp[w].spinning = false;
    }
    scheduler->spinning = count > 0 && all_wait(scheduler, 1);
    return count > 0;
}

static struct thread *next_lockstep(struct scheduler *scheduler)
{
    if (scheduler->group == 0 && counters_on)
        counters_flush();
    while (scheduler->group == 0) {
        struct warp *warp = &scheduler->warp[scheduler->current_warp];
        bool keep = scheduler->order != SCHEDULE_RANDOM && warp->runnable != 0 && !warp->delayed &&
                    !warp->spinning;
        if (unlikely(rules.takes_turns) && policy_give_way())
            return NULL;
        if (!keep && !choose_warp(scheduler, false)) {
            if (choose_warp(scheduler, true)) {
                if (defers(scheduler))
                    return NULL;
                scheduler->warp[scheduler->current_warp].delayed = false;
                continue;
            }
            if (end_spins(scheduler)) {
                if (scheduler->spinning)
                    return NULL;
                continue;
            }
            if (scheduler->waiting_count == 0 || scheduler->syncing > 0 || scheduler->meeting > 0)
                return NULL;
            if (!release_barrier(scheduler))
                return NULL;
            continue;
        }
        warp = &scheduler->warp[scheduler->current_warp];
        if (unlikely(policy_is_delay(++rules.warp_steps))) {
            warp->delayed = true;
            continue;
        }
        scheduler->group = choose_group(scheduler);
        warp->stopped &= ~scheduler->group;
        warp->steps++;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(scheduler->group);
    struct thread *thread =
        &current.block->threads[scheduler->current_warp * SIMT_WARP_LANES + lane];
    scheduler->group &= scheduler->group - 1;
    if (unlikely(race_on))
        current.block->race.threads[thread->number].time =
            scheduler->warp[scheduler->current_warp].steps;
    return thread;
}

static inline struct thread *next_its(struct scheduler *scheduler)
{
    if (unlikely(scheduler->head == scheduler->tail)) {
        if (scheduler->waiting_count == 0 || scheduler->syncing > 0 || scheduler->meeting > 0)
            return NULL;
        if (!release_barrier(scheduler))
            return NULL;
    }
    struct thread *next = &current.block->threads[scheduler->ready[scheduler->head]];
    if (unlikely(next->delayed)) {
        if (defers(scheduler))
            return NULL;
        next->delayed = false;
    }
    scheduler->head++;
    return next;
}

/* The next thread to run; null when the block is done. */
static inline struct thread *next_thread(struct scheduler *scheduler)
{
    return scheduler->model == MODEL_INDEPENDENT ? next_its(scheduler) : next_lockstep(scheduler);
}

static inline void switch_from(struct thread *self, struct thread *next)
{
    if (unlikely(race_unsettled))
        race_settle();
    if (next == self)
        return;
    current.thread = next;
    fiber_switch(&self->fiber, next != NULL ? &next->fiber : &fiber_home);
}

/* Puts threads in front of those that are ready. */
static void put_in_front(struct scheduler *scheduler, const uint16_t *threads, uint32_t count)
{
    uint32_t waiting = scheduler->tail - scheduler->head;

    memmove(scheduler->ready + count, scheduler->ready + scheduler->head,
            waiting * sizeof *scheduler->ready);
    memcpy(scheduler->ready, threads, count * sizeof *scheduler->ready);
    scheduler->head = 0;
    scheduler->tail = count + waiting;
}

/* Puts threads behind those that are ready. */
static void enqueue(struct scheduler *scheduler, const uint16_t *threads, uint32_t count)
{
    uint32_t waiting = scheduler->tail - scheduler->head;

    memmove(scheduler->ready, scheduler->ready + scheduler->head,
            waiting * sizeof *scheduler->ready);
    memcpy(scheduler->ready + waiting, threads, count * sizeof *scheduler->ready);
    scheduler->head = 0;
    scheduler->tail = waiting + count;
}

/* its: the current thread goes behind all that are ready. */
static void delay(struct scheduler *scheduler)
{
    struct thread *self = current.thread;
    uint16_t number = (uint16_t)self->number;

    self->delayed = true;
    enqueue(scheduler, &number, 1);
    switch_from(self, next_its(scheduler));
}

/* A barrier is a step too, or a loop of barriers alone would never end. */
static inline void count_step(const struct simt_site *site)
{
    if (likely(--steps.countdown >= 0))
        return;
    budget_end_span(NULL, site);
    bool delayed = rules.model == MODEL_INDEPENDENT && policy_is_delay(steps.made);
    policy_grant();
    if (delayed)
        delay(&current.block->scheduler);
}

void simt_syncthreads(const struct simt_site *site, const char *function)
{
    struct scheduler *scheduler = &current.block->scheduler;
    struct thread *self = current.thread;

    count_step(site);
    if (unlikely(scheduler->barrier != site)) {
        if (scheduler->barrier != NULL)
            fault_raise_at(FAULT_DIVERGENT_BARRIER, site,
                           "waits at a __syncthreads() while thread %u of its block waits at "
                           "another one, line %d",
                           scheduler->barrier_thread, scheduler->barrier->line);
        scheduler->barrier = site;
        scheduler->barrier_function = function;
        scheduler->barrier_thread = self->number;
    }
    self->barrier = site;
    self->barrier_function = function;
    if (scheduler->model == MODEL_INDEPENDENT) {
        scheduler->arrived[scheduler->waiting_count] = (uint16_t)self->number;
    } else {
        struct warp *warp = &scheduler->warp[self->number / SIMT_WARP_LANES];
        uint32_t lane = UINT32_C(1) << self->number % SIMT_WARP_LANES;
        warp->runnable &= ~lane;
        warp->waiting |= lane;
    }
    scheduler->waiting_count++;
    switch_from(self, next_thread(scheduler));
}

/* A thread that runs came from in front of the queue; there may be others by now, which it has
 * released from a barrier. In lockstep it is among the lanes that move, and goes on before they
 * make their next step. */
void schedule_yield(void)
{
    struct scheduler *scheduler = &current.block->scheduler;
    uint16_t number = (uint16_t)current.thread->number;

    if (scheduler->model == MODEL_INDEPENDENT)
        put_in_front(scheduler, &number, 1);
    switch_from(current.thread, NULL);
}

void schedule_wake(struct resident_block *block)
{
    struct scheduler *scheduler = &block->scheduler;

    if (scheduler->model == MODEL_INDEPENDENT) {
        put_in_front(scheduler, scheduler->waiters, scheduler->syncing);
    } else {
        for (uint32_t w = 0; w < scheduler->warps; w++) {
            scheduler->warp[w].runnable |= scheduler->warp[w].syncing;
            scheduler->warp[w].syncing = 0;
        }
    }
    scheduler->syncing = 0;
    scheduler->deferred = false;
}

void schedule_wait(void)
{
    struct scheduler *scheduler = &current.block->scheduler;
    struct thread *self = current.thread;

    if (scheduler->model == MODEL_INDEPENDENT) {
        scheduler->waiters[scheduler->syncing] = (uint16_t)self->number;
    } else {
        struct warp *warp = &scheduler->warp[self->number / SIMT_WARP_LANES];
        uint32_t lane = UINT32_C(1) << self->number % SIMT_WARP_LANES;
        warp->runnable &= ~lane;
        warp->syncing |= lane;
    }
    scheduler->syncing++;
    switch_from(self, next_thread(scheduler));
}

/* cudaDeviceSynchronize() of a kernel: waits for all that the thread's block has launched. */
int simt_device_wait(const struct simt_site *site)
{
    const struct launcher *launches = current.block->launches;

    if (rules.nesting.profile != PROFILE_CDP1)
        fault_raise_at(FAULT_UNSUPPORTED, site,
                       "waits for its child grids on the device, which CDP2 does not have");
    if (current.block->grid->depth >= rules.nesting.wait_depth) {
        current.thread->error = ERROR_SYNC_DEPTH;
        fault_record_at(FAULT_CHILD_LAUNCH, site,
                        "cannot wait at depth %u: cudaErrorSyncDepthExceeded (%d), the limit is %u",
                        current.block->grid->depth, ERROR_SYNC_DEPTH, rules.nesting.wait_depth);
        return ERROR_SYNC_DEPTH;
    }
    while (launches != NULL && launches->open > 0)
        schedule_wait();
    if (race_on && launches != NULL)
        race_wait(&current.block->race, current.thread->number, &launches->race);
    return 0;
}

/* Lets lanes of a warp go on that have met. */
static void release_lanes(struct scheduler *scheduler, uint32_t warp, uint32_t lanes)
{
    uint16_t released[SIMT_WARP_LANES];
    uint32_t count = (uint32_t)__builtin_popcount(lanes), place = 0;

    scheduler->warp[warp].meeting &= ~lanes;
    scheduler->meeting -= count;
    if (scheduler->model == MODEL_LOCKSTEP) {
        scheduler->warp[warp].runnable |= lanes;
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1, place++)
        released[scheduler->order == SCHEDULE_REVERSE ? count - 1 - place : place] =
            (uint16_t)(warp * SIMT_WARP_LANES + (uint32_t)__builtin_ctz(left));
    put_in_front(scheduler, released, count);
    if (scheduler->order == SCHEDULE_RANDOM)
        shuffle(scheduler->ready + scheduler->head, scheduler->tail - scheduler->head);
}

/* Lets lanes of the warp go on whose collective has all it waits for. */
static void complete_collectives(struct scheduler *scheduler, uint32_t warp)
{
    struct resident_block *block = current.block;
    uint32_t left = scheduler->warp[warp].meeting, met;

    while ((met = collective_complete(block, warp, &left)) != 0) {
        const struct thread *first = &block->threads[warp * SIMT_WARP_LANES];
        if (race_on && first[__builtin_ctz(met)].collective == SIMT_SYNC)
            race_sync_warp(&block->race, warp, met);
        release_lanes(scheduler, warp, met);
    }
}

void schedule_meet(const struct simt_site *site)
{
    struct scheduler *scheduler = &current.block->scheduler;
    struct thread *self = current.thread;
    uint32_t number = self->number / SIMT_WARP_LANES, lane = UINT32_C(1)
                                                             << self->number % SIMT_WARP_LANES;

    count_step(site);
    if (unlikely(busy_wait_meets()))
        busy_wait_waited();
    scheduler->warp[number].runnable &= ~lane;
    scheduler->warp[number].meeting |= lane;
    scheduler->meeting++;
    complete_collectives(scheduler, number);
    switch_from(self, next_thread(scheduler));
}

void schedule_spin(const void *code, const struct simt_site *site)
{
    struct scheduler *scheduler = &current.block->scheduler;
    struct thread *self = current.thread;
    uint16_t number = (uint16_t)self->number;

    current.block->spins[number].code = code;
    current.block->spins[number].site = site;
    if (scheduler->model == MODEL_LOCKSTEP) {
        scheduler->warp[self->number / SIMT_WARP_LANES].spinning = true;
        return; /* before its next step */
    }
    enqueue(scheduler, &number, 1);
    scheduler->spinning = all_wait(scheduler, scheduler->tail - scheduler->head);
    switch_from(self, scheduler->spinning ? NULL : next_thread(scheduler));
}

/* its, random: puts another waiting thread in front of the current one. */
static void preempt(struct scheduler *scheduler)
{
    struct thread *self = current.thread;

    if (unlikely(rules.takes_turns) && policy_give_way()) {
        schedule_yield();
        return;
    }
    uint32_t others = scheduler->tail - scheduler->head;
    if (others == 0 || (scheduler->idle > others && scheduler->progress == busy_wait_progress()))
        return;
    uint32_t chosen = scheduler->head + policy_draw(others);
    struct thread *next = &current.block->threads[scheduler->ready[chosen]];
    scheduler->ready[chosen] = (uint16_t)self->number;
    switch_from(self, next);
}

/* Lockstep: the lane stops until it is its turn to make this step. */
static void stop_before(struct scheduler *scheduler, const void *site)
{
    struct thread *self = current.thread;

    scheduler->warp[self->number / SIMT_WARP_LANES].stopped |= UINT32_C(1)
                                                               << self->number % SIMT_WARP_LANES;
    self->site = site;
    switch_from(self, next_thread(scheduler));
}

void schedule_step(const void *site)
{
    if (rules.model == MODEL_LOCKSTEP)
        stop_before(&current.block->scheduler, site);
}

void schedule_event(uintptr_t address, size_t size, unsigned int access, const void *code)
{
    struct scheduler *scheduler = &current.block->scheduler;

    fault_check_stack(code); /* before another thread runs into what lies below */
    budget_end_span(code, NULL);
    bool delayed = scheduler->model == MODEL_INDEPENDENT && policy_is_delay(steps.made);
    policy_grant();
    if (scheduler->model == MODEL_LOCKSTEP) {
        stop_before(scheduler, code);
        if (counters_on)
            counters_add(address, size, access);
    } else if (scheduler->order == SCHEDULE_RANDOM) {
        preempt(scheduler);
    } else if (delayed) {
        delay(scheduler);
    }
}

/* Bottom of every fiber's stack: a GPU thread of one block after another. */
static void fiber_entry(void)
{
    for (;;) {
        struct scheduler *scheduler = &current.block->scheduler;
        struct thread *self = current.thread;
        uint32_t warp = self->number / SIMT_WARP_LANES;
        const struct grid *grid = current.block->grid;

        grid->invoke(grid->function, grid->arguments);
        if (unlikely(self->async != NULL))
            async_exit(self);
        scheduler->exited++;
        self->exited = true;
        self->returned_last = self->returned_from != NULL && self->returned_at == budget_made();
        if (unlikely(scheduler->passer != NULL))
            barrier_exit(current.block, self);
        if (unlikely(race_on))
            race_exit(&current.block->race, self->number);
        if (unlikely(scheduler->warp[warp].meeting != 0))
            complete_collectives(scheduler, warp);
        if (unlikely(scheduler->syncing != 0))
            numbered_barriers_exit(current.block);
        if (scheduler->model == MODEL_LOCKSTEP)
            scheduler->warp[warp].runnable &= ~(UINT32_C(1) << self->number % SIMT_WARP_LANES);
        switch_from(self, next_thread(scheduler));
    }
}

void schedule_forget(void)
{
    current = (struct current){0};
}

void schedule_start(struct resident_block *block)
{
    struct scheduler *scheduler = &block->scheduler;
    uint32_t threads = threads_of(&block->grid->block);

    current = (struct current){.block = block};
    scheduler->model = rules.model;
    scheduler->order = rules.order;
    scheduler->threads = threads;
    scheduler->warps = (threads + SIMT_WARP_LANES - 1) / SIMT_WARP_LANES;
    scheduler->started = false;
    scheduler->exited = scheduler->syncing = scheduler->waiting_count = 0;
    scheduler->meeting = scheduler->exits_judged = 0;
    scheduler->deferred = scheduler->spinning = false;
    scheduler->idle = 0;
    scheduler->barriers = 0;
    scheduler->barrier = NULL;
    scheduler->passer = NULL;
    scheduler->group = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    threads_prepare(block, fiber_entry);
    if (scheduler->model == MODEL_INDEPENDENT) {
        scheduler->ready = scheduler->queues[0];
        scheduler->arrived = scheduler->queues[1];
        scheduler->head = 0;
        scheduler->tail = threads;
        for (uint32_t i = 0; i < threads; i++)
            scheduler->ready[i] =
                (uint16_t)(scheduler->order == SCHEDULE_REVERSE ? threads - 1 - i : i);
        if (scheduler->order == SCHEDULE_RANDOM)
            shuffle(scheduler->ready, threads);
    }
    for (uint32_t w = 0; w < scheduler->warps; w++) {
        uint32_t lanes = threads - w * SIMT_WARP_LANES;
        scheduler->warp[w] = (struct warp){
            .runnable = lanes >= SIMT_WARP_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1,
            .steps = 1,
        };
    }
    scheduler->current_warp = 0;
    if (scheduler->model == MODEL_LOCKSTEP)
        choose_warp(scheduler, false);
}

bool schedule_is_done(const struct resident_block *block)
{
    return block->scheduler.exited == block->scheduler.threads;
}

/* Threads that wait for child grids hold up their block once no other can run. */
bool schedule_can_run(const struct resident_block *block)
{
    const struct scheduler *scheduler = &block->scheduler;

    return scheduler->syncing + scheduler->meeting == 0 ||
           scheduler->exited + scheduler->waiting_count + scheduler->syncing + scheduler->meeting <
               scheduler->threads;
}

void schedule_run(struct resident_block *block)
{
    struct thread *first;

    current.block = block;
    block->scheduler.spinning = false;
    first = next_thread(&block->scheduler);
    if (first == NULL) /* it gave way at once */
        return;
    current.thread = first;
    fiber_run(&first->fiber);
    budget_account();
}
