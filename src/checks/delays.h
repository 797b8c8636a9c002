/* SPDX-License-Identifier: MIT
 *
 * Kernels run many times by the engine cuda-delayed, whose delays let races show.
 */
#ifndef SIMTCHECK_CHECKS_DELAYS_H
#define SIMTCHECK_CHECKS_DELAYS_H

#include "session.h"

struct delays_request {
    struct selection selection;
    uint64_t runs; /* of each case */
};

/* Runs, saves and reports a row for each variant and block. Returns the exit status. */
int delays_check(const struct delays_request *request, struct session *session);

#endif
