/* SPDX-License-Identifier: MIT
 *
 * May an edit of kernels go in? Of the files that have changed since a revision, the kernels whose
 * machine code is another one are compared with what the catalogue, or the old code, says of them;
 * and what they cost with what they cost before.
 */
#ifndef SIMTCHECK_CHECKS_GATE_H
#define SIMTCHECK_CHECKS_GATE_H

#include "checks.h"
#include "user_code.h"

struct gate_request {
    const char *revision;       /* of git */
    struct user_files files;    /* of a launch */
    const char *launch;         /* null: the catalogue's kernels that have changed */
    struct selection selection; /* of shapes, values and schedules */
    uint64_t max_failures;      /* failures after which a part ends */
    struct compiler_paths compilers;
    const char *case_id; /* null, or the one case to run */
    uint64_t ulps;       /* floats may be so far from those of the old code */
    struct allowances allow;
};

/* Returns the exit status. */
int gate_check(const struct gate_request *request, struct session *session);

#endif
