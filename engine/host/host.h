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

enum access { ACCESS_READ, ACCESS_WRITE };

/* `struct simt_site` of the dialect: where a barrier stands. */
struct simt_site {
    const char *file;
    int line;
};

struct fiber {
    void *stack_pointer;
    char *stack;         /* its low end */
    struct extent index; /* threadIdx */
    uint32_t number;     /* x + y*Dx + z*Dx*Dy */
    const void *site;    /* lockstep: the access it is stopped at */
    bool prepared;       /* its stack is ready for another run of a kernel */
};

struct warp {
    uint32_t runnable; /* lanes that neither wait nor have exited */
    uint32_t stopped;  /* runnable lanes that are stopped before an access */
    uint32_t waiting;  /* lanes at the barrier */
};

/* The block that is running. */
struct scheduler {
    enum model model;
    enum schedule_kind order;
    uint64_t random_state;
    uint32_t threads, warps;
    uint32_t waiting_count;          /* threads at the barrier */
    const struct simt_site *barrier; /* where the first of them arrived */
    uint32_t barrier_thread;
    /* its: threads still to run before the next barrier, then those that have arrived at it */
    uint16_t *ready, *arrived;
    uint32_t head, tail;
    uint16_t queues[2][MAX_BLOCK_THREADS];
    /* lockstep */
    struct warp warp[MAX_WARPS];
    uint32_t current_warp;
    uint32_t group; /* lanes that still have to do the current step */
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

    struct engine_limits limits;
    bool open;
    /* The job. */
    const struct simt_kernel *kernel;
    const struct invocation *invocation;
    void *argument_values[MAX_ARGUMENTS];
    void *arguments[MAX_ARGUMENTS];
    struct placed_buffer buffers[MAX_BUFFERS];
    size_t used; /* bytes of the global arena */
    uint64_t steps, granted, budget;
    struct extent block;
    struct fault fault;
    const void *fault_site;   /* code address, to be looked up */
    uint8_t *shared_template; /* shadow of shared memory at the start of the kernel's blocks */
    const struct simt_kernel *shared_template_of;
    /* Threads. */
    struct scheduler scheduler;
    struct fiber fibers[MAX_BLOCK_THREADS];
    void *scheduler_stack; /* where engine_run() waits while fibers run */
    void *stack_memory;
    char *stacks;              /* that of thread k starts at stacks + k * STACK_STRIDE */
    struct extent indexed_for; /* block extent that the fibers' indices were computed for */
    /* The step of a warp that is being counted. */
    bool counting;
    enum access counted_access;
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
/* Is the address in the pages that lie below all stacks? */
bool memory_is_stack_guard(const void *address);
/* Places and fills the job's buffers; false when the arena is too small. */
bool memory_place(struct values values);
void memory_start_block(void);
/* Faults if an output has an unwritten element, else copies the results out. */
void memory_collect(void *const results[MAX_BUFFERS]);
void memory_release(void);
_Noreturn void memory_fault(uintptr_t address, size_t size, enum access access, const void *site);
/* An access outside global and shared memory: the thread's own locals, or a fault. */
void memory_other(uintptr_t address, size_t size, enum access access, const void *site);

/* schedule.c */
/* Faults when the current thread has overrun its stack. */
void schedule_check_stack(const void *site);
void schedule_start(void);
void schedule_finish(void);
/* Runs all threads of host.block until they have exited or host.fault is set. */
void schedule_block(void);
/* Called when the countdown ran out, before the access that made it so. */
void schedule_event(uintptr_t address, size_t size, enum access access, const void *site);
void schedule_grant(void);

/* counters.c: an access of a lane that goes together with the others up to counters_flush(). */
void counters_add(uintptr_t address, size_t size, enum access access);
void counters_flush(void);

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
