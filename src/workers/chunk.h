/* SPDX-License-Identifier: MIT
 *
 * Chunks of cases that pass through workers: created in order, run in any order, passed on in
 * order.
 */
#ifndef SIMTCHECK_WORKERS_CHUNK_H
#define SIMTCHECK_WORKERS_CHUNK_H

#include "wire.h"

/* An outcome that a worker reported. A case without a reported outcome passed. */
struct reported {
    uint32_t index; /* within the chunk */
    struct outcome outcome;
};

struct chunk {
    struct chunk *next;
    uint64_t first;
    uint32_t count, reported_count, reported_capacity;
    unsigned int losses; /* workers that it has cost */
    unsigned int kills;  /* of these, killed from outside */
    uint64_t request;    /* the number of its request; the answer repeats it */
    uint64_t split;      /* the number of the split that made it; 0: none */
    enum { CHUNK_WAITING, CHUNK_RUNNING, CHUNK_DONE } state;
    struct reported *reported;
    struct reached *reached; /* in the order of their cases */
    size_t reached_count, reached_capacity;
    struct test_case cases[];
};

/* Chunks in the order of their cases. */
struct chunk_list {
    struct chunk *first, *last;
    unsigned int count;
};

/* Appends a chunk of `count` cases, which the caller fills in. Returns null when memory runs
 * out. */
struct chunk *chunk_append(struct chunk_list *list, uint64_t first, uint32_t count);
void chunk_remove_first(struct chunk_list *list);
void chunk_clear(struct chunk_list *list);

/* Cuts a chunk after its first `count` cases. The others become a waiting chunk of their own.
 * Returns false when memory runs out. */
bool chunk_cut(struct chunk_list *list, struct chunk *chunk, uint32_t count);

/* Splits the chunk into waiting chunks of one case each. Returns false when memory runs out. */
bool chunk_split(struct chunk_list *list, struct chunk *chunk);

/* Stores an outcome that a worker reported. Returns false when memory runs out. */
bool chunk_report(struct chunk *chunk, uint32_t index, const struct outcome *outcome);

/* Stores points that a case has reached. Returns false when memory runs out. */
bool chunk_reach(struct chunk *chunk, const struct reached *reached);

/* Discards the outcomes and points that a worker reported. */
void chunk_forget(struct chunk *chunk);

/* Sorts the reported outcomes and points in the order of cases. */
void chunk_sort(struct chunk *chunk);

#endif
