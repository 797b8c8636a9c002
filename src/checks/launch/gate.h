/* SPDX-License-Identifier: MIT
 *
 * Decides whether an edit of kernels passes. It examines the files that have changed since a
 * revision, and the kernels in them whose machine code differs. Their results are compared with the
 * catalogue's declarations, or with the old code. Their cost is compared with the cost before.
 */
#ifndef SIMTCHECK_CHECKS_GATE_H
#define SIMTCHECK_CHECKS_GATE_H

#include "check_request.h"

struct gate_request {
    const char *revision; /* a git revision */
    /* The check to run. Without a launch it covers the catalogue's changed kernels. With a launch,
     * the caller sets check.against to "git:REVISION". */
    struct check_request check;
};

/* Runs the check. Returns the exit status. */
int gate_check(const struct gate_request *request, const struct session *session);

#endif
