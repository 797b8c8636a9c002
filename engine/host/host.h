/* SPDX-License-Identifier: MIT
 *
 * What the parts of the host engine share. There is one host engine a process, and it is a global
 * object: the compiler's callbacks carry an address and nothing else.
 */
#ifndef SIMTCHECK_ENGINE_HOST_HOST_H
#define SIMTCHECK_ENGINE_HOST_HOST_H

#include "engine.h"
#include "fiber.h"
#include "kernel.h"

#include <signal.h>
#include <stdbool.h>

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

enum {
    MAX_BLOCK_THREADS = 1024,
    WARP_LANES = 32,
    MAX_WARPS = MAX_BLOCK_THREADS / WARP_LANES,
};

/* Shadow state of a byte of global or shared memory. */
enum {
    SHADOW_READABLE = 1,
    SHADOW_WRITTEN = 2,
    SHADOW_WRITABLE = 4,
};

/* `struct simt_site` of the dialect: where a barrier stands. */
struct simt_site {
    const char *file;
    int line;
};

/* What the lanes of a warp do together, when all that a mask names have come. */
enum collective { COLLECTIVE_SYNC, COLLECTIVE_SHUFFLE, COLLECTIVE_BALLOT, COLLECTIVE_MATCH };

/* Scopes of atomics and fences, as the dialect numbers them. */
enum scope { SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };

struct knowledge;

/* One GPU thread. */
struct fiber {
    void *stack_pointer;
    char *stack;         /* its low end */
    struct extent index; /* threadIdx */
    uint32_t number;     /* x + y*Dx + z*Dx*Dy */
    const void *site;    /* lockstep: the access it is stopped at */
    int error;           /* of its last failed launch, as cudaGetLastError() gives it */
    bool prepared;       /* its stack is ready for another run of a kernel */
    bool exited;
    bool delayed; /* its: held back by the schedule */
    /* The collective it waits at. */
    enum collective collective;
    uint32_t mask;
    uint64_t given, taken; /* the values it exchanges */
    unsigned int source;   /* lane */
    const struct simt_site *collective_site;
    /* Race checking. */
    uint32_t time;                 /* grows with each order that it gives to others */
    uint32_t exit_epoch;           /* barriers its block had passed when it exited */
    const struct knowledge *known; /* what comes before it, beyond what its block knows */
    const struct knowledge *fenced[SCOPE_SYSTEM + 1]; /* at its last fence of that scope */
    const struct knowledge
        *seen[2]; /* by atomics, and not behind a fence yet: in its block, device */
};

struct warp {
    uint32_t runnable; /* lanes that neither wait nor have exited */
    uint32_t stopped;  /* runnable lanes that are stopped before an access */
    uint32_t waiting;  /* lanes at the barrier */
    uint32_t syncing;  /* lanes that wait for child grids */
    uint32_t meeting;  /* lanes that wait at a collective */
    uint32_t steps;    /* that it has made */
    bool delayed;      /* held back by the schedule */
};

/* The threads of one block, and which of them runs next. */
struct scheduler {
    enum model model;
    enum schedule_kind order;
    uint32_t threads, warps;
    bool started;           /* a thread has run */
    uint32_t exited;        /* threads that are done */
    uint32_t syncing;       /* threads that wait for child grids */
    uint32_t meeting;       /* threads that wait at collectives */
    bool deferred;          /* none can run that is not held back, and other blocks go first */
    uint32_t waiting_count; /* threads at the barrier */
    const struct simt_site *barrier; /* where the first of them arrived */
    uint32_t barrier_thread;
    /* its: threads still to run before the next barrier, then those that have arrived at it */
    uint16_t *ready, *arrived;
    uint32_t head, tail;
    uint16_t queues[2][MAX_BLOCK_THREADS];
    uint16_t waiters[MAX_BLOCK_THREADS]; /* those that wait for child grids */
    /* lockstep */
    struct warp warp[MAX_WARPS];
    uint32_t current_warp;
    uint32_t group; /* lanes that still have to do the current step */
};

