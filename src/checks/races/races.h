/* SPDX-License-Identifier: MIT
 *
 * Does a kernel race, where, and can the order of a race change its result?
 *
 * For each kernel and model: first the race checker on every planned shape inside the domain, under
 * two schedules, for only what is handed on by atomic accesses depends on that; and of a launch
 * line under several sets of values. Then schedules with up to so many delays, one after the other
 * (Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling, POPL 2011): of a kernel that races, on the
 * smallest shapes that do, for one that changes the result; of one that does not, on a small shape,
 * where no result may differ. Where nothing says what is right, a result is held to that of the
 * schedule without a delay.
 */
#ifndef SIMTCHECK_CHECKS_RACES_H
#define SIMTCHECK_CHECKS_RACES_H

#include "session.h"

struct races_request {
    struct selection selection;
    struct engine_list engines; /* one that simulates; none: the host engine */
    uint64_t errors;            /* failures after which the check ends */
    uint64_t delays;            /* most in a schedule */
    bool allow_same_value;      /* races of writes that all write the same value */
    struct shard shard;         /* count 0: all of the work */
};

/* Runs, saves and reports a row for each variant and model. The exit status is EXIT_DIFFERS if a
 * verdict is not the one that the kernel's descriptor claims. */
int races_check(const struct races_request *request, struct session *session);

#endif
