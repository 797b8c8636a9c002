/* SPDX-License-Identifier: MIT
 *
 * Searches the weakest fences that repair a kernel which races under weak memory.
 */
#ifndef SIMTCHECK_CHECKS_REPAIR_H
#define SIMTCHECK_CHECKS_REPAIR_H

#include "session.h"

enum { REPAIR_TEXT = 768 };

/* Inserts fences after accesses of the PTX and runs the case again. Writes what repairs it, or that
 * no fence does, to `text`. Leaves it empty if the search is not possible. Returns statuses as
 * supervisor_run() does. */
enum engine_status repair_search(struct supervisor *supervisor, const struct code_files *files,
                                 const struct test_case *test, char text[REPAIR_TEXT]);

#endif
