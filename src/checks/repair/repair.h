/* SPDX-License-Identifier: MIT
 *
 * Searches the weakest scopes, orders and fences that repair a kernel which races.
 */
#ifndef SIMTCHECK_CHECKS_REPAIR_H
#define SIMTCHECK_CHECKS_REPAIR_H

#include "record_run.h"
#include "session.h"

enum { MAX_CHANGES = 8 };

/* Changes strengths of accesses and fences in the PTX, inserts fences, and runs the case again.
 * `races` are the races of the case. A plain access that races with a strong one belongs to the
 * synchronization. Other plain accesses change only if nothing else repairs the case. *repair is in
 * `memory`, or null if the code is none that can change. Returns statuses as supervisor_run() does.
 */
enum engine_status repair_search(const struct session *session, struct supervisor *supervisor,
                                 const struct test_case *test, const struct list *races,
                                 struct memory *memory, struct repair_record **repair);

#endif
