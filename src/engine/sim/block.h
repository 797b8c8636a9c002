/* SPDX-License-Identifier: MIT
 *
 * Grids, the blocks of them that are resident, and their threads. Plain data: who changes what is
 * said beside it.
 */
#ifndef SIMTCHECK_HOST_BLOCK_H
#define SIMTCHECK_HOST_BLOCK_H

#include "engine.h"
#include "expect.h"
#include "fiber.h"
#include "kernel.h"
#include "race.h"
#include "stacks.h"

enum { MAX_WARPS = SIMT_BLOCK_THREADS / SIMT_WARP_LANES };

enum { SPIN_WORDS = 16 };

/* What a thread has seen in words that it looks at: spin.c. */
struct spin {
    uint32_t count, next; /* of the words, and where the next goes */
    uint32_t looks;       /* at those that found nothing new */
    uint32_t meetings;    /* warp operations since the last look */
    const void *code;     /* where it waits, as a return address or a site */
    const struct simt_site *site;
    struct {
        uintptr_t address;
        uint64_t value[2]; /* up to 16 bytes */
    } seen[SPIN_WORDS];
};

/* One GPU thread. What every run of one touches stands first, for it lies in few cache lines. */
struct thread {
    struct fiber fiber;
    char *stack;         /* its low end */
    struct extent index; /* threadIdx */
    uint32_t number;     /* x + y*Dx + z*Dx*Dy */
    int error;           /* of its last failed launch, as cudaGetLastError() gives it */
    bool prepared;       /* its stack is ready for another run of a kernel */
    bool exited;
    bool delayed;           /* its: held back by the schedule */
    bool is_missed_nowhere; /* it has exited, and that is no divergence: barrier.c */
    bool returned_last;     /* it has exited, and nothing followed its last `return` */
    bool has_looked;        /* at words that others can change: its struct spin is in use */
    /* The last barrier and the last `return` that it came to; null: none. */
    const struct simt_site *barrier;
    const char *returned_from;
    const struct simt_site *atomic; /* the atomic access that it makes: access.c */
    const struct simt_frame *frame; /* of its innermost call that has one; null: none has */
    const struct numbered_barrier *meets_at; /* races: it is to be told who come there; or null */
    const void *site;                        /* lockstep: the access it is stopped at */
    const char *barrier_function;
    int returned_line;
    uint64_t returned_at; /* steps that had been made */
    /* The collective it waits at. */
    enum simt_collective collective;
    uint32_t mask;
    uint64_t given, taken; /* the values it exchanges */
    unsigned int source;   /* lane */
    const struct simt_site *collective_site;
    struct async *async; /* its copies that are not made yet; null: none were asked for */
};

/* schedule.c */
struct warp {
    uint32_t runnable; /* lanes that neither wait nor have exited */
    uint32_t stopped;  /* runnable lanes that are stopped before an access */
    uint32_t waiting;  /* lanes at the barrier */
    uint32_t syncing;  /* lanes that wait for child grids */
    uint32_t meeting;  /* lanes that wait at a collective */
    uint32_t steps;    /* that it has made */
    bool delayed;      /* held back by the schedule */
    bool spinning;     /* its lanes wait in a loop, and other warps go first */
    /* counters.c: the interval between barriers, from 1 on, in which it was counted last, and
     * whether as split. */
    uint64_t counted_in;
    bool counted_split;
};

