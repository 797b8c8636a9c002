/* SPDX-License-Identifier: MIT
 *
 * Tests the compilers of toolkits and driver with small random programs.
 */
#ifndef SIMTCHECK_COMPILERS_COMPILERS_H
#define SIMTCHECK_COMPILERS_COMPILERS_H

#include "build.h"
#include "session.h"

struct compilers_request {
    struct selection selection; /* kernels whose code is recorded, and the seed of programs */
    struct compiler_paths compilers;
    uint64_t count, minutes; /* number of programs, or minutes of drawing; minutes 0: `count` */
    bool no_idioms;
    struct shard shard; /* count 0: all of the work */
};

/* Tests all compilers, saves and prints the results. Returns the exit status. */
int compilers_check(const struct compilers_request *request, const struct session *session);

#endif
