/* SPDX-License-Identifier: MIT
 *
 * The one header of a suite. It declares the parts of a catalogue of kernels. A suite is a C file
 * that defines
 *
 *     const struct catalogue simtcheck_catalogue = {rows, number of rows, NULL, 0};
 *
 * Each row says how to call a kernel, what the right result is, and where the kernel is right
 * (catalogue.h). CMake's simtcheck_add_suite() makes a program of it, with all of simtcheck's
 * commands, and its tests.
 */
#ifndef SIMTCHECK_SIMTCHECK_H
#define SIMTCHECK_SIMTCHECK_H

#include "catalogue.h"

#endif
