/* SPDX-License-Identifier: MIT
 *
 * All that can be said of one build on one machine, in one file, which `compare` compares with
 * another.
 */
#ifndef SIMTCHECK_RESULTS_SNAPSHOT_H
#define SIMTCHECK_RESULTS_SNAPSHOT_H

#include "build.h"
#include "parts.h"
#include "session.h"

struct snapshot_request {
    unsigned int parts; /* bits, by enum part; 0: all */
    struct selection selection;
    struct engine_list engines; /* none: those that are here */
    struct compiler_paths compilers;
    uint64_t delays; /* most in a schedule of races */
    /* The words of the command line, as the textbook keeps them. */
    char *const *words;
    size_t word_count;
};

/* Takes the parts one after the other. The file of the session is written anew each time. Returns
 * the exit status. */
int snapshot_take(const struct snapshot_request *request, struct session *session);

#endif
