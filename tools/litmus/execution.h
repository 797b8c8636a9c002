/* SPDX-License-Identifier: MIT
 *
 * Candidate executions of a litmus test, and the axioms of PTX's memory consistency model (PTX ISA
 * 9.0, chapter 8) that decide which of them are allowed.
 */
#ifndef SIMTCHECK_LITMUS_EXECUTION_H
#define SIMTCHECK_LITMUS_EXECUTION_H

#include "litmus.h"
#include "relation.h"

enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE, EVENT_ALIAS_FENCE, EVENT_BARRIER };

/* What one instruction does. A read-modify-write is a read and a write. */
struct event {
    enum event_kind kind;
    int thread; /* -1: the write of an initial value */
    enum litmus_order order;
    enum litmus_scope scope;
    bool is_reduction; /* the read of `red`, which begins no acquire pattern */
    int variable, location;
    int value;     /* that is read or written */
    int partner;   /* the read of a write that belongs to a read-modify-write; otherwise -1 */
    int barrier;   /* the number of the barrier */
    int instance;  /* how many times the thread passed this barrier before */
    uint64_t uses; /* the reads of the same thread that this event depends on */
};

/* Axioms of section 8.10, as bits. */
enum axiom {
    AXIOM_COHERENCE = 1,
    AXIOM_FENCE_SC = 2,
    AXIOM_ATOMICITY = 4,
    AXIOM_NO_THIN_AIR = 8,
    AXIOM_SC_PER_LOCATION = 16,
    AXIOM_CAUSALITY = 32,
    AXIOMS_ALL = 63,
    AXIOM_NO_FUTURE = 64, /* not of PTX: what the simulator adds; only a data race can violate it */
};

/* Events and the relations among them, in the order in which they are determined. */
struct execution {
    const struct litmus_test *test;
    struct event events[RELATION_EVENTS];
    int count;

    /* Determined by what each thread executes. */
    struct relation program;         /* program order */
    struct relation starts;          /* an initial write, and every event of a thread */
    struct relation depends;         /* a read, and an event that needs its value */
    struct relation same_location;   /* memory operations */
    struct relation overlap;         /* ... with the same virtual address */
    struct relation atomic;          /* the read and the write of a read-modify-write */
    struct relation morally_strong;  /* section 8.7 */
    struct relation release_pattern; /* the first event, and the write */
    struct relation acquire_pattern; /* the read, and the last event */
    struct relation barriers;        /* barriers that synchronize */

    /* Chosen: which write each read reads from. */
    struct relation reads_from; /* the write, and the read */
    struct relation observation;

    /* Chosen: the order of morally strong fence.sc operations. */
    struct relation fence_sc;
    struct relation base_causality;
    struct relation causality; /* of memory operations */

    /* Chosen: the order of writes. */
    struct relation coherence;
};

/* Each function determines the relations that depend on the last choice, and checks the axioms that
 * need no further choice. Returns false if one of `axioms` is violated. */
void execution_begin(struct execution *execution);
bool execution_ends(const struct execution *execution); /* no deadlock of barriers */
bool execution_reads_chosen(struct execution *execution, unsigned int axioms);
bool execution_fences_chosen(struct execution *execution, unsigned int axioms);
bool execution_is_allowed(const struct execution *execution, unsigned int axioms);

/* Returns whether two conflicting operations are unordered and not morally strong (8.7.1). */
bool execution_has_data_race(const struct execution *execution);

#endif
