/* SPDX-License-Identifier: MIT
 *
 * Searches the weakest scopes, orders and fences that repair a kernel which races.
 */
#ifndef SIMTCHECK_CHECKS_REPAIR_H
#define SIMTCHECK_CHECKS_REPAIR_H

#include "session.h"

enum { MAX_CHANGES = 8 };

/* One change of the PTX. */
struct repair_change {
    char place[128];       /* a source line, or a line of the PTX */
    char from[24], to[24]; /* such as "st.relaxed.gpu"; from is "" for a new fence */
};

struct repair {
    bool searched;
    size_t count; /* of changes; 0: there is no repair */
    struct repair_change changes[MAX_CHANGES];
    uint64_t executions; /* that ran with the changes, */
    bool has_all;        /* and whether these were all */
    const char *reason;  /* why there is no repair */
};

/* Changes strengths of accesses and fences in the PTX, inserts fences, and runs the case again.
 * `races` are the races of the case. A plain access changes only if it races with a strong one: it
 * belongs to the synchronization. Returns statuses as supervisor_run() does. */
enum engine_status repair_search(struct session *session, struct supervisor *supervisor,
                                 const struct test_case *test, const struct race *races,
                                 size_t race_count, struct repair *repair);

#endif
