/* SPDX-License-Identifier: MIT
 *
 * Checks a user's kernel, given the line that launches it.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_LAUNCH_H
#define SIMTCHECK_CHECKS_CHECK_LAUNCH_H

#include "check_request.h"

/* Compiles the files with each front end and runs the parts. Returns the worst exit status. */
int check_launch(const struct check_request *request, const struct session *session);

/* The same without the end of the launch, to which further checks are added. */
int check_launch_begin(const struct check_request *request, const struct session *session);

/* Begins the launch of the request for other programs (findings.h). `files` are those of the user
 * or of the catalogue. */
void check_take_launch(const struct check_request *request, const char *const *files, size_t count,
                       const struct session *session);

#endif
