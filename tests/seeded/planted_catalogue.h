/* SPDX-License-Identifier: MIT
 *
 * The planted kernels as a catalogue of their own, for the program `planted`: simtcheck itself over
 * other kernels.
 */
#ifndef SIMTCHECK_TESTS_PLANTED_CATALOGUE_H
#define SIMTCHECK_TESTS_PLANTED_CATALOGUE_H

#include "catalogue.h"

extern const struct catalogue planted_catalogue;

#endif