/* The threads of one block, and which of them runs next: schedule.c. */
struct scheduler {
    enum model model;
    enum schedule_kind order;
    uint32_t threads, warps;
    bool started;           /* a thread has run */
    uint32_t exited;        /* threads that are done */
    uint64_t barriers;      /* that it has passed, while counters_on */
    uint32_t syncing;       /* threads that wait for child grids */
    uint32_t meeting;       /* threads that wait at collectives */
    bool deferred;          /* none can run that is not held back, and other blocks go first */
    bool spinning;          /* all that can run wait in loops, and other blocks go first */
    uint32_t idle;          /* turns of waiting threads since something else was done */
    uint64_t progress;      /* at the last of them: spin.c */
    uint32_t waiting_count; /* threads at the barrier */
    const struct simt_site *barrier; /* where the first of them arrived */
    const char *barrier_function;
    uint32_t barrier_thread;
    uint32_t exits_judged;       /* of those exited: barrier.c */
    const struct thread *passer; /* may have passed by this barrier; null: nobody */
    const struct simt_site *passed;
    /* its: threads still to run before the next barrier, then those that have arrived at it */
    uint16_t *ready, *arrived;
    uint32_t head, tail;
    uint16_t queues[2][SIMT_BLOCK_THREADS];
    uint16_t waiters[SIMT_BLOCK_THREADS]; /* those that wait for child grids */
    /* lockstep */
    struct warp warp[MAX_WARPS];
    uint32_t current_warp;
    uint32_t group; /* lanes that still have to do the current step */
};

/* A barrier of PTX that has a number: translated.c. */
enum { NUMBERED_BARRIERS = 16 };

struct numbered_barrier {
    uint32_t count; /* threads it waits for; 0: all */
    bool aligned;
    const struct simt_site *site; /* where the first of them came */
    uint32_t arrived, trues;      /* trues: of those, with a true vote */
    uint32_t rounds, result;      /* completed; what the last one gave */
    struct race_meeting came;
};

/* What one block has launched, which outlives the block: grids.c. */
struct launcher {
    struct resident_block *block; /* while it runs */
    struct grid *last;            /* the last in its null stream, while that is not complete */
    uint32_t open;                /* its child grids that are not complete */
    struct race_launcher race;
};

/* A launched grid, and what has come of it: grids.c. */
struct grid {
    void (*function)(void);
    const char *symbol; /* of the function, from its first block on; null: not known */
    simt_invoke invoke;
    struct extent extent, block;
    uint32_t shared_bytes;       /* dynamic */
    void *const *arguments;      /* the host's, or `copied` */
    void *copied[MAX_ARGUMENTS]; /* into argument_words: of a nested launch */
    uint64_t argument_words[MAX_ARGUMENTS][2];
    struct grid *parent; /* null: launched by the host */
    struct launcher *launcher;
    uint32_t depth;  /* 0: launched by the host */
    uint64_t serial; /* order of launches */
    enum simt_stream stream;
    uint64_t blocks, started, finished;
    uint32_t *permutation;               /* of its blocks; null: in order */
    uint32_t open;                       /* child grids, but for tail launches, not complete */
    struct grid *first_tail, *last_tail; /* tail launches not complete; the first may run */
    struct grid *next;                   /* in its block's null stream, or among the tails */
    struct grid *created;                /* the one launched before it, to be freed */
    bool tails_run;                      /* the first of them was let go */
    uint32_t tails;                      /* its own tail launches */
    struct race_grid race;
};

/* A block that has started and is not done, with the fibers for its threads: grids.c. */
struct resident_block {
    struct resident_block *next; /* of those that are free */
    struct grid *grid;
    struct launcher *launches; /* null: it has launched nothing */
    struct extent index;       /* blockIdx */
    struct scheduler scheduler;
    struct numbered_barrier barriers[NUMBERED_BARRIERS];
    struct thread threads[SIMT_BLOCK_THREADS];
    struct spin spins[SIMT_BLOCK_THREADS]; /* of the threads */
    struct extent indexed_for; /* block extent that the threads' indices were computed for */
    uint32_t used;             /* threads that have run in the job */
    struct stacks stacks;
    char *shared_copy; /* shared memory and its shadow, while another block runs; null: untouched */
    struct race_block race;
};

/* Who runs: schedule.c. Null where nobody does. */
struct current {
    struct thread *thread;
    struct resident_block *block;
};

extern struct current current;

#endif
