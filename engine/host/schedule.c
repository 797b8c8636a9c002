/* SPDX-License-Identifier: MIT
 *
 * Which thread of a block runs next. A thread that must stop (barrier, exit, pre-emption, the next
 * step of its warp) picks its successor itself and switches to it directly.
 *
 * its: threads run in the schedule's order until they wait; a random schedule also pre-empts them.
 *
 * lockstep: every thread stops before each access. The lanes of a warp that stand at the lowest
 * code address make that access together, then all run on to their next one. The lowest address
 * lets lanes that fell behind in a branch catch up with the others.
 */
#include "host.h"

#include <string.h>

/* Accesses between pre-emptions of a random schedule: 1 to 8. */
enum { PREEMPTION_SPAN = 8 };

static uint32_t draw(struct scheduler *scheduler, uint32_t bound)
{
    uint64_t bits = values_hash(scheduler->random_state++, 0) >> 32;
    return (uint32_t)(bits * bound >> 32);
}

/* Sets the countdown to the next thing that schedule_event() has to do. */
void schedule_grant(void)
{
    struct scheduler *scheduler = &host.scheduler;
    uint64_t left = host.budget - host.steps;

    if (scheduler->model == MODEL_LOCKSTEP)
        left = 0;
    else if (scheduler->order == SCHEDULE_RANDOM) {
        uint64_t span = draw(scheduler, PREEMPTION_SPAN);
        left = span < left ? span : left;
    }
    host.granted = left;
    host.countdown = (int64_t)left;
}

static void account_steps(void)
{
    host.steps += host.granted - (uint64_t)host.countdown;
    host.granted = (uint64_t)host.countdown;
}

static void shuffle(struct scheduler *scheduler, uint16_t *threads, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = draw(scheduler, i);
        uint16_t moved = threads[i - 1];
        threads[i - 1] = threads[j];
        threads[j] = moved;
    }
}

/* Lets the threads at the barrier go on. */
static void release_barrier(struct scheduler *scheduler)
{
    host.counters.barriers++;
    if (scheduler->model == MODEL_ITS) {
        uint16_t *arrived = scheduler->arrived;
        scheduler->arrived = scheduler->ready;
        scheduler->ready = arrived;
        scheduler->head = 0;
        scheduler->tail = scheduler->waiting_count;
        if (scheduler->order == SCHEDULE_RANDOM)
            shuffle(scheduler, scheduler->ready, scheduler->tail);
    } else {
        for (uint32_t w = 0; w < scheduler->warps; w++) {
            scheduler->warp[w].runnable |= scheduler->warp[w].waiting;
            scheduler->warp[w].waiting = 0;
        }
    }
    scheduler->waiting_count = 0;
    scheduler->barrier = NULL;
}

/* A warp with runnable lanes, by the schedule; false when all wait or have exited. */
static bool choose_warp(struct scheduler *scheduler)
{
    uint32_t able[MAX_WARPS], count = 0;

    for (uint32_t w = 0; w < scheduler->warps; w++)
        if (scheduler->warp[w].runnable != 0)
            able[count++] = w;
    if (count == 0)
        return false;
    if (scheduler->order == SCHEDULE_RANDOM)
        scheduler->current_warp = able[draw(scheduler, count)];
    else
        scheduler->current_warp = able[scheduler->order == SCHEDULE_REVERSE ? count - 1 : 0];
    return true;
}

/* The lanes of the current warp that make the next step together: those that have not come to an
 * access yet, else those at the lowest address. */
