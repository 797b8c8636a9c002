/* SPDX-License-Identifier: MIT
 *
 * Streams, events and the queue of work.
 */
#ifndef SIMTCHECK_EXEC_QUEUE_H
#define SIMTCHECK_EXEC_QUEUE_H

#include "internal.h"

#include <pthread.h>

enum {
    MAX_BATCH = LAUNCHES_TOGETHER,
    MAX_QUEUED = 4096,
    MAX_QUEUED_BYTES = 1 << 30, /* of parameters and copied memory */
    MAX_STREAMS = 257,
    HOST_STREAM = MAX_STREAMS - 1, /* the index of early writes of the host */
};

/* For each stream, by its index, the last work that is known to be complete at some point. */
struct clock {
    uint64_t serials[MAX_STREAMS];
};

struct exec_stream {
    struct exec_stream *next;
    unsigned int flags;
    int priority;
    unsigned long long id;
    uint64_t last; /* serial number of its last work; 0: none */
    uint64_t *waits;
    size_t wait_count;
    bool was_queried;   /* since its last work */
    uint32_t index;     /* in clocks; if there are many streams, several share the last one */
    struct clock clock; /* of the stream's last work */
};

struct exec_event {
    unsigned int flags;
    uint64_t serial; /* of the work that records it; 0: never recorded */
    double time;
    bool is_done, was_queried, is_destroyed;
    bool is_captured; /* its last record was captured */
    struct clock clock;
};

/* Frees the object of a destroyed handle, but only after many others, so that a later use of the
 * handle is found. */
void retire(void *object);
/* Returns false if the handle is null or was destroyed, and reports a destroyed one. `what` names
 * it.
 */
bool is_handle(const void *object, bool is_destroyed, const char *what);

/* Work in the queue. Batched: the bit of a launch in the batch that is being collected, and those
 * of the launches that must end before it. */
struct queued {
    struct queued *next;
    uint64_t serial;
    struct work work;
    uint64_t *after;
    size_t after_count;
    uint32_t bit, behind;
    size_t prefix;
    bool is_cut;
    uint32_t stream; /* its index */
    uint64_t visit;  /* by is_behind() */
    /* What is complete before it; of a host function, also that itself. And what host functions had
     * told when it was queued. */
    struct clock clock, heard;
};

/* The queue while it runs, as an array. Serial numbers are consecutive. */
struct running {
    struct queued **items;
    uint64_t first; /* serial number of items[0] */
    size_t count;
    struct batched batch[MAX_BATCH];
    uint32_t batch_count;
    size_t batch_start;        /* events from there on may wait for the batch */
    const struct clock *known; /* what the host is to know after it; null: nothing more */
    bool drops;                /* work that runs alone is not compared with later work */
    int error;
};

extern struct queue {
    struct queued *first, **last;
    size_t count, bytes;
    uint64_t serial;
    struct exec_stream *streams;
    struct exec_stream legacy;
    unsigned long long ids;
    bool is_running;
    pthread_t runner;
    struct clock host, heard;    /* heard: also what the host's functions know */
    uint64_t lasts[MAX_STREAMS]; /* the last serial number of each index */
} queue;

bool is_stream(struct exec_stream *handle);
/* Adds what the other clock knows to be complete. */
void clock_merge(struct clock *into, const struct clock *other);
bool clock_has(const struct clock *clock, uint32_t stream, uint64_t serial);
/* Notes that the host, or a function of it, knows what the clock knows. */
void host_learn(const struct clock *clock);
void host_hear(const struct clock *clock);
/* Runs the queue until all that the clock knows is complete; null: all. */
int run_until(const struct clock *known, bool drops);

/* ---- overlap.c ---- */

/* Returns whether the item waits for the work with that number, by a chain of the queue. */
bool is_behind(const struct running *run, const struct queued *item, uint64_t serial);
/* Returns whether work before or after the run may overlap the item. Reports work before it that
 * was not kept. */
bool overlaps(const struct running *run, const struct queued *item);
/* Notes that the item is not kept. */
void overlap_drop(const struct running *run, const struct queued *item);
/* Gives names to those members of the batch, before items[end], that later work may overlap. Keeps
 * them after they have run. */
void overlap_name(struct running *run, size_t end);
void overlap_keep(const struct running *run);

#endif
