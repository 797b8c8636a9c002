/* SPDX-License-Identifier: MIT
 *
 * What sources assert about the costs of their kernels: variant.cost. Each function is documented
 * at its definition.
 */
#ifndef SIMTCHECK_CATALOGUE_COSTS_H
#define SIMTCHECK_CATALOGUE_COSTS_H

#include <simtcheck/simtcheck.h>

typedef bool cost_function(const struct variant *variant, const struct shape *shape,
                           struct cost *cost);
extern cost_function cost_neighbored, cost_packed, cost_interleaved, cost_map, cost_split_map,
    cost_matrix;

#endif
