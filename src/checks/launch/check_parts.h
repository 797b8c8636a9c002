/* SPDX-License-Identifier: MIT
 *
 * Runs the parts of a check of a launch: results, races and determinism; or one case.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_PARTS_H
#define SIMTCHECK_CHECKS_CHECK_PARTS_H

#include "check_code.h"

/* Runs the launch of the user's code in place of the session's catalogue. Returns the exit status.
 */
int check_parts_run(struct check *check);

/* Runs the race check on a selection, as one part of the check. Returns the exit status. */
int check_races(const struct check_request *request, const struct selection *selection,
                const struct session *session);

#endif
