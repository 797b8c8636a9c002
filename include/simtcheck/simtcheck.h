/* SPDX-License-Identifier: MIT
 *
 * The one header of a suite: what a catalogue of kernels is made of. A suite is a file of C that
 * defines
 *
 *     const struct catalogue simtcheck_catalogue = {rows, number of rows, NULL, 0};
 *
 * where each row says how a kernel is called, what must come out, and where (catalogue.h). CMake's
 * simtcheck_add_suite() makes a program of it, with all of simtcheck's commands, and its tests.
 */
#ifndef SIMTCHECK_SIMTCHECK_H
#define SIMTCHECK_SIMTCHECK_H

#include "catalogue.h"

#endif
