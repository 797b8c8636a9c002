/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CHECKS_DIMENSIONS_H
#define SIMTCHECK_CHECKS_DIMENSIONS_H

#include "outcome.h"

/* Writes the place of a race, such as "tile[66]", as "tile[2][0]", if the source of its accesses
 * declares a shared array of numbers with several dimensions and literal sizes. PTX does not have
 * them. */
void dimensions_restore(struct race *race);

#endif
