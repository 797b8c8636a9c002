/* SPDX-License-Identifier: MIT
 *
 * The planned cases of the selected variants on some engines, and a verdict for each.
 */
#ifndef SIMTCHECK_CHECKS_RUN_H
#define SIMTCHECK_CHECKS_RUN_H

#include "session.h"

struct run_request {
    struct selection selection;
    struct engine_list engines; /* none: those that run unasked and are available */
    uint64_t errors;            /* failures after which the run ends */
    struct shard shard;         /* count 0: all of the work */
};

/* Runs, saves and reports a row for each variant and engine. Returns the exit status. */
int run_check(const struct run_request *request, struct session *session);

#endif
