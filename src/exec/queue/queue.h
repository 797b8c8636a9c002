/* SPDX-License-Identifier: MIT
 *
 * Streams, events and the queue of work.
 */
#ifndef SIMTCHECK_EXEC_QUEUE_H
#define SIMTCHECK_EXEC_QUEUE_H

#include "internal.h"

#include <pthread.h>

enum { MAX_BATCH = LAUNCHES_TOGETHER, MAX_QUEUED = 4096, MAX_STREAMS = 256 };

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
    uint32_t index;     /* in clocks; streams after many share the last one */
    struct clock clock; /* of the stream's last work */
};

struct exec_event {
    unsigned int flags;
    uint64_t serial; /* of the work that records it; 0: never recorded */
    double time;
    bool is_done, was_queried;
    struct clock clock;
};

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
    struct clock *clock; /* of a host function: what the host knows to be complete then */
};

extern struct queue {
    struct queued *first, **last;
    size_t count;
    uint64_t serial;
    struct exec_stream *streams;
    struct exec_stream legacy;
    unsigned long long ids;
    bool is_running;
    pthread_t runner;
    struct clock host;
} queue;

bool is_stream(struct exec_stream *handle);
/* Adds what the other clock knows to be complete. */
void clock_merge(struct clock *into, const struct clock *other);
/* Notes that the host knows what the clock knows. */
void host_learn(const struct clock *clock);

#endif
