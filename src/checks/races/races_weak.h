/* SPDX-License-Identifier: MIT
 *
 * Executions under weak memory, and what repairs a race.
 */
#ifndef SIMTCHECK_CHECKS_RACES_WEAK_H
#define SIMTCHECK_CHECKS_RACES_WEAK_H

#include "races_row.h"

/* Runs the executions of a small shape under weak memory. Returns false on error. */
bool races_search_executions(struct races *races, const struct plan *plan, struct race_row *row);

/* Searches what repairs the race of the smallest case. Returns false on error. */
bool races_search_repair(struct races *races, struct race_row *row);

#endif
