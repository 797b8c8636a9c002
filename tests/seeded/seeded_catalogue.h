/* SPDX-License-Identifier: MIT
 *
 * The seeded kernels as their own catalogue, for the program `seeded`, which is simtcheck with
 * other kernels.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_CATALOGUE_H
#define SIMTCHECK_TESTS_SEEDED_CATALOGUE_H

#include "catalogue.h"

extern const struct catalogue seeded_catalogue;

#endif
