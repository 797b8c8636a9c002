/* SPDX-License-Identifier: MIT
 *
 * The seeded kernels as a catalogue of their own, for the program `seeded`: simtcheck itself over
 * other kernels.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_CATALOGUE_H
#define SIMTCHECK_TESTS_SEEDED_CATALOGUE_H

#include "catalogue.h"

extern const struct catalogue seeded_catalogue;

#endif
