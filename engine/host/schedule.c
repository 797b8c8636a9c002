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
 *
 * A delay holds a thread (lockstep: a warp) back until nothing else can run: the others of its
 * block first, then other blocks and grids.
 */
#include "host.h"

#include <string.h>

/* Accesses between pre-emptions of a random schedule: 1 to 8. */
enum { PREEMPTION_SPAN = 8 };

uint32_t schedule_draw(uint32_t bound)
{
    uint64_t bits = values_hash(host.random_state++, 0) >> 32;
    return (uint32_t)(bits * bound >> 32);
}

/* Sets the countdown to the next thing that schedule_event() has to do. */
void schedule_grant(void)
{
    uint64_t left = host.budget - host.steps;

    if (host.model == MODEL_LOCKSTEP)
        left = 0;
    else if (host.order == SCHEDULE_RANDOM) {
        uint64_t span = schedule_draw(PREEMPTION_SPAN);
        left = span < left ? span : left;
    } else if (host.delays[host.next_delay] > host.steps) {
        uint64_t span = host.delays[host.next_delay] - 1 - host.steps;
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

static void shuffle(uint16_t *threads, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = schedule_draw(i);
        uint16_t moved = threads[i - 1];
        threads[i - 1] = threads[j];
        threads[j] = moved;
    }
}

/* Lets the threads at the barrier go on. */
static void release_barrier(struct scheduler *scheduler)
{
    host.counters.barriers++;
    if (unlikely(host.racing))
        race_barrier(host.team);
    if (scheduler->model == MODEL_ITS) {
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
}

/* A warp with runnable lanes, by the schedule, that is or is not delayed; false when there is none.
 */
static bool choose_warp(struct scheduler *scheduler, bool delayed)
{
    uint32_t able[MAX_WARPS], count = 0;

    for (uint32_t w = 0; w < scheduler->warps; w++)
        if (scheduler->warp[w].runnable != 0 && scheduler->warp[w].delayed == delayed)
            able[count++] = w;
    if (count == 0)
        return false;
    if (scheduler->order == SCHEDULE_RANDOM)
        scheduler->current_warp = able[schedule_draw(count)];
    else
        scheduler->current_warp = able[scheduler->order == SCHEDULE_REVERSE ? count - 1 : 0];
    return true;
}

/* The lanes of the current warp that make the next step together: those that have not come to an
 * access yet, else those at the lowest address. */
static uint32_t choose_group(const struct scheduler *scheduler)
{
    const struct warp *warp = &scheduler->warp[scheduler->current_warp];
    const struct fiber *lanes = &host.team->fibers[scheduler->current_warp * WARP_LANES];
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

/* With other blocks about, a random schedule lets them go on now and then. */
static inline bool gives_way(const struct scheduler *scheduler)
{
    return unlikely(host.nested) && scheduler->order == SCHEDULE_RANDOM &&
           schedule_draw(host.yield_span) == 0;
}

/* Is the scheduling point that comes next one to be delayed? */
static inline bool is_delay(uint64_t point)
{
    if (likely(host.delays[host.next_delay] != point))
        return false;
    host.next_delay++;
    return true;
}

/* Only those that are delayed can run: the first time other blocks go on, then they do. */
static bool defers(struct scheduler *scheduler)
{
    scheduler->deferred = !scheduler->deferred;
    return scheduler->deferred;
}

static struct fiber *next_lockstep(struct scheduler *scheduler)
{
    if (scheduler->group == 0 && host.counting)
        counters_flush();
    while (scheduler->group == 0) {
        struct warp *warp = &scheduler->warp[scheduler->current_warp];
        bool keep = scheduler->order != SCHEDULE_RANDOM && warp->runnable != 0 && !warp->delayed;
        if (gives_way(scheduler))
            return NULL;
        if (!keep && !choose_warp(scheduler, false)) {
            if (choose_warp(scheduler, true)) {
                if (defers(scheduler))
                    return NULL;
                scheduler->warp[scheduler->current_warp].delayed = false;
                continue;
            }
            if (scheduler->waiting_count == 0 || scheduler->syncing > 0 || scheduler->meeting > 0)
                return NULL;
            release_barrier(scheduler);
            continue;
        }
        warp = &scheduler->warp[scheduler->current_warp];
        if (unlikely(is_delay(++host.points))) {
            warp->delayed = true;
            continue;
        }
        scheduler->group = choose_group(scheduler);
        warp->stopped &= ~scheduler->group;
        warp->steps++;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(scheduler->group);
    struct fiber *fiber = &host.team->fibers[scheduler->current_warp * WARP_LANES + lane];
    scheduler->group &= scheduler->group - 1;
    fiber->time = scheduler->warp[scheduler->current_warp].steps;
    return fiber;
}

static inline struct fiber *next_its(struct scheduler *scheduler)
{
    if (unlikely(scheduler->head == scheduler->tail)) {
        if (scheduler->waiting_count == 0 || scheduler->syncing > 0 || scheduler->meeting > 0)
            return NULL;
        release_barrier(scheduler);
    }
    struct fiber *next = &host.team->fibers[scheduler->ready[scheduler->head]];
    if (unlikely(next->delayed)) {
        if (defers(scheduler))
            return NULL;
        next->delayed = false;
    }
    scheduler->head++;
    return next;
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
    if (unlikely(race_unsettled))
        race_settle();
    if (next == self)
        return;
    host.current = next;
    fiber_switch(&self->stack_pointer, next != NULL ? next->stack_pointer : host.scheduler_stack);
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
    struct fiber *self = host.current;
    uint16_t number = (uint16_t)self->number;

    self->delayed = true;
    enqueue(scheduler, &number, 1);
    switch_from(self, next_its(scheduler));
}

/* A barrier is a step too, or a loop of barriers alone would never end. */
static inline void count_step(const struct simt_site *site)
{
    if (likely(--host.countdown >= 0))
        return;
    account_steps();
    if (host.overdue)
        host_fault_at(FAULT_DEADLINE, site, "is past the deadline of %g s",
                      host.limits.deadline_seconds);
    if (host.steps > host.budget)
        host_fault_at(FAULT_STEP_BUDGET, site, "is past the %llu steps",
                      (unsigned long long)host.budget);
    bool delayed = host.model == MODEL_ITS && is_delay(host.steps);
    schedule_grant();
    if (delayed)
        delay(&host.team->scheduler);
}

void simt_syncthreads(const struct simt_site *site);

void simt_syncthreads(const struct simt_site *site)
{
    struct scheduler *scheduler = &host.team->scheduler;
    struct fiber *self = host.current;

    count_step(site);
    if (unlikely(scheduler->barrier != site)) {
        if (scheduler->barrier != NULL)
            host_fault_at(FAULT_DIVERGENT_BARRIER, site,
                          "waits at a __syncthreads() while thread %u of its block waits at "
                          "another one, line %d",
                          scheduler->barrier_thread, scheduler->barrier->line);
        scheduler->barrier = site;
        scheduler->barrier_thread = self->number;
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

/* A thread that runs came from in front of the queue, so there is room for it there. In lockstep it
 * is among the lanes that move, and goes on before they make their next step. */
void schedule_yield(void)
{
    struct scheduler *scheduler = &host.team->scheduler;

    if (scheduler->model == MODEL_ITS)
        scheduler->ready[--scheduler->head] = (uint16_t)host.current->number;
    switch_from(host.current, NULL);
}

void schedule_wake(struct team *team)
{
    struct scheduler *scheduler = &team->scheduler;

    if (scheduler->model == MODEL_ITS) {
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

/* The current thread waits until schedule_wake(). */
static void wait_for_children(void)
{
    struct scheduler *scheduler = &host.team->scheduler;
    struct fiber *self = host.current;

    if (scheduler->model == MODEL_ITS) {
        scheduler->waiters[scheduler->syncing] = (uint16_t)self->number;
    } else {
        struct warp *warp = &scheduler->warp[self->number / WARP_LANES];
        uint32_t lane = UINT32_C(1) << self->number % WARP_LANES;
        warp->runnable &= ~lane;
        warp->syncing |= lane;
    }
    scheduler->syncing++;
    switch_from(self, next_fiber(scheduler));
}

int simt_device_wait(const struct simt_site *site);

/* cudaDeviceSynchronize() of a kernel: waits for all that the thread's block has launched. */
int simt_device_wait(const struct simt_site *site)
{
    const struct launcher *launches = host.team->launches;

    if (host.nesting.profile != PROFILE_CDP1)
        host_fault_at(FAULT_UNSUPPORTED, site,
                      "waits for its child grids on the device, which CDP2 does not have");
    if (host.team->grid->depth >= host.nesting.wait_depth) {
        host.current->error = ERROR_SYNC_DEPTH;
        host_record_at(FAULT_CHILD_LAUNCH, site,
                       "cannot wait at depth %u: cudaErrorSyncDepthExceeded (%d), the limit is %u",
                       host.team->grid->depth, ERROR_SYNC_DEPTH, host.nesting.wait_depth);
        return ERROR_SYNC_DEPTH;
    }
    while (launches != NULL && launches->open > 0)
        wait_for_children();
    if (host.racing && launches != NULL)
        race_wait();
    return 0;
}

void schedule_release_lanes(uint32_t warp, uint32_t lanes)
{
    struct scheduler *scheduler = &host.team->scheduler;
    uint16_t released[WARP_LANES];
    uint32_t count = (uint32_t)__builtin_popcount(lanes), place = 0;

    scheduler->warp[warp].meeting &= ~lanes;
    scheduler->meeting -= count;
    if (scheduler->model == MODEL_LOCKSTEP) {
        scheduler->warp[warp].runnable |= lanes;
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1, place++)
        released[scheduler->order == SCHEDULE_REVERSE ? count - 1 - place : place] =
            (uint16_t)(warp * WARP_LANES + (uint32_t)__builtin_ctz(left));
    put_in_front(scheduler, released, count);
    if (scheduler->order == SCHEDULE_RANDOM)
        shuffle(scheduler->ready + scheduler->head, scheduler->tail - scheduler->head);
}

void schedule_meet(const struct simt_site *site)
{
    struct scheduler *scheduler = &host.team->scheduler;
    struct fiber *self = host.current;
    uint32_t number = self->number / WARP_LANES, lane = UINT32_C(1) << self->number % WARP_LANES;

    count_step(site);
    scheduler->warp[number].runnable &= ~lane;
    scheduler->warp[number].meeting |= lane;
    scheduler->meeting++;
    collective_meet(number);
    switch_from(self, next_fiber(scheduler));
}

/* its, random: puts another waiting thread in front of the current one. */
static void preempt(struct scheduler *scheduler)
{
    struct fiber *self = host.current;

    if (gives_way(scheduler)) {
        schedule_yield();
        return;
    }
    if (scheduler->head == scheduler->tail)
        return;
    uint32_t chosen = scheduler->head + schedule_draw(scheduler->tail - scheduler->head);
    struct fiber *next = &host.team->fibers[scheduler->ready[chosen]];
    scheduler->ready[chosen] = (uint16_t)self->number;
    switch_from(self, next);
}

/* Lockstep: the lane stops until it is its turn to make this step. */
static void stop_before(struct scheduler *scheduler, const void *site)
{
    struct fiber *self = host.current;

    scheduler->warp[self->number / WARP_LANES].stopped |= UINT32_C(1) << self->number % WARP_LANES;
    self->site = site;
    switch_from(self, next_fiber(scheduler));
}

void schedule_step(const void *site)
{
    if (host.model == MODEL_LOCKSTEP)
        stop_before(&host.team->scheduler, site);
}

void schedule_event(uintptr_t address, size_t size, unsigned int access, const void *site)
{
    struct scheduler *scheduler = &host.team->scheduler;

    schedule_check_stack(site); /* before another thread runs into what lies below */
    account_steps();
    if (host.overdue)
        host_fault(FAULT_DEADLINE, site, "is past the deadline of %g s",
                   host.limits.deadline_seconds);
    if (host.steps > host.budget)
        host_fault(FAULT_STEP_BUDGET, site, "is past the %llu steps",
                   (unsigned long long)host.budget);
    bool delayed = scheduler->model == MODEL_ITS && is_delay(host.steps);
    schedule_grant();
    if (scheduler->model == MODEL_LOCKSTEP) {
        stop_before(scheduler, site);
        if (host.counting)
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
        struct scheduler *scheduler = &host.team->scheduler;
        struct fiber *self = host.current;
        const struct grid *grid = host.team->grid;

        grid->invoke(grid->function, grid->arguments);
        scheduler->exited++;
        self->exited = true;
        self->exit_epoch = host.team->epoch;
        if (unlikely(scheduler->warp[self->number / WARP_LANES].meeting != 0))
            collective_meet(self->number / WARP_LANES);
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

static void index_fibers(struct team *team, const struct extent *block)
{
    uint32_t number = 0;

    if (memcmp(&team->indexed_for, block, sizeof *block) == 0)
        return;
    for (uint32_t z = 0; z < block->z; z++)
        for (uint32_t y = 0; y < block->y; y++)
            for (uint32_t x = 0; x < block->x; x++, number++) {
                team->fibers[number].index = (struct extent){x, y, z};
                team->fibers[number].number = number;
            }
    team->indexed_for = *block;
}

static void prepare_fibers(struct team *team, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fiber *fiber = &team->fibers[i];
        fiber->error = 0;
        fiber->exited = fiber->delayed = false;
        if (fiber->prepared)
            continue;
        fiber->stack = team->stacks + (size_t)i * STACK_STRIDE;
        place_canary(fiber->stack);
        fiber->stack_pointer = fiber_prepare(fiber->stack, STACK_BYTES, fiber_entry);
        fiber->prepared = true;
    }
}

/* Not after each block, for each look costs a page that nothing else touches. */
void schedule_finish(struct team *team)
{
    for (uint32_t i = 0; i < team->used; i++) {
        if (!team->fibers[i].prepared || canary_lives(team->fibers[i].stack))
            continue;
        host.team = team;
        host.current = &team->fibers[i];
        host_record(FAULT_STACK, "uses more than %d bytes of stack", STACK_BYTES);
    }
    team->used = 0;
}

void schedule_start(struct team *team)
{
    const struct extent *block = &team->grid->block;
    struct scheduler *scheduler = &team->scheduler;
    uint32_t threads = block->x * block->y * block->z;

    scheduler->model = host.model;
    scheduler->order = host.order;
    scheduler->threads = threads;
    scheduler->warps = (threads + WARP_LANES - 1) / WARP_LANES;
    scheduler->started = false;
    scheduler->exited = scheduler->syncing = scheduler->waiting_count = 0;
    scheduler->meeting = 0;
    scheduler->deferred = false;
    scheduler->barrier = NULL;
    scheduler->group = 0;
    index_fibers(team, block);
    prepare_fibers(team, threads);
    if (threads > team->used)
        team->used = threads;
    if (scheduler->model == MODEL_ITS) {
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
        uint32_t lanes = threads - w * WARP_LANES;
        scheduler->warp[w] = (struct warp){
            .runnable = lanes >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1,
            .steps = 1,
        };
    }
    scheduler->current_warp = 0;
    if (scheduler->model == MODEL_LOCKSTEP)
        choose_warp(scheduler, false);
}

bool schedule_is_done(const struct team *team)
{
    return team->scheduler.exited == team->scheduler.threads;
}

/* Threads that wait for child grids hold up their block once no other can run. */
bool schedule_can_run(const struct team *team)
{
    const struct scheduler *scheduler = &team->scheduler;

    return scheduler->syncing + scheduler->meeting == 0 ||
           scheduler->exited + scheduler->waiting_count + scheduler->syncing + scheduler->meeting <
               scheduler->threads;
}

void schedule_run(void)
{
    struct fiber *first = next_fiber(&host.team->scheduler);

    if (first == NULL) /* it gave way at once */
        return;
    host.current = first;
    host.running = true;
    fiber_switch(&host.scheduler_stack, first->stack_pointer);
    host.running = false;
    account_steps();
}
