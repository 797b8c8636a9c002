/* SPDX-License-Identifier: MIT
 *
 * A suspect is a wrong result that may come from its variant's known defect, from an edit or from a
 * compiler. The known defect explains it only if all of these hold:
 * - The declared accesses race in that very case, and no others do.
 * - Some schedule gives the right result. This is not required if nvcc's code is wrong under every
 *   schedule: see struct known_defect.
 * - Zeros give the right result, because no order can change their sum.
 *
 * On a GPU races are not visible and schedules cannot be chosen, so only zeros are checked there.
 */
#ifndef SIMTCHECK_CHECKS_SUSPECTS_H
#define SIMTCHECK_CHECKS_SUSPECTS_H

#include "shrink.h"
#include "supervisor.h"

/* Sets why[k] to null if the known defect explains suspects[k], and to a clause that says why not
 * otherwise. `engine` is the engine of the supervisor's workers. Returns statuses as
 * supervisor_run() does. */
enum engine_status suspects_judge(struct supervisor *supervisor, const struct engine_kind *engine,
                                  const struct counterexample *suspects, size_t count,
                                  const char **why);

#endif
