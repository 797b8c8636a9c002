/* SPDX-License-Identifier: MIT
 *
 * Searches the weakest scopes, orders and fences that repair a kernel which races.
 */
#ifndef SIMTCHECK_CHECKS_REPAIR_H
#define SIMTCHECK_CHECKS_REPAIR_H

#include "record_run.h"
#include "session.h"

enum { MAX_CHANGES = 8 };

struct repair {
    bool searched;
    size_t count; /* of changes; 0: there is no repair */
    struct repair_change changes[MAX_CHANGES];
    struct executions_record executions; /* with the changes, of the shape of the case */
    bool unordered;     /* plain accesses become strong, and some of them are still unordered */
    const char *reason; /* why there is no repair; null: there is one */
};

/* Changes strengths of accesses and fences in the PTX, inserts fences, and runs the case again.
 * `races` are the races of the case. A plain access that races with a strong one belongs to the
 * synchronization. Other plain accesses change only if nothing else repairs the case. Returns
 * statuses as supervisor_run() does. */
enum engine_status repair_search(const struct session *session, struct supervisor *supervisor,
                                 const struct test_case *test, const struct race *races,
                                 size_t race_count, struct repair *repair);

#endif
