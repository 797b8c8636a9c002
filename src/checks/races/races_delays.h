/* SPDX-License-Identifier: MIT
 *
 * Searches schedules with delays.
 */
#ifndef SIMTCHECK_CHECKS_RACES_DELAYS_H
#define SIMTCHECK_CHECKS_RACES_DELAYS_H

#include "races_row.h"

/* Finds the first element that differs from that of the base. Returns false on error. */
bool races_find_difference(struct races *races, struct delay_search *search);

/* Searches the smallest shapes that race for a schedule with a wrong result, or a race in a row
 * without one. The row keeps the first search that finds one, or else the search of the smallest
 * shape. Returns false on error. */
bool races_search_wrong(struct races *races, struct race_row *row);

/* Searches schedules of a kernel without races, whose atomic accesses may still come in any order.
 * The budget is smaller without an oracle, because users may write any number of such launches.
 * Returns false on error. */
bool races_search_free(struct races *races, const struct plan *plan, struct race_row *row);

#endif
