/* SPDX-License-Identifier: MIT
 *
 * Data races: two accesses to one place, at least one of them a write, that the CUDA model does not
 * order. docs/races.md says what orders accesses.
 *
 * The engine reports what its threads do. It calls these functions only while race_on. A thread is
 * identified by its block and its number in the block.
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

enum { RACE_SCOPES = SIMT_DEVICE + 1 }; /* system scope counts as device scope */

/* State of each thread, grid, launching block and resident block. Only the checker writes it,
 * except for members that belong to the engine. */
struct race_thread {
    uint32_t time;       /* increases each time others are ordered after the thread. Lockstep: the
                            engine sets it to the steps of its warp */
    uint32_t rounds;     /* backward branches that it has taken; the engine counts them */
    uint32_t exit_epoch; /* barriers its block had passed when it exited */
    const struct happens_before *before; /* comes before its next access; null: the block's */
    /* By scope: the same at its last fence, and what strong reads found that no fence has acquired
     * yet. */
    const struct happens_before *fenced[RACE_SCOPES], *seen[RACE_SCOPES];
    uint64_t looked; /* the word of its last strong read, and what that read could acquire */
    size_t looked_size;
    const struct happens_before *found[RACE_SCOPES];
};

struct race_grid {
    /* Set by the engine. */
    const struct race_grid *parent; /* null: launched by the host */
    const char *kernel;             /* name of the kernel */
    struct extent block;
    uint64_t serial; /* order of launches */
    uint32_t launch; /* of the host: its number, or in later jobs the name under which it is kept */
    uint32_t name;
    bool is_tail;
    uint32_t tail_index; /* index among its parent's tail launches */
    /* The thread that launched it. What comes before all of its threads, and what its blocks did in
     * addition. */
    uint32_t parent_block, parent_thread;
    const struct happens_before *before, *done;
};

struct race_launcher {
    const struct happens_before *done; /* what its complete child grids did */
};

/* A stream of a block: its null stream, or one that it created. */
struct race_stream {
    const struct happens_before *last_done; /* what its last complete grid did */
};

struct race_block {
    struct race_grid *grid;
    uint32_t serial;  /* number of the block, from 1 */
    uint32_t cluster; /* set by the engine: number of its cluster, from 1; 0: no clusters */
    uint32_t epoch;   /* barriers passed */
    uint32_t thread_count;
    const struct happens_before *before;
    bool informed;   /* it has more predecessors than its grid had at the start */
    bool exits;      /* threads had exited when others passed a barrier */
    bool fences;     /* fences or strong accesses occurred since the last barrier */
    bool is_visited; /* other blocks or operations have accessed its shared memory */
    bool has_met;    /* set by the engine: a barrier of its cluster has been complete */
    bool has_ended;
    uint32_t last_exit; /* the thread that exited last, and the place of its last instruction */
    const void *last_place;
    const struct happens_before *exited; /* before the exits of threads that missed a barrier */
    /* Of its threads before a barrier, as in struct race_thread. */
    const struct happens_before *fenced[RACE_SCOPES], *seen[RACE_SCOPES];
    struct cell *shared_cells;
    size_t used_low, used_high; /* range of the shared cells in use */
    uint32_t cells_job;         /* number of the job that used them last */
    /* [i][j] of a warp: lane i comes after the accesses of lane j up to that time. May be null. */
    uint32_t (*lane_times[SIMT_BLOCK_THREADS / SIMT_WARP_LANES])[SIMT_WARP_LANES];
    struct race_thread threads[SIMT_BLOCK_THREADS];
};

/* What comes before the threads that arrived at a barrier with a number, what comes before their
 * fences, and what their strong reads have found. */
struct race_meeting {
    const struct happens_before *before, *fenced[RACE_SCOPES], *seen[RACE_SCOPES];
};

/* The memory that is checked, and functions that the engine provides. */
struct race_memory {
    uintptr_t global_base, shared_base;
    size_t global_size, shared_size; /* bytes */
    /* Sets the element that the instruction at `place` accesses there. */
    void (*name)(uintptr_t address, const struct simt_place *place, struct array_element *element);
    /* Returns where the bytes of global memory are. Null: at the addresses that are checked. */
    uintptr_t (*host)(uintptr_t address);
    void (*out_of_memory)(void);       /* must end the job with a fault */
    const struct array_element *focus; /* races on this element are marked; null: none */
};

/* ---- A job ---- */

