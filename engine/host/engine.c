/* SPDX-License-Identifier: MIT
 *
 * The host engine's side of engine.h, and what it provides to kernels (dialect.h).
 */
#include "host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

struct engine host;

/* Two ticks without a step mean a loop without an access; see on_tick(). */
enum { TICK_MICROSECONDS = 100000, ALTERNATE_STACK = 65536 };

static char alternate_stack[ALTERNATE_STACK];

struct extent simt_thread_index(void);
struct extent simt_block_index(void);
struct extent simt_block_extent(void);
struct extent simt_grid_extent(void);
unsigned int simt_lane(void);

struct extent simt_thread_index(void)
{
    return host.current->index;
}

struct extent simt_block_index(void)
{
    return host.team->block;
}

struct extent simt_block_extent(void)
{
    return host.team->grid->block;
}

struct extent simt_grid_extent(void)
{
    return host.team->grid->extent;
}

unsigned int simt_lane(void)
{
    return host.current->number % WARP_LANES;
}

static bool record(enum fault_kind kind, const char *format, va_list values)
{
    struct fault *fault = &host.fault;
    size_t used = 0;

    if (fault->kind != FAULT_NONE)
        return false;
    fault->kind = kind;
    if (host.current != NULL) {
        fault->block = host.team->block;
        fault->thread = host.current->index;
        used = (size_t)snprintf(fault->text, sizeof fault->text,
                                "thread (%u,%u,%u) of block (%u,%u,%u) ", fault->thread.x,
                                fault->thread.y, fault->thread.z, fault->block.x, fault->block.y,
                                fault->block.z);
        if (host.team->grid->depth > 0)
            used += (size_t)snprintf(fault->text + used, sizeof fault->text - used,
                                     "of a grid at depth %u ", host.team->grid->depth);
    }
    vsnprintf(fault->text + used, sizeof fault->text - used, format, values);
    return true;
}

static void record_at(enum fault_kind kind, const struct simt_site *site, const char *format,
                      va_list values)
{
    if (!record(kind, format, values))
        return;
    source_shorten(site->file, host.fault.file, sizeof host.fault.file);
    host.fault.line = site->line;
}

void host_record(enum fault_kind kind, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record(kind, format, values);
    va_end(values);
}

void host_record_at(enum fault_kind kind, const struct simt_site *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    record_at(kind, site, format, values);
    va_end(values);
}

static _Noreturn void abandon_fiber(void)
{
    void *abandoned;
    host.running = false;
    fiber_switch(&abandoned, host.scheduler_stack);
    __builtin_unreachable();
}

_Noreturn void host_fault(enum fault_kind kind, const void *site, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (record(kind, format, values))
        host.fault_site = site;
    va_end(values);
    abandon_fiber();
}

_Noreturn void host_fault_at(enum fault_kind kind, const struct simt_site *site, const char *format,
                             ...)
{
    va_list values;
    va_start(values, format);
    record_at(kind, site, format, values);
    va_end(values);
    abandon_fiber();
}

/* Adds the source line to a fault. Not done where the fault arose: looking a line up takes more
 * stack than a fiber has. */
static void locate_fault(void)
{
    struct fault *fault = &host.fault;
    size_t used = strlen(fault->text);

    if (fault->line == 0 &&
        (host.fault_site == NULL ||
         !source_line(host.fault_site, fault->file, sizeof fault->file, &fault->line)))
        return;
    snprintf(fault->text + used, sizeof fault->text - used, " (%s:%d)", fault->file, fault->line);
}

/* As a return address, which stands after its instruction. */
static const void *interrupted_at(const void *context)
{
    const ucontext_t *machine = context;
#if defined(__x86_64__)
    return (const char *)machine->uc_mcontext.gregs[REG_RIP] + 1;
#else
    return (const char *)machine->uc_mcontext.pc + 1;
#endif
}

/* A handler that will not return takes its signal off the mask. */
static void unblock(int number)
{
    sigset_t unblocked;

    sigemptyset(&unblocked);
    sigaddset(&unblocked, number);
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
}

/* The deadline has passed. A kernel that makes accesses sees `overdue` at its next scheduling
 * event; one that makes none is left from here. The callbacks are short, so a fiber that has made
 * no step since the last tick is in kernel code and holds no lock. */
static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (!host.running)
        return;
    if (host.busy || !host.overdue || host.watched_countdown != host.countdown ||
        host.watched_steps != host.steps) {
        host.overdue = true;
        host.countdown = 0; /* a decrement in flight may undo this; the next tick tries again */
        host.watched_countdown = host.countdown;
        host.watched_steps = host.steps;
        return;
    }
    unblock(number);
    host_fault(FAULT_DEADLINE, interrupted_at(context), "is past the deadline of %g s",
               host.limits.deadline_seconds);
}

/* A thread has overrun its stack without an access on the way; anything else is a crash. */
static void on_bad_address(int number, siginfo_t *info, void *context)
{
    if (!host.running || !memory_is_stack_guard(info->si_addr)) {
        signal(number, SIG_DFL); /* and back to it */
        return;
    }
    unblock(number);
    host_fault(FAULT_STACK, interrupted_at(context), "uses more than %d bytes of stack",
               STACK_BYTES);
}

static void set_deadline(double seconds)
{
    struct itimerval timer = {0};

    if (seconds > 0) {
        timer.it_value.tv_sec = (time_t)seconds;
        timer.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) + 1;
        timer.it_interval.tv_usec = TICK_MICROSECONDS;
    }
    host.overdue = false;
    setitimer(ITIMER_REAL, &timer, NULL);
}

const char *engine_name(void)
{
    return "host";
}

unsigned int engine_threads(void)
{
    return 1;
}

