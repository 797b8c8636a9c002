/* SPDX-License-Identifier: MIT
 *
 * What makes two failures one finding. Everything else, such as threads, values and cases, is
 * evidence. docs/check.md lists the identities.
 */
#ifndef SIMTCHECK_FINDINGS_IDENTITY_H
#define SIMTCHECK_FINDINGS_IDENTITY_H

#include "outcome.h"

enum { IDENTITY_PLACES = FAULT_PLACES };

struct identity {
    const char *rule; /* the name of a fault or verdict */
    /* In ascending order, because another schedule swaps the accesses of a race. */
    struct fault_place places[IDENTITY_PLACES];
    uint32_t place_count;
    char array[64];
    /* A word of the kind: the side of an array, the hazard of a race, the origin of an undefined
     * value. Empty: none. */
    const char *detail;
    const char *relation;                           /* of the threads of a race; or "" */
    char reason[sizeof((struct fault *)0)->reason]; /* an object or a reason, without numbers */
    bool of_kernel;                                 /* the kernel is part of it */
};

/* Return the identities. */
struct identity identity_of_fault(const struct fault *fault);
struct identity identity_of_difference(const struct difference *difference);
struct identity identity_of_race(const struct race *race);
/* The same for a fault or a wrong result. */
struct identity identity_of_outcome(const struct outcome *outcome);

/* Returns whether they are equal. A place without a line equals every other one, because the first
 * run of a wrong result does not know the place of the last store. */
bool identity_equal(const struct identity *a, const struct identity *b);

/* Adds a place, in ascending order. One without a line is unknown and left out. */
void identity_add_place(struct identity *identity, const char *file, int line, const char *outer);

/* Returns a hash of an identity. It is not 0. */
uint64_t identity_hash(const struct identity *identity);

#endif