/* What one block has launched, which outlives the block. */
struct launcher {
    struct team *team;                 /* the block, while it runs */
    struct grid *last;                 /* the last in its null stream, while that is not complete */
    uint32_t open;                     /* its child grids that are not complete */
    const struct knowledge *done;      /* what its complete child grids did */
    const struct knowledge *last_done; /* likewise the last of its null stream */
};

/* As the runtime numbers them. */
enum {
    ERROR_CONFIGURATION = 9,
    ERROR_MAX_DEPTH = 65,
    ERROR_SYNC_DEPTH = 68,
    ERROR_PENDING_COUNT = 69,
    ERROR_RESOURCE_HANDLE = 400,
};

enum stream { STREAM_NULL, STREAM_TAIL, STREAM_FIRE_AND_FORGET }; /* as the dialect numbers them */

/* A launched grid, and what has come of it. */
struct grid {
    void (*function)(void);
    simt_invoke invoke;
    struct extent extent, block;
    void *arguments[MAX_ARGUMENTS];
    uint64_t argument_words[MAX_ARGUMENTS][2];
    struct grid *parent; /* null: launched by the host */
    struct launcher *launcher;
    uint32_t depth;  /* 0: launched by the host */
    uint64_t serial; /* order of launches */
    enum stream stream;
    uint64_t blocks, started, finished;
    uint32_t *permutation;               /* of its blocks; null: in order */
    uint32_t open;                       /* child grids, but for tail launches, not complete */
    struct grid *first_tail, *last_tail; /* tail launches not complete; the first may run */
    struct grid *next;                   /* in its block's null stream, or among the tails */
    struct grid *created;                /* the one launched before it, to be freed */
    bool tails_run;                      /* the first of them was let go */
    /* Race checking. */
    uint32_t parent_block, parent_thread; /* who launched it */
    uint32_t tail_index, tails;           /* its place among its parent's tails; its own */
    const struct knowledge *known;        /* what comes before all of its threads */
    const struct knowledge *learned;      /* what its blocks have come to know besides */
};

/* A block that has started and is not done, with the fibers for its threads. */
struct team {
    struct team *next; /* of those that are free */
    struct grid *grid;
    struct launcher *launches; /* null: it has launched nothing */
    struct extent block;       /* blockIdx */
    struct scheduler scheduler;
    struct fiber fibers[MAX_BLOCK_THREADS];
    struct extent indexed_for; /* block extent that the fibers' indices were computed for */
    uint32_t used;             /* fibers that have run since schedule_finish() */
    void *stack_memory;
    char *stacks;      /* that of thread k starts at stacks + k * STACK_STRIDE */
    char *shared_copy; /* shared memory and its shadow, while another block runs; null: untouched */
    /* Race checking. */
    uint32_t serial; /* of the block, from 1 on */
    uint32_t epoch;  /* barriers passed */
    const struct knowledge *known;
    bool learned; /* it knows more than its grid did at first */
    bool exits;   /* threads had exited when others passed a barrier */
    struct cell *shared_cells;
    size_t touched_low, touched_high;              /* of those, the ones in use */
    uint32_t cells_job;                            /* number of the job that used them last */
    uint32_t (*lane_times[MAX_WARPS])[WARP_LANES]; /* lane i knows lane j up to that time; may be
                                                      null */
};

struct placed_buffer {
    const struct buffer *plan;
    char *base;
    size_t bytes;
};

struct engine {
    /* Read by every callback, so these come first. */
    int64_t countdown; /* accesses until host_event() must look */
    uintptr_t global_base;
    size_t global_size;
    uint8_t *global_shadow;
    uintptr_t shared_base;
    size_t shared_size;
    uint8_t *shared_shadow;
    struct fiber *current;
    bool shared_dirty;
    bool racing;                /* races are looked for */
    volatile sig_atomic_t busy; /* in what may take long and must not be left */
    size_t race_count;