extern bool race_on; /* true between race_start() and race_finish() */

/* Starts race detection under that model. `used` is the number of bytes of global memory in use.
 * Returns false if memory runs out. */
bool race_start(const struct race_memory *memory, size_t used, enum model model);
/* Counts of a job, by pairs of source locations: those that race, and those of strong accesses that
 * nothing orders. `checked` is the number of accesses that were compared with others. */
struct race_count {
    size_t races, unordered;
    size_t same; /* of the races: those in which all writes store one value */
    uint64_t checked;
};

/* Describes what was found, races first, and forgets all. Must run on the stack of engine_run(). */
struct race_count race_finish(struct race *races, size_t capacity);
void race_close(void);

/* ---- Accesses ---- */

/* Call before an access. `code` is the address of its struct simt_place. `access` of an
 * mbarrier.inval is ACCESS_WRITE | ACCESS_INVALIDATES. */
void race_access(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int access, const void *code);
/* Call before a strong access of that kind: a read, ACCESS_WRITE, or ACCESS_ATOMIC. With
 * ACCESS_VOLATILE it is an operation on an mbarrier: their order does not matter. `place` is a
 * struct simt_place. */
void race_strong(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                 unsigned int kind, enum simt_scope scope, enum simt_order order,
                 const void *place);
/* Weak memory: an access may read another write than the last one. While this is on, `read` names
 * the write that it reads, and `written` its own. What a write releases has its name. */
extern struct race_messages {
    bool is_on;
    bool is_stale;     /* it reads another write than the last */
    bool is_reduction; /* it returns nothing, and so acquires nothing */
    uint64_t read, written;
} race_messages;
/* Identifies a word, and the writes to it that have no other name. Shared memory has the same
 * addresses in every block, so the block that owns it is part of the identity. */
uint64_t release_word(uintptr_t address);

/* `order` is SIMT_ACQUIRE or SIMT_RELEASE for a fence that is only that, else SIMT_ACQ_REL. */
void race_fence(struct race_block *block, uint32_t thread, enum simt_scope scope,
                enum simt_order order);
/* The same for fence.sc under weak memory. It also comes after all earlier ones that are morally
 * strong with it (PTX ISA, Fence-SC order). */
void race_fence_sc(struct race_block *block, uint32_t thread, enum simt_scope scope);
/* Call for a fence between the generic and the async proxy. `covered`: bits of enum simt_covered.
 */
void race_proxy_fence(struct race_block *block, uint32_t thread, unsigned int covered);

/* Forgets the accesses to memory that gets a new owner. */
void race_renew(uintptr_t address, size_t size);

/* Before an access to shared memory, set these to the block that owns it, and to the distance from
 * the checker's address of a byte of it to the host address. */
extern struct race_block *race_shared_owner;
extern uintptr_t race_shared_shift;

/* Completes the description of a racing access, after the access has written its value. If
 * race_unsettled, call this before anything else runs. */
void race_settle(void);
extern bool race_unsettled;

/* ---- Asynchronous operations ---- */

/* An asynchronous operation, such as a bulk copy, acts as a thread of its own (PTX ISA,
 * asynchronous operations). What its issuer knew comes before it. What a thread does after a wait
 * for it comes after it. */
struct race_operation {
    uint32_t block, thread; /* the issuer; the first lane of several */
    uint32_t number;        /* increases with each operation of the job */
    uint32_t rounds;        /* of the issuer */
    unsigned int proxy;     /* ACCESS_ASYNC, or 0 for the generic proxy */
    const struct happens_before *before;
};

/* How threads learn that operations are complete. Operations with the same completion complete in
 * the order in which they were issued. */
struct race_completion {
    uint32_t block;
    uint16_t thread;
};

/* The waits of the issuer. */
enum race_wait {
    RACE_BULK_READS, /* cp.async.bulk.wait_group.read */
    RACE_BULK,       /* cp.async.bulk.wait_group */
    RACE_COPIES,     /* cp.async.wait_group */
    RACE_MATRICES,   /* wgmma.wait_group */
    RACE_WAITS
};
struct race_completion race_by_wait(enum race_wait wait, const struct race_block *block,
                                    uint32_t issuer);
/* A wait for the mbarrier in shared memory of that block. */
struct race_completion race_by_mbarrier(const struct race_block *owner, uintptr_t address);

