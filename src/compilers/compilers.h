/* SPDX-License-Identifier: MIT
 *
 * The compilers of toolkits and driver on trial, by small programs drawn at random.
 */
#ifndef SIMTCHECK_COMPILERS_COMPILERS_H
#define SIMTCHECK_COMPILERS_COMPILERS_H

#include "build.h"
#include "session.h"

struct compilers_request {
    struct compiler_paths compilers;
    struct selection selection; /* kernels whose code is looked at, and the seed of programs */
    uint64_t count, minutes;    /* programs to draw, or for how long; minutes 0: `count` */
    bool no_idioms;
    struct shard shard; /* count 0: all of the work */
};

/* Tries all, saves and prints what was found. Returns the exit status. */
int compilers_check(const struct compilers_request *request, struct session *session);

#endif
