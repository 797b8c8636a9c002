/* SPDX-License-Identifier: MIT
 *
 * Checks that every SM of every GPU computes what it should.
 */
#ifndef SIMTCHECK_SOAK_H
#define SIMTCHECK_SOAK_H

#include "record_soak.h"
#include "session.h"

struct soak_request {
    double minutes; /* ignored if is_quick */
    bool is_quick;
};

/* Runs the worker, prints a report and saves the results. Returns the exit status: 1 if anything
 * differs, 3 if some SM was not checked. */
int soak_check(const struct soak_request *request, const struct session *session);

/* Returns the exit status that the results mean. Without results there is no pass. */
int soak_status(const struct soak_record *record);

/* Prints the results. */
void soak_print(const struct soak_record *record);

#endif
