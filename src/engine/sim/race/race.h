/* SPDX-License-Identifier: MIT
 *
 * Races: two accesses of one place, at least one of them a write, that no order of the CUDA model
 * puts one before the other. What orders is in docs/races.md.
 *
 * The engine tells what its threads do; it calls nothing here unless race_on. A thread is named by
 * its block and its number in it.
 */
#ifndef SIMTCHECK_RACE_RACE_H
#define SIMTCHECK_RACE_RACE_H

#include "engine.h"
#include "instructions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct happens_before;
struct cell;

/* What is kept of each thread, grid, launching block and resident block; written here alone, but
 * for what is said to be the engine's. */
struct race_thread {
    uint32_t time;       /* grows with each order that it gives to others; lockstep: the engine's,
                            steps of its warp */
    uint32_t exit_epoch; /* barriers its block had passed when it exited */
    const struct happens_before *before;    /* its next access, beyond what its block has */
    const struct happens_before *fenced[2]; /* at its last fence: of its block, device */
    const struct happens_before
        *seen[2];     /* by atomics, and not behind a fence yet: in its block, device */
    uintptr_t looked; /* the word that its last strong read was of, and what was handed on there */
    const struct happens_before *found[2];
};

struct race_grid {
    /* The engine's. */
    const struct race_grid *parent; /* null: launched by the host */
    const char *kernel;             /* its name */
    struct extent block;
    uint64_t serial; /* order of launches */
    bool is_tail;
    uint32_t tail_index; /* its place among its parent's tail launches */
    /* Who launched it, what comes before all of its threads, and what its blocks did besides. */
    uint32_t parent_block, parent_thread;
    const struct happens_before *before, *done;
};

struct race_launcher {
    const struct happens_before *done;      /* what its complete child grids did */
    const struct happens_before *last_done; /* likewise the last of its null stream */
};

struct race_block {
    struct race_grid *grid;
    uint32_t serial; /* of the block, from 1 on */
    uint32_t epoch;  /* barriers passed */
    uint32_t thread_count;
    const struct happens_before *before;
    bool informed; /* more comes before it than before its grid at first */
    bool exits;    /* threads had exited when others passed a barrier */
    bool fences;   /* there were fences or strong accesses since the last barrier */
    /* Of its threads, in front of a barrier; as in struct race_thread. */
    const struct happens_before *fenced[2], *seen[2];
    struct cell *shared_cells;
    size_t used_low, used_high; /* of those, the ones in use */
    uint32_t cells_job;         /* number of the job that used them last */
    /* Lane i comes after lane j up to that time; may be null. */
    uint32_t (*lane_times[SIMT_BLOCK_THREADS / SIMT_WARP_LANES])[SIMT_WARP_LANES];
    struct race_thread threads[SIMT_BLOCK_THREADS];
};

/* What comes before those who have come to a barrier with a number, and their fences, and what they
 * have seen. */
struct race_meeting {
    const struct happens_before *before, *fenced[2], *seen[2];
};

/* Where accesses can race, and what the engine does for the checker. */
struct race_memory {
    uintptr_t global_base, shared_base;
    size_t global_size, shared_size;                          /* bytes */
    void (*name)(uintptr_t address, char *name, size_t size); /* such as "in[3]" */
    void (*out_of_memory)(void);                              /* the job is to end with a fault */
};

/* ---- A job ---- */

extern bool race_on; /* between race_start() and race_finish() */

/* Starts looking for races under that model. `used` is the bytes of global memory that are in use.
 * False when there is no memory. */
bool race_start(const struct race_memory *memory, size_t used, enum model model);
/* Of a job: pairs of places in the source that race; of strong accesses there that nothing orders;
 * and accesses that were held against others. */
struct race_count {
    size_t races, unordered;
    size_t same; /* of the races: those where all writes are of one value */
    uint64_t checked;
};

/* Describes what was found, races first, on the stack of engine_run(), and forgets all. */
struct race_count race_finish(struct race *races, size_t capacity);
void race_close(void);

/* ---- Accesses ---- */

/* Before an access; `code` is a return address. */
void race_access(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int access, const void *code);
/* Before an atomic access. */
void race_atomic(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 enum simt_scope scope, const struct simt_site *site);
/* Before a strong access of that kind: ACCESS_WRITE or not, or ACCESS_ATOMIC. `place` is a struct
 * simt_place. */
void race_strong(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int kind, enum simt_scope scope, enum simt_order order,
                 const void *place);
void race_fence(struct race_block *block, uint32_t thread, enum simt_scope scope);

/* Memory is another's from now on: what was done there before is forgotten. */
void race_renew(uintptr_t address, size_t size);

/* How far from its address a byte of shared memory lies. */
extern uintptr_t race_shared_shift;

/* An access that was found to race has been made: the value it wrote is there. To be called before
 * anything else runs where race_unsettled. */
void race_settle(void);
extern bool race_unsettled;

/* ---- Threads, blocks and grids ---- */

/* A block starts. */
void race_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                      uint32_t thread_count);
void race_end_block(struct race_block *block);
void race_free_block(struct race_block *block);
void race_exit(struct race_block *block, uint32_t thread);
/* The lanes of a mask have met at a __syncwarp(). */
void race_sync_warp(struct race_block *block, uint32_t warp, uint32_t lanes);
/* A thread comes to a barrier with a number. And one goes on from there. */
void race_arrive(struct race_block *block, uint32_t thread, struct race_meeting *meeting);
void race_leave(struct race_block *block, uint32_t thread, const struct race_meeting *meeting);
/* All threads of the block that have not exited are at a barrier. */
void race_barrier(struct race_block *block, bool exited);

/* The thread launches a child. */
void race_launch(struct race_grid *child, const struct race_launcher *launcher,
                 struct race_block *block, uint32_t thread, enum simt_stream stream);
/* The first tail launch of a grid may start. */
void race_first_tail(struct race_grid *tail);
/* A child grid is complete; `next` is the one that waited for it in its stream, or null. */
void race_complete(struct race_grid *grid, struct race_launcher *launcher, enum simt_stream stream,
                   struct race_grid *parent, struct race_grid *next);
/* The thread has waited for its block's child grids. */
void race_wait(struct race_block *block, uint32_t thread, const struct race_launcher *launcher);

#endif
