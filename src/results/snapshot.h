/* SPDX-License-Identifier: MIT
 *
 * A file with all results for one build on one machine. `compare` compares two of them.
 */
#ifndef SIMTCHECK_RESULTS_SNAPSHOT_H
#define SIMTCHECK_RESULTS_SNAPSHOT_H

#include "build.h"
#include "session.h"

struct snapshot_request {
    unsigned int parts; /* bit k: part_at(k); 0: all */
    struct selection selection;
    struct engine_list engines; /* none: those that are available */
    struct compiler_paths compilers;
    uint64_t delays; /* for races: the maximum per schedule */
    /* The words of the command line, as the file records them. */
    char *const *words;
    size_t word_count;
};

/* Chooses the case of a variant whose instructions are counted, and which tools time: the largest
 * planned shape inside its domain. Returns false if there is no such case, or when memory runs out.
 */
bool snapshot_case(const struct selection *selection, const struct variant *variant, bool simulated,
                   struct test_case *test);

/* Runs the parts one after the other, and writes the session's file anew after each. Returns the
 * exit status. */
int snapshot_take(const struct snapshot_request *request, const struct session *session);

#endif
