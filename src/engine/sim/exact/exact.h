/* SPDX-License-Identifier: MIT
 *
 * The arithmetic of --floats exact: floats are elements of a prime field.
 */
#ifndef SIMTCHECK_SIM_EXACT_H
#define SIMTCHECK_SIM_EXACT_H

#include "decode.h"

extern const struct exact_functions exact_operations;

#endif
