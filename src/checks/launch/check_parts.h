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

#endif
