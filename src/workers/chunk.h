/* SPDX-License-Identifier: MIT
 *
 * Cases on their way through a worker: made in order, run in any order, passed on in order.
 */
#ifndef SIMTCHECK_WORKERS_CHUNK_H
#define SIMTCHECK_WORKERS_CHUNK_H

#include "wire.h"

/* An outcome that a worker told; of those it did not, the case passed. */
struct told {
    uint32_t index; /* within the chunk */
    struct outcome outcome;
};

struct chunk {
    struct chunk *next;
    uint64_t first;
    uint32_t count, told_count, told_capacity;
    unsigned int losses; /* workers that it has cost */
    unsigned int kills;  /* of these, from outside */
    uint64_t request;    /* the number of its request, which the answer repeats */
    uint64_t split;      /* the number of the split that it comes of; 0: none */
    enum { CHUNK_WAITING, CHUNK_RUNNING, CHUNK_DONE } state;
    struct told *told;
    struct reached *reached; /* points, in the order of their cases */
    size_t reached_count, reached_capacity;
    struct test_case cases[];
};

/* Chunks in the order of their cases. */
struct chunk_list {
    struct chunk *first, *last;
    unsigned int count;
};

/* Puts a chunk of so many cases, to be filled in, at the end; null when memory runs out. */
struct chunk *chunk_append(struct chunk_list *list, uint64_t first, uint32_t count);
void chunk_remove_first(struct chunk_list *list);
void chunk_clear(struct chunk_list *list);

/* Cuts a chunk after its first `count` cases; the others become a waiting chunk of their own. False
 * when memory runs out. */
bool chunk_cut(struct chunk_list *list, struct chunk *chunk, uint32_t count);

/* Makes waiting chunks of one case each of it; false when memory runs out. */
bool chunk_split(struct chunk_list *list, struct chunk *chunk);

/* Remembers what a worker told; false when memory runs out. */
bool chunk_tell(struct chunk *chunk, uint32_t index, const struct outcome *outcome);

/* Remembers a point that a case has reached; false when memory runs out. */
bool chunk_reach(struct chunk *chunk, const struct reached *reached);

/* Forgets what a worker told. */
void chunk_forget(struct chunk *chunk);

/* Puts what was told in the order of cases. */
void chunk_sort(struct chunk *chunk);

#endif
