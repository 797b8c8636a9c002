/* SPDX-License-Identifier: MIT
 *
 * One case through every stage from the source to the GPU: which is the first that is wrong?
 */
#ifndef SIMTCHECK_COMPILERS_BLAME_H
#define SIMTCHECK_COMPILERS_BLAME_H

#include "build.h"
#include "session.h"

struct bisect_request {
    const char *case_id; /* of a case, or the text of a program as `compilers` prints it */
    struct compiler_paths compilers;
};

/* Runs every stage, saves and prints what came. Returns the exit status. */
int bisect_check(const struct bisect_request *request, struct session *session);

#endif
