/* SPDX-License-Identifier: MIT
 *
 * Counting the steps of a job, and ending one that makes too many or takes too long. A step is an
 * access or a barrier. Steps are granted in spans, so that one in many costs more than a decrement.
 */
#ifndef SIMTCHECK_SIM_BUDGET_H
#define SIMTCHECK_SIM_BUDGET_H

#include "simt.h"

#include <signal.h>
#include <stdbool.h>

struct steps {
    int64_t countdown; /* of the span; the access that makes it negative has budget_end_span() */
    uint64_t granted;
    uint64_t made, budget; /* `made` leaves out what is left of the span */
    volatile sig_atomic_t overdue;
};

extern struct steps steps; /* written by steps.c, but for the countdown */

/* A job starts that may make so many steps. */
void budget_start(uint64_t budget);
void budget_add_budget(uint64_t more);

/* Steps so far, those of the span included. */
uint64_t budget_made(void);

/* Counts the steps of the span so far. */
void budget_account(void);

/* The span is over: faults, at the code address or the site, where the job has had its time or its
 * steps. The access or barrier that ended it is the last step made. */
void budget_end_span(const void *code, const struct simt_site *site);

/* Starts a span of so many steps, or of as many as are left. */
void budget_grant(uint64_t span);

/* The job's time is up, says a signal handler. */
void budget_set_overdue(bool overdue);

#endif
