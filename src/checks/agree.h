/* SPDX-License-Identifier: MIT
 *
 * Other engines compared with the host engine where a printed form is outside its domain and still
 * has one defined result.
 *
 * A result is taken for defined when the kernel makes no fault and its outputs are the same, bit
 * for bit, under lockstep and, with independent threads, under `sequential`, `reverse` and five
 * random schedules, both with the case's values and with random ones.
 */
#ifndef SIMTCHECK_CHECKS_AGREE_H
#define SIMTCHECK_CHECKS_AGREE_H

#include "session.h"

struct agree_request {
    struct selection selection;
    struct engine_list engines; /* that are compared with the host engine */
};

/* Runs, saves and reports a row for each engine and printed form. Returns the exit status. */
int agree_check(const struct agree_request *request, struct session *session);

#endif