/* Call when these lanes of a warp issue an operation together. `proxy` is ACCESS_ASYNC or 0. */
struct race_operation race_issue(struct race_block *block, uint32_t warp, uint32_t lanes,
                                 unsigned int proxy);
/* Call for each access of an operation, when it is issued and again when it is made. `kind` is
 * ACCESS_READ, ACCESS_WRITE, or ACCESS_ATOMIC with a scope. */
void race_operation_access(const struct race_operation *operation,
                           struct race_completion completion, uintptr_t address, size_t size,
                           unsigned int kind, enum simt_scope scope, const void *place);
/* Call when a complete operation signals the mbarrier at that address, in the shared memory of
 * race_shared_owner. Those who acquire the mbarrier then know that it is complete. */
void race_signal(const struct race_operation *operation, uintptr_t address, const void *place);
/* Call when a thread has waited for the operations of that completion, up to that number. */
void race_waited(struct race_block *block, uint32_t thread, struct race_completion completion,
                 uint32_t number);

/* ---- Threads, blocks and grids ---- */

/* Call when a block starts. */
void race_start_block(struct race_block *block, struct race_grid *grid, const struct extent *index,
                      uint32_t thread_count);
/* Call when all threads of the block have exited. Set race_shared_owner and race_shared_shift
 * before. */
void race_end_block(struct race_block *block);
void race_free_block(struct race_block *block);
/* Returns whether something that the other block did comes before the thread's next access, or the
 * order is not known. */
bool race_has_heard(const struct race_block *block, uint32_t thread,
                    const struct race_block *other);
void race_exit(struct race_block *block, uint32_t thread, const void *place);
/* Call when the lanes of a mask have met at a __syncwarp(). */
void race_sync_warp(struct race_block *block, uint32_t warp, uint32_t lanes);
/* The same for a match.any, which matters only to blocks that use mbarriers. */
void race_match(struct race_block *block, uint32_t warp, uint32_t lanes);
/* Call race_arrive() when a thread arrives at a barrier with a number, and race_leave() when it
 * continues from there. */
void race_arrive(struct race_block *block, uint32_t thread, struct race_meeting *meeting);
void race_leave(struct race_block *block, uint32_t thread, const struct race_meeting *meeting);
/* The same for barrier.cluster. An arrival that is not a release hands on only what comes before
 * the thread's last fence. */
void race_arrive_in_cluster(struct race_block *block, uint32_t thread, struct race_meeting *meeting,
                            bool releases);
/* Call when all threads of the block that have not exited are at a barrier. */
void race_barrier(struct race_block *block, bool exited);

/* Call when the thread launches a child. `stream` is null for a tail launch and a fire-and-forget
 * launch. */
void race_launch(struct race_grid *child, const struct race_stream *stream,
                 struct race_block *block, uint32_t thread);
/* Call when the first tail launch of a grid may start. */
void race_first_tail(struct race_grid *tail);
/* Call when a child grid is complete. `next` is the grid that waited for it in its stream, or
 * null. */
void race_complete(struct race_grid *grid, struct race_launcher *launcher,
                   struct race_stream *stream, struct race_grid *parent, struct race_grid *next);
/* Call when a grid that the host launched is complete, for each one that waited for it. */
void race_follow(const struct race_grid *grid, struct race_grid *next);
/* Call when the thread has waited for its block's child grids. */
void race_wait(struct race_block *block, uint32_t thread, const struct race_launcher *launcher);

/* ---- Grids of earlier jobs ---- */

/* Tells whether an earlier grid that is kept under that name is complete before a launch of the
 * host begins; LATER: before all launches of later jobs. */
enum { RACE_LATER = UINT32_MAX };
extern bool (*race_comes_before)(uint32_t kept, uint32_t launch);
/* Call before a grid of the host begins, and when it is complete. Accesses of one with a name race
 * with later jobs that do not come after it. Without a name (0), all later jobs come after it. */
void race_begin(struct race_grid *grid);
void race_retire(struct race_grid *grid, uint32_t name);
/* Returns true if grids are kept, and if one of them is not complete before that launch. */
bool race_keeps(void);
bool race_meets_kept(uint32_t launch);
/* Ends the keeping of grids before which no later launch begins. */
void race_review(void);
/* Forgets all accesses of earlier jobs, and those to memory that is freed. */
void race_forget(void);
void race_discard(uintptr_t address, size_t size);
/* Returns true if the order of kept accesses takes so much memory that the next job may lack it. */
bool race_is_full(void);

#endif
