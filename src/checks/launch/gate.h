/* SPDX-License-Identifier: MIT
 *
 * May an edit of kernels go in? Of the files that have changed since a revision, the kernels whose
 * machine code is another one are compared with what the catalogue, or the old code, says of them;
 * and what they cost with what they cost before.
 */
#ifndef SIMTCHECK_CHECKS_GATE_H
#define SIMTCHECK_CHECKS_GATE_H

#include "check_launch.h"

struct gate_request {
    const char *revision; /* of git */
    /* What is checked. Without a launch, the catalogue's kernels that have changed; with one, it is
     * checked against "git:REVISION", and the caller says so in check.against. */
    struct check_request check;
};

/* Returns the exit status. */
int gate_check(const struct gate_request *request, struct session *session);

#endif
