/* SPDX-License-Identifier: MIT
 *
 * The shapes that the race check runs, and the small ones among them.
 */
#ifndef SIMTCHECK_CHECKS_RACES_PLAN_H
#define SIMTCHECK_CHECKS_RACES_PLAN_H

#include "plan.h"

enum { RACES_SEED = 1 }; /* seed of the random values */

/* Plans the shapes. The default blocks are all small ones and those that the textbooks use. Returns
 * false when memory runs out. */
bool races_plan(const struct plan_request *asked, const struct variant *variant, enum model model,
                struct plan *plan);

/* Returns the largest shape of at most SMALL_ELEMENTS elements, else the smallest shape, or null if
 * the plan is empty. */
const struct planned_shape *races_small_launch(const struct plan *plan);

/* Returns the largest of the small shapes, or null if no shape is small. */
const struct planned_shape *races_small_shape(const struct plan *plan);

#endif
