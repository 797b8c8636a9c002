/* SPDX-License-Identifier: MIT
 *
 * The coherence order of the writes of a place. It is partial: writes that race are not related
 * (PTX ISA, Coherence Order). Sets of writes are bits, by the writes' numbers in their place.
 */
#ifndef SIMTCHECK_SIM_COHERENCE_H
#define SIMTCHECK_SIM_COHERENCE_H

#include "access_order.h"
#include "machine.h"

enum {
    MAX_ACCESS = 16, /* bytes */
    MAX_WRITES = 31, /* that a place keeps */
    MAX_POSITIONS = 64
};

#define BIT(w) (UINT32_C(1) << (w))

/* A thread's reads of a write. */
struct reader {
    struct access first;
    bool observes;       /* the write precedes it in observation order */
    uint32_t known;      /* the writes that precede the last one in causality order */
    const struct op *op; /* the last one */
};

struct write {
    struct access made; /* block 0: by the host, or unknown */
    uint64_t message;   /* its name among the releases of the race checker */
    uint64_t serial;    /* among the writes of all places; 0: the first one of its place */
    uint32_t before;    /* the writes that precede it in coherence order */
    bool is_atomic;
    uint32_t from;    /* of an atomic: the write that it read; 0: one that is forgotten */
    uint32_t missing; /* bytes that nothing has written, as bits */
    char value[MAX_ACCESS];
    struct reader *readers;
    uint32_t reader_count, reader_capacity;
};

struct place {
    struct place *next;
    struct region *region;
    char *host;
    uint64_t offset; /* in the region */
    uint32_t bytes;
    bool is_shared;
    uint32_t count, capacity;
    struct write *writes; /* in the order in which they were made */
};

/* Returns the writes that precede one of those. */
uint32_t coherence_before(const struct place *place, uint32_t writes);
/* Returns the writes that precede no other. */
uint32_t coherence_last(const struct place *place);

/* The next access. */
struct newcomer {
    struct access made;
    uint32_t known; /* the writes that precede it in causality order */
    uint32_t from;  /* of an atomic: the write that it reads; else 0 */
};

/* Where a new write may go: the writes that precede it, for each possibility. In the first one, it
 * precedes no other. */
struct positions {
    uint32_t before[MAX_POSITIONS];
    uint32_t count;
};

void coherence_find(const struct place *place, const struct newcomer *newcomer,
                    struct positions *positions);

/* Adds the last write of the list to the order, behind those. */
void coherence_add(struct place *place, const struct newcomer *newcomer, uint32_t before);

/* Removes a write that none precedes. */
void coherence_remove(struct place *place, uint32_t gone);

#endif