    struct engine_limits limits;
    bool open;
    /* The job. */
    const struct invocation *invocation;
    enum model model;
    enum schedule_kind order;
    uint32_t delays[MAX_DELAYS + 1]; /* scheduling points, then 0 */
    uint32_t next_delay;
    uint64_t points; /* lockstep: steps of warps */
    uint64_t random_state;
    uint32_t yield_span; /* one of so many scheduling points lets another block go on */
    struct nesting nesting;
    struct placed_buffer buffers[MAX_BUFFERS];
    size_t used; /* bytes of the global arena */
    uint64_t steps, granted, budget;
    struct fault fault;
    const void *fault_site;   /* code address, to be looked up */
    uint8_t *shared_template; /* shadow of shared memory at the start of the kernel's blocks */
    void (*shared_template_of)(void);
    /* Grids and blocks. */
    struct team *team;   /* the block whose threads run */
    struct team **teams; /* started and not done, in order of start */
    uint32_t team_count, team_capacity;
    struct team *free_teams;
    struct grid **ready; /* grids with blocks to start, in order: ready[ready_head..ready_tail) */
    uint32_t ready_head, ready_tail, ready_capacity;
    struct grid *last_created;
    struct launcher **launch_records; /* to be freed */
    uint32_t launch_record_count, launch_record_capacity;
    uint64_t pending; /* child grids of which no block has started */
    uint64_t grids;
    bool nested; /* there has been a nested launch */
    uint64_t children, child_threads, failed_launches;
    uint32_t deepest;
    void *scheduler_stack; /* where engine_run() waits while fibers run */
    /* The step of a warp that is being counted. */
    bool counting;
    unsigned int counted_access;
    uint32_t counted_lanes;
    struct {
        uintptr_t address;
        size_t size;
    } counted[WARP_LANES];
    struct engine_counters counters;
    /* Deadline. */
    volatile sig_atomic_t running, overdue;
    int64_t watched_countdown;
    uint64_t watched_steps;
};

extern struct engine host;

/* Each stack is a little off a power of two, or the hot words of all stacks would share a few
 * cache sets. */
enum { STACK_BYTES = 32768, STACK_STRIDE = STACK_BYTES + 192 };

/* engine.c: records the job's fault, unless it has one, as a fault of the current thread. The
 * format says what the thread does, to follow "thread (x,y,z) of block (x,y,z)". */
