/* SPDX-License-Identifier: MIT
 *
 * Checks a captured launch, whose code is built.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_BUILT_H
#define SIMTCHECK_CHECKS_CHECK_BUILT_H

#include "check_request.h"

/* Returns how many instructions, of all threads, the first case of a captured launch may execute so
 * that the slower cases keep to --deadline. It is a number of the deadline, not of the machine. */
uint64_t check_steps(const struct session *session);

/* Checks a captured launch, whose code is built, on the simulator. Returns the exit status:
 * EXIT_UNAVAILABLE if its first case executes more than check_steps(). */
int check_built(const struct check_request *request, const struct user_code *code,
                const struct session *session);

#endif
