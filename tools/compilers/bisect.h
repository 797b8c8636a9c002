/* SPDX-License-Identifier: MIT
 *
 * Runs one case through every stage from the source to the GPU and finds the first wrong stage.
 */
#ifndef SIMTCHECK_COMPILERS_BISECT_H
#define SIMTCHECK_COMPILERS_BISECT_H

#include "build.h"
#include "session.h"

struct bisect_request {
    const char *case_id; /* of a case, or the text of a program as `compilers` prints it */
    struct compiler_paths compilers;
};

/* Runs every stage, saves and prints the outcomes. Returns the exit status. */
int bisect_check(const struct bisect_request *request, const struct session *session);

#endif
