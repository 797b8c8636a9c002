/* SPDX-License-Identifier: MIT
 *
 * A suspect is a wrong result that its variant's known defect may explain, and an edit or a
 * compiler just as well. It is the known defect's only if the claimed accesses race in that very
 * case and no others do, some schedule gives the right result, and so do zeros, whose sum no order
 * can change. As nvcc compiles a kernel, it may be wrong in every schedule: struct known defect. On
 * a GPU, where nobody can look for races or choose a schedule, zeros alone have to do.
 */
#ifndef SIMTCHECK_COMMANDS_SUSPECTS_H
#define SIMTCHECK_COMMANDS_SUSPECTS_H

#include "shrink.h"
#include "supervisor.h"

/* why[k] becomes null: the known defect explains suspects[k]; or says in a clause why it does not.
 * `engine`: that of the supervisor's workers. Statuses as for supervisor_run(). */
enum engine_status suspects_hold(struct supervisor *supervisor, const struct engine_kind *engine,
                                 const struct counterexample *suspects, size_t count,
                                 const char **why);

#endif