void host_record(enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void host_record_at(enum fault_kind kind, const struct simt_site *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Records a fault at a code address (null: unknown) or at a barrier, and leaves the fiber. */
_Noreturn void host_fault(enum fault_kind kind, const void *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void host_fault_at(enum fault_kind kind, const struct simt_site *site, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

/* memory.c */
bool memory_open(char *reason, size_t reason_size);
void memory_close(void);
/* The array with room for `wanted` elements; null, and the array as it was, when memory runs out.
 */
void *memory_grown(void *array, uint32_t *capacity, uint32_t wanted, size_t size);
/* Gives a team its stacks; false when memory runs out. */
bool memory_make_stacks(struct team *team);
void memory_free_stacks(struct team *team);
/* Is the address in the pages that lie below all stacks? */
bool memory_is_stack_guard(const void *address);
/* "local", "shared", or null: is it memory that a child grid cannot be given? */
const char *memory_private(uintptr_t address);
/* Places and fills the job's buffers; false when the arena is too small. */
bool memory_place(struct values values);
/* Shared memory for a block that starts, and for one that gives way to another and goes on. */
void memory_start_block(void);
void memory_leave_block(struct team *team);
void memory_resume_block(struct team *team);
/* Faults if an output has an unwritten element, else copies the results out. */
void memory_collect(void *const results[MAX_BUFFERS]);
void memory_release(void);
_Noreturn void memory_fault(uintptr_t address, size_t size, unsigned int access, const void *site);
/* An access outside global and shared memory: the thread's own locals, or a fault. */
void memory_other(uintptr_t address, size_t size, unsigned int access, const void *site);
/* Names a place in a buffer or in shared memory, such as "in[3]". */
void memory_name(uintptr_t address, char *name, size_t size);

/* schedule.c */
/* Faults when the current thread has overrun its stack. */
void schedule_check_stack(const void *site);
/* Makes the team ready for the first step of a block. */
void schedule_start(struct team *team);
/* Looks for overrun stacks, once a launch from the host. */
void schedule_finish(struct team *team);
/* Runs threads of host.team until none can go on, one gives way to another block, or host.fault is
 * set. */
void schedule_run(void);
bool schedule_is_done(const struct team *team);
bool schedule_can_run(const struct team *team);
/* Something other than an access that lanes in lockstep do together, as they do those. */
void schedule_step(const void *site);
/* Lets the threads go on that wait for child grids. */
void schedule_wake(struct team *team);
/* The current thread waits at a collective, until its lane is released, ahead of other threads. */
void schedule_meet(const struct simt_site *site);
void schedule_release_lanes(uint32_t warp, uint32_t lanes);
/* The current thread gives way to other blocks. */
void schedule_yield(void);
uint32_t schedule_draw(uint32_t bound);

/* collective.c: lets lanes of the warp go on whose collective has all it waits for. */
void collective_meet(uint32_t warp);
/* A fault of a thread of the team that waits at a collective for ever; none: nothing. */
void collective_blame(struct team *team);

/* grid.c: runs host.invocation's kernel, and all that it launches. False when memory runs out. */
bool grid_run(const struct simt_kernel *kernel, uint64_t seed);
/* Forgets the grids of the last run. */
void grid_release(void);
/* Why a launch of that shape is refused; null: it is not. */
const char *grid_launch_error(const struct extent *grid, const struct extent *block,
                              uint32_t shared_bytes);
/* Far above what a grid of that shape needs, and soon reached by one that never ends. */
uint64_t grid_step_budget(const struct extent *grid, const struct extent *block);
/* Called when the countdown ran out, before the access that made it so. */
void schedule_event(uintptr_t address, size_t size, unsigned int access, const void *site);
void schedule_grant(void);

/* counters.c: an access of a lane that goes together with the others up to counters_flush(). */
void counters_add(uintptr_t address, size_t size, unsigned int access);
void counters_flush(void);

/* race.c: which accesses nothing orders. Called only while host.racing. */
/* Memory for the job's buffers; false when there is none. */
bool race_start(void);
/* Describes what was found, on the stack of engine_run(), and forgets all. Returns how many. */
size_t race_finish(struct race *races, size_t capacity);
void race_close(void);
void race_start_block(struct team *team);
void race_end_block(struct team *team);
void race_free_team(struct team *team);
/* Before an access; `site` is a code address. */
void race_access(uintptr_t address, size_t size, unsigned int access, const void *site);
/* Before an atomic access. */
void race_atomic(uintptr_t address, size_t size, enum scope scope, const struct simt_site *site);
void race_fence(enum scope scope);
/* The lanes of a mask have met at a __syncwarp(). */
void race_sync_warp(uint32_t warp, uint32_t lanes);
/* All threads of host.team that have not exited are at a barrier. */
void race_barrier(struct team *team);
/* A launch; the first tail launch of a grid, that may start; a grid that is complete; a thread that
 * has waited for its block's children. */
void race_launch(struct grid *child);
void race_first_tail(struct grid *tail);
void race_complete(struct grid *grid);
void race_wait(void);
/* An access that was found to race has been made: the value it wrote is there. */
void race_settle(void);
extern bool race_unsettled;

/* source.c: the source line of a code address; false when there is no debug information. */
bool source_line(const void *address, char *file, size_t file_size, int *line);
/* Copies the last two components of a path. */
void source_shorten(const char *path, char *file, size_t file_size);
/* Calls `visit` for each shared object of the executable: its offset and size in the thread-local
 * segment and its linker name. `kernel` is the linker name of the function at `function`. */
void source_shared_objects(const void *function,
                           void (*visit)(size_t offset, size_t size, const char *name,
                                         const char *kernel));
void source_close(void);

#endif