static uint32_t choose_group(const struct scheduler *scheduler)
{
    const struct warp *warp = &scheduler->warp[scheduler->current_warp];
    const struct fiber *lanes = &host.fibers[scheduler->current_warp * WARP_LANES];
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

static struct fiber *next_lockstep(struct scheduler *scheduler)
{
    if (scheduler->group == 0 && host.counting)
        counters_flush();
    while (scheduler->group == 0) {
        bool keep = scheduler->order != SCHEDULE_RANDOM &&
                    scheduler->warp[scheduler->current_warp].runnable != 0;
        if (!keep && !choose_warp(scheduler)) {
            if (scheduler->waiting_count == 0)
                return NULL;
            release_barrier(scheduler);
            continue;
        }
        scheduler->group = choose_group(scheduler);
        scheduler->warp[scheduler->current_warp].stopped &= ~scheduler->group;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(scheduler->group);
    scheduler->group &= scheduler->group - 1;
    return &host.fibers[scheduler->current_warp * WARP_LANES + lane];
}

static inline struct fiber *next_its(struct scheduler *scheduler)
{
    if (unlikely(scheduler->head == scheduler->tail)) {
        if (scheduler->waiting_count == 0)
            return NULL;
        release_barrier(scheduler);
    }
    return &host.fibers[scheduler->ready[scheduler->head++]];
}

/* The next thread to run; null when the block is done. */
static inline struct fiber *next_fiber(struct scheduler *scheduler)
{
    return scheduler->model == MODEL_ITS ? next_its(scheduler) : next_lockstep(scheduler);
}

void schedule_check_stack(const void *site)
{
    if (unlikely((char *)__builtin_frame_address(0) < host.current->stack))
        host_fault(FAULT_STACK, site, "uses more than %d bytes of stack", STACK_BYTES);
}

static inline void switch_from(struct fiber *self, struct fiber *next)
{
    if (next == self)
        return;
    host.current = next;
    fiber_switch(&self->stack_pointer, next != NULL ? next->stack_pointer : host.scheduler_stack);
}

void simt_syncthreads(const struct simt_site *site);

void simt_syncthreads(const struct simt_site *site)
{
    struct scheduler *scheduler = &host.scheduler;
    struct fiber *self = host.current;

    if (unlikely(scheduler->barrier != site)) {
        if (scheduler->barrier != NULL)
            host_fault_at(FAULT_DIVERGENT_BARRIER, site,
                          "waits at a __syncthreads() while thread %u of its block waits at "
                          "another one, line %d",
                          scheduler->barrier_thread, scheduler->barrier->line);
        scheduler->barrier = site;
        scheduler->barrier_thread = self->number;
    }
    /* A barrier is a step too, or a loop of barriers alone would never end. */
    if (unlikely(--host.countdown < 0)) {
        account_steps();
        if (host.overdue)
            host_fault_at(FAULT_DEADLINE, site, "is past the deadline of %g s",
                          host.limits.deadline_seconds);
        if (host.steps > host.budget)
            host_fault_at(FAULT_STEP_BUDGET, site, "is past the %llu steps",
                          (unsigned long long)host.budget);
        schedule_grant();
    }
    if (scheduler->model == MODEL_ITS) {
        scheduler->arrived[scheduler->waiting_count] = (uint16_t)self->number;
    } else {
        struct warp *warp = &scheduler->warp[self->number / WARP_LANES];
        uint32_t lane = UINT32_C(1) << self->number % WARP_LANES;
        warp->runnable &= ~lane;
        warp->waiting |= lane;
    }
    scheduler->waiting_count++;
    switch_from(self, next_fiber(scheduler));
}

/* its, random: puts another waiting thread in front of the current one. */
static void preempt(struct scheduler *scheduler)
{
    struct fiber *self = host.current;

    if (scheduler->head == scheduler->tail)
        return;
    uint32_t chosen = scheduler->head + draw(scheduler, scheduler->tail - scheduler->head);
    struct fiber *next = &host.fibers[scheduler->ready[chosen]];
    scheduler->ready[chosen] = (uint16_t)self->number;
    switch_from(self, next);
}

void schedule_event(uintptr_t address, size_t size, enum access access, const void *site)
{
    struct scheduler *scheduler = &host.scheduler;
    struct fiber *self = host.current;

    schedule_check_stack(site); /* before another thread runs into what lies below */
    account_steps();
    if (host.overdue)
        host_fault(FAULT_DEADLINE, site, "is past the deadline of %g s",
                   host.limits.deadline_seconds);
    if (host.steps > host.budget)
        host_fault(FAULT_STEP_BUDGET, site, "is past the %llu steps",
                   (unsigned long long)host.budget);
    schedule_grant();
    if (scheduler->model == MODEL_LOCKSTEP) {
        struct warp *warp = &scheduler->warp[self->number / WARP_LANES];
        warp->stopped |= UINT32_C(1) << self->number % WARP_LANES;
        self->site = site;
        switch_from(self, next_fiber(scheduler));
        if (host.counting)
            counters_add(address, size, access);
    } else if (scheduler->order == SCHEDULE_RANDOM) {
        preempt(scheduler);
    }
}

/* Bottom of every fiber's stack: a GPU thread of one block after another. */
static void fiber_entry(void)
{
    for (;;) {
        struct scheduler *scheduler = &host.scheduler;
        struct fiber *self = host.current;
        void (*function)(void);

        memcpy(&function, &host.kernel->function, sizeof function);
        host.kernel->invoke(function, host.arguments);
        if (scheduler->model == MODEL_LOCKSTEP)
            scheduler->warp[self->number / WARP_LANES].runnable &=
                ~(UINT32_C(1) << self->number % WARP_LANES);
        switch_from(self, next_fiber(scheduler));
    }
}

/* What stands at the low end of each stack, until a thread with too deep a stack overwrites it. */
enum { CANARY_WORDS = 32 };
static const uint64_t CANARY_WORD = UINT64_C(0x5157ac4b0bb1e5ed);

static void place_canary(char *stack)
{
    for (int i = 0; i < CANARY_WORDS; i++)
        memcpy(stack + (size_t)i * sizeof CANARY_WORD, &CANARY_WORD, sizeof CANARY_WORD);
}

static bool canary_lives(const char *stack)
{
    for (int i = 0; i < CANARY_WORDS; i++)
        if (memcmp(stack + (size_t)i * sizeof CANARY_WORD, &CANARY_WORD, sizeof CANARY_WORD) != 0)
            return false;
    return true;
}

static void index_fibers(const struct extent *block)
{
    uint32_t number = 0;

    if (memcmp(&host.indexed_for, block, sizeof *block) == 0)
        return;
    for (uint32_t z = 0; z < block->z; z++)
        for (uint32_t y = 0; y < block->y; y++)
            for (uint32_t x = 0; x < block->x; x++, number++) {
                host.fibers[number].index = (struct extent){x, y, z};
                host.fibers[number].number = number;
            }
    host.indexed_for = *block;
}

static void prepare_fibers(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fiber *fiber = &host.fibers[i];
        if (fiber->prepared)
            continue;
        fiber->stack = host.stacks + (size_t)i * STACK_STRIDE;
        place_canary(fiber->stack);
        fiber->stack_pointer = fiber_prepare(fiber->stack, STACK_BYTES, fiber_entry);
        fiber->prepared = true;
    }
}

/* Once a launch, for each look costs a page that nothing else touches. */
void schedule_finish(void)
{
    for (uint32_t i = 0; i < host.scheduler.threads; i++) {
        if (canary_lives(host.fibers[i].stack))
            continue;
        host.current = &host.fibers[i];
        host_record(FAULT_STACK, "uses more than %d bytes of stack", STACK_BYTES);
    }
    if (host.fault.kind != FAULT_NONE)
        for (uint32_t i = 0; i < MAX_BLOCK_THREADS; i++)
            host.fibers[i].prepared = false;
}

/* Once a launch: prepares the threads that all its blocks use. */
void schedule_start(void)
{
    const struct extent *block = &host.invocation->block;
    struct scheduler *scheduler = &host.scheduler;

    scheduler->threads = block->x * block->y * block->z;
    scheduler->warps = (scheduler->threads + WARP_LANES - 1) / WARP_LANES;
    index_fibers(block);
    prepare_fibers(scheduler->threads);
    schedule_grant();
}

void schedule_block(void)
{
    struct scheduler *scheduler = &host.scheduler;
    uint32_t threads = scheduler->threads;

    scheduler->waiting_count = 0;
    scheduler->barrier = NULL;
    scheduler->group = 0;
    if (scheduler->model == MODEL_ITS) {
        scheduler->ready = scheduler->queues[0];
        scheduler->arrived = scheduler->queues[1];
        scheduler->head = 0;
        scheduler->tail = threads;
        for (uint32_t i = 0; i < threads; i++)
            scheduler->ready[i] =
                (uint16_t)(scheduler->order == SCHEDULE_REVERSE ? threads - 1 - i : i);
        if (scheduler->order == SCHEDULE_RANDOM)
            shuffle(scheduler, scheduler->ready, threads);
    } else {
        for (uint32_t w = 0; w < scheduler->warps; w++) {
            uint32_t lanes = threads - w * WARP_LANES;
            scheduler->warp[w] = (struct warp){
                .runnable = lanes >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1,
            };
        }
        choose_warp(scheduler);
    }
    struct fiber *first = next_fiber(scheduler);
    host.current = first;
    host.running = true;
    fiber_switch(&host.scheduler_stack, first->stack_pointer);
    host.running = false;
    account_steps();
}