enum engine_status engine_open(const struct engine_limits *limits, struct engine **engine,
                               char *reason, size_t reason_size)
{
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigaction bad_address = {.sa_sigaction = on_bad_address,
                                    .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};

    *engine = NULL;
    if (host.open) {
        snprintf(reason, reason_size, "a process has one host engine, and it is open already");
        return ENGINE_ERROR;
    }
    memset(&host, 0, sizeof host);
    if (!memory_open(reason, reason_size))
        return ENGINE_ERROR;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGALRM, &action, NULL) != 0 ||
        sigaction(SIGSEGV, &bad_address, NULL) != 0) {
        snprintf(reason, reason_size, "cannot set up signal handlers: %s", strerror(errno));
        memory_close();
        return ENGINE_ERROR;
    }
    host.limits = *limits;
    host.open = true;
    *engine = &host;
    return ENGINE_OK;
}

void engine_close(struct engine *engine)
{
    if (engine == NULL)
        return;
    set_deadline(0);
    while (host.free_teams != NULL) {
        struct team *team = host.free_teams;
        host.free_teams = team->next;
        memory_free_stacks(team);
        free(team);
    }
    free(host.teams);
    free(host.ready);
    free(host.launch_records);
    race_close();
    memory_close();
    source_close();
    engine->open = false;
}

void engine_describe(struct engine *engine, char *text, size_t size)
{
    (void)engine;
    snprintf(text, size, "host engine, %s, compiled by %s",
#if defined(__x86_64__)
             "x86-64",
#else
             "aarch64",
#endif
             __VERSION__);
}

/* The profile of each job decides. */
const char *engine_lacks(const struct engine *engine, enum need need)
{
    (void)engine;
    (void)need;
    return NULL;
}

size_t engine_batch(const struct engine *engine)
{
    (void)engine;
    return 1;
}

static struct nesting with_defaults(struct nesting nesting)
{
    if (nesting.pending == 0)
        nesting.pending = DEFAULT_PENDING;
    if (nesting.wait_depth == 0)
        nesting.wait_depth = DEFAULT_WAIT_DEPTH;
    if (nesting.depth == 0)
        nesting.depth = DEFAULT_DEPTH;
    return nesting;
}

/* How often a random schedule changes from block to block: a child that is to come and go while
 * one thread of its parent stands still needs a schedule that seldom does. */
static const uint32_t yield_spans[] = {2, 8, 64, 1024};
enum { YIELD_SPANS = sizeof yield_spans / sizeof *yield_spans };

static enum engine_status run_job(const struct engine_job *job)
{
    const struct invocation *invocation = job->invocation;
    const char *error =
        grid_launch_error(&invocation->grid, &invocation->block, invocation->shared_bytes);
    bool launches = invocation->kernel != NULL, ran;
    const struct simt_kernel *kernel = launches ? simt_kernel_find(invocation->kernel) : NULL;

    host.fault = (struct fault){0};
    host.fault_site = NULL;
    host.current = NULL;
    host.steps = 0;
    host.counting = job->count && job->model == MODEL_LOCKSTEP;
    host.counted_lanes = 0;
    host.counters = (struct engine_counters){0};
    host.budget = host.limits.steps != 0 ? host.limits.steps
                                         : grid_step_budget(&invocation->grid, &invocation->block);
    host.invocation = invocation;
    host.model = job->model;
    host.order = job->schedule.kind;
    host.random_state = values_hash(job->schedule.seed, 0);
    host.yield_span = yield_spans[host.random_state % YIELD_SPANS];
    memset(host.delays, 0, sizeof host.delays);
    if (job->schedule.kind == SCHEDULE_DELAYS)
        memcpy(host.delays, job->schedule.delays, sizeof job->schedule.delays);
    host.next_delay = 0;
    host.points = 0;
    host.racing = false;
    host.nesting = with_defaults(job->nesting);
    host.race_count = 0;
    host.children = host.child_threads = host.failed_launches = 0;
    host.deepest = 0;
    if (launches && (kernel == NULL || error != NULL)) {
        host_record(FAULT_LAUNCH, "%s",
                    error != NULL ? error : "this program has no kernel of that name");
        return ENGINE_OK;
    }
    if (!memory_place(job->values)) {
        host_record(FAULT_CRASH, "the buffers do not fit the host engine's address space");
        return ENGINE_ERROR;
    }
    host.racing = job->races != NULL;
    if (host.racing && !race_start()) {
        host_record(FAULT_CRASH, "there is no memory to look for races");
        return ENGINE_ERROR;
    }
    set_deadline(host.limits.deadline_seconds);
    ran = !launches || grid_run(kernel, job->schedule.seed);
    set_deadline(0);
    if (host.racing)
        host.race_count = race_finish(job->races, job->race_capacity);
    grid_release();
    if (!ran) {
        host_record(FAULT_CRASH, "out of memory");
        return ENGINE_ERROR;
    }
    if (host.fault.kind == FAULT_NONE)
        memory_collect(job->results);
    else
        locate_fault();
    memory_release();
    return ENGINE_OK;
}

enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes)
{
    (void)engine;
    for (size_t i = 0; i < count; i++) {
        enum engine_status status = run_job(&jobs[i]);
        outcomes[i] = (struct engine_outcome){
            .fault = host.fault,
            .steps = host.steps,
            .points = host.model == MODEL_LOCKSTEP ? host.points : host.steps,
            .counters = host.counters,
            .race_count = host.race_count,
            .children = host.children,
            .child_threads = host.child_threads,
            .failed_launches = host.failed_launches,
            .deepest = host.deepest,
        };
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[i];
            return status;
        }
    }
    return ENGINE_OK;
}
